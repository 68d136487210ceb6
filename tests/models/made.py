"""usage: python made.py KIND FILE.onnx: a small network that enlarges a picture by repeating pixels, right or wrong in one way."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

kind, file = sys.argv[1:]
factor = 2
weight = np.diag({"nan": [1.0, np.nan, 1.0], "constant": [0.0] * 3}.get(kind, [1.0] * 3))
if kind == "swapped":
    weight = weight[::-1]
kernel = np.zeros((3, 3, 1, 1), np.float32)
kernel[:, :, 0, 0] = weight
constants = [
    numpy_helper.from_array(kernel, "kernel"),
    numpy_helper.from_array(np.array([1, 1, factor, factor], np.float32), "scales"),
]
nodes = [
    helper.make_node("Conv", ["input", "kernel"], ["mixed"]),
    helper.make_node(
        "Resize",
        ["mixed", "", "scales"],
        ["output"],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
]
sides = [64, 64] if kind == "fixed-size" else ["h", "w"]
graph = helper.make_graph(
    nodes,
    "made",
    [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, *sides])],
    [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 3, None, None])],
    constants,
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)
