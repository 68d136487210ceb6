"""An ONNX graph in the making."""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 18  # what OpenVINO, onnxruntime and TensorRT all read
_IR = 9


class Graph:
    """Its nodes and constants so far; a value is known by its name."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Any) -> str:
        """A constant."""
        self._constants.append(numpy_helper.from_array(np.array(value), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node of one output."""
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def model(
        self, given: list[onnx.ValueInfoProto], made: list[onnx.ValueInfoProto], notes: dict[str, str]
    ) -> onnx.ModelProto:
        """The whole graph, checked. notes: what it was made from, kept in its metadata."""
        graph = helper.make_graph(self._nodes, "upscale", given, made, self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)
        helper.set_model_props(model, notes)
        onnx.checker.check_model(model, full_check=True)
        return model
