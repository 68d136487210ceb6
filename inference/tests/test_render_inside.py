"""The inside of a mouth: which frames show it, how it is merged, and what an open mouth shows of it."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import BadMouthError, Pose, pose_of
from enhance.geometry.planes import Planes, from_rgb, to_rgb
from enhance.picture import LUMA
from enhance.plan.choice import BANK, choose
from enhance.render.compose import MouthRequest, Rendered, render
from enhance.render.inside import lender as lenders
from enhance.render.inside import merged
from enhance.render.inside.aligned import aligned
from enhance.render.inside.edge import bite_of
from enhance.render.inside.interior import SLIT, hole_of
from enhance.render.inside.layers import Frame, Grid, Layer, Palette, on_grid
from enhance.render.inside.lender import Lender, lend, lender_from
from enhance.render.inside.lent_teeth import with_teeth
from enhance.render.inside.lip_shade import PLACES, STEP, USUAL, shade_under
from enhance.render.inside.lower_only import HIGHER, hidden_bite, show_lower_teeth
from enhance.render.inside.lower_row import lower_row, with_gaps
from enhance.render.inside.merge import dark_above, merge
from enhance.render.inside.merged import MERGED_ROW, Merged, Row, merged_from, shade_at
from enhance.render.inside.own_row import FARTHEST, own_row
from enhance.render.inside.shade import (
    ACROSS,
    DOWN,
    EQUAL,
    GAPS,
    MOST_CONTRAST,
    UNCHANGED,
    Places,
    Shown,
    at_places,
    contrast_of,
    corner_light,
    learnt,
)
from enhance.render.inside.skull import FRONT, Skull
from enhance.render.inside.under_lip import lip_shades, without
from enhance.render.inside.upper import grown_up, upper_row
from enhance.render.lips.outline import lips_of
from enhance.render.lips.shape import Asked, asked_of, shape_of, shift_of
from enhance.render.measure import measure
from enhance.render.patch import Patch, patch_of
from enhance.render.quality import QUALITIES
from enhance.render.subject import SUBJECT, Subject
from enhance.render.teeth.own import DIMMED
from tests.mouths import face, turned
from tests.test_render import BT601, BT601_SKIN, LIP, SIZE, TEETH, drawn, measured, target

Floats = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
MODELS = Path(__file__).parents[2] / "models"
BALANCED = QUALITIES["balanced"]
GREEN = (90, 60, 60)  # Y, U, V of no tooth, tongue or skin


def painted(gap: float, colour: tuple[int, int, int] = GREEN) -> tuple[Planes, Floats]:
    """A drawn face whose open mouth shows nothing but this colour."""
    planes, mesh = drawn(gap=gap)
    hole = np.zeros(planes.y.shape, np.uint8)
    upper, lower = (mesh[[78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308]], mesh[[95, 88, 178, 87, 14, 317, 402, 318, 324]])
    cv2.fillPoly(hole, [np.round(np.vstack([upper, lower[::-1]])[:, :2]).astype(np.int32)], (1,))
    half = cv2.resize(hole, planes.u.shape[::-1], interpolation=cv2.INTER_NEAREST)
    inside = (hole, half, half)
    y, u, v = (np.where(m > 0, np.uint8(c), p) for m, c, p in zip(inside, colour, (planes.y, planes.u, planes.v), strict=True))
    return Planes(y, u, v), mesh


@cache
def person() -> Subject:
    return SUBJECT.unpack(measured(shut()[0], shut()[2]))


def shut() -> tuple[Planes, Any, Floats]:
    planes, mesh = drawn()
    return planes, BT601, mesh


def lent(planes: Planes, mesh: Floats) -> Lender:
    return lender_from(lend(planes, BT601, mesh, person(), BALANCED.side).tobytes(), BALANCED.side)


def inside_of(*shown: tuple[Planes, Floats]) -> Bytes:
    return merge([lent(*each) for each in shown], person(), BT601, BALANCED.density)


def opened(opening: float, inside: Bytes | None) -> Rendered:
    """A shut frame that is rendered open, as wide as it is: in a narrower mouth there is less light."""
    planes, colours, mesh = shut()
    subject = measured(planes, mesh)
    asked = target(opening, width=person().rest.width)
    return render(planes, colours, mesh, MouthRequest(asked, subject, "photo", BALANCED, inside))


def is_green(planes: Planes) -> npt.NDArray[np.bool_]:
    return np.asarray((np.abs(planes.u.astype(int) - GREEN[1]) < 12) & (np.abs(planes.v.astype(int) - GREEN[2]) < 12))


def test_an_open_mouth_shows_what_the_clip_showed_and_changes_nothing_outside_the_mask() -> None:
    without, own = opened(0.12, None), opened(0.12, inside_of(painted(0.16)))
    assert is_green(without.planes).sum() == 0
    planes, _, mesh = shut()
    patch, rest = patch_of(planes, BT601, mesh), person().rest
    asked = asked_of(shape_of(target(0.12, width=rest.width), rest), rest, lips_of(patch.head, patch.pose, planes))
    hole = hole_of(asked, patch.pose, planes.area)
    assert hole
    # By more than the light on the lips differs.
    differs = (np.abs(without.planes.y.astype(int) - own.planes.y) > 5)[hole.area.slices] & (hole.opacity > 0.5)
    assert is_green(own.planes).sum() > 0.5 * differs.sum() / 4 > 100
    assert np.array_equal(own.planes.y[own.mask == 0], shut()[0].y[own.mask == 0])


def test_lips_that_stay_shut_show_nothing_of_it() -> None:
    assert np.array_equal(opened(0.0, None).planes.y, opened(0.0, inside_of(painted(0.16))).planes.y)


def with_gap(gap: float, teeth: bool = True) -> tuple[Planes, Floats]:
    """An open mouth; of its upper teeth the one right of the midline is missing."""
    planes, mesh = drawn(gap=gap, teeth=teeth)
    middle, unit = mesh[13], pose_of(mesh).scale
    rows = slice(int(middle[1]), int(mesh[14, 1]))
    columns = slice(int(middle[0] + 0.02 * unit), int(middle[0] + 0.08 * unit))
    planes.y[rows, columns] = np.minimum(planes.y[rows, columns], 40)
    return planes, mesh


def across_teeth(opening: float, inside: Bytes) -> Floats:
    """Luma along a line through the upper teeth, as far as the lips part at each opening of these tests."""
    made = opened(opening, inside).planes
    mesh = shut()[2]
    row = int(mesh[13, 1]) + round(0.005 * pose_of(mesh).scale)
    return made.y[row, int(mesh[78, 0]) + 28 : int(mesh[308, 0]) - 28].astype(float)


def test_the_teeth_are_the_same_however_far_the_mouth_opens() -> None:
    inside = inside_of(with_gap(0.10), with_gap(0.16), with_gap(0.22))
    lines = [across_teeth(opening, inside) for opening in (0.09, 0.14, 0.20, 0.26)]
    for line in lines:
        assert np.percentile(line, 90) > 150
        assert line[len(line) // 2 : len(line) * 3 // 4].min() < 90  # the missing tooth
        # From one place to the next: how the light falls may differ with the opening.
        assert np.corrcoef(np.diff(lines[0]), np.diff(line))[0, 1] > 0.99


def in_shade(gap: float, light: float) -> tuple[Planes, Floats]:
    """An open mouth with so much of its light left inside, 0..1."""
    planes, mesh = drawn(gap=gap, teeth=True)
    inside = painted(gap)[0].y == GREEN[0]
    planes.y[inside] = np.round(planes.y[inside] * light)
    return planes, mesh


def test_it_is_as_dark_in_a_mouth_that_opens_little_as_the_clip_shows_it() -> None:
    def brightest(*shown: tuple[Planes, Floats]) -> float:
        return float(np.median(across_teeth(0.09, inside_of(*shown))))

    wide = in_shade(0.2, 1)
    in_light, in_dark = (brightest(wide, *[in_shade(0.09, light)] * 4) for light in (1, 0.5))
    assert 0.5 < in_dark / in_light < 0.75


def test_teeth_of_a_slit_are_as_white_as_the_clip_shows_them() -> None:
    def brightest(opening: float, *shown: tuple[Planes, Floats]) -> float:
        return float(np.median(across_teeth(opening, inside_of(*shown))))

    wide, slits = in_shade(0.2, 1), [in_shade(0.06, 1)] * 4
    assert brightest(0.07, wide, *slits) > 0.97 * brightest(0.07, wide)


def half_dark(gap: float, side: int) -> tuple[Planes, Floats]:
    """An open mouth that shows its teeth on one side alone. side: -1 or 1, the dark one."""
    planes, mesh = drawn(gap=gap, teeth=True)
    dark = painted(gap)[0].y == GREEN[0]
    dark &= side * (np.arange(dark.shape[1]) - mesh[13, 0]) > 0
    planes.y[dark] = np.round(planes.y[dark] * 0.2)
    return planes, mesh


def test_teeth_of_a_slit_are_no_greyer_as_the_dark_lies_elsewhere_in_each_frame() -> None:
    wide, slits = in_shade(0.2, 1), [half_dark(0.05, side) for side in (-1, 1)] * 2
    lit, usual = (merged_from(inside_of(wide, *each).tobytes(), BALANCED.density) for each in (slits, [in_shade(0.05, 1)] * 4))
    assert lit and usual
    assert lit.slit_end < 0.08
    assert usual.slit_end == pytest.approx(SLIT[1])
    grey, white = (
        across_teeth(0.05, merged.pack(replace(lit, slit_end=end), BALANCED.density)) for end in (SLIT[1], lit.slit_end)
    )
    assert np.median(white) > 1.1 * np.median(grey)


def test_a_mouth_that_opens_little_is_dark_where_the_clip_shows_nothing_but_dark_lip_then() -> None:
    luma, u, v = (round(float(value)) for value in from_rgb(0.8 * np.array(LIP, np.float32), BT601))
    slit = painted(0.09, (luma, u, v))
    assert lent(*slit).seen > 0.9
    assert lent(*slit).belief == 0
    wide = in_shade(0.2, 1)
    teeth, dark = (float(np.median(across_teeth(0.09, inside_of(*each)))) for each in ([wide], [wide, *[slit] * 4]))
    assert dark < 0.8 * teeth, (dark, teeth)


def under_lip(hanging: float) -> tuple[Planes, Floats]:
    """A face whose upper lip hangs so far (S) into its open mouth, which is dark under it."""
    luma, u, v = (round(float(value)) for value in from_rgb(np.array(LIP, np.float32), BT601))
    (planes, mesh), (dark, _) = painted(0.2, (luma, u, v)), painted(0.2, (60, 124, 136))
    row = round((mesh[13, 1] + hanging * pose_of(mesh).scale) / 2)
    planes.y[2 * row :], planes.u[row:], planes.v[row:] = dark.y[2 * row :], dark.u[row:], dark.v[row:]
    return planes, mesh


def test_upper_teeth_are_dark_where_enough_of_the_dark_is_seen_in_their_place_and_drawn_where_a_low_strip_is() -> None:
    def brightest(hanging: float) -> float:
        merged = merged_from(inside_of(under_lip(hanging)).tobytes(), BALANCED.density)
        assert merged
        return float(np.quantile(merged.upper[..., 0], 0.9))

    assert brightest(0.03) < 80
    assert brightest(0.065) > 140


def test_lips_beside_a_little_opening_are_as_light_as_the_clip_shows_them() -> None:
    def beside(of_lip: float) -> float:
        luma, u, v = (round(float(value)) for value in from_rgb(of_lip * np.array(LIP, np.float32), BT601))
        inside = merged_from(inside_of(in_shade(0.2, 1), painted(0.07, (luma, u, v))).tobytes(), BALANCED.density)
        assert inside
        return inside.beside

    assert beside(0.3) < 0.85
    assert 0.9 < beside(0.75) < 1.15


def test_a_frame_whose_lip_hides_its_teeth_does_not_make_the_teeth_of_others_grey() -> None:
    shown = [drawn(gap=gap, teeth=True) for gap in (0.08, 0.12, 0.16)]
    seen, hidden = (merged_from(inside_of(*each).tobytes(), BALANCED.density) for each in (shown, [*shown, drawn(gap=0.09)]))
    assert seen and hidden
    np.testing.assert_allclose(hidden.tone, seen.tone, atol=0.06)


def test_a_shade_is_what_is_seen_against_what_is_made_where_mouths_show_it() -> None:
    across = np.linspace(-1, 1, 60) * np.ones((30, 1))
    down = np.linspace(0, 1, 30)[:, None] * np.ones(60)
    places = Places.of(GAPS[-1], down, across)
    made = np.stack([np.full_like(down, 100), np.zeros_like(down), np.full_like(down, 10)], axis=-1).astype(np.float32)
    left = np.where(across < 0, np.float32(0.5), 1)[..., None]
    mouth = Shown(made * left + np.array([0, 0, 8], np.float32), made, np.ones_like(left[..., 0]), places)
    shade = learnt([mouth] * 40)
    assert shade[:-1, ..., 1:] == pytest.approx(0)
    assert shade[-1, :, 0] == pytest.approx(np.broadcast_to([0.5, 0, 8], (DOWN, 3)), abs=0.8)
    assert shade[-1, :, -1] == pytest.approx(np.broadcast_to([1.0, 0, 8], (DOWN, 3)), abs=0.8)
    np.testing.assert_allclose(at_places(shade, places)[[0, -1], [0, -1]], shade[-1, [0, -1], [0, -1]], rtol=1e-5)
    assert 0.55 < learnt([mouth])[-1, 0, 0, 0] < 0.9  # one mouth alone is believed less
    assert (learnt([]) == UNCHANGED).all()


def test_teeth_of_a_haze_of_many_frames_stand_out_as_in_each_of_them() -> None:
    across, down = np.meshgrid(np.linspace(-1, 1, 60), np.linspace(0, 1, 30))
    teeth = np.where(down[..., None] < 0.5, np.float32(1), np.float32(-1)) * np.array([20, 0, 0], np.float32)
    places, grey = Places.of(GAPS[1], down, across), np.array([100, 0, 0], np.float32)

    def learnt_of(seen: float, count: int = 40) -> Floats:
        mouth = Shown(grey + np.float32(seen) * teeth, grey + teeth, np.ones_like(places.down), places)
        return contrast_of([mouth] * count, UNCHANGED)

    np.testing.assert_allclose(learnt_of(1.14), [1, 1.1, 1], atol=0.02)  # known at this opening alone
    np.testing.assert_allclose(learnt_of(0.86), [1, 0.9, 1], atol=0.02)
    assert 1.04 < learnt_of(1.14, 1)[1] < 1.08  # one mouth alone is believed less
    np.testing.assert_allclose([learnt_of(4.0)[1], learnt_of(0)[1]], [MOST_CONTRAST, 1 / MOST_CONTRAST])
    np.testing.assert_allclose(learnt_of(1.14, 0), EQUAL)

    inside = merged_from(inside_of(drawn(gap=0.16, teeth=True)).tobytes(), BALANCED.density)
    assert inside
    packed = (merged.pack(replace(inside, contrast=EQUAL * factor), BALANCED.density) for factor in (1, 1.3))
    dull, clear = (opened(0.16, each).planes.y.astype(float) for each in packed)
    raised = clear - dull
    assert np.median(raised[raised > 5]) == pytest.approx(0.3 * (204 - 119), abs=3)  # teeth, and the mean between the lips
    assert np.abs(raised[dull < 90]).max() < 5  # the dark is as it was


@pytest.mark.parametrize(("seen", "supposed"), [(0.5, 0.5), (1.4, 1.0)])
def test_a_mouth_that_no_frame_shows_so_little_open_is_as_dark_as_a_wider_one_and_never_lighter(
    seen: float, supposed: float
) -> None:
    down = np.linspace(0, 1, 30)[:, None] * np.ones(60)
    across = np.linspace(-1, 1, 60) * np.ones((30, 1))
    made = np.full((30, 60, 3), [100, 0, 0], np.float32)
    wider = Shown(made * np.float32(seen), made, np.ones((30, 60), np.float32), Places.of(GAPS[1], down, across))
    shade = learnt([wider] * 40)[..., 0]
    np.testing.assert_allclose(shade[1], seen, atol=0.02)
    np.testing.assert_allclose(shade[0], supposed, atol=0.02)
    np.testing.assert_allclose(shade[2], 1)


def test_lips_that_are_seen_for_the_dark_of_a_corner_do_not_make_teeth_bright_there() -> None:
    across = np.linspace(-1, 1, 60) * np.ones((30, 1))
    places = Places.of(GAPS[-1], np.linspace(0, 1, 30)[:, None] * np.ones(60), across)
    made = np.zeros((30, 60, 3), np.float32)
    made[..., 0] = np.where(np.abs(across) < 0.5, 100, 20)
    seen = made.copy()
    seen[..., 0] = np.where(np.abs(across) < 0.5, 90, 60)
    shade = learnt([Shown(seen, made, np.ones((30, 60), np.float32), places)] * 40)[-1, ..., 0]
    light = shade * corner_light(np.abs(np.linspace(-1, 1, ACROSS)))
    np.testing.assert_allclose(light[:, ACROSS // 2], 0.9, atol=0.02)
    assert (np.diff(light[:, ACROSS // 2 :]) <= 1e-9).all(), "lighter than nearer to the middle"
    assert (np.diff(light[:, : ACROSS // 2 + 1]) >= -1e-9).all()


def test_corners_that_are_seen_lighter_than_usual_are_lighter() -> None:
    across = np.linspace(-1, 1, 60) * np.ones((30, 1))
    places = Places.of(GAPS[-1], np.linspace(0, 1, 30)[:, None] * np.ones(60), across)
    made, seen = np.zeros((2, 30, 60, 3), np.float32)
    made[..., 0], seen[..., 0] = 100 * corner_light(np.abs(across)), 90 - 30 * np.abs(across)
    light = learnt([Shown(seen, made, np.ones((30, 60), np.float32), places)] * 40)[-1, ..., 0]
    light *= corner_light(np.abs(np.linspace(-1, 1, ACROSS)))
    np.testing.assert_allclose(light[:, [1, -2]], 0.7, atol=0.05)
    assert (light[:, [0, -1]] > 0.5).all(), "the usual light is .4"


def test_teeth_towards_the_corners_are_in_their_shade_where_nothing_else_is_known() -> None:
    inside = merged_from(inside_of(drawn(gap=0.16, teeth=True)).tobytes(), BALANCED.density)
    assert inside
    across = np.array([[-0.75, -0.4, 0, 0.4, 0.75]])
    light = shade_at(replace(inside, shade=UNCHANGED), Places.of(0.15, np.full_like(across, 0.3), across))[0, :, 0]
    assert (light[1:4] > 0.99).all()
    assert (light[[0, 4]] < 0.75).all(), "of people, the light there is .5 to .6 of the middle's"


def test_the_upper_teeth_end_where_it_gets_dark_under_them() -> None:
    planes, mesh = drawn(gap=0.2, teeth=True)
    lender = lent(planes, mesh)
    inside = merged_from(inside_of((planes, mesh)).tobytes(), BALANCED.density)
    assert inside
    pose = pose_of(mesh)
    tip = pose.to_head(mesh[13] + np.array([0, 0.6 * 0.2 * pose.scale, 0]))[1] - shift_of(person().rest, lender.lips)
    assert inside.edge[len(inside.edge) // 2] == pytest.approx(tip, abs=0.012)


def palette(subject: Subject) -> Palette:
    tooth, lip, cavity, tongue = from_rgb(
        np.array([subject.tooth, subject.lip, subject.cavity, subject.tongue], np.float32), BT601
    )
    return Palette(lent(*drawn(gap=0.1)).cheeks, tooth, lip, cavity, tongue, BT601.black)


def test_the_red_dark_between_teeth_is_no_lip() -> None:
    of = palette(person())
    grey = np.array([of.black, 128, 128])

    def flesh(of_light: float, of_red: float) -> float:
        """Of a place with so much of the lips' light, and as far from the teeth's redness to the lips'."""
        red = grey + of_light * (of.lip - grey)
        pale = np.array([red[0], *(128 + (of.tooth[1:] - 128) * (red[0] - of.black) / of.level(of.tooth))])
        return float(of.flesh(np.broadcast_to(pale + of_red * (red - pale), (9, 9, 3)).astype(np.float32)).max())

    assert flesh(1, 1) > 0.9
    assert flesh(0.65, 1) < 0.1
    assert flesh(1, 0.7) < 0.1


