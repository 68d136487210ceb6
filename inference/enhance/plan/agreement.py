"""Whether the lips that a clip shows agree with the motion predicted from its sound, how late, and by which estimate."""

from collections.abc import Callable

import numpy as np

from enhance.geometry.heads import Array

from .measures import OPENING
from .tracks import at, interval

_LAGS = np.arange(-0.2, 0.2001, 0.02)  # s
_USUAL_LAG = 0.08  # s: spread of the lags of clips
_LOOKS = 12  # independent samples of the lips in a second of video, when a lag is estimated
_SHARES = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
_USUAL_SHARE = 0.15  # standard deviation of shares about the usual one
_FEWER_LOOKS = 3  # independent samples in a second, when a share is estimated: estimates are wrong for seconds on end
_LOOKS_AT_ALL = 6  # the same for belief_in(), between the two: another person's speech fits by chance


def belief_in(motion: Array, shown: Array, times: Array) -> float:
    """How sure it is, 0..1, that the openings shown belong to the motion, at any lag; 0 where chance explains them as well.

    motion, shown, times: as in lag_of(). With music, a dubbed voice or a speaker outside the picture the lips do not follow the
    sound, so nothing is to be learnt from them.
    """
    more = np.logaddexp.reduce(_likely(motion, shown, times, _LOOKS_AT_ALL)) - np.logaddexp.reduce(_unseen())
    return float(1 - np.exp(-max(more, 0)))


def lag_of(motion: Array, shown: Array, times: Array) -> float:
    """How late (s) the openings shown are against the motion predicted from the clip's sound: the mean over all likely lags.

    Most clips are nearly on time (_USUAL_LAG), so a lag supported by little video, or by no single peak, comes out small.
    motion: T x 4 MEASURES at 100 frames/s. shown: g x 4 MEASURES at times (s).
    """
    return _mean(_LAGS, _likely(motion, shown, times, _LOOKS))


def share_of(mixed: Callable[[float], Array], usual: float, shown: Array, times: Array) -> float:
    """The share of the visemes, 0..1, at which the motion fits the openings shown, at any lag: the mean over all likely shares.

    mixed: from a share to the motion (T x 4). usual: the share before anything is seen; little video hardly moves it.
    shown, times: as in lag_of().
    """
    fits = [np.logaddexp.reduce(_likely(mixed(share), shown, times, _FEWER_LOOKS)) for share in _SHARES]
    return _mean(_SHARES, np.array(fits) - ((_SHARES - usual) / _USUAL_SHARE) ** 2 / 2)


def _likely(motion: Array, shown: Array, times: Array, looks: float) -> Array:
    """The log-likelihood of each of _LAGS, up to a constant: of a correlation r in n samples, -n/2 ln(1 - r^2)."""
    fits = [np.corrcoef(at(motion, times - lag)[:, OPENING], shown[:, OPENING])[0, 1] for lag in _LAGS]
    count = looks * len(times) * interval(times)
    likely: Array = -count / 2 * np.log(1 - np.clip(np.nan_to_num(fits), 0, 0.99) ** 2) + _unseen()
    return likely


def _unseen() -> Array:
    return np.asarray(-((_LAGS / _USUAL_LAG) ** 2) / 2)


def _mean(values: Array, likely: Array) -> float:
    shares = np.exp(likely - likely.max())
    return float((shares * values).sum() / shares.sum())
