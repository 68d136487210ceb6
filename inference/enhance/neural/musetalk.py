"""MuseTalk (Zhang et al. 2024, arXiv 2410.10122): a face whose lower half is hidden, a reference and speech to that lower half.

inference/build/musetalk makes its four networks from the published weights.
"""

from pathlib import Path

import numpy as np

from enhance.engine import Engine
from enhance.geometry.area import Floats
from enhance.picture import Picture

from .crop import SIDE
from .sound import HOP, log_mel

STEP = 2 * HOP
"""Samples in a state of whisper: 20 ms."""
BEFORE, AFTER = 4, 6
"""States that the network looks at: so many before the frame's time and so many from it on."""
LEAST_SAMPLES = 2 * AFTER * STEP


class MuseTalk:
    """The opened networks. For one thread at a time."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        """folder: holds encoder, unet, decoder and speech, each .onnx with its .onnx.data."""
        self._encode, self._paint, self._decode, self._hear = (
            engine.open_graph(folder / f"{name}.onnx") for name in ("encoder", "unet", "decoder", "speech")
        )

    def paint(self, face: Picture, reference: Picture, speech: Floats) -> Floats:
        """The face with another lower half: 256 x 256 x 3 RGB, 0..255.

        face, reference: crops (crop.py), 256 x 256 x 3 RGB. speech: samples of 16 kHz; the frame is shown at their middle.
        Raises ValueError for a sound that is too short or too long.
        """
        masked, seen = _signed(face), _signed(reference)
        masked[:, SIDE // 2 :] = -1
        latents = self._encode(np.stack([masked, seen]))
        painted = self._paint(latents.reshape(1, -1, *latents.shape[2:]), self._heard(speech))
        picture = self._decode(painted)[0]
        return np.asarray(np.clip((picture.transpose(1, 2, 0) + 1) * 127.5, 0, 255), np.float32)

    def _heard(self, speech: Floats) -> Floats:
        """1 x 50 x 384: the states round the middle of the sound, one after the other."""
        longest = self._hear.shapes["mel"][2] * HOP
        if not LEAST_SAMPLES <= len(speech) <= longest:
            raise ValueError(f"expected SPEECH of {LEAST_SAMPLES} to {longest} samples, got {len(speech)}")
        states = self._hear(log_mel(speech, longest // HOP)[None])
        middle = len(speech) // 2 // STEP
        window = states[middle - BEFORE : middle + AFTER]
        return np.ascontiguousarray(window.reshape(1, -1, window.shape[-1]))


def _signed(picture: Picture) -> Floats:
    """3 x height x width, -1..1."""
    return np.asarray(picture.transpose(2, 0, 1) / np.float32(127.5) - 1, np.float32)