@pytest.mark.parametrize("lip", [(55, 126, 138), (80, 175, 122)], ids=["nearly black", "blue"])
def test_beside_painted_lips_pink_teeth_are_teeth_and_no_lip(lip: tuple[int, int, int]) -> None:
    usual = palette(person())
    of = replace(usual, lip=np.array(lip, np.float64), tooth=np.array([190.0, 127.0, 140.0]))
    teeth = np.broadcast_to(np.array([150, 124, 152], np.float32), (9, 9, 3))
    assert usual.coloured
    assert of.tells_lips
    assert of.flesh(teeth).max() == 0
    assert of.pale(teeth).min() > 0.9


def test_lower_teeth_that_touch_the_upper_ones_do_not_say_where_these_end() -> None:
    planes, mesh = drawn(gap=0.12, teeth=True)
    clenched = planes.copy()
    dark = clenched.y < 60
    for plane, inside, light in ((clenched.y, dark, 215), (clenched.u, dark[::2, ::2], 124), (clenched.v, dark[::2, ::2], 130)):
        plane[inside] = light
    shown = [lent(clenched, mesh), lent(clenched, mesh), lent(planes, mesh)]
    tip = pose_of(mesh).to_head(mesh[13] + np.array([0, 0.6 * 0.12 * pose_of(mesh).scale, 0]))[1]
    tip -= shift_of(person().rest, shown[0].lips)
    subject = replace(person(), bite=np.array([person().bite[0], tip + 0.05, person().bite[2]]))
    grid, of = Grid.of(subject, 160), palette(subject)
    assert bite_of([on_grid(each, subject, grid, of) for each in shown], grid, of) == pytest.approx(tip, abs=0.01)


