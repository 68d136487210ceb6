"""The network as the ONNX file that the service reads: constants in 16 bits, which halves it, cast when it is opened."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .network import HALF, PhotoNetwork


def export(network: PhotoNetwork, like: onnx.ModelProto, notes: dict[str, str]) -> onnx.ModelProto:
    """The network in the graph of `like`, whose weights it replaces."""
    model = onnx.ModelProto()
    model.CopyFrom(like)
    graph = model.graph
    convolutions = [node for node in graph.node if "Conv" in node.op_type]
    del graph.initializer[:]
    casts = []
    for node, kernel, bias in zip(convolutions, network.kernels, network.biases, strict=True):
        for name, value in zip(node.input[1:], (kernel, bias), strict=True):
            half = value.detach().numpy().astype(np.float16)
            graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(half), f"{name}{HALF}"))
            casts.append(helper.make_node("Cast", [f"{name}{HALF}"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *(node for node in graph.node if node.op_type != "Cast")]
    del graph.node[:]
    graph.node.extend(nodes)
    helper.set_model_props(model, notes)
    onnx.checker.check_model(model, full_check=True)
    return model
