"""Speech twice: as it was said, and as a microphone across a drawn room heard it. No labels are needed."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import fftconvolve

from enhance.speech.features import RATE, Floats

from . import real, shards, text
from .augment import to_rate, transmit
from .espeak import espeak
from .nonspeech import Rng, nonspeech
from .rooms import drawn_room

ROOMS, SENTENCES, NONSPEECH = 44, 230, 40
_TRANSMITTED = 0.6  # share of the recordings without a room that go through a microphone and a line
_PIECE = 10 * RATE  # samples of running speech


class Pair(NamedTuple):
    """pcm: n samples at 16 kHz. recordings: the same through rooms, microphones and lines, each n samples and in time."""

    pcm: Floats
    recordings: list[Floats]


def pairs(grid: Path, running: Iterable[Path], rng: Rng, draw: random.Random) -> Iterator[Pair]:
    """Of GRID's clips without the speakers who judge, of running speech, of espeak-ng, and of sounds that are no speech."""
    rooms = [drawn_room(rng) for _ in range(ROOMS)]
    for _, pcm, rate, _ in real.utterances(grid, held_out=False):
        yield _pair(to_rate(pcm, rate, rng.uniform(0.86, 1.16) if rng.random() < 0.6 else 1.0), 3, rooms, rng)
    for path in running:
        for stretch in (0.9, 1.0, 1.12):
            pcm = to_rate(real.sound(path), RATE, stretch)
            for start in range(0, len(pcm) - 4 * RATE, _PIECE):
                yield _pair(pcm[start : start + _PIECE], 3, rooms, rng)
    for _ in range(SENTENCES):
        voice, locale, _ = draw.choices(shards.LANGUAGES, [weight for *_, weight in shards.LANGUAGES])[0]
        words, speaker = text.pick(locale, draw, held_out=False), f"{voice}+{draw.choice(shards.VARIANTS)}"
        pcm, rate, _ = espeak().say(words, speaker, draw.randint(130, 210), draw.randint(30, 70), 50)
        silence = [int(RATE * rng.uniform(0.1, longest)) for longest in (0.4, 0.8)]
        yield _pair(np.pad(to_rate(pcm, rate, rng.uniform(0.84, 1.2)), silence), 2, rooms, rng)
    for _ in range(NONSPEECH):
        pcm = transmit(nonspeech(int(RATE * rng.uniform(2, 6)), rng), rng)
        yield Pair(pcm, [pcm])


def _pair(pcm: Floats, count: int, rooms: list[Floats], rng: Rng) -> Pair:
    """With one recording without a room, then `count` in rooms."""
    voice = np.asarray(pcm * 0.3 / (np.abs(pcm).max() + 1e-6), np.float32)
    near = transmit(voice, rng) if rng.random() < _TRANSMITTED else voice
    heard = (fftconvolve(voice, rooms[rng.integers(len(rooms))])[: len(voice)] for _ in range(count))
    return Pair(voice, [near, *(transmit(np.asarray(each, np.float32), rng) for each in heard)])
