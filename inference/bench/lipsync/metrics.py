"""Numbers from tracks: how far the mouth was open, frame by frame, against what it should have been. Pure, NaN = no face.

Lengths are in outer-eye distances.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]

OUTER_EYES = (33, 263)
INNER_LIP = (13, 14)
CORNERS = (61, 291)
LIP_EDGES = ((0, 13), (14, 17))  # the upper and the lower lip's, in the middle
INNER = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95)  # in order, round
OUTER = (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146)
LIPS = (*OUTER, *INNER)
STABLE = (33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 10, 67, 297, 109, 338, 151, 9, 8, 127, 356)

LAGS = 0.4  # seconds either way
CLOSED_BELOW = 0.15  # of the range
RANGE = (2, 98)  # percentiles
LIPS_MEET = 0.02  # outer-eye distances: the opening that a mesh shows on lips that touch
PARTED = 0.05  # from which a mouth is open
SILENT, SPOKEN = 0.2, 0.5  # speech activity
SETTLE = 0.25  # seconds of silence before and after a silent frame
AS_OPEN = 0.03  # outer-eye distances by which openings differ at most, for insides to be compared
DARK = 8.0  # grey levels of luma, below which noise is all there is
BILABIAL = 0.5  # posterior of P from which a p, b or m counts


def distances(meshes: Floats, pair: tuple[int, int]) -> Floats:
    """F x 478 x 3 -> F: how far apart two points are, in outer-eye distances."""
    unit = np.linalg.norm(meshes[:, OUTER_EYES[0]] - meshes[:, OUTER_EYES[1]], axis=1)
    return np.asarray(np.linalg.norm(meshes[:, pair[0]] - meshes[:, pair[1]], axis=1) / unit)


def openings(meshes: Floats) -> Floats:
    """F x 478 x 3 -> F: the distance of the inner lips in their middle, in outer-eye distances."""
    return distances(meshes, INNER_LIP)


def correlation(a: Floats, b: Floats) -> float:
    """Pearson's r over the frames that both have; NaN for fewer than 8, or where one does not move."""
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < 8 or a[both].std() < 1e-9 or b[both].std() < 1e-9:
        return float("nan")
    return float(np.corrcoef(a[both], b[both])[0, 1])


def best_lag(truth: Floats, seen: Floats, fps: float) -> tuple[float, float]:
    """The highest r of `seen` moved by up to LAGS, and that lag in seconds: positive = `seen` is late."""
    found = []
    for lag in range(-round(LAGS * fps), round(LAGS * fps) + 1):
        first, second = truth[max(0, -lag) : len(truth) - max(0, lag)], seen[max(0, lag) : len(seen) - max(0, -lag)]
        r = correlation(first, second)
        if np.isfinite(r):
            found.append((r, lag / fps))
    return max(found, default=(float("nan"), float("nan")))


def std_ratio(truth: Floats, seen: Floats) -> float:
    """The standard deviation of `seen` over that of `truth`, in the frames that both have; NaN for fewer than two."""
    both = np.isfinite(truth) & np.isfinite(seen)
    return float(seen[both].std() / max(truth[both].std(), 1e-9)) if both.sum() > 1 else float("nan")


def slope(asked: Floats, seen: Floats) -> float:
    """Of the least-squares line seen = slope * asked + offset."""
    both = np.isfinite(asked) & np.isfinite(seen)
    if both.sum() < 8 or asked[both].std() < 1e-9:
        return float("nan")
    return float(np.polyfit(asked[both], seen[both], 1)[0])


def flicker(track: Floats) -> float:
    """Mean size of the second difference: what trembles from frame to frame."""
    second = track[2:] - 2 * track[1:-1] + track[:-2]
    return float(np.nanmean(np.abs(second))) if np.isfinite(second).any() else float("nan")


def change_to_next(flat: Floats, *openings: Floats) -> Floats:
    """How much the inside of the mouth (F x rows x columns, laid flat) changes from each frame to the next one that is as far
    open: F - 1 mean differences of luma over mean luma, NaN where the next frame is not.

    openings: F each, as the mesh sees them and, of a mouth that was made, as they were asked for. The mesh alone sees some
    mouths open late: teeth that appear since the mouth opens are no jump.
    """
    step = np.abs(flat[1:] - flat[:-1]).mean(axis=(1, 2)) / np.maximum((flat[1:] + flat[:-1]).mean(axis=(1, 2)) / 2, DARK)
    as_open = np.abs(np.diff(np.stack(openings), axis=1)).max(axis=0) < AS_OPEN
    return np.asarray(np.where(as_open, step, np.nan))


