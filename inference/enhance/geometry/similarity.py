"""The similarity (turn, scale, shift) between two sets of points, and a part of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Similarity:
    """A turn by `angle` (radians, from x to y) and a scaling about `centre` (x, y), then a shift (pixels)."""

    centre: npt.NDArray[np.float64]
    angle: float
    scale: float
    shift: npt.NDArray[np.float64]

    @property
    def linear(self) -> npt.NDArray[np.float64]:
        """2 x 2: the turn and the scaling."""
        cosine, sine = np.cos(self.angle) * self.scale, np.sin(self.angle) * self.scale
        return np.array([[cosine, -sine], [sine, cosine]])

    def part(self, share: float) -> "Similarity":
        """A share of it, 0..1: the same centre, so much of the angle and the shift, the scale to that power."""
        return Similarity(self.centre, self.angle * share, self.scale**share, self.shift * share)

    def move(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Points (... x 2 or 3) moved; a depth is scaled alike."""
        flat = (points[..., :2] - self.centre) @ self.linear.T + self.centre + self.shift
        return np.asarray(np.concatenate([flat, points[..., 2:] * self.scale], axis=-1))

    def move_crop(self, matrix: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The matrix (2 x 3) of a crop that is moved with the points."""
        return np.column_stack([self.linear @ matrix[:, :2], self.move(matrix[:, 2])])


def similarity(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> Similarity:
    """The one that brings points (n x 2) closest to others, in the least-squares sense (Umeyama 1991, in the plane)."""
    centre, goal = source.mean(axis=0), target.mean(axis=0)
    x, y = (source - centre).T.astype(np.float64)
    u, v = (target - goal).T.astype(np.float64)
    along, across = float(x @ u + y @ v), float(x @ v - y @ u)
    scale = float(np.hypot(along, across)) / max(float(x @ x + y @ y), 1e-12)
    return Similarity(
        np.asarray(centre, np.float64), float(np.arctan2(across, along)), scale, np.asarray(goal - centre, np.float64)
    )
