"""Frames that show the subject's mouth best: frontal, steady, lips closed or nearly so, not pressed."""

import numpy as np

from enhance.geometry.heads import Array, Heads, heads_of
from enhance.geometry.landmarks import LIP_RINGS

from .measures import OPENING, measure_lips

COUNT = 4
_APART = 0.4  # s between two of them: neighbouring frames show the same
_NEARLY_SHUT = 0.35  # share of the frames, those with the most closed lips, in which the lips' usual thickness is measured
_THICKNESS = ((LIP_RINGS.index(0), LIP_RINGS.index(13)), (LIP_RINGS.index(14), LIP_RINGS.index(17)))


def references(points: Array, times: Array, learn: Array) -> Array:
    """COUNT indices of the clip's frames, best first, -1 where there are no more.

    points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, which of them may be named.
    """
    chosen = np.full(COUNT, -1, np.int32)
    indices = np.flatnonzero(np.isfinite(points).all((1, 2)) & learn)
    if not len(indices):
        return chosen
    heads = heads_of(points[indices])
    opening = measure_lips(heads.lips)[:, OPENING]
    parted = np.abs(opening - np.clip(opening.min(), 0, 0.02)) / 0.03
    moved = np.zeros(len(opening))
    if len(opening) > 1:
        steps = np.abs(np.diff(heads.centres, axis=0)).max(1) / np.maximum(np.diff(times[indices]), 1e-3)
        moved = np.maximum(np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]]))
    cost = (
        parted
        + np.abs(heads.yaw) / 15
        + np.abs(heads.pitch) / 20
        + moved / 0.5
        + heads.misfit / 0.01
        + _pressed(heads, opening) / 0.03
    )
    left = np.ones(len(indices), bool)
    for place in range(COUNT):
        if not left.any():
            break
        best = int(np.argmin(np.where(left, cost, np.inf)))
        chosen[place] = indices[best]
        left &= np.abs(times[indices] - times[indices[best]]) > _APART
    return chosen


def _pressed(heads: Heads, opening: Array) -> Array:
    """g: how far both lips are from their usual thickness, in S. Pressed or pursed lips do not show how a mouth rests."""
    thick = np.stack([np.linalg.norm(heads.lips[:, a] - heads.lips[:, b], axis=1) for a, b in _THICKNESS], 1)
    usual = np.median(thick[opening <= np.quantile(opening, _NEARLY_SHUT)], axis=0)
    return np.asarray(np.abs(thick - usual).sum(1))
