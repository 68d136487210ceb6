"""Where the head is: the pose of one mesh, and coordinates in which the pose does not count.

Mesh: 478 x 3 float32 in mediapipe's order, x right, y down, z away from the viewer, all in pixels.
Head coordinates: x along the eyes to the picture's right, y to the chin, z away; origin at the nose, unit S = the
distance of the outer eye corners (33-263), measured in 3-D.
Plane coordinates: the picture turned so that the eyes lie level; same origin and unit.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from enhance.record import Shape

from .area import Area
from .landmarks import CHIN, FOREHEAD, LEFT_EYE, MESH_POINTS, NOSE, RIGHT_EYE, SKIN_POINTS

Array = npt.NDArray[np.floating[Any]]

SMALLEST_FACE = 8.0  # pixels between the outer eye corners: below, the mesh is noise


class BadMouthError(ValueError):
    """The request is at fault; the message says what was expected and what came."""


class SidewaysError(BadMouthError):
    """A face seen so far from the side, or from above, that it has no mouth to be drawn."""


@dataclass(frozen=True)
class Pose:
    """A head in a picture, by the line of its eyes. Points in methods are ... x 2 or ... x 3, as their coordinates have it."""

    scale: float
    """S in pixels."""

    axes: Annotated[Array, Shape(3, 3)]
    """3 x 3: the head's x, y and z as rows, in picture coordinates."""

    anchor: Annotated[Array, Shape(3)]
    """The nose, in pixels, with its depth."""

    @property
    def yaw(self) -> float:
        """Degrees; positive when the head turns to the picture's right."""
        return float(np.degrees(np.arctan2(self.axes[2, 0], self.axes[2, 2])))

    @cached_property
    def basis(self) -> Array:
        """2 x 2: the plane's x and y as rows, in picture coordinates."""
        x, y = self.axes[0, :2] / np.linalg.norm(self.axes[0, :2])
        return np.array([[x, y], [-y, x]])

    @cached_property
    def projection(self) -> Array:
        """2 x 3: head coordinates to plane coordinates."""
        return self.basis @ self.axes[:, :2].T

    def to_head(self, points: Array) -> Array:
        """Picture coordinates (... x 3, pixels) as head coordinates (S)."""
        return (points - self.anchor) @ self.axes.T / self.scale

    def to_plane(self, head: Array) -> Array:
        """Head coordinates (... x 3) as plane coordinates (... x 2), both in S."""
        return head @ self.projection.T

    def to_pixels(self, plane: Array) -> Array:
        """Plane coordinates (... x 2, S) as pixels of the picture."""
        return self.anchor[:2] + self.scale * plane @ self.basis

    def plane_of(self, area: Area, finer: int = 1) -> Array:
        """Plane coordinates of the area's pixels, rows x columns x 2, each pixel cut into finer x finer."""
        x = area.x + (np.arange(area.width * finer) + 0.5) / finer - 0.5
        y = area.y + (np.arange(area.height * finer) + 0.5) / finer - 0.5
        return self.plane_at(x, y)

    def plane_at(self, x: Array, y: Array) -> Array:
        """Plane coordinates of places at columns x and rows y of the picture, rows x columns x 2."""
        x, y = x - self.anchor[0], y - self.anchor[1]
        (a, b), (c, d) = self.basis / self.scale
        return np.stack([a * x + (b * y)[:, None], c * x + (d * y)[:, None]], axis=-1)


def pose_of(mesh: npt.NDArray[np.generic]) -> Pose:
    """The pose of a face. mesh: 478 x 3, pixels.

    Raises BadMouthError for another shape, NaN, or a face smaller than SMALLEST_FACE; SidewaysError for one seen from the side.
    """
    if mesh.shape != (MESH_POINTS, 3):
        raise BadMouthError(f"expected MESH [{MESH_POINTS}, 3], got {list(mesh.shape)}")
    points = mesh.astype(np.float64)
    if not np.isfinite(points[:SKIN_POINTS]).all():
        raise BadMouthError("expected MESH of finite numbers, got NaN or infinity: a frame without a face is not to be sent")
    across = points[LEFT_EYE] - points[RIGHT_EYE]
    scale = float(np.linalg.norm(across))
    if scale < SMALLEST_FACE:
        raise BadMouthError(f"expected a face of at least {SMALLEST_FACE:g} pixels between the eyes' corners, got {scale:.1f}")
    x = across / scale
    down = points[CHIN] - points[FOREHEAD]
    y = down - x * (x @ down)
    length = float(np.linalg.norm(y))
    if length < scale / 4 or np.linalg.norm(x[:2]) < 0.1:
        raise SidewaysError("expected MESH of a face seen from the front, got one without extent")
    y /= length
    return Pose(scale, np.stack([x, y, np.cross(x, y)]), points[list(NOSE)].mean(axis=0))


def smoothstep(x: Array, low: Array | float, high: Array | float) -> Array:
    """0 below `low`, 1 above `high`, between them 3t^2 - 2t^3."""
    # numpy.clip takes three times as long on small arrays.
    t = np.minimum(np.maximum((x - low) / (high - low), 0), 1)
    steps = np.asarray(t * t)
    # In place, as most of the time goes into new memory.
    steps *= 3 - 2 * t
    return steps


def median(values: Array, axis: int = -1) -> Array:
    """numpy.median of few numbers without NaN, in a fourth of its time."""
    count = values.shape[axis]
    ordered = np.sort(values, axis)
    return np.asarray((np.take(ordered, (count - 1) // 2, axis) + np.take(ordered, count // 2, axis)) / 2)


def ramp(x: float, low: float, high: float) -> float:
    """smoothstep() of one number."""
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)
