"""How lips move with a sound, as learnt from other people: networks of training/mouth, in inference/weights/mouth.onnx."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from enhance.engine import open_small_network
from enhance.speech.features import log_mel, normalise

from .geometry import MEASURES, Array
from .tracks import smooth

WEIGHTS = Path(__file__).parents[2] / "weights" / "mouth.onnx"
_SMOOTH = (0.04, 0.045, 0.05, 0.06)  # s, of MEASURES: corners are slower than lips
_CHUNK, _OVERLAP = 3000, 60  # frames heard at once, and those that are heard twice: more than the network looks far

Prior = Callable[[Array], Array]


def open_prior(path: Path = WEIGHTS, chunk: int = _CHUNK) -> Prior:
    """A function from n samples (16 kHz mono) to seeds x T x 4 MEASURES, standardised over a speaker. For one thread."""
    run = open_small_network(path)

    def prior(pcm: Array) -> Array:
        mel = normalise(log_mel(pcm))
        if not len(mel):
            return np.zeros((1, 0, len(MEASURES)))
        parts = [_part(run, mel, start, chunk) for start in range(0, len(mel), chunk)]
        told = np.concatenate(parts, 1)
        return np.stack([calm(seed) for seed in told])

    return prior


def calm(told: Array) -> Array:
    """What a network says, T x 4, without the trembling that lips do not have."""
    return np.stack([smooth(track, sigma) for track, sigma in zip(told.T, _SMOOTH, strict=True)], 1)


def _part(run: Callable[..., list[Any]], mel: Array, start: int, chunk: int) -> Array:
    begin, end = max(0, start - _OVERLAP), min(len(mel), start + chunk)
    told: Array = run(mel[None, begin : end + _OVERLAP])[0]
    return told[:, start - begin : end - begin]
