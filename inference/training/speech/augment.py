"""One synthetic voice becomes many recordings: other throats, rooms, microphones, telephones, noise and music beside it."""

import numpy as np
from scipy.signal import butter, fftconvolve, resample, sosfilt

from enhance.speech.features import RATE, Floats

from .nonspeech import Rng, coloured_noise, nonspeech
from .phones import Segment

Said = tuple[Floats, list[Segment]]


def to_rate(pcm: Floats, rate: int, stretch: float = 1.0) -> Floats:
    """At 16 kHz, and `stretch` times as long: slower, with a lower voice in a longer throat."""
    return np.asarray(resample(pcm, max(round(len(pcm) * RATE / rate * stretch), 1)), np.float32)


def vary(pcm: Floats, rate: int, segments: list[Segment], rng: Rng) -> Said:
    """One recording of an utterance, with its segments where they now lie."""
    stretch = rng.uniform(0.84, 1.2)
    voice = to_rate(pcm, rate, stretch)
    voice *= 0.3 / (np.abs(voice).max() + 1e-6)
    before, after = (int(RATE * (rng.uniform(0.8, 3) if rng.random() < 0.15 else rng.uniform(0.1, 0.4))) for _ in range(2))
    sound = np.pad(voice, (before, after))
    moved = [Segment(s * stretch + before / RATE, e * stretch + before / RATE, parts) for s, e, parts in segments]
    return record(sound, rng), moved


def record(sound: Floats, rng: Rng) -> Floats:
    """Through a room, a microphone, a line, with what else is heard."""
    return transmit(_room(sound, rng) if rng.random() < 0.45 else sound, rng)


def transmit(sound: Floats, rng: Rng) -> Floats:
    """The same without the room."""
    if rng.random() < 0.8:
        sound = _microphone(sound, rng)
    loudness = np.sqrt((sound**2).mean()) + 1e-6
    if rng.random() < 0.8:
        sound = sound + coloured_noise(len(sound), rng.uniform(0, 1), rng) * loudness * 10 ** (-rng.uniform(6, 45) / 20)
    if rng.random() < 0.25:
        sound = sound + nonspeech(len(sound), rng) * loudness * 10 ** (-rng.uniform(3, 30) / 20)
    if rng.random() < 0.2:
        sound = _line(sound, rng)
    if rng.random() < 0.1:
        most = np.abs(sound).max() * rng.uniform(0.3, 0.8)
        sound = np.clip(sound, -most, most)
    level = 10 ** (-(rng.uniform(0, 24) if rng.random() < 0.8 else rng.uniform(24, 50)) / 20)
    pcm = sound / (np.abs(sound).max() + 1e-6) * level
    return np.asarray((np.round(pcm * 32767) / 32768).astype(np.float32))


def _room(sound: Floats, rng: Rng) -> Floats:
    length = int(rng.uniform(0.08, 0.5) * RATE)
    echo = rng.standard_normal(length) * np.exp(-6.9 * np.arange(length) / length) * rng.uniform(0.02, 0.12)
    echo[0] = 1
    return np.asarray(fftconvolve(sound, echo)[: len(sound)], np.float32)


def _microphone(sound: Floats, rng: Rng) -> Floats:
    bins = len(sound) // 2 + 1
    knots = rng.integers(4, 10)
    decibels = np.interp(np.linspace(0, 1, bins), np.linspace(0, 1, knots) ** 1.7, rng.uniform(-9, 9, knots))
    return np.asarray(np.fft.irfft(np.fft.rfft(sound) * 10 ** (decibels / 20), len(sound)), np.float32)


def _line(sound: Floats, rng: Rng) -> Floats:
    """A telephone (300 Hz to 3.4 kHz), or a codec that drops what is high."""
    if rng.random() < 0.5:
        sections = butter(6, [rng.uniform(80, 320), rng.uniform(3300, 3900)], "bandpass", fs=RATE, output="sos")
    else:
        sections = butter(8, rng.uniform(3500, 7000), "lowpass", fs=RATE, output="sos")
    return np.asarray(sosfilt(sections, sound), np.float32)
