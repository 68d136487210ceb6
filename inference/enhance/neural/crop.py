"""The square that the network sees: the face turned upright, from the chin to as far above the nose as the chin is below it.

This is how MuseTalk was trained: the box of the 68 landmarks across, and in height from the chin to the mirror image of it at
the nose, stretched to a square. Here the box is turned with the line of the eyes, which theirs is not.
"""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.face.crop import Crop
from enhance.geometry.area import Floats
from enhance.geometry.landmarks import LEFT_EYE, RIGHT_EYE, landmarks_68

SIDE = 256
"""Pixels of the square."""
NOSE = 29
"""Of the 68 landmarks the one in the middle of the square: on the bridge of the nose."""
CHIN_MARGIN = 10 / SIDE
"""How much further than the chin it reaches, in its height: a mouth that opens wider moves the chin."""


def crop_of(mesh: npt.NDArray[np.generic]) -> Crop:
    """The crop of a mesh (478 x 3, pixels)."""
    flat = mesh[:, :2].astype(np.float64)
    points = landmarks_68(flat).astype(np.float64)
    across = flat[LEFT_EYE] - flat[RIGHT_EYE]
    x, y = across / max(float(np.hypot(*across)), 1e-9)
    turn = np.array([[x, y], [-y, x]])
    placed = points @ turn.T
    left, right = placed[:, 0].min(), placed[:, 0].max()
    half = placed[:, 1].max() - placed[NOSE, 1]
    height = 2 * half * (1 + CHIN_MARGIN)
    linear = turn.T @ np.diag([right - left, height])
    return Crop(np.column_stack([linear, turn.T @ [left, placed[NOSE, 1] - half]]))


def place(square: Floats, crop: Crop, width: int, height: int) -> Floats:
    """Values of the square (SIDE x SIDE or SIDE x SIDE x n) where they lie in a picture of that size; 0 beside it."""
    side = SIDE // max(1, int(SIDE / max(crop.scale, 1.0)))
    if side < SIDE:  # single pixels of a square that is made much smaller would flicker from frame to frame
        square = np.asarray(cv2.resize(square, (side, side), interpolation=cv2.INTER_AREA), np.float32)
    linear = crop.matrix[:, :2] / side
    # OpenCV counts from the middle of the first pixel, a crop's places from its edge.
    shift = linear @ [0.5, 0.5] + crop.matrix[:, 2] - 0.5
    placed = cv2.warpAffine(square, np.column_stack([linear, shift]), (width, height), flags=cv2.INTER_CUBIC)
    return np.asarray(placed, np.float32)
