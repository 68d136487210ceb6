"""A half-clear mark that stays in the picture while a head moves is found, taken off, and laid back."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.planes import Planes
from enhance.render.cover.marks import NONE, WHOLE, mark_laid_back, mark_of, without_mark
from tests.test_render import BT601, astronaut

Values = npt.NDArray[Any]
SHARE = 0.45
BT_WHITE = 255 if BT601.full else 235


def mouth() -> tuple[Values, Values]:
    """Luma round the astronaut's mouth, and the mesh in its pixels."""
    planes, mesh = astronaut()
    x, y = (mesh[61] + mesh[291])[:2] / 2
    scale = float(np.linalg.norm(mesh[33] - mesh[263]))
    left, top, right, bottom = (max(0, round(v / 2) * 2) for v in (x - scale, y - scale, x + scale, y + 0.9 * scale))
    return planes.y[top:bottom, left:right], mesh - [left, top, 0]


def head(moved: float) -> tuple[Values, Values]:
    """Luma of ten pictures of a head that goes to and fro by so many pixels, and its meshes."""
    luma, mesh = mouth()
    at = [(round(moved * np.cos(2 * k)), round(moved * np.sin(3 * k))) for k in range(10)]
    luma = np.stack([np.roll(luma, (y, x), (0, 1)) for x, y in at])
    return luma, np.stack([mesh + np.array([x, y, 0]) for x, y in at]).astype(np.float32)


def marked(luma: Values, most: float = SHARE, level: int = BT_WHITE) -> tuple[Values, Values]:
    """The same under letters across the mouth, half-clear and white or others, and how much of them each pixel has."""
    _, mesh = mouth()
    x, y = (mesh[61] + mesh[291])[:2] / 2
    scale = float(np.linalg.norm(mesh[33] - mesh[263]))
    share = np.zeros(luma.shape[1:], np.uint8)
    at = (round(x - 0.6 * scale), round(y + 0.1 * scale))
    cv2.putText(share, "STOCK", at, cv2.FONT_HERSHEY_DUPLEX, scale / 85, (255,), max(2, round(0.05 * scale)), cv2.LINE_AA)
    whole = most * share / 255
    return np.rint(luma * (1 - whole) + level * whole).astype(np.uint8), whole


def test_letters_over_a_moving_head_are_measured_and_taken_off() -> None:
    luma, meshes = head(8)
    seen, whole = marked(luma)
    mark = mark_of(seen, meshes, BT601)
    share = (mark.astype(float) - NONE) / WHOLE
    thick = cv2.erode(whole, np.ones((3, 3))) > 0.4
    assert abs(float(np.median(share[thick])) - SHARE) < 0.08
    grey = np.full((luma.shape[1] // 2, luma.shape[2] // 2), 128, np.uint8)
    bare = without_mark(Planes(seen[0], grey, grey), mark, BT601)
    on_face = whole > 0.05
    before, after = (np.abs(picture.astype(int) - luma[0])[on_face].mean() for picture in (seen[0], bare.y))
    assert after < 0.35 * before


@pytest.mark.parametrize("moved", [0, 8])
def test_a_head_without_a_mark_has_none_and_a_still_one_does_not_tell(moved: float) -> None:
    luma, meshes = head(moved)
    pictures = luma if moved else marked(luma)[0]
    assert (mark_of(pictures, meshes, BT601) == NONE).all()


@pytest.mark.parametrize("level", [90, 215])
def test_opaque_letters_are_none(level: int) -> None:
    luma, meshes = head(8)
    assert (mark_of(marked(luma, 1.0, level)[0], meshes, BT601) == NONE).all()


def test_letters_that_some_pictures_do_not_have_are_none() -> None:
    luma, meshes = head(8)
    pictures = marked(luma)[0]
    pictures[3] = luma[3]
    assert (mark_of(pictures, meshes, BT601) == NONE).all()


def test_what_is_not_changed_under_a_mark_keeps_its_bytes() -> None:
    random = np.random.default_rng(1)
    planes = Planes(*(random.integers(0, 256, size, dtype=np.uint8) for size in ((20, 30), (10, 15), (10, 15))))
    mark = random.integers(20, 236, (20, 30), dtype=np.uint8)
    bare = without_mark(planes, mark, BT601)
    out = bare.copy()
    out.y[4, 4] = 255 - bare.y[4, 4]
    mark_laid_back(out, mark, planes, bare)
    same = out.y == planes.y
    same[4, 4] = True
    assert same.all()
    np.testing.assert_array_equal(out.u, planes.u)
    assert abs(int(out.y[4, 4]) - int(planes.y[4, 4])) < abs(255 - 2 * int(bare.y[4, 4]))
