"""What is heard behind a speaker and goes on in the pauses: a crowd, a television, music, applause, traffic.

The network takes a crowd for speech at any level, and some music: what tells it from the speaker is that it is quieter.
"""

import numpy as np
import numpy.typing as npt

from enhance.runs import runs

from .features import Floats, mean_around

_LOWEST = 3  # mel band: those below it, up to 260 Hz, are mostly hum
_REACH = 20  # frames: the level is the mean power of 0.2 s on both sides
_BELOW = 3.0  # nepers of power (13 dB) under the loud parts, from which a frame may be background
_ABOVE = 1.4  # nepers of power (6 dB) over the quietest parts, up to which it may be
_SHORTEST = 80  # frames: less is as often a quiet word
_REST, _LOUD = 10, 95  # percentiles of the level that are the quietest and the loud parts
_SPAN, _STEP = 1000, 200  # frames: both are those of 10 s, taken anew every 2 s


def background_frames(mel: Floats) -> npt.NDArray[np.bool_]:
    """Which frames of log-mel (T x 40) are only background: [T]. In a sound as loud throughout, none is."""
    level = _level(mel)
    behind = np.zeros(len(level), np.bool_)
    for start in range(0, len(level), _STEP):
        middle = start + _STEP // 2
        around = level[max(middle - _SPAN // 2, 0) : middle + _SPAN // 2]
        rest, loud = np.percentile(around, (_REST, _LOUD))
        behind[start : start + _STEP] = level[start : start + _STEP] < min(rest + _ABOVE, loud - _BELOW)
    for start, end in runs(behind):
        if end - start < _SHORTEST:
            behind[start:end] = False
    return behind


def _level(mel: Floats) -> Floats:
    """Logarithm of the mean power round each frame, [T]."""
    mean = mean_around(np.exp(mel[:, _LOWEST:].astype(np.float64)).sum(1), _REACH)
    return np.asarray(np.log(np.maximum(mean, 1e-9)))
