"""What the three upscaling models have in common as Triton models; each models/<name>/1/model.py only names itself."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

from enhance.engine import choose_engine
from enhance.picture import AnyPicture
from enhance.upscale.damage import Damage
from enhance.upscale.upscaler import Upscaler, open_upscaler

from .shell import Inputs, Shell, parameter, weights_folder

MEASURED = -1  # for DENOISE: as much as the picture tells


class UpscalerModel(Shell):
    """Inputs and outputs: models/<name>/config.pbtxt."""

    model: str
    upscaler: Upscaler

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the model's networks on the engine of this machine."""
        release = parameter(args, "release")
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.upscaler = open_upscaler(self.model, weights_folder(), engine)
        say_engine(args["model_name"], release, self.upscaler)

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        """The larger picture; ENGINE names what computed it, DENOISE, NOISE and WIDE_NOISE are what is measured."""
        outputs: dict[str, npt.NDArray[Any]] = {}
        for name in {"IMAGE", "IMAGE16"} & set(wanted):
            picture, scale = inputs[name], int(inputs.number("SCALE"))
            outputs[name] = self.upscaler.run(picture, scale, inputs.stop_if_cancelled, *self._asked(inputs, picture))
        if {"DENOISE", "NOISE", "WIDE_NOISE"} & set(wanted):
            deep = inputs.get("IMAGE16")
            found = self.upscaler.measure(inputs["IMAGE"] if deep is None else deep)
            outputs["DENOISE"] = np.array([found.level], np.int32)
            outputs["NOISE"] = np.array([found.noise], np.float32)
            outputs["WIDE_NOISE"] = np.array([found.wide_noise], np.float32)
        if "ENGINE" in wanted:
            outputs["ENGINE"] = np.array([self.upscaler.engine], np.object_)
        return outputs

    def _asked(self, inputs: Inputs, picture: AnyPicture) -> Damage:
        names = "DENOISE", "NOISE", "WIDE_NOISE"
        level, *noises = (0 if inputs.get(name) is None else inputs.number(name) for name in names)
        return self.upscaler.measure(picture) if level == MEASURED else Damage(int(level), *map(float, noises))


def say_engine(name: str, release: str, upscaler: Upscaler) -> None:
    """A line of the log for who looks for what computes a model."""
    pb_utils.Logger.log_info(f"{name}: {release} on {upscaler.engine}")
