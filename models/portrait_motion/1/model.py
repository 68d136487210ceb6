"""Triton's entry for `portrait_motion`."""

import os
import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(os.environ.get("ENHANCE_INFERENCE") or str(Path(__file__).parents[3] / "inference"))

from serving.portrait_motion import PortraitMotionModel


class TritonPythonModel(PortraitMotionModel):
    pass
