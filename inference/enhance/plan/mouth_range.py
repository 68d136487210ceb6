"""How a subject's mouth rests and how far it moves in speech, from a clip; where it has no speech, the training speakers'."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.heads import Array

from .chin import USUAL
from .measures import MEASURES, OPENING

# Mean above rest and spread of MEASURES in S during speech: the median of the training speakers (inference/weights/mouth.md),
# but for the opening, which is between commands read out, 0.07 and 0.05, and running speech, 0.12 and 0.06.
POOL_MEAN = np.array([0.100, 0.0, 0.012, -0.010])
POOL_SPREAD = np.array([0.058, 0.028, 0.021, 0.014])
_POOL_PARTED, _MOST_PARTED = 0.025, 0.04  # S
_SHUT = 0.15  # share of the frames of speech in which lips are shut, or nearly
_REST = 0.15  # share of the frames, those with the most closed lips, that show the mouth at rest
_CLOSED = 0.02  # S: the mesh shows lips that touch up to this far apart
_SPREADS = (0.5, 2.0)  # times the training speakers' spread: beyond, the mesh measured something other than speech


@dataclass(frozen=True)
class MouthRange:
    """The subject's MEASURES in S: at rest with closed lips, their mean while speaking, and their spread (std)."""

    rest: Array
    mean: Array
    spread: Array
    parted: float
    """The least opening in speech, except for p, b and m (docs/decisions/0041)."""
    chin: float = USUAL
    """Of an opening, what the chin falls (chin.py)."""


def mouth_range_of(seen: Array, opens: Array, trust: float) -> MouthRange:
    """The range of a mouth seen in g frames. seen: g x 4 MEASURES. opens: g booleans, the subject says a sound that parts lips.

    trust: 0..1, how far the frames tell how the subject speaks; at 0 only the rest is the subject's, and mean and spread are
    those of the training speakers.
    """
    if not len(seen):
        rest = np.zeros(len(MEASURES))
        return MouthRange(rest, POOL_MEAN, POOL_SPREAD, _POOL_PARTED)
    rest = _rest(seen)
    mean, spread, parted = rest + POOL_MEAN, POOL_SPREAD, _POOL_PARTED
    if trust and opens.any():
        said = seen[opens]
        own = np.clip(said.std(0), _SPREADS[0] * POOL_SPREAD, _SPREADS[1] * POOL_SPREAD)
        spread = own**trust * POOL_SPREAD ** (1 - trust)
        mean = trust * said.mean(0) + (1 - trust) * mean
        parted += trust * (min(float(np.quantile(said[:, OPENING], _SHUT)), _MOST_PARTED) - parted)
    return MouthRange(rest, mean, spread, parted)


def _rest(seen: Array) -> Array:
    limit = np.quantile(seen[:, OPENING], _REST)
    rest: Array = np.median(seen[seen[:, OPENING] <= limit], 0)
    rest[OPENING] = min(rest[OPENING], _CLOSED)
    return rest
