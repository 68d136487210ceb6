"""Triton's entry for `photo`."""

from serving.upscaler import UpscalerModel


class TritonPythonModel(UpscalerModel):
    model = "photo"
