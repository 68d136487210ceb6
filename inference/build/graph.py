"""ncnn layers -> an ONNX model (opset 17) with a dynamic batch, height and width.

Input `input` and output `output`: N x 3 x H x W float32, RGB in 0..1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from .ncnn import Floats, Layer

OPSET = 17
IR_VERSION = 9  # the newest that the runtimes of Triton 24.10's time read
RELU, LEAKY_RELU, SIGMOID = 1, 2, 4


class Graph:
    """Nodes and constants while they are collected. `read` follows ncnn's Split, which only gives a blob more names."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._aliases: dict[str, str] = {}

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, [self.read(name) for name in inputs], [output], **attributes))
        return output

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def alias(self, name: str, source: str) -> None:
        self._aliases[name] = self.read(source)

    def read(self, name: str) -> str:
        return self._aliases.get(name, name)


def to_onnx(name: str, layers: list[Layer]) -> onnx.ModelProto:
    """The checked ONNX model of a network.

    Raises ValueError for a layer, or a setting of one, that no shipped network has.
    """
    graph = Graph()
    for layer in layers:
        emit = EMITTERS.get(layer.kind)
        if emit is None:
            raise ValueError(f"no rule for the ncnn layer {layer.kind} ({layer.name})")
        emit(graph, layer)
    last = layers[-1].outputs[0]
    if last != "output":
        graph.node("Identity", [last], "output")
    return _finish(name, graph)


def _finish(name: str, graph: Graph) -> onnx.ModelProto:
    def tensor(name: str, height: str, width: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 3, height, width])

    whole = helper.make_graph(
        graph.nodes, name, [tensor("input", "h", "w")], [tensor("output", "oh", "ow")], list(graph.constants.values())
    )
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="enhance")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


def _input(graph: Graph, layer: Layer) -> None:
    graph.alias(layer.outputs[0], "input")


def _split(graph: Graph, layer: Layer) -> None:
    for output in layer.outputs:
        graph.alias(output, layer.inputs[0])


def _convolution(graph: Graph, layer: Layer) -> None:
    pad, stride = layer.whole(4), layer.whole(3, 1)
    strides = {} if stride == 1 else {"strides": [stride, stride]}
    _convolve(graph, layer, "Conv", layer.weights["kernel"], pads=[pad] * 4, **strides)


def _deconvolution(graph: Graph, layer: Layer) -> None:
    # ncnn keeps output x input x k x k, ONNX wants input x output x k x k.
    kernel = layer.weights["kernel"].transpose(1, 0, 2, 3)
    pad, stride = layer.whole(4), layer.whole(3, 1)
    _convolve(graph, layer, "ConvTranspose", kernel, pads=[pad] * 4, strides=[stride, stride])


def _convolve(graph: Graph, layer: Layer, operator: str, kernel: Floats, **attributes: Any) -> None:
    inputs = [layer.inputs[0], graph.constant(f"{layer.name}.kernel", kernel)]
    if "bias" in layer.weights:
        inputs.append(graph.constant(f"{layer.name}.bias", layer.weights["bias"]))
    activation = layer.whole(9)
    output = layer.outputs[0]
    if activation == 0:
        graph.node(operator, inputs, output, **attributes)
        return
    linear = graph.node(operator, inputs, f"{output}.linear", **attributes)
    if activation == RELU:
        graph.node("Relu", [linear], output)
    elif activation == LEAKY_RELU:
        graph.node("LeakyRelu", [linear], output, alpha=layer.arrays[10][0])
    elif activation == SIGMOID:
        graph.node("Sigmoid", [linear], output)
    else:
        raise ValueError(f"no rule for activation {activation} ({layer.name})")


def _prelu(graph: Graph, layer: Layer) -> None:
    slope = layer.weights["slope"].reshape(-1, 1, 1)
    graph.node("PRelu", [layer.inputs[0], graph.constant(f"{layer.name}.slope", slope)], layer.outputs[0])


def _pixel_shuffle(graph: Graph, layer: Layer) -> None:
    graph.node("DepthToSpace", [layer.inputs[0]], layer.outputs[0], blocksize=layer.whole(0), mode="CRD")


