"""The square under a network: where it lies in a picture, and its pixels."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LEFT_EYE, RIGHT_EYE, face_box
from enhance.picture import Picture
from enhance.record import Shape

from .frame import CodedFrame, Frame, Matrix, Sampled

Points = npt.NDArray[np.float32]

UPRIGHT = np.array([1.0, 0.0])
"""The upper edge of a square that is not turned."""
MARGIN = 1.5  # side of the crop in sides of the face box: what the mesh networks were trained with
# Where the middles of the right eye, the left eye and the mouth lie in a crop, 0..1: the mean of faces seen from the front.
USUAL = np.array([[0.368, 0.385], [0.630, 0.385], [0.5, 0.666]])


@dataclass(frozen=True)
class Crop:
    """Where a square lies in a picture. `matrix` (2 x 3) takes a place in the unit square (0..1) to one in the picture."""

    matrix: Annotated[Matrix, Shape(2, 3)]

    @property
    def scale(self) -> float:
        """Side in pixels of the picture; of an oblique square, that of a straight one as large."""
        (a, b, _), (c, d, _) = self.matrix.tolist()
        return math.sqrt(abs(a * d - b * c))

    def cut(self, picture: Frame, size: int) -> Picture:
        """The square as size x size x 3 RGB; black outside of the picture."""
        return self._through(_cut, picture, size)

    def sample(self, picture: Frame, size: int) -> Picture:
        """As cut(), but of single pixels however large the square is: for callers that average them."""
        return self._through(_warp, picture, size)

    def _through(self, how: Callable[[Sampled, Matrix, int, int], Sampled], picture: Frame, size: int) -> Picture:
        if isinstance(picture, CodedFrame):
            return picture.sampled(how, self.matrix, size)
        return how(picture, self.matrix, size, 0)

    def place(self, points: npt.NDArray[Any]) -> Points:
        """Places in the picture for places in the unit square; a third coordinate is scaled alike."""
        flat = points[..., :2] @ self.matrix[:, :2].T + self.matrix[:, 2]
        return np.asarray(np.concatenate([flat, points[..., 2:] * self.scale], axis=-1), np.float32)

    def inverse(self, points: npt.NDArray[Any]) -> Points:
        """Places in the unit square (... x 2) for places in the picture."""
        back = np.linalg.inv(self.matrix[:, :2])
        return np.asarray((points[..., :2] - self.matrix[:, 2]) @ back.T, np.float32)


def turned_square(centre: npt.NDArray[Any], side: float, along: npt.NDArray[Any]) -> Crop:
    """The square round a centre with a side in pixels, its upper edge along the direction `along` (x, y)."""
    x, y = along / max(float(np.hypot(*along)), 1e-9) * side
    linear = np.array([[x, -y], [y, x]], np.float64)
    return Crop(np.column_stack([linear, centre - linear @ [0.5, 0.5]]))


def crop_of_box(box: npt.NDArray[Any], right_eye: npt.NDArray[Any], left_eye: npt.NDArray[Any]) -> Crop:
    """The crop for the mesh network from a face's box (x1, y1, x2, y2), turned as the line of its eyes (x, y each)."""
    centre = (box[:2] + box[2:]) / 2
    return turned_square(centre, float((box[2:] - box[:2]).max()) * MARGIN, left_eye - right_eye)


def crop_of_mesh(mesh: Points) -> Crop:
    """The crop for the next frame's mesh network from this frame's mesh (478 x 3)."""
    return crop_of_box(face_box(mesh), mesh[RIGHT_EYE, :2], mesh[LEFT_EYE, :2])


def upside_down(crop: Crop) -> Crop:
    """The same square, turned by half a turn."""
    linear, start = crop.matrix[:, :2], crop.matrix[:, 2]
    return Crop(np.column_stack([-linear, start + linear.sum(axis=1)]))


def crop_of_features(features: npt.NDArray[Any]) -> Crop:
    """The oblique crop that brings eyes and mouth (3 x 2: right eye, left eye, mouth) to USUAL.

    The mesh network was trained on people. In a drawn face, whose eyes and mouth lie elsewhere, a straight crop would put the
    lips of the mesh on the chin.
    """
    linear = np.linalg.solve(np.column_stack([USUAL, np.ones(3)]), features)
    return Crop(np.asarray(linear.T, np.float64))


def _cut(pixels: Sampled, matrix: Matrix, size: int, black: int) -> Sampled:
    shrink = int(Crop(matrix).scale / size)
    if shrink < 2:
        return _warp(pixels, matrix, size, black)
    # Single pixels of a large face would make its points tremble from frame to frame.
    size_in = np.array(pixels.shape[1::-1])
    corners = Crop(matrix).place(np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32))
    first = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, size_in - 1)
    last = np.clip(np.ceil(corners.max(axis=0)).astype(int), first + 1, size_in)
    # Whole blocks of shrink x shrink pixels: OpenCV takes a fifth of the time for these.
    blocks = np.clip(-(-(last - first) // shrink), 1, np.maximum(size_in // shrink, 1))
    first = np.maximum(np.minimum(first, size_in - blocks * shrink), 0)
    (x1, y1), (x2, y2) = first, first + blocks * shrink
    small = cv2.resize(pixels[y1:y2, x1:x2], (int(blocks[0]), int(blocks[1])), interpolation=cv2.INTER_AREA)
    return _warp(np.asarray(small, np.uint8), (matrix - np.column_stack([np.zeros((2, 2)), first])) / shrink, size, black)


def _warp(pixels: Sampled, matrix: Matrix, size: int, black: int) -> Sampled:
    # OpenCV counts from the middle of the first pixel, our places from its edge.
    linear = matrix[:, :2] / size
    shift = linear @ [0.5, 0.5] + matrix[:, 2] - 0.5
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    placed = np.column_stack([linear, shift])
    return np.asarray(cv2.warpAffine(pixels, placed, (size, size), flags=how, borderValue=(black,) * 3), np.uint8)
