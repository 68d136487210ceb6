"""How a subject's mouth rests and how far it moves in speech, from a clip; where it has no speech, the training speakers'."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.heads import Array

from .measures import MEASURES, OPENING

# Mean above rest and spread of MEASURES in S during speech: the median of the training speakers (inference/weights/mouth.md).
POOL_MEAN = np.array([0.070, 0.0, 0.012, -0.010])
POOL_SPREAD = np.array([0.050, 0.028, 0.021, 0.014])
_REST = 0.15  # share of the frames, those with the most closed lips, that show the mouth at rest
_CLOSED = 0.02  # S: the mesh shows lips that touch up to this far apart
_SPREADS = (0.5, 2.0)  # times the training speakers' spread: beyond, the mesh measured something other than speech


@dataclass(frozen=True)
class MouthRange:
    """The subject's MEASURES in S: at rest with closed lips, their mean while speaking, and their spread (std)."""

    rest: Array
    mean: Array
    spread: Array


def mouth_range_of(seen: Array, talks: Array, trust: float) -> MouthRange:
    """The range of a mouth seen in g frames. seen: g x 4 MEASURES. talks: g booleans, the subject speaks then.

    trust: 0..1, how far the frames tell how the subject speaks; at 0 only the rest is the subject's, and mean and spread are
    those of the training speakers.
    """
    if not len(seen):
        rest = np.zeros(len(MEASURES))
        return MouthRange(rest, POOL_MEAN, POOL_SPREAD)
    rest = _rest(seen)
    mean, spread = rest + POOL_MEAN, POOL_SPREAD
    if trust and talks.any():
        said = seen[talks]
        own = np.clip(said.std(0), _SPREADS[0] * POOL_SPREAD, _SPREADS[1] * POOL_SPREAD)
        spread = own**trust * POOL_SPREAD ** (1 - trust)
        mean = trust * said.mean(0) + (1 - trust) * mean
    return MouthRange(rest, mean, spread)


def _rest(seen: Array) -> Array:
    limit = np.quantile(seen[:, OPENING], _REST)
    rest: Array = np.median(seen[seen[:, OPENING] <= limit], 0)
    rest[OPENING] = min(rest[OPENING], _CLOSED)
    return rest
