"""Triton's entry for `animation_realtime`."""

import os
import sys
from pathlib import Path

# Triton's embedded Python does not read PYTHONPATH.
sys.path.append(os.environ.get("ENHANCE_INFERENCE") or str(Path(__file__).parents[3] / "inference"))

from serving.realtime import RealtimeModel


class TritonPythonModel(RealtimeModel):
    model = "animation_realtime"
