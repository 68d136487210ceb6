"""How a mouth moves with a sound, by two estimates: the prior, learnt from other people, and the visemes, set by rule.

docs/decisions/0226.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from enhance.geometry.heads import Array
from enhance.speech.classes import CURVES
from enhance.speech.curves import curves
from enhance.speech.features import log_mel
from enhance.speech.gaps import without_gaps
from enhance.speech.held import held_sounds

from .measures import MEASURES, OPENING
from .prior import Prior
from .tracks import at, smooth

_CALM = 0.015  # s, sigma: takes the corners off the dominance curves
_AGREEMENT = 0.85  # correlation among the prior's networks on speakers outside their training
_GAINS = (1.0, 2.5)  # predictions vary less than mouths do; a larger gain would amplify noise

# MEASURES from CURVES: jaw opens and draws the upper lip up a little, spread lips raise the corners.
_FROM_CURVES = np.zeros((len(CURVES), len(MEASURES)))
_FROM_CURVES[CURVES.index("jaw")] = (1.0, 0.0, 0.4, -0.2)
_FROM_CURVES[CURVES.index("width")] = (0.0, 1.0, 0.0, 0.3)


@dataclass(frozen=True)
class Speech:
    """A sound and what is heard in it.

    pcm: n samples, 16 kHz mono, -1..1. posteriors: T x 20 (speech.classes.CLASSES) at 100 frames/s, T = n // 160. activity: T,
    0..1, how sure it is that somebody speaks.
    """

    pcm: Array
    posteriors: Array
    activity: Array

    @cached_property
    def mel(self) -> Array:
        """[T, 40]: log-mel, lost packets filled."""
        return log_mel(without_gaps(self.pcm))

    @cached_property
    def counts(self) -> Array:
        """[T] booleans: without the middle of held sounds, which would outweigh speech wherever frames are compared."""
        return held_sounds(self.mel)[0]


@dataclass(frozen=True)
class Heard:
    """Two estimates of T x 4 MEASURES at 100 frames/s, each in a scale of its own.

    doubt: 0..1, how far the prior's networks, which were trained alike but for their random seeds, disagree.
    """

    prior: Array
    visemes: Array
    doubt: float

    def at(self, times: Array) -> "Heard":
        """Both estimates at times (s): g x 4."""
        return replace(self, prior=at(self.prior, times), visemes=at(self.visemes, times))

    def where(self, flags: Array) -> "Heard":
        """Both estimates in the frames that T booleans pick."""
        return replace(self, prior=self.prior[flags], visemes=self.visemes[flags])


def hear(prior: Prior, speech: Speech) -> Heard:
    """Both estimates for a sound; as many frames as the prior gives."""
    seeds = prior(speech.mel, speech.counts)
    visemes = smooth(curves(speech.posteriors) @ _FROM_CURVES, _CALM)
    counts = as_long(speech.counts, seeds.shape[1]).astype(bool)
    return Heard(seeds.mean(0), as_long(visemes, seeds.shape[1]), _doubt(seeds[:, counts, OPENING]))


def as_long(track: Array, frames: int) -> Array:
    """A track (T x ...) cut to `frames`, or its last value repeated; zeros for an empty one.

    Two analyses of one sound may differ by a frame.
    """
    if not len(track):
        return np.zeros((frames, *track.shape[1:]))
    return np.asarray(track[np.minimum(np.arange(frames), len(track) - 1)])


def _doubt(openings: Array) -> float:
    """Of openings (networks x T): 0 from _AGREEMENT of correlation up, 1 where there is none; 0 below half a second."""
    if len(openings) < 2 or openings.shape[1] < 50:
        return 0.0
    agreement = np.nan_to_num(np.corrcoef(openings)[np.triu_indices(len(openings), 1)].mean())
    return float(np.clip((_AGREEMENT - agreement) / _AGREEMENT, 0, 1))


def mix(heard: Heard, like: Heard, visemes: float) -> Array:
    """T x 4: the mean of both estimates, each first given mean 0 and spread 1 over `like`, which is of the same speaker.

    visemes: their weight in it, 0..1.
    """
    by_prior = (heard.prior - like.prior.mean(0)) * gain(like.prior)
    by_visemes = (heard.visemes - like.visemes.mean(0)) / (like.visemes.std(0) + 1e-3)
    mixed: Array = (1 - visemes) * by_prior + visemes * by_visemes
    return mixed


def gain(like: Array) -> Array:
    """The factor that gives each column of a track (T x k) a spread of 1, within _GAINS."""
    return np.asarray(np.clip(1 / (like.std(0) + 1e-6), *_GAINS))
