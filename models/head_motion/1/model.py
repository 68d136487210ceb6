"""Triton's entry for `head_motion`."""

import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(str(Path(__file__).parents[3] / "inference"))

from serving.head_motion import HeadMotionModel


class TritonPythonModel(HeadMotionModel):
    pass
