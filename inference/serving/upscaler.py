"""What the three upscaling models have in common as Triton models; each models/<name>/1/model.py only names itself."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

from enhance.engine import choose_engine
from enhance.upscale.upscaler import Upscaler, open_upscaler

from .shell import Inputs, Shell, parameter, weights_folder


class UpscalerModel(Shell):
    """Inputs IMAGE or IMAGE16, and SCALE; outputs the same and, where it is asked for, ENGINE: models/<name>/config.pbtxt."""

    model: str
    upscaler: Upscaler

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the model's networks on the engine of this machine."""
        release = parameter(args, "release")
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.upscaler = open_upscaler(self.model, weights_folder(), engine)
        say_engine(args["model_name"], release, self.upscaler)

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        """The larger picture; ENGINE names what computed it."""
        outputs: dict[str, npt.NDArray[Any]] = {}
        for name in {"IMAGE", "IMAGE16"} & set(wanted):
            scale = int(inputs.number("SCALE"))
            outputs[name] = self.upscaler.run(inputs[name], scale, inputs.stop_if_cancelled)
        if "ENGINE" in wanted:
            outputs["ENGINE"] = np.array([self.upscaler.engine], np.object_)
        return outputs


def say_engine(name: str, release: str, upscaler: Upscaler) -> None:
    """A line of the log for who looks for what computes a model."""
    pb_utils.Logger.log_info(f"{name}: {release} on {upscaler.engine}")
