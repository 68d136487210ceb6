"""Log-mel features, the input of the speech network. Training and service share this file."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]

RATE = 16000  # samples a second
HOP = 160  # 10 ms; frame i is centred at i * 10 + 5 ms
WINDOW = 400  # samples
MELS = 40  # bands, 60 to 7600 Hz
_FFT = 512  # samples, the window's and zeros
_BLOCK = 2000  # frames transformed at once: bounds memory
_FLOOR = 1e-10  # of power: below the rounding of 16-bit sound
_QUIET = -21.0  # mean log-mel under which there is nothing but that floor
_SPAN, _STEP = 1000, 200  # frames: the mean is taken over 10 s, anew every 2 s
_LOUD = 5.0  # nepers of power under the 95th percentile that still count as active
_FAR = 6.0  # nepers of power under the loudest part's 95th percentile, below which nothing is active
_ENOUGH = 20  # active frames that give a mean
# Nepers, the spread of the bands' shares over active frames: up to the first they are one held sound, from the second on their
# mean is that of a speaker. Held vowels have .2 to .7, noise .6, a second of speech 1.0 and more: docs/decisions/0217
_ONE_SOUND, _VARIED = 0.6, 0.9


def mean_around(values: Floats, reach: int, beyond: Literal["constant", "edge"] = "constant") -> Floats:
    """The mean over each frame and `reach` frames on both sides, in the shape of values (T, or T x n). beyond: what lies beyond
    the ends: "constant" is 0, "edge" the first or last frame again."""
    sides = [(reach + 1, reach)] + [(0, 0)] * (values.ndim - 1)
    total = np.cumsum(np.pad(values, sides, beyond), axis=0)
    return np.asarray((total[2 * reach + 1 :] - total[: -2 * reach - 1]) / (2 * reach + 1))


def _mel_edges() -> Floats:
    low, high = (2595 * np.log10(1 + f / 700) for f in (60, 7600))
    return np.asarray(700 * (10 ** (np.linspace(low, high, MELS + 2) / 2595) - 1))


_EDGES = _mel_edges()  # Hz: each band rises from one to the next and falls to the one after
CENTRES = _EDGES[1:-1]  # Hz, of the bands


def _mel_filters() -> Floats:
    edges = _EDGES[:, None] * _FFT / RATE
    bins = np.arange(_FFT // 2 + 1)[None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.asarray(np.clip(np.minimum(rising, falling), 0, None).T.astype(np.float32))


_FILTERS = _mel_filters()
_BANDS = np.arange(MELS) - (MELS - 1) / 2
_USUAL = np.interp(np.arange(MELS), (0, 5, 8, 12, 26, 39), (2.5, 3.4, 2.3, 0.3, -0.4, -3.0))  # nepers, 45 speakers of GRID
_TAPER = np.hanning(WINDOW).astype(np.float32)


def log_mel(pcm: Floats) -> Floats:
    """T x 40 natural-log mel power of n samples (16 kHz, -1..1), T = n // 160. Each window's mean (DC) is removed."""
    frames = len(pcm) // HOP
    lead = (WINDOW - HOP) // 2
    padded = np.pad(np.asarray(pcm, np.float32), (lead, WINDOW))
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:frames]
    out = np.empty((frames, MELS), np.float32)
    for start in range(0, frames, _BLOCK):
        block = windows[start : start + _BLOCK]
        spectrum = np.fft.rfft((block - block.mean(1, keepdims=True)) * _TAPER, _FFT)
        power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
        out[start : start + _BLOCK] = np.log(power @ _FILTERS + _FLOOR)
    return out


def normalise(mel: Floats, heard: npt.NDArray[np.bool_] | None = None, beside: npt.NDArray[np.bool_] | None = None) -> Floats:
    """Log-mel (T x 40) without the level and the microphone's response: less a mean, over 3, within -4..3.

    The mean is that of the active frames; over the whole file up to 10 s, in longer ones over 10 s round each frame. Where a
    part has no active frames, the means of the parts beside it are used; where they are one held sound, the usual spectrum of
    speech, as nothing would be left of a vowel less itself. All -4 when the file is silent.
    heard: [T], without the middle of held sounds, which would outweigh others in the mean; None for all frames.
    beside: [T], what is loud beside speech, which counts in neither level nor mean; None for nothing.
    """
    if len(mel) == 0:
        return mel
    level = mel.mean(1)
    if beside is not None:
        level[beside] = level.min()
    counts = np.ones(len(mel), np.bool_) if heard is None else heard
    starts = range(0, max(len(mel) - _SPAN + _STEP, 1), _STEP)
    parts = [slice(start, start + _SPAN) for start in starts]
    tops = [np.percentile(level[part], 95) for part in parts]
    least = max(max(tops) - _FAR, _QUIET)
    knots, means = [], []
    for part, top in zip(parts, tops, strict=True):
        loud = level[part] > max(top - _LOUD, least)
        active = counts[part] & loud
        if active.sum() >= min(_ENOUGH, len(level)):
            knots.append(part.start + len(level[part]) / 2)
            # Speech in loud noise varies as little as a held vowel, but holds nothing.
            holds = active.sum() < loud.sum()
            means.append(_mean_of_speech(mel[part][active]) if holds else mel[part][active].mean(0))
    if not knots:
        return np.full_like(mel, -4)
    times = np.arange(len(mel))
    mean = np.stack([np.interp(times, knots, column) for column in np.stack(means, 1)], 1)
    return np.asarray(np.clip((mel - mean) / 3, -4, 3).astype(np.float32))


def _mean_of_speech(active: Floats) -> Floats:
    """The mean of active frames of log-mel (T x 40), [40]; of one held sound, the usual spectrum of speech with its slope."""
    mean = active.mean(0)
    spread = (active - active.mean(1, keepdims=True)).std(0).mean()
    usual = float(np.clip((_VARIED - spread) / (_VARIED - _ONE_SOUND), 0, 1))
    if not usual:
        return np.asarray(mean)
    beside = _USUAL - mean
    shape = beside - beside.mean() - _BANDS * (beside @ _BANDS) / (_BANDS @ _BANDS)
    return np.asarray(mean + usual * shape)
