"""What is computed from meshes: layout, movement, filters, likeness."""

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.face.steady import begin, follow
from enhance.face.thumbnails import CUT, LIKE_CUT, changed, frame_thumbnail, is_movement
from enhance.geometry.landmarks import LAYOUT_68, LIPS, eye_distance, landmarks_68
from enhance.geometry.similarity import similarity

Points = npt.NDArray[np.float32]
ASTRONAUT_MESH: Points = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)


def upright_face() -> Points:
    """Random points, with eyes, forehead and chin where an upright face from the front has them."""
    mesh = np.random.default_rng(0).normal(0, 40, (478, 3)).astype(np.float32)
    mesh[33], mesh[263], mesh[10], mesh[152] = (-50, 0, 0), (50, 0, 0), (0, -60, 0), (0, 100, 0)
    return mesh


def test_there_are_68_landmarks_and_80_points_of_lips() -> None:
    assert len(LAYOUT_68) == 68
    assert len(set(LIPS)) == len(LIPS) == 80


def test_a_pair_of_the_68_is_averaged_and_meshes_may_come_in_any_shape() -> None:
    meshes = np.arange(2 * 3 * 478 * 3, dtype=np.float32).reshape(2, 3, 478, 3)
    layout = landmarks_68(meshes)
    assert layout.shape == (2, 3, 68, 2)
    np.testing.assert_allclose(layout[1, 2, 3], (meshes[1, 2, 132, :2] + meshes[1, 2, 58, :2]) / 2)
    np.testing.assert_allclose(layout[0, 1, 62], meshes[0, 1, 13, :2])


def test_the_68_landmarks_lie_where_ibug_has_them() -> None:
    """On a photograph: parts in their order from the picture's left to its right, brows over eyes over nose over mouth."""
    points = landmarks_68(ASTRONAUT_MESH)
    jaw, brows, bridge, base, right_eye, left_eye, outer, inner = (
        points[first:last] for first, last in pairwise((0, 17, 27, 31, 36, 42, 48, 60, 68))
    )
    assert (np.diff(jaw[2:15, 0]) > 0).all() and jaw[:, 1].argmax() in (7, 8, 9)
    assert (np.diff(brows[:, 0]) > 0).all() and (np.diff(bridge[:, 1]) > 0).all() and (np.diff(base[:, 0]) > 0).all()
    assert right_eye[:, 0].max() < left_eye[:, 0].min()
    heights = [part[:, 1].mean() for part in (brows, np.vstack([right_eye, left_eye]), base, inner)]
    assert heights == sorted(heights)
    assert (np.ptp(inner, axis=0) < np.ptp(outer, axis=0)).all()
    assert outer[6, 0] == outer[:, 0].max() and outer[0, 0] == outer[:, 0].min()


def test_a_similarity_is_found_again() -> None:
    source = np.random.default_rng(1).normal(50, 20, (20, 2))
    angle, scale = 0.3, 1.2
    linear = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    found = similarity(source, source @ linear.T + [5, -7])
    assert (found.angle, found.scale) == pytest.approx((angle, scale))
    np.testing.assert_allclose(found.move(source), source @ linear.T + [5, -7], atol=1e-9)
    np.testing.assert_allclose(found.part(0).move(source), source, atol=1e-9)


def test_a_crop_moves_with_its_points() -> None:
    source = np.random.default_rng(2).normal(50, 20, (20, 2))
    moved = similarity(source, source * 1.1 + 3)
    matrix = np.array([[40.0, 5, 10], [-5, 40, 20]])
    corner = matrix[:, :2] @ [1, 1] + matrix[:, 2]
    after = moved.move_crop(matrix)
    np.testing.assert_allclose(after[:, :2] @ [1, 1] + after[:, 2], corner * 1.1 + 3, atol=1e-9)


def test_a_filter_quietens_noise_and_hardly_delays_a_movement() -> None:
    face, random = upright_face(), np.random.default_rng(3)
    steady = begin(face)
    quiet = []
    for _ in range(40):
        steady = follow(steady, (face + random.normal(0, 0.2, face.shape)).astype(np.float32))
        quiet.append(steady.mesh - face)
    assert np.std(quiet[10:]) < 0.5 * 0.2
    speed = 5.0
    for number in range(1, 21):
        steady = follow(steady, face + np.array([speed * number, 0, 0], np.float32))
    assert np.abs(steady.mesh - face - [speed * 20, 0, 0]).max() < 0.6 * speed


def test_an_opening_mouth_is_hardly_delayed() -> None:
    face = upright_face()
    steady, speed = begin(face), 0.03 * eye_distance(face)
    for number in range(1, 9):
        opened = face.copy()
        opened[14, 1] += speed * number
        steady = follow(steady, opened)
    assert 0 <= opened[14, 1] - steady.mesh[14, 1] < speed


def test_another_shot_is_a_cut_and_a_passing_hand_is_none() -> None:
    shot = np.random.default_rng(4).integers(0, 256, (18, 32, 3), dtype=np.uint8).repeat(20, axis=0).repeat(20, axis=1)
    hand = shot.copy()
    hand[100:250, 200:350] = 180
    assert changed(frame_thumbnail(shot), frame_thumbnail(np.ascontiguousarray(shot[:, ::-1]))) > CUT
    assert changed(frame_thumbnail(shot), frame_thumbnail(hand)) < LIKE_CUT


def test_a_shaken_camera_is_movement_and_another_shot_is_none() -> None:
    bumps = np.random.default_rng(4).integers(0, 256, (2, 9, 16, 3), dtype=np.uint8)
    shot, other = (cv2.resize(each, (640, 360), interpolation=cv2.INTER_CUBIC) for each in bumps)
    shaken = frame_thumbnail(shot[8:340, 30:630])
    assert changed(frame_thumbnail(shot), shaken) > LIKE_CUT and is_movement(frame_thumbnail(shot), shaken)
    assert not is_movement(frame_thumbnail(shot), frame_thumbnail(other))
