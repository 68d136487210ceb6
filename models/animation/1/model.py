"""Triton's entry for `animation`."""

import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(str(Path(__file__).parents[3] / "inference"))

from serving.upscaler import UpscalerModel


class TritonPythonModel(UpscalerModel):
    model = "animation"
