"""Log-mel features as whisper hears them (Radford et al. 2022; the numbers are those of its published code's settings)."""

import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats

RATE = 16_000
"""Samples a second."""
HOP, WINDOW = 160, 400
"""Samples: a step of 10 ms, and what is looked at for it."""
MELS = 80
FLOOR = 1e-10
"""Of power."""
SPAN = 8.0
"""How far below the loudest value the quietest lies, in powers of ten."""


def log_mel(pcm: Floats, steps: int) -> Floats:
    """80 x steps of a sound (16 kHz, -1..1), which is cut, or continued by silence, to `steps` of 10 ms."""
    samples = np.zeros(steps * HOP, np.float32)
    samples[: len(pcm)] = pcm[: len(samples)]
    padded = np.pad(samples, WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:steps]
    power = np.abs(np.fft.rfft(windows * _TAPER)) ** 2
    log = np.log10(np.maximum(power @ _FILTERS, FLOOR)).T
    return np.asarray((np.maximum(log, log.max() - SPAN) + 4) / 4, np.float32)


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Slaney's scale: linear to 1000 Hz, which are 15, and 27 steps to each factor of 6.4 above."""
    return np.where(mel < 15, mel * 200 / 3, 1000 * 6.4 ** ((mel - 15) / 27))


def _filters() -> npt.NDArray[np.float64]:
    """201 x 80: triangles of equal area, from 0 to 8000 Hz."""
    top = 15 + 27 * np.log(RATE / 2 / 1000) / np.log(6.4)
    edges = _hertz(np.linspace(0, top, MELS + 2))
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(rising, falling)) * 2 / (edges[2:] - edges[:-2])


_FILTERS = _filters()
_TAPER = np.hanning(WINDOW + 1)[:-1]
