"""`speech` as a Triton model; its contract is models/speech/config.pbtxt."""

from pathlib import Path
from typing import Any

import numpy.typing as npt

from enhance.speech.analysis import SpeechAnalyser

from .shell import Inputs, Shell

_WEIGHTS = Path(__file__).parents[1] / "weights"


class SpeechModel(Shell):
    """What is heard in a sound, in frames of 10 ms."""

    def initialize(self, args: dict[str, str]) -> None:  # noqa: ARG002
        """Opens the networks and the recogniser."""
        self.analyser = SpeechAnalyser(_WEIGHTS / "speech.onnx", _WEIGHTS / "speech_rooms.onnx")

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        """Posteriors, curves and activity."""
        fuse = inputs.number("FUSE")
        if fuse not in (0, 1):
            raise ValueError(f"expected FUSE 0 or 1, got {fuse}")
        heard = self.analyser.analyse(inputs["PCM"], bool(fuse), inputs.stop_if_cancelled)
        return {"POSTERIORS": heard.posteriors, "CURVES": heard.curves, "ACTIVITY": heard.activity}