@pytest.mark.parametrize("of_jaw", [True, False])
def test_teeth_that_go_with_the_jaw_are_no_upper_ones(of_jaw: bool) -> None:
    shown = []
    for gap in (0.1, 0.12, 0.14, 0.16):
        planes, mesh = painted(gap, (40, 122, 140))
        scale, lip = pose_of(mesh).scale, mesh[14, 1] if of_jaw else drawn(gap=0.1)[1][14, 1]
        for tooth, height in enumerate((0.05, 0.08, 0.06, 0.07, 0.05)):
            x0, x1 = (round(float(mesh[14, 0]) + (tooth - 2.5 + side) * 0.05 * scale) for side in (0, 0.85))
            y0, y1 = round(float(lip) - height * scale), round(float(lip) + 0.01 * scale)
            planes.y[y0:y1, x0:x1], planes.u[y0 // 2 : y1 // 2, x0 // 2 : x1 // 2] = 200, 124
        shown.append(lent(planes, mesh))
    grid, of = Grid.of(person(), 160), palette(person())
    frames = [on_grid(each, person(), grid, of) for each in shown]
    assert show_lower_teeth(frames, grid) == of_jaw
    inside = merged_from(merge(shown, person(), BT601, BALANCED.density).tobytes(), BALANCED.density)
    assert inside
    over_lips = inside.edge[len(inside.edge) // 2] < hidden_bite(frames, grid) + HIGHER
    assert over_lips == of_jaw


@pytest.mark.parametrize(("x", "y"), [(0.016, 0.0), (0.0, 0.035)])
def test_frames_whose_meshes_have_the_teeth_elsewhere_are_laid_over_each_other(x: float, y: float) -> None:
    lender = lent(*with_gap(0.16))
    pose = lender.pose
    off = replace(lender, pose=replace(pose, anchor=pose.anchor + pose.scale * np.array([x, y, 0.0])))
    subject = person()
    grid, of = Grid.of(subject, 160), palette(subject)
    frames = aligned([on_grid(each, subject, grid, of) for each in (lender, off)], grid, of)
    assert all(frame.known for frame in frames)
    assert np.subtract(frames[0].off, frames[1].off) == pytest.approx([x, y], abs=0.003)
    both = np.minimum(*(frame.upper.shown for frame in frames)) > 0.9
    assert np.corrcoef(*(frame.upper.yuv[both, 0] for frame in frames))[0, 1] > 0.97


def as_patch(lender: Lender) -> Patch:
    return Patch(lender.planes, BT601, lender.pose, np.zeros((478, 3)))


def own_row_of(inside: Merged, lender: Lender, shift: float = 0.0, asked: Lender | None = None) -> Row:
    """What a frame says of its teeth whose lips are to be as those of `asked`; as they are without."""
    lips = (asked or lender).lips
    shape = Asked(lips.upper_inner, lips.lower_inner, lips.upper_outer, lips.lower_outer, 0.0, shift)
    return own_row(inside, as_patch(lender), lender.lips, lender.cheeks, shape)


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.006), (0.03, 0.0), (0.0, 0.04)])
def test_teeth_lie_where_the_frame_shows_its_own_or_on_the_way_there(x: float, y: float) -> None:
    lender, subject = lent(*with_gap(0.16)), person()
    inside = merged_from(inside_of(with_gap(0.16)).tobytes(), BALANCED.density)
    assert inside
    pose = lender.pose
    off = replace(lender, pose=replace(pose, anchor=pose.anchor + pose.scale * np.array([x, y, 0.0])))
    shifts = (shift_of(subject.rest, each.lips) for each in (lender, off))
    rows = [own_row_of(inside, each, s) for each, s in zip((lender, off), shifts, strict=True)]
    here, there = ((row.x, row.y) for row in rows)
    assert np.hypot(*here) < 0.003
    if np.hypot(x, y) < FARTHEST:
        assert np.subtract(here, there) == pytest.approx([x, y], abs=0.002)
    else:
        assert there == pytest.approx(-FARTHEST * np.array([x, y]) / np.hypot(x, y), abs=0.002)


def test_a_frame_that_shows_no_teeth_does_not_say_where_they_are() -> None:
    inside = merged_from(inside_of(with_gap(0.16)).tobytes(), BALANCED.density)
    assert inside
    for frame in (lent(*painted(0.16)), lent(*drawn(gap=0.01, teeth=True))):
        assert own_row_of(inside, frame).x == 0
    slit = lent(*drawn(gap=0.01, teeth=True))
    assert own_row_of(inside, slit) == MERGED_ROW


