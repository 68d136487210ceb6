"""Measures of a mouth from its lips in the head's frame (geometry/heads.py), in S."""

import numpy as np

from enhance.geometry.heads import Array, Heads
from enhance.geometry.landmarks import LEFT_CORNER, LOWER_LIP, PLAN_POINTS, RIGHT_CORNER, UPPER_LIP

MEASURES = ("opening", "width", "upper", "corners")
OPENING, WIDTH, UPPER, CORNERS = range(4)
AS_WIDE = 1.03
"""By how many times wider mouths are asked for in speech than they are meant to be seen: of what is rendered a mesh sees the
corners inside of those where lips that part end."""

_UPPER, _LOWER = PLAN_POINTS.index(UPPER_LIP), PLAN_POINTS.index(LOWER_LIP)
_RIGHT, _LEFT = PLAN_POINTS.index(RIGHT_CORNER), PLAN_POINTS.index(LEFT_CORNER)
_TURN = 10.0  # degrees: the unit of the regression's yaw and pitch
_FEW_FRAMES, _DOUBTFUL = 10.0, 0.05  # the ridge's penalty, and more for each frame: turns below 2 degrees explain nothing


def measure_lips(lips: Array) -> Array:
    """MEASURES, g x 4 in S, of lips (g x 40 x 3, LIP_RINGS in the head's frame).

    opening: between the inner lips. width: between the corners. upper, corners: heights (up is positive) in the head's frame,
    not above the subject's rest.
    """
    opening = np.maximum(0, lips[:, _LOWER, 1] - lips[:, _UPPER, 1])
    width = np.linalg.norm(lips[:, _LEFT] - lips[:, _RIGHT], axis=1)
    corners = -(lips[:, _LEFT, 1] + lips[:, _RIGHT, 1]) / 2
    return np.stack([opening, width, -lips[:, _UPPER, 1], corners], 1)


def free_of_pose(measures: Array, heads: Heads) -> Array:
    """Measures (g x 4) less what a ridge regression on yaw and pitch explains: in a turned face the mesh's lips sink.

    The opening is left as it is: people nod as they speak, so the regression would take speech out of it.
    """
    turns = np.stack([heads.yaw, np.abs(heads.yaw), heads.pitch], 1) / _TURN
    turns -= turns.mean(0) if len(turns) else 0
    free = measures.copy()
    rest = free[:, WIDTH:] - free[:, WIDTH:].mean(0) if len(turns) else free[:, WIDTH:]
    strength = _FEW_FRAMES + _DOUBTFUL * len(turns)
    weights = np.linalg.solve(turns.T @ turns + strength * np.eye(3), turns.T @ rest)
    free[:, WIDTH:] -= turns @ weights
    return free
