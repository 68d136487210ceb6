"""A tflite graph -> an ONNX model (opset 17) with a dynamic batch.

Input `input`: N x H x W x 3 float32, as in the tflite file. Outputs: those of the tflite file under their own names, or the
478 points and the score of the attention mesh, which tflite leaves in pieces (see faces.py).
"""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from .graph import IR_VERSION, OPSET
from .graph import Graph as Nodes
from .tflite_file import Array, Graph, Operator

Outputs = dict[str, tuple[str, tuple[int, ...]]]  # by name: the value, and its shape without the batch


class Writer:
    """Nodes while they are collected. Pictures are N x C x H x W here ("planes"), everything else is as in tflite."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._nodes = Nodes()
        self._planes: dict[int, str] = {}
        self._plain: dict[int, str] = {}
        source = graph.inputs[0]
        self._plain[source] = "input"

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        return self._nodes.node(operator, inputs, f"{operator.lower()}_{len(self._nodes.nodes)}", **attributes)

    def split(self, value: str, sizes: list[int], axis: int) -> list[str]:
        """The value cut in parts along an axis."""
        parts = [f"split_{len(self._nodes.nodes)}_{part}" for part in range(len(sizes))]
        self._nodes.nodes.append(helper.make_node("Split", [value, self.whole(sizes)], parts, axis=axis))
        return parts

    def constant(self, value: Array) -> str:
        return self._nodes.constant(f"constant_{len(self._nodes.constants)}", value)

    def floats(self, value: Any) -> str:
        return self.constant(np.asarray(value, np.float32))

    def whole(self, value: Any) -> str:
        return self.constant(np.asarray(value, np.int64))

    def value(self, tensor: int) -> Array:
        """The constant that a tensor is."""
        value = self.graph.tensors[tensor].value
        if value is None:
            raise ValueError(f"expected {self.graph.tensors[tensor].name} to be a constant")
        return value

    def shape(self, tensor: int) -> tuple[int, ...]:
        return self.graph.tensors[tensor].shape

    def is_planes(self, tensor: int) -> bool:
        return tensor in self._planes

    def planes(self, tensor: int) -> str:
        """The tensor as N x C x H x W."""
        if tensor not in self._planes:
            self._planes[tensor] = self.node("Transpose", [self.plain(tensor)], perm=[0, 3, 1, 2])
        return self._planes[tensor]

    def plain(self, tensor: int) -> str:
        """The tensor as tflite has it."""
        if tensor not in self._plain:
            if self.graph.tensors[tensor].value is not None:
                self._plain[tensor] = self.floats(self.value(tensor))
            else:
                self._plain[tensor] = self.node("Transpose", [self._planes[tensor]], perm=[0, 2, 3, 1])
        return self._plain[tensor]

    def set_planes(self, operator: Operator, value: str) -> None:
        self._planes[operator.outputs[0]] = value

    def set_plain(self, operator: Operator, value: str) -> None:
        self._plain[operator.outputs[0]] = value

    def finish(self, name: str, outputs: Outputs) -> onnx.ModelProto:
        """The checked model."""
        for output, (value, _) in outputs.items():
            self._nodes.node("Identity", [value], output)
        answered = [_tensor(output, shape) for output, (_, shape) in outputs.items()]
        asked = [_tensor("input", self.shape(self.graph.inputs[0])[1:])]
        constants = list(self._nodes.constants.values())
        whole = helper.make_graph(self._nodes.nodes, name, asked, answered, constants)
        model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="enhance")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        return model


def _tensor(name: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape])
