"""How far a drawn face has moved since it was found: by the corners of its lines, since the mesh of a drawing drifts."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.similarity import similarity

from .crop import Crop
from .frame import Frame

SIDE = 64  # pixels
FEWEST = 10  # corners that must follow one similarity
CLOSE = 1.5  # pixels of the cut between a corner and the similarity that it follows
FARTHEST = 12.0  # pixels of the cut: no face moves farther between two frames

Cut = npt.NDArray[np.uint8]


def cut_grey(picture: Frame, crop: Crop) -> Cut:
    """The crop as SIDE x SIDE luma."""
    return np.asarray(cv2.cvtColor(crop.cut(picture, SIDE), cv2.COLOR_RGB2GRAY), np.uint8)


def registered(picture: Frame, crop: Crop, first: Cut) -> Crop | None:
    """The crop moved to where it shows what `first` shows; None where too little of that is left.

    Corners are followed from `first` (Lucas and Kanade 1981), so that errors do not add up over the frames. Those that do not
    follow the similarity of most, as of lids and lips, do not count.
    """
    corners = cv2.goodFeaturesToTrack(first, 60, 0.02, 3)
    if corners is None or len(corners) < FEWEST:
        return None
    guess = corners.copy()
    found, status, _ = cv2.calcOpticalFlowPyrLK(first, cut_grey(picture, crop), corners, guess, winSize=(11, 11), maxLevel=2)
    tracked = status.ravel() == 1
    before, now = corners[tracked, 0], found[tracked, 0]
    # In the picture, where a movement is a similarity; in an oblique crop it is not.
    source, target = crop.place((before + 0.5) / SIDE), crop.place((now + 0.5) / SIDE)
    pixel = crop.scale / SIDE
    kept = _agreeing(source, target, pixel * CLOSE)
    if kept is None or float(np.abs(now - before)[kept].max()) > FARTHEST:
        return None
    return Crop(similarity(source[kept], target[kept]).move_crop(crop.matrix))


def _agreeing(source: npt.NDArray[Any], target: npt.NDArray[Any], close: float) -> npt.NDArray[np.bool_] | None:
    """Which points follow the similarity that most of them follow."""
    if len(source) < FEWEST:
        return None
    matrix, inliers = cv2.estimateAffinePartial2D(source, target, method=cv2.RANSAC, ransacReprojThreshold=close)
    if matrix is None or int(inliers.sum()) < FEWEST:
        return None
    return np.asarray(inliers.ravel() == 1)
