"""Which frames of a clip lend their mouths, and which of them to each frame of the output."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.heads import Array, Heads, heads_of
from enhance.geometry.landmarks import LEFT_EYE, PLAN_POINTS, RIGHT_EYE

from .measures import OPENING, WIDTH, measure_lips

BANK = 48
"""Lenders of a clip, at most."""
AT_ONCE = 2
"""Lenders of a frame: one, or two while they change."""

CANDIDATES = 320  # frames that are weighed, spread over the clip
WEIGHED = 1200  # of the output's frames, for which the bank is chosen
LEAST_OPEN = 0.035  # S: a mouth that is nearly shut has nothing to lend
UNSTEADY = 1.2  # S a second from which lips or head are blurred by motion
MISFIT = 0.02  # S, root mean square, from which a mesh does not fit the head

SEEN = (0.0, 0.05)  # S: from the first opening on the inside of the mouth counts, from the second in full
STRETCH = 0.30  # of the lent mouth's height: stretched by this much it costs 1
MOST_STRETCH = 0.70  # beyond, nothing is lent
WIDER, OPENER = 0.09, 0.12  # S by which a lender's mouth is wider, and wider open, at a cost of 1
NARROWER = 0.06  # S by which it is narrower, at a cost of 1
YAW, PITCH = 9.0, 9.0  # degrees of difference at a cost of 1
FARTHEST = 16.0  # degrees beyond which nothing is lent
SMALLER = 1.6  # times smaller in pixels, at a cost of 1
NOTHING = 3.0  # the cost of teeth that are drawn, where nothing is lent
CHANGE = 3.0  # the cost of another lender than in the frame before
FADE = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9  # over a change of lender, or between one and teeth that are drawn


@dataclass(frozen=True)
class Lending:
    """Which frames of a clip lend their mouths to f frames of the output.

    bank: BANK indices of the clip's frames, -1 where there are no more. lenders: f x AT_ONCE places in the bank, -1 for none.
    shares: f x AT_ONCE, how much of the mouth's inside each lends, together at most 1.
    """

    bank: Array
    lenders: Array
    shares: Array


@dataclass(frozen=True)
class _Mouths:
    """opening, width in S; yaw, pitch in degrees; scale: S in pixels."""

    opening: Array
    width: Array
    yaw: Array
    pitch: Array
    scale: Array

    def __getitem__(self, at: Array) -> "_Mouths":
        return _Mouths(self.opening[at], self.width[at], self.yaw[at], self.pitch[at], self.scale[at])


def choose(points: Array, times: Array, learn: Array, targets: Array, shown: Array) -> Lending:
    """The lenders of each output frame: by the least cost over the whole output, at which a mouth fits (_costs()).

    points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, which of them may lend.
    targets: f x 8, the shapes to come (shapes.TARGETS). shown: f indices of the clip's frame that is seen, -1 where unknown.
    """
    bank, count = np.full(BANK, -1, np.int32), len(targets)
    none = Lending(bank, np.full((count, AT_ONCE), -1, np.int32), np.zeros((count, AT_ONCE), np.float32))
    seen = np.flatnonzero(np.isfinite(points).all((1, 2)))
    if len(seen) < 2 or not count:
        return none
    heads = heads_of(points[seen])
    mouths = _mouths(heads, points[seen])
    place = np.full(len(points) + 1, -1)
    place[seen] = np.arange(len(seen))
    at = place[np.where((shown >= 0) & (shown < len(points)), shown, len(points))]
    doubt = _doubt(heads, times[seen])
    able = np.flatnonzero(learn[seen] & (mouths.opening > LEAST_OPEN) & (doubt < 1))
    able = able[:: -(-len(able) // CANDIDATES)] if len(able) else able
    if not len(able) or not (at >= 0).any():
        return none
    asked = mouths[np.maximum(at, 0)]
    asked = _Mouths(targets[:, 0].astype(np.float64), targets[:, 1].astype(np.float64), asked.yaw, asked.pitch, asked.scale)
    weight = np.clip((asked.opening - SEEN[0]) / (SEEN[1] - SEEN[0]), 0, 1) * (at >= 0)
    some = np.arange(0, count, -(-count // WEIGHED))
    chosen = able[_bank(_costs(asked[some], mouths[able]) + doubt[able], weight[some])]
    if not len(chosen):
        return none
    bank[: len(chosen)] = seen[chosen]
    path = _path(_costs(asked, mouths[chosen]) + doubt[chosen], weight)
    path[at < 0] = -1
    lenders, shares = _faded(path, len(chosen))
    lenders[at < 0], shares[at < 0] = -1, 0
    return Lending(bank, lenders, shares)


def _mouths(heads: Heads, points: Array) -> _Mouths:
    measured = measure_lips(heads.lips)
    eyes = points[:, PLAN_POINTS.index(RIGHT_EYE)] - points[:, PLAN_POINTS.index(LEFT_EYE)]
    return _Mouths(measured[:, OPENING], measured[:, WIDTH], heads.yaw, heads.pitch, np.linalg.norm(eyes, axis=1))


def _doubt(heads: Heads, times: Array) -> Array:
    """The cost of lending a frame whatever is asked for, from 0: for motion blur, and for a mesh that does not fit."""
    if len(times) < 2:
        return np.zeros(len(times))
    apart = np.maximum(np.diff(times), 1e-3)
    steps = np.linalg.norm(np.diff(heads.centres, axis=0), axis=1) + np.linalg.norm(np.diff(heads.lips, axis=0), axis=2).max(1)
    steps = steps / apart
    moved = np.minimum(np.concatenate([steps[:1], steps]), np.concatenate([steps, steps[-1:]]))
    return np.asarray(0.5 * (moved / UNSTEADY) ** 2 + 0.5 * (heads.misfit / MISFIT) ** 2)


def _costs(asked: _Mouths, lenders: _Mouths) -> Array:
    """f x lenders: the cost of each lender in each frame; from 1 on a difference begins to show."""

    def more(name: str) -> Array:
        return np.asarray(getattr(lenders, name)[None] - getattr(asked, name)[:, None], np.float32)

    opener, wider, yaw, pitch = (more(name) for name in ("opening", "width", "yaw", "pitch"))
    stretch = np.maximum(-opener, 0) / np.maximum(lenders.opening, LEAST_OPEN)
    smaller = np.log(np.maximum(asked.scale[:, None] / np.maximum(lenders.scale, 1), 1)) / np.log(SMALLER)
    cost = (np.maximum(opener, 0) / OPENER) ** 2 + (stretch / STRETCH) ** 2 + smaller**2
    cost += (np.maximum(wider, 0) / WIDER) ** 2 + (np.maximum(-wider, 0) / NARROWER) ** 2
    cost += (yaw / YAW) ** 2 + (pitch / PITCH) ** 2
    cost[(stretch > MOST_STRETCH) | (np.abs(yaw) > FARTHEST) | (np.abs(pitch) > FARTHEST)] = 1e3
    return np.asarray(cost)


def _bank(costs: Array, weight: Array) -> Array:
    """The lenders that together serve best, the most useful first: each the one that takes most off what is left."""
    left = np.full(len(costs), NOTHING) * weight
    priced = costs * weight[:, None]
    chosen: list[int] = []
    while len(chosen) < BANK:
        gains = np.maximum(left[:, None] - priced, 0).sum(0)
        best = int(np.argmax(gains))
        if gains[best] < CHANGE:
            break
        chosen.append(best)
        left = np.minimum(left, priced[:, best])
    return np.array(chosen, int)


def _path(costs: Array, weight: Array) -> Array:
    """The lender of each frame, -1 for none: the cheapest way through, in which a change has its price (Viterbi)."""
    count = costs.shape[1]
    priced = np.concatenate([costs, np.full((len(costs), 1), NOTHING)], axis=1) * weight[:, None]
    total = priced[0].copy()
    came = np.zeros(priced.shape, np.int16)
    every = np.arange(count + 1)
    for frame in range(1, len(priced)):
        cheapest = int(np.argmin(total))
        changed = total[cheapest] + CHANGE < total
        came[frame] = np.where(changed, cheapest, every)
        total = np.where(changed, total[cheapest] + CHANGE, total) + priced[frame]
    path = np.empty(len(priced), int)
    path[-1] = int(np.argmin(total))
    for frame in range(len(priced) - 1, 0, -1):
        path[frame - 1] = came[frame, path[frame]]
    return np.where(path == count, -1, path)


def _faded(path: Array, count: int) -> tuple[Array, Array]:
    """Places and shares, AT_ONCE of each: a change fades over a few frames."""
    frames, reach = np.arange(len(path)), len(FADE) // 2
    lends = np.flatnonzero(path >= 0)
    if not len(lends):
        return np.full((len(path), AT_ONCE), -1, np.int32), np.zeros((len(path), AT_ONCE), np.float32)
    # While teeth fade in or out, the shares are those of the lender that comes, or of the one that has gone.
    after = np.minimum(np.searchsorted(lends, frames), len(lends) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(np.abs(lends[before] - frames) < np.abs(lends[after] - frames), before, after)
    wide = np.pad(path[lends[nearer]], reach, "edge")
    shares = np.zeros((len(path), count))
    for offset, weight in enumerate(FADE):
        shares[frames, wide[offset : offset + len(path)]] += weight
    lent = np.convolve(np.pad((path >= 0).astype(float), reach, "edge"), FADE, "valid")
    shares *= lent[:, None]
    order = np.argsort(-shares, axis=1, kind="stable")[:, :AT_ONCE]
    order = np.pad(order, ((0, 0), (0, AT_ONCE - order.shape[1])), constant_values=0)
    kept = np.take_along_axis(shares, order, axis=1)
    if count < AT_ONCE:
        kept[:, count:] = 0
    return np.where(kept > 0, order, -1).astype(np.int32), kept.astype(np.float32)
