"""Things in front of a mouth stay there; a face with nothing before it is a face."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.area import Area
from enhance.geometry.head import pose_of
from enhance.geometry.planes import Planes, from_rgb, mean_of_four, to_rgb
from enhance.render.compose import THING, MouthRequest, render, see, with_mouth
from enhance.render.cover.expected import CENTRES, compare, face_of, glance
from enhance.render.cover.fingers import finger, lips_gone
from enhance.render.cover.occlusion import Cover, cover_of
from enhance.render.lips.outline import lips_of
from enhance.render.measure import covered_share
from enhance.render.quality import QUALITIES
from tests.covers import cover
from tests.test_render import BT601, astronaut, drawn, measured, target

Floats = npt.NDArray[Any]
SEEDS = range(4)
OPEN = target(0.16, 0.5)


def covered(planes: Planes, mesh: Floats, reference: tuple[Planes, Floats]) -> Cover | None:
    known, its_mesh = reference
    pose = pose_of(its_mesh)
    face = face_of(known, pose.to_head(its_mesh.astype(float)), pose)
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    return cover_of(planes, head, pose, lips_of(head, pose, planes), face)


def whole(found: Cover | None, planes: Planes) -> Floats:
    opacity = np.zeros(planes.y.shape, np.float32)
    if found:
        opacity[found.area.slices] = found.opacity
    return opacity


def round_mouth(mesh: Floats, planes: Planes) -> npt.NDArray[np.bool_]:
    pose = pose_of(mesh)
    plane = pose.plane_of(Area(0, 0, planes.y.shape[1], planes.y.shape[0]))
    middle = pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float))).mean(axis=0)
    off = plane - middle
    return np.asarray((np.abs(off[..., 0]) < 0.32) & (off[..., 1] > -0.16) & (off[..., 1] < 0.3))


def lit(planes: Planes, gain: float, slope: float) -> Planes:
    """In other light: brighter, and more so to the right."""
    x = np.linspace(-1, 1, planes.y.shape[1], dtype=np.float32)
    luma = np.clip((planes.y.astype(np.float32) - 16) * gain * (1 + slope * x) + 16.5, 0, 255).astype(np.uint8)
    return Planes(luma, planes.u, planes.v)


def opened(planes: Planes, mesh: Floats, reference: tuple[Planes, Floats], quality: str = "studio") -> tuple[Planes, Floats]:
    subject = measured(reference[0], reference[1])
    done = render(planes, BT601, mesh, MouthRequest(target=OPEN, subject=subject, style="photo", quality=QUALITIES[quality]))
    return done.planes, done.mask


@pytest.mark.parametrize("gain", [0.6, 1.0, 1.2])
@pytest.mark.parametrize("slope", [-0.3, 0.0, 0.3])
def test_other_light_covers_nothing(gain: float, slope: float) -> None:
    planes, mesh = astronaut()
    assert covered(lit(planes, gain, slope), mesh, (planes, mesh)) is None


@pytest.mark.parametrize("light", [(1, 0.45, 0.4), (0.3, 1, 0.35), (0.5, 0.6, 1)])
def test_a_mouth_moves_in_coloured_light_and_its_lips_have_that_colour(light: tuple[float, float, float]) -> None:
    """Light of another colour than where the subject was measured, as of a stage or a television."""
    planes, mesh = drawn()
    coloured = in_planes(to_rgb(planes, BT601) * np.array(light, np.float32))
    asked = MouthRequest(target(0.0, 0.5), measured(planes, mesh))
    sight = see(coloured, BT601, mesh, asked)
    assert sight.face is not None
    assert sight.face.cover is None
    assert sight.face.belief > 0.95
    lips, shut = (
        to_rgb(each, BT601)[lip_of(mesh, planes)].mean(axis=0) for each in (coloured, with_mouth(sight, asked).planes)
    )
    np.testing.assert_allclose(shut / shut.sum(), lips / lips.sum(), atol=0.03)


def test_face_paint_on_a_cheek_is_no_light() -> None:
    """Light on the frame in which the subject was measured is its own, whatever lies on one cheek; teeth would be blue."""
    planes, mesh = drawn()
    rgb = to_rgb(planes, BT601)
    x, y = (int(v) for v in mesh[205, :2])
    rgb[y - 20 : y + 20, x - 3 : x + 4] = (20, 60, 80)
    painted = in_planes(rgb)
    sight = see(painted, BT601, mesh, MouthRequest(OPEN, measured(painted, mesh)))
    assert sight.face is not None
    np.testing.assert_allclose(sight.face.light, 1, atol=0.01)


@pytest.mark.parametrize("quality", ["fast", "studio"])
def test_a_mouth_moves_in_the_dark(quality: str) -> None:
    """As before a lamp is switched on: in little light lips differ less from skin, and are no finger."""
    planes, mesh = drawn()
    dark = in_planes(to_rgb(planes, BT601) * np.float32(0.28))
    sight = see(dark, BT601, mesh, MouthRequest(OPEN, measured(planes, mesh), quality=QUALITIES[quality]))
    assert sight.face is not None
    assert sight.face.cover is None
    assert sight.face.belief > 0.95


@pytest.mark.parametrize("lamp", [(1, 1, 1), (1, 0.8, 0.6)])
@pytest.mark.parametrize("face", [drawn, astronaut])
def test_a_mouth_in_dark_skin_moves_when_a_lamp_comes_from_one_side(
    face: Callable[[], tuple[Planes, Floats]], lamp: tuple[float, float, float]
) -> None:
    """As when somebody turns to a window: the lit corner of the mouth is unlike both cheeks' mean, and like its own cheek."""
    planes, mesh = face()
    dark = to_rgb(planes, BT601) * np.float32(0.35)
    side = 1 / (1 + np.exp(-np.linspace(-7, 7, planes.y.shape[1], dtype=np.float32)))
    lit_face = in_planes(np.clip(dark * (0.4 + 3 * side[:, None] * np.array(lamp, np.float32)), 0, 255))
    sight = see(lit_face, BT601, mesh, MouthRequest(OPEN, measured(in_planes(dark), mesh)))
    assert sight.face is not None
    assert sight.face.cover is None
    assert sight.face.belief > 0.95


