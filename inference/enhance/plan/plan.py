"""The plan: a mouth shape for every output frame, from the new sound and from what the clip shows of its subject."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from enhance.geometry.heads import Array, heads_of

from .agreement import belief_in, lag_of, share_of
from .hearing import Heard, Speech, gain, hear, mix
from .measures import free_of_pose, measure
from .mouth_range import mouth_range_of
from .prior import Prior
from .references import references
from .residual import fit_residual, strength_of
from .shapes import mouth_shapes
from .stillness import liveliness
from .tracks import FRAME, at, interval, lengths

_TALKS = 0.5  # liveliness
_LEAST_SPEECH = 1.0  # s of the subject's own speech from which the clip shows how the subject speaks
_ENOUGH_SPEECH = 5.0  # s of it from which the clip alone tells that
_FOR_RESIDUAL = (4.0, 12.0)  # s of it from which the subject's own way begins to count, and counts in full


@dataclass(frozen=True)
class Footage:
    """What the clip shows and says.

    points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, what may be looked at.
    speech: the clip's own sound, empty when there is none.
    """

    points: Array
    times: Array
    learn: Array
    speech: Speech


@dataclass(frozen=True)
class Settings:
    """visemes: their usual share. residual: whether the subject's own way is added.

    weigh: whether that share grows with the prior's doubt and follows what the clip shows.
    """

    visemes: float = 0.15
    residual: bool = True
    weigh: bool = True

    def share(self, heard: Heard) -> float:
        return self.visemes + (1 - self.visemes) * heard.doubt * self.weigh


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
    shown, lag = free_of_pose(measure(heads.lips), heads), 0.0
    talks = _talks(footage.speech, middles)
    heard = hear(prior, speech)
    share = settings.share(heard)
    seconds = float(lengths(middles)[talks].sum())
    # From little speech, or from another's, much is learnt by chance: what people do goes over into what the subject does.
    trust = _between(seconds, _LEAST_SPEECH, _ENOUGH_SPEECH)
    lively = liveliness(speech.activity) > _TALKS
    if trust:
        own = hear(prior, footage.speech)
        usual = share
        trust *= belief_in(mix(own, own, usual), shown, middles)
        if settings.weigh:
            share += trust * (share_of(partial(mix, own, own), share, shown, middles) - share)
        lag = lag_of(mix(own, own, share), shown, middles)
        # What the mouth does in pauses would make speech look calmer than it is.
        talks = _talks(footage.speech, middles - lag)
        clock = middles[talks] - lag
        like = own.at(clock)
        motion, before = mix(heard, like, share), mix(own, like, share)
        residual = _between(seconds, *_FOR_RESIDUAL) * settings.residual
        motion = _as_the_subject(motion, before, shown[talks], clock, residual)
        motion = trust * motion + (1 - trust) * _as_people_do(heard, lively, usual)
    else:
        motion = _as_people_do(heard, lively, share)
    mouth = mouth_range_of(shown, talks, trust)
    shapes = mouth_shapes(motion, speech, times, mouth, lag=lag * keep_lag, expressiveness=expressiveness)
    return Plan(shapes, lag, references(heads, seen, footage.times))


def _talks(speech: Speech, times: Array) -> Array:
    """g booleans: whether somebody speaks at times (s)."""
    if not len(speech.activity):
        return np.zeros(len(times), bool)
    return np.asarray(at(liveliness(speech.activity)[:, None], times)[:, 0] > _TALKS)


def _between(value: float, none: float, full: float) -> float:
    return float(np.clip((value - none) / (full - none), 0, 1))


def _as_the_subject(motion: Array, before: Array, shown: Array, times: Array, residual: float) -> Array:
    """T x 4: the motion, of mean 0 and spread 1 where `before`, that of the subject's own speech, gives what was shown.

    residual: 0..1, how far the subject's own way counts.
    """
    if residual:
        wanted = (shown - shown.mean(0)) / (shown.std(0) + 1e-6)
        missing = fit_residual(before, times, wanted, strength_of(before, times, wanted))
        motion, before = motion + residual * missing(motion), before + residual * missing(before)
    kept = at(before, times)
    return np.asarray((motion - kept.mean(0)) * gain(kept))


def _as_people_do(heard: Heard, lively: Array, share: float) -> Array:
    """The same without the subject's speech: of mean 0 and spread 1 over the new speech."""
    lively = lively[: len(heard.prior)]
    if lively.sum() < _LEAST_SPEECH / FRAME:
        lively = np.ones(len(heard.prior), bool)
    if not lively.any():
        return heard.prior
    like = np.pad(lively, (0, len(heard.prior) - len(lively)))
    motion = mix(heard, heard.where(like), share)
    return np.asarray(motion * gain(motion[like]))
