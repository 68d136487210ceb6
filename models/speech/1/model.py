"""Triton's entry for `speech`."""

import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(str(Path(__file__).parents[3] / "inference"))

from serving.speech import SpeechModel


class TritonPythonModel(SpeechModel):
    pass