def lip_of(mesh: Floats, planes: Planes) -> npt.NDArray[np.bool_]:
    """The lower lip's pixels."""
    at = np.zeros(planes.y.shape, np.uint8)
    cv2.fillPoly(at, [np.round(mesh[[95, 88, 87, 14, 317, 318, 324, 405, 314, 17, 84, 181], :2]).astype(np.int32)], (1,))
    return at > 0


def in_planes(rgb: Floats) -> Planes:
    yuv = from_rgb(np.asarray(rgb, np.float32), BT601)
    planes_of = (yuv[..., 0], *(mean_of_four(yuv[..., channel]) for channel in (1, 2)))
    return Planes(*(np.asarray(plane + 0.5, np.uint8) for plane in planes_of))


def exposed(planes: Planes, slope: float) -> Planes:
    """Over-exposed, more so to the right: red is cut off first, then all channels."""
    light = 2.2 * (1 + slope * np.linspace(-1, 1, planes.y.shape[1], dtype=np.float32))
    return in_planes(np.clip(to_rgb(planes, BT601) * light[:, None], 0, 255))


@pytest.mark.parametrize("slope", [-0.3, 0.3])
def test_skin_that_is_burnt_out_elsewhere_covers_nothing_and_a_microphone_before_it_is_found(slope: float) -> None:
    planes, mesh = astronaut()
    reference = exposed(planes, -slope), mesh
    assert covered(exposed(planes, slope), mesh, reference) is None
    behind, thing = cover(planes, BT601, mesh, "microphone")
    there = (thing.alpha > 0.5) & round_mouth(mesh, planes)
    assert (whole(covered(exposed(behind, slope), mesh, reference), planes) > 0.5)[there].mean() > 0.8


@pytest.mark.parametrize("opening", [0.0, 0.05, 0.2, 0.3])
@pytest.mark.parametrize("width", [0.4, 0.6])
def test_a_mouth_in_another_shape_covers_nothing(opening: float, width: float) -> None:
    planes, mesh = astronaut()
    subject = measured(planes, mesh)
    moved = render(planes, BT601, mesh, MouthRequest(target=target(opening, width), subject=subject, style="photo")).planes
    assert covered(moved, mesh, (planes, mesh)) is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kind", "least"), [("microphone", 0.9), ("corner_microphone", 0.9), ("pen", 0.6)])
