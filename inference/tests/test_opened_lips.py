"""The light on lips as the mouth opens: learnt from a clip, and given to a frame's lips."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.planes import Planes
from enhance.render.compose import MouthRequest, render
from enhance.render.finish.opened_lips import GAPS, MOST, SIZE, UNCHANGED, learnt, opened
from enhance.render.finish.tone import GRID, Tone
from enhance.render.inside.lender import lend, lender_from
from enhance.render.inside.merge import merge
from enhance.render.measure import measure
from enhance.render.quality import QUALITIES
from enhance.render.subject import SUBJECT
from tests.test_render import BT601, drawn, target

Floats = npt.NDArray[Any]
BALANCED = QUALITIES["balanced"]
SHUT = Tone(np.zeros((*GRID, 3)), np.zeros((2, 2)))
LOWER_LIP = (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95, 78)


def lips(light: float) -> Floats:
    return np.full((*GRID, 3), light)


def at(change: Floats, gap: float) -> float:
    """The change of luma between lips that are `gap` (S) apart."""
    return float(opened(SHUT, change, gap).relative[1, 0, 4, 0])


def lit(light: float, gap: float) -> tuple[Planes, Floats]:
    """A drawn face whose mouth is open, with the lower lip in so much light."""
    planes, mesh = drawn(gap=gap, teeth=True)
    lip = np.zeros(planes.y.shape, np.uint8)
    cv2.fillPoly(lip, [np.round(mesh[list(LOWER_LIP), :2]).astype(np.int32)], (1,))
    return Planes(np.where(lip > 0, planes.y * light, planes.y).astype(np.uint8), planes.u, planes.v), mesh


def rendered(light: float, opening: float) -> Floats:
    """Luma down the middle of a shut frame that is rendered so far open, in a clip whose open mouths have such a lower lip."""
    planes, mesh = drawn()
    subject = measure(planes, BT601, mesh)
    person = SUBJECT.unpack(subject)
    giver, there = lit(light, 0.16)
    lender = lender_from(lend(giver, BT601, there, person, BALANCED.side).tobytes(), BALANCED.side)
    inside = merge([lender] * 6, person, BT601, BALANCED.density)
    out = render(planes, BT601, mesh, MouthRequest(target(opening), subject, "photo", BALANCED, inside)).planes
    x, chin = mesh[17, 0].round().astype(int), mesh[17, 1].round().astype(int) + 12
    return np.asarray(out.y[:chin, x - 3 : x + 4].mean(axis=1))


def test_lips_have_the_light_that_the_clip_shows_at_that_opening() -> None:
    frames = [(0.0, lips(0.0)), *[(GAPS[0], lips(0.1))] * 20, *[(GAPS[1], lips(0.2))] * 20]
    change = learnt(frames, SHUT)
    assert change.shape == SIZE
    assert [at(change, gap) for gap in (0, GAPS[0] / 2, *GAPS, 0.4)] == pytest.approx([0, 0.05, 0.1, 0.2, 0.2], abs=0.015)


def test_a_clip_that_shows_no_open_lips_changes_nothing() -> None:
    assert np.array_equal(learnt([], SHUT), UNCHANGED)
    assert np.array_equal(learnt([(0.0, lips(0.3))], SHUT), UNCHANGED)


def test_one_frame_counts_half_and_at_most_so_much() -> None:
    assert at(learnt([(GAPS[0], lips(0.1))], SHUT), GAPS[0]) == pytest.approx(0.05)
    assert at(learnt([(GAPS[0], lips(9.0))], SHUT), GAPS[0]) == pytest.approx(MOST / 2)


def test_lips_that_open_get_the_light_of_the_clips_open_lips_and_shut_ones_stay() -> None:
    plain, light = (rendered(by, 0.12)[-8:].mean() for by in (1.0, 1.2))
    assert 1.05 < light / plain < 1.2
    assert np.array_equal(rendered(1.0, 0.0), rendered(1.2, 0.0))
