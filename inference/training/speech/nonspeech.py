"""Sounds during which a mouth stays shut: noise, hum, drums, notes and chords. All are labelled SIL."""

from collections.abc import Callable

import numpy as np

from enhance.speech.features import RATE, Floats

Rng = np.random.Generator


def nonspeech(samples: int, rng: Rng) -> Floats:
    """One to three such sounds over each other, RMS about 1; at times as if a band played them."""
    kinds: tuple[Callable[[int, Rng], Floats], ...] = (
        *(_noise, _gusts, _pulses, _pulses, _hum, _notes, _notes, _notes, _chords, _chords, _chords, _band, _band, _drums),
        *(_clicks, _sweep),
    )
    chosen = rng.choice(len(kinds), rng.integers(1, 4), replace=False)
    mixed = sum((unit(kinds[index](samples, rng)) * rng.uniform(0.2, 1) for index in chosen), np.zeros(samples))
    return unit(mixed)


def coloured_noise(samples: int, slope: float, rng: Rng) -> Floats:
    """Amplitude falls as frequency to the power of `slope`; RMS 1."""
    spectrum = np.fft.rfft(rng.standard_normal(samples))
    return unit(np.fft.irfft(spectrum * np.maximum(np.fft.rfftfreq(samples, 1 / RATE), 30) ** -slope, samples))


def unit(pcm: Floats) -> Floats:
    """A sound scaled to an RMS of 1."""
    return np.asarray(pcm / (np.sqrt((pcm**2).mean()) + 1e-9), np.float32)


def _noise(samples: int, rng: Rng) -> Floats:
    return coloured_noise(samples, rng.uniform(0, 1.2), rng)


def _gusts(samples: int, rng: Rng) -> Floats:
    """Wind, breath, traffic: noise whose loudness and colour wander."""
    times = np.linspace(0, 1, samples)
    knots = max(int(samples / RATE * rng.uniform(0.5, 5)), 2)
    loudness = [np.interp(times, np.linspace(0, 1, knots), rng.uniform(0, 1, knots) ** 2) for _ in range(2)]
    return coloured_noise(samples, 0.0, rng) * loudness[0] + coloured_noise(samples, 1.0, rng) * loudness[1]


def _pulses(samples: int, rng: Rng) -> Floats:
    """Machines, waves, steam, scratching: noise that comes and goes as often as syllables do."""
    times = np.arange(samples) / RATE
    rate = rng.uniform(0.5, 12)
    if rng.random() < 0.5:
        wave = 1 + rng.uniform(0.4, 1) * np.sin(2 * np.pi * rate * times + rng.uniform(0, 6.3))
    else:
        wave = ((times * rate + rng.uniform()) % 1 < rng.uniform(0.2, 0.8)) + rng.uniform(0, 0.1)
    return np.asarray(coloured_noise(samples, rng.uniform(0, 1.2), rng) * wave, np.float32)


def _hum(samples: int, rng: Rng) -> Floats:
    base = rng.choice([50, 60, rng.uniform(40, 400)])
    return _harmonics(np.full(samples, base), rng.uniform(0.3, 2), int(rng.integers(1, 12)), rng)


def _harmonics(frequency: Floats, fall: float, count: int, rng: Rng) -> Floats:
    phase = 2 * np.pi * np.cumsum(frequency) / RATE
    tone = np.zeros(len(frequency))
    for k in range(1, count + 1):
        if k * frequency.max() < RATE / 2:
            tone += np.sin(k * phase + rng.uniform(0, 6.3)) * k**-fall * rng.uniform(0.3, 1)
    return tone.astype(np.float32)


def _note(samples: int, semitones: float, rng: Rng, *, fall: float, decay: float, vibrato: float) -> Floats:
    times = np.arange(samples) / RATE
    bent = semitones + vibrato * np.sin(2 * np.pi * 5.5 * times + rng.uniform(0, 6.3))
    tone = _harmonics(55 * 2 ** (bent / 12), fall, int(rng.integers(3, 14)), rng)
    attack = np.clip(times / rng.uniform(0.003, 0.08), 0, 1)
    release = np.clip((times[-1] - times) / 0.02, 0, 1)
    return np.asarray(tone * attack * release * np.exp(-times * decay), np.float32)


