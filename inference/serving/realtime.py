"""What the realtime upscaling models have in common as Triton models: pictures, and frames of video as they are."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.engine import choose_engine
from enhance.upscale.realtime import Realtime, open_doubles
from enhance.upscale.upscaler import realtime_upscaler

from .shell import Inputs, parameter
from .upscaler import UpscalerModel, say_engine


class RealtimeModel(UpscalerModel):
    """Inputs FRAMES and SIZE, or IMAGE, and SCALE; outputs as they came, and ENGINE: models/<name>/config.pbtxt."""

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the network on the engine of this machine."""
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.video = Realtime(open_doubles(engine))
        self.upscaler = realtime_upscaler(self.model, engine, self.video.double)
        say_engine(args["model_name"], parameter(args, "release"), self.upscaler)

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        """The larger frames or picture."""
        if "FRAMES" not in wanted:
            return super().run(inputs, wanted)
        width, height = (int(side) for side in np.ravel(inputs["SIZE"])[:2])
        scale = int(inputs.number("SCALE"))
        return {"FRAMES": self.video.run(inputs["FRAMES"], (width, height), scale, inputs.stop_if_cancelled)}
