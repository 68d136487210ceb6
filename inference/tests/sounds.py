"""Sounds with a known answer, drawn by arithmetic: vowels through formants, closures, tones, noise, tunes."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]
RATE = 16000
FORMANTS = {"A": (730, 1090, 2440), "I": (280, 2250, 2890), "U": (310, 870, 2250), "M": (250, 1000, 2200)}


def seconds(length: float) -> Floats:
    return np.arange(round(length * RATE)) / RATE


def say(plan: list[tuple[str, float]], pitch: float = 120.0, higher: float = 1.0) -> Floats:
    """Voiced speech whose formants glide through the sounds of `plan`, each with its length in seconds; `_` is silence.

    higher: factor of the formants, 1 for those of a man.
    A buzz of harmonics is weighted, sample by sample, by three formant resonances; M is quieter, as closed lips are.
    A little noise lies under it, as in any room.
    """
    length = sum(each for _, each in plan)
    times = seconds(length)
    starts = np.cumsum([0, *(each for _, each in plan)])
    knots, heights, loudness = [], [], []
    for (name, each), start in zip(plan, starts, strict=False):
        edge = min(0.02, each / 3)
        knots += [start + edge, start + each - edge]
        heights += [higher * np.array(FORMANTS.get(name, FORMANTS["A"]))] * 2
        loudness += [{"_": 0.0, "M": 0.25}.get(name, 1.0)] * 2
    formants = [np.interp(times, knots, column) for column in zip(*heights, strict=True)]
    phase = 2 * np.pi * np.cumsum(pitch * (1 + 0.1 * np.sin(2 * np.pi * 0.7 * times))) / RATE
    sound = np.zeros(len(times))
    for k in range(1, int(3800 * higher / pitch)):
        frequency = k * pitch
        resonance = sum(
            gain / (1 + ((frequency - f) / (80 * higher)) ** 2) for gain, f in zip((1, 0.6, 0.3), formants, strict=True)
        )
        sound += np.sin(k * phase) * resonance / k**0.5
    sound *= np.interp(times, knots, loudness)
    room = np.random.default_rng(2).standard_normal(len(times)) * 3e-4
    return np.asarray(0.3 * sound / np.abs(sound).max() + room, np.float32)


def babble(syllables: int = 12, pitch: float = 120.0, higher: float = 1.0) -> Floats:
    """Nonsense speech of about 0.25 s a syllable. pitch, higher: as in say()."""
    plan: list[tuple[str, float]] = [("_", 0.4)]
    for k in range(syllables):
        plan += [("M", 0.08), ("AIU"[k % 3], 0.17)]
    return say([*plan, ("_", 0.4)], pitch, higher)


def hurried(syllables: int) -> Floats:
    """Nonsense speech of .12 s a syllable, .04 s of it M, between silence of .4 s."""
    sounds = [(name, length) for k in range(syllables) for name, length in (("M", 0.04), ("AIUAUI"[k % 6], 0.08))]
    return say([("_", 0.4), *sounds, ("_", 0.4)])


def hum(length: float, pitch: float = 110.0) -> Floats:
    """What is hummed with the lips shut: a voice of one low formant, with hardly a second one."""
    times = seconds(length)
    phase = 2 * np.pi * np.cumsum(pitch * (1 + 0.15 * np.sin(2 * np.pi * 0.9 * times))) / RATE
    sound = np.zeros(len(times))
    for k in range(1, 30):
        first, second = (1 / (1 + ((k * pitch - f) / width) ** 2) for f, width in ((250, 60), (1100, 100)))
        sound += np.sin(k * phase) * (first + 0.05 * second)
    sound *= np.clip(np.minimum(times, times[-1] - times) / 0.05, 0, 1)
    return np.asarray(0.3 * sound / np.abs(sound).max(), np.float32)


def tune(length: float, voices: int = 1) -> Floats:
    """Plucked notes, four a second."""
    sound = np.zeros(round(length * RATE))
    rng = np.random.default_rng(5)
    for start in range(0, len(sound), RATE // 4):
        times = seconds(0.25)[: len(sound) - start]
        for _ in range(voices):
            note = 110 * 2 ** (rng.integers(0, 30) / 12)
            sound[start : start + len(times)] += sum(np.sin(2 * np.pi * note * k * times) / k for k in range(1, 8)) * np.exp(
                -3 * times
            )
    return np.asarray(0.4 * sound / np.abs(sound).max(), np.float32)


def noise(length: float, loudness: float = 0.1) -> Floats:
    return (np.random.default_rng(0).standard_normal(round(length * RATE)) * loudness).astype(np.float32)
