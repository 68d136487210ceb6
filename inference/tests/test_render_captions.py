"""What is written over a face stays where it is, sharp, while the mouth behind and beside it moves."""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import Pose, pose_of
from enhance.geometry.planes import Planes, from_rgb, to_rgb
from enhance.render.compose import MouthRequest, render
from enhance.render.cover.borders import border_below
from enhance.render.cover.captions import Captions, captions_over
from enhance.render.cover.letters import BLACK
from enhance.render.measure import covered_share
from enhance.render.quality import QUALITIES
from tests.covers import cover
from tests.test_render import BT601, astronaut, measured, target

Floats = npt.NDArray[Any]
OPEN = target(0.2, 0.5)
WHITE, YELLOW, GREEN, INK = (255, 255, 255), (255, 235, 0), (60, 230, 60), (0, 0, 0)


def large() -> tuple[Planes, Floats]:
    """The astronaut three times as large, so that letters have pixels, and in less light: white ones are seen on her skin."""
    planes, mesh = astronaut()
    y, u, v = (
        np.asarray(cv2.resize(p, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC), np.uint8) for p in vars(planes).values()
    )
    return Planes((0.8 * y).astype(np.uint8), u, v), (3 * mesh + 1).astype(np.float32)


@dataclass(frozen=True)
class Writing:
    text: str
    colour: tuple[int, int, int]
    height: float
    """S."""
    outlined: bool = False
    box: tuple[int, int, int, float] | None = None
    """R, G, B and opacity of what it stands on."""
    down: float = 0.42
    """S of its middle below the middle of the mouth."""


KINDS = {
    "outlined": Writing("so today we talk", WHITE, 0.13, outlined=True),
    "thin": Writing("a thin caption", WHITE, 0.1),
    "yellow": Writing("and then", YELLOW, 0.16, outlined=True),
    "green": Writing("green words", GREEN, 0.15, outlined=True),
    "one word": Writing("WE", WHITE, 0.24, outlined=True),
    "in a dark box": Writing("in a box", WHITE, 0.11, box=(0, 0, 0, 0.6)),
    "black on white": Writing("black on white", INK, 0.1, box=(255, 255, 255, 1.0)),
}


def written(planes: Planes, mesh: Floats, writing: Writing) -> tuple[Planes, npt.NDArray[np.bool_]]:
    """The patch with the writing over it, and the pixels that are its own."""
    scale = pose_of(mesh).scale
    x, y = (mesh[61] + mesh[291])[:2] / 2
    font, size = cv2.FONT_HERSHEY_DUPLEX, writing.height * scale / 22
    thick = max(1, round(0.014 * scale))
    (width, height), _ = cv2.getTextSize(writing.text, font, size, thick)
    left, bottom = round(x - width / 2), round(y + writing.down * scale + height / 2)
    rgb = np.clip(to_rgb(planes, BT601), 0, 255).astype(np.uint8)
    own = np.zeros(rgb.shape[:2], np.uint8)
    if writing.box:
        edge = round(0.06 * scale)
        rows, columns = slice(bottom - height - edge, bottom + 2 * edge), slice(max(0, left - edge), left + width + edge)
        colour, share = np.array(writing.box[:3]), writing.box[3]
        rgb[rows, columns] = (rgb[rows, columns] * (1 - share) + colour * share).astype(np.uint8)
        own[rows, columns] = 1
    at = (left, bottom)
    if writing.outlined:
        cv2.putText(rgb, writing.text, at, font, size, (0, 0, 0), 3 * thick, cv2.LINE_AA)
        cv2.putText(own, writing.text, at, font, size, (1,), 3 * thick)
    cv2.putText(rgb, writing.text, at, font, size, writing.colour, thick, cv2.LINE_AA)
    cv2.putText(own, writing.text, at, font, size, (1,), thick)
    yuv = from_rgb(rgb.astype(np.float32), BT601)
    half = cv2.resize(yuv, planes.u.shape[::-1], interpolation=cv2.INTER_AREA)
    y, u, v = (np.clip(p + 0.5, 0, 255).astype(np.uint8) for p in (yuv[..., 0], half[..., 1], half[..., 2]))
    return Planes(y, u, v), own > 0


def head_of(mesh: Floats) -> tuple[Floats, Pose]:
    pose = pose_of(mesh)
    return pose.to_head(mesh.astype(float)), pose


