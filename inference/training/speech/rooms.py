"""Drawn rooms: impulse responses of rectangular rooms by the image method (Allen and Berkley 1979)."""

import numpy as np
from scipy.signal import butter, sosfilt, sosfiltfilt

from enhance.speech.features import RATE, Floats

from .nonspeech import Rng

_SOUND = 343.0  # m/s
_FINER = 4  # arrivals are placed on this many steps a sample
_PLACES = 200  # tries to place a speaker in a room
_JITTER = 0.05  # m by which each image is moved: an exact box has echoes that sweep
_WALL = 0.2  # m that speaker and microphone keep from walls
_LOWEST = 80  # Hz: below it the images of a rigid box add up as in no real room
_BANDS = (700, 2500)  # Hz between the bands
_DECAYS = (1.15, 1.0, 0.7)  # reverberation time of the bands, as a factor: high sounds are absorbed sooner


def drawn_room(rng: Rng) -> Floats:
    """An ordinary room: reverberation .2 to 1 s, the speaker .4 to 2.2 m from the microphone."""
    ranges = ((0.2, 0.5), (0.4, 0.7), (0.6, 1.0))
    low, high = ranges[rng.choice(3, p=[0.35, 0.4, 0.25])]
    return room(rng.uniform(low, high), rng.uniform(0.4, 2.2), rng)


def room(seconds: float, metres: float, rng: Rng) -> Floats:
    """The impulse response [n] at 16 kHz of a drawn room; the direct sound is sample 0 and about 1.

    seconds: reverberation time (-60 dB). metres: from mouth to microphone.
    """
    size = np.array([rng.uniform(3, 6.5), rng.uniform(2.6, 5), rng.uniform(2.3, 3)])
    speaker, microphone = _placed(size, metres, rng)
    arrivals, bounces, distances = _images(size, speaker, microphone, seconds, rng)
    length = int(seconds * 1.1 * RATE) + 32
    step = ((distances - metres) / _SOUND * RATE * _FINER).astype(int)
    bands = []
    for factor in _DECAYS:
        strength = _reflection(size, seconds * factor) ** bounces / distances * metres
        fine = np.bincount(step[arrivals], strength[arrivals], length * _FINER)[: length * _FINER]
        bands.append(np.fft.irfft(np.fft.rfft(fine, 2 * length * _FINER)[: length + 1], 2 * length)[:length])
    response = bands[2] + sum(_below(limit, low - high) for limit, low, high in zip(_BANDS, bands, bands[1:], strict=False))
    lowest = butter(2, _LOWEST, "highpass", fs=RATE, output="sos")
    response = sosfilt(lowest, response)
    return np.asarray(response / np.abs(response[:8]).max(), np.float32)


def _placed(size: Floats, metres: float, rng: Rng) -> tuple[Floats, Floats]:
    for _ in range(_PLACES):
        microphone = size * rng.uniform(0.15, 0.85, 3)
        towards = rng.standard_normal(3) * (1, 1, 0.25)
        speaker = microphone + towards / np.linalg.norm(towards) * metres
        if (speaker > _WALL).all() and (speaker < size - _WALL).all():
            return speaker, microphone
    raise ValueError(f"expected a distance that fits into a room of {size.round(1)} m, got {metres} m")


def _images(size: Floats, speaker: Floats, microphone: Floats, seconds: float, rng: Rng) -> tuple[Floats, Floats, Floats]:
    """Which of the images arrive in time, how many walls each has met, and how far away it is (m)."""
    reach = _SOUND * seconds * 1.1
    places, met = [], []
    for length, source, ear in zip(size, speaker, microphone, strict=True):
        count = np.arange(-int(reach / (2 * length)) - 1, int(reach / (2 * length)) + 2)
        places.append(np.concatenate([source + 2 * count * length - ear, -source + 2 * count * length - ear]))
        met.append(np.concatenate([2 * np.abs(count), np.abs(count - 1) + np.abs(count)]))
    squares = places[0][:, None, None] ** 2 + places[1][:, None] ** 2 + places[2] ** 2
    near = squares < reach**2
    distances = np.sqrt(squares[near])
    bounces = (met[0][:, None, None] + met[1][:, None] + met[2])[near]
    straight = distances[bounces == 0].min()
    distances = np.maximum(distances + (bounces > 0) * rng.uniform(-_JITTER, _JITTER, len(distances)), _JITTER)
    return (distances >= straight) & (distances < reach), bounces, distances


def _reflection(size: Floats, seconds: float) -> float:
    """The share of the amplitude that walls give back, by Eyring's reverberation time."""
    width, depth, height = size
    surface = 2 * (width * depth + width * height + depth * height)
    return float(np.sqrt(np.exp(-0.161 * size.prod() / (surface * seconds))))


def _below(limit: float, response: Floats) -> Floats:
    lead = RATE // 8
    return np.asarray(sosfiltfilt(butter(4, limit, fs=RATE, output="sos"), np.pad(response, (lead, 0)))[lead:])
