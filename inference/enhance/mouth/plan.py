"""The plan: a mouth shape for every output frame, from the new sound and from what the clip shows of its subject."""

from dataclasses import dataclass

import numpy as np

from .geometry import OPENING, Array, heads_of, measure
from .hearing import Heard, Speech, gain, hear, mix
from .prior import Prior
from .references import references
from .residual import fit_residual
from .shapes import mouth_shapes
from .stillness import liveliness
from .subject import mouth_of
from .tracks import FRAME, at, interval

_LAGS = np.arange(-0.2, 0.2001, 0.02)  # s
_LAG_PRICE = 0.2  # of correlation, at the ends
_LEAST_SPEECH = 1.0  # s of the subject's own speech from which the clip shows how the subject speaks


@dataclass(frozen=True)
class Footage:
    """What the clip shows and says.

    points: g x len(POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, what may be looked at.
    speech: the clip's own sound, empty when there is none.
    """

    points: Array
    times: Array
    learn: Array
    speech: Speech


@dataclass(frozen=True)
class Settings:
    """visemes: their share where the prior is sure. residual: strength of its ridge, None for no residual.

    fall_back: whether the visemes' share grows with the prior's doubt.
    """

    visemes: float = 0.2
    residual: float | None = 30.0
    fall_back: bool = True

    def share(self, heard: Heard) -> float:
        return self.visemes + (1 - self.visemes) * heard.doubt * self.fall_back


SHIPPED = Settings()


@dataclass(frozen=True)
class Plan:
    """shapes: f x 8 TARGETS. lag: s that the clip's picture is late, 0 when unknown. references: see references()."""

    shapes: Array
    lag: float
    references: Array


def plan(
    prior: Prior,
    speech: Speech,
    times: Array,
    footage: Footage,
    *,
    expressiveness: float = 0.5,
    keep_lag: bool = True,
    settings: Settings = SHIPPED,
) -> Plan:
    """speech: the new sound. times: f seconds at which the output's frames appear.

    keep_lag: the output's picture is as late as the clip's was; otherwise it is on time.
    """
    seen = np.flatnonzero(np.isfinite(footage.points).all((1, 2)) & footage.learn)
    heads = heads_of(footage.points[seen])
    middles = footage.times[seen] + interval(footage.times) / 2
    spoke = _speaks(footage.speech, middles)
    mouth, lag = mouth_of(heads, spoke), 0.0
    heard = hear(prior, speech)
    share = settings.share(heard)
    if spoke:
        own, shown = hear(prior, footage.speech), measure(heads.lips)
        lag = _lag(mix(own, own, share), shown, middles)
        like = own.at(middles - lag)
        motion, before = mix(heard, like, share), mix(own, like, share)
        motion = _as_the_subject(motion, before, shown, middles - lag, settings.residual)
    else:
        motion = _as_people_do(heard, liveliness(speech.activity) > 0.5, share)
    shapes = mouth_shapes(motion, speech, times, mouth, lag=lag * keep_lag, expressiveness=expressiveness)
    return Plan(shapes, lag, references(heads, seen, footage.times))


def _speaks(speech: Speech, times: Array) -> bool:
    """Whether the sound holds speech for long enough while frames are shown at times (s)."""
    if not len(speech.activity) or len(times) < 2:
        return False
    return bool(at(speech.activity[:, None], times).sum() * interval(times) >= _LEAST_SPEECH)


def _lag(motion: Array, shown: Array, times: Array) -> float:
    """How late (s) the openings shown are against those that the clip's own sound asks for."""
    fits = [np.corrcoef(at(motion, times - lag)[:, OPENING], shown[:, OPENING])[0, 1] for lag in _LAGS]
    return float(_LAGS[np.argmax(np.nan_to_num(fits) - _LAG_PRICE * (_LAGS / _LAGS[-1]) ** 2)])


def _as_the_subject(motion: Array, before: Array, shown: Array, times: Array, ridge: float | None) -> Array:
    """T x 4: the motion, of mean 0 and spread 1 where `before`, that of the subject's own speech, gives what was shown."""
    if ridge is not None:
        missing = fit_residual(before, times, (shown - shown.mean(0)) / (shown.std(0) + 1e-6), ridge)
        motion, before = motion + missing(motion), before + missing(before)
    kept = at(before, times)
    return np.asarray((motion - kept.mean(0)) * gain(kept))


def _as_people_do(heard: Heard, lively: Array, share: float) -> Array:
    """The same without the subject's speech: of mean 0 and spread 1 over the new speech."""
    lively = lively[: len(heard.told)]
    if lively.sum() < _LEAST_SPEECH / FRAME:
        lively = np.ones(len(heard.told), bool)
    if not lively.any():
        return heard.told
    like = np.pad(lively, (0, len(heard.told) - len(lively)))
    motion = mix(heard, heard.where(like), share)
    return np.asarray(motion * gain(motion[like]))