def test_a_thing_is_found_and_little_beside_it(kind: str, least: float, seed: int) -> None:
    planes, mesh = astronaut()
    before, thing = cover(planes, BT601, mesh, kind, seed)
    found = whole(covered(before, mesh, (planes, mesh)), planes) > 0.5
    near = round_mouth(mesh, planes)
    there = (thing.alpha > 0.5) & near
    assert (found & there).sum() > least * there.sum()
    assert (found & near & (thing.alpha < 0.02)).sum() < 0.12 * max(there.sum(), 150)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gap", [0.0, 0.04])
def test_a_finger_is_told_by_the_lips_that_are_gone(seed: int, gap: float) -> None:
    reference, planes = drawn(), drawn(gap)
    before, thing = cover(planes[0], BT601, planes[1], "finger", seed)
    found = whole(covered(before, planes[1], reference), before) > 0.5
    there = (thing.alpha > 0.5) & round_mouth(planes[1], before)
    assert (found & there).sum() > (0.6 if not gap else 0.4) * there.sum()
    assert covered(*planes, reference) is None


def test_lips_thinner_than_the_mesh_has_them_are_no_finger() -> None:
    planes, mesh = drawn()
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    lips = lips_of(head, pose, planes)
    bare = compare(planes, head, pose, lips, face_of(planes, head, pose))
    x, y = CENTRES[..., 0], CENTRES[..., 1]
    upper, lower = (np.abs(x) < 0.25) & (y > 0) & (y < 0.04), (np.abs(x) < 0.25) & (y > 0.16) & (y < 0.24)
    skin, lip = np.array([5.0, 110, 150], np.float32), np.array([4.6, 118, 165], np.float32)
    usual = np.where((upper | lower)[..., None], lip, skin)
    for gone, found in ((y > 0.2, 0.0), (y > 0, 1.0)):
        before = np.where((gone & (np.abs(x) < 0.1))[..., None], skin, usual)
        seen = replace(bare, seen=before, usual=usual, lips=upper | lower, skin=np.ones_like(upper))
        assert finger(seen, lips_gone(seen)).max() == found


@pytest.mark.parametrize("seed", SEEDS)
def test_no_quality_paints_over_a_finger_before_the_lips(seed: int) -> None:
    planes, mesh = drawn()
    before, thing = cover(planes, BT601, mesh, "finger", seed)
    out, _ = opened(before, mesh, (planes, mesh), "balanced")
    inside = (thing.alpha > 0.99) & round_mouth(mesh, planes)
    assert (np.abs(out.y.astype(int) - before.y)[inside] > 10).mean() < 0.2


@pytest.mark.parametrize("quality", ["fast", "studio"])
@pytest.mark.parametrize(("tilt", "gap"), [(0.35, 0.0), (0.0, 0.06)])
def test_a_mouth_whose_corner_lies_behind_a_finger_stays_as_it_is(tilt: float, gap: float, quality: str) -> None:
    """The mesh does not know where that corner is: half a mouth, or pieces of lips, were painted on the finger."""
    planes, mesh = drawn(gap)
    pose = pose_of(mesh)
    off = pose.plane_of(planes.area) - pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float))).mean(axis=0)
    across = np.abs(off[..., 0] - 0.16 - tilt * off[..., 1]) / 0.08
    x, y = mesh[205, :2].astype(int)
    planes.y[across < 1] = (planes.y[y, x] * np.where(across > 0.8, 0.85, 1.05)).astype(np.uint8)[across < 1]
    for plane in (planes.u, planes.v):
        plane[across[::2, ::2] < 1] = plane[y // 2, x // 2]
    out, mask = opened(planes, mesh, drawn(), quality)
    assert np.array_equal(out.y, planes.y)
    assert not mask.any()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("kind", "quality"),
    [("microphone", "fast"), ("microphone", "studio"), ("corner_microphone", "fast"), ("corner_microphone", "studio")],
)
def test_a_microphone_is_not_moved_with_the_lips(quality: str, kind: str, seed: int) -> None:
    planes, mesh = astronaut()
    before, thing = cover(planes, BT601, mesh, kind, seed)
    out, mask = opened(before, mesh, (planes, mesh), quality)
    inside = (thing.alpha > 0.99) & round_mouth(mesh, planes)
    assert (np.abs(out.y.astype(int) - before.y)[inside] > 10).mean() < 0.2
    assert np.array_equal(out.y[mask == 0], before.y[mask == 0])


