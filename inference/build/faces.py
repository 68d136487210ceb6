"""The four face networks as ONNX: a detector answers `boxes` and `scores`, a mesh `landmarks` and `score`.

The attention mesh answers the whole face, the lips, the eyes and the irises apart; here they become the 478 points of
MediaPipe's face mesh: the lips and eyes take the places of the coarser ones, the irises are points 468..477.
"""

import numpy as np
import onnx

from . import tflite_custom, tflite_ops
from .tflite_file import read_graph
from .tflite_graph import Outputs, Writer

MESH = 468
IRIS = 5
OPERATORS = {**tflite_ops.OPERATORS, **tflite_custom.OPERATORS}


def to_onnx(name: str, data: bytes) -> onnx.ModelProto:
    """The checked ONNX model of one of the face networks, from its .tflite file.

    Raises ValueError for an operator, or a setting of one, that no shipped network has.
    """
    writer = Writer(read_graph(data))
    for operator in writer.graph.operators:
        emit = OPERATORS.get(operator.kind)
        if emit is None:
            raise ValueError(f"no rule for the tflite operator {operator.kind}")
        emit(writer, operator)
    return writer.finish(name, _outputs(writer))


def _outputs(writer: Writer) -> Outputs:
    by_name = {writer.graph.tensors[tensor].name: tensor for tensor in writer.graph.outputs}
    if "output_lips" in by_name:
        return _attention_mesh(writer, by_name)
    first, second = writer.graph.outputs
    if writer.shape(first)[1:] == (1, 1, MESH * 3):
        return {
            "landmarks": (_points(writer, first, 3), (MESH, 3)),
            "score": (_score(writer, second), (1,)),
        }
    return {
        "boxes": (writer.plain(first), writer.shape(first)[1:]),
        "scores": (writer.node("Sigmoid", [writer.plain(second)]), writer.shape(second)[1:]),
    }


def _attention_mesh(writer: Writer, by_name: dict[str, int]) -> Outputs:
    flat, depth = writer.split(_points(writer, by_name["output_mesh_identity"], 3), [2, 1], axis=2)
    names = ("output_lips", "output_left_eye", "output_right_eye", "output_left_iris", "output_right_iris")
    parts = [flat, *(_points(writer, by_name[name], 2) for name in names)]
    everything = writer.node("Concat", parts, axis=1)
    lips, left, right = _subsets(writer)
    source = np.arange(MESH + 2 * IRIS)
    at = MESH
    for subset in (lips, left, right):
        source[subset] = np.arange(at, at + len(subset))
        at += len(subset)
    source[MESH:] = np.arange(at, at + 2 * IRIS)
    places = writer.node("Gather", [everything, writer.whole(source)], axis=1)
    # Only the whole face has a depth. An iris lies as deep as the rim of its eye, the first 16 points of the subset.
    rims = [_mean_depth(writer, depth, subset[:16]) for subset in (left, right)]
    depths = writer.node("Concat", [depth, *rims], axis=1)
    return {
        "landmarks": (writer.node("Concat", [places, depths], axis=2), (MESH + 2 * IRIS, 3)),
        "score": (_score(writer, by_name["conv_faceflag"]), (1,)),
    }


def _subsets(writer: Writer) -> list[list[int]]:
    """Which mesh points the lips, the left and the right eye stand for, in their own order."""
    windows = [each for each in writer.graph.operators if each.kind == "Landmarks2TransformMatrix"]
    subsets = [window.settings["subset_idxs"] for window in windows]
    if [len(subset) for subset in subsets] != [80, 71, 71]:
        raise ValueError(f"expected 80, 71 and 71 points of lips and eyes, got {[len(subset) for subset in subsets]}")
    return subsets


def _mean_depth(writer: Writer, depth: str, subset: list[int]) -> str:
    rim = writer.node("Gather", [depth, writer.whole(subset)], axis=1)
    mean = writer.node("ReduceMean", [rim], axes=[1], keepdims=1)
    return writer.node("Tile", [mean, writer.whole([1, IRIS, 1])])


def _points(writer: Writer, tensor: int, size: int) -> str:
    return writer.node("Reshape", [writer.plain(tensor), writer.whole([-1, writer.shape(tensor)[3] // size, size])])


def _score(writer: Writer, tensor: int) -> str:
    return writer.node("Sigmoid", [writer.node("Reshape", [writer.plain(tensor), writer.whole([-1, 1])])])
