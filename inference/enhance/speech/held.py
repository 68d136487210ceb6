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
# Nepers by which their log-mel departs on average from its mean over _SOFT frames, from which a steady sound is noise: that of
# noise of any kind departs by .44 to .53, that of voices and instruments by .04 to .30. docs/decisions/0241
_NOISE = 0.42
_LONG_NOISE = 40  # frames of it in which nobody speaks: an s may last half as long
_ABOVE, _MOST = 1.25, 3.0  # of log-mel above the background, 0 to the most counted in a band: below, it may be background
_LOUD = 4.0  # nepers of power under the 95th percentile, below which no note is held
_SPAN, _STEP = 1000, 200  # frames: the background is that of 10 s, taken anew every 2 s
_BACKGROUND = 10  # percentile of each band that is background


def heard_frames(mel: Floats) -> npt.NDArray[np.bool_]:
    """Which frames of log-mel (T x 40) the network is to hear: [T], without the middle of steady sounds over the background."""
    heard, _ = _heard_and_noise(mel)
    return heard


def noise_frames(mel: Floats) -> npt.NDArray[np.bool_]:
    """Which frames of log-mel (T x 40) are steady noise that heard_frames would hold as if it were a vowel: [T].

    Nobody speaks in them: an automatic gain has made the noise of a pause as loud as speech.
    """
    _, noise = _heard_and_noise(mel)
    return noise


def _heard_and_noise(mel: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    heard, noise = np.ones(len(mel), np.bool_), np.zeros(len(mel), np.bool_)
    if len(mel) <= _LONGEST:
        return heard, noise
    soft = _softened(mel)
    trembling = np.abs(mel - soft)[:, :_LOW].mean(1)
    for start, end in runs(_steady(soft) & _in_front(soft)):
        if end - start > _LONGEST:
            heard[start + _LONGEST // 2 : end - _LONGEST // 2] = False
            noise[start:end] = end - start >= _LONG_NOISE and trembling[start:end].mean() > _NOISE
    return heard, noise


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
