"""Convolutions of 8 bits, as ONNX's QuantizeLinear and DequantizeLinear say it: OpenVINO and onnxruntime fuse them."""

from collections.abc import Iterable, Sequence

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from .graph import Graph
from .plain import Weights
from .planes import Plane

Ranges = Sequence[float]  # the largest activation after each ReLU; the least is 0
_SHARE = 99.9  # per cent of the activations that the range holds: finer steps for them cost text less than 0.1 dB


def ranges_of(model: onnx.ModelProto, planes: Iterable[Plane]) -> list[float]:
    """The ranges of a model of floats over these planes: for each ReLU the most that any of them asks for."""
    tapped = onnx.ModelProto()
    tapped.CopyFrom(model)
    names = [node.output[0] for node in model.graph.node if node.op_type == "Relu"]
    tapped.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(tapped.SerializeToString(), providers=["CPUExecutionProvider"])
    seen = [session.run(names, {"luma": plane[None, None]}) for plane in planes]
    return [max(float(np.percentile(each, _SHARE)) for each in layer) for layer in zip(*seen, strict=True)]


def quantised(graph: Graph, value: str, largest: float, name: str) -> str:
    """Activations of 0 to `largest` in 256 levels."""
    scale, zero = graph.constant(f"{name}_scale", np.float32(largest / 255)), graph.constant(f"{name}_zero", np.uint8(0))
    whole = graph.node("QuantizeLinear", [value, scale, zero], f"{name}_whole")
    return graph.node("DequantizeLinear", [whole, scale, zero], name)


def dequantised(graph: Graph, kernel: Weights, name: str) -> str:
    """A kernel of 8 bits, with a scale for each output channel."""
    scale = np.maximum(np.abs(kernel).max((1, 2, 3)), 1e-9) / 127
    whole = np.rint(kernel / scale[:, None, None, None]).astype(np.int8)
    constants = [
        graph.constant(f"{name}_whole", whole),
        graph.constant(f"{name}_scale", scale.astype(np.float32)),
        graph.constant(f"{name}_zero", np.zeros(len(kernel), np.int8)),
    ]
    return graph.node("DequantizeLinear", constants, name, axis=0)