def _interpolate(graph: Graph, layer: Layer) -> None:
    mode, scale = layer.whole(0), layer.values[1]
    if mode == 1 and scale == int(scale):
        scales = graph.constant(f"{layer.name}.scales", np.array([1, 1, scale, scale], np.float32))
        attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        graph.node("Resize", [layer.inputs[0], "", scales], layer.outputs[0], **attributes)
    elif mode == 3 and scale == 0.5:
        _bicubic_half(graph, layer)
    elif mode == 3:
        scales = graph.constant(f"{layer.name}.scales", np.array([1, 1, scale, scale], np.float32))
        graph.node("Resize", [layer.inputs[0], "", scales], layer.outputs[0], mode="cubic", cubic_coeff_a=-0.75)
    else:
        raise ValueError(f"no rule for interpolation {mode} by {scale} ({layer.name})")


def _bicubic_half(graph: Graph, layer: Layer) -> None:
    """ncnn's cubic (a = -0.75) halfway between pixels is one fixed kernel: a convolution is faster than Resize."""
    taps = np.array([-0.09375, 0.59375, 0.59375, -0.09375], np.float32)
    kernel = graph.constant(f"{layer.name}.kernel", np.broadcast_to(np.outer(taps, taps), (3, 1, 4, 4)))
    pads = graph.constant(f"{layer.name}.pads", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
    padded = graph.node("Pad", [layer.inputs[0], pads], f"{layer.outputs[0]}.padded", mode="edge")
    graph.node("Conv", [padded, kernel], layer.outputs[0], strides=[2, 2], group=3)


def _concat(graph: Graph, layer: Layer) -> None:
    graph.node("Concat", list(layer.inputs), layer.outputs[0], axis=1)


def _binary(graph: Graph, layer: Layer) -> None:
    if layer.whole(0) != 0:
        raise ValueError(f"no rule for binary operation {layer.whole(0)} ({layer.name})")
    graph.node("Add", list(layer.inputs), layer.outputs[0])


def _sum(graph: Graph, layer: Layer) -> None:
    """first * factor + second, where the layer has factors, else first + second."""
    first, second = layer.arrays.get(1, (1.0, 1.0))
    if layer.whole(0) != 1 or second != 1:
        raise ValueError(f"no rule for this element-wise operation ({layer.name})")
    added = layer.inputs[0]
    if first != 1:
        factor = graph.constant(f"{layer.name}.factor", np.array(first, np.float32))
        added = graph.node("Mul", [added, factor], f"{layer.outputs[0]}.scaled")
    graph.node("Add", [added, layer.inputs[1]], layer.outputs[0])


def _mean_of_all(graph: Graph, layer: Layer) -> None:
    if (layer.whole(0), layer.whole(4)) != (1, 1):
        raise ValueError(f"no rule for pooling other than the mean of the whole ({layer.name})")
    graph.node("GlobalAveragePool", [layer.inputs[0]], layer.outputs[0])


def _inner_product(graph: Graph, layer: Layer) -> None:
    """Of a picture of one pixel, which is a convolution of 1x1."""
    _convolve(graph, layer, "Conv", layer.weights["kernel"])


def _scale(graph: Graph, layer: Layer) -> None:
    if len(layer.inputs) != 2:
        raise ValueError(f"no rule for a scale by constants ({layer.name})")
    graph.node("Mul", list(layer.inputs), layer.outputs[0])


def _crop(graph: Graph, layer: Layer) -> None:
    """The first input, cut to the size of the second from an offset on."""
    name = layer.outputs[0]
    starts = graph.constant(f"{name}.starts", np.array([layer.whole(1), layer.whole(0)], np.int64))
    axes = graph.constant(f"{name}.axes", np.array([2, 3], np.int64))
    size = graph.node("Shape", [layer.inputs[1]], f"{name}.size", start=2, end=4)
    ends = graph.node("Add", [size, starts], f"{name}.ends")
    graph.node("Slice", [layer.inputs[0], starts, ends, axes], name)


EMITTERS: dict[str, Callable[[Graph, Layer], None]] = {
    "Input": _input,
    "Split": _split,
    "Convolution": _convolution,
    "Deconvolution": _deconvolution,
    "PReLU": _prelu,
    "PixelShuffle": _pixel_shuffle,
    "Interp": _interpolate,
    "Concat": _concat,
    "BinaryOp": _binary,
    "Eltwise": _sum,
    "Pooling": _mean_of_all,
    "InnerProduct": _inner_product,
    "Scale": _scale,
    "Crop": _crop,
}
