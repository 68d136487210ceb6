"""Mouth shapes from face meshes: lip measures in the head's own frame, so that turning and nodding do not count.

Units: S, the subject's distance between the outer corners of the eyes. Directions: x right, y down, z away, of a frontal head.
"""

import numpy as np

from enhance.geometry.heads import Array, Heads
from enhance.geometry.landmarks import LEFT_CORNER, LOWER_LIP, PLAN_POINTS, RIGHT_CORNER, UPPER_LIP

MEASURES = ("opening", "width", "upper", "corners")
OPENING, WIDTH, UPPER, CORNERS = range(4)

_UPPER, _LOWER = PLAN_POINTS.index(UPPER_LIP), PLAN_POINTS.index(LOWER_LIP)
_RIGHT, _LEFT = PLAN_POINTS.index(RIGHT_CORNER), PLAN_POINTS.index(LEFT_CORNER)
_TURN = 10.0  # degrees that count as one
_FEW_FRAMES, _DOUBTFUL = 10.0, 0.05  # of the ridge: turns of less than two degrees explain nothing


def measure(lips: Array) -> Array:
    """g x 4 in S: MEASURES. Upper and corners are heights (up is positive) in the head's frame, not yet above a rest."""
    opening = np.maximum(0, lips[:, _LOWER, 1] - lips[:, _UPPER, 1])
    width = np.linalg.norm(lips[:, _LEFT] - lips[:, _RIGHT], axis=1)
    corners = -(lips[:, _LEFT, 1] + lips[:, _RIGHT, 1]) / 2
    return np.stack([opening, width, -lips[:, _UPPER, 1], corners], 1)


def free_of_pose(measures: Array, heads: Heads) -> Array:
    """The measures less what goes with the head's turning: the mesh lets lips hang in a face that nods or looks away.

    Width, upper and corners by a ridge on yaw and pitch; the opening, which speech moves most and nods with, is left.
    """
    turns = np.stack([heads.yaw, np.abs(heads.yaw), heads.pitch], 1) / _TURN
    turns -= turns.mean(0) if len(turns) else 0
    free = measures.copy()
    rest = free[:, WIDTH:] - free[:, WIDTH:].mean(0) if len(turns) else free[:, WIDTH:]
    strength = _FEW_FRAMES + _DOUBTFUL * len(turns)
    weights = np.linalg.solve(turns.T @ turns + strength * np.eye(3), turns.T @ rest)
    free[:, WIDTH:] -= turns @ weights
    return free