@pytest.mark.parametrize(("quality", "seed"), [("fast", 0), ("studio", 1), ("studio", 3)])
def test_fingers_that_hold_a_cup_before_the_chin_stay_where_they_are(quality: str, seed: int) -> None:
    planes, mesh = astronaut()
    before, thing = cover(planes, BT601, mesh, "held_cup", seed)
    out, _ = opened(before, mesh, (planes, mesh), quality)
    assert (np.abs(out.y.astype(int) - before.y)[thing.alpha > 0.99] > 10).mean() < 0.005


def with_microphone(planes: Planes, mesh: Floats, across: float, down: float) -> tuple[Planes, Floats]:
    """Before the chin, moved by so much (S). Returns its opacity as well."""
    _, thing = cover(planes, BT601, mesh, "microphone", 1)
    scale = pose_of(mesh).scale
    to = np.array([[1, 0, across * scale], [0, 1, down * scale]])
    alpha = cv2.warpAffine(thing.alpha, to, planes.y.shape[::-1])
    half = cv2.resize(alpha, planes.u.shape[::-1], interpolation=cv2.INTER_AREA)
    luma, u, v = (
        np.round(plane + share * (level - plane)).astype(np.uint8)
        for plane, share, level in ((planes.y, alpha, 45.0), (planes.u, half, 128.0), (planes.v, half, 128.0))
    )
    return Planes(luma, u, v), alpha


@pytest.mark.parametrize(("across", "known"), [(-0.12, 0.3), (0.1, 0.3), (0.06, 0.44)])
def test_a_microphone_that_is_in_the_reference_as_well_stays_where_it_is(across: float, known: float) -> None:
    """known: S by which it is lower in the reference; at .44 only its top is before the chin."""
    planes, mesh = astronaut()
    reference, _ = with_microphone(planes, mesh, 0.0, known)
    before, alpha = with_microphone(planes, mesh, across, 0.22)
    out, mask = opened(before, mesh, (reference, mesh), "fast")
    assert mask.any()
    assert (np.abs(out.y.astype(int) - before.y)[alpha > 0.99] > 10).mean() < 0.02


@pytest.mark.parametrize(
    ("kind", "quality"), [("microphone", "fast"), ("microphone", "balanced"), ("corner_microphone", "studio")]
)
def test_behind_a_microphone_the_mouth_still_opens(quality: str, kind: str) -> None:
    planes, mesh = astronaut()
    before, thing = cover(planes, BT601, mesh, kind, 1)
    free = (thing.alpha < 0.01) & round_mouth(mesh, planes)
    out, _ = opened(before, mesh, (planes, mesh), quality)
    clean, _ = opened(planes, mesh, (planes, mesh), quality)
    asked = np.abs(clean.y.astype(int) - planes.y)[free]
    assert np.abs(out.y.astype(int) - before.y)[free].mean() > 0.6 * asked.mean()


def test_a_thing_over_the_whole_mouth_leaves_the_frame_as_it_is() -> None:
    planes, mesh = astronaut()
    before = planes.copy()
    near = round_mouth(mesh, planes)
    before.y[near] = 40
    before.u[near[::2, ::2]] = 150
    before.v[near[::2, ::2]] = 110
    before.y[near.argmax(axis=0).min() :, :][:, near.any(axis=0).argmax() : near.any(axis=0).argmax() + 20] = 40
    out, mask = opened(before, mesh, (planes, mesh))
    assert not mask.any()
    assert np.array_equal(out.y, before.y)


@pytest.mark.parametrize("seed", SEEDS)
def test_under_a_hand_the_frame_stays_as_it_is(seed: int) -> None:
    reference, (planes, mesh) = drawn(), drawn(0.08)
    before, _ = cover(planes, BT601, mesh, "hand", seed)
    out, mask = opened(before, mesh, reference)
    assert not mask.any()
    assert np.array_equal(out.y, before.y)