def test_teeth_are_drawn_in_the_light_in_which_the_frame_shows_its_own() -> None:
    inside, subject = inside_of(with_gap(0.16)), measure(*shut())

    def light(of_frame: float) -> float:
        planes, mesh = in_shade(0.16, of_frame)
        asked = MouthRequest(target(0.10, width=person().rest.width), subject, "photo", BALANCED, inside)
        made = render(planes, BT601, mesh, asked).planes
        x, y = np.round(mesh[13, :2]).astype(int)
        rows = made.y[y : y + 24, x - 12 : x - 2]
        return float(np.percentile(rows, 80)) - 16

    assert light(0.8) / light(1.0) == pytest.approx(0.83, abs=0.03)
    assert light(0.1) / light(1.0) > 0.7  # nothing is as dark that shows teeth


def test_the_light_of_teeth_does_not_come_at_once_as_the_lips_of_a_frame_part() -> None:
    inside = merged_from(inside_of(with_gap(0.16)).tobytes(), BALANCED.density)
    assert inside
    frames = [lent(*in_shade(gap, 0.7)) for gap in np.arange(0.02, 0.17, 0.01)]
    lights = [own_row_of(inside, each).light for each in frames]
    assert lights[0] == 1
    assert lights[-1] < 0.9
    assert np.abs(np.diff(lights)).max() < 0.1


def test_teeth_of_a_mouth_that_is_to_open_wider_are_not_grey_for_the_dark_under_the_frames_lip() -> None:
    inside = merged_from(inside_of(with_gap(0.16)).tobytes(), BALANCED.density)
    assert inside
    dim, wide = lent(*in_shade(0.12, 0.5)), lent(*with_gap(0.22))
    assert own_row_of(inside, dim).light < 0.85
    assert own_row_of(inside, dim, asked=wide).light == 1
    lit = lent(*in_shade(0.12, 1.2))
    assert own_row_of(inside, lit, asked=wide).light == own_row_of(inside, lit).light


def test_teeth_of_a_mouth_that_is_to_be_broader_are_not_grey_for_the_shade_in_a_rounded_one() -> None:
    inside = merged_from(inside_of(with_gap(0.16)).tobytes(), BALANCED.density)
    assert inside
    dim = lent(*in_shade(0.12, 0.7))

    def light(broader: float) -> float:
        stretch = np.array([broader, 1.0, 1.0])
        lines = ("upper_inner", "lower_inner", "upper_outer", "lower_outer")
        lips = replace(dim.lips, **{line: getattr(dim.lips, line) * stretch for line in lines})
        return own_row_of(inside, dim, asked=replace(dim, lips=lips)).light

    lights = [light(broader) for broader in (1.0, 1.15, 1.3)]
    assert lights[0] < 0.9
    assert lights[0] < lights[1] < lights[2] == 1


def test_teeth_are_not_grey_for_the_dark_under_a_row_that_the_frame_shows_shorter() -> None:
    planes, mesh = drawn(gap=0.16, teeth=True)
    inside = merged_from(inside_of((planes, mesh)).tobytes(), BALANCED.density)
    assert inside
    whole = own_row_of(inside, lent(planes, mesh)).light
    rows = slice(int(mesh[13, 1]) + round(0.06 * pose_of(mesh).scale), int(mesh[14, 1]))
    mouth = rows, slice(int(mesh[61, 0]), int(mesh[291, 0]))
    planes.y[mouth] = np.minimum(planes.y[mouth], 40)
    assert own_row_of(inside, lent(planes, mesh)).light == pytest.approx(whole, abs=0.05)


def test_a_stray_pixel_over_the_teeth_leaves_no_hole_in_the_row() -> None:
    seen = np.zeros((28, 40), np.float32)
    seen[16:24, 8:32] = 1
    seen[2, 10:20:3] = 1
    row = grown_up(np.full((28, 40, 3), 200, np.float32) * seen[..., None], seen, np.array([20.0, 128, 128]), 160)
    assert np.isfinite(row).all()
    assert row[12:24, 8:32, 0].min() > 120


def test_drawn_teeth_stand_before_the_dark_of_the_mouth_and_not_before_black() -> None:
    """Of a clip that shows too little of its own."""
    inside = merged_from(inside_of(drawn(gap=0.16)).tobytes(), BALANCED.density)
    assert inside
    cavity = from_rgb(with_teeth(person(), [lent(*drawn(gap=0.16))], BT601).cavity.astype(np.float32)[None], BT601)[0, 0]
    assert inside.upper[..., 0].max() > 120
    assert inside.upper[..., 0].min() > cavity - 12


def test_a_drawn_row_has_no_dark_notches_over_the_edge_at_which_it_is_cut_off() -> None:
    subject = replace(person(), cavity=np.array([20.0, 10, 10]))
    of, grid = palette(subject), Grid.of(subject, 400.0)
    row = upper_row([], np.full(len(grid.x), grid.bite), subject, grid, of, BT601)[0]
    tips = int(np.abs(grid.y - grid.bite + 0.004).argmin())
    level = of.level(row[tips])[np.abs(grid.aside) < 0.2]
    assert level.min() > 0.5 * np.median(level)


def test_a_row_of_which_too_little_is_seen_is_drawn_whole() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    row, column = int(np.abs(grid.y - grid.bite + 0.02).argmin()), len(grid.x) // 2 + 6
    speck = np.zeros_like(frame.upper.shown)
    speck[row - 4 : row + 4, column : column + 8] = 1
    few = replace(frame, upper=replace(frame.upper, shown=speck))
    edge = np.full(len(grid.x), grid.bite)
    seen, unseen = (upper_row(frames, edge, subject, grid, of, BT601)[0] for frames in ([few], []))
    np.testing.assert_array_equal(seen, unseen)


@pytest.mark.parametrize("flesh", [False, True])
def test_a_mouth_that_hardly_opens_is_drawn_whole(flesh: bool) -> None:
    """Two teeth, or flesh in shade that is taken for the dark, went on up to the gum as a slab."""
    (planes, mesh), half = drawn(gap=0.07, teeth=True), round(0.1 * pose_of(drawn()[1]).scale)
    for plane, dark in zip((planes.y, planes.u, planes.v), vars(drawn(gap=0.07)[0]).values(), strict=True):
        beside = np.abs(np.arange(plane.shape[1]) / plane.shape[1] - 0.5) > half / SIZE
        plane[:, beside] = dark[:, beside]
    shown = painted(0.07, (70, 124, 142)) if flesh else (planes, mesh)
    assert merged_from(inside_of(shown).tobytes(), BALANCED.density) is None
    assert merged_from(inside_of(drawn(gap=0.07, teeth=True)).tobytes(), BALANCED.density)


def test_the_dark_beside_teeth_is_no_gap_in_their_row() -> None:
    """Under the lip of a mouth that shows its front teeth alone."""
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    high = (grid.y > grid.bite - 0.08)[:, None]
    yuv = np.where((high & (grid.aside > 0.04))[..., None], [30.0, 128, 128], of.tooth).astype(np.float32)
    front = replace(frame.upper, yuv=yuv, shown=(high & (np.abs(grid.aside + 0.04) < 0.16)).astype(np.float32))
    row = upper_row([replace(frame, upper=front)], np.full(len(grid.x), grid.bite), subject, grid, of, BT601)[0]
    tips = (grid.y > grid.bite - 0.04) & (grid.y < grid.bite - 0.02)
    level = of.level(row[tips][:, (grid.aside > 0.07) & (grid.aside < 0.10)])
    assert np.median(level) > 0.8 * of.level(of.tooth)


def row_of(yuv: Floats, shown: Floats, subject: Subject, grid: Grid, of: Palette) -> Floats:
    """The upper teeth of a frame that shows this on the grid: h x w x 3 Y, U, V, or what can be broadcast; and h x w, 0..1."""
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    front = replace(
        frame.upper, yuv=np.array(np.broadcast_to(yuv, frame.upper.yuv.shape), np.float32), shown=shown.astype(np.float32)
    )
    return upper_row([replace(frame, upper=front)], np.full(len(grid.x), grid.bite), subject, grid, of, BT601)[0]


def test_gums_over_teeth_do_not_hang_under_the_lip_that_comes_down() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    dim = np.array([BT601.black + 0.4 * of.level(of.lip), *(128 + 0.4 * (of.lip[1:] - 128))])
    between = np.where(np.abs(grid.aside) < 0.008, 0.7, 1)[None, :, None]
    teeth = np.array([BT601.black, 128, 128]) + between * (of.tooth - [BT601.black, 128, 128])
    yuv = np.where((grid.y < grid.bite - 0.055)[:, None, None], dim, teeth)
    shown = (grid.y > grid.bite - 0.11)[:, None] & (np.abs(grid.aside) < 0.16)
    row = row_of(yuv, shown, subject, grid, of)
    high = (grid.y > grid.bite - 0.09) & (grid.y < grid.bite - 0.07)
    there = row[high][:, np.abs(grid.aside) < 0.12]
    assert of.redness(there).max() < 0.3 and np.median(of.level(there)) > 0.7 * of.level(of.tooth)


