"""dlib's face recognition network (a ResNet of 29 convolutions, King 2017) as ONNX.

Input `input`: N x 3 x 150 x 150 float32, RGB 0..255 of a face cut out as dlib's get_face_chip does. Output `output`: N x 128;
faces of one person lie less than about 0.6 apart. The layers are those of dlib/examples/dnn_face_recognition_ex.cpp.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper

from .dlib_file import Floats, read_parameters
from .graph import IR_VERSION, OPSET, Graph

SIDE = 150
LENGTH = 128
MEAN = (122.782, 117.001, 104.298)
SCALE = 1 / 256
# Width and number of the blocks of each level, from the input; every level but the first begins by halving the picture.
LEVELS = ((32, 3), (64, 4), (128, 3), (256, 3), (256, 1))


def to_onnx(name: str, data: bytes) -> onnx.ModelProto:
    """The checked ONNX model. Raises ValueError where the file holds another network."""
    net = _Net(read_parameters(data))
    mean = net.graph.constant("mean", np.array(MEAN, np.float32).reshape(1, 3, 1, 1))
    scale = net.graph.constant("scale", np.array(SCALE, np.float32))
    net.now = net.node("Mul", net.node("Sub", "input", mean), scale)
    net.now = net.node("Relu", net.conv(net.now, 32, 7, 2))
    net.now = net.node("MaxPool", net.now, kernel_shape=[3, 3], strides=[2, 2])
    net.width, net.side = 32, ((SIDE - 7) // 2 + 1 - 3) // 2 + 1
    for level, (width, blocks) in enumerate(LEVELS):
        for block in range(blocks):
            net.block(width, halved=level > 0 and block == 0)
    flat = net.node("Flatten", net.node("GlobalAveragePool", net.now))
    last = net.graph.constant("last", net.learnt("fc", net.width * LENGTH).reshape(net.width, LENGTH))
    net.graph.node("MatMul", [flat, last], "output")
    return net.finish(name)


class _Net:
    """The graph while it grows: `now` is what came out last, of so many channels, so many pixels wide."""

    def __init__(self, parameters: list[tuple[str, Floats]]) -> None:
        self.graph = Graph()
        self.now = "input"
        self.width, self.side = 3, SIDE
        self._parameters = iter(parameters)

    def node(self, operator: str, *inputs: str, **attributes: object) -> str:
        return self.graph.node(operator, list(inputs), f"blob{len(self.graph.nodes)}", **attributes)

    def learnt(self, kind: str, size: int) -> Floats:
        found, values = next(self._parameters, ("nothing", np.empty(0, np.float32)))
        if found != kind or values.size != size:
            raise ValueError(f"expected a layer {kind} of {size} parameters, got {found} of {values.size}")
        return values

    def conv(self, source: str, width: int, size: int, stride: int) -> str:
        """A convolution with the affine layer behind it, which has taken in its batch normalisation."""
        shape = (width, self.width, size, size)
        count = int(np.prod(shape))
        values = self.learnt("con", count + width)
        scale, shift = self.learnt("affine", 2 * width).reshape(2, width)
        kernel = values[:count].reshape(shape) * scale[:, None, None, None]
        bias = values[count:] * scale + shift
        number = len(self.graph.constants)
        weights = self.graph.constant(f"kernel{number}", kernel), self.graph.constant(f"bias{number}", bias)
        pad = 0 if stride > 1 else size // 2  # dlib's default
        self.width = width
        return self.node("Conv", source, *weights, kernel_shape=[size, size], strides=[stride] * 2, pads=[pad] * 4)

    def block(self, width: int, *, halved: bool) -> None:
        """Two convolutions and what went round them; the smaller of the two is filled up with zeros, as dlib does."""
        went_in, channels = self.now, self.width
        made = self.conv(went_in, width, 3, 2 if halved else 1)
        made = self.conv(self.node("Relu", made), width, 3, 1)
        if halved:
            went_in = self.node("AveragePool", went_in, kernel_shape=[2, 2], strides=[2, 2])
            went_in = self._filled(went_in, width - channels, 0)
            made_side, self.side = (self.side - 3) // 2 + 1, self.side // 2
            made = self._filled(made, 0, self.side - made_side)
        self.now = self.node("Relu", self.node("Add", made, went_in))

    def _filled(self, source: str, channels: int, pixels: int) -> str:
        if not channels and not pixels:
            return source
        pads = self.graph.constant(f"pads{len(self.graph.constants)}", np.array([0, 0, 0, 0, 0, channels, pixels, pixels]))
        return self.node("Pad", source, pads)

    def finish(self, name: str) -> onnx.ModelProto:
        left = [kind for kind, _ in self._parameters]
        if left:
            raise ValueError(f"expected no layer more, got {', '.join(left)}")
        picture = helper.make_tensor_value_info("input", TensorProto.FLOAT, ["n", 3, SIDE, SIDE])
        answer = helper.make_tensor_value_info("output", TensorProto.FLOAT, ["n", LENGTH])
        constants = list(self.graph.constants.values())
        whole = helper.make_graph(self.graph.nodes, name, [picture], [answer], constants)
        model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="enhance")
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model, full_check=True)
        return model
