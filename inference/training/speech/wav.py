"""WAV files as mono floats."""

import wave
from pathlib import Path

import numpy as np

from enhance.speech.features import Floats


def read_wav(path: Path) -> tuple[Floats, int]:
    """Samples -1..1 of a 16-bit file, the mean of its channels, and their rate."""
    with wave.open(str(path), "rb") as file:
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
        return pcm.reshape(-1, file.getnchannels()).mean(1), file.getframerate()