def changes(flat: Floats, *openings: Floats) -> Floats:
    """Of change_to_next, the finite ones."""
    steps = change_to_next(flat, *openings)
    return np.asarray(steps[np.isfinite(steps)])


def most_changed(steps: Floats, rows: int, frames: int) -> list[int]:
    """Where up to `rows` rows of `frames` frames begin, that have the largest steps in their middle and share none; in order.

    steps: as change_to_next gives them.
    """
    left = np.nan_to_num(steps, nan=-1.0)
    starts: list[int] = []
    while len(starts) < rows and len(left) >= frames - 1 and left.max() > 0:
        start = int(np.clip(int(left.argmax()) + 1 - frames // 2, 0, len(steps) + 1 - frames))
        # A row that began less than a row's length before or after would share frames with this one.
        left[max(0, start - frames // 2) : start + frames + frames // 2 - 1] = -1
        starts.append(start)
    return sorted(starts)


def leftover(source: Floats, seen: Floats, asked: Floats) -> float:
    """Partial correlation of the opening seen with the source's, given the opening asked for: how far the old mouth still moves
    the new one. NaN for fewer than 8 frames."""
    known = np.isfinite(source) & np.isfinite(seen) & np.isfinite(asked)
    if known.sum() < 8:
        return float("nan")
    lines = np.column_stack([asked[known], np.ones(known.sum())])
    rests = [track[known] - lines @ np.linalg.lstsq(lines, track[known], rcond=None)[0] for track in (source, seen)]
    return correlation(*rests)


def corner_jitter(meshes: Floats) -> float:
    """Mean size of the second difference of the mouth's corners, the head held still, in outer-eye distances."""
    known = np.flatnonzero(np.isfinite(meshes[:, list(STABLE)]).all(axis=(1, 2)))
    if len(known) < 3:
        return float("nan")
    still = meshes[known[0]]
    unit = np.linalg.norm(still[OUTER_EYES[0]] - still[OUTER_EYES[1]])
    paths = np.full((len(meshes), 2, 2), np.nan)
    for at in known:
        paths[at] = _laid(meshes[at], still)[list(CORNERS), :2] / unit
    second = np.linalg.norm(paths[2:] - 2 * paths[1:-1] + paths[:-2], axis=2)
    return float(np.nanmean(second)) if np.isfinite(second).any() else float("nan")


def lip_thickness(meshes: Floats, opening: Floats) -> float:
    """Of both lips together, where they are shut; NaN where they are in fewer than 3 frames."""
    low, high = opening_range(opening)
    shut = opening < low + CLOSED_BELOW * (high - low)
    both = distances(meshes, LIP_EDGES[0]) + distances(meshes, LIP_EDGES[1])
    return float(np.mean(both[shut])) if shut.sum() >= 3 else float("nan")


def lips_shut(meshes: Floats, before: Floats) -> tuple[float, float]:
    """How lips that were shut differ from those that the person shuts in other frames of `before` (both F x 478 x 3).

    How far the corners are off, up or down beside the middle, in outer-eye distances; and the area of both lips as a multiple
    of the person's, in frames in which the person's mouth is open. NaN where fewer than 3 frames tell it.
    """
    opened, own = openings(meshes), openings(before)
    (drop, area), (own_drop, own_area) = _corner_drop_and_area(meshes), _corner_drop_and_area(before)
    shut, rest = opened < LIPS_MEET, own < LIPS_MEET
    closing = shut & (own > PARTED)
    if rest.sum() < 3 or shut.sum() < 3:
        return float("nan"), float("nan")
    larger = float(area[closing].mean() / np.median(own_area[rest])) if closing.sum() >= 3 else float("nan")
    return abs(float(np.median(drop[shut]) - np.median(own_drop[rest]))), larger


def _corner_drop_and_area(meshes: Floats) -> tuple[Floats, Floats]:
    """F each: how far the corners lie under the middle of the lips, and what the outer outline surrounds, in outer-eye
    distances, the eyes held level."""
    across = meshes[:, OUTER_EYES[1]] - meshes[:, OUTER_EYES[0]]
    unit = np.linalg.norm(across, axis=1)
    level = across[:, :2] / np.linalg.norm(across[:, :2], axis=1, keepdims=True)
    down = np.stack([-level[:, 1], level[:, 0]], axis=1)
    lower = meshes[:, list(CORNERS), :2].mean(axis=1) - meshes[:, list(INNER_LIP), :2].mean(axis=1)
    x, y = np.moveaxis(meshes[:, list(OUTER), :2], 2, 0)
    area = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1))
    return (lower * down).sum(axis=1) / unit, area / unit**2


def lip_distance(truth: Floats, seen: Floats) -> float:
    """LMD: mean distance of the lip points after the head of `seen` is laid on that of `truth` (both F x 478 x 3)."""
    found = []
    for one, other in zip(truth, seen, strict=True):
        if not (np.isfinite(one[list(LIPS)]).all() and np.isfinite(other[list(LIPS)]).all()):
            continue
        laid = _laid(other, one)
        unit = np.linalg.norm(one[OUTER_EYES[0]] - one[OUTER_EYES[1]])
        found.append(np.linalg.norm((laid - one)[list(LIPS), :2], axis=1).mean() / unit)
    return float(np.mean(found)) if found else float("nan")


def opening_range(track: Floats) -> tuple[float, float]:
    """What counts as shut and as wide open. A mouth that never shuts does not get its smallest opening called shut."""
    low, high = np.nanpercentile(track, RANGE) if np.isfinite(track).any() else (np.nan, np.nan)
    return min(float(low), LIPS_MEET), float(high)


def bilabials(posteriors: Floats, index: int) -> Floats:
    """Seconds of the surest moment of each p, b, m in T x 20 posteriors, a row for each 10 ms."""
    told = posteriors[:, index] > BILABIAL
    edges = np.flatnonzero(np.diff(np.concatenate([[False], told, [False]]).astype(int)))
    peaks = [a + int(np.argmax(posteriors[a:b, index])) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return (np.array(peaks, np.float64) + 0.5) / 100


def closure(track: Floats, times: Floats, moments: Floats) -> tuple[int, int]:
    """At how many of the moments the mouth was shut in the nearest frame or one beside it, and of how many."""
    low, high = opening_range(track)
    shut = 0
    asked = [moment for moment in moments if times[0] <= moment <= times[-1]]
    for moment in asked:
        at = int(np.argmin(np.abs(times - moment)))
        near = track[max(0, at - 1) : at + 2]
        shut += bool(np.isfinite(near).any() and np.nanmin(near) < low + CLOSED_BELOW * (high - low))
    return shut, len(asked)


def quiet_and_spoken(activity: Floats, times: Floats) -> tuple[Flags, Flags]:
    """Which frames lie in silence, SETTLE from any speech, and which in speech. activity: a value for each 10 ms."""
    clock = (np.arange(len(activity)) + 0.5) / 100
    reach = round(SETTLE * 100)
    loudest = np.array([activity[max(0, i - reach) : i + reach + 1].max() for i in range(len(activity))])
    quiet = np.interp(times, clock, loudest) < SILENT
    spoken = np.interp(times, clock, activity) > SPOKEN
    return quiet, spoken


def stillness(track: Floats, quiet: Flags, spoken: Flags) -> float:
    """Standard deviation in silence over that in speech; NaN without 10 frames of each."""
    silent, speaking = track[quiet & np.isfinite(track)], track[spoken & np.isfinite(track)]
    if len(silent) < 10 or len(speaking) < 10:
        return float("nan")
    return float(silent.std() / max(speaking.std(), 1e-9))


def _laid(mesh: Floats, onto: Floats) -> Floats:
    """The mesh turned, scaled and moved so that its STABLE points lie on those of the other (Umeyama 1991)."""
    source, target = mesh[list(STABLE)], onto[list(STABLE)]
    from_middle, to_middle = source.mean(axis=0), target.mean(axis=0)
    left, sizes, right = np.linalg.svd((target - to_middle).T @ (source - from_middle))
    sign = np.array([1, 1, np.sign(np.linalg.det(left @ right))])
    rotation = left @ np.diag(sign) @ right
    scale = (sizes * sign).sum() / ((source - from_middle) ** 2).sum()
    return np.asarray(scale * (mesh - from_middle) @ rotation.T + to_middle)
