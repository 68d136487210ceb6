"""The square under a network: where it lies in a picture, and its pixels."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LEFT_EYE, RIGHT_EYE, face_box
from enhance.picture import Picture
from enhance.record import Shape

Points = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]

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

    def cut(self, picture: Picture, size: int) -> Picture:
        """The square as size x size x 3; black outside of the picture."""
        shrink = int(self.scale / size)
        if shrink >= 2:  # single pixels of a large face would make its points tremble from frame to frame
            return self._cut_shrunk(picture, size, shrink)
        return self.sample(picture, size)

    def sample(self, picture: Picture, size: int) -> Picture:
        """As cut(), but of single pixels however large the square is: for callers that average them."""
        return _warp(picture, self.matrix, size)

    def _cut_shrunk(self, picture: Picture, size: int, shrink: int) -> Picture:
        height, width = picture.shape[:2]
        corners = self.place(np.array([[0, 0], [1, 0], [0, 1], [1, 1]], np.float32))
        x1, y1 = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, [width - 1, height - 1])
        x2, y2 = np.clip(np.ceil(corners.max(axis=0)).astype(int), [x1 + 1, y1 + 1], [width, height])
        small_size = (max((x2 - x1) // shrink, 1), max((y2 - y1) // shrink, 1))
        small = cv2.resize(picture[y1:y2, x1:x2], small_size, interpolation=cv2.INTER_AREA)
        ratio = np.array(small_size) / [x2 - x1, y2 - y1]
        matrix = self.matrix.copy()
        matrix[:, 2] -= [x1, y1]
        return _warp(np.asarray(small, np.uint8), matrix * ratio[:, None], size)

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


def crop_of_features(features: npt.NDArray[Any]) -> Crop:
    """The oblique crop that brings eyes and mouth (3 x 2: right eye, left eye, mouth) to USUAL.

    The mesh network was trained on people. In a drawn face, whose eyes and mouth lie elsewhere, a straight crop would put the
    lips of the mesh on the chin.
    """
    linear = np.linalg.solve(np.column_stack([USUAL, np.ones(3)]), features)
    return Crop(np.asarray(linear.T, np.float64))


def _warp(picture: Picture, matrix: Matrix, size: int) -> Picture:
    # OpenCV counts from the middle of the first pixel, our places from its edge.
    linear = matrix[:, :2] / size
    shift = linear @ [0.5, 0.5] + matrix[:, 2] - 0.5
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(picture, np.column_stack([linear, shift]), (size, size), flags=how), np.uint8)
