"""Thumbnails of frames and faces, to distinguish a cut from a movement, and one face from another."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from .crop import Crop
from .frame import Frame, luma_of

FRAME_SIZE = (128, 72)  # width and height in pixels
CELLS = (32, 18)  # of 4 x 4 of them, over which differences are averaged
# changed() of two frames. Cuts between people of one size in one place before one wall begin at 11, movement reaches 17.
CUT = 28.0  # from here on a cut, unless optical flow explains it
LIKE_CUT = 8.0  # from here on perhaps a cut: the faces decide
MOVED = 0.43
"""Share of changed() left after motion compensation, below which it is movement: a head that fills the picture and a hand-held
camera leave at most 0.34, cuts between similar shots at least 0.52."""
FACE_SIDE = 8  # pixels
# distance() of two face thumbnails: of one person mostly below 0.10 (0.145 turning away), of two people from 0.098 on.
CHANGED = 0.07  # from one frame to the next: from here on perhaps another person
SAME_PLACE = 0.16  # from here on, a face where one has just been lost may be another person's
AFTER_SWING = 0.1  # the same, where the camera has swung round since: one person's 0.03 to 0.07, another's 0.15 and more
OTHER_FACE = 0.16  # from one frame to the next: from here on another person, so a cut

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[Any]


def frame_thumbnail(picture: Frame) -> Floats:
    """A picture as 72 x 128 luma, flattened, 0..255."""
    return luma_of(picture, FRAME_SIZE).ravel()


def changed(last: Floats, now: Floats) -> float:
    """How far two frame thumbnails differ: the mean over CELLS, in levels of 255."""
    apart = (now - last).reshape(FRAME_SIZE[::-1])
    return float(np.abs(cv2.resize(apart, CELLS, interpolation=cv2.INTER_AREA)).mean())


def is_movement(last: Floats, now: Floats) -> bool:
    """Whether the difference of two frame thumbnails is movement: by optical flow both ways (DIS, Kroeger et al. 2016)."""
    one, other = (each.reshape(FRAME_SIZE[::-1]).astype(np.uint8) for each in (last, now))
    left = max(_left(one, other), _left(other, one))
    return left < MOVED * changed(last, now)


def _left(one: Grey, other: Grey) -> float:
    """Levels by which a thumbnail, motion compensated, differs from the other."""
    flow = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(other, one, np.zeros((*one.shape, 2), np.float32))
    rows, columns = np.mgrid[: one.shape[0], : one.shape[1]].astype(np.float32)
    there = cv2.remap(one, columns + flow[..., 0], rows + flow[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return float(cv2.absdiff(there, other).mean())


def face_thumbnail(picture: Frame, crop: Crop) -> Floats:
    """The face in a crop as 8 x 8 RGB, flattened, 0..1: hair, skin, beard, glasses and background, little of the expression."""
    small = cv2.resize(crop.sample(picture, FACE_SIDE * 8), (FACE_SIDE, FACE_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32).ravel() / 255


def distance(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """The mean absolute difference of two face thumbnails, 0..1."""
    return float(np.abs(one - other).mean())
