"""The displacement of the lower face (enhance/render/lips/field.py)."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Pose, pose_of
from enhance.geometry.planes import Planes
from enhance.render.lips.crease import shaded
from enhance.render.lips.field import Field
from enhance.render.lips.outline import lips_of
from enhance.render.lips.shape import asked_of, shape_of
from enhance.render.lips.skin import ALL_LOWER, ALL_UPPER, CORNERS, JAW, LIP_POINTS, Pull, pull
from enhance.render.patch import patch_of
from enhance.render.subject import SUBJECT
from tests.test_render import BT601, drawn, measured, target


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


def test_beside_a_jaw_that_falls_nothing_bends_while_the_neck_below_it_does() -> None:
    planes, mesh = drawn()
    field = displaced(planes, mesh)
    scale = pose_of(mesh).scale
    for jaw, side in ((172, -1), (397, 1), (136, -1), (365, 1)):
        assert abs(field(mesh[jaw, 0] + 0.3 * side * scale, mesh[jaw, 1])) < 0.008 * scale
    assert field(mesh[152, 0], mesh[152, 1] + 0.2 * scale) < -0.04 * scale


def test_the_outline_of_a_jaw_that_falls_far_has_no_waves() -> None:
    planes, mesh = drawn()
    field = displaced(planes, mesh, 0.3)
    scale = pose_of(mesh).scale
    for ends in ((136, 150), (365, 379), (150, 149), (379, 378)):
        (x, y), (other_x, other_y) = (mesh[end, :2] + [0, 0.15 * scale * JAW[end]] for end in ends)
        middle, mean = field((x + other_x) / 2, (y + other_y) / 2), (field(x, y) + field(other_x, other_y)) / 2
        assert abs(middle - mean) < 0.012 * scale


def displaced(planes: Planes, mesh: npt.NDArray[np.float32], opening: float = 0.2) -> Callable[[float, float], float]:
    """How far down, in pixels, what is seen at x and y came from, below the lips of a mouth that opens by so many S."""
    person, patch = SUBJECT.unpack(measured(planes, mesh)), patch_of(planes, BT601, mesh)
    own = lips_of(patch.head, patch.pose, planes)
    asked = asked_of(shape_of(target(opening), person.rest), person.rest, own)
    field = Field(pull(patch.head, own, asked, patch.pose, shaded(planes.y, patch.pose, own, BT601.black)), patch.pose)
    return lambda x, y: float(field.at(np.array([x], np.float32), np.array([y], np.float32))[0, 0, 3])
