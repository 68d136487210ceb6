"""Small ONNX networks for tests, made on the spot: nearest-neighbour enlargement and what is put round it."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Made:
    """An ONNX graph while it grows from "input"; save() ends it."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.last = "input"

    def constant(self, value: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def then(self, operator: str, *more: str, **attributes: Any) -> "Made":
        name = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, [self.last, *more], [name], **attributes))
        self.last = name
        return self

    def times(self, factor: int) -> "Made":
        """Enlarged by repeating each pixel."""
        scales = self.constant(np.array([1, 1, factor, factor], np.float32))
        asymmetric = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.then("Resize", "", scales, mode="nearest", **asymmetric)

    def scaled(self, by: float) -> "Made":
        return self.then("Mul", self.constant(np.float32(by)))

    def cast(self, to: int) -> "Made":
        return self.then("Cast", to=to)

    def valid_mean(self, side: int) -> "Made":
        """Each pixel the mean of side x side of its channel, without padding."""
        kernel = np.zeros((3, 3, side, side), np.float32)
        kernel[range(3), range(3)] = 1 / side**2
        return self.then("Conv", self.constant(kernel))

    def save(self, path: Path, kinds: tuple[int, int] = (TensorProto.FLOAT,) * 2, sides: tuple[Any, Any] = ("h", "w")) -> Path:
        graph = helper.make_graph(
            self.nodes,
            "made",
            [helper.make_tensor_value_info("input", kinds[0], [1, 3, *sides])],
            [helper.make_tensor_value_info(self.last, kinds[1], [1, 3, None, None])],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.save(model, str(path))
        return path
