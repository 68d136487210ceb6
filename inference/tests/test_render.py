"""A mouth that is moved: skimage's astronaut, and a drawn face of which every pixel is known."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.head import SMALLEST_FACE, BadMouthError, Pose, pose_of
from enhance.geometry.landmarks import LOWER_INNER, LOWER_LIP, LOWER_OUTER, UPPER_INNER, UPPER_LIP, UPPER_OUTER
from enhance.geometry.planes import Colours, Planes, any_of_four, check_planes, from_rgb, to_rgb
from enhance.picture import LUMA
from enhance.render.compose import MouthRequest, Rendered, render
from enhance.render.finish.sharpness import AROUND, MOST, blur_of, detail, softness_of
from enhance.render.inside.interior import Hole, beside_of, hole_of
from enhance.render.light import chroma
from enhance.render.lips.colours import SIDES, light_across
from enhance.render.lips.crease import shaded
from enhance.render.lips.outline import ALONG, MIDPOINT, SAMPLES, Lips, lips_of
from enhance.render.lips.shape import asked_of, laugh_of, shape_of
from enhance.render.lips.skin import pull
from enhance.render.measure import EDGE, EYES, measure
from enhance.render.patch import PATCH_DROP, PATCH_SPAN, patch_of
from enhance.render.subject import SUBJECT, Subject
from enhance.style import Style

Floats = npt.NDArray[Any]
MODELS = Path(__file__).parents[2] / "models"
# What MediaPipe's face mesh finds in skimage's astronaut.
MESH: Floats = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)
BT601 = Colours(0.299, 0.114, False)
SKIN, LIP, LINE, TEETH = (224, 172, 140), (190, 90, 90), (70, 30, 30), (226, 220, 208)
BT601_SKIN = np.round(from_rgb(np.array(SKIN, np.float32), BT601))
SIZE = 384


def target(opening: float = 0.0, width: float = 0.5, **others: float) -> Floats:
    names = ("opening", "width", "rounding", "upper", "corners", "press", "labiodental", "tongue", "jaw", "chin")
    values = {"opening": opening, "jaw": opening, "chin": 0.5, "width": width, "upper": 0.2 * opening, **others}
    return np.array([values.get(name, 0.0) for name in names], np.float32)


def planes_of(rgb: npt.NDArray[np.uint8], colours: Colours = BT601) -> Planes:
    yuv = from_rgb(rgb.astype(np.float32), colours)
    half = cv2.resize(yuv, (rgb.shape[1] // 2, rgb.shape[0] // 2), interpolation=cv2.INTER_AREA)
    y, u, v = (np.clip(p + 0.5, 0, 255).astype(np.uint8) for p in (yuv[..., 0], half[..., 1], half[..., 2]))
    return check_planes(y, u, v)


def astronaut() -> tuple[Planes, Floats]:
    """The patch a caller would cut, a little noise in it so that every moved pixel shows."""
    mesh = MESH.copy()
    scale = float(np.linalg.norm(mesh[263] - mesh[33]))
    x, y = (mesh[61] + mesh[291])[:2] / 2 + [0, PATCH_DROP * scale] - PATCH_SPAN / 2 * scale
    left, top, side = int(x) & ~1, int(y) & ~1, round(PATCH_SPAN * scale) & ~1
    picture = data.astronaut()[top : top + side, left : left + side]
    mesh[:, :2] -= [left, top]
    return planes_of(picture), mesh


def drawn(gap: float = 0.0, size: int = SIZE, moustache: bool = False, teeth: bool = False) -> tuple[Planes, Floats]:
    """A face of plain skin with lips at the mesh's lips and a dark line, or a dark hole, between them: arrays to be changed."""
    planes, mesh = drawn_once(gap, size, moustache, teeth)
    return Planes(planes.y.copy(), planes.u.copy(), planes.v.copy()), mesh.copy()


@cache
def drawn_once(gap: float, size: int, moustache: bool, teeth: bool) -> tuple[Planes, Floats]:
    """drawn(), for many tests that ask for the same one; not to be changed."""
    mesh = MESH - MESH[[61, 291]].mean(axis=0)
    scale = size / PATCH_SPAN / float(np.linalg.norm(MESH[263] - MESH[33]))
    mesh = np.asarray(mesh * scale, np.float32)
    mesh[:, :2] += [size / 2, size / 2 - PATCH_DROP * size / PATCH_SPAN]
    pose = pose_of(mesh)
    unit = pose.scale
    inner = [[78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308], [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308]]
    outer = [[61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291], [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291]]
    bow = (1 - np.linspace(-1, 1, 11) ** 2) * unit
    middle = mesh[inner[0]] * 0.5 + mesh[inner[1]] * 0.5
    for row, sign, thick in ((0, -1, 0.07), (1, 1, 0.09)):
        mesh[inner[row]] = middle
        mesh[inner[row], 1] += sign * gap / 2 * bow
        mesh[outer[row], 1] = middle[:, 1] + sign * (gap / 2 + thick) * bow
    canvas = np.empty((size, size, 3), np.uint8)
    canvas[:] = SKIN
    fill(canvas, [*mesh[outer[0]], *mesh[outer[1]][::-1]], LIP)
    if gap:
        fill(canvas, [*mesh[inner[0]], *mesh[inner[1]][::-1]], LINE)
        if teeth:
            edge = [point + np.array([0, 0.6 * gap * b, 0]) for point, b in zip(mesh[inner[0]], bow, strict=True)]
            fill(canvas, [*mesh[inner[0]], *edge[::-1]], TEETH)
    else:
        cv2.polylines(canvas, [np.round(middle[:, :2]).astype(np.int32)], False, LINE, max(1, round(0.012 * unit)), cv2.LINE_AA)
    if moustache:
        top = mesh[[61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291]]
        fill(canvas, [*top, *(top - [0, 0.1 * unit, 0])[::-1]], (40, 30, 25))
    noise = np.random.default_rng(1).normal(0, 2, (size, size, 1))
    return planes_of(np.clip(canvas + noise, 0, 255).astype(np.uint8)), mesh


