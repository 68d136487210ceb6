"""What the lips shown say of the tracks that are to drive them: whether they go with them, how late, whose opinion is right."""

from collections.abc import Callable

import numpy as np

from enhance.geometry.heads import Array

from .measures import OPENING
from .tracks import at, interval

_LAGS = np.arange(-0.2, 0.2001, 0.02)  # s
_USUAL_LAG = 0.08  # s: spread of the lags of clips
_LOOKS = 12  # independent looks at the lips in a second, as far as a lag is concerned
_SHARES = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
_USUAL_SHARE = 0.15  # how far from the usual one a share mostly is
_FEWER_LOOKS = 3  # opinions are wrong for seconds
_LOOKS_AT_ALL = 6  # between the two: other people's speech is taken for the subject's by chance


def belief_in(motion: Array, shown: Array, times: Array) -> float:
    """0..1, how sure it is that the openings shown go with the motion, at any lag: 0 where that is no likelier than not.

    Music, a dubbed voice, somebody out of the picture: what lips do beside them says nothing of how they speak.
    """
    more = np.logaddexp.reduce(_likely(motion, shown, times, _LOOKS_AT_ALL)) - np.logaddexp.reduce(_unseen())
    return float(1 - np.exp(-max(more, 0)))


def lag_of(motion: Array, shown: Array, times: Array) -> float:
    """How late (s) the openings shown are against those that the clip's own sound asks for: the mean of what is likely.

    Most clips are nearly on time, so a lag that few seconds tell for, or many lags alike, comes out small.
    motion: T x 4 at 100 frames/s. shown: g x 4 at times (s).
    """
    return _mean(_LAGS, _likely(motion, shown, times, _LOOKS))


def share_of(mixed: Callable[[float], Array], usual: float, shown: Array, times: Array) -> float:
    """The share of an opinion, 0..1, at which motion fits the openings shown: the mean of what is likely, at any lag.

    mixed: motion with such a share. usual: the share where nothing is shown; few seconds hardly move it.
    """
    fits = [np.logaddexp.reduce(_likely(mixed(share), shown, times, _FEWER_LOOKS)) for share in _SHARES]
    return _mean(_SHARES, np.array(fits) - ((_SHARES - usual) / _USUAL_SHARE) ** 2 / 2)


def _likely(motion: Array, shown: Array, times: Array, looks: float) -> Array:
    """The logarithm of how likely each of _LAGS is, but for a constant."""
    fits = [np.corrcoef(at(motion, times - lag)[:, OPENING], shown[:, OPENING])[0, 1] for lag in _LAGS]
    count = looks * len(times) * interval(times)
    likely: Array = -count / 2 * np.log(1 - np.clip(np.nan_to_num(fits), 0, 0.99) ** 2) + _unseen()
    return likely


def _unseen() -> Array:
    return np.asarray(-((_LAGS / _USUAL_LAG) ** 2) / 2)


def _mean(values: Array, likely: Array) -> float:
    shares = np.exp(likely - likely.max())
    return float((shares * values).sum() / shares.sum())
