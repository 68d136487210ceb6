"""How a mouth moves with a sound, by two opinions: the prior, learnt from other people, and the visemes, laid down by rule."""

from dataclasses import dataclass, replace

import numpy as np

from enhance.speech.classes import CURVES
from enhance.speech.curves import curves

from .measures import MEASURES, OPENING, Array
from .prior import Prior
from .tracks import at, smooth

_CALM = 0.015  # s: dominance has corners
_AGREEMENT = 0.85  # correlation among the prior's networks on speakers whom they never saw
_GAINS = (1.0, 2.5)  # predictions are calmer than mouths; more than this would be noise

# MEASURES from CURVES: jaw opens and draws the upper lip up a little, spread lips raise the corners.
_FROM_CURVES = np.zeros((len(CURVES), len(MEASURES)))
_FROM_CURVES[CURVES.index("jaw")] = (1.0, 0.0, 0.4, -0.2)
_FROM_CURVES[CURVES.index("width")] = (0.0, 1.0, 0.0, 0.3)


@dataclass(frozen=True)
class Speech:
    """pcm: n samples, 16 kHz mono. posteriors: T x 20 at 100 frames/s, T = n // 160. activity: T, 0..1, somebody speaks."""

    pcm: Array
    posteriors: Array
    activity: Array


@dataclass(frozen=True)
class Heard:
    """T x 4 MEASURES twice, each in scales of its own, at 100 frames/s.

    told: by the prior. said: by the visemes. doubt: 0..1, how far the prior's networks, which differ by chance only, disagree.
    """

    told: Array
    said: Array
    doubt: float

    def at(self, times: Array) -> "Heard":
        return replace(self, told=at(self.told, times), said=at(self.said, times))

    def where(self, flags: Array) -> "Heard":
        return replace(self, told=self.told[flags], said=self.said[flags])


def hear(prior: Prior, speech: Speech) -> Heard:
    seeds = prior(speech.pcm)
    said = smooth(curves(speech.posteriors) @ _FROM_CURVES, _CALM)
    return Heard(seeds.mean(0), as_long(said, seeds.shape[1]), _doubt(seeds[..., OPENING]))


def as_long(track: Array, frames: int) -> Array:
    """Cut, or held at its end: two analyses of a sound may differ by a frame."""
    if not len(track):
        return np.zeros((frames, *track.shape[1:]))
    return np.asarray(track[np.minimum(np.arange(frames), len(track) - 1)])


def _doubt(openings: Array) -> float:
    """seeds x T. 0 where the seeds agree as they do on speakers whom they never saw, 1 where they have nothing in common."""
    if len(openings) < 2 or openings.shape[1] < 50:
        return 0.0
    agreement = np.nan_to_num(np.corrcoef(openings)[np.triu_indices(len(openings), 1)].mean())
    return float(np.clip((_AGREEMENT - agreement) / _AGREEMENT, 0, 1))


def mix(heard: Heard, like: Heard, visemes: float) -> Array:
    """T x 4: one opinion of two, each first given mean 0 and spread 1 over `like`, which is of the same speaker.

    visemes: their share.
    """
    told = (heard.told - like.told.mean(0)) * gain(like.told)
    said = (heard.said - like.said.mean(0)) / (like.said.std(0) + 1e-3)
    mixed: Array = (1 - visemes) * told + visemes * said
    return mixed


def gain(like: Array) -> Array:
    """What makes a track of predictions as lively as mouths are: of spread 1."""
    return np.asarray(np.clip(1 / (like.std(0) + 1e-6), *_GAINS))
