"""How lips move with a sound, as learnt from other people: networks of training/mouth, in inference/weights/mouth.onnx."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from enhance.engine import open_small_network
from enhance.geometry.heads import Array
from enhance.speech.features import MELS, log_mel, normalise

from .measures import MEASURES
from .tracks import smooth

WEIGHTS = Path(__file__).parents[2] / "weights" / "mouth.onnx"
_SMOOTH = (0.04, 0.045, 0.05, 0.06)  # s, of MEASURES: corners are slower than lips
_CHUNK, _OVERLAP = 3000, 60  # frames heard at once, and those that are heard twice: more than the network looks far

# Each time the mel axis is stretched by so much, as if another throat said the same: by quality, the dearer the more.
_THROATS = ((1.0,), (0.9, 1.0, 1.1), (0.9, 0.95, 1.0, 1.05, 1.1))
_LEFT_ALONE = 12  # mel band about which it is stretched

Prior = Callable[[Array], Array]
Network = Callable[..., list[Any]]


class StoppablePrior(Protocol):
    """A Prior that calls go_on between its listens, which stops it by raising."""

    def __call__(self, pcm: Array, /, go_on: Callable[[], None] = ...) -> Array: ...


def open_prior(path: Path = WEIGHTS, chunk: int = _CHUNK) -> Prior:
    """A function from n samples (16 kHz mono) to networks x T x 4 MEASURES, standardised over a speaker. For one thread."""
    return _prior(open_small_network(path), _THROATS[0], chunk)


def open_priors(path: Path = WEIGHTS) -> tuple[StoppablePrior, ...]:
    """One for each quality, from fast to studio; for one thread."""
    network = open_small_network(path)
    return tuple(_prior(network, throats, _CHUNK) for throats in _THROATS)


def _prior(network: Network, throats: tuple[float, ...], chunk: int) -> StoppablePrior:
    def prior(pcm: Array, /, go_on: Callable[[], None] = lambda: None) -> Array:
        mel = normalise(log_mel(pcm))
        if not len(mel):
            return np.zeros((1, 0, len(MEASURES)))
        told = [_told(network, stretched(mel, by), chunk, go_on) for by in throats]
        return np.stack([calm(each) for each in np.concatenate(told)])

    return prior


def stretched(mel: Array, by: float) -> Array:
    """T x 40: formants moved apart from pitch."""
    if by == 1:
        return mel
    places = np.clip((np.arange(MELS) - _LEFT_ALONE) * by + _LEFT_ALONE, 0, MELS - 1.001)
    below = places.astype(int)
    above = (places - below).astype(np.float32)
    return np.asarray(mel[:, below] * (1 - above) + mel[:, below + 1] * above)


def _told(network: Network, mel: Array, chunk: int, go_on: Callable[[], None]) -> Array:
    parts = []
    for start in range(0, len(mel), chunk):
        go_on()
        parts.append(_part(network, mel, start, chunk))
    return np.concatenate(parts, 1)


def calm(told: Array) -> Array:
    """What a network says, T x 4, without the trembling that lips do not have."""
    return np.stack([smooth(track, sigma) for track, sigma in zip(told.T, _SMOOTH, strict=True)], 1)


def _part(network: Network, mel: Array, start: int, chunk: int) -> Array:
    begin, end = max(0, start - _OVERLAP), min(len(mel), start + chunk)
    told: Array = network(mel[None, begin : end + _OVERLAP])[0]
    return told[:, start - begin : end - begin]
