"""Voices of children, cartoon voices and voices turned low, heard as the networks know voices: with formants moved.

It is vocal tract length normalisation (Lee and Rose 1998): of several scales of frequency, the one at which the network is
surest of what it hears.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .features import CENTRES, MELS, Floats
from .network import Posteriors
from .parts import by_parts, doubt_of

_SCALES = (0.63, 0.71, 0.8, 0.9, 1.0, 1.12, 1.25, 1.41, 1.6)  # of formants, beside those of usual voices
# Nats by which the entropy of the classes falls: to the first the voice is heard as it is, from the second on moved in full.
# Of adults one recording in 9 reaches the first; children .1 and more, voices 1.6 times as high .15: docs/decisions/0201
_NONE, _FULL = 0.06, 0.10


def in_usual_voice(
    normal: Floats,
    heard: npt.NDArray[np.bool_],
    posteriors: Floats,
    network: Posteriors,
    go_on: Callable[[], None] = lambda: None,
) -> Floats:
    """Normalised log-mel, [T, 40], with the formants of an unusual voice moved to where usual voices have them; the same array
    where the voice is usual throughout.

    heard: [T], as in normalise(). posteriors: what `network`, the one for speech near the microphone, answers to normal[heard].
    go_on is called between blocks and may raise.
    """
    scale = _scale(normal[heard], posteriors, network, go_on)
    return normal if (scale == 1).all() else scaled(normal, scale[np.cumsum(heard) - 1])


def scaled(mel: Floats, scale: Floats) -> Floats:
    """Mel bands [T, 40] that have at each frequency what lay at `scale` [T] times it; beyond the bands the last is repeated."""
    places = np.interp(CENTRES * scale[:, None], CENTRES, np.arange(MELS)).astype(np.float32)
    below = np.minimum(places.astype(int), MELS - 2)
    above = places - below
    taken = np.take_along_axis(mel, below, 1) * (1 - above) + np.take_along_axis(mel, below + 1, 1) * above
    return np.asarray(taken.astype(np.float32))


def _scale(normal: Floats, posteriors: Floats, network: Posteriors, go_on: Callable[[], None]) -> Floats:
    """By how much formants lie higher than those of usual voices: [T], 1 for usual ones."""

    def heard_at(scale: float) -> Floats:
        return posteriors if scale == 1 else network(scaled(normal, np.full(len(normal), scale)), go_on)

    told = [doubt_of(heard_at(scale)) for scale in _SCALES]
    doubt = np.stack([entropy for _, entropy in told])

    def scale(frames: npt.NDArray[np.intp]) -> float:
        means = doubt[:, frames].mean(1)
        falls = means[_SCALES.index(1)] - means.min()
        share = np.clip((falls - _NONE) / (_FULL - _NONE), 0, 1)
        return float(_SCALES[means.argmin()] ** share)

    return by_parts(np.mean([share for share, _ in told], 0) > 0.5, scale)
