"""An ONNX file while it is written: every shape is known and checked, and weights go straight to a file beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from .torch_file import BadWeightsError

Array = npt.NDArray[Any]

OPSET = 17
IR_VERSION = 9  # as build/graph.py: the newest that the runtimes of Triton 24.10's time read
PAGE = 4096
"""Bytes of which an offset in the file of weights is a multiple, so that runtimes can map it."""
INLINE = 1024
"""Bytes below which a constant stays in the graph, where shape inference needs it."""


@dataclass(frozen=True)
class Value:
    """A tensor between nodes: its name and shape."""

    name: str
    shape: tuple[int, ...]


class Network:
    """Nodes in memory, weights in `<file>.data`: ONNX itself ends at 2 GB, and the published network has 3.4 GB."""

    def __init__(self, path: Path, weights: Mapping[str, Array]) -> None:
        self._path, self._weights = path, weights
        self._unused = set(weights)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._data = path.with_name(f"{path.name}.data").open("wb")

    def __enter__(self) -> "Network":
        return self

    def __exit__(self, *_: object) -> None:
        self._data.close()

    def input(self, name: str, *shape: int) -> Value:
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return Value(name, shape)

    def output(self, name: str, value: Value) -> None:
        self._nodes.append(helper.make_node("Identity", [value.name], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape))

    def node(self, operator: str, inputs: list[Value], shape: tuple[int, ...], **attributes: Any) -> Value:
        """The first output of a new node, with the shape that it is to have: save() compares it with ONNX's own."""
        name = f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, [value.name for value in inputs], [name], **attributes))
        return Value(name, shape)

    def stored(self, name: str, *shape: int) -> Array:
        """The weights of that name. Raises BadWeightsError where there are none, or of another shape."""
        if name not in self._weights:
            raise BadWeightsError(f"expected weights {name} {list(shape)}, found none")
        values = self._weights[name]
        if values.shape != shape:
            raise BadWeightsError(f"expected weights {name} {list(shape)}, got {list(values.shape)}")
        if not np.isfinite(values).all():
            raise BadWeightsError(f"expected finite numbers in {name}, got NaN or infinity")
        self._unused.discard(name)
        return values

    def weight(self, name: str, *shape: int) -> Value:
        return self.constant(self.stored(name, *shape))

    def constant(self, values: Array) -> Value:
        name = f"c{len(self._constants)}"
        values = np.ascontiguousarray(values)
        if values.nbytes < INLINE:
            self._constants.append(numpy_helper.from_array(values, name))
        else:
            self._constants.append(self._beside(name, values))
        return Value(name, values.shape)

    def _beside(self, name: str, values: Array) -> onnx.TensorProto:
        self._data.write(b"\0" * (-self._data.tell() % PAGE))
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=values.shape, data_location=TensorProto.EXTERNAL)
        where = {"location": f"{self._path.name}.data", "offset": self._data.tell(), "length": values.nbytes}
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        self._data.write(values.astype("<f4", copy=False).tobytes())
        return tensor

    def save(self, but: tuple[str, ...] = ()) -> None:
        """Writes and checks the file. Raises BadWeightsError for weights that no node uses and no start in `but` excuses."""
        left = sorted(name for name in self._unused if not name.startswith(but))
        if left:
            raise BadWeightsError(f"expected no further weights, got {len(left)}, such as {left[0]}")
        self._data.close()
        graph = helper.make_graph(self._nodes, self._path.stem, self._inputs, self._outputs, self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="enhance")
        model.ir_version = IR_VERSION
        self._path.write_bytes(model.SerializeToString(deterministic=True))
        onnx.checker.check_model(str(self._path), full_check=True)

    # What the networks here have in common.

    def reshape(self, x: Value, *shape: int) -> Value:
        assert prod(x.shape) == prod(shape), (x, shape)
        return self.node("Reshape", [x, self.constant(np.array(shape, np.int64))], shape)

    def transpose(self, x: Value, *order: int) -> Value:
        return self.node("Transpose", [x], tuple(x.shape[axis] for axis in order), perm=order)

    def add(self, x: Value, y: Value) -> Value:
        return self.node("Add", [x, y], tuple(np.broadcast_shapes(x.shape, y.shape)))

    def multiply(self, x: Value, y: Value) -> Value:
        return self.node("Mul", [x, y], tuple(np.broadcast_shapes(x.shape, y.shape)))

    def matmul(self, x: Value, y: Value) -> Value:
        return self.node("MatMul", [x, y], (*x.shape[:-1], y.shape[-1]))

    def scaled(self, x: Value, factor: float) -> Value:
        return self.multiply(x, self.constant(np.array(factor, np.float32)))

    def linear(self, x: Value, name: str, outputs: int, bias: bool = True) -> Value:
        """torch.nn.Linear over the last axis."""
        product = self.matmul(x, self.constant(self.stored(f"{name}.weight", outputs, x.shape[-1]).T))
        return self.add(product, self.weight(f"{name}.bias", outputs)) if bias else product

    def layer_norm(self, x: Value, name: str) -> Value:
        """torch.nn.LayerNorm over the last axis."""
        size = x.shape[-1]
        scale, shift = (self.weight(f"{name}.{part}", size) for part in ("weight", "bias"))
        return self.node("LayerNormalization", [x, scale, shift], x.shape, axis=-1, epsilon=1e-5)

    def gelu(self, x: Value) -> Value:
        """By the error function, as torch computes it."""
        erf = self.node("Erf", [self.scaled(x, 0.5**0.5)], x.shape)
        return self.multiply(self.scaled(x, 0.5), self.add(erf, self.constant(np.array(1, np.float32))))

    def attention(self, query: Value, key: Value, value: Value, heads: int) -> Value:
        """Softmax attention (Vaswani et al. 2017) of 1 x tokens x channels, split into heads."""

        def split(x: Value) -> Value:
            return self.transpose(self.reshape(x, x.shape[0], x.shape[1], heads, x.shape[2] // heads), 0, 2, 1, 3)

        q, k, v = split(query), self.transpose(split(key), 0, 1, 3, 2), split(value)
        scores = self.scaled(self.matmul(q, k), float(q.shape[-1]) ** -0.5)
        shares = self.node("Softmax", [scores], scores.shape, axis=-1)
        mixed = self.transpose(self.matmul(shares, v), 0, 2, 1, 3)
        return self.reshape(mixed, *query.shape)
