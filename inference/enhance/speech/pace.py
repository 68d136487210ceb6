"""Fast speech, heard slowed: the networks learnt from people who speak at their ease."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .features import Floats
from .network import Posteriors
from .parts import by_parts, doubt_of

_SLOWED = 1.5  # by how much fast speech is slowed
_TRIED = 2.0  # by how much a sound is slowed to tell whether the network becomes surer of it
_SURER = 0.36  # weight of the nats by which it does, beside its change in a frame
# Haste up to the first is heard as it is, from the second on slowed in full. Of 119 clips of GRID 5 exceed the first; 1.6 times
# as fast 106 do, and 75 the second: docs/decisions/0246
_NONE, _FULL = 0.30, 0.34


def pace_of(normal: Floats, posteriors: Floats, network: Posteriors, go_on: Callable[[], None] = lambda: None) -> Floats:
    """By how much a sound is to be slowed: [T], 1 where nobody speaks fast.

    normal: normalised log-mel [T, 40]. posteriors: what `network`, the one for speech near the microphone, answers to it. In
    fast speech its answers change more from frame to frame, and it is surer of what it hears slowed. go_on is called between
    blocks and may raise.
    """
    share, doubt = doubt_of(posteriors)
    _, slowed = doubt_of(at_pace(np.full(len(normal), _TRIED), normal, lambda mel: network(mel, go_on)))
    haste = np.abs(np.diff(posteriors, axis=0, prepend=posteriors[:1])).sum(1) + _SURER * (doubt - slowed)

    def pace(frames: npt.NDArray[np.intp]) -> float:
        return float(np.interp(haste[frames].mean(), (_NONE, _FULL), (1, _SLOWED)))

    return by_parts(share > 0.5, pace)


def at_pace(pace: Floats, mel: Floats, hear: Callable[[Floats], Floats]) -> Floats:
    """What `hear` answers to log-mel [T, 40] slowed by `pace` ([T], 1 and more), in the frames of mel: [..., T, n].

    hear: from [any T, 40] to [..., T, n].
    """
    if (pace == 1).all():
        return hear(mel)
    clock = np.append(0, np.cumsum(pace[:-1]))  # frame of the slowed sound in which each frame is heard
    slowed = np.interp(np.arange(int(np.ceil(clock[-1])) + 1), clock, np.arange(len(mel)))
    return _read(hear(_read(mel, slowed)), clock)


def _read(track: Floats, places: Floats) -> Floats:
    """A track [..., T, n] at places in frames; beyond its last frame it is held."""
    below = np.minimum(places.astype(int), track.shape[-2] - 1)
    above = (places - below).clip(0, 1).astype(np.float32)[:, None]
    following = np.minimum(below + 1, track.shape[-2] - 1)
    return np.asarray(track[..., below, :] * (1 - above) + track[..., following, :] * above)