def found(planes: Planes, mesh: Floats) -> Captions | None:
    return captions_over(planes, *head_of(mesh))


def whole(captions: Captions | None, planes: Planes) -> Floats:
    letters = np.zeros(planes.y.shape, np.float32)
    if captions:
        letters[captions.area.slices] = captions.opacity
    return letters


@pytest.mark.parametrize("quality", ["fast", "studio"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_over_a_face_stays_while_the_mouth_opens(kind: str, quality: str) -> None:
    bare, mesh = large()
    planes, own = written(bare, mesh, KINDS[kind])
    subject = measured(planes, mesh)
    asked = MouthRequest(target=OPEN, subject=subject, style="photo", quality=QUALITIES[quality])
    done = render(planes, BT601, mesh, asked)
    off = np.abs(done.planes.y.astype(int) - planes.y)
    assert off[own].mean() < 1
    assert np.percentile(off[own], 99) < 16
    assert (done.mask > 0).sum() > 0.2 * pose_of(mesh).scale ** 2


@pytest.mark.parametrize("kind", ["outlined", "one word"])
def test_no_glow_lies_round_letters_under_the_chin(kind: str) -> None:
    """What is made up behind letters is seen only where a chin or a lip moves out from behind them."""
    bare, mesh = large()
    planes, own = written(bare, mesh, replace(KINDS[kind], down=0.55))
    done = render(planes, BT601, mesh, MouthRequest(target=OPEN, subject=measured(planes, mesh)))
    near, far = (cv2.dilate(own.astype(np.uint8), np.ones((side, side), np.uint8)) > 0 for side in (3, 11))
    assert np.abs(done.planes.y.astype(int) - planes.y)[far & ~near].mean() < 2.5  # 6.5 and 8.9 where all of it is made up


@pytest.mark.parametrize("colours", [(16, 128, 128), (200, 120, 130), None])
@pytest.mark.parametrize("opening", [0.0, 0.2])
def test_the_border_of_a_picture_stays_straight(opening: float, colours: tuple[int, int, int] | None) -> None:
    """A black bar, the page round a tile of a video call, or (None) a larger, blurred copy begins at the chin."""
    bare, mesh = large()
    head, pose = head_of(mesh)
    assert border_below(bare, head, pose, np.zeros(bare.y.shape, np.bool_)) is None
    row = round((mesh[61] + mesh[291])[1] / 2 + 0.35 * pose.scale) & ~1
    for number, (plane, first) in enumerate(zip(vars(bare).values(), (row, row // 2, row // 2), strict=True)):
        below = cv2.GaussianBlur(cv2.resize(plane, None, fx=3, fy=3), (0, 0), 12 * plane.shape[0] / bare.y.shape[0])
        corner = below[2 * first : 2 * first + len(plane) - first, plane.shape[1] : 2 * plane.shape[1]]
        plane[first:] = colours[number] if colours else corner
    done = render(bare, BT601, mesh, MouthRequest(target=target(opening, 0.5), subject=measured(bare, mesh)))
    assert np.abs(done.planes.y.astype(int) - bare.y)[row - 1 :].max() <= 1
    assert (done.mask > 0).sum() > 0.2 * pose.scale**2


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not KINDS[kind].box])
def test_behind_it_the_face_is_made_up(kind: str) -> None:
    bare, mesh = large()
    planes, own = written(bare, mesh, KINDS[kind])
    captions = found(planes, mesh)
    assert captions
    was, now = (np.abs(p.y.astype(int) - bare.y)[own].mean() for p in (planes, captions.taken_off(planes)))
    assert now < 0.6 * was


@pytest.mark.parametrize("kind", KINDS)
def test_little_but_the_writing_is_held(kind: str) -> None:
    bare, mesh = large()
    planes, own = written(bare, mesh, KINDS[kind])
    held = whole(found(planes, mesh), planes) > 0.5
    near = cv2.dilate(own.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    assert held[own].mean() > 0.97
    # What is black beside it, as the suit is, is held with black outlines; and skin as bright as letters, between them.
    assert (held & ~near & (bare.y > BLACK)).sum() < 0.4 * own.sum()


def with_banner(planes: Planes, mesh: Floats, top: float) -> tuple[Planes, npt.NDArray[np.bool_]]:
    """A lower third: a red stripe above a blue field with two lines of text, from `top` (S below the middle of the mouth) down.
    Returns its pixels as well."""
    scale = pose_of(mesh).scale
    first = round(float((mesh[61, 1] + mesh[291, 1]) / 2 + top * scale)) & ~1
    out, rgb = planes.copy(), np.zeros((*planes.y.shape, 3), np.float32)
    rgb[first:], rgb[first : first + round(0.06 * scale)] = (25, 30, 120), (200, 30, 30)
    for line, text in ((0.3, "Minister speaks live"), (0.55, "from the capital")):
        cv2.putText(rgb, text, (6, first + round(line * scale)), 0, scale / 160, WHITE, 2, cv2.LINE_AA)
    yuv = from_rgb(rgb, BT601)
    half = cv2.resize(yuv, planes.u.shape[::-1], interpolation=cv2.INTER_AREA)
    out.y[first:] = np.round(yuv[first:, :, 0])
    out.u[first // 2 :], out.v[first // 2 :] = (np.round(half[first // 2 :, :, i]) for i in (1, 2))
    own = np.zeros(planes.y.shape, np.bool_)
    own[first:] = True
    return out, own


def test_a_banner_across_the_chin_stays_while_the_mouth_opens() -> None:
    bare, mesh = large()
    subject = measured(bare, mesh)
    asked = MouthRequest(target=OPEN, subject=subject, style="photo", quality=QUALITIES["fast"])
    planes, own = with_banner(bare, mesh, 0.45)
    done = render(planes, BT601, mesh, asked)
    assert (np.abs(done.planes.y.astype(int) - planes.y)[own] > 10).mean() < 0.001
    assert (done.mask > 0).sum() > 0.1 * pose_of(mesh).scale ** 2
    planes, _ = with_banner(bare, mesh, 0.0)
    assert not render(planes, BT601, mesh, asked).mask.any(), "half of the mouth lies behind it"


def test_a_mouth_behind_letters_is_left_alone() -> None:
    bare, mesh = large()
    planes, _ = written(bare, mesh, Writing("OVER THE MOUTH", WHITE, 0.22, outlined=True, down=0.12))
    subject = measured(bare, mesh)
    done = render(planes, BT601, mesh, MouthRequest(target=OPEN, subject=subject, style="photo"))
    assert not done.mask.any()
    assert (done.planes.y == planes.y).all()


def test_a_face_with_captions_is_not_covered() -> None:
    bare, mesh = large()
    planes, _ = written(bare, mesh, KINDS["outlined"])
    assert covered_share(planes, BT601, mesh) == pytest.approx(covered_share(bare, BT601, mesh), abs=0.03)


@pytest.mark.parametrize("shape", [0.0, 0.1, 0.3])
def test_on_a_bare_face_nothing_is_written(shape: float) -> None:
    planes, mesh = large()
    assert found(planes, mesh) is None
    subject = measured(planes, mesh)
    moved = render(planes, BT601, mesh, MouthRequest(target=target(shape, 0.5), subject=subject, style="photo")).planes
    assert found(moved, mesh) is None


@pytest.mark.parametrize("kind", ["microphone", "finger", "hand"])
def test_what_is_held_before_a_face_is_not_written(kind: str) -> None:
    bare, mesh = large()
    planes, _ = cover(bare, BT601, mesh, kind, 1)
    assert found(planes, mesh) is None


def inked(planes: Planes, mesh: Floats) -> Planes:
    """The patch with lines of a pen on its chin: as dark and as high as letters, but they begin and end at several heights."""
    scale = pose_of(mesh).scale
    x, y = (mesh[61] + mesh[291])[:2] / 2
    luma = planes.y.copy()
    for k, down in enumerate((0.30, 0.36, 0.27, 0.33, 0.38, 0.29)):
        left, top = round(x + (k - 2.5) * 0.11 * scale), round(y + down * scale)
        cv2.line(luma, (left, top), (left + round(0.04 * scale), top + round(0.13 * scale)), (10,), max(2, round(0.02 * scale)))
    return Planes(luma, planes.u, planes.v)


def test_lines_that_are_drawn_on_a_face_are_no_letters() -> None:
    planes, mesh = large()
    assert found(inked(planes, mesh), mesh) is None
