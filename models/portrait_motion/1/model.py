"""Triton's entry for `portrait_motion`."""

import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(str(Path(__file__).parents[3] / "inference"))

from serving.portrait_motion import PortraitMotionModel


class TritonPythonModel(PortraitMotionModel):
    pass
