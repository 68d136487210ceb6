"""What the subject does differently from other people: a ridge regression on the tracks predicted by the prior."""

from collections.abc import Callable

import numpy as np

from enhance.geometry.heads import Array

from .tracks import FRAME, at

_STRENGTHS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)  # penalties of the fit that are tried
_PARTS = 5  # of the clip, each of which is predicted from the others
_FEWEST = 20  # frames that can be fitted
_GAP = 0.2  # s between what is fitted and what is predicted from it
_OFFSETS = np.arange(-0.08, 0.081, 0.04)  # s


def fit_residual(tracks: Array, times: Array, wanted: Array, strength: float) -> Callable[[Array], Array]:
    """A function from tracks (T x k, 100 frames/s) to the residual, T x k, which is to be added to them.

    wanted: g x k, what the subject did at `times` (s), in the tracks' units. strength: the ridge's penalty.
    """
    told = _ridge(_context(tracks, times), wanted - at(tracks, times), strength)

    def residual(other: Array) -> Array:
        return told(_context(other, (np.arange(len(other)) + 0.5) * FRAME))

    return residual


def strength_of(tracks: Array, times: Array, wanted: Array) -> float:
    """The penalty with the least error in cross-validation over _PARTS parts; the largest where there are too few frames.

    tracks, times, wanted: as in fit_residual().
    """
    heard, missing = _context(tracks, times), wanted - at(tracks, times)
    missed = np.zeros(len(_STRENGTHS))
    for part in np.array_split(np.arange(len(times)), _PARTS):
        rest = np.abs(times[:, None] - times[part[[0, -1]]]).min(1) > _GAP if len(part) else np.zeros(0, bool)
        rest[part] = False
        if rest.sum() < _FEWEST:
            return _STRENGTHS[-1]
        for place, strength in enumerate(_STRENGTHS):
            told = _ridge(heard[rest], missing[rest], strength)
            missed[place] += ((told(heard[part]) - missing[part]) ** 2).sum()
    return _STRENGTHS[int(np.argmin(missed))]


def _ridge(heard: Array, missing: Array, strength: float) -> Callable[[Array], Array]:
    """A function from rows like `heard` (g x n) to rows like `missing` (g x k)."""
    centre, offset = heard.mean(0), missing.mean(0)
    scale = np.sqrt(((heard - centre) ** 2).sum(1).mean()) + 1e-9
    rows = (heard - centre) / scale
    # By columns, which are few, not by frames: those of a long clip, squared, would fill the memory.
    weights = np.linalg.solve(rows.T @ rows + strength * np.eye(rows.shape[1]), rows.T @ (missing - offset))
    return lambda other: np.asarray((other - centre) / scale @ weights + offset)


def _context(tracks: Array, times: Array) -> Array:
    return np.concatenate([at(tracks, times + offset) for offset in _OFFSETS], 1)
