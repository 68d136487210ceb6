"""Held sounds, such as sung notes, heard at the length that the sounds of speech have.

The network was trained on speech, where only noise, hum and instruments stay the same for long: a vowel that is held becomes
silence for it after .3 s.
"""

import numpy as np
import numpy.typing as npt

from enhance.runs import runs

from .features import Floats, mean_around

_LONGEST = 20  # frames that are heard of a steady sound: few vowels of speech last longer
_SOFT = 5  # frames of the mean that takes out voice periods and vibrato
_APART, _CHANGE = 6, 0.9  # frames, and the mean change of log-mel over them, below which a sound is steady
_LOW = 20  # mel band: those below it are under 1.7 kHz
_BESIDE = 20  # frames before and after a frame that show whether it is noise: an s may last half as long
# Nepers by which log-mel departs on average from its mean over _SOFT frames, from which a steady sound is noise: that of noise
# of any kind departs by .44 to .53, that of voices and instruments by .04 to .30. docs/decisions/0241
_NOISE = 0.42
_CALM = 7  # frames before and after a frame, whose mean is the spectrum of noise without its trembling
# Nepers by which that spectrum, less its level, departs from its mean, up to which a steady sound is noise: that of noise by
# .13 to .18. Speech in a hall trembles as noise does, but departs by .24 to .6: docs/decisions/0249
_SAME = 0.21
_ABOVE, _MOST = 1.25, 3.0  # of log-mel above the background, 0 to the most counted in a band: below, it may be background
_LOUD = 4.0  # nepers of power under the 95th percentile, below which no note is held
_SPAN, _STEP = 1000, 200  # frames: the background is that of 10 s, taken anew every 2 s
_BACKGROUND = 10  # percentile of each band that is background


def held_sounds(mel: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Of log-mel (T x 40), which frames the networks are to hear, and which are steady noise: [T] each.

    Not heard is the middle of steady sounds over the background. Steady noise would be held as if it were a vowel, but nobody
    speaks in it: an automatic gain has made the noise of a pause as loud as speech.
    """
    heard = np.ones(len(mel), np.bool_)
    if len(mel) <= _LONGEST:
        return heard, ~heard
    soft = _softened(mel)
    steady = _steady(soft) & _in_front(soft)
    for start, end in runs(steady):
        if end - start > _LONGEST:
            heard[start + _LONGEST // 2 : end - _LONGEST // 2] = False
    return heard, _noise(mel[:, :_LOW], soft[:, :_LOW], steady)


def _noise(mel: Floats, soft: Floats, steady: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The frames of all spans of 2 * _BESIDE + 1 that are steady throughout, tremble, and keep the shape of their spectrum."""
    trembling = mean_around(np.abs(mel - soft).mean(1), _BESIDE)
    calm = mean_around(mel.astype(np.float64), _CALM, "edge")
    shape = calm - calm.mean(1, keepdims=True)
    variance = mean_around(shape**2, _BESIDE) - mean_around(shape, _BESIDE) ** 2
    departs = np.sqrt(np.maximum(variance, 0)).mean(1)
    middles = (mean_around(steady.astype(np.float64), _BESIDE) == 1) & (trembling > _NOISE) & (departs < _SAME)
    return np.asarray(mean_around(middles.astype(np.float64), _BESIDE) > 0)


def _softened(mel: Floats) -> Floats:
    return mean_around(mel.astype(np.float64), _SOFT // 2, "edge")


def _steady(soft: Floats) -> npt.NDArray[np.bool_]:
    change = np.abs(soft[_APART:] - soft[:-_APART]).mean(1)
    side = _APART // 2
    return np.pad(change < _CHANGE, (side, _APART - side))


def _in_front(soft: Floats) -> npt.NDArray[np.bool_]:
    """Which frames lie well above the quietest tenth of the 10 s around them, band by band, and are nearly as loud as any."""
    front = np.zeros(len(soft), np.bool_)
    level = soft.mean(1)
    for start in range(0, len(soft), _STEP):
        first = int(np.clip(start + (_STEP - _SPAN) // 2, 0, max(len(soft) - _SPAN, 0)))
        around, here = slice(first, first + _SPAN), slice(start, start + _STEP)
        over = np.clip(soft[here] - np.percentile(soft[around], _BACKGROUND, axis=0), 0, _MOST).mean(1)
        front[here] = (over > _ABOVE) & (level[here] > np.percentile(level[around], 95) - _LOUD)
    return front
