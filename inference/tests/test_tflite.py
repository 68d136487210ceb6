"""The reader of .tflite files and what becomes of their operators, on small files written here."""

from typing import Any

import flatbuffers
import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
import tflite
from inference.build import faces
from inference.build.tflite_file import Graph, Operator, Tensor, read_graph
from inference.build.tflite_graph import Writer

FLOAT, HALF = tflite.TensorType.FLOAT32, tflite.TensorType.FLOAT16
Array = npt.NDArray[Any]


class File:
    """A .tflite file while it is written."""

    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(1024)
        self.tensors: list[int] = []
        self.operators: list[int] = []
        self.codes: list[int] = []
        self.buffers = [self._buffer(b"")]

    def tensor(self, name: str, shape: list[int], kind: int = FLOAT, data: bytes = b"", sparsity: int = 0) -> int:
        buffer = 0
        if data:
            self.buffers.append(self._buffer(data))
            buffer = len(self.buffers) - 1
        text, dims = self.builder.CreateString(name), self.numbers(shape)
        tflite.TensorStart(self.builder)
        tflite.TensorAddName(self.builder, text)
        tflite.TensorAddShape(self.builder, dims)
        tflite.TensorAddType(self.builder, kind)
        tflite.TensorAddBuffer(self.builder, buffer)
        if sparsity:
            tflite.TensorAddSparsity(self.builder, sparsity)
        self.tensors.append(tflite.TensorEnd(self.builder))
        return len(self.tensors) - 1

    def operator(self, code: int, inputs: list[int], outputs: list[int], options: int = 0) -> None:
        tflite.OperatorCodeStart(self.builder)
        tflite.OperatorCodeAddBuiltinCode(self.builder, code)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(self.builder, min(code, 127))
        self.codes.append(tflite.OperatorCodeEnd(self.builder))
        read, written = self.numbers(inputs), self.numbers(outputs)
        tflite.OperatorStart(self.builder)
        tflite.OperatorAddOpcodeIndex(self.builder, len(self.codes) - 1)
        tflite.OperatorAddInputs(self.builder, read)
        tflite.OperatorAddOutputs(self.builder, written)
        if options:
            tflite.OperatorAddBuiltinOptions(self.builder, options)
        self.operators.append(tflite.OperatorEnd(self.builder))

    def finish(self, inputs: list[int], outputs: list[int]) -> bytes:
        asked, answered = self.numbers(inputs), self.numbers(outputs)
        tensors, operators = self.offsets(self.tensors), self.offsets(self.operators)
        tflite.SubGraphStart(self.builder)
        tflite.SubGraphAddTensors(self.builder, tensors)
        tflite.SubGraphAddOperators(self.builder, operators)
        tflite.SubGraphAddInputs(self.builder, asked)
        tflite.SubGraphAddOutputs(self.builder, answered)
        graphs = self.offsets([tflite.SubGraphEnd(self.builder)])
        codes, buffers = self.offsets(self.codes), self.offsets(self.buffers)
        tflite.ModelStart(self.builder)
        tflite.ModelAddSubgraphs(self.builder, graphs)
        tflite.ModelAddOperatorCodes(self.builder, codes)
        tflite.ModelAddBuffers(self.builder, buffers)
        self.builder.Finish(tflite.ModelEnd(self.builder), file_identifier=b"TFL3")
        return bytes(self.builder.Output())

    def numbers(self, values: list[int]) -> int:
        return int(self.builder.CreateNumpyVector(np.array(values, np.int32)))

    def offsets(self, values: list[int]) -> int:
        self.builder.StartVector(4, len(values), 4)
        for value in reversed(values):
            self.builder.PrependUOffsetTRelative(value)
        return int(self.builder.EndVector())

    def _buffer(self, data: bytes) -> int:
        vector = self.builder.CreateByteVector(data) if data else 0
        tflite.BufferStart(self.builder)
        if data:
            tflite.BufferAddData(self.builder, vector)
        return int(tflite.BufferEnd(self.builder))


