"""The plan: a mouth shape for every output frame, from the new sound and from what the clip shows of its subject."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from enhance.geometry.heads import Array, heads_of
from enhance.speech.curves import closure_track

from .agreement import belief_in, lag_of, share_of
from .chin import chin_share
from .hearing import Heard, Speech, as_long, gain, hear, mix
from .measures import OPENING, free_of_pose, measure_lips
from .mouth_range import mouth_range_of
from .prior import Prior
from .residual import fit_residual, strength_of
from .shapes import mouth_shapes
from .stillness import liveliness
from .tracks import FRAME, at, interval, lengths

_TALKS = 0.5  # liveliness
_SHUTS = 0.5  # closure
_LEAST_SPEECH = 1.0  # s of the subject's own speech from which the clip begins to show how the subject speaks
_ENOUGH_SPEECH = 5.0  # s of it from which the clip alone counts
_FOR_RESIDUAL = (4.0, 12.0)  # s of it from which the residual begins to count, and counts in full (residual.py)


@dataclass(frozen=True)
class Footage:
    """What the clip shows, and its own sound.

    points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face, at g times (s). learn: g booleans, which of them may be used.
    speech: the clip's own sound, empty when there is none.
    """

    points: Array
    times: Array
    learn: Array
    speech: Speech


@dataclass(frozen=True)
class PlanSettings:
    """How a plan is made.

    expressiveness: 0..1, how far the mouth moves; at 0.5 as far as the subject's own does. keep_lag: the output's picture is as
    late against its sound as the clip's was; otherwise it is on time. visemes: their usual share in the motion, 0..1.
    residual: whether what the subject does differently from other people is added. weigh: whether the visemes' share grows with
    the prior's doubt and follows what the clip shows.
    """

    expressiveness: float = 0.5
    keep_lag: bool = True
    visemes: float = 0.15
    residual: bool = True
    weigh: bool = True

    def share(self, heard: Heard) -> float:
        """The visemes' share for a sound, 0..1: the usual one, and more where the prior's networks disagree."""
        return self.visemes + (1 - self.visemes) * heard.doubt * self.weigh


SHIPPED = PlanSettings()


@dataclass(frozen=True)
class Plan:
    """What a mouth is to do.

    shapes: f x 10 (shapes.TARGETS). lag: s by which the clip's picture is late against its sound, 0 when unknown.
    """

    shapes: Array
    lag: float


def plan(prior: Prior, speech: Speech, times: Array, footage: Footage, settings: PlanSettings = SHIPPED) -> Plan:
    """The shapes of a mouth that says `speech`, the new sound. times: f seconds at which the output's frames appear."""
    seen = np.flatnonzero(np.isfinite(footage.points).all((1, 2)) & footage.learn)
    heads = heads_of(footage.points[seen])
    middles = footage.times[seen] + interval(footage.times) / 2
    clip = _Clip(free_of_pose(measure_lips(heads.lips), heads), middles, footage.speech)
    heard = hear(prior, speech)
    motion, lag = _as_people_do(heard, speech, settings.share(heard)), 0.0
    # With little speech, or another person's, much would be learnt by chance: the motion stays that of people in general.
    trust = _between(clip.seconds, _LEAST_SPEECH, _ENOUGH_SPEECH)
    if trust:
        own = hear(prior, footage.speech)
        trust *= belief_in(mix(own, own, settings.share(heard)), clip.shown, middles)
        subjects, lag = _as_the_subject_does(heard, own, clip, trust, settings)
        motion = trust * subjects + (1 - trust) * motion
    mouth = mouth_range_of(clip.shown, clip.opens(lag), trust)
    mouth = replace(mouth, chin=chin_share(clip.shown[:, OPENING], heads.chins, middles))
    kept = lag if settings.keep_lag else 0.0
    shapes = mouth_shapes(motion, speech, times, mouth, lag=kept, expressiveness=settings.expressiveness)
    return Plan(shapes, lag)


@dataclass(frozen=True)
class _Clip:
    """The g frames of a clip with a face. shown: g x 4 MEASURES, free of the pose, at middles (s). speech: the clip's own."""

    shown: Array
    middles: Array
    speech: Speech

    def talks(self, lag: float = 0.0) -> Array:
        """g booleans: whether somebody speaks in a frame, if its picture is so late (s)."""
        if not len(self.speech.activity):
            return np.zeros(len(self.middles), bool)
        return np.asarray(at(liveliness(self.speech.activity)[:, None], self.middles - lag)[:, 0] > _TALKS)

    def opens(self, lag: float) -> Array:
        """g booleans: whether somebody speaks in a frame, and no p, b or m shuts the lips."""
        talks = self.talks(lag)
        if talks.any():
            talks &= at(closure_track(self.speech.posteriors)[:, None], self.middles - lag)[:, 0] < _SHUTS
        return talks

    @property
    def seconds(self) -> float:
        """For how long somebody speaks."""
        return float(lengths(self.middles)[self.talks()].sum())


def _as_the_subject_does(heard: Heard, own: Heard, clip: _Clip, trust: float, settings: PlanSettings) -> tuple[Array, float]:
    """T x 4: the motion for what is heard as the clip shows that the subject moves, and the clip's lag (s).

    own: what is heard in the clip's own sound. trust: 0..1, how far the clip may move the visemes' share.
    """
    share = usual = settings.share(heard)
    if settings.weigh:
        share += trust * (share_of(partial(mix, own, own), usual, clip.shown, clip.middles) - usual)
    lag = lag_of(mix(own, own, share), clip.shown, clip.middles)
    # Only frames with speech: with its pauses, speech would look calmer than it is.
    talks = clip.talks(lag)
    clock = clip.middles[talks] - lag
    like = own.at(clock)
    residual = _between(clip.seconds, *_FOR_RESIDUAL) * settings.residual
    return _fitted(mix(heard, like, share), mix(own, like, share), clip.shown[talks], clock, residual), lag


def _between(value: float, none: float, full: float) -> float:
    return float(np.clip((value - none) / (full - none), 0, 1))


def _fitted(motion: Array, before: Array, shown: Array, times: Array, residual: float) -> Array:
    """T x 4: the motion, scaled so that `before`, that of the subject's own speech, has mean 0 and spread 1 at `times`.

    shown: g x 4, what the subject did then. residual: 0..1, how far what the subject does differently is added (residual.py).
    """
    if residual:
        wanted = (shown - shown.mean(0)) / (shown.std(0) + 1e-6)
        missing = fit_residual(before, times, wanted, strength_of(before, times, wanted))
        motion, before = motion + residual * missing(motion), before + residual * missing(before)
    kept = at(before, times)
    return np.asarray((motion - kept.mean(0)) * gain(kept))


def _as_people_do(heard: Heard, speech: Speech, share: float) -> Array:
    """T x 4: the motion without footage of the subject's speech, of mean 0 and spread 1 over the new speech.

    share: of the visemes. The middle of held sounds does not count: beside a held vowel, speech would look too calm.
    """
    lively = as_long(liveliness(speech.activity) > _TALKS, len(heard.prior)).astype(bool)
    counted = lively & as_long(speech.counts, len(lively)).astype(bool)
    everywhere = np.ones(len(lively), bool)
    like = next((part for part in (counted, lively) if part.sum() >= _LEAST_SPEECH / FRAME), everywhere)
    if not like.any():
        return heard.prior
    motion = mix(heard, heard.where(like), share)
    return np.asarray(motion * gain(motion[like]))
