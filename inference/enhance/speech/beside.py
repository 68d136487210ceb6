"""What is loud beside speech for longer than its pauses: applause, a jingle, music before the first word.

It counted in the mean that is taken off the features, so the networks heard the speech beside it through another microphone.
"""

import numpy as np
import numpy.typing as npt

from enhance.runs import runs

from .features import Floats, mean_around
from .parts import doubt_of

_REACH = 15  # frames: the share of speech sounds, and the level, are those of 0.15 s on both sides
_NO_SPEECH, _SPEECH = 0.3, 0.5  # shares: up to the first nobody speaks, from the second on somebody does
_LOWEST = 3  # mel band: those below it, up to 260 Hz, are mostly hum
_LOUD, _BELOW = 95, 4.0  # percentile of speech that is loud; nepers of power (17 dB) under it, from which a sound counts
_SHORTEST = 80  # frames: pauses of speech in noise are shorter
_MOSTLY = 0.5  # mean activity of a run from which it was speech, unheard before
_ENOUGH = 60  # frames of speech that tell its level


def loud_beside_speech(mel: Floats, heard: npt.NDArray[np.bool_], posteriors: Floats) -> npt.NDArray[np.bool_]:
    """Which frames are as loud as speech, for .8 s and more, but are no speech: [T].

    mel: log-mel [T, 40]. heard: [T], without the middle of held sounds. posteriors: [n, 20], of the n frames that are heard,
    in a mean in which all of these count.
    """
    # The middle of a held sound is what its beginning is.
    share = mean_around(doubt_of(posteriors)[0], _REACH)[np.cumsum(heard) - 1]
    level = np.log(np.maximum(mean_around(np.exp(mel[:, _LOWEST:].astype(np.float64)).sum(1), _REACH), 1e-9))
    speech = share > _SPEECH
    beside = np.zeros(len(mel), np.bool_)
    if speech.sum() >= _ENOUGH:
        for start, end in runs((share < _NO_SPEECH) & (level > np.percentile(level[speech], _LOUD) - _BELOW)):
            beside[start:end] = end - start >= _SHORTEST
    return beside


def no_speech_after_all(beside: npt.NDArray[np.bool_], activity: Floats) -> npt.NDArray[np.bool_]:
    """The runs of what is loud beside speech that are mostly no speech either when the networks hear without it: [T].

    beside: [T]. activity: [T], 0..1, of that second hearing. Some claps in it sound like a syllable.
    """
    silent = np.zeros(len(beside), np.bool_)
    for start, end in runs(beside):
        silent[start:end] = activity[start:end].mean() < _MOSTLY
    return silent
