"""What is heard behind a speaker and goes on in the pauses: a crowd, a television, music, applause, traffic.

The network takes a crowd for speech at any level, and some music: what tells it from the speaker is that it is quieter, and
that its level varies less from one moment to the next than that of one voice, which may be quiet beside a shout, a slammed
door or louder sentences. It takes birds and hisses for speech too: they have nothing of a voice below 1.7 kHz.
"""

import numpy as np
import numpy.typing as npt

from enhance.runs import runs

from .features import Floats, mean_around

_LOWEST = 3  # mel band: those below it, up to 260 Hz, are mostly hum
_HIGH = 20  # mel band: those from it on are above 1.7 kHz
_REACH = 20  # frames: the level is the mean power of 0.2 s on both sides
_BELOW = 3.0  # nepers of power (13 dB) under the loud parts, from which a frame may be background
_ABOVE = 1.4  # nepers of power (6 dB) over the quietest parts, up to which it may be
_SHORTEST = 80  # frames: less is as often a quiet word
# Nepers of power (14 dB) between the lowest and the highest tenth of a run's frames, from which it is one voice. Quiet speech
# has 4.6 and more, a crowd of ten 1.3 to 1.8, most music 1.3 to 1.9: docs/decisions/0230
_ONE_VOICE = 3.2
_FAR_BELOW = 4.1  # nepers of power (18 dB) under the loud parts, from which one voice may be background: docs/decisions/0241
# The loudest part within 30 s tells of background of 5 s and more, if nine tenths of it are 22 dB below: docs/decisions/0261
_FARTHER_SPAN = 15  # parts of _STEP frames
_FARTHER_SHORTEST = 500  # frames: about a shorter one the 10 s around it tell
_FARTHER_BELOW = 5.1  # nepers of power
_REST, _LOUD = 10, 95  # percentiles of the level that are the quietest and the loud parts
_MOSTLY = 75  # percentile that a shout or some slammed doors do not reach
_SPAN, _STEP = 1000, 200  # frames: both are those of 10 s, taken anew every 2 s
_WIDER = 30  # frames: the balance of low and high bands is the mean of 0.3 s on both sides, longer than an s
_NEAR = 2.3  # nepers of power (10 dB) under the loud parts of all speech: what is above has the speaker's balance
_SHRILL = 4.0  # nepers of power (17 dB) that a frame's low bands are missing by that balance


def background_frames(mel: Floats, activity: Floats) -> npt.NDArray[np.bool_]:
    """Which frames of log-mel (T x 40) are only background: [T]. In a sound of one level and balance throughout, none is.

    activity: [T], 0..1: how sure it is that somebody speaks, as far as the network tells.
    """
    level = _level(mel[:, _LOWEST:], _REACH)
    behind = _even(_long(_quiet(level, _LOUD, _BELOW)), mel) | _long(_quiet(level, _MOSTLY, _FAR_BELOW))
    return behind | _far(level) | _long(_shrill(mel, activity > 0.5))


def _quiet(level: Floats, loudest: int, below: float) -> npt.NDArray[np.bool_]:
    limits = []
    for around in _surroundings(level):
        rest, loud = np.percentile(around, (_REST, loudest))
        limits.append(min(rest + _ABOVE, loud - below))
    return level < _for_frames(limits, level)


def _far(level: Floats) -> npt.NDArray[np.bool_]:
    """A voice far behind in a long pause, where nothing in the 10 s around is louder than it, [T]."""
    loud = [float(np.percentile(around, _MOSTLY)) for around in _surroundings(level)]
    parts = range(len(loud))
    loudest = [max(loud[max(part - _FARTHER_SPAN, 0) : part + _FARTHER_SPAN + 1]) for part in parts]
    below = _for_frames(loudest, level) - level
    behind = _long(below > _FAR_BELOW, _FARTHER_SHORTEST)
    for start, end in runs(behind):
        if np.percentile(below[start:end], 10) < _FARTHER_BELOW:
            behind[start:end] = False
    return behind


def _surroundings(level: Floats) -> list[Floats]:
    """The level of the 10 s around each part of _STEP frames."""
    middles = range(_STEP // 2, len(level) + _STEP // 2, _STEP)
    return [level[max(middle - _SPAN // 2, 0) : middle + _SPAN // 2] for middle in middles]


def _for_frames(of_parts: list[float], level: Floats) -> Floats:
    """A value of each part of _STEP frames, for each frame."""
    return np.repeat(of_parts, _STEP)[: len(level)]


def _shrill(mel: Floats, speech: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    if not speech.any():
        return speech
    level = _level(mel[:, _LOWEST:], _WIDER)
    balance = _level(mel[:, _LOWEST:_HIGH], _WIDER) - _level(mel[:, _HIGH:], _WIDER)
    loud = level > np.percentile(level[speech], _LOUD) - _NEAR
    return np.asarray(balance < np.median(balance[speech & loud]) - _SHRILL)


def _long(frames: npt.NDArray[np.bool_], shortest: int = _SHORTEST) -> npt.NDArray[np.bool_]:
    """Without the runs that are shorter, in frames."""
    for start, end in runs(frames):
        if end - start < shortest:
            frames[start:end] = False
    return frames


def _even(frames: npt.NDArray[np.bool_], mel: Floats) -> npt.NDArray[np.bool_]:
    """Without the runs whose level varies as much as that of one voice."""
    level = _level(mel[:, _LOWEST:], 0)
    for start, end in runs(frames):
        low, high = np.percentile(level[start:end], (10, 90))
        if high - low > _ONE_VOICE:
            frames[start:end] = False
    return frames


def _level(bands: Floats, reach: int) -> Floats:
    """Logarithm of the mean power of these bands (T x n) round each frame, [T]."""
    mean = mean_around(np.exp(bands.astype(np.float64)).sum(1), reach)
    return np.asarray(np.log(np.maximum(mean, 1e-9)))
