"""Mouth measures from meshes, whatever way the head is turned."""

import numpy as np
import pytest

from enhance.geometry.heads import heads_of
from enhance.geometry.landmarks import LIP_RINGS, PLAN_POINTS
from enhance.plan.measures import CORNERS, OPENING, WIDTH, free_of_pose, measure_lips
from tests.mouths import face, turned


@pytest.mark.parametrize("yaw", [-30, 0, 25])
@pytest.mark.parametrize("pitch", [-15, 0, 15])
@pytest.mark.parametrize("size", [40, 300])
def test_a_turned_head_has_the_same_mouth(yaw: float, pitch: float, size: float) -> None:
    openings = np.linspace(0, 0.2, 20)
    seen = np.stack([turned(face(opening, 0.5 + opening / 4), yaw, pitch, size) for opening in openings])
    measures = measure_lips(heads_of(seen).lips)
    np.testing.assert_allclose(measures[:, OPENING], openings, atol=0.004)
    np.testing.assert_allclose(measures[:, WIDTH], 0.5 + openings / 4, atol=0.004)


def test_yaw_and_pitch_are_told() -> None:
    heads = heads_of(np.stack([turned(face(0.05), 20, 0, 100), turned(face(0.05), 0, 10, 100)]))
    np.testing.assert_allclose(np.abs(heads.yaw), [20, 0], atol=0.5)
    np.testing.assert_allclose(np.abs(heads.pitch), [0, 10], atol=0.5)


def test_a_moving_head_does_not_move_the_mouth() -> None:
    yaws = np.linspace(-25, 25, 40)
    measures = measure_lips(heads_of(np.stack([turned(face(0.08), yaw, yaw / 3, 120) for yaw in yaws])).lips)
    assert measures[:, [OPENING, WIDTH, CORNERS]].std(0).max() < 0.002


def test_lips_never_open_less_than_nothing() -> None:
    assert measure_lips(heads_of(turned(face(-0.02), 0, 0, 100)[None]).lips)[0, OPENING] == 0


def test_no_frames_give_no_measures() -> None:
    assert measure_lips(heads_of(np.zeros((0, len(PLAN_POINTS), 3))).lips).shape == (0, 4)


def test_points_are_named_once() -> None:
    assert len(set(PLAN_POINTS)) == len(PLAN_POINTS) > len(LIP_RINGS)


def test_lips_that_only_hang_with_a_nod_are_measured_still() -> None:
    nods = 12 * np.sin(np.arange(150) / 9)
    heads = heads_of(np.stack([turned(face(0.05), 0, nod, 120) for nod in nods]))
    measures = np.tile([0.05, 0.6, 0.1, 0.0], (150, 1))
    speaks = 0.02 * np.sin(np.arange(150) / 2)
    measures[:, CORNERS] += speaks + 0.004 * heads.pitch
    free = free_of_pose(measures, heads)[:, CORNERS]
    assert np.corrcoef(measures[:, CORNERS], speaks)[0, 1] < 0.5
    assert np.corrcoef(free, speaks)[0, 1] > 0.93
    assert abs(free.mean() - measures[:, CORNERS].mean()) < 1e-6


def test_a_clip_without_faces_has_nothing_to_be_freed_of() -> None:
    heads = heads_of(np.zeros((0, len(PLAN_POINTS), 3)))
    assert free_of_pose(measure_lips(heads.lips), heads).shape == (0, 4)
