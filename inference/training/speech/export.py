"""Writes the served head of a trained network as ONNX."""

from pathlib import Path

import torch

from enhance.speech.features import MELS

from .network import Served, SpeechNetwork


def export(network: SpeechNetwork, path: Path) -> None:
    """Input `mel` [1, T, 40], output `posteriors` [1, T, 20]; T is free."""
    torch.onnx.export(
        Served(network).eval(),
        (torch.zeros(1, 100, MELS),),
        str(path),
        input_names=["mel"],
        output_names=["posteriors"],
        dynamic_axes={"mel": {1: "frames"}, "posteriors": {1: "frames"}},
        opset_version=17,
        dynamo=False,
    )