def _tune(samples: int, rng: Rng, voices: int) -> Floats:
    """Notes of one timbre and one scale, `voices` at a time, on a beat."""
    out = np.zeros(samples, np.float32)
    scale = np.array([0, 2, 4, 5, 7, 9, 11]) + rng.integers(0, 12)
    fall, decay, vibrato = rng.uniform(0.4, 2), rng.choice([0, rng.uniform(1, 8)]), rng.choice([0, rng.uniform(0, 0.4)])
    beat, low = rng.uniform(0.12, 0.6) * max(voices, 1) ** 0.5, rng.integers(0, 4)
    start = 0
    while start < samples:
        length = min(int(RATE * beat * rng.choice([1, 1, 2, 3])), samples - start)
        if length < 200:
            break
        for _ in range(voices if rng.random() < 0.9 else 0):
            height = rng.choice(scale) + 12 * (low + rng.integers(0, 3))
            out[start : start + length] += _note(length, height, rng, fall=fall, decay=decay, vibrato=vibrato)
        start += length
    return out


def _band(samples: int, rng: Rng) -> Floats:
    """Drums, chords and a tune together, sometimes through a distortion or a slow filter."""
    parts = (_drums(samples, rng), _tune(samples, rng, 3), _tune(samples, rng, 1))
    mixed = unit(sum((unit(part) * rng.uniform(0.2, 1) for part in parts), np.zeros(samples, np.float32)))
    if rng.random() < 0.3:
        mixed = np.tanh(mixed * rng.uniform(1, 6))
    if rng.random() < 0.3:
        depth = 0.5 + 0.5 * np.sin(2 * np.pi * rng.uniform(0.1, 4) * np.arange(samples) / RATE)
        dull = np.convolve(mixed, np.ones(24) / 24, "same")
        mixed = mixed * depth + dull * (1 - depth)
    return np.asarray(mixed, np.float32)


def _notes(samples: int, rng: Rng) -> Floats:
    return _tune(samples, rng, 1)


def _chords(samples: int, rng: Rng) -> Floats:
    return _tune(samples, rng, int(rng.integers(2, 5)))


def _drums(samples: int, rng: Rng) -> Floats:
    out = np.zeros(samples, np.float32)
    beat = int(RATE * rng.uniform(0.15, 0.6))
    for start in range(0, samples, beat):
        times = np.arange(min(beat, samples - start)) / RATE
        if rng.random() < 0.5:
            hit = np.sin(2 * np.pi * rng.uniform(50, 120) * times) * np.exp(-times * 15)
        else:
            hit = coloured_noise(len(times), rng.uniform(-0.5, 0.5), rng) * np.exp(-times * rng.uniform(10, 60))
        out[start : start + len(times)] += hit * rng.uniform(0.3, 1)
    return out


def _clicks(samples: int, rng: Rng) -> Floats:
    """Keys, steps, knocks."""
    out = coloured_noise(samples, 0.5, rng) * 0.02
    for start in rng.integers(0, max(samples - 1600, 1), max(int(samples / RATE * rng.uniform(1, 8)), 1)):
        times = np.arange(min(int(rng.integers(80, 1600)), samples - start)) / RATE
        ring = np.sin(2 * np.pi * rng.uniform(200, 4000) * times) + rng.standard_normal(len(times))
        out[start : start + len(times)] += ring * np.exp(-times * rng.uniform(40, 300)) * rng.uniform(0.2, 1)
    return out


def _sweep(samples: int, rng: Rng) -> Floats:
    """Sirens, beeps, engines: tones that slide."""
    knots = max(int(samples / RATE * rng.uniform(0.3, 3)), 2)
    heights = rng.uniform(np.log(80), np.log(3000), knots)
    return _harmonics(
        np.exp(np.interp(np.linspace(0, 1, samples), np.linspace(0, 1, knots), heights)), 1.0, int(rng.integers(1, 6)), rng
    )
