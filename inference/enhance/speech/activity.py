"""Whether somebody speaks, by which a mouth stays shut through silence, hum, noise and music."""

import numpy as np

from .classes import SIL
from .features import Floats, mean_around

_REACH = 15  # frames: the share of speech sounds is taken over 0.15 s on both sides
_NONE, _CERTAIN = 0.3, 0.55  # shares that are no speech, and certainly speech; at the start of a word it is about 0.5


def speech_activity(posteriors: Floats) -> Floats:
    """How sure it is that somebody speaks, [T], 0..1. posteriors: [T, 20] of the network. The level does not matter."""
    share = mean_around(1 - posteriors[:, SIL], _REACH)
    return np.asarray(np.clip((share - _NONE) / (_CERTAIN - _NONE), 0, 1).astype(np.float32))
