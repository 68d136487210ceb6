"""Plain kernels as ONNX: `luma` [1, 1, H, W] of a frame in, `enlarged` [1, 1, 2H, 2W] out, any H and W of 7 pixels or more.

Planes of bytes, or of 16-bit words with one more input, `unit`: how many of their levels make one of 8 bits (4 for 10 bits).
Beyond its edges the graph mirrors the frame, and it rounds what it returns: the caller only moves bytes. Both cost 1 ms of 18
for 640 x 360.
"""

from typing import Literal

import numpy as np
import onnx
from onnx import TensorProto, helper

from .graph import Graph
from .plain import BORDER, Plain, Weights
from .quantise import Ranges, dequantised, quantised

Depth = Literal[8, 16]
_TYPES = {8: TensorProto.UINT8, 16: TensorProto.UINT16}
_ANCHORED = BORDER - 2  # pixels of the border that the anchor, 5 x 5, does not look at


def export(plain: Plain, depth: Depth, notes: dict[str, str], ranges: Ranges | None = None) -> onnx.ModelProto:
    """The model. ranges: of the activations, for convolutions of 8 bits; None for floats."""
    graph = Graph()
    type_ = _TYPES[depth]
    given = [helper.make_tensor_value_info("luma", type_, [1, 1, "height", "width"])]
    made = [helper.make_tensor_value_info("enlarged", type_, [1, 1, "height_2", "width_2"])]
    if depth == 16:
        given.append(helper.make_tensor_value_info("unit", TensorProto.FLOAT, []))
    luma = _read(graph, depth)
    enlarged = graph.node("Add", [_residual(graph, plain, luma, ranges), _anchor(graph, plain.anchor, luma)], "cells")
    _write(graph, graph.node("DepthToSpace", [enlarged], "plane", blocksize=2), depth)
    return graph.model(given, made, notes)


def _read(graph: Graph, depth: Depth) -> str:
    """The plane as floats of 0 to 255, and its mirror image round it."""
    levels = graph.node("Cast", ["luma"], "levels", to=TensorProto.FLOAT)
    if depth == 16:
        levels = graph.node("Div", [levels, "unit"], "levels_of_8_bits")
    border = graph.constant("border", np.array([0, 0, BORDER, BORDER] * 2))
    return graph.node("Pad", [levels, border], "mirrored", mode="reflect")


def _residual(graph: Graph, plain: Plain, luma: str, ranges: Ranges | None) -> str:
    hidden = luma
    for number, (kernel, bias) in enumerate(plain.layers):
        # The first convolution stays in floats: its input is the picture itself.
        small = ranges is not None and number > 0
        if ranges is not None and number > 0:
            hidden = quantised(graph, hidden, ranges[number - 1], f"hidden_{number}")
        name = f"kernel_{number}"
        weights = dequantised(graph, kernel, name) if small else graph.constant(name, kernel)
        hidden = graph.node("Conv", [hidden, weights, graph.constant(f"bias_{number}", bias)], f"conv_{number}")
        if number < len(plain.layers) - 1:
            hidden = graph.node("Relu", [hidden], f"relu_{number}")
    return hidden


def _anchor(graph: Graph, anchor: Weights, luma: str) -> str:
    ends = [graph.constant("from", np.array([_ANCHORED] * 2)), graph.constant("to", np.array([-_ANCHORED] * 2))]
    seen = graph.node("Slice", [luma, *ends, graph.constant("axes", np.array([2, 3]))], "seen_by_anchor")
    return graph.node("Conv", [seen, graph.constant("anchor", anchor)], "linear")


def _write(graph: Graph, plane: str, depth: Depth) -> None:
    if depth == 8:
        most = graph.constant("most", np.float32(255))
    else:
        plane = graph.node("Mul", [plane, "unit"], "plane_of_16_bits")
        levels = graph.node("Mul", [graph.constant("levels_of_8_bits_in_all", np.float32(256)), "unit"], "levels_in_all")
        most = graph.node("Sub", [levels, graph.constant("one", np.float32(1))], "most")
    within = graph.node("Clip", [plane, graph.constant("least", np.float32(0)), most], "within")
    graph.node("Cast", [graph.node("Round", [within], "whole")], "enlarged", to=_TYPES[depth])
