"""Reads a .tflite file (schema of TensorFlow Lite, by the `tflite` package) into plain values, its constants decoded.

Constants come as the arrays that the operators mean: half floats widened (DEQUANTIZE) and sparse ones filled in (DENSIFY),
so neither operator is left in the list.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite
from flatbuffers import flexbuffers

from .tflite_sparse import densify

Array = npt.NDArray[Any]

IDENTIFIER = b"TFL3"
TYPES = {
    tflite.TensorType.FLOAT32: np.float32,
    tflite.TensorType.FLOAT16: np.float16,
    tflite.TensorType.INT32: np.int32,
    tflite.TensorType.INT64: np.int64,
}
KINDS = {code: kind for kind, code in vars(tflite.BuiltinOperator).items() if isinstance(code, int)}
# Which settings an operator has; one that is not listed here has none that a shipped network sets.
CONVOLUTION = ("Padding", "StrideH", "StrideW", "DilationHFactor", "DilationWFactor", "FusedActivationFunction")
SETTINGS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "CONV_2D": (tflite.Conv2DOptions, CONVOLUTION),
    "DEPTHWISE_CONV_2D": (tflite.DepthwiseConv2DOptions, (*CONVOLUTION, "DepthMultiplier")),
    "MAX_POOL_2D": (
        tflite.Pool2DOptions,
        ("Padding", "StrideH", "StrideW", "FilterHeight", "FilterWidth", "FusedActivationFunction"),
    ),
    "ADD": (tflite.AddOptions, ("FusedActivationFunction",)),
    "MUL": (tflite.MulOptions, ("FusedActivationFunction",)),
    "RESIZE_BILINEAR": (tflite.ResizeBilinearOptions, ("AlignCorners", "HalfPixelCenters")),
    "DEPTH_TO_SPACE": (tflite.DepthToSpaceOptions, ("BlockSize",)),
    "CONCATENATION": (tflite.ConcatenationOptions, ("Axis", "FusedActivationFunction")),
    "STRIDED_SLICE": (
        tflite.StridedSliceOptions,
        ("BeginMask", "EndMask", "EllipsisMask", "NewAxisMask", "ShrinkAxisMask"),
    ),
}


@dataclass(frozen=True)
class Tensor:
    """A value of the graph; `value` is there when it is a constant."""

    name: str
    shape: tuple[int, ...]
    value: Array | None = None


@dataclass(frozen=True)
class Operator:
    """One step: tensors by number. `kind` of a custom operator is its own name. `settings` by the schema's names."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    settings: dict[str, Any]


@dataclass(frozen=True)
class Graph:
    tensors: list[Tensor]
    operators: list[Operator]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read_graph(data: bytes) -> Graph:
    """The one graph of a .tflite file.

    Raises ValueError when the file is not one, or has several graphs or a type of constant that no shipped network has.
    """
    if data[4:8] != IDENTIFIER:
        raise ValueError(f"not a tflite file: expected {IDENTIFIER!r} at byte 4, found {data[4:8]!r}")
    model = tflite.Model.GetRootAsModel(data, 0)
    if model.SubgraphsLength() != 1:
        raise ValueError(f"expected one graph, found {model.SubgraphsLength()}")
    graph = model.Subgraphs(0)
    tensors = [_tensor(model, graph.Tensors(index)) for index in range(graph.TensorsLength())]
    operators = [_operator(model, graph.Operators(index)) for index in range(graph.OperatorsLength())]
    left = [operator for operator in operators if not _decoded(operator, tensors)]
    return Graph(tensors, left, _numbers(graph.InputsAsNumpy()), _numbers(graph.OutputsAsNumpy()))


def _tensor(model: Any, tensor: Any) -> Tensor:
    name = tensor.Name().decode()
    shape = _numbers(tensor.ShapeAsNumpy()) if tensor.ShapeLength() else ()
    buffer = model.Buffers(tensor.Buffer())
    if not buffer.DataLength():
        return Tensor(name, shape)
    if tensor.Type() not in TYPES:
        raise ValueError(f"no rule for a constant of type {tensor.Type()} ({name})")
    flat = np.frombuffer(buffer.DataAsNumpy().tobytes(), TYPES[tensor.Type()])
    sparsity = tensor.Sparsity()
    return Tensor(name, shape, densify(sparsity, shape, flat) if sparsity else flat.reshape(shape))


def _operator(model: Any, operator: Any) -> Operator:
    code = model.OperatorCodes(operator.OpcodeIndex())
    # Codes below 127 are in the old one-byte field as well; newer ones only in the new field.
    kind = KINDS[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
    settings: dict[str, Any] = {}
    if kind == "CUSTOM":
        kind = code.CustomCode().decode()
        if operator.CustomOptionsLength():
            settings = flexbuffers.Loads(operator.CustomOptionsAsNumpy().tobytes())
    elif kind in SETTINGS:
        table, names = SETTINGS[kind]
        options, where = table(), operator.BuiltinOptions()
        options.Init(where.Bytes, where.Pos)
        settings = {name: getattr(options, name)() for name in names}
    return Operator(kind, _numbers(operator.InputsAsNumpy()), _numbers(operator.OutputsAsNumpy()), settings)


def _decoded(operator: Operator, tensors: list[Tensor]) -> bool:
    """Whether the operator only decodes a constant; if so its result is now a constant itself."""
    value = tensors[operator.inputs[0]].value
    if operator.kind not in ("DEQUANTIZE", "DENSIFY") or value is None:
        return False
    result = operator.outputs[0]
    tensors[result] = Tensor(tensors[result].name, tensors[result].shape, value.astype(np.float32))
    return True


def _numbers(values: Any) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
