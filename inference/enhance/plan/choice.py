"""Which frames of a clip show best what is inside the mouth."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.heads import Array, Heads, heads_of
from enhance.geometry.landmarks import LEFT_EYE, PLAN_POINTS, RIGHT_EYE

from .measures import OPENING, WIDTH, measure_lips

BANK = 24
"""Lenders of a clip, at most."""

LEAST_OPEN = 0.035  # S: a mouth that is nearly shut has nothing to lend
UNSTEADY = 1.2  # S a second from which lips or head are blurred by motion
MISFIT = 0.02  # S, root mean square, from which a mesh does not fit the head
MARKS = (0.97, 0.6, 0.25, 0.85, 0.4, 0.1)  # quantiles of opening that are taken in turn: the first few tell most
UNLIKE = 0.03  # S of opening, at a cost of 1
TURNED = 12.0  # degrees from the clip's usual pose, at a cost of 1
SMALLER = 1.6  # times smaller in pixels than the largest, at a cost of 1
WIDER = 0.5  # S of width that is worth 1: teeth show at the sides
ASIDE = 3  # frames nearer to each other than this show the same


@dataclass(frozen=True)
class _Mouths:
    """opening, width in S; scale: S in pixels."""

    opening: Array
    width: Array
    scale: Array


def choose(points: Array, times: Array, learn: Array) -> Array:
    """BANK indices of the frames that lend their mouths, the most telling first, -1 where there are no more: sharp, seen from
    where the clip mostly sees the head, and open in all ways that occur.

    points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, which of them may lend.
    """
    bank = np.full(BANK, -1, np.int32)
    seen = np.flatnonzero(np.isfinite(points).all((1, 2)))
    if len(seen) < 2:
        return bank
    heads = heads_of(points[seen])
    mouths = _mouths(heads, points[seen])
    doubt = _doubt(heads, times[seen])
    left = np.flatnonzero(learn[seen] & (mouths.opening > LEAST_OPEN) & (doubt < 1))
    if not len(left):
        return bank
    turned = sum(((angle - np.median(angle)) / TURNED) ** 2 for angle in (heads.yaw, heads.pitch))
    smaller = np.log(mouths.scale.max() / mouths.scale) / np.log(SMALLER)
    cost = doubt + turned + smaller**2 - mouths.width / WIDER
    marks = np.quantile(mouths.opening[left], MARKS)
    for place in range(BANK):
        if not len(left):
            break
        unlike = ((mouths.opening[left] - marks[place % len(marks)]) / UNLIKE) ** 2
        best = int(left[np.argmin(cost[left] + unlike)])
        bank[place] = seen[best]
        left = left[np.abs(seen[left] - seen[best]) >= ASIDE]
    return bank


def _mouths(heads: Heads, points: Array) -> _Mouths:
    measured = measure_lips(heads.lips)
    eyes = points[:, PLAN_POINTS.index(RIGHT_EYE)] - points[:, PLAN_POINTS.index(LEFT_EYE)]
    return _Mouths(measured[:, OPENING], measured[:, WIDTH], np.linalg.norm(eyes, axis=1))


def _doubt(heads: Heads, times: Array) -> Array:
    """The cost of lending a frame, from 0: for motion blur, and for a mesh that does not fit."""
    apart = np.maximum(np.diff(times), 1e-3)
    steps = np.linalg.norm(np.diff(heads.centres, axis=0), axis=1) + np.linalg.norm(np.diff(heads.lips, axis=0), axis=2).max(1)
    steps = steps / apart
    moved = np.minimum(np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]]))
    return np.asarray(0.5 * (moved / UNSTEADY) ** 2 + 0.5 * (heads.misfit / MISFIT) ** 2)