def strided_convolution(kernel: Array, bias: Array) -> bytes:
    """A 3 x 3 convolution of stride 2 with a fused ReLU, SAME padding, its kernel in half floats."""
    file = File()
    source = file.tensor("in", [1, 6, 6, 2])
    half = file.tensor("half", list(kernel.shape), HALF, kernel.astype(np.float16).tobytes())
    weights = file.tensor("kernel", list(kernel.shape))
    added = file.tensor("bias", [len(bias)], FLOAT, bias.astype(np.float32).tobytes())
    result = file.tensor("out", [1, 3, 3, len(bias)])
    file.operator(tflite.BuiltinOperator.DEQUANTIZE, [half], [weights])
    tflite.Conv2DOptionsStart(file.builder)
    tflite.Conv2DOptionsAddPadding(file.builder, tflite.Padding.SAME)
    tflite.Conv2DOptionsAddStrideH(file.builder, 2)
    tflite.Conv2DOptionsAddStrideW(file.builder, 2)
    tflite.Conv2DOptionsAddFusedActivationFunction(file.builder, tflite.ActivationFunctionType.RELU)
    options = tflite.Conv2DOptionsEnd(file.builder)
    file.operator(tflite.BuiltinOperator.CONV_2D, [source, weights, added], [result], options)
    return file.finish([source], [result])


KERNEL = np.random.default_rng(0).normal(size=(4, 3, 3, 2)).astype(np.float16).astype(np.float32)
BIAS = np.array([0.5, -0.25, 0, 1], np.float32)


def run(model: Any, picture: Array) -> list[Array]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return [np.asarray(value) for value in session.run(None, {"input": picture})]


def constant(graph: Graph, tensor: int) -> Array:
    value = graph.tensors[tensor].value
    assert value is not None
    return value


def translated(graph: Graph, output: int, source: Array) -> Array:
    """What the graph makes of its input, through ONNX."""
    writer = Writer(graph)
    for operator in graph.operators:
        faces.OPERATORS[operator.kind](writer, operator)
    model = writer.finish("test", {"out": (writer.plain(output), graph.tensors[output].shape[1:])})
    return run(model, source)[0]


def test_half_floats_are_widened_and_their_operator_is_gone() -> None:
    graph = read_graph(strided_convolution(KERNEL, BIAS))
    assert [operator.kind for operator in graph.operators] == ["CONV_2D"]
    np.testing.assert_array_equal(constant(graph, graph.operators[0].inputs[1]), KERNEL)
    assert (graph.operators[0].settings["StrideH"], graph.operators[0].settings["DilationHFactor"]) == (2, 1)


def test_a_convolution_pads_behind_when_one_pixel_is_odd() -> None:
    graph = read_graph(strided_convolution(KERNEL, BIAS))
    picture = np.random.default_rng(1).normal(size=(1, 6, 6, 2)).astype(np.float32)
    padded = np.pad(picture[0], ((0, 1), (0, 1), (0, 0)))
    windows = [[padded[2 * y : 2 * y + 3, 2 * x : 2 * x + 3] for x in range(3)] for y in range(3)]
    expected = np.maximum(np.einsum("yxhwc,ohwc->yxo", np.array(windows), KERNEL) + BIAS, 0)
    np.testing.assert_allclose(translated(graph, graph.outputs[0], picture)[0], expected, atol=1e-5)


def test_pictures_may_come_several_at_a_time() -> None:
    graph = read_graph(strided_convolution(KERNEL, BIAS))
    pictures = np.random.default_rng(2).normal(size=(3, 6, 6, 2)).astype(np.float32)
    alone = [translated(graph, graph.outputs[0], pictures[number : number + 1])[0] for number in range(3)]
    np.testing.assert_allclose(translated(graph, graph.outputs[0], pictures), np.stack(alone), atol=1e-6)


def test_a_sparse_constant_is_filled_in() -> None:
    """4 x 4 in blocks of 2 x 2, of which the first row of blocks has the second and the second row both."""
    file = File()
    order, blocks = file.numbers([0, 1, 2, 3]), file.numbers([0, 1])
    levels = file.offsets([_dense(file, 2), _compressed(file, [0, 1, 3], [1, 0, 1]), _dense(file, 2), _dense(file, 2)])
    tflite.SparsityParametersStart(file.builder)
    tflite.SparsityParametersAddTraversalOrder(file.builder, order)
    tflite.SparsityParametersAddBlockMap(file.builder, blocks)
    tflite.SparsityParametersAddDimMetadata(file.builder, levels)
    sparsity = tflite.SparsityParametersEnd(file.builder)
    stored = np.arange(1, 13, dtype=np.float32)
    sparse = file.tensor("sparse", [4, 4], FLOAT, stored.tobytes(), sparsity)
    result = file.tensor("dense", [4, 4])
    file.operator(tflite.BuiltinOperator.DENSIFY, [sparse], [result])
    graph = read_graph(file.finish([], [result]))
    assert graph.operators == []
    expected = [[0, 0, 1, 2], [0, 0, 3, 4], [5, 6, 9, 10], [7, 8, 11, 12]]
    np.testing.assert_array_equal(constant(graph, result), np.array(expected, np.float32))


