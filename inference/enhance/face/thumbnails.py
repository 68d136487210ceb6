"""What tells a cut from a movement, and one face from another: small pictures of few pixels."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from .crop import Crop, Picture

FRAME_SIZE = (128, 72)
CELLS = (32, 18)
# Levels of 255 by which the cells of two glances differ in the mean. Cuts between people in front of one wall, of one size
# and in one place, begin at 11; movement reaches 17.
CUT = 28.0
LIKE_CUT = 8.0
# The share of that difference that is left when all that moved is put back: at most 0.34 from one frame to the next or the
# one after, of a head that fills the picture and of a camera in a hand; at least 0.52 over 217 cuts between like shots.
MOVED = 0.43
FACE_SIDE = 8
# Distances of portraits, measured on ten clips: of one person at most 0.10 (once 0.145, turning away), of two at least 0.098.
CHANGED = (
    0.07  # of one face from frame to frame, beyond which it may be another: movement reaches 0.08, such cuts begin at 0.076
)
SAME_PLACE = 0.16  # for a face where one was lost a moment ago
OTHER_FACE = 0.16  # from one frame to the next: a cut, even where the whole picture looks alike

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[Any]


def frame_thumbnail(picture: Picture) -> Floats:
    """The picture as 72 x 128 luma, flattened, 0..255."""
    step = max(min(picture.shape[0] // 72, picture.shape[1] // 128), 1)
    small = cv2.resize(picture[::step, ::step], FRAME_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.float32).ravel()


def changed(last: Floats, now: Floats) -> float:
    """How far two glances are apart, in levels."""
    apart = (now - last).reshape(FRAME_SIZE[::-1])
    return float(np.abs(cv2.resize(apart, CELLS, interpolation=cv2.INTER_AREA)).mean())


def is_movement(last: Floats, now: Floats) -> bool:
    """Whether the difference of two glances is movement: by dense optical flow (Kroeger et al. 2016), both ways."""
    one, other = (each.reshape(FRAME_SIZE[::-1]).astype(np.uint8) for each in (last, now))
    left = max(_left(one, other), _left(other, one))
    return left < MOVED * changed(last, now)


def _left(one: Grey, other: Grey) -> float:
    """Levels by which the other picture differs from the one whose pixels are put where they went."""
    flow = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(other, one, np.zeros((*one.shape, 2), np.float32))
    rows, columns = np.mgrid[: one.shape[0], : one.shape[1]].astype(np.float32)
    there = cv2.remap(one, columns + flow[..., 0], rows + flow[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return float(cv2.absdiff(there, other).mean())


def face_thumbnail(picture: Picture, crop: Crop) -> Floats:
    """The face as 8 x 8 RGB, flattened, 0..1: hair, skin, beard, glasses and what is behind, little of the expression."""
    small = cv2.resize(crop.sample(picture, FACE_SIDE * 8), (FACE_SIDE, FACE_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32).ravel() / 255


def distance(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """How unlike two portraits are, 0..1."""
    return float(np.abs(one - other).mean())
