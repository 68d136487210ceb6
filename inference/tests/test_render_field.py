"""The displacement of the lower face (enhance/render/lips/field.py)."""

import numpy as np

from enhance.geometry.head import Pose
from enhance.render.lips.field import Field
from enhance.render.lips.skin import ALL_LOWER, ALL_UPPER, CORNERS, LIP_POINTS, Pull


def test_each_plate_moves_its_lip_of_a_tilted_head_to_the_pixel_that_is_asked_for() -> None:
    target = np.random.default_rng(5).uniform(-0.5, 0.5, (LIP_POINTS + 40, 2))
    source = target + 0.05 * np.sin(3 * target + [0.4, 1.1])
    cos, sin = np.cos(0.4), np.sin(0.4)
    pose = Pose(120.0, np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]), np.array([200.0, 150.0, 0.0]))
    field = Field(Pull(source, target), pose)
    at, wanted = pose.to_pixels(target), pose.to_pixels(source) - pose.to_pixels(target)
    for side, points in (slice(0, 2), ALL_UPPER), (slice(2, 4), [*CORNERS, *ALL_LOWER]):
        for point in points:
            x, y = at[point]
            moves = field.at(np.array([x - 7, x], np.float32), np.array([y, y + 3, y + 9], np.float32))
            assert moves.shape == (3, 2, 4)
            assert np.allclose(moves[0, 1, side], wanted[point], atol=1e-3)
