"""What is hummed with the lips shut, between what is said: "mhm", "hmm", some notes.

The network hears it as u, t or f as often as silence. Its sound leaves through the nose: it has little above 800 Hz, and
nothing in it is a vowel of an open mouth.
"""

import numpy as np
import numpy.typing as npt

from enhance.runs import runs

from .classes import INDEX
from .features import Floats, mean_around

_LOW, _HIGH = slice(1, 6), slice(10, None)  # mel bands: 95 to 560 Hz, and from 760 Hz on
_REACH = 2  # frames: levels are the mean power of 50 ms
_NEAR = 2.3  # nepers of power (10 dB) under the loud parts of speech: what is above has the speaker's balance
_LOUD = 95  # percentile of the level that is the loud parts
_LOUDEST = 2.0  # nepers of power (9 dB) under the loudest frame of a run: what is quieter in it, such as a breath, may differ
_ALL_BUT = 15  # percentile of those frames from which they are hummed
# Nepers of power (9 dB) by which their low bands are stronger, beside the high ones, than those of the speaker's speech
_DULL = 2.0
_OPEN = [INDEX[name] for name in ("A", "AH", "E", "O", "I", "J")]
_VOWEL = 3  # frames before and after a frame: a vowel is a mean of 70 ms
_NONE = 0.3  # posterior of all of _OPEN up to which a run has no vowel


def hummed_frames(mel: Floats, posteriors: Floats, activity: Floats) -> npt.NDArray[np.bool_]:
    """Which frames of log-mel (T x 40) lie in a run of speech that is hummed throughout: [T].

    posteriors: [T, 20]. activity: [T], 0..1: how sure it is that somebody speaks. Where nothing but humming is heard, none is.
    """
    hummed = np.zeros(len(mel), np.bool_)
    speech = activity > 0.5
    if not speech.any():
        return hummed
    low, high, level = (_level(mel[:, bands]) for bands in (_LOW, _HIGH, slice(1, None)))
    dull = low - high
    loud = level > np.percentile(level[speech], _LOUD) - _NEAR
    limit = np.median(dull[speech & loud]) + _DULL
    vowels = mean_around(posteriors[:, _OPEN].sum(1), _VOWEL)
    for start, end in runs(activity > 0):
        loudest = level[start:end] > level[start:end].max() - _LOUDEST
        hums = np.percentile(dull[start:end][loudest], _ALL_BUT) > limit
        hummed[start:end] = hums and vowels[start:end].max() < _NONE
    return hummed


def _level(bands: Floats) -> Floats:
    """Logarithm of the mean power of these bands (T x n) round each frame, [T]."""
    return np.asarray(np.log(np.maximum(mean_around(np.exp(bands.astype(np.float64)).sum(1), _REACH), 1e-9)))
