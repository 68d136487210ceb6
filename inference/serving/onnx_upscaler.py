"""Any ONNX network that enlarges pictures, as a Triton model: a release that was made from one file."""

import os
from pathlib import Path

from enhance.engine import choose_engine
from enhance.upscale.onnx_upscaler import open_onnx_upscaler

from .shell import parameter
from .upscaler import UpscalerModel, say_engine


class OnnxUpscalerModel(UpscalerModel):
    """Inputs and outputs as UpscalerModel's; the network lies beside model.py as network.onnx."""

    def initialize(self, args: dict[str, str]) -> None:
        """Raises BadNetworkError for a network that cannot do the work; the message goes to who loads the model."""
        folder = Path(args["model_repository"]) / args["model_version"]
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.upscaler = open_onnx_upscaler(args["model_name"], folder / "network.onnx", engine)
        say_engine(args["model_name"], parameter(args, "release"), self.upscaler)
