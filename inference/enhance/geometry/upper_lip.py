"""How far people's upper lips rise as their mouths open: planned as such, and taken off an opening that is seen."""

import numpy as np
import numpy.typing as npt

from .head import Array

UPPER_SHARE = 0.30
"""Of an opening, what the upper lip rises; the lower lip falls by the rest."""
LIFT = 0.06  # S that an upper lip rises at most; beyond, the jaw alone opens the mouth


def usual_rise(opening: npt.ArrayLike) -> Array:
    """Of openings, both in S: UPPER_SHARE of little ones, and softly no more than LIFT."""
    return np.asarray(LIFT * np.tanh(UPPER_SHARE * np.asarray(opening) / LIFT))
