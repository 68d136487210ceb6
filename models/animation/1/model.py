"""Triton's entry for `animation`."""

from serving.upscaler import UpscalerModel


class TritonPythonModel(UpscalerModel):
    model = "animation"