def test_under_a_hand_that_covers_a_corner_of_the_mouth_the_frame_stays_as_it_is() -> None:
    """Of the face's own colour, so that nothing tells it but the lips that are not seen."""
    planes, mesh = astronaut()
    before = planes.copy()
    pose = pose_of(mesh)
    height, width = planes.y.shape
    plane = pose.plane_of(Area(0, 0, width, height))
    left, right = pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float)))
    hand = (plane[..., 0] > right[0] - 0.35 * (right[0] - left[0])) & (plane[..., 1] > 0.1)
    x, y = (int(v) for v in mesh[425, :2])
    before.y[hand] = planes.y[y - 4 : y + 4, x - 4 : x + 4].mean()
    for part, was in ((before.u, planes.u), (before.v, planes.v)):
        part[hand[::2, ::2]] = was[y // 2 - 2 : y // 2 + 2, x // 2 - 2 : x // 2 + 2].mean()
    out, mask = opened(before, mesh, (planes, mesh))
    assert not mask.any()
    assert np.array_equal(out.y, before.y)
    assert opened(planes, mesh, (planes, mesh))[1].any()


def test_a_microphone_that_comes_and_goes_does_so_without_a_jump() -> None:
    """It moves by two pixels a frame; nothing that it does not pass changes by more than it does itself."""
    planes, mesh = astronaut()
    rng = np.random.default_rng(1)
    _, thing = cover(planes, BT601, mesh, "corner_microphone", 1)
    shares = []
    for step in range(0, 40, 2):
        aside = np.roll(thing.alpha, step, axis=1)[..., None]
        luma = planes.y + aside[..., 0] * (40 + rng.normal(0, 1, planes.y.shape) - planes.y)
        small = aside[::2, ::2, 0]
        frame = Planes(
            np.clip(luma + 0.5, 0, 255).astype(np.uint8),
            *((p + small * (128.0 - p) + 0.5).astype(np.uint8) for p in (planes.u, planes.v)),
        )
        near = round_mouth(mesh, planes)
        found = whole(covered(frame, mesh, (planes, mesh)), planes)
        shares.append(float((found - aside[..., 0])[near].mean()))
    assert np.abs(shares).max() < 0.06
    assert np.abs(np.diff(shares)).max() < 0.03


def test_what_moves_a_little_between_frames_is_found_a_little_elsewhere() -> None:
    planes, mesh = astronaut()
    rng = np.random.default_rng(0)
    before, _ = cover(planes, BT601, mesh, "corner_microphone", 2)
    noisy = [
        Planes(np.clip(before.y + rng.normal(0, 2, before.y.shape) + 0.5, 0, 255).astype(np.uint8), before.u, before.v)
        for _ in range(6)
    ]
    masks = [whole(covered(frame, mesh, (planes, mesh)), planes) for frame in noisy]
    core = np.mean(masks, axis=0) > 0.5
    assert np.std(masks, axis=0)[core].mean() < 0.03


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["microphone", "corner_microphone"])
def test_a_frame_with_a_microphone_is_no_reference(kind: str, seed: int) -> None:
    for planes, mesh in (astronaut(), drawn(), drawn(0.08)):
        assert covered_share(planes, BT601, mesh) < 0.01
        assert covered_share(lit(planes, 0.6, 0.3), BT601, mesh) < 0.01
        assert 0.05 < covered_share(cover(planes, BT601, mesh, kind, seed)[0], BT601, mesh) < 0.7


def over(planes: Planes, near: npt.NDArray[np.bool_], colour: tuple[int, int, int]) -> Planes:
    """Y, U, V before a part of a patch."""
    out = planes.copy()
    for part, at, level in zip((out.y, out.u, out.v), (near, near[::2, ::2], near[::2, ::2]), colour, strict=True):
        part[at] = level
    return out


