"""What the skin does when the lips move: pairs of points, where they were and where they go."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Array, Pose, smoothstep

from .outline import SAMPLES, Lips
from .shape import Asked

# mesh point: how much of the chin's fall it takes part in
JAW = {
    **{152: 1.0, 148: 1.0, 377: 1.0, 176: 1.0, 400: 1.0, 149: 0.97, 378: 0.97, 150: 0.9, 379: 0.9, 136: 0.75, 365: 0.75},
    **{172: 0.5, 397: 0.5, 58: 0.25, 288: 0.25, 132: 0.08, 361: 0.08},
}
CHIN = {
    **{199: 1.0, 175: 1.0, 200: 1.0, 18: 1.0, 83: 1.0, 313: 1.0, 201: 1.0, 421: 1.0, 208: 1.0, 428: 1.0, 171: 1.0, 396: 1.0},
    **{194: 1.0, 418: 1.0, 32: 1.0, 262: 1.0, 211: 0.95, 431: 0.95, 170: 1.0, 395: 1.0},
}
STILL = (*(2, 97, 326, 98, 327, 64, 294, 129, 358, 4, 195, 50, 280, 118, 347, 123, 352, 234, 454, 93, 323, 36, 266, 142, 371),)
"""Nose and cheeks."""

RINGS = ((0.20, 0.62), (0.45, 0.18), (0.75, 0.0))
"""Round the jaw, outside: distance in S, and how much of the jaw's fall reaches there."""
NEARER, LESS = 0.5, 0.85
"""Shares by which distances and shares of the rings are smaller straight beside the face: what stands behind it must not bend
(docs/decisions/0218)."""
SLIP = 0.6
"""Shares of its distance to the jaw by which a ring stays behind, at most: where the jaw falls past what stands still beside
it, its outline is torn into waves (docs/decisions/0298)."""

NEAREST = 0.11  # points of the chin closer to the lip than this are left out: with them a second lip is printed below
SQUEEZE = 0.60  # the others keep at least so much of their distance to it

MOVING = (*JAW, *CHIN)
FALL = np.array([*JAW.values(), *CHIN.values()])
ON_JAW = len(JAW)
OUTLINE = [list(JAW).index(i) for i in (152, 176, 400, 150, 379, 136, 365, 172, 397, 58, 288)]  # from where the rings are drawn

ALL_UPPER = np.arange(2 * SAMPLES)
ALL_LOWER = np.arange(2 * SAMPLES, 4 * SAMPLES - 4)
CORNERS = np.array([0, SAMPLES - 1, SAMPLES, 2 * SAMPLES - 1])
LIP_POINTS = 4 * SAMPLES - 4


@dataclass(frozen=True)
class Pull:
    """Points in plane coordinates, n x 2: first the upper lip with both corners, then the lower lip, then the skin."""

    source: Array
    target: Array


def pull(head: Array, own: Lips, asked: Asked, pose: Pose, shade: Array) -> Pull:
    """What moves when lips go from `own` to `asked`. head: 478 x 3 in head coordinates. shade: lips.crease.shaded() of them."""
    source = np.vstack([own.upper_inner, own.upper_outer, own.lower_inner[1:-1], own.lower_outer[1:-1]])
    target = np.vstack([asked.upper_inner, asked.upper_outer, asked.lower_inner[1:-1], asked.lower_outer[1:-1]])
    source, target = _inset(source, target, own, asked, shade)

    points = head[list(MOVING)]
    move = np.zeros_like(points)
    move[:, 1] = asked.drop * FALL
    near = _follow_lip(points, move, own, asked)
    still = head[list(STILL)]
    jaw, fall = points[:ON_JAW], move[:ON_JAW]
    outward = jaw[OUTLINE] - np.array([head[1, 0], head[14, 1], 0.0])
    outward[:, 2] = 0
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    side = np.abs(outward[:, :1])
    rings = [jaw[OUTLINE] + distance * (1 - NEARER * side) * outward for distance, _ in RINGS]
    fallen = [ring + _dragged(fall[OUTLINE], side, *each) for ring, each in zip(rings, RINGS, strict=True)]
    return Pull(
        pose.to_plane(np.vstack([source, points[near], still, *rings])),
        pose.to_plane(np.vstack([target, (points + move)[near], still, *fallen])),
    )


def _dragged(fall: Array, side: Array, distance: float, share: float) -> Array:
    """How far a ring goes with the outline's `fall`. side: 1 beside the face, 0 straight below it. distance, share: RINGS."""
    goes = share * (1 - LESS * side) * fall
    behind, most = fall - goes, SLIP * distance * (1 - NEARER * side)
    return np.asarray(goes + (behind - np.clip(behind, -most, most)))


def _inset(source: Array, target: Array, own: Lips, asked: Asked, shade: Array) -> tuple[Array, Array]:
    """Lets each inner edge begin a little inside its lip: the dark line, or teeth that hung on the edge, stay in the hole."""
    before = (own.lower_inner - own.upper_inner)[:, 1]
    after = np.maximum((asked.lower_inner - asked.upper_inner)[:, 1], 0)
    crease = 0.3 * after * own.closed
    shut = np.clip(1 - after / np.maximum(before, 1e-4), 0, 1)
    edge = (0.3 + 0.7 * shut) * np.minimum(0.020, 0.34 * before) * (1 - own.closed)
    upper, lower = (np.maximum(v[:, 1], 0) for v in (own.upper_inner - own.upper_outer, own.lower_outer - own.lower_inner))
    up = np.minimum(0.4 * crease, 0.004) + np.minimum(edge, 0.25 * upper)
    down = np.minimum(crease, np.maximum(shade, 0.009)) + np.minimum(edge, 0.25 * lower)
    up[[0, -1]] = 0
    source = source.copy()
    source[:SAMPLES, 1] -= up
    source[2 * SAMPLES : 3 * SAMPLES - 2, 1] += down[1:-1]
    return source, target


def _follow_lip(points: Array, move: Array, own: Lips, asked: Asked) -> npt.NDArray[np.bool_]:
    """Makes the chin under the lip go with it, writing into `move`; which points are far enough to be used."""
    at = np.abs(own.lower_outer[None, :, 0] - points[:, None, 0]).argmin(axis=1)
    below = points[:, 1] - own.lower_outer[at, 1]
    beside = np.clip(1 - np.maximum(np.abs(points[:, 0] - own.lower_outer[at, 0]) - 0.03, 0) / 0.05, 0, 1)
    lip = (asked.lower_outer - own.lower_outer)[at, 1]
    near = (1 - smoothstep(below, 0.0, 0.34)) * beside
    near[:ON_JAW] = 0
    y = move[:, 1] * (1 - near) + lip * near
    least = lip - (1 - SQUEEZE) * below
    move[:, 1] = np.where(below > 0, y + beside * np.maximum(least - y, 0), y)
    used = below > NEAREST
    used[:ON_JAW] = True
    return np.asarray(used)
