"""What is told of a speaker from the network's answers, part by part of a sound."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .classes import SIL
from .features import Floats

_SPAN, _STEP = 1000, 200  # frames: a speaker is told from 10 s, anew every 2 s
_ENOUGH = 60  # frames of speech that tell something


def by_parts(speech: npt.NDArray[np.bool_], tell: Callable[[npt.NDArray[np.intp]], float]) -> Floats:
    """What `tell` says of the frames of speech in 10 s, for each frame: [T], between parts interpolated; 1 without speech.

    speech: [T]. tell: from the indices of at least _ENOUGH frames.
    """
    frames = len(speech)
    knots, found = [], []
    for start in range(0, max(frames - _SPAN + _STEP, 1), _STEP):
        inside = start + np.flatnonzero(speech[start : start + _SPAN])
        if len(inside) >= _ENOUGH:
            knots.append((start + min(start + _SPAN, frames)) / 2)
            found.append(tell(inside))
    return np.interp(np.arange(frames), knots, found) if knots else np.ones(frames)


def doubt_of(posteriors: Floats) -> tuple[Floats, Floats]:
    """Of posteriors [T, 20]: the share that is speech, and the entropy (nats) of the classes of speech, both [T]."""
    classes = np.delete(posteriors, SIL, 1)
    share = classes.sum(1)
    classes /= np.maximum(share, 1e-6)[:, None]
    return share, -(classes * np.log(classes + 1e-9)).sum(1)