def test_a_tooth_that_gums_cut_off_does_not_get_the_other_halfs_gap_on_top() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    gap = np.abs(grid.aside + 0.06) < 0.01
    yuv = np.where(gap[None, :, None], [60.0, 128, 128], of.tooth)
    low = (np.abs(grid.aside - 0.06) < 0.02) & (grid.y < grid.bite - 0.045)[:, None]
    shown = (grid.y > grid.bite - 0.08)[:, None] & (np.abs(grid.aside) < 0.16) & ~low
    row = row_of(yuv, shown, subject, grid, of)
    high = (grid.y > grid.bite - 0.07) & (grid.y < grid.bite - 0.055)
    assert of.level(row[high][:, np.abs(grid.aside - 0.06) < 0.008]).min() > 0.6 * of.level(of.tooth)


def test_peaks_of_gum_between_teeth_in_shade_do_not_get_bright_bars_of_the_other_half() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 160.0)
    light = np.where(grid.aside > 0, 0.55, 1)[None, :, None]
    yuv = np.array([BT601.black, 128, 128]) + light * (of.tooth - [BT601.black, 128, 128])
    peaks = (np.abs(np.abs(grid.aside - 0.08) - 0.03) < 0.015) & (grid.y < grid.bite - 0.03)[:, None]
    shown = (grid.y > grid.bite - 0.08)[:, None] & (np.abs(grid.aside) < 0.16) & ~peaks
    row = row_of(yuv, shown, subject, grid, of)
    high = (grid.y > grid.bite - 0.09) & (grid.y < grid.bite - 0.01)
    assert of.level(row[high][:, (grid.aside > 0.03) & (grid.aside < 0.14)]).max() < 0.7 * of.level(of.tooth)


def test_drawn_teeth_beside_bright_ones_are_not_grey() -> None:
    """Of a row of which most lies in shade."""
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    high = (grid.y > grid.bite - 0.08)[:, None]
    shade = np.where(np.abs(grid.aside % 0.08) < 0.01, 0.5, 0.6)
    light = np.where(np.abs(grid.aside) > 0.10, 1, shade) * np.ones((len(grid.y), 1))
    yuv = np.stack([of.tooth[0] * light, *(np.full_like(light, value) for value in of.tooth[1:])], axis=-1).astype(np.float32)
    front = replace(frame.upper, yuv=yuv, shown=(high & (np.abs(grid.aside) < 0.16)).astype(np.float32))
    row = upper_row([replace(frame, upper=front)], np.full(len(grid.x), grid.bite), subject, grid, of, BT601)[0]
    tips = (grid.y > grid.bite - 0.04) & (grid.y < grid.bite - 0.02)
    for side in (-1, 1):
        beside = of.level(row[tips][:, (side * grid.aside > 0.17) & (side * grid.aside < 0.22)])
        assert np.median(beside) > 0.65 * of.level(of.tooth)


def test_a_little_of_the_dark_over_lower_teeth_does_not_leave_a_hole_in_a_row_that_is_drawn() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    high = (np.abs(grid.y - grid.bite + 0.02) < 0.03)[:, None]
    dark = high & (grid.aside > 0.05) & (grid.aside < 0.20)
    yuv = np.where(dark[..., None], [30.0, 128, 128], of.tooth).astype(np.float32)
    little = replace(frame, upper=replace(frame.upper, yuv=yuv, shown=dark.astype(np.float32)))
    edge = np.full(len(grid.x), grid.bite)
    seen, unseen = (upper_row(frames, edge, subject, grid, of, BT601)[0] for frames in ([little], []))
    np.testing.assert_array_equal(seen, unseen)


def under_a_lip(light: float, share: float) -> tuple[Frame, Grid, Palette, Floats]:
    """A frame whose whole row of teeth has one colour, and at its lip so much of its light and such a share of the lip's, less
    and less down to .05 S; and how far each row of pixels lies under the lip."""
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 200.0)
    under = grid.y - (grid.bite - 0.11)
    near = np.clip(1 - under / 0.05, 0, 1)[:, None, None]
    grey, lit = np.array([of.black, 128, 128]), of.light_of(of.cheeks)
    to_lip = (of.lip[1:] - 128) * lit / of.light_of(of.lip) - (of.tooth[1:] - 128) * lit / of.light_of(of.tooth)
    tint = np.array([0, *(to_lip * min(of.light_of(of.tooth) / lit, 1))])
    yuv = grey + (of.tooth - grey) * (1 - (1 - light) * near) + share * near * tint
    wide = np.ones((1, len(grid.x), 1))
    shown = ((under > 0.004) & (grid.y < grid.bite))[:, None] * wide[..., 0]
    frame = on_grid(lent(*drawn(gap=0.16, teeth=True)), subject, grid, of)
    layer = replace(frame.upper, yuv=(yuv * wide).astype(np.float32), shown=shown.astype(np.float32))
    return replace(frame, upper=layer, top=np.full(len(grid.x), grid.bite - 0.11)), grid, of, under


def test_teeth_are_merged_without_the_shade_and_the_red_of_the_lip_that_lay_over_them() -> None:
    frame, grid, of, under = under_a_lip(0.5, 0.3)
    lies, laid = lip_shades([frame], np.full(len(grid.x), grid.bite), grid, of)
    bare = without(frame, lies, grid, of).upper.yuv[(under > 0.008) & (under < 0.09)][:, np.abs(grid.aside) < 0.2]
    np.testing.assert_allclose(of.level(bare), of.level(of.tooth), rtol=0.12)
    np.testing.assert_allclose(of.redness(bare), 0, atol=0.12)
    # And it lies under the new lip as it did under the clip's.
    np.testing.assert_allclose(laid[:, 0], np.clip(1 - 0.5 * (1 - STEP * np.arange(1, PLACES + 1) / 0.05), 0, 1), atol=0.06)


def test_a_merged_row_has_no_dark_line_where_the_lip_of_the_clip_was() -> None:
    planes, mesh = drawn(gap=0.22, teeth=True)
    unit, inside = pose_of(mesh).scale, painted(0.22)[0].y == GREEN[0]
    top = np.argmax(inside, axis=0)
    under = (np.arange(SIZE)[:, None] - top) / unit
    dimmed = 1 - 0.4 * np.clip(1 - under / 0.04, 0, 1)
    planes.y[inside] = np.round(planes.y * dimmed)[inside]
    merged_row = merged_from(inside_of((planes, mesh)).tobytes(), BALANCED.density)
    assert merged_row
    middle = merged_row.upper.shape[1] // 2
    last = int((merged_row.edge.mean() - merged_row.top - 0.02) * merged_row.density)
    column = merged_row.upper[:last, middle - 8 : middle + 8, 0].mean(axis=1)
    assert column[-round(0.10 * merged_row.density) :].min() > 0.85 * column[-1]


def test_where_no_frame_shows_the_teeth_under_a_lip_it_shades_them_as_lips_usually_do() -> None:
    frame, grid, of, _ = under_a_lip(0.5, 0.3)
    hidden = replace(frame, upper=replace(frame.upper, shown=np.zeros_like(frame.upper.shown)))
    lies, laid = lip_shades([hidden], np.full(len(grid.x), grid.bite), grid, of)
    np.testing.assert_array_equal(lies, np.tile([1.0, 0, 0], (PLACES, 1)))
    np.testing.assert_array_equal(laid[:, 0], USUAL[0])


def test_the_shade_of_a_lip_ends_under_it() -> None:
    shade = np.column_stack([USUAL[0], USUAL[1], USUAL[1]])
    on = shade_under(shade, np.array([[0.0, STEP, 2.5 * STEP, 0.2]]))
    np.testing.assert_allclose(on[0, :, 0], [USUAL[0][0], USUAL[0][0], (USUAL[0][1] + USUAL[0][2]) / 2, 1], rtol=1e-4)


def test_what_one_frame_does_not_show_another_one_does() -> None:
    narrow, wide = with_gap(0.05), with_gap(0.22)
    alone, both = (merged_from(inside_of(*shown).tobytes(), BALANCED.density) for shown in ([narrow], [narrow, wide]))
    assert alone and both
    assert both.opened[both.levels - 1] > alone.opened[alone.levels - 1] + 0.04


