"""What the prior learns from: a clip's sound as the network hears it, and its lips as measures that fit every speaker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from enhance.geometry.heads import Array, heads_of
from enhance.geometry.landmarks import LIP_RINGS
from enhance.plan.measures import OPENING, free_of_pose, measure_lips
from enhance.plan.tracks import FRAME, interval
from enhance.speech.features import log_mel, normalise

from .footage import Recording

SHAPES = 6  # principal components of the lips that are learnt beside the measures
_SMOOTH = 0.02  # s: the mesh trembles from frame to frame
_FEWEST = 30  # frames with a face that make a clip


@dataclass(frozen=True)
class Clip:
    """One speaker heard and seen.

    mel: T x 40 normalised features. times: G seconds, the middle of each frame with a face. lips: G x 40 x 3 in S.
    measures: G x 4 in S. lag: seconds that the picture is late. running: speech as people talk, not read commands.
    """

    name: str
    speaker: str
    mel: Array
    times: Array
    lips: Array
    measures: Array
    running: bool
    lag: float = 0.0

    def late_by(self, lag: float) -> "Clip":
        """The same clip with another lag (s)."""
        return replace(self, lag=lag)


def read_clip(footage: Recording, name: str, speaker: str, running: bool) -> Clip:
    """Raises ValueError when too few frames show a face."""
    seen = np.isfinite(footage.points[:, 0, 0])
    if seen.sum() < _FEWEST:
        raise ValueError(f"expected at least {_FEWEST} frames with a face, {name} has {seen.sum()}")
    step = interval(footage.times)
    heads = heads_of(footage.points[seen])
    lips = _smooth(heads.lips, _SMOOTH / step)
    mel = normalise(log_mel(footage.pcm))
    return Clip(name, speaker, mel, footage.times[seen] + step / 2, lips, free_of_pose(measure_lips(lips), heads), running)


def _smooth(track: Array, sigma: float) -> Array:
    """Gaussian over axis 0; sigma in frames."""
    reach = int(np.ceil(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-6)) ** 2)
    padded = np.pad(track, ((reach, reach), *[(0, 0)] * (track.ndim - 1)), "edge")
    smoothed: Array = np.apply_along_axis(np.convolve, 0, padded, weights / weights.sum(), "valid")
    return smoothed


@dataclass(frozen=True)
class Basis:
    """The SHAPES ways in which lips of the pool differ most from their own mean; each speaker's range is 1."""

    vectors: Array
    spread: Array


def common_basis(clips: Sequence[Clip]) -> Basis:
    """The basis of lip shapes over all clips: principal components of relative shapes, every other frame."""
    shapes = np.concatenate([_relative(clip)[::2] for clip in clips])
    _, _, vectors = np.linalg.svd(shapes, full_matrices=False)
    return Basis(vectors[:SHAPES], (shapes @ vectors[:SHAPES].T).std(0))


def _relative(clip: Clip) -> Array:
    shapes = clip.lips[:, :, :2].reshape(len(clip.lips), 2 * len(LIP_RINGS))
    low, high = np.percentile(clip.measures[:, OPENING], (5, 95))
    relative: Array = (shapes - shapes.mean(0)) / (high - low)
    return relative


def targets(clip: Clip, basis: Basis) -> tuple[Any, Any]:
    """T x (4 + SHAPES) float32, each of spread 1 for this speaker, by the clock of the sound; and T, where they are known."""
    measures = (clip.measures - clip.measures.mean(0)) / clip.measures.std(0)
    shapes = _relative(clip) @ basis.vectors.T / basis.spread
    columns = np.clip(np.concatenate([measures, shapes], 1), -4, 4)
    wanted = (np.arange(len(clip.mel)) + 0.5) * FRAME + clip.lag
    at = np.stack([np.interp(wanted, clip.times, column) for column in columns.T], 1)
    known = (wanted >= clip.times[0]) & (wanted <= clip.times[-1])
    return at.astype(np.float32), known.astype(np.float32)


def best_lag(clip: Clip, opening: Array, search: float = 0.2) -> tuple[float, float]:
    """How late the picture is (s) against an opening predicted from the sound at 100 frames/s, and the correlation then.

    Lags far from 0 must earn it: 0.2 of correlation at the edge of the search.
    """
    lags = np.arange(-search, search + 1e-9, 0.01)
    clock = (np.arange(len(opening)) + 0.5) * FRAME
    seen = clip.measures[:, OPENING]
    fits = [np.corrcoef(np.interp(clip.times - lag, clock, opening), seen)[0, 1] for lag in lags]
    best = int(np.argmax(np.array(fits) - 0.2 * (lags / search) ** 2))
    return float(lags[best]), float(fits[best])
