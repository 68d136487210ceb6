"""The three custom operators by which MediaPipe's attention mesh looks closer at the lips and the eyes.

After their sources (google-ai-edge/mediapipe, util/tflite/operations: landmarks_to_transform_matrix.cc,
transform_tensor_bilinear.cc, transform_landmarks.cc). A matrix is N x 4 x 4 and takes a place in the window of a part
to a place in the whole; the first two rows and the columns 0, 1 and 3 are what it consists of.
"""

from collections.abc import Callable

import numpy as np

from .tflite_file import Operator
from .tflite_graph import Writer


def _matrix_from_landmarks(writer: Writer, operator: Operator) -> None:
    """The window round a subset of the landmarks, upright along the line from one of them to another."""
    settings = operator.settings
    if settings["target_rotation_radians"] != 0:
        raise ValueError(f"no rule for a target rotation of {settings['target_rotation_radians']}")
    points = writer.split(writer.plain(operator.inputs[0]), [2, 1], axis=2)[0]  # N x P x 2
    left = writer.node("Gather", [points, writer.whole([settings["left_rotation_idx"]])], axis=1)
    right = writer.node("Gather", [points, writer.whole([settings["right_rotation_idx"]])], axis=1)
    along = writer.node("Sub", [right, left])
    direction = writer.node("Div", [along, writer.node("ReduceL2", [along], axes=[2], keepdims=1)])
    cosine, sine = writer.split(direction, [1, 1], axis=2)
    rotation = writer.node(  # its columns are the window's axes, so that `points @ rotation` stand upright
        "Concat",
        [
            writer.node("Concat", [cosine, writer.node("Neg", [sine])], axis=2),
            writer.node("Concat", [sine, cosine], axis=2),
        ],
        axis=1,
    )
    subset = writer.node("Gather", [points, writer.whole(settings["subset_idxs"])], axis=1)
    upright = writer.node("MatMul", [subset, rotation])
    highest = writer.node("ReduceMax", [upright], axes=[1], keepdims=1)
    lowest = writer.node("ReduceMin", [upright], axes=[1], keepdims=1)
    width, height = settings["output_width"], settings["output_height"]
    grown = writer.floats([settings["scale_x"] / width, settings["scale_y"] / height])
    scale = writer.node("Mul", [writer.node("Sub", [highest, lowest]), grown])
    linear = writer.node("Mul", [rotation, scale])  # each column by its own scale
    middle = writer.node("Mul", [writer.node("Add", [highest, lowest]), writer.floats(0.5)])
    centre = writer.node("MatMul", [rotation, writer.node("Transpose", [middle], perm=[0, 2, 1])])
    corner = writer.node("MatMul", [linear, writer.floats([[-width / 2], [-height / 2]])])
    shift = writer.node("Add", [centre, corner])
    nothing = writer.node("Mul", [shift, writer.floats(0)])
    top = writer.node("Concat", [linear, nothing, shift], axis=2)
    bottom = writer.node("Mul", [top, writer.floats(np.zeros((2, 4)))])
    rest = writer.node("Add", [bottom, writer.floats([[0, 0, 1, 0], [0, 0, 0, 1]])])
    writer.set_plain(operator, writer.node("Concat", [top, rest], axis=1))


def _cut_out(writer: Writer, operator: Operator) -> None:
    """The features under a window. GridSample blends the last half pixel beyond the border with 0 where the source gives 0."""
    width, height = operator.settings["output_width"], operator.settings["output_height"]
    features = operator.inputs[0]
    rows, columns = np.mgrid[:height, :width] + 0.5
    pixels = writer.floats(np.stack([columns.ravel(), rows.ravel()], axis=1)[None])
    places = _moved(writer, pixels, operator.inputs[1])
    across, down = writer.shape(features)[2], writer.shape(features)[1]
    scaled = writer.node("Mul", [places, writer.floats([2 / across, 2 / down])])
    grid = writer.node("Reshape", [writer.node("Sub", [scaled, writer.floats(1)]), writer.whole([-1, height, width, 2])])
    how = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": 0}
    writer.set_planes(operator, writer.node("GridSample", [writer.planes(features), grid], **how))


def _move_landmarks(writer: Writer, operator: Operator) -> None:
    writer.set_plain(operator, _moved(writer, writer.plain(operator.inputs[0]), operator.inputs[1]))


def _moved(writer: Writer, points: str, matrix: int) -> str:
    """N x P x 2 points through a matrix."""
    top = writer.split(writer.plain(matrix), [2, 2], axis=1)[0]
    linear, _, shift = writer.split(top, [2, 1, 1], axis=2)
    turned = writer.node("MatMul", [points, writer.node("Transpose", [linear], perm=[0, 2, 1])])
    return writer.node("Add", [turned, writer.node("Transpose", [shift], perm=[0, 2, 1])])


OPERATORS: dict[str, Callable[[Writer, Operator], None]] = {
    "Landmarks2TransformMatrix": _matrix_from_landmarks,
    "TransformTensorBilinear": _cut_out,
    "TransformLandmarks": _move_landmarks,
}