def test_under_the_teeth_it_is_as_most_frames_that_are_as_far_open_show_it() -> None:
    bright, other = painted(0.16), painted(0.16, (40, *GREEN[1:]))
    levels = [
        float(np.median(known.below[0][:20, known.below[0].shape[1] // 2, 0]))
        for shown in ([bright], [other, bright, bright], [bright, other, other], [other])
        if (known := merged_from(inside_of(*shown).tobytes(), BALANCED.density))
    ]
    assert len(levels) == 4
    assert levels[0] == pytest.approx(levels[1], abs=8)
    assert levels[2] == pytest.approx(levels[3], abs=8)
    assert levels[0] > levels[3] + 30


def test_pictures_of_like_openings_that_differ_do_not_replace_each_other_at_once() -> None:
    inside = inside_of(painted(0.12, (50, *GREEN[1:])), painted(0.145, (150, *GREEN[1:])))
    made = [opened(gap, inside).planes for gap in (0.10, 0.12, 0.16)]
    light = [planes.y[::2, ::2][is_green(planes)].mean() for planes in made]
    assert light[-1] > light[0] + 30
    assert light[1] - light[0] < 0.5 * (light[-1] - light[0])


def test_a_frame_that_shows_lips_for_an_inside_is_not_believed() -> None:
    planes, mesh = drawn(gap=0.16)
    x, y = ((mesh[0] + mesh[13]) / 2)[:2].round().astype(int)
    shown = painted(0.16, (int(planes.y[y, x]), int(planes.u[y // 2, x // 2]), int(planes.v[y // 2, x // 2])))
    assert lent(*shown).belief == 0
    inside = inside_of(shown)
    assert merged_from(inside.tobytes(), BALANCED.density) is None
    assert np.array_equal(opened(0.12, inside).planes.y, opened(0.12, None).planes.y)


def fingers_in(planes: Planes, mesh: Floats, colour: Floats) -> Planes:
    """An open mouth of whose opening the middle shows a thing of this colour (Y, U, V) up to the upper teeth."""
    half = 0.2 * float(mesh[308, 0] - mesh[78, 0])
    middle, top, bottom = float(mesh[13, 0]), int(mesh[[13, 14], 1].mean()), int(mesh[14, 1])
    left, right = round(middle - half), round(middle + half)
    planes.y[top:bottom, left:right] = colour[0]
    for plane, level in ((planes.u, colour[1]), (planes.v, colour[2])):
        plane[top // 2 : (bottom + 1) // 2, left // 2 : right // 2] = level
    return planes


def test_a_frame_in_which_fingers_reach_into_the_mouth_lends_nothing() -> None:
    tongue = from_rgb(np.array([165, 80, 80], np.float32), BT601)
    for colour, seen in ((BT601_SKIN, 0), (0.8 * (BT601_SKIN - 128) + 128 - [20, 0, 0], 0), (tongue, 1)):
        planes, mesh = drawn(gap=0.16, teeth=True)
        assert lent(fingers_in(planes, mesh, colour), mesh).seen == seen


def test_fingers_that_reach_into_a_mouth_for_a_few_frames_are_no_part_of_its_inside() -> None:
    free = [drawn(gap=gap, teeth=True) for gap in (0.1, 0.12)]
    covered = [(fingers_in(*drawn(gap=gap, teeth=True), BT601_SKIN), drawn(gap=gap)[1]) for gap in (0.16, 0.18)]
    assert np.array_equal(inside_of(*free, *covered), inside_of(*free))


def test_teeth_as_red_as_skin_that_hang_from_above_are_no_fingers() -> None:
    planes, mesh = drawn(gap=0.16, teeth=True)
    higher = mesh.copy()
    higher[:, 1] -= (mesh[14, 1] - mesh[13, 1]) / 2
    assert lent(fingers_in(planes, higher, BT601_SKIN), mesh).seen == 1


def test_where_teeth_have_the_colour_of_skin_these_are_no_fingers() -> None:
    planes, mesh = drawn(gap=0.16, teeth=True)
    fingers, alike = fingers_in(planes, mesh, BT601_SKIN), replace(person(), tooth=person().skin)
    assert lender_from(lend(fingers, BT601, mesh, alike, BALANCED.side).tobytes(), BALANCED.side).seen == 1


def test_a_frame_that_shows_more_lip_than_teeth_does_not_make_the_teeth_red() -> None:
    planes, mesh = drawn(gap=0.14, teeth=True)
    off = mesh.copy()
    off[[191, 80, 81, 82, 13, 312, 311, 310, 415], 1] -= 0.02 * pose_of(mesh).scale
    inside = merged_from(inside_of((planes, off)).tobytes(), BALANCED.density)
    assert inside
    row = inside.upper[:, len(inside.upper[0]) // 2]
    assert row[row[:, 0] > 120, 2].max() < 150  # V of the lips: over 160


def two_rows(opening: float, shown: float = 0.14) -> tuple[Floats, int, int, int]:
    """Luma down the middle of a mouth that is as far open, of a clip that shows two rows of teeth in an opening of `shown`;
    where the clip's lips and the seam between its rows are."""
    giver, at = drawn(gap=shown)
    top, bottom = int(at[13, 1]), int(at[14, 1])
    seam = (top + bottom) // 2
    dark = giver.y < 60
    for plane, inside, light in ((giver.y, dark, 215), (giver.u, dark[::2, ::2], 124), (giver.v, dark[::2, ::2], 130)):
        plane[inside] = light
    giver.y[seam - 1 : seam + 2][dark[seam - 1 : seam + 2]] = 90
    return opened(opening, inside_of((giver, at))).planes.y[:, SIZE // 2], top, seam, bottom


def rows_with_gaps(upper: int, lower: int) -> tuple[Planes, Floats]:
    """An open mouth with two rows of teeth, and dark lines of so many grey levels between those of each."""
    planes, mesh = drawn(gap=0.14)
    seam, unit = int(mesh[[13, 14], 1].mean()), pose_of(mesh).scale
    dark = planes.y < 60
    for plane, inside, light in ((planes.y, dark, 215), (planes.u, dark[::2, ::2], 124), (planes.v, dark[::2, ::2], 130)):
        plane[inside] = light
    planes.y[seam - 1 : seam + 2][dark[seam - 1 : seam + 2]] = 60
    lines = np.arange(SIZE) % round(0.06 * unit) < 2
    for rows, depth in ((slice(0, seam - 1), upper), (slice(seam + 2, SIZE), lower)):
        planes.y[rows][dark[rows] & lines] -= np.uint8(depth)
    return planes, mesh


def gaps_in(*shown: tuple[Planes, Floats]) -> float:
    """Grey levels between the lightest and the darkest of the lower teeth that are merged from these frames."""
    inside = merged_from(inside_of(*shown).tobytes(), BALANCED.density)
    assert inside
    rows, middle = round(0.02 * inside.density), inside.upper.shape[1] // 2
    return float(np.ptp(inside.below[-1][rows, middle - 25 : middle + 25, 0]))


def test_lower_teeth_have_the_gaps_that_the_clearest_frames_show_and_not_the_frame_that_is_sharp_elsewhere() -> None:
    band, single = rows_with_gaps(150, 0), rows_with_gaps(0, 60)
    assert gaps_in(band) < 12
    assert gaps_in(band, single, single) > 25


def test_gaps_that_one_frame_alone_shows_are_not_put_between_the_lower_teeth_of_others() -> None:
    band, single = rows_with_gaps(150, 0), rows_with_gaps(0, 60)
    assert gaps_in(band, band, single) < 12


def test_the_shaded_end_of_a_lower_row_is_no_line_across_wider_pictures() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    wide = np.tile(of.tooth, (len(grid.up), len(grid.x), 1)).astype(np.float32)
    shaded = wide.copy()
    shaded[..., 0] *= np.interp(np.abs(grid.aside), (0.09, 0.12), (1, 0.8))[None]
    shown = np.broadcast_to((np.abs(grid.aside) < 0.12).astype(np.float32), wide.shape[:2])
    row = lower_row([Layer(shaded, shown)] * 2, grid, of)
    assert row.known.sum() > 0.18 * grid.density
    np.testing.assert_allclose(with_gaps(wide, row, grid, of)[10, :, 0], of.tooth[0], rtol=0.05)  # .12 darker with these ends


def test_gaps_between_lower_teeth_end_where_these_do_and_not_on_a_tongue_that_is_as_pale() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    pale = np.tile(of.tooth, (len(grid.up), len(grid.x), 1)).astype(np.float32)
    single = pale.copy()
    gaps = np.abs((grid.aside + 0.03) % 0.06 - 0.03) < 0.007
    single[np.ix_(grid.up < 0.05, gaps)] *= np.array([0.75, 1, 1])
    shown = np.broadcast_to((np.abs(grid.aside) < 0.2).astype(np.float32), pale.shape[:2]) * (grid.up < 0.12)[:, None]
    luma = with_gaps(pale, lower_row([Layer(single, shown)] * 2, grid, of), grid, of)[..., 0]
    middle = np.abs(grid.aside) < 0.1
    at_teeth, over_them = (np.ptp(luma[row, middle]) for row in np.searchsorted(grid.up, (0.02, 0.09)))
    assert at_teeth > 0.15 * of.tooth[0]  # a line that was looked for in tongue and teeth alike was .12 of the tooth's light
    assert over_them < 1


def test_lower_teeth_go_with_the_jaw_and_it_is_dark_over_them() -> None:
    column, top, _, bottom = two_rows(0.24)
    white = np.flatnonzero(column > 170)
    rows = [row for row in np.split(white, np.flatnonzero(np.diff(white) > 1) + 1) if top - 20 < row[0] < bottom + 20]
    upper, *_, lower = (row for row in rows if len(row) > 3)
    assert column[upper[-1] : lower[0]].min() < 110


def test_soft_edges_of_teeth_are_no_bright_dashes_in_the_dark_over_the_lower_row() -> None:
    subject = person()
    of, grid = palette(subject), Grid.of(subject, 120.0)
    picture = np.tile(of.cavity, (len(grid.up), len(grid.x), 1)).astype(np.float32)
    top, end = np.searchsorted(grid.up, [0.06, 0.1])
    picture[:end] = of.tooth
    picture[end] = [of.tooth[0], 112, 182]  # their edge: as light, but redder
    dark = of.level(dark_above(picture, np.full(len(grid.x), 0.06), grid, of))
    np.testing.assert_allclose(dark[: top - 3], of.level(of.tooth), atol=1)
    assert dark[end - 1 :].max() - of.level(of.cavity) < 0.4 * (of.level(of.tooth) - of.level(of.cavity))


def test_no_black_line_flashes_between_the_rows_of_a_mouth_that_is_little_open() -> None:
    column, top, _, bottom = two_rows(0.08, shown=0.07)
    near = column[top - 16 : bottom + 24]
    teeth = np.flatnonzero(near > 150)
    teeth = teeth[teeth > 14]  # above is the upper lip's skin
    assert near[teeth[0] : np.flatnonzero(near > 180)[-1]].min() > 60


@pytest.mark.parametrize("shown", [0.14, 0.18, 0.22])
def test_in_a_mouth_less_open_than_the_clips_the_dark_line_between_the_rows_stays(shown: float) -> None:
    column, *_ = two_rows(0.09, shown)
    teeth = np.flatnonzero(column > 190)
    teeth = teeth[np.abs(teeth - np.median(teeth)) < 60]
    assert column[teeth[0] : teeth[-1]].min() < 135


@pytest.mark.parametrize("room", [0.05, 0.0])
def test_what_lies_under_the_teeth_is_as_high_in_a_mouth_wider_open_than_the_clips(room: float) -> None:
    inside = merged_from(inside_of(drawn(gap=0.14, teeth=True)).tobytes(), BALANCED.density)
    assert inside
    # In a room of 0 S nothing was seen: what is drawn there must not be squeezed, so that it is dark to the lip.
    picture, one = np.full_like(inside.below[0], 40), np.eye(merged.LEVELS)[0]
    picture[: round(0.045 * inside.density)] = 220
    heights = np.outer(one, np.full(merged.POINTS, room or merged.DEEP))
    upper = np.full_like(inside.upper, 90)
    little = replace(inside, levels=1, opened=room * one, heights=heights, below=(picture,), upper=upper)
    for opening in (0.12, 0.20):
        column = opened(opening, merged.pack(little, BALANCED.density)).planes.y[150:230, SIZE // 2]
        light = column > 190
        assert abs(light.sum() / 160 - 0.045) < 0.011  # 160 pixels in S


def test_the_shine_of_a_lip_close_under_the_teeth_is_no_tooth() -> None:
    planes, mesh = drawn(gap=0.09, teeth=True)
    (column, row), unit = np.round(mesh[14, :2]).astype(int), pose_of(mesh).scale
    planes.y[row - round(0.022 * unit) : row, column - 5 : column + 5] = 225
    made, lips = opened(0.2, inside_of((planes, mesh))).planes, shut()[2]
    under = made.y[round(lips[13, 1] + 0.08 * unit) : round(lips[13, 1] + 0.17 * unit), round(lips[13, 0])]
    assert under.max() < 150


def test_a_spot_that_shines_in_one_frame_does_not_shine_in_all() -> None:
    def brightest(radius: int) -> int:
        planes, mesh = painted(0.16, (80, 122, 150))
        x, y = np.round(mesh[14, :2] - [0, 0.05 * pose_of(mesh).scale]).astype(int)
        cv2.circle(planes.y, (int(x), int(y)), radius, (235,), -1)
        made, lips = opened(0.2, inside_of((planes, mesh))).planes, shut()[2]
        middle, unit = np.round(lips[13, :2]).astype(int), pose_of(lips).scale
        around = made.y[middle[1] + round(0.06 * unit) : middle[1] + round(0.15 * unit), middle[0] - 20 : middle[0] + 20]
        return int(around.max())

    assert brightest(8) > 180  # as large as a tooth
    assert brightest(1) < 150


def test_what_shines_on_the_flesh_beside_the_dark_of_a_mouth_is_no_crumb_in_it() -> None:
    def at_its_place(shines: bool) -> float:
        planes, mesh = painted(0.16, (80, 122, 150))
        unit = pose_of(mesh).scale
        x, y = np.round(mesh[14, :2] + [0.13 * unit, -0.06 * unit]).astype(int)
        hole = np.abs(planes.y.astype(int) - 80) < 1
        within = np.hypot(*np.ogrid[-y : SIZE - y, -x : SIZE - x]) < 0.05 * unit
        lip = from_rgb(person().lip.astype(np.float32), BT601)
        for plane, colour in zip((planes.y, planes.u, planes.v), lip, strict=True):
            step = SIZE // len(plane)
            plane[(hole & within)[::step, ::step]] = colour
        if shines:
            cv2.circle(planes.y, (int(x), int(y)), round(0.022 * unit), (225,), -1)
            for plane in (planes.u, planes.v):
                cv2.circle(plane, (int(x) // 2, int(y) // 2), round(0.011 * unit), (126,), -1)
        made, lips = opened(0.2, inside_of((planes, mesh))).planes, shut()[2]
        middle = lips[13, :2] + [0.13 * unit, 0.09 * unit]
        left, top = np.round(middle - 0.04 * unit).astype(int)
        size = round(0.08 * unit)
        return float(np.quantile(made.y[top : top + size, left : left + size], 0.95))

    assert at_its_place(True) < at_its_place(False) + 15


def test_a_clip_without_colour_lends_what_lies_under_its_teeth_only_where_lips_are_much_darker_than_these() -> None:
    own = float(from_rgb(np.array(LIP, np.float32), BT601)[0])

    def known(colour: float, lip: float | None = None) -> Merged:
        (planes, colours, mesh), (giver, at) = shut(), drawn(gap=0.2, teeth=True)
        for frame in (planes, giver):
            for plane in (frame.u, frame.v):
                plane[:] = 128 + colour * (plane.astype(float) - 128)
            if lip is not None:
                frame.y[np.abs(frame.y - own) < 3] = lip
        subject = SUBJECT.unpack(measure(planes, colours, mesh))
        lender = lender_from(lend(giver, colours, at, subject, BALANCED.side).tobytes(), BALANCED.side)
        inside = merged_from(merge([lender], subject, colours, BALANCED.density).tobytes(), BALANCED.density)
        assert inside is not None
        return inside

    assert known(1.0).opened.any()
    assert known(0.0).opened.any()
    assert not known(0.0, lip=180).opened.any()


def test_without_colour_the_shine_of_a_lip_is_no_row_of_teeth() -> None:
    """Of a portrait that shows the inside of its lower lip, with a light seam."""
    planes, mesh = painted(0.10, (118, 128, 128))
    middle = round(float(mesh[[13, 14], 1].mean()))
    planes.y[middle - 3 : middle + 3, int(mesh[78, 0]) : int(mesh[308, 0])] = 135
    grey = np.full_like(planes.u, 128)
    planes = Planes(planes.y, grey, grey.copy())
    subject = SUBJECT.unpack(measured(planes, mesh))
    lender = lender_from(lend(planes, BT601, mesh, subject, BALANCED.side).tobytes(), BALANCED.side)
    inside = merged_from(merge([lender], subject, BT601, BALANCED.density).tobytes(), BALANCED.density)
    assert LUMA @ subject.tooth > LUMA @ subject.skin
    assert inside is None or np.quantile(inside.upper[..., 0], 0.9) > LUMA @ subject.skin * 0.8


@pytest.mark.parametrize("inside", [None, inside_of(drawn(gap=0.16))], ids=["drawn", "merged"])
def test_between_lips_that_hardly_part_lies_their_shade_and_no_row_of_teeth(inside: Bytes | None) -> None:
    made, mesh = opened(0.03, inside).planes, shut()[2]
    unit = pose_of(mesh).scale
    line, near = int(mesh[13, 1]), round(0.08 * unit)
    across = slice(int(mesh[13, 0]) - near, int(mesh[13, 0]) + near)
    lip = from_rgb(person().lip.astype(np.float32), BT601)
    down = made.y[line - 2 : line + round(0.012 * unit) + 1, across]
    assert down.max() < 0.85 * lip[0]
    rows = down.mean(axis=1)
    darkest = int(rows.argmin())
    assert rows[darkest] < 0.6 * lip[0]
    assert darkest < 0.5 * len(rows), "it is darkest where the lips would meet, and lighter towards the lower one"
    assert rows[-1] > 1.25 * rows[darkest], rows
    row = line + round(0.006 * unit)
    redness = (made.v[row // 2, across.start // 2 : across.stop // 2].mean() - 128) / made.y[row, across].mean()
    assert redness > 1.15 * (lip[2] - 128) / lip[0]


def test_an_inside_comes_back_as_it_was_packed() -> None:
    packed = inside_of(with_gap(0.16))
    assert packed.size == merged.size_of(BALANCED.density)
    back = merged_from(packed.tobytes(), BALANCED.density)
    assert back
    assert np.array_equal(merged.pack(back, BALANCED.density), packed)


def test_bytes_that_are_no_inside_are_refused() -> None:
    size = merged.size_of(128)
    with pytest.raises(BadMouthError, match=f"expected INSIDE of {size} bytes, got {size - 1}"):
        merged_from(bytes(size - 1), 128)
    with pytest.raises(ValueError, match="expected INSIDE as this release answers it"):
        merged_from(bytes(size), 128)


def test_a_lender_comes_back_as_it_was_sent() -> None:
    planes, mesh = painted(0.16)
    subject = person()
    back = lender_from(lend(planes, BT601, mesh, subject, 256).tobytes(), 256)
    assert back.belief > 0.9
    assert 0.1 < back.lips.gap < 0.25
    assert back.pose.scale == pytest.approx(pose_of(mesh).scale, rel=1e-5)
    point = back.pose.to_pixels(back.pose.to_plane(back.lips.middle))[10].round().astype(int)
    assert abs(int(back.planes.y[point[1], point[0]]) - GREEN[0]) < 6


def test_a_mouth_too_large_to_be_lent_is_made_smaller() -> None:
    planes, mesh = painted(0.16)
    subject = person()
    small = lender_from(lend(planes, BT601, mesh, subject, 48).tobytes(), 48)
    assert small.planes.y.size <= 48 * 48
    assert small.pose.scale < pose_of(mesh).scale
    point = small.pose.to_pixels(small.pose.to_plane(small.lips.middle))[10].round().astype(int)
    assert abs(int(small.planes.y[point[1], point[0]]) - GREEN[0]) < 8


def test_a_face_from_the_side_shows_nothing() -> None:
    planes, _, mesh = shut()
    aside = mesh.copy()
    aside[:, 0] = 0.02 * (mesh[:, 0] - mesh[1, 0]) + mesh[1, 0]
    aside[:, 2] = mesh[:, 0] - mesh[1, 0]
    assert lent(planes, aside).belief == 0
    assert merged_from(inside_of((planes, aside)).tobytes(), BALANCED.density) is None


def test_teeth_that_a_lender_shows_are_the_subjects() -> None:
    before, after = person(), with_teeth(person(), [lent(*drawn(gap=0.14, teeth=True))], BT601)
    assert after.bite[1] > before.bite[1] + 0.01
    assert after.tooth == pytest.approx(np.array(TEETH) / DIMMED, abs=14)
    assert np.array_equal(after.lip, before.lip)


def test_a_mouth_without_teeth_shows_what_colour_the_subjects_is_inside() -> None:
    before, after = person(), with_teeth(person(), [lent(*painted(0.16))], BT601)
    green = to_rgb(Planes(*(np.full((2, 2), code, np.uint8) for code in GREEN)), BT601)[0, 0]
    assert np.array_equal(after.bite, before.bite) and np.array_equal(after.tooth, before.tooth)
    assert after.cavity == pytest.approx(np.clip(green, 0, None), abs=12)
    assert before.cavity != pytest.approx(np.clip(green, 0, None), abs=12)


def test_lips_that_part_little_do_not_say_how_dark_it_is_behind_the_teeth() -> None:
    """What is seen there is mostly the shade of the lips."""
    assert np.array_equal(with_teeth(person(), [lent(*painted(0.11))], BT601).cavity, person().cavity)


def test_the_less_a_mouth_full_of_teeth_shows_behind_them_the_more_its_usual_dark_counts() -> None:
    """Of a mouth full of teeth, what lies beside them at one side is the shade of a corner."""
    y, u, v = (int(code) for code in from_rgb(person().tooth.astype(np.float32)[None], BT601)[0])
    (full, mesh), (behind, _) = painted(0.16, (y, u, v)), painted(0.16)
    change = []
    for shown in (0.1, 0.2, 0.5, 0.8):
        planes = Planes(full.y.copy(), full.u.copy(), full.v.copy())
        end = float(mesh[78, 0] + shown * (mesh[308, 0] - mesh[78, 0]))
        for plane, other, at in zip((planes.y, planes.u, planes.v), (behind.y, behind.u, behind.v), (1, 2, 2), strict=True):
            plane[:, : round(end / at)] = other[:, : round(end / at)]
        change.append(float(np.abs(with_teeth(person(), [lent(planes, mesh)], BT601).cavity - person().cavity).max()))
    assert change[0] < 0.8 * change[1] < 0.8 * change[2]
    assert change[3] < 1.1 * change[2]


@pytest.mark.parametrize("size", [lenders.size_of(256) - 1, lenders.size_of(128), 0])
def test_a_lender_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(BadMouthError, match=f"expected LENDERS of {lenders.size_of(256)} bytes each, got {size}"):
        lender_from(bytes(size), 256)


def test_bytes_that_are_no_lender_are_refused() -> None:
    with pytest.raises(ValueError, match="LENDERS as this release answers it"):
        lender_from(bytes(lenders.size_of(256)), 256)


@pytest.mark.parametrize("name", QUALITIES)
def test_the_config_names_the_sizes(name: str) -> None:
    quality = QUALITIES[name]
    config = (MODELS / f"mouth_render_{name}" / "config.pbtxt").read_text()
    for key, size in (("lender_size", lenders.size_of(quality.side)), ("inside_size", merged.size_of(quality.density))):
        assert f'"{key}", value: {{ string_value: "{size}" }}' in config


def heads(openings: Floats, yaws: Floats) -> Floats:
    """Points of a face that opens its mouth and turns: frames x points x 3 pixels."""
    return np.array([turned(face(float(o)), float(yaw), 0, 200) for o, yaw in zip(openings, yaws, strict=True)])


COUNT = 60
TIMES = np.arange(COUNT) / 25
TALKING = 0.08 + 0.07 * np.sin(TIMES * 9)
EVERY = np.ones(COUNT, bool)


def test_a_clip_that_never_opens_its_mouth_lends_nothing() -> None:
    assert (choose(heads(np.full(COUNT, 0.005), np.zeros(COUNT)), TIMES, EVERY) == -1).all()


def test_the_first_lenders_are_open_in_all_ways_that_occur() -> None:
    bank = choose(heads(TALKING, np.zeros(COUNT)), TIMES, EVERY)
    assert bank.shape == (BANK,)
    chosen = bank[bank >= 0]
    assert len(set(chosen.tolist())) == len(chosen) > 6
    first = np.sort(TALKING[chosen[:3]])
    assert first[0] < 0.09 and first[2] > 0.13


def test_a_head_that_is_turned_away_for_a_while_lends_nothing_then() -> None:
    yaws = np.where(np.arange(COUNT) < 45, 0.0, 40.0)
    bank = choose(heads(TALKING, yaws), TIMES, EVERY)
    assert (bank[:3] < 45).all()


def test_only_frames_that_may_be_learnt_from_lend() -> None:
    bank = choose(heads(TALKING, np.zeros(COUNT)), TIMES, np.arange(COUNT) < 20)
    assert (bank >= 0).sum() > 0
    assert (bank < 20).all()


def test_frames_without_a_face_do_not_lend() -> None:
    points = heads(TALKING, np.zeros(COUNT))
    points[10:14] = np.nan
    assert not np.isin(choose(points, TIMES, EVERY), range(10, 14)).any()


@pytest.mark.parametrize(("yaw", "pitch"), [(0, 0), (-24, 5), (-12, 0), (12, -10), (24, 0)])
def test_teeth_of_a_turned_head_are_those_that_the_front_shows_there(yaw: float, pitch: float) -> None:
    """The last ones of the side that is turned to the camera were a mirrored and smeared slab."""
    nod, shake = (cv2.Rodrigues(np.radians(angles))[0] for angles in ([pitch, 0.0, 0.0], [0.0, yaw, 0.0]))
    turned = Pose(1.0, nod @ shake, np.zeros(3))
    teeth = np.stack([np.linspace(-0.29, 0.29, 59), np.full(59, 0.1)], axis=-1)
    there, back = Skull.between(FRONT, turned, 0.05, 0.01), Skull.between(turned, FRONT, 0.05, -0.01)
    seen = there.of(teeth)
    facing = np.gradient(seen[:, 0]) > 1e-3  # the arch runs back beyond its silhouette
    assert facing.sum() > 45
    assert back.of(seen)[facing] == pytest.approx(teeth[facing], abs=0.004)
