"""Triton's entry for `detail`."""

from serving.upscaler import UpscalerModel


class TritonPythonModel(UpscalerModel):
    model = "detail"
