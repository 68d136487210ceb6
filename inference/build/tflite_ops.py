"""What each builtin operator of tflite is in ONNX."""

from collections.abc import Callable

import numpy as np

from .tflite_file import Array, Operator
from .tflite_graph import Writer

PADDING_SAME = 0
RELU, RELU6 = 1, 3


def _convolution(writer: Writer, operator: Operator) -> None:
    kernel = writer.value(operator.inputs[1]).transpose(0, 3, 1, 2)  # tflite: output, height, width, input
    _convolve(writer, operator, kernel, groups=1)


def _depthwise(writer: Writer, operator: Operator) -> None:
    if operator.settings["DepthMultiplier"] != 1:
        raise ValueError(f"no rule for a depth multiplier of {operator.settings['DepthMultiplier']}")
    kernel = writer.value(operator.inputs[1]).transpose(3, 0, 1, 2)  # tflite: 1, height, width, channel
    _convolve(writer, operator, kernel, groups=len(kernel))


def _convolve(writer: Writer, operator: Operator, kernel: Array, groups: int) -> None:
    inputs = [writer.planes(operator.inputs[0]), writer.floats(kernel)]
    if len(operator.inputs) > 2 and operator.inputs[2] >= 0:
        inputs.append(writer.floats(writer.value(operator.inputs[2])))
    height, width = kernel.shape[2:]
    dilations = (operator.settings["DilationHFactor"], operator.settings["DilationWFactor"])
    pads, strides = _window(writer, operator, (height, width), dilations)
    value = writer.node("Conv", inputs, pads=pads, strides=strides, dilations=dilations, group=groups)
    writer.set_planes(operator, _activated(writer, operator, value))


def _max_pool(writer: Writer, operator: Operator) -> None:
    size = (operator.settings["FilterHeight"], operator.settings["FilterWidth"])
    pads, strides = _window(writer, operator, size, (1, 1))
    value = writer.node("MaxPool", [writer.planes(operator.inputs[0])], kernel_shape=size, pads=pads, strides=strides)
    writer.set_planes(operator, _activated(writer, operator, value))


def _window(
    writer: Writer, operator: Operator, size: tuple[int, int], dilations: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """ONNX's pads and strides. SAME puts the odd pixel of padding behind, and depends on the size of the input."""
    strides = [operator.settings["StrideH"], operator.settings["StrideW"]]
    before, after = [0, 0], [0, 0]
    if operator.settings["Padding"] == PADDING_SAME:
        read, written = writer.shape(operator.inputs[0])[1:3], writer.shape(operator.outputs[0])[1:3]
        for axis in (0, 1):
            needed = (written[axis] - 1) * strides[axis] + (size[axis] - 1) * dilations[axis] + 1
            missing = max(needed - read[axis], 0)
            before[axis], after[axis] = missing // 2, missing - missing // 2
    return before + after, strides


def _prelu(writer: Writer, operator: Operator) -> None:
    slope = writer.value(operator.inputs[1]).reshape(-1, 1, 1)
    writer.set_planes(operator, writer.node("PRelu", [writer.planes(operator.inputs[0]), writer.floats(slope)]))


def _relu(writer: Writer, operator: Operator) -> None:
    writer.set_planes(operator, writer.node("Relu", [writer.planes(operator.inputs[0])]))


def _add(writer: Writer, operator: Operator) -> None:
    _arithmetic(writer, operator, "Add")


def _multiply(writer: Writer, operator: Operator) -> None:
    _arithmetic(writer, operator, "Mul")


def _arithmetic(writer: Writer, operator: Operator, name: str) -> None:
    if all(writer.is_planes(tensor) for tensor in operator.inputs):
        value = writer.node(name, [writer.planes(tensor) for tensor in operator.inputs])
        writer.set_planes(operator, _activated(writer, operator, value))
    else:
        value = writer.node(name, [writer.plain(tensor) for tensor in operator.inputs])
        writer.set_plain(operator, _activated(writer, operator, value))


def _pad(writer: Writer, operator: Operator) -> None:
    rows = writer.value(operator.inputs[1])[[0, 3, 1, 2]]  # before and after, for each axis
    pads = writer.whole(np.concatenate([rows[:, 0], rows[:, 1]]))
    writer.set_planes(operator, writer.node("Pad", [writer.planes(operator.inputs[0]), pads]))


def _resize(writer: Writer, operator: Operator) -> None:
    if operator.settings["AlignCorners"] or not operator.settings["HalfPixelCenters"]:
        raise ValueError(f"no rule for this way to resize: {operator.settings}")
    read, written = writer.shape(operator.inputs[0])[1:3], writer.shape(operator.outputs[0])[1:3]
    scales = writer.floats([1, 1, written[0] / read[0], written[1] / read[1]])
    how = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    writer.set_planes(operator, writer.node("Resize", [writer.planes(operator.inputs[0]), "", scales], **how))


def _depth_to_space(writer: Writer, operator: Operator) -> None:
    source, size = writer.planes(operator.inputs[0]), operator.settings["BlockSize"]
    writer.set_planes(operator, writer.node("DepthToSpace", [source], blocksize=size, mode="DCR"))


def _reshape(writer: Writer, operator: Operator) -> None:
    shape = writer.whole([-1, *writer.shape(operator.outputs[0])[1:]])
    writer.set_plain(operator, writer.node("Reshape", [writer.plain(operator.inputs[0]), shape]))


def _concatenate(writer: Writer, operator: Operator) -> None:
    parts = [writer.plain(tensor) for tensor in operator.inputs]
    value = writer.node("Concat", parts, axis=operator.settings["Axis"])
    writer.set_plain(operator, _activated(writer, operator, value))


def _strided_slice(writer: Writer, operator: Operator) -> None:
    begin, end, strides = (writer.value(tensor).tolist() for tensor in operator.inputs[1:])
    shape = list(writer.shape(operator.inputs[0]))
    if any(begin) or end != shape or set(strides) != {1} or any(operator.settings.values()):
        raise ValueError(f"no rule for a slice that is not the whole: {begin}..{end} of {shape}")
    writer.set_plain(operator, writer.plain(operator.inputs[0]))


def _activated(writer: Writer, operator: Operator, value: str) -> str:
    activation = operator.settings["FusedActivationFunction"]
    if activation == 0:
        return value
    if activation == RELU:
        return writer.node("Relu", [value])
    if activation == RELU6:
        return writer.node("Clip", [value, writer.floats(0), writer.floats(6)])
    raise ValueError(f"no rule for activation {activation} ({operator.kind})")


OPERATORS: dict[str, Callable[[Writer, Operator], None]] = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "MAX_POOL_2D": _max_pool,
    "PRELU": _prelu,
    "RELU": _relu,
    "ADD": _add,
    "MUL": _multiply,
    "PAD": _pad,
    "RESIZE_BILINEAR": _resize,
    "DEPTH_TO_SPACE": _depth_to_space,
    "RESHAPE": _reshape,
    "CONCATENATION": _concatenate,
    "STRIDED_SLICE": _strided_slice,
}
