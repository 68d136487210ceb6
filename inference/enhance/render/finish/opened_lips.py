"""How the colours of the subject's lips change as the mouth opens: lips that are pulled apart turn to the light and show their
wet inside."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from enhance.geometry.head import Array

from .tone import GRID, Tone

GAPS = (0.08, 0.20)
"""S between the lips at which the change is known: none where they touch, and in proportion between."""
SIZE = (len(GAPS), *GRID, 3)
"""Of a change: what is added to Tone.relative at GAPS."""
UNCHANGED = np.zeros(SIZE)
PRIOR = 1.0
"""Frames: how much it weighs that nothing changes."""
MOST = 0.25
"""Of a frame's difference at most: beyond it the mesh has taken something else for a lip."""


def learnt(seen: Sequence[tuple[float, Array]], tone: Tone) -> Array:
    """The change, SIZE, that fits frames best. seen: S between a frame's lips, and their colours as Tone.relative has them."""
    if not seen:
        return UNCHANGED
    gaps, relative = zip(*seen, strict=True)
    shares = _shares(np.array(gaps))
    off = np.clip(np.stack(relative) - tone.relative, -MOST, MOST).reshape(len(gaps), -1)
    fitted = np.linalg.solve(shares.T @ shares + PRIOR * np.eye(len(GAPS)), shares.T @ off)
    return np.asarray(fitted.reshape(SIZE))


def opened(tone: Tone, change: Array, gap: float) -> Tone:
    """The tone of lips that are `gap` (S) apart."""
    return replace(tone, relative=tone.relative + np.tensordot(_shares(np.array([gap]))[0], change, 1))


def _shares(gaps: Array) -> Array:
    """Of the change at GAPS, n x len(GAPS), at openings (n, S)."""
    at = np.interp(gaps, (0, *GAPS), range(len(GAPS) + 1))
    return np.asarray(np.clip(1 - np.abs(at[:, None] - np.arange(1, len(GAPS) + 1)), 0, 1))
