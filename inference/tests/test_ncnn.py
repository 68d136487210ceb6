"""The reader of ncnn's files."""

import struct

import numpy as np
import pytest
from inference.build.graph import to_onnx
from inference.build.ncnn import MAGIC, TAG_FLOAT16, read_graph, read_network

GRAPH = f"""{MAGIC}
3 3
Input                    data                     0 1 data
Convolution              first                    1 1 data middle 0=1 1=1 5=1 6=3 9=2 -23310=1,0.25
PReLU                    second                   1 1 middle output 0=1
"""
KERNEL = np.array([0.5, -1.0, 2.0], np.float16)
WEIGHTS = struct.pack("<I", TAG_FLOAT16) + KERNEL.tobytes() + b"\0\0" + struct.pack("<f", 0.125) + struct.pack("<f", 1.5)


def test_a_graph_is_read_with_its_values_arrays_and_names() -> None:
    _, convolution, prelu = read_graph(GRAPH)
    assert (convolution.kind, convolution.inputs, convolution.outputs) == ("Convolution", ("data",), ("middle",))
    assert convolution.whole(6) == 3
    assert convolution.whole(77, default=5) == 5
    assert convolution.arrays == {10: (0.25,)}
    assert prelu.name == "second"


def test_half_floats_are_padded_to_four_bytes_and_biases_are_not_tagged() -> None:
    _, convolution, prelu = read_network(GRAPH, WEIGHTS)
    assert convolution.weights["kernel"].ravel().tolist() == [0.5, -1.0, 2.0]
    assert convolution.weights["kernel"].shape == (1, 3, 1, 1)
    assert convolution.weights["bias"].tolist() == [0.125]
    assert prelu.weights["slope"].tolist() == [1.5]


@pytest.mark.parametrize(
    ("graph", "weights", "says"),
    [
        (GRAPH, WEIGHTS[:-1], "the weights end at byte 19"),
        (GRAPH, WEIGHTS + b"\0", "1 bytes more than the graph reads"),
        (GRAPH, b"\1" + WEIGHTS[1:], "unknown weight format"),
        (GRAPH.replace("3 3\n", "4 3\n"), WEIGHTS, "declares 4 layers and has 3"),
        ("not a graph", WEIGHTS, "not an ncnn graph"),
        ("", b"", "not an ncnn graph"),
    ],
)
def test_a_damaged_file_is_refused(graph: str, weights: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_network(graph, weights)


def test_an_unknown_layer_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no rule for the ncnn layer Softmax"):
        to_onnx("x", read_network(GRAPH.replace("PReLU ", "Softmax "), WEIGHTS[:-4]))