def test_a_frame_with_a_mask_shows_no_mouth_and_one_with_skin_before_the_lips_is_no_reference() -> None:
    planes, mesh = astronaut()
    x, y = (int(v) for v in mesh[425, :2])
    skin = int(planes.y[y, x]), int(planes.u[y // 2, x // 2]), int(planes.v[y // 2, x // 2])
    assert covered_share(over(planes, round_mouth(mesh, planes), skin), BT601, mesh) > 0.4
    below_nose = np.broadcast_to((np.arange(len(planes.y)) > mesh[1, 1])[:, None], planes.y.shape)
    for mask in ((190, 145, 105), (40, 128, 128), (230, 126, 129)):
        assert covered_share(over(planes, below_nose, mask), BT601, mesh) > 0.9


def test_lips_in_blue_light_are_no_thing() -> None:
    planes, mesh = drawn()
    (x, y), pose = (int(v) // 2 for v in mesh[425, :2]), pose_of(mesh)
    lamp = np.arange(planes.u.shape[1]) > (mesh[[61, 291], 0].mean() + 0.32 * pose.scale) / 2  # less blue on one side
    u, v = (
        np.clip(p + (to - float(p[y, x])) + 8 * side * lamp, 0, 255)
        for p, to, side in ((planes.u, 135, -1), (planes.v, 118, 1))
    )
    assert covered_share(Planes(planes.y, u.astype(np.uint8), v.astype(np.uint8)), BT601, mesh) < 0.2


def test_red_cloth_before_the_lower_lip_is_no_lip() -> None:
    for planes, mesh in (astronaut(), drawn()):
        below = np.broadcast_to((np.arange(len(planes.y)) > mesh[[61, 291], 1].mean())[:, None], planes.y.shape)
        assert covered_share(over(planes, below, (90, 110, 200)), BT601, mesh) > 0.4


@pytest.mark.parametrize("slope", [-0.3, 0.0, 0.3])
def test_a_thing_beside_the_mouth_is_seen_at_a_glance(slope: float) -> None:
    planes, mesh = astronaut()
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    face = face_of(planes, head, pose)
    assert glance(lit(planes, 0.6, slope), head, pose, face) < 3
    for seed in SEEDS:
        assert glance(cover(planes, BT601, mesh, "corner_microphone", seed)[0], head, pose, face) > THING


def test_the_reference_is_what_is_expected_of_itself() -> None:
    planes, mesh = astronaut()
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    seen = compare(planes, head, pose, lips_of(head, pose, planes), face_of(planes, head, pose))
    assert seen.skin.sum() > 500
    assert np.abs(seen.seen - seen.usual)[seen.skin].mean(axis=0) == pytest.approx([0, 0, 0], abs=0.2)


def in_sepia(planes: Planes) -> Planes:
    """An old photograph's one tint: what is dark is less coloured."""
    small = cv2.resize(planes.y, planes.u.shape[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)
    u, v = (np.round(128 + share * (small - 16)).astype(np.uint8) for share in (-0.16, 0.07))
    return Planes(planes.y, u, v)


def faded(planes: Planes) -> Planes:
    """Grey, and so pale that lips differ from skin by few levels."""
    grey = np.full(planes.u.shape, 128, np.uint8)
    return Planes(np.round(120 + 0.3 * planes.y).astype(np.uint8), grey, grey.copy())


def test_a_beard_in_an_old_photograph_covers_no_mouth() -> None:
    planes, mesh = astronaut()
    at = np.zeros(planes.y.shape, np.uint8)
    cv2.fillPoly(at, [np.round(mesh[[57, 165, 164, 391, 287, 410, 269, 0, 39, 186], :2]).astype(np.int32)], (1,))
    beard = Planes(np.where(at, planes.y // 4, planes.y).astype(np.uint8), planes.u, planes.v)
    assert covered_share(in_sepia(beard), BT601, mesh) < 0.05


def bearded(planes: Planes, mesh: Floats, across: float) -> Planes:
    """With a dark beard at both sides of the mouth, so far (S) from its middle."""
    pose = pose_of(mesh)
    place = pose.plane_of(planes.area) - pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float))).mean(axis=0)
    x, y = np.abs(place[..., 0]) - across, place[..., 1]
    beard = np.exp(-((x / 0.05) ** 4) - ((y / 0.2) ** 4))
    return Planes(np.round(planes.y * (1 - 0.5 * beard)).astype(np.uint8), planes.u, planes.v)


def test_a_beard_that_a_laugh_moves_farther_than_the_mesh_covers_nothing() -> None:
    planes, mesh = astronaut()
    laughing = mesh.copy()
    for points, side in (((57, 186, 216, 212, 92, 214), -1), ((287, 410, 436, 432, 322, 434), 1)):
        laughing[points, 0] += side * 0.06 * pose_of(mesh).scale
    reference, laugh = (bearded(planes, mesh, 0.38), mesh), bearded(planes, mesh, 0.50)
    assert covered(laugh, laughing, reference) is None
    assert covered(laugh, mesh, reference) is not None, "of a mouth at rest it is known where its beard is"


def in_burnt_out_sepia(planes: Planes) -> Planes:
    """The same with lights that are white: luma does not tell how coloured a place is."""
    sepia, small = in_sepia(planes), cv2.resize(planes.y, planes.u.shape[::-1], interpolation=cv2.INTER_AREA)
    share = np.clip((235 - small.astype(np.float32)) / 60, 0.3, 1)
    u, v = (np.round(128 + share * (plane.astype(np.float32) - 128)).astype(np.uint8) for plane in (sepia.u, sepia.v))
    return Planes(planes.y, u, v)


def under_a_red_lamp(planes: Planes) -> Planes:
    lit = to_rgb(planes, BT601) * np.array([1, 0.25, 0.15], np.float32)
    yuv = from_rgb(lit.astype(np.float32), BT601)
    chroma = (mean_of_four(np.ascontiguousarray(yuv[..., channel])) for channel in (1, 2))
    return Planes(*(np.round(plane).astype(np.uint8) for plane in (yuv[..., 0], *chroma)))


@pytest.mark.parametrize(("tinted", "within"), [(in_sepia, 0.01), (in_burnt_out_sepia, 0.01), (under_a_red_lamp, 0.02)])
def test_in_a_picture_of_one_tint_lips_lie_where_they_do_in_grey(tinted: Callable[[Planes], Planes], within: float) -> None:
    planes, mesh = astronaut()
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    picture, none = tinted(planes), np.full(planes.u.shape, 128, np.uint8)
    seen, expected = lips_of(head, pose, picture), lips_of(head, pose, Planes(picture.y, none, none))
    for name in ("upper_inner", "lower_inner", "upper_outer", "lower_outer"):
        assert np.abs(getattr(seen, name) - getattr(expected, name)).max() < within, name


def in_grey(planes: Planes) -> Planes:
    none = np.full(planes.u.shape, 128, np.uint8)
    return Planes(planes.y, none, none.copy())


@pytest.mark.parametrize("tinted", [in_grey, in_sepia])
def test_only_a_picture_of_several_hues_tells_lips_from_skin_by_them(tinted: Callable[[Planes], Planes]) -> None:
    planes, mesh = astronaut()
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(float))
    assert face_of(planes, head, pose).hues == 1
    assert face_of(tinted(planes), head, pose).hues == 0


@pytest.mark.parametrize("tinted", [in_grey, in_sepia])
def test_an_upper_lip_as_light_as_skin_is_no_hand_in_a_picture_of_one_tint(tinted: Callable[[Planes], Planes]) -> None:
    """As in a wide laugh; nor is it a finger, that the mouth would be torn for."""
    planes, mesh = drawn(0.08)
    subject = measured(tinted(planes), mesh)
    pale = planes.copy()
    upper = np.zeros(planes.y.shape, np.uint8)
    lip = [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191, 78]
    cv2.fillPoly(upper, [np.round(mesh[lip, :2]).astype(np.int32)], (1,))
    pale.y[upper > 0] = np.median(planes.y[:40, :40])
    asked = MouthRequest(target(0.2), subject)
    usual, wide = (render(tinted(p), BT601, mesh, asked).planes.y.astype(float) for p in (planes, pale))
    below = int(mesh[13, 1]) + 8
    assert np.abs(wide[below:] - usual[below:]).mean() < 0.5


def test_lips_of_a_faded_picture_are_not_taken_for_a_hand() -> None:
    planes, mesh = drawn()
    pale = faded(planes)
    assert covered_share(pale, BT601, mesh) < 0.05
    x, y = (int(v) for v in mesh[425, :2])
    hand = over(pale, round_mouth(mesh, pale), (int(pale.y[y, x]), 128, 128))
    assert covered_share(hand, BT601, mesh) > 0.4


def test_pale_lips_in_black_and_white_are_not_taken_for_a_hand() -> None:
    planes, mesh = astronaut()
    grey = np.full(planes.u.shape, 128, np.uint8)
    pale = Planes(planes.y, grey, grey.copy())
    assert covered_share(pale, BT601, mesh) < 0.15
    x, y = (int(v) for v in mesh[425, :2])
    hand = over(pale, round_mouth(mesh, pale), (int(pale.y[y, x]), 128, 128))
    assert covered_share(hand, BT601, mesh) > 0.4
