"""What the subject does otherwise than other people: a ridge regression from the prior's own tracks."""

from collections.abc import Callable

import numpy as np

from .geometry import Array
from .tracks import FRAME, at

_OFFSETS = np.arange(-0.08, 0.081, 0.04)  # s


def fit_residual(tracks: Array, times: Array, wanted: Array, strength: float) -> Callable[[Array], Array]:
    """A function from tracks (T x k, 100 frames/s) to what must be added to them, T x k.

    wanted: g x k at `times` (s), in the tracks' units. strength: of the ridge, 30-100 for a few seconds.
    """
    heard = _context(tracks, times)
    missing = wanted - at(tracks, times)
    centre, offset = heard.mean(0), missing.mean(0)
    scale = np.sqrt(((heard - centre) ** 2).sum(1).mean()) + 1e-9
    rows = (heard - centre) / scale
    # By columns, which are few, not by frames: those of a long clip, squared, would fill the memory.
    weights = np.linalg.solve(rows.T @ rows + strength * np.eye(rows.shape[1]), rows.T @ (missing - offset))

    def residual(other: Array) -> Array:
        clock = (np.arange(len(other)) + 0.5) * FRAME
        told: Array = (_context(other, clock) - centre) / scale @ weights + offset
        return told

    return residual


def _context(tracks: Array, times: Array) -> Array:
    return np.concatenate([at(tracks, times + offset) for offset in _OFFSETS], 1)
