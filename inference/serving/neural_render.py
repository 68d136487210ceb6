"""A renderer that paints mouths with a network, in the slot of `mouth_render_*`.

The contract is that of every renderer with the inputs that `wants` names: docs/guides/neural-renderer.md.
"""

import os
from pathlib import Path

import cv2
import numpy as np
import triton_python_backend_utils as pb_utils

from enhance.engine import Engine, choose_engine
from enhance.neural.musetalk import MuseTalk
from enhance.neural.render import NeuralRequest, Painter, paint_mouth
from enhance.style import style_numbered

from .mouth_render import Outputs, as_it_came, frame_names, measured_style, read_patch
from .shell import Inputs, Shell, parameter

NOTHING_MEASURED = np.zeros(1, np.float32)
"""SUBJECT of a renderer that measures nothing: `subject_size` 1."""


class NeuralRenderModel(Shell):
    """One frame's patch a request. Raises ValueError for inputs that are not as config.pbtxt says."""

    painter: Painter

    def open_painter(self, folder: Path, engine: Engine) -> Painter:
        """The network whose files lie in `folder`."""
        raise NotImplementedError

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the network on the engine of this machine."""
        cv2.setNumThreads(1)  # the other models have the other cores
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.painter = self.open_painter(Path(args["model_repository"]) / args["model_version"], engine)
        pb_utils.Logger.log_info(f"{args['model_name']}: {parameter(args, 'release')} on {engine.name}")

    def run(self, inputs: Inputs, wanted: list[str]) -> Outputs:
        """What is asked for: SUBJECT, STYLE, or the patch with another mouth."""
        if "LENDER" in wanted or "INSIDE" in wanted:
            raise ValueError("expected no LENDER and no INSIDE: this model takes no inside")
        frame = frame_names(inputs, wanted)
        outputs: Outputs = {}
        if "STYLE" in wanted:
            outputs["STYLE"] = measured_style(inputs)
        if "SUBJECT" in wanted:
            outputs["SUBJECT"] = NOTHING_MEASURED
        if any(name in wanted for name in frame):
            planes, colours = read_patch(inputs)
            reference, _ = read_patch(inputs, "REFERENCE_")
            request = NeuralRequest(
                speech=inputs["SPEECH"],
                reference=(reference, inputs["REFERENCE_MESH"]),
                allowed=inputs["MASK"],
                style=style_numbered(inputs.number("STYLE")),
            )
            outputs |= as_it_came(inputs, planes, paint_mouth(planes, colours, inputs["MESH"], request, self.painter))
        return outputs


class MuseTalkModel(NeuralRenderModel):
    """MuseTalk, as inference/build/musetalk makes it from the published weights."""

    def open_painter(self, folder: Path, engine: Engine) -> Painter:
        """Opens its four networks."""
        return MuseTalk(folder, engine)
