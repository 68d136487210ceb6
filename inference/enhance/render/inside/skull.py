"""From one head's plane to another's, for what is fixed to the skull at the depth of the teeth."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.head import Array, Pose
from enhance.render.teeth.arch import DEPTH, HALF_WIDTH

BACK = 0.2236
"""Cosine of the angle on the arch beyond which its teeth are taken to be no farther back."""
FRONT = Pose(1.0, np.eye(3), np.zeros(3))
"""A head seen from the front: its plane is x and y of head coordinates."""


@dataclass(frozen=True)
class Skull:
    """The way from one pose to another, in plane coordinates (S)."""

    turn: Array
    """2 x 2."""
    depth: Array
    """[2]: what a depth of 1 moves."""
    at: float
    """Depth of the teeth."""
    inverse: Array
    off: Array
    aslant: float
    """S aside in head coordinates between two places that are seen as one, of which one lies 1 S deeper."""
    fall: float

    @classmethod
    def between(cls, pose: Pose, other: Pose, teeth: float, fall: float) -> "Skull":
        """From `pose` to `other`. teeth: their depth, S. fall: S that they lie lower there."""
        a, b = pose.projection[:, :2], pose.projection[:, 2]
        c, d = other.projection[:, :2], other.projection[:, 2]
        inverse = np.linalg.inv(a)
        turn = c @ inverse
        sight = inverse @ b
        return cls(turn, d - turn @ b, teeth, inverse, sight * teeth, float(sight[0]), fall * float(other.projection[1, 1]))

    def x(self, x: Array, y: Array) -> Array:
        """x there, of places here."""
        return np.asarray(self.turn[0, 0] * x + self.turn[0, 1] * y + self.depth[0] * self._depth(x, y))

    def y(self, x: Array, y: Array) -> Array:
        """y there, of places here."""
        return np.asarray(self.turn[1, 0] * x + self.turn[1, 1] * y + self.depth[1] * self._depth(x, y) + self.fall)

    def of(self, line: Array) -> Array:
        """The places there of ... x 2 places here."""
        x, y = line[..., 0], line[..., 1]
        return np.stack([self.x(x, y), self.y(x, y)], axis=-1)

    def _depth(self, x: Array, y: Array) -> Array:
        """Depths at which lines of sight through places here meet the arch, an ellipse; beside it, that of its silhouette."""
        across = self.inverse[0, 0] * x + self.inverse[0, 1] * y - self.off[0]
        aslant = DEPTH * self.aslant
        angle = np.arctan2(aslant, HALF_WIDTH) + np.arcsin(np.clip((across - aslant) / np.hypot(HALF_WIDTH, aslant), -1, 1))
        return np.asarray(self.at + DEPTH * (1 - np.maximum(np.cos(angle), BACK)))
