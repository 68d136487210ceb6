"""Mouths of drawn animals, which hang from the nose on a line."""

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import pose_of
from enhance.render.drawn.found import find
from enhance.render.drawn.nose_line import without_nose_line
from enhance.render.drawn.outlines import in_outline, is_posterised
from enhance.render.patch import patch_of
from tests.test_render_drawn import BT601, FINE, INK, SKIN, WIDTH, Floats, drawing, planes_of


def with_nose(kind: str, nose: float) -> tuple[npt.NDArray[np.uint8], Floats]:
    """An animal's face: a nose that ends `nose` S above the mouth, and a line from there to the mouth."""
    picture, mesh = drawing(kind, size=480, chin=0.9)
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)

    def at(across: float, down: float) -> tuple[int, int]:
        return round((x + across * unit) * FINE), round((y + down * unit) * FINE)

    fine = cv2.resize(picture, None, fx=FINE, fy=FINE, interpolation=cv2.INTER_NEAREST)
    cv2.ellipse(fine, at(0, -nose - 0.09), (round(0.14 * unit * FINE), round(0.09 * unit * FINE)), 0, 0, 360, INK, -1)
    cv2.line(fine, at(0, -nose), at(0, 0.02), INK, round(0.02 * unit * FINE))
    return np.asarray(cv2.resize(fine, (480, 480), interpolation=cv2.INTER_AREA), np.uint8), mesh


@pytest.mark.parametrize("kind", ["stroke", "open"])
@pytest.mark.parametrize("nose", [0.1, 0.2])
def test_a_mouth_on_a_line_from_the_nose_is_found(kind: str, nose: float) -> None:
    picture, mesh = with_nose(kind, nose)
    patch = patch_of(planes_of(picture), BT601, mesh)
    mouth = find(patch.planes, patch.head, patch.pose)
    assert mouth is not None
    assert mouth.ends[1, 0] - mouth.ends[0, 0] == pytest.approx(WIDTH, abs=0.05)
    assert in_outline(patch) and not is_posterised(patch)


def test_a_mouth_whose_ends_are_as_high_as_the_nose_is_found() -> None:
    picture, mesh = drawing("none", size=480, chin=0.9)
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    picture[round(y - 0.2 * unit) : round(y + 0.2 * unit)] = SKIN
    shape = np.array([[-0.2, -0.2], [-0.16, 0.02], [0, -0.02], [0.16, 0.02], [0.2, -0.2]]) * unit + [x, y]
    nose = np.array([[0, -0.15], [0, -0.02]]) * unit + [x, y]
    for line in (shape, nose):
        cv2.polylines(picture, [np.round(line * 16).astype(np.int32)], False, INK, 4, cv2.LINE_AA, 4)
    cv2.ellipse(picture, (round(x), round(y - 0.18 * unit)), (12, 8), 0, 0, 360, INK, -1)
    mesh[2, 1] = y - 0.1 * unit  # the base of the nose
    patch = patch_of(planes_of(picture), BT601, mesh)
    mouth = find(patch.planes, patch.head, patch.pose)
    assert mouth is not None
    assert mouth.ends[1, 0] - mouth.ends[0, 0] == pytest.approx(0.4, abs=0.05)


def test_only_a_line_from_a_nose_to_a_mouth_is_taken_away() -> None:
    ink = np.zeros((160, 300), np.uint8)
    ink[:10, 130:170] = ink[60:64, 110:190] = 1  # a nose and a mouth
    ink[10:60, 148:152] = 1
    cut = without_nose_line(ink, 80, 250.0)
    assert not cut[12:58, 140:160].any() and cut[60:64, 110:190].all() and cut[:8, 130:170].all()
    neck = np.zeros_like(ink)
    neck[100:104] = neck[150:154, 60:240] = neck[104:150, 98:102] = 1  # below the mesh's mouth
    assert (without_nose_line(neck, 80, 250.0) == neck).all()