def fill(canvas: npt.NDArray[np.uint8], points: list[Floats], colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(canvas, [np.round(np.array(points)[:, :2]).astype(np.int32)], colour, cv2.LINE_AA)


def done(planes: Planes, mesh: Floats, asked: Floats, style: Style = "photo", subject: Floats | None = None) -> Rendered:
    person = measured(planes, mesh) if subject is None else subject
    return render(planes, BT601, mesh, MouthRequest(target=asked, subject=person, style=style))


MEASURED: dict[bytes, Floats] = {}


def measured(planes: Planes, mesh: Floats) -> Floats:
    """SUBJECT of a picture; many tests ask for that of the same one, which is measured once."""
    parts = (planes.y, planes.u, planes.v, mesh)
    key = sha256(b"".join(repr(part.shape).encode() + part.tobytes() for part in parts)).digest()
    if key not in MEASURED:
        MEASURED[key] = measure(planes, BT601, mesh)
    return MEASURED[key].copy()


def own_width(mesh: Floats) -> float:
    return float(np.linalg.norm(mesh[61] - mesh[291]) / np.linalg.norm(mesh[33] - mesh[263]))


def hole_height(rendered: Rendered, mesh: Floats) -> float:
    """Height in S of what is darker than lip and skin on the line through the middle of the mouth."""
    pose: Pose = pose_of(mesh)
    x = round(float(mesh[[13, 14], 0].mean()))
    reach = round(0.4 * pose.scale)
    y = round(float(mesh[[13, 14], 1].mean()))
    column = cv2.GaussianBlur(rendered.planes.y, (3, 1), 0)[y - reach : y + reach, x].astype(float)
    return float((column < 85).sum() / pose.scale)


FACES: dict[str, Callable[[], tuple[Planes, Floats]]] = {
    "astronaut": astronaut,
    "drawn, closed": drawn,
    "drawn, open": lambda: drawn(0.12),
}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("opening", [0.0, 0.05, 0.2])
def test_outside_the_mask_every_sample_is_as_it_was(face: str, opening: float) -> None:
    planes, mesh = FACES[face]()
    out = done(planes, mesh, target(opening, own_width(mesh)))
    same = out.mask == 0
    assert same.mean() > 0.1
    np.testing.assert_array_equal(out.planes.y[same], planes.y[same])
    still = ~any_of_four(~same)
    np.testing.assert_array_equal(out.planes.u[still], planes.u[still])
    np.testing.assert_array_equal(out.planes.v[still], planes.v[still])


@pytest.mark.parametrize("face", FACES)
def test_the_mask_is_empty_above_the_nose_and_at_the_border(face: str) -> None:
    planes, mesh = FACES[face]()
    out = done(planes, mesh, target(0.2, own_width(mesh)))
    border = np.concatenate([out.mask[0], out.mask[-1], out.mask[:, 0], out.mask[:, -1]])
    assert not border.any()
    pose = pose_of(mesh)
    highest = pose.plane_of(planes.area)[out.mask > 0, 1].min()
    assert highest > pose.to_plane(pose.to_head(mesh.astype(float)))[2, 1] - 0.18


def test_a_wider_opening_shows_a_higher_hole() -> None:
    planes, mesh = drawn()
    heights = [
        hole_height(done(planes, mesh, target(g, own_width(mesh)), style="flat"), mesh) for g in (0.04, 0.08, 0.14, 0.20, 0.26)
    ]
    assert all(b > a for a, b in pairwise(heights)), heights


def test_an_open_mouth_is_shut() -> None:
    planes, mesh = drawn(0.14)
    before = hole_height(Rendered(planes, planes.y), mesh)
    after = hole_height(done(planes, mesh, target(0.0, own_width(mesh))), mesh)
    assert before > 0.10
    assert after < 0.03


def test_the_line_between_lips_that_shut_is_soft_and_red() -> None:
    planes, mesh = drawn(0.14, size=800)
    after = done(planes, mesh, target(0.0, own_width(mesh))).planes
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    reach = round(0.12 * unit)
    column = after.y[y - reach : y + reach, x - 4 : x + 4].mean(axis=1)
    lip = from_rgb(np.array(LIP, np.float32), BT601)
    darkest = int(column.argmin())
    half = (column < (float(column[darkest]) + lip[0]) / 2).sum() / unit
    assert 0.018 < half < 0.032, half
    line = (y - reach + darkest) // 2, x // 2
    assert (after.v[line] - 128) / column[darkest] > 1.1 * (lip[2] - 128) / lip[0]


def test_the_line_between_lips_that_shut_gets_fainter_towards_their_corners() -> None:
    """People's has .63 of the light of their lips in the middle, and .74 half way to the corners."""
    planes, mesh = drawn(0.14, size=800)
    after = done(planes, mesh, target(0.0, own_width(mesh))).planes
    reach = round(0.10 * pose_of(mesh).scale)

    def line(share: float) -> float:
        x, y = np.round(mesh[[13, 14], :2].mean(axis=0) * (1 - share) + share * mesh[291, :2]).astype(int)
        column = after.y[y - reach : y + reach, x - 4 : x + 4].mean(axis=1)
        return float(column.min()) / float(from_rgb(np.array(LIP, np.float32), BT601)[0])

    assert line(0.5) > line(0.0) + 0.06


def lit_from_the_left(planes: Planes, mesh: Floats) -> None:
    lit = np.interp(np.arange(planes.y.shape[1]), mesh[[61, 291], 0], [1.25, 0.75])
    planes.y[...] = np.clip(16 + (planes.y - 16.0) * lit, 0, 255).astype(np.uint8)


def test_at_the_corners_the_line_between_lips_that_shut_is_no_redder_than_lips_and_in_the_light_of_its_side() -> None:
    planes, mesh = drawn(0.14, size=800)
    lip = from_rgb(np.array(LIP, np.float32), BT601)
    lit_from_the_left(planes, mesh)
    after = done(planes, mesh, target(0.0, own_width(mesh))).planes
    reach = round(0.10 * pose_of(mesh).scale)

    def line(corner: int) -> tuple[float, float]:
        """Luma, and V, over those of lips in the middle's light."""
        x, y = np.round(mesh[[13, 14], :2].mean(axis=0) * 0.2 + 0.8 * mesh[corner, :2]).astype(int)
        column = after.y[y - reach : y + reach, x - 4 : x + 4].mean(axis=1)
        v = after.v[(y - reach + int(column.argmin())) // 2, x // 2 - 2 : x // 2 + 2].mean()
        return (float(column.min()) - 16) / (lip[0] - 16), (float(v) - 128) / (lip[2] - 128)

    (light, red_left), (dark, red_right) = line(61), line(291)
    assert light > 1.25 * dark, (light, dark)
    assert max(red_left, red_right) < 1.1, (red_left, red_right)


def redness_of(planes: Planes, hole: Hole, where: npt.NDArray[np.bool_]) -> float:
    """V over grey, of luma over black, at some pixels of a hole; the lips' own is 1."""
    v = cv2.resize(planes.v, planes.y.shape[::-1], interpolation=cv2.INTER_NEAREST)[hole.area.slices][where].astype(float)
    lip = from_rgb(np.array(LIP, np.float32), BT601)
    return float((v.mean() - 128) / (planes.y[hole.area.slices][where].mean() - 16) * (lip[0] - 16) / (lip[2] - 128))


def beside_opening(planes: Planes, mesh: Floats, opening: float) -> tuple[Hole, npt.NDArray[np.bool_]]:
    """A mouth that is asked for, and where its lips lie on each other."""
    patch = patch_of(planes, BT601, mesh)
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    asked = asked_of(shape_of(target(opening, own_width(mesh)), rest), rest, lips_of(patch.head, patch.pose, planes))
    hole = hole_of(asked, patch.pose, planes.area)
    assert hole
    apart = hole.bottom - hole.top
    beside = (0.25 * asked.gap < apart) & (apart < 0.6 * asked.gap) & (hole.opacity > 0.6)
    assert beside.any()
    return hole, beside


@pytest.mark.parametrize(("opening", "least", "most"), [(0.05, 0.63, 0.80), (0.08, 0.65, 0.80), (0.20, 0.35, 0.63)])
def test_beside_a_little_opening_lips_lie_on_each_other(opening: float, least: float, most: float) -> None:
    """People whose lips are .05 to .08 S apart have .73 of the lips' light there, where wider open mouths have .55."""
    planes, mesh = drawn(size=800)
    after = done(planes, mesh, target(opening, own_width(mesh))).planes
    hole, beside = beside_opening(planes, mesh, opening)
    lip = float(from_rgb(np.array(LIP, np.float32), BT601)[0])
    assert least < (after.y[hole.area.slices][beside].mean() - 16) / (lip - 16) < most
    assert redness_of(after, hole, beside & (hole.y > 0.3 * hole.top + 0.7 * hole.bottom)) < 1.25


def test_beside_a_little_opening_lips_are_in_the_light_of_their_side_of_the_face() -> None:
    planes, mesh = drawn(size=800)
    lit_from_the_left(planes, mesh)
    after = done(planes, mesh, target(0.08, own_width(mesh))).planes
    hole, beside = beside_opening(planes, mesh, 0.08)
    left, right = (after.y[hole.area.slices][beside & (side * hole.across > 0)].mean() - 16 for side in (-1, 1))
    assert left > 1.25 * right, (left, right)


def test_the_chin_falls_with_the_jaw_however_far_the_lips_are_apart() -> None:
    planes, mesh = drawn(size=800)
    patch = patch_of(planes, BT601, mesh)
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    own = lips_of(patch.head, patch.pose, planes)
    calm, open_jaw, shut = (
        asked_of(shape_of(target(opening, rest.width, jaw=jaw), rest), rest, own)
        for opening, jaw in ((0.15, 0.05), (0.15, 0.15), (0.0, 0.05))
    )
    assert calm.gap == pytest.approx(open_jaw.gap)
    assert calm.drop == shut.drop
    assert open_jaw.drop - calm.drop == pytest.approx(0.05, abs=0.005)
    still = asked_of(shape_of(target(0.15, rest.width, jaw=0.15, chin=0.0), rest), rest, own)
    assert still.gap == pytest.approx(open_jaw.gap)
    assert still.drop == 0


def test_in_a_laugh_lips_are_apart_up_to_the_corners() -> None:
    planes, mesh = drawn(size=800)
    patch = patch_of(planes, BT601, mesh)
    rest = SUBJECT.unpack(measured(planes, mesh)).rest

    def beside(wider: float) -> float:
        shape = shape_of(target(0.08, wider * rest.width), rest)
        asked = asked_of(shape, rest, lips_of(patch.head, patch.pose, planes))
        hole = hole_of(asked, patch.pose, planes.area)
        assert hole
        return float(beside_of(hole, asked, rest.width).max())

    assert beside(1.0) > 0.9
    assert 0.1 < beside(1.28) < 0.9
    assert beside(1.4) == 0


def test_a_wide_mouth_is_open_farther_towards_its_corners_than_a_narrow_one_unless_both_are_wide_open() -> None:
    """Of the middle's opening, people's lips are .28 apart at .8 of the way where the mouth is .8 as wide as at rest, and .48
    at 1.2 (docs/decisions/0122)."""
    planes, mesh = drawn(size=800)
    patch = patch_of(planes, BT601, mesh)
    own, rest = lips_of(patch.head, patch.pose, planes), SUBJECT.unpack(measured(planes, mesh)).rest

    def beside(opening: float, wider: float) -> float:
        asked = asked_of(shape_of(target(opening, wider * rest.width), rest), rest, own)
        apart = (asked.lower_inner - asked.upper_inner)[:, 1]
        across = asked.upper_inner[:, 0] - asked.upper_inner[SAMPLES // 2, 0]
        return float(np.interp(0.8 * across[-1], across, apart)) / asked.gap

    assert beside(0.08, 0.8) == pytest.approx(0.28, abs=0.08)
    assert beside(0.08, 1.2) == pytest.approx(0.48, abs=0.08)
    assert beside(0.30, 1.2) - beside(0.30, 0.8) < 0.5 * (beside(0.08, 1.2) - beside(0.08, 0.8))


def test_the_shade_between_shut_lips_does_not_edge_the_lower_one_as_they_part() -> None:
    planes, mesh = drawn(size=800)
    pose = pose_of(mesh)
    plane = pose.plane_of(planes.area)
    line = pose.to_plane(pose.to_head(mesh.astype(np.float64))[[13, 14]]).mean(axis=0)[1]
    shade = 1 - 0.3 * np.exp(-(((plane[..., 1] - line) / 0.025) ** 2))
    planes.y[...] = np.round(planes.y * shade).astype(np.uint8)
    subject, wanted = measured(planes, mesh), target(0.12, own_width(mesh))
    rendered = done(planes, mesh, wanted, subject=subject)
    rest = SUBJECT.unpack(subject).rest
    asked = asked_of(shape_of(wanted, rest), rest, lips_of(pose.to_head(mesh.astype(np.float64)), pose, planes))
    x, edge = pose.to_pixels(pose.to_plane(asked.lower_inner[[SAMPLES // 2]]))[0]
    down = np.round(edge + np.array([0.012, 0.045]) * pose.scale).astype(int)
    beside, inside = (float(rendered.planes.y[y, round(x) - 20 : round(x) + 20].mean()) for y in down)
    assert beside > 0.9 * inside, (beside, inside)


def test_a_lip_that_is_drawn_down_leaves_the_shadow_at_the_nose() -> None:
    shut, mesh = drawn()
    subject = measured(shut, mesh)
    planes, mesh = drawn(gap=0.18)
    unit = pose_of(mesh).scale
    x, top = np.round(mesh[2, :2]).astype(int)
    bottom = top + round(0.04 * unit)
    planes.y[top:bottom, x - 20 : x + 20] = 60
    out = done(planes, mesh, target(0.0, own_width(mesh)), subject=subject)
    lip = round(float(mesh[0, 1]))
    assert out.mask[lip, x] == 255, "the lip moves"
    ends = [top + int(np.flatnonzero(p.y[top:lip, x] < 120)[-1]) + 1 for p in (planes, out.planes)]
    assert ends[0] == bottom
    assert abs(ends[1] - ends[0]) <= 0.015 * unit, ends


def test_the_shade_in_the_corners_of_an_open_mouth_is_no_dark_hook_when_it_shuts() -> None:
    planes_shut, mesh_shut = drawn()
    planes, mesh = drawn(gap=0.25)
    unit = pose_of(mesh).scale
    for corner in (61, 291):
        cv2.circle(planes.y, np.round(mesh[corner, :2]).astype(int).tolist(), round(0.03 * unit), (50,), -1, cv2.LINE_AA)
    rendered = done(planes, mesh, target(0.0, own_width(mesh)), subject=measured(planes_shut, mesh_shut))
    lip = float(from_rgb(np.array(LIP, np.float32), BT601)[0])
    for corner in (61, 291):
        x, y = np.round(mesh[corner, :2]).astype(int)
        reach = round(0.07 * unit)
        assert rendered.planes.y[y - reach : y + reach, x - reach : x + reach].min() > 0.6 * lip


def test_the_beard_beside_the_corners_of_a_mouth_that_shuts_is_not_lit() -> None:
    planes, mesh = drawn(gap=0.25)
    reach = round(0.05 * pose_of(mesh).scale)
    for corner, way in ((61, -1), (291, 1)):
        x, y = np.round(mesh[corner, :2]).astype(int)
        planes.y[y - 3 * reach : y + 3 * reach, slice(*sorted((x, x + way * 4 * reach)))] = 40
    rendered = done(planes, mesh, target(0.0, own_width(mesh)), style="flat")
    assert rendered.planes.y[y - reach // 2 : y + reach // 2, x + reach // 2 : x + 2 * reach].max() < 60


def test_corners_of_an_open_mouth_are_lit_where_it_opens_less_and_stay_dark_where_it_stays_as_open() -> None:
    (shut, mesh_shut), (planes, mesh) = drawn(), drawn(gap=0.25)
    reach = round(0.05 * pose_of(mesh).scale)
    corners = np.round(mesh[[61, 291], :2]).astype(int)
    for corner in corners:
        cv2.circle(planes.y, corner.tolist(), round(0.03 * pose_of(mesh).scale), (50,), -1, cv2.LINE_AA)

    def dark(opening: float) -> float:
        made = done(planes, mesh, target(opening, own_width(mesh)), subject=measured(shut, mesh_shut)).planes
        return max(float(np.percentile(made.y[y - reach : y + reach, x - reach : x + reach], 10)) for x, y in corners)

    assert dark(0.25) < dark(0.10) - 15


@pytest.mark.parametrize(("opening", "width"), [(0.1, 1.0), (0.15, 0.85)])
def test_beside_lips_that_part_the_shade_of_the_corners_of_a_wider_mouth_is_no_dark_hook(opening: float, width: float) -> None:
    planes_shut, mesh_shut = drawn()
    planes, mesh = drawn(gap=0.25)
    pose = pose_of(mesh)
    for corner in (61, 291):
        cv2.circle(planes.y, np.round(mesh[corner, :2]).astype(int).tolist(), round(0.03 * pose.scale), (50,), -1, cv2.LINE_AA)
    subject, wanted = measured(planes_shut, mesh_shut), target(opening, width * own_width(mesh))
    rendered = done(planes, mesh, wanted, subject=subject)
    rest = SUBJECT.unpack(subject).rest
    asked = asked_of(shape_of(wanted, rest), rest, lips_of(pose.to_head(mesh.astype(np.float64)), pose, planes))
    lip, reach = float(from_rgb(np.array(LIP, np.float32), BT601)[0]), round(0.05 * pose.scale)
    hole = hole_of(asked, pose, planes.area)
    assert hole is not None
    bare = np.ones(planes.y.shape, bool)
    bare[hole.area.slices] = hole.opacity == 0
    for x, y in np.round(pose.to_pixels(pose.to_plane(asked.upper_outer[[0, -1]]))).astype(int):
        near = np.s_[y - reach : y + reach, x - reach : x + reach]
        assert rendered.planes.y[near][bare[near]].min() > 0.6 * lip


def test_lips_that_shut_for_a_p_are_as_thick_as_at_rest() -> None:
    planes, mesh = drawn()
    pose, rest = pose_of(mesh), SUBJECT.unpack(measured(planes, mesh)).rest
    own = lips_of(pose.to_head(mesh.astype(np.float64)), pose, planes)
    pressed, resting = (asked_of(shape_of(target(0.0, rest.width, press=press), rest), rest, own) for press in (1.0, 0.0))
    for lip in ("upper", "lower"):
        edges = [(getattr(asked, f"{lip}_outer"), getattr(asked, f"{lip}_inner")) for asked in (resting, pressed)]
        there, here = (np.abs(outer - inner)[SAMPLES // 2, 1] for outer, inner in edges)
        assert here == pytest.approx(there, rel=0.03)


def test_pressed_lips_touch_whatever_the_opening_asked_for() -> None:
    planes, mesh = drawn()
    pressed = done(planes, mesh, target(0.2, own_width(mesh), press=1.0))
    assert hole_height(pressed, mesh) < 0.03


def test_the_chin_follows_an_opening_mouth() -> None:
    planes, mesh = drawn()
    moving = done(planes, mesh, target(0.2, own_width(mesh))).mask > 0
    x, y = np.round(mesh[152, :2]).astype(int)
    assert moving[y, x]


def test_the_same_request_gives_the_same_pixels() -> None:
    planes, mesh = astronaut()
    first, second = (done(planes, mesh, target(0.1, own_width(mesh))) for _ in range(2))
    for a, b in ((first.planes.y, second.planes.y), (first.planes.u, second.planes.u), (first.mask, second.mask)):
        np.testing.assert_array_equal(a, b)


def test_a_small_step_of_the_target_is_a_small_step_of_the_picture() -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    frames = [
        done(planes, mesh, target(g, own_width(mesh)), subject=subject).planes.y.astype(float) for g in np.linspace(0, 0.25, 51)
    ]
    steps = np.array([np.abs(b - a).mean() for a, b in pairwise(frames)])
    assert steps.max() < 3 * np.median(steps)


def test_a_head_turned_far_is_left_alone() -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    centre = mesh.mean(axis=0)
    shares = []
    for degrees in (0, 30, 40, 70):
        turn = cv2.Rodrigues(np.array([0, np.radians(degrees), 0]))[0]
        turned = np.asarray((mesh - centre) @ turn.T + centre, np.float32)
        shares.append((done(planes, turned, target(0.1, own_width(mesh)), subject=subject).mask == 255).mean())
    assert shares[0] > 0
    assert shares[-1] == 0


def test_a_mouth_off_the_patch_leaves_it_alone() -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    off = mesh + np.array([0, planes.y.shape[0], 0], np.float32)
    out = done(planes, off, target(0.2, own_width(mesh)), subject=subject)
    assert not out.mask.any()
    np.testing.assert_array_equal(out.planes.y, planes.y)


def test_a_hand_over_the_mouth_leaves_the_frame_alone() -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    covered = planes.copy()
    reach = round(0.35 * pose_of(mesh).scale)
    covered.y[y - reach : y + reach, x - reach : x + reach] = 30
    covered.u[(y - reach) // 2 : (y + reach) // 2, (x - reach) // 2 : (x + reach) // 2] = 128
    covered.v[(y - reach) // 2 : (y + reach) // 2, (x - reach) // 2 : (x + reach) // 2] = 128
    assert not done(covered, mesh, target(0.2, own_width(mesh)), subject=subject).mask.any()


def test_skin_held_over_the_mouth_leaves_the_frame_alone() -> None:
    planes, mesh = drawn()
    subject = measured(planes, mesh)
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    reach = round(0.35 * pose_of(mesh).scale) & ~1
    covered = planes.copy()
    hand = np.s_[y - reach : y + reach, x - reach : x + reach]
    half = np.s_[(y - reach) // 2 : (y + reach) // 2, (x - reach) // 2 : (x + reach) // 2]
    for plane, part, colour in zip((covered.y, covered.u, covered.v), (hand, half, half), BT601_SKIN, strict=True):
        plane[part] = colour
    asked = target(0.2, own_width(mesh))
    assert not done(covered, mesh, asked, subject=subject).mask.any()
    assert done(planes, mesh, asked, subject=subject).mask.any()


def test_a_mouth_moves_on_where_its_lips_are_burnt_out_like_the_skin() -> None:
    """In light that gets brighter; lips that look like skin in usual light are under a hand."""
    planes, mesh = drawn(0.06)

    def lit(gain: float) -> Planes:
        y = np.minimum(16 + gain * (planes.y.astype(float) - 16), 235)
        return Planes(
            y.astype(np.uint8), *(np.asarray(128 + 0.35 * (p.astype(float) - 128), np.uint8) for p in (planes.u, planes.v))
        )

    subject = measured(lit(1.3), mesh)
    usual, brighter = (hole_height(done(lit(g), mesh, target(0.2, own_width(mesh)), subject=subject), mesh) for g in (1.3, 2.2))
    assert brighter > 0.8 * usual > 0


def test_a_moustache_limits_the_opening() -> None:
    bare, haired = (measured(planes, mesh) for planes, mesh in (drawn(), drawn(moustache=True)))
    shaved, grown = (shape_of(target(0.3), SUBJECT.unpack(subject).rest).opening for subject in (bare, haired))
    assert grown < 0.85 * shaved


def test_shut_lips_neither_frown_nor_sneer() -> None:
    planes, mesh = drawn()
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    usual, hung = (shape_of(target(0.0, corners=c, upper=-c), rest) for c in (-0.01, -0.15))
    assert usual.corners == pytest.approx(-0.01, abs=0.001)
    assert usual.upper == pytest.approx(0.01, abs=0.001)
    assert hung.corners > -0.04
    assert hung.upper < 0.04
    assert shape_of(target(0.2, corners=-0.15), rest).corners < hung.corners


def test_the_corners_of_an_open_mouth_are_where_its_dark_ends() -> None:
    planes, mesh = drawn(0.12)
    patch = patch_of(planes, BT601, mesh)
    scale, mouth = patch.pose.scale, mesh[[61, 291]]
    as_the_mesh_has_it = lips_of(patch.head, patch.pose, planes).upper_outer
    left, right = (mouth[:, 0] + np.array([-0.025, 0.025]) * scale).round().astype(int)
    for x, y in zip((slice(left, round(mesh[78, 0])), slice(round(mesh[308, 0]), right)), mouth[:, 1], strict=True):
        planes.y[round(y - 0.02 * scale) : round(y + 0.02 * scale), x] = planes.y.min()
    found = lips_of(patch.head, patch.pose, planes).upper_outer
    at = patch.pose.to_pixels(patch.pose.to_plane(np.stack([as_the_mesh_has_it, found]).reshape(-1, 3))).reshape(2, SAMPLES, 2)
    np.testing.assert_allclose(at[0, [0, -1], 0], mouth[:, 0], atol=0.006 * scale)
    np.testing.assert_allclose(at[1, [0, -1], 0], [left, right], atol=0.015 * scale)
    np.testing.assert_allclose(at[1, SAMPLES // 2], at[0, SAMPLES // 2], atol=0.01 * scale)


def test_lips_that_shut_in_a_laugh_stay_near_it_and_wide() -> None:
    planes, mesh = drawn()
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    patch = patch_of(planes, BT601, mesh)
    calm = lips_of(patch.head, patch.pose, planes)
    wider = np.array([1.3, 1, 1])

    def opened(lifted: Floats) -> Lips:
        """Lips far apart: the upper one higher by `lifted`, SAMPLES, in S."""
        up = np.outer(lifted, [0, -1, 0])
        upper_inner, upper_outer = calm.upper_inner * wider + up, calm.upper_outer * wider + up
        lower_inner, lower_outer = calm.lower_inner * wider, calm.lower_outer * wider
        return Lips(upper_inner, lower_inner, upper_outer, lower_outer, 0.15, 1.3 * calm.width, 0.0)

    # A shout is as wide, but its corners stay down; those of a laugh go down with the jaw, but less.
    laugh, shout = opened(np.full(SAMPLES, 0.15)), opened(0.15 * (1 - ALONG**2) - 0.05)
    with_jaw = opened(0.15 * (1 - ALONG**2) + 0.02)
    narrow = shape_of(target(0.0, width=0.8 * rest.width), rest)
    for own, wide, lowered, laughs in (
        (calm, 0.8, 0.03, 0.0),
        (laugh, 0.95 * 1.3, 0.035, 1.0),
        (with_jaw, 0.95 * 1.3, 0.035, 1.0),
        (shout, 0.8, 0.066, 0.0),
    ):
        asked = asked_of(narrow, rest, own).upper_outer
        assert laugh_of(rest, own) == pytest.approx(laughs)
        assert np.ptp(asked[:, 0]) / np.ptp(calm.upper_outer[:, 0]) == pytest.approx(wide, abs=0.03)
        assert (asked - own.upper_outer)[SAMPLES // 2, 1] < lowered


def test_the_shade_of_shut_lips_is_measured_and_left_out_where_they_open() -> None:
    planes, mesh = drawn()
    patch = patch_of(planes, BT601, mesh)
    own, scale = lips_of(patch.head, patch.pose, planes), patch.pose.scale
    middle = SAMPLES // 2
    x, y = patch.pose.to_pixels(patch.pose.to_plane(own.lower_inner[middle : middle + 1]))[0]
    assert own.closed == 1
    wide = slice(round(x - 0.2 * scale), round(x + 0.2 * scale))
    planes.y[round(y - 0.04 * scale) : round(y + 0.06 * scale), wide] = 120
    assert shaded(planes.y, patch.pose, own, BT601.black)[middle] == pytest.approx(0, abs=0.001)
    for pixels in (1, 3):
        planes.y[round(y) - 1 : round(y) + pixels, wide] = 30
        after = shaded(planes.y, patch.pose, own, BT601.black)
        # To the end of that dark, with its soft edge.
        ends = (round(y) + pixels - 0.5 - y) / scale
        assert ends < after[middle] < ends + 2 / scale
    assert not shaded(planes.y, patch.pose, replace(own, closed=0.0), BT601.black).any()

    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    asked = asked_of(shape_of(target(0.14), rest), rest, own)
    with_it, without = (pull(patch.head, own, asked, patch.pose, shade) for shade in (after, np.zeros(SAMPLES)))
    begins = 2 * SAMPLES + middle - 1
    assert (with_it.source - without.source)[begins, 1] == pytest.approx(after[middle] - 0.009, abs=0.001)


@pytest.mark.parametrize("pitch", [-25.0, 25.0])
def test_the_edges_of_a_lip_do_not_cross_on_a_head_that_nods(pitch: float) -> None:
    planes, mesh = drawn()
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    patch = patch_of(planes, BT601, mesh)
    calm = lips_of(patch.head, patch.pose, planes)
    # Lips that are pulled thick, their inner edges behind the outer ones up to the corners.
    behind = np.outer(1 - ALONG**6, [0, 0.03, 0.06])
    own = replace(calm, upper_inner=calm.upper_inner + behind, lower_inner=calm.lower_inner + behind, gap=0.1, closed=0.0)
    asked = asked_of(shape_of(target(0.0, width=rest.width), rest), rest, own)
    nod = np.array([[1, 0, 0], [0, np.cos(np.radians(pitch)), np.sin(np.radians(pitch))]])
    upper, top, lower, bottom = (
        line @ nod.T for line in (asked.upper_inner, asked.upper_outer, asked.lower_inner, asked.lower_outer)
    )
    for over, under in ((top, upper), (lower, bottom)):
        within = (over[:, 0] > under[0, 0]) & (over[:, 0] < under[-1, 0])
        assert (np.interp(over[:, 0], *under.T) - over[:, 1])[within].min() > -0.002


@pytest.mark.parametrize("opening", [0.05, 0.12, 0.25])
def test_a_mouth_narrows_towards_its_corners_as_peoples_do(opening: float) -> None:
    planes, mesh = drawn()
    rest = SUBJECT.unpack(measured(planes, mesh)).rest
    patch = patch_of(planes, BT601, mesh)
    own = lips_of(patch.head, patch.pose, planes)
    asked = asked_of(shape_of(target(opening, width=rest.width), rest), rest, own)
    parted = (asked.lower_inner - asked.upper_inner)[:, 1]
    left, right = asked.upper_outer[[0, -1], 0]
    to_corner = np.abs(2 * (asked.upper_inner[:, 0] - left) / (right - left) - 1)
    # Of the middle, in people who speak, by the mesh and by the pixels.
    for share, least, most in ((0.65, 0.50, 0.68), (0.75, 0.30, 0.51), (0.85, 0.09, 0.31), (0.96, 0.0, 0.06)):
        seen = np.interp(share, to_corner[SAMPLES // 2 :], parted[SAMPLES // 2 :]) / parted.max()
        assert least <= seen <= most, share
    # Of the middle too, but of the outer edges: a lower lip that moved as its inner edge does would be pointed.
    shut = asked_of(shape_of(target(0.0, width=rest.width), rest), rest, own)
    for edge, before, least, most in (
        (asked.upper_outer, shut.upper_outer, 0.63, 0.90),
        (asked.lower_outer, shut.lower_outer, 0.55, 0.73),
    ):
        moved = (edge - before)[SAMPLES // 2 :, 1]
        way = (2 * (edge[:, 0] - left) / (right - left) - 1)[SAMPLES // 2 :]
        assert least <= np.interp(0.75, way, moved) / moved[0] <= most


@pytest.mark.parametrize("size", [64, 101, 255])
def test_patches_of_any_size_are_rendered(size: int) -> None:
    planes, mesh = drawn()
    scale = size / SIZE
    y = cv2.resize(planes.y, (size, size), interpolation=cv2.INTER_AREA)
    half = -(-size // 2)
    u, v = (cv2.resize(p, (half, half), interpolation=cv2.INTER_AREA) for p in (planes.u, planes.v))
    small = check_planes(y, u, v)
    out = done(small, np.asarray(mesh * scale, np.float32), target(0.15, own_width(mesh)))
    assert out.planes.y.shape == out.mask.shape == (size, size)
    assert out.mask.any()


def test_a_patch_cut_off_by_the_picture_is_rendered_to_its_edge() -> None:
    planes, mesh = drawn()
    rows = int(mesh[152, 1]) // 2 * 2
    cut = check_planes(planes.y[:rows], planes.u[: rows // 2], planes.v[: rows // 2])
    assert done(cut, mesh, target(0.2, own_width(mesh))).mask[-1].any()


def test_lips_at_the_border_of_the_picture_are_left_alone() -> None:
    """Of lips that it cuts off, the mesh sees the rest within it."""
    planes, mesh = drawn()
    shares = []
    for beyond in (0.1, 0.0):
        rows = int(mesh[17, 1] + beyond * np.linalg.norm(mesh[33] - mesh[263])) // 2 * 2
        cut = check_planes(planes.y[:rows], planes.u[: rows // 2], planes.v[: rows // 2])
        shares.append(done(cut, mesh, target(0.2, own_width(mesh))).mask.mean())
    assert shares[0] > 0
    assert shares[1] == 0


@pytest.mark.parametrize("degrees", [50, 70, 85, 88, 90, 95])
def test_a_head_turned_far_away_is_left_alone(degrees: float) -> None:
    planes, mesh = drawn()
    subject = measured(planes, mesh)
    middle = mesh.mean(axis=0)
    x, _, z = (mesh - middle).T
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turned = mesh.copy()
    turned[:, 0], turned[:, 2] = middle[0] + cosine * x + sine * z, middle[2] + cosine * z - sine * x
    out = done(planes, turned, target(0.2, own_width(mesh)), subject=subject)
    assert not out.mask.any()
    assert (out.planes.y == planes.y).all()


@pytest.mark.parametrize("colours", [BT601, Colours(0.2126, 0.0722, False), Colours(0.2126, 0.0722, True)])
def test_teeth_have_their_colour_in_every_matrix(colours: Colours) -> None:
    """Pale, and hardly coloured."""
    flat = np.empty((64, 64, 3), np.float32)
    flat[:] = (220, 210, 200)
    y, u, v = from_rgb(flat, colours)[0, 0]
    assert 150 < y < 230
    assert abs(u - 128) < 10 > abs(v - 128)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mesh": np.zeros((468, 3), np.float32)}, r"MESH \[478, 3\], got \[468, 3\]"),
        ({"mesh": np.full((478, 3), np.nan, np.float32)}, "MESH of finite numbers"),
        ({"mesh": np.zeros((478, 3), np.float32)}, "at least 8 pixels"),
        ({"asked": np.zeros(7, np.float32)}, r"TARGET \[10\]"),
        ({"asked": np.full(10, np.inf, np.float32)}, r"TARGET \[10\] of finite"),
        ({"subject": np.zeros(3, np.float32)}, r"SUBJECT \[13779\], got \[3\]"),
        ({"subject": np.zeros(SUBJECT.size, np.float32)}, "SUBJECT as this release answers it, marked .* got the mark 0"),
    ],
)
def test_bad_requests_are_told_what_was_expected(change: dict[str, Any], said: str) -> None:
    planes, mesh = drawn()
    good = {"planes": planes, "mesh": mesh, "asked": target(), "subject": measured(planes, mesh)}
    with pytest.raises(ValueError, match=said):
        done(**{**good, **change})


def test_planes_must_fit_each_other() -> None:
    y, half = np.zeros((9, 8), np.uint8), np.zeros((4, 4), np.uint8)
    with pytest.raises(BadMouthError, match=r"expected U \[5, 4\] beside Y \[9, 8\], got \[4, 4\]"):
        check_planes(y, half, half)


def test_pale_lips_get_the_subjects_colour() -> None:
    planes, mesh = drawn(0.06)
    subject = measured(planes, mesh)
    pale = planes.copy()
    x, y = np.round((mesh[14, :2] + mesh[17, :2]) / 2).astype(int)
    lip = np.s_[y - 4 : y + 5, x - 20 : x + 21]
    half = np.s_[y // 2 - 2 : y // 2 + 3, x // 2 - 10 : x // 2 + 11]
    usual, red = planes.y[lip].mean(), planes.v[half].mean()
    # The lips alone: the skin round them tells their light.
    lips = np.zeros((SIZE, SIZE, 1), np.uint8)
    fill(lips, [*mesh[list(UPPER_OUTER)], *mesh[list(LOWER_OUTER)][::-1]], (1, 1, 1))
    pale.y[lips[..., 0] > 0] += 25
    pale.v[lips[::2, ::2, 0] > 0] -= 12
    out = done(pale, mesh, target(0.06, own_width(mesh)), subject=subject).planes
    assert abs(out.y[lip].mean() - usual) < 8
    assert abs(out.v[half].mean() - red) < 4


def test_teeth_taken_for_lip_are_painted_over() -> None:
    planes, mesh = drawn(0.06)
    subject = measured(planes, mesh)
    x, y = np.round(mesh[14, :2] * 0.6 + mesh[17, :2] * 0.4).astype(int)
    planes.y[y - 2 : y + 3, x - 6 : x + 7] = 210
    out = done(planes, mesh, target(0.06, own_width(mesh)), subject=subject).planes
    assert out.y[y, x - 6 : x + 7].max() < 160


def dimmed(planes: Planes, light: float = 0.25) -> Planes:
    """In so much of their light."""
    y, u, v = (
        np.asarray(rest + (plane.astype(float) - rest) * light + 0.5, np.uint8)
        for plane, rest in ((planes.y, 16), (planes.u, 128), (planes.v, 128))
    )
    return Planes(y, u, v)


@pytest.mark.parametrize(("reference", "frame"), [(0.25, 1.0), (1.0, 0.25)])
def test_lips_keep_their_colour_in_a_clip_that_fades_in(reference: float, frame: float) -> None:
    """Whether the reference is of its dark part or of its bright one."""
    whole, mesh = drawn()
    planes = dimmed(whole, frame)
    subject = measured(dimmed(whole, reference), mesh)
    x, y = np.round((mesh[14, :2] + mesh[17, :2]) / 4).astype(int)
    lip = np.s_[y - 2 : y + 3, x - 10 : x + 11]
    out = done(planes, mesh, target(0.0, own_width(mesh)), subject=subject).planes
    red = planes.v[lip].mean() - 128
    assert abs(out.v[lip].mean() - 128 - red) < 0.12 * red


@pytest.mark.parametrize("phase", [0.0, 0.5])
def test_lips_have_the_light_of_their_rows_under_lamps_that_roll_bands_over_the_picture(phase: float) -> None:
    """Lamps that flicker, seen by a shutter that rolls: each row has the light of its moment."""
    planes, mesh = drawn()
    person = measured(planes, mesh)
    y = np.arange(SIZE)
    bands = (1 + 0.16 * np.sin(2 * np.pi * (y / (0.8 * SIZE) + phase)))[:, None, None]
    lit = planes_of(np.clip(to_rgb(planes, BT601) * bands, 0, 255).astype(np.uint8))
    even, banded = (done(seen, mesh, target(), subject=person).planes for seen in (planes, lit))
    shown, due = to_rgb(banded, BT601) @ LUMA, to_rgb(even, BT601) * bands @ LUMA
    for above, below in ((0, 13), (14, 17)):
        x, middle = (round(float(v)) for v in (mesh[above] + mesh[below])[:2] / 2)
        lip = np.s_[middle - 3 : middle + 4, x - 20 : x + 21]
        assert abs(shown[lip].mean() / due[lip].mean() - 1) < 0.08, (phase, above)


def test_a_logo_beside_the_mouth_is_no_light_on_the_lips_and_a_lamp_at_one_side_is() -> None:
    planes, mesh = drawn()
    person = measured(planes, mesh)
    patch = patch_of(planes, BT601, mesh)
    rgb = to_rgb(planes, BT601).astype(np.uint8)
    x, y = (round(float(v)) for v in mesh[SIDES[1][2], :2])
    logo = rgb.copy()
    cv2.circle(logo, (x, y), round(0.06 * patch.pose.scale), (210, 20, 20), -1)
    lip = np.s_[round(float(mesh[14, 1] + mesh[17, 1])) // 4, round(float(mesh[17, 0])) // 2]
    plain, beside = (done(planes_of(seen), mesh, target(), subject=person).planes for seen in (rgb, logo))
    assert abs(int(plain.v[lip]) - int(beside.v[lip])) <= 1
    blue = Planes(planes.y, planes.u.copy(), planes.v)
    blue.u[:, blue.u.shape[1] // 2 :] += 30
    across, lit = (light_across(seen, patch.head, patch.pose) for seen in (planes, blue))
    assert (lit - across)[-1, 1] > 20


def test_lips_and_teeth_keep_their_red_where_skin_is_burnt_out() -> None:
    """In 1.4 of the reference's light: red of the skin ends at white, red of the lips hardly."""
    planes, mesh = drawn()
    subject, asked = measured(planes, mesh), target(0.2, own_width(mesh))
    upper, lower, inner = (np.mean(mesh[points, :2], 0) for points in ([0, 13], [14, 17], [13, 14]))
    expected = to_rgb(done(planes, mesh, asked, subject=subject).planes, BT601) * 1.4
    burnt = planes_of(np.asarray(np.clip(to_rgb(planes, BT601) * 1.4, 0, 255), np.uint8))
    got = to_rgb(done(burnt, mesh, asked, subject=subject).planes, BT601)
    for x, y in np.round([upper, lower, inner]).astype(int):
        there = np.s_[y - 2 : y + 3, x - 12 : x + 13]
        assert np.abs((got - np.clip(expected, 0, 255))[there].mean((0, 1))).max() < 8


def test_teeth_lie_in_the_light_of_their_frame() -> None:
    """A clip that fades in: the reference is in full light."""
    picture = np.full((SIZE, SIZE, 3), SKIN, np.uint8)
    bright, mesh = drawn()
    subject = measured(bright, mesh)
    dim = dimmed(bright)
    lit, shaded = (float(np.quantile(done(p, mesh, target(0.2), subject=subject).planes.y, 0.999)) for p in (bright, dim))
    skin = float(np.median(planes_of(picture).y))
    assert lit > 0.9 * skin
    assert shaded - 16 < 0.4 * (lit - 16)


@pytest.mark.parametrize("light", [(0.15, 0.15, 0.15), (1.0, 0.7, 0.35)])
def test_teeth_that_no_frame_shows_are_lit_as_the_face_is(light: tuple[float, float, float]) -> None:
    """In the dark, and in a light that is not white."""
    planes, mesh = astronaut()
    rgb = np.clip(to_rgb(planes, BT601), 0, 255)
    inner = mesh[[78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95], :2]
    cv2.fillPoly(rgb, [np.round(inner).astype(np.int32)], (60.0, 20.0, 20.0))

    def tooth(lit: npt.NDArray[np.float32]) -> Floats:
        return SUBJECT.unpack(measured(planes_of(lit.astype(np.uint8)), mesh)).tooth

    np.testing.assert_allclose(tooth(rgb * np.array(light, np.float32)) / (tooth(rgb) * np.array(light)), 1, atol=0.2)


def test_teeth_are_less_coloured_than_the_skin_however_red_the_eyes_are() -> None:
    planes, mesh = drawn()
    rgb = np.clip(to_rgb(planes, BT601), 0, 255).astype(np.uint8)
    for eye in EYES:
        fill(rgb, list(mesh[list(eye)]), (120, 70, 52))
    person = SUBJECT.unpack(measured(planes_of(rgb), mesh))
    assert chroma(person.tooth) < 0.7 * chroma(person.skin)


def test_in_sepia_teeth_and_tongue_have_its_tint_and_teeth_that_show_are_found() -> None:
    planes, mesh = drawn(0.2, teeth=True)
    sepia = np.clip(planes.y[..., None] * np.array([1.07, 0.95, 0.76]), 0, 255).astype(np.uint8)
    person = SUBJECT.unpack(measured(planes_of(sepia), mesh))
    tint = person.skin / (LUMA @ person.skin)
    for colour in (person.tooth, person.tongue):
        assert colour / (LUMA @ colour) == pytest.approx(tint, abs=0.04)
    assert teeth_below_line(person) > 0.04


def test_teeth_under_a_moustache_are_shaded_by_it() -> None:
    bare, haired = (SUBJECT.unpack(measured(planes, mesh)).tooth for planes, mesh in (drawn(), drawn(moustache=True)))
    assert 0.8 < LUMA @ haired / (LUMA @ bare) < 0.9


def test_a_subject_travels_as_numbers() -> None:
    planes, mesh = astronaut()
    sent = measured(planes, mesh)
    np.testing.assert_array_equal(SUBJECT.pack(SUBJECT.unpack(sent)), sent)


def test_the_dark_of_a_mouth_is_as_red_as_the_lips_where_the_blackest_of_the_picture_is_grey() -> None:
    planes, mesh = drawn()
    faded = Planes(np.maximum(planes.y, 60), planes.u, planes.v)
    person = SUBJECT.unpack(measured(faded, mesh))
    assert LUMA @ person.cavity > 40
    assert person.cavity / (LUMA @ person.cavity) == pytest.approx(person.lip / (LUMA @ person.lip), abs=0.02)


def teeth_below_line(person: Subject) -> float:
    """S by which the upper teeth reach below the line of the closed lips."""
    return float(person.bite[1] - person.rest.line[MIDPOINT, 1])


def test_where_teeth_end_is_told_by_a_reference_that_shows_them_and_by_no_other() -> None:
    (toothed, mesh), (dark, _) = drawn(0.16, teeth=True), drawn(0.16)
    shown, none = (teeth_below_line(SUBJECT.unpack(measured(planes, mesh))) for planes in (toothed, dark))
    assert shown > 0.04 and none == pytest.approx(EDGE)


def test_a_blurred_mouth_in_a_sharp_face_is_no_blurred_frame() -> None:
    planes, mesh = drawn()
    rng = np.random.default_rng(5)
    planes = Planes(np.clip(planes.y + rng.normal(0, 12, planes.y.shape), 0, 255).astype(np.uint8), planes.u, planes.v)
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(np.float64))
    usual = detail(planes, head, pose)
    hazy = np.asarray(cv2.GaussianBlur(planes.y, (0, 0), 4), np.uint8)
    lips = slice(int(mesh[0, 1]) - 12, int(mesh[17, 1]) + 12)
    mouth = planes.y.copy()
    mouth[lips] = hazy[lips]
    assert blur_of(detail(Planes(mouth, planes.u, planes.v), head, pose), usual) == 0
    assert blur_of(detail(Planes(hazy, planes.u, planes.v), head, pose), usual) == MOST


def test_what_is_drawn_into_a_blurred_frame_is_blurred() -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    hazy = planes.copy()
    hazy.y[:] = cv2.GaussianBlur(planes.y, (0, 0), 3)
    asked = target(0.2, own_width(mesh))
    sharp, soft = (done(p, mesh, asked, subject=subject).planes.y.astype(float) for p in (planes, hazy))
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    around = np.s_[y - 8 : y + 16, x - 14 : x + 14]
    assert np.abs(np.diff(soft[around], axis=0)).max() < 0.8 * np.abs(np.diff(sharp[around], axis=0)).max()


def test_what_is_drawn_into_a_blurred_portrait_is_blurred() -> None:
    planes, mesh = astronaut()
    hazy = planes.copy()
    hazy.y[:] = cv2.GaussianBlur(planes.y, (0, 0), 0.035 * pose_of(mesh).scale)
    person = SUBJECT.unpack(measured(hazy, mesh))
    assert SUBJECT.unpack(measured(planes, mesh)).softness < 0.005
    assert 0.02 < person.softness < 0.05
    asked = target(0.2, own_width(mesh))
    sharp = SUBJECT.pack(replace(person, softness=0.0))
    drawn, soft = (done(hazy, mesh, asked, subject=subject).planes.y.astype(float) for subject in (sharp, SUBJECT.pack(person)))
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    around = np.s_[y - 8 : y + 16, x - 14 : x + 14]
    assert np.abs(np.diff(soft[around], axis=0)).max() < 0.6 * np.abs(np.diff(drawn[around], axis=0)).max()


def test_eyes_above_the_patch_do_not_tell_how_soft_the_picture_is() -> None:
    planes, mesh = astronaut()
    patch = patch_of(planes, BT601, mesh)
    lowest = mesh[[33, 133, 159, 145, 263, 362, 386, 374], 1].max()
    top = 2 * int(np.ceil((lowest + AROUND * patch.pose.scale) / 2) + 2)
    luma = planes.y[top:].copy()
    luma[:] = cv2.GaussianBlur(luma, (0, 0), 0.035 * patch.pose.scale)
    luma[-luma.shape[0] // 4 :, ::4] = 255
    moved: Floats = mesh - np.array([0, top, 0], np.float32)
    below = patch_of(Planes(luma, planes.u[top // 2 :], planes.v[top // 2 :]), BT601, moved)
    assert softness_of(below.planes, below.head, below.pose) > 0.02


def test_lips_and_teeth_of_a_picture_out_of_focus_have_no_sharp_edges_and_keep_its_grain() -> None:
    planes, mesh = astronaut()
    rng = np.random.default_rng(7)
    hazy = planes.copy()
    hazy.y[:] = cv2.GaussianBlur(planes.y, (0, 0), 0.05 * pose_of(mesh).scale)
    grainy = hazy.copy()
    grainy.y[:] = np.clip(hazy.y + rng.normal(0, 3, hazy.y.shape), 0, 255)
    told = SUBJECT.unpack(measured(hazy, mesh))
    assert told.softness > 0.02
    people = [SUBJECT.pack(replace(told, softness=softness)) for softness in (0.0, told.softness)]
    x, y = np.round(mesh[[13, 14], :2].mean(axis=0)).astype(int)
    around = np.s_[y - 8 : y + 16, x - 14 : x + 14]
    for opening in (0.0, 0.2):
        asked = target(opening, own_width(mesh))
        sharp, soft = (done(hazy, mesh, asked, subject=person).planes.y[around].astype(float) for person in people)
        assert np.abs(np.diff(soft, axis=0)).max() < 0.35 * np.abs(np.diff(sharp, axis=0)).max()
        with_grain = done(grainy, mesh, asked, subject=people[1]).planes.y[around].astype(float)
        assert np.diff(with_grain).std() > 0.6 * np.diff(grainy.y[around].astype(float)).std()


def test_the_config_says_what_the_code_does() -> None:
    text = (MODELS / "mouth_render_fast" / "config.pbtxt").read_text()
    told_of = (
        ("patch_span", PATCH_SPAN),
        ("patch_drop", PATCH_DROP),
        ("subject_size", SUBJECT.size),
        ("smallest_face", SMALLEST_FACE),
    )
    for name, value in told_of:
        told = text.split(f'key: "{name}", value: {{ string_value: "')[1].split('"')[0]
        assert float(told) == value


@pytest.mark.parametrize("side", [-1, 1])
def test_no_corner_is_torn_where_the_mesh_lies_low_at_it(side: int) -> None:
    planes, mesh = drawn(gap=0.035)
    pose = pose_of(mesh)
    for ring in (UPPER_INNER, LOWER_INNER, UPPER_OUTER, LOWER_OUTER):
        for point in {*ring}:
            aside = side * (mesh[point, 0] - mesh[13, 0])
            mesh[point, 1] += 0.2 * max(float(aside), 0.0)
    patch = patch_of(planes, BT601, mesh)
    lips = lips_of(patch.head, pose, planes)
    upper, lower = (pose.to_plane(contour) for contour in (lips.upper_inner, lips.lower_inner))
    x = np.linspace(max(upper[0, 0], lower[0, 0]), min(upper[-1, 0], lower[-1, 0]), 101)
    assert (np.interp(x, upper[:, 0], upper[:, 1]) - np.interp(x, lower[:, 0], lower[:, 1])).max() < 0.003


def test_without_colour_a_lower_lip_that_is_apart_lies_lower_than_the_mesh_has_it() -> None:
    planes, mesh = drawn(gap=0.1)
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(np.float64))
    grey = Planes(planes.y, np.full_like(planes.u, 128), np.full_like(planes.v, 128))
    lips = lips_of(head, pose, grey)
    upper, lower, bottom = (each[MIDPOINT, 1] for each in (lips.upper_inner, lips.lower_inner, lips.lower_outer))
    assert upper == pytest.approx(head[UPPER_LIP, 1], abs=0.001)
    assert [lower, bottom] == pytest.approx(head[[LOWER_LIP, LOWER_OUTER[len(LOWER_OUTER) // 2]], 1] + 0.010, abs=0.001)


@pytest.mark.parametrize("gap", [0.0, 0.1])
@pytest.mark.parametrize("off", [-0.02, 0.0, 0.02])
def test_an_upper_lip_in_its_own_shade_begins_where_the_skin_ends(gap: float, off: float) -> None:
    planes, mesh = drawn(gap)
    patch = patch_of(planes, BT601, mesh)
    top, upper = ([*ring] for ring in (UPPER_OUTER, UPPER_INNER))
    shade = np.zeros((*planes.y.shape, 3), np.uint8)
    fill(shade, [*mesh[top], *mesh[upper][::-1]], (1, 1, 1))
    lip = shade[..., 0] > 0
    # The skin's hue in a third of its light: there is less V - U of it than of the skin.
    yuv = from_rgb(np.array([SKIN], np.float32) / 3, BT601)[0]
    planes.y[lip] = yuv[0]
    for plane, value in ((planes.u, yuv[1]), (planes.v, yuv[2])):
        plane[lip[::2, ::2]] = value
    mesh[[*{*top, *upper}], 1] += off * patch.pose.scale
    lips = lips_of(patch.pose.to_head(mesh.astype(np.float64)), patch.pose, planes)
    drawn_at, found = (float(np.interp(0.0, *line[:, :2].T)) for line in (patch.head[top], lips.upper_outer))
    assert found == pytest.approx(drawn_at, abs=0.008)


@pytest.mark.parametrize(("teeth", "closed"), [(True, 0.0), (False, 1.0)])
def test_lips_that_the_mesh_takes_for_shut_are_open_where_teeth_are_seen_between_them(teeth: bool, closed: float) -> None:
    planes = drawn(gap=0.035 if teeth else 0.0, teeth=teeth)[0]
    mesh = drawn(gap=0.005)[1]
    pose = pose_of(mesh)
    lips = lips_of(pose.to_head(mesh.astype(np.float64)), pose, planes)
    assert lips.closed == pytest.approx(closed, abs=0.1)
    assert lips.gap == pytest.approx(0.035 if teeth else 0.005, abs=0.012)