def _dense(file: File, size: int) -> int:
    tflite.DimensionMetadataStart(file.builder)
    tflite.DimensionMetadataAddFormat(file.builder, tflite.DimensionType.DENSE)
    tflite.DimensionMetadataAddDenseSize(file.builder, size)
    return int(tflite.DimensionMetadataEnd(file.builder))


def _compressed(file: File, segments: list[int], indices: list[int]) -> int:
    vectors = []
    for values in (segments, indices):
        data = file.numbers(values)
        tflite.Int32VectorStart(file.builder)
        tflite.Int32VectorAddValues(file.builder, data)
        vectors.append(tflite.Int32VectorEnd(file.builder))
    tflite.DimensionMetadataStart(file.builder)
    tflite.DimensionMetadataAddFormat(file.builder, tflite.DimensionType.SPARSE_CSR)
    for add, kind, vector in (
        (tflite.DimensionMetadataAddArraySegments, tflite.DimensionMetadataAddArraySegmentsType, vectors[0]),
        (tflite.DimensionMetadataAddArrayIndices, tflite.DimensionMetadataAddArrayIndicesType, vectors[1]),
    ):
        kind(file.builder, tflite.SparseIndexVector.Int32Vector)
        add(file.builder, vector)
    return int(tflite.DimensionMetadataEnd(file.builder))


def test_a_window_is_upright_along_the_line_between_two_points_and_shows_what_lies_there() -> None:
    """Cut out of a picture of its own coordinates, a window shows where each of its cells lies."""
    size = 48
    settings = {"left_rotation_idx": 0, "right_rotation_idx": 1, "subset_idxs": [0, 1, 2], "scale_x": 1.5, "scale_y": 1.5}
    settings |= {"target_rotation_radians": 0, "output_width": 16, "output_height": 16}
    landmarks = np.array([[[14, 20, 0], [30, 26, 0], [20, 30, 0]]], np.float32)
    tensors = [
        Tensor("in", (1, size, size, 2)),
        Tensor("points", (1, 3, 3), landmarks),
        Tensor("matrix", (1, 4, 4)),
        Tensor("window", (1, 16, 16, 2)),
    ]
    operators = [
        Operator("Landmarks2TransformMatrix", (1,), (2,), settings),
        Operator("TransformTensorBilinear", (0, 2), (3,), {"output_width": 16, "output_height": 16}),
    ]
    rows, columns = np.mgrid[:size, :size].astype(np.float32) + 0.5
    window = translated(Graph(tensors, operators, (0,), (3,)), 3, np.stack([columns, rows], axis=-1)[None])[0]

    angle = np.arctan2(6, 16)
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    upright = landmarks[0, :, :2] @ axes.T
    low, high = upright.min(axis=0), upright.max(axis=0)
    cells = (np.mgrid[:16, :16][::-1].transpose(1, 2, 0) + 0.5) / 16 - 0.5
    expected = ((low + high) / 2 + cells * (high - low) * 1.5) @ axes
    np.testing.assert_allclose(window, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not a tflite file"),
        (b"\x1c\0\0\0TFL2" + bytes(40), "expected b'TFL3' at byte 4, found b'TFL2'"),
    ],
)
def test_what_is_no_tflite_file_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_graph(data)


def test_an_operator_without_a_rule_is_refused_by_name() -> None:
    file = File()
    source, result = file.tensor("in", [1, 4, 4, 3]), file.tensor("out", [1, 4, 4, 3])
    file.operator(tflite.BuiltinOperator.SIN, [source], [result])
    with pytest.raises(ValueError, match="no rule for the tflite operator SIN"):
        faces.to_onnx("x", file.finish([source], [result]))
