"""Several networks as one ONNX file, weights stored as float16 and computed with as float32."""

import io
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from enhance.speech.features import MELS

from .network import Ensemble, MouthNetwork

_SMALL = 64  # numbers that are not worth a cast


def export(networks: list[MouthNetwork], path: Path, notes: dict[str, str]) -> None:
    """notes: what the file was made from, kept in its metadata."""
    written = io.BytesIO()
    torch.onnx.export(
        Ensemble(networks).eval(),
        (torch.zeros(1, 200, MELS),),
        written,
        input_names=["mel"],
        output_names=["measures"],
        dynamic_axes={"mel": {1: "frames"}, "measures": {1: "frames"}},
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load_from_string(written.getvalue())
    _halve(model.graph)
    helper.set_model_props(model, notes)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _halve(graph: onnx.GraphProto) -> None:
    casts = []
    for constant in graph.initializer:
        values = numpy_helper.to_array(constant)
        if values.dtype != np.float32 or values.size < _SMALL:
            continue
        name = constant.name
        constant.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=TensorProto.FLOAT))
    for node in reversed(casts):
        graph.node.insert(0, node)
