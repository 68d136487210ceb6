"""Mouths that are lent: which frame lends, what of it is seen, and where."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import BadMouthError, pose_of
from enhance.geometry.planes import Planes, to_rgb
from enhance.plan.choice import AT_ONCE, BANK, choose
from enhance.render.compose import MouthRequest, Rendered, render
from enhance.render.inside.lender import lend, lender_from, size_of
from enhance.render.inside.lent_teeth import with_teeth
from enhance.render.measure import measure
from enhance.render.quality import QUALITIES
from enhance.render.subject import SUBJECT, Subject
from enhance.render.teeth.own import DIMMED
from tests.mouths import face, turned
from tests.test_render import BT601, SIZE, TEETH, drawn, target

Floats = npt.NDArray[Any]
MODELS = Path(__file__).parents[2] / "models"
BALANCED = QUALITIES["balanced"]
GREEN = (90, 60, 60)  # Y, U, V of no tooth, tongue or skin


def painted(gap: float) -> tuple[Planes, Floats]:
    """A drawn face whose open mouth shows nothing but GREEN."""
    planes, mesh = drawn(gap=gap)
    hole = np.zeros(planes.y.shape, np.uint8)
    upper, lower = (mesh[[78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308]], mesh[[95, 88, 178, 87, 14, 317, 402, 318, 324]])
    cv2.fillPoly(hole, [np.round(np.vstack([upper, lower[::-1]])[:, :2]).astype(np.int32)], (1,))
    half = cv2.resize(hole, planes.u.shape[::-1], interpolation=cv2.INTER_NEAREST)
    inside = (hole, half, half)
    y, u, v = (np.where(m > 0, np.uint8(c), p) for m, c, p in zip(inside, GREEN, (planes.y, planes.u, planes.v), strict=True))
    return Planes(y, u, v), mesh


def person() -> Subject:
    planes, mesh = drawn()
    return SUBJECT.unpack(measure(planes, BT601, mesh))


def opened(
    planes: Planes, mesh: Floats, subject: Floats, opening: float, *lenders: tuple[npt.NDArray[np.uint8], float]
) -> Rendered:
    row = target(opening)
    return render(planes, BT601, mesh, MouthRequest(row, subject, "photo", BALANCED, lenders))


def lending(share: float = 1.0, opening: float = 0.12) -> tuple[Planes, Planes, Planes, npt.NDArray[np.uint8]]:
    """A shut frame; rendered open with a drawn mouth and with a lent one; the mask of the latter."""
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    giver, at = painted(0.16)
    lender = lend(giver, at, SUBJECT.unpack(subject), BALANCED.lender)
    without = opened(planes, mesh, subject, opening)
    lent = opened(planes, mesh, subject, opening, (lender, share))
    assert np.array_equal(without.mask, lent.mask)
    return planes, without.planes, lent.planes, lent.mask


def is_green(planes: Planes) -> npt.NDArray[np.bool_]:
    return np.asarray((np.abs(planes.u.astype(int) - GREEN[1]) < 12) & (np.abs(planes.v.astype(int) - GREEN[2]) < 12))


def test_an_open_mouth_shows_what_its_lender_showed() -> None:
    _, without, lent, _ = lending()
    assert is_green(without).sum() == 0
    changed = without.y != lent.y
    assert is_green(lent).sum() > 0.5 * changed.sum() / 4 > 100


def test_a_lender_changes_nothing_outside_the_mask() -> None:
    planes, _, lent, mask = lending()
    assert np.array_equal(lent.y[mask == 0], planes.y[mask == 0])


def test_lips_that_stay_shut_show_nothing_lent() -> None:
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    lender = lend(*painted(0.16), SUBJECT.unpack(subject), BALANCED.lender)
    without = opened(planes, mesh, subject, 0.0)
    lent = opened(planes, mesh, subject, 0.0, (lender, 1.0))
    assert np.array_equal(without.planes.y, lent.planes.y)


def test_lips_that_hardly_part_show_a_dark_line_and_nothing_lent() -> None:
    _, without, lent, _ = lending(opening=0.012)
    assert np.array_equal(without.y, lent.y)
    _, without, lent, _ = lending(opening=0.022)
    assert int(np.abs(without.y.astype(int) - lent.y).max()) > 0


def two_rows(opening: float, shown: float = 0.14) -> tuple[Floats, int, int, int]:
    """Luma down the middle of a mouth that is as far open, lent by one that shows two rows of teeth in an opening of `shown`;
    where the lender's lips and the seam between its rows are."""
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    giver, at = drawn(gap=shown)
    top, bottom = int(at[13, 1]), int(at[14, 1])
    seam = (top + bottom) // 2
    dark = giver.y < 60
    for plane, inside, light in ((giver.y, dark, 215), (giver.u, dark[::2, ::2], 124), (giver.v, dark[::2, ::2], 130)):
        plane[inside] = light
    giver.y[seam - 1 : seam + 2][dark[seam - 1 : seam + 2]] = 90
    lender = lend(giver, at, SUBJECT.unpack(subject), BALANCED.lender)
    assert lender_from(lender.tobytes(), BALANCED.lender).lower > 0.5
    return opened(planes, mesh, subject, opening, (lender, 1.0)).planes.y[:, SIZE // 2], top, seam, bottom


def test_lower_teeth_keep_their_height_and_leave_a_gap() -> None:
    lent, top, seam, bottom = two_rows(0.21)
    white = np.flatnonzero(lent > 195)
    rows = [row for row in np.split(white, np.flatnonzero(np.diff(white) > 1) + 1) if top - 12 < row[0] < bottom + 12]
    upper_row, lower_row = (row for row in rows if len(row) > 4 and row[-1] < bottom + 30)
    gap = lent[upper_row[-1] + 3 : lower_row[0] - 3]
    assert len(gap) > 3
    assert gap.max() < 110
    assert len(lower_row) <= 1.35 * (bottom - seam)


def test_no_black_line_flashes_between_the_rows_of_a_mouth_that_is_little_open() -> None:
    lent, top, _, bottom = two_rows(0.10, shown=0.07)
    near = lent[top - 16 : bottom + 24]
    teeth = np.flatnonzero(near > 170)
    teeth = teeth[teeth > 14]  # above is the upper lip's skin
    assert near[teeth[0] : np.flatnonzero(near > 200)[-1]].min() > 70


def test_what_the_lenders_lower_lip_hid_is_drawn_and_not_stretched() -> None:
    def lowest(opening: float) -> tuple[int, int]:
        """The lowest rows, in the middle, of what is lent and of the dark mouth that is drawn."""
        _, without, lent, _ = lending(opening=opening)
        middle = slice(SIZE // 2 - 4, SIZE // 2 + 4)
        differs = np.abs(without.y[:, middle].astype(int) - lent.y[:, middle]).max(axis=1) > 6
        dark = without.y[:, middle].max(axis=1) < 90
        return int(np.flatnonzero(differs).max()), int(np.flatnonzero(dark).max())

    lent, mouth = lowest(0.15)
    assert lent >= mouth - 2
    lent, mouth = lowest(0.32)
    assert lent < mouth - 4


def test_the_same_lender_lends_the_same() -> None:
    assert np.array_equal(lending()[2].y, lending()[2].y)


def test_a_lender_fades_in_without_a_pop() -> None:
    pictures = [lending(share)[2].y.astype(int) for share in np.linspace(0, 1, 11)]
    steps = [float(np.abs(b - a).mean()) for a, b in pairwise(pictures)]
    assert max(steps) < 1.3 * float(np.median(steps))


def test_two_lenders_that_are_alike_are_as_one() -> None:
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    lender = lend(*painted(0.16), SUBJECT.unpack(subject), BALANCED.lender)
    one = opened(planes, mesh, subject, 0.1, (lender, 1.0))
    two = opened(planes, mesh, subject, 0.1, (lender, 0.5), (lender, 0.5))
    assert int(np.abs(one.planes.y.astype(int) - two.planes.y).max()) <= 1


def test_a_lender_comes_back_as_it_was_sent() -> None:
    planes, mesh = painted(0.16)
    subject = person()
    back = lender_from(lend(planes, mesh, subject, 256).tobytes(), 256)
    assert back.belief > 0.9
    assert 0.1 < back.lips.gap < 0.25
    assert back.pose.scale == pytest.approx(pose_of(mesh).scale, rel=1e-5)
    point = back.pose.to_pixels(back.pose.to_plane(back.lips.middle))[10].round().astype(int)
    assert abs(int(back.planes.y[point[1], point[0]]) - GREEN[0]) < 6


def test_a_mouth_too_large_to_be_lent_is_made_smaller() -> None:
    planes, mesh = painted(0.16)
    subject = person()
    small = lender_from(lend(planes, mesh, subject, 48).tobytes(), 48)
    assert small.planes.y.size <= 48 * 48
    assert small.pose.scale < pose_of(mesh).scale
    point = small.pose.to_pixels(small.pose.to_plane(small.lips.middle))[10].round().astype(int)
    assert abs(int(small.planes.y[point[1], point[0]]) - GREEN[0]) < 8


def test_a_face_from_the_side_lends_nothing() -> None:
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    aside = mesh.copy()
    aside[:, 0] = 0.02 * (mesh[:, 0] - mesh[1, 0]) + mesh[1, 0]
    aside[:, 2] = mesh[:, 0] - mesh[1, 0]
    lender = lend(planes, aside, SUBJECT.unpack(subject), BALANCED.lender)
    assert lender_from(lender.tobytes(), BALANCED.lender).belief == 0
    without = opened(planes, mesh, subject, 0.12)
    lent = opened(planes, mesh, subject, 0.12, (lender, 1.0))
    assert np.array_equal(without.planes.y, lent.planes.y)


def smiling() -> tuple[Planes, Floats]:
    return drawn(gap=0.14, teeth=True)


def test_teeth_that_a_lender_shows_are_the_subjects() -> None:
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    lender = lender_from(lend(*smiling(), SUBJECT.unpack(subject), 256).tobytes(), 256)
    own = SUBJECT.unpack(with_teeth(subject, [lender], BT601))
    assert SUBJECT.unpack(subject).teeth[..., 3].max() == 0
    assert own.teeth[..., 3].max() > 0.9
    assert own.tooth == pytest.approx(np.array(TEETH) / DIMMED, abs=14)
    assert np.array_equal(own.lip, SUBJECT.unpack(subject).lip)


def test_a_mouth_without_teeth_shows_what_colour_the_subjects_is_inside() -> None:
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    lender = lender_from(lend(*painted(0.16), SUBJECT.unpack(subject), 256).tobytes(), 256)
    before, after = SUBJECT.unpack(subject), SUBJECT.unpack(with_teeth(subject, [lender], BT601))
    green = to_rgb(Planes(*(np.full((2, 2), code, np.uint8) for code in GREEN)), BT601)[0, 0]
    assert np.array_equal(after.teeth, before.teeth) and np.array_equal(after.tooth, before.tooth)
    assert after.cavity == pytest.approx(np.clip(green, 0, None), abs=12)
    assert before.cavity != pytest.approx(np.clip(green, 0, None), abs=12)


@pytest.mark.parametrize("size", [size_of(256) - 1, size_of(128), 0])
def test_a_lender_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(BadMouthError, match=f"expected LENDERS of {size_of(256)} bytes each, got {size}"):
        lender_from(bytes(size), 256)


def test_bytes_that_are_no_lender_are_refused() -> None:
    with pytest.raises(ValueError, match="LENDERS as this release answers it"):
        lender_from(bytes(size_of(256)), 256)


@pytest.mark.parametrize("name", QUALITIES)
def test_the_config_names_the_size_of_a_lender(name: str) -> None:
    quality = QUALITIES[name]
    config = (MODELS / f"mouth_render_{name}" / "config.pbtxt").read_text()
    size = size_of(quality.lender) if quality.lending else 0
    assert f'"lender_size", value: {{ string_value: "{size}" }}' in config


def heads(openings: Floats, yaws: Floats) -> Floats:
    """Points of a face that opens its mouth and turns: frames x points x 3 pixels."""
    return np.array([turned(face(float(o)), float(yaw), 0, 200) for o, yaw in zip(openings, yaws, strict=True)])


def wanted(openings: Floats) -> Floats:
    rows = np.zeros((len(openings), 8), np.float32)
    rows[:, 0], rows[:, 1] = openings, 0.5
    return rows


COUNT = 60
TIMES = np.arange(COUNT) / 25
TALKING = 0.08 + 0.07 * np.sin(TIMES * 9)
EVERY = np.ones(COUNT, bool)


def test_a_clip_that_never_opens_its_mouth_lends_nothing() -> None:
    shut = heads(np.full(COUNT, 0.005), np.zeros(COUNT))
    lending = choose(shut, TIMES, EVERY, wanted(TALKING), np.arange(COUNT))
    assert (lending.bank == -1).all()
    assert (lending.lenders == -1).all()
    assert not lending.shares.any()


def test_every_open_mouth_of_a_steady_talker_finds_a_lender() -> None:
    lending = choose(heads(TALKING, np.zeros(COUNT)), TIMES, EVERY, wanted(TALKING[::-1]), np.arange(COUNT))
    assert lending.lenders.shape == (COUNT, AT_ONCE)
    assert lending.bank.shape == (BANK,)
    assert lending.shares.sum(1)[TALKING[::-1] > 0.05] == pytest.approx(1)


def test_a_head_that_is_turned_away_from_all_lenders_gets_none() -> None:
    yaws = np.where(np.arange(COUNT) < COUNT // 2, 0.0, 30.0)
    openings = np.where(yaws == 0, TALKING, 0.005)
    lending = choose(heads(openings, yaws), TIMES, EVERY, wanted(TALKING), np.arange(COUNT))
    assert lending.shares[: COUNT // 2 - 2].sum() > 0
    assert not lending.shares[COUNT // 2 + 2 :].any()


def test_only_frames_that_may_be_learnt_from_lend() -> None:
    learn = np.arange(COUNT) < 20
    lending = choose(heads(TALKING, np.zeros(COUNT)), TIMES, learn, wanted(TALKING), np.arange(COUNT))
    bank = lending.bank[lending.bank >= 0]
    assert len(bank) > 0
    assert (bank < 20).all()


def test_a_frame_of_which_nobody_knows_what_it_shows_gets_no_lender() -> None:
    shown = np.where(np.arange(COUNT) % 20 < 10, np.arange(COUNT), -1)
    lending = choose(heads(TALKING, np.zeros(COUNT)), TIMES, EVERY, wanted(TALKING), shown)
    away = np.convolve((shown < 0).astype(int), np.ones(3, int), "same") == 3
    assert not lending.shares[away].any()


def test_lenders_change_seldom_and_shares_fade() -> None:
    lending = choose(heads(TALKING, 6 * np.sin(TIMES)), TIMES, EVERY, wanted(TALKING[::-1]), np.arange(COUNT))
    first = lending.lenders[:, 0]
    assert (np.diff(first) != 0).sum() < COUNT / 6
    assert (lending.shares >= 0).all()
    assert (lending.shares.sum(1) < 1.001).all()
    whole = np.zeros((COUNT, BANK))
    for lenders, shares in zip(lending.lenders.T, lending.shares.T, strict=True):
        np.add.at(whole, (np.arange(COUNT), np.maximum(lenders, 0)), shares * (lenders >= 0))
    assert np.abs(np.diff(whole, axis=0)).max() < 0.6


def test_frames_without_a_face_do_not_matter() -> None:
    points = heads(TALKING, np.zeros(COUNT))
    points[10:14] = np.nan
    shown = np.arange(COUNT)
    lending = choose(points, TIMES, EVERY, wanted(TALKING), shown)
    assert not lending.shares[11:13].any()
    assert not np.isin(lending.bank, range(10, 14)).any()


def test_lent_teeth_come_and_go_over_four_frames() -> None:
    wide = np.where(np.arange(COUNT) < COUNT // 2, 0.1, 0.3)
    lending = choose(heads(np.full(COUNT, 0.1), np.zeros(COUNT)), TIMES, EVERY, wanted(wide), np.arange(COUNT))
    lent = lending.shares.sum(1)
    assert lent[0] == pytest.approx(1) and lent[-1] == 0
    assert np.abs(np.diff(lent)).max() < 0.34
    assert ((lent > 0) & (lent < 0.99)).sum() == 4


def test_a_mouth_whose_mesh_takes_lips_for_its_inside_lends_nothing() -> None:
    def believed(shown: float) -> float:
        """Of a mouth that shows teeth in so much of the opening that its mesh sees, from the left, and lip in the rest."""
        planes, mesh = drawn(gap=0.16, teeth=True)
        lips, _ = drawn(gap=0.0)
        left = int(mesh[78, 0] + shown * (mesh[308, 0] - mesh[78, 0])) & ~1
        for plane, other, step in ((planes.y, lips.y, 1), (planes.u, lips.u, 2), (planes.v, lips.v, 2)):
            rows = slice(int(mesh[13, 1]) // step, int(mesh[14, 1]) // step + 1)
            plane[rows, left // step : int(mesh[308, 0]) // step] = np.median(other[rows, SIZE // 2 // step])
        return lender_from(lend(planes, mesh, person(), BALANCED.lender).tobytes(), BALANCED.lender).belief

    assert believed(1.0) == 1
    assert believed(0.5) == 0
