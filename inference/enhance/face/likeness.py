"""What tells a cut from a movement, and one face from another: small pictures of few pixels."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from .crop import Crop, Picture

GLANCE = (32, 18)
# Levels of 255 by which the cells of a glance differ in the mean. Cuts between people in front of one wall, of one size and
# in one place, begin at 11; movement reaches 17, but seldom changes the face (CHANGED) as well.
CUT = 28.0
LIKE_CUT = 8.0
PORTRAIT = 8
# Distances of portraits, measured on ten clips: of one person at most 0.10 (once 0.145, turning away), of two at least 0.098.
CHANGED = (
    0.07  # of one face from frame to frame, beyond which it may be another: movement reaches 0.08, such cuts begin at 0.076
)
SAME_PLACE = 0.16  # for a face where one was lost a moment ago
OTHER_FACE = 0.16  # from one frame to the next: a cut, even where the whole picture looks alike

Floats = npt.NDArray[np.float32]


def glance(picture: Picture) -> Floats:
    """The picture as 18 x 32 luma, flattened, 0..255."""
    step = max(min(picture.shape[0] // 72, picture.shape[1] // 128), 1)
    small = cv2.resize(picture[::step, ::step], GLANCE, interpolation=cv2.INTER_AREA)
    return np.asarray(small @ np.array([0.299, 0.587, 0.114]), np.float32).ravel()


def changed(last: Floats, now: Floats) -> float:
    """How far two glances are apart, in levels."""
    return float(np.abs(now - last).mean())


def portrait(picture: Picture, crop: Crop) -> Floats:
    """The face as 8 x 8 RGB, flattened, 0..1: hair, skin, beard, glasses and what is behind, little of the expression."""
    small = cv2.resize(crop.sample(picture, PORTRAIT * 8), (PORTRAIT, PORTRAIT), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32).ravel() / 255


def distance(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """How unlike two portraits are, 0..1."""
    return float(np.abs(one - other).mean())
