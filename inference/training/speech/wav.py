"""WAV files in and out, as mono floats."""

import wave
from pathlib import Path

import numpy as np

from enhance.speech.features import RATE, Floats


def read_wav(path: Path) -> tuple[Floats, int]:
    """Samples -1..1 of a 16-bit file, the mean of its channels, and their rate."""
    with wave.open(str(path), "rb") as file:
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
        return pcm.reshape(-1, file.getnchannels()).mean(1), file.getframerate()


def write_wav(path: Path, pcm: Floats) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(pcm, -1, 1) * 32767).astype("<i2").tobytes())
