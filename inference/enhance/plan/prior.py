"""How lips move with a sound, as networks have learnt it from other people: inference/weights/mouth.md."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from enhance.engine import open_small_network
from enhance.geometry.heads import Array
from enhance.speech.features import MELS
from enhance.speech.hearing import hear
from enhance.speech.network import Posteriors, open_speech_network
from enhance.speech.pace import at_pace

from .measures import MEASURES
from .tracks import smooth

WEIGHTS = Path(__file__).parents[2] / "weights" / "mouth.onnx"
_SPEECH = WEIGHTS.with_name("speech.onnx")  # tells unusual voices and fast speech
_SMOOTH = (0.03, 0.045, 0.05, 0.06)  # s, of MEASURES: corners are slower than lips
_CHUNK, _OVERLAP = 3000, 60  # frames given to the network at once, and more on both sides: farther than it looks

# By quality, fast to studio: factors by which the mel axis is stretched, one run of the networks each, as if speakers with
# shorter and longer vocal tracts said the same.
_THROATS = ((1.0,), (0.9, 1.0, 1.1), (0.9, 0.95, 1.0, 1.05, 1.1))
_FIXED_BAND = 12  # mel band about which it is stretched

Prior = Callable[[Array, Array], Array]
Network = Callable[..., list[Any]]


class StoppablePrior(Protocol):
    """A Prior that calls go_on between the runs of its networks; go_on may raise to stop it."""

    def __call__(self, mel: Array, heard: Array, /, go_on: Callable[[], None] = ...) -> Array:
        """mel: T x 40; heard: T booleans, without the middle of held sounds -> networks x T x 4 MEASURES."""
        ...


def open_prior(path: Path = WEIGHTS, chunk: int = _CHUNK) -> Prior:
    """A function from log-mel (T x 40) and which frames are heard (T, speech/held.py) to networks x T x 4 MEASURES.

    They have mean 0 and spread 1 over a speaker. It is for one thread at a time.
    """
    return _prior(open_small_network(path), open_speech_network(_SPEECH), _THROATS[0], chunk)


def open_priors() -> tuple[StoppablePrior, ...]:
    """As open_prior, one for each quality, from fast to studio. They share a network, so they are for one thread together."""
    network, speech = open_small_network(WEIGHTS), open_speech_network(_SPEECH)
    return tuple(_prior(network, speech, throats, _CHUNK) for throats in _THROATS)


def _prior(network: Network, speech: Posteriors, throats: tuple[float, ...], chunk: int) -> StoppablePrior:
    def prior(mel: Array, heard: Array, /, go_on: Callable[[], None] = lambda: None) -> Array:
        if not len(mel):
            return np.zeros((1, 0, len(MEASURES)))
        told = hear(mel, heard, speech, go_on)
        pace = told.pace[np.cumsum(heard) - 1]

        def predicted(by: float) -> Array:
            return at_pace(pace, stretched(told.usual, by), lambda mel: _predicted(network, mel, chunk, go_on))

        return np.stack([calm(each) for each in np.concatenate([predicted(by) for by in throats])])

    return prior


def stretched(mel: Array, by: float) -> Array:
    """A log-mel (T x 40) stretched by a factor about _FIXED_BAND, which moves formants but hardly pitch."""
    if by == 1:
        return mel
    places = np.clip((np.arange(MELS) - _FIXED_BAND) * by + _FIXED_BAND, 0, MELS - 1.001)
    below = places.astype(int)
    above = (places - below).astype(np.float32)
    return np.asarray(mel[:, below] * (1 - above) + mel[:, below + 1] * above)


def _predicted(network: Network, mel: Array, chunk: int, go_on: Callable[[], None]) -> Array:
    parts = []
    for start in range(0, len(mel), chunk):
        go_on()
        parts.append(_part(network, mel, start, chunk))
    return np.concatenate(parts, 1)


def calm(measures: Array) -> Array:
    """An output of a network (T x 4 MEASURES), smoothed by _SMOOTH: it trembles more than lips do."""
    return np.stack([smooth(track, sigma) for track, sigma in zip(measures.T, _SMOOTH, strict=True)], 1)


def _part(network: Network, mel: Array, start: int, chunk: int) -> Array:
    begin, end = max(0, start - _OVERLAP), min(len(mel), start + chunk)
    measures: Array = network(mel[None, begin : end + _OVERLAP])[0]
    return measures[:, start - begin : end - begin]
