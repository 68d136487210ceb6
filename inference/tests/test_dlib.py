"""dlib's face recognition network as it was translated."""

import struct
from pathlib import Path

import numpy as np
import onnx
import pytest
from inference.build.dlib_file import read_parameters
from inference.build.likeness import to_onnx


def integer(value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "little")


def layer(name: str, values: list[float], before: tuple[int, ...] = (), version: int = 2) -> bytes:
    sizes = b"".join(integer(size) for size in (version, len(values), 1, 1, 1))
    text = bytes([1, len(name)]) + name.encode()
    return text + b"".join(integer(each) for each in before) + sizes + struct.pack(f"<{len(values)}f", *values)


def test_parameters_come_in_the_order_of_the_layers_whatever_lies_between() -> None:
    data = (
        b"loss\x01\x05relu_" + layer("con_4", [1, 2, 3]) + b"more" + layer("affine_", [4, 5]) + layer("fc_2", [6], (128, 256))
    )
    found = [(kind, values.tolist()) for kind, values in read_parameters(data)]
    assert found == [("con", [1, 2, 3]), ("affine", [4, 5]), ("fc", [6])]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"nothing at all", "without layers"),
        (layer("con_4", [1, 2, 3])[:-1], "expected 12 bytes of a dlib tensor, got 11"),
        (layer("con_4", [1], version=1), "of version 2, got 1"),
        (layer("con_4", [1])[:9], "expected more of a dlib file"),
    ],
)
def test_what_is_no_network_of_dlib_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_parameters(data)


def test_another_network_is_refused_by_its_first_layer_that_differs() -> None:
    with pytest.raises(ValueError, match="expected a layer con of 4736 parameters, got con of 3"):
        to_onnx("face_likeness", layer("con_4", [1, 2, 3]))


def test_the_network_has_29_convolutions_and_halves_what_dlib_halves(weights: Path) -> None:
    model = onnx.load(weights / "face_likeness.onnx")
    kinds = [node.op_type for node in model.graph.node]
    assert (kinds.count("Conv"), kinds.count("AveragePool"), kinds.count("MatMul")) == (29, 4, 1)
    inferred = onnx.shape_inference.infer_shapes(model)
    (pooled,) = [node.input[0] for node in model.graph.node if node.op_type == "GlobalAveragePool"]
    (shape,) = [value.type.tensor_type.shape for value in inferred.graph.value_info if value.name == pooled]
    assert [dim.dim_value for dim in shape.dim][1:] == [256, 2, 2]
    assert all(np.isfinite(onnx.numpy_helper.to_array(each)).all() for each in model.graph.initializer)
