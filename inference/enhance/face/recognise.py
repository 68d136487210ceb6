"""Likenesses, by which the few people of one clip are distinguished: a descriptor of eyes, brows and nose, without a network.

Histograms of oriented gradients (Dalal and Triggs 2005) of a face aligned by the corners of its eyes and the base of its nose,
the light normalised. Single likenesses of one person in two poses can be as far apart as those of two people; the closest two
of several likenesses are not.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import EYES_AND_NOSE
from enhance.geometry.similarity import similarity

from .crop import Crop, Points
from .frame import Frame

SIZE = (64, 48)  # width and height in pixels
_HISTOGRAMS = cv2.HOGDescriptor(SIZE, (16, 16), (8, 8), (8, 8), 9)
LENGTH = 1260  # values of a likeness: 9 directions in each of 4 cells of 7 x 5 blocks
# Euclidean distances of likenesses.
SURELY_SAME = 0.2  # below: one person
OTHER = 0.25  # two single likenesses of two people are farther apart; so are 8 % of those of one person
MAY_BE = 0.35  # likenesses of one person who turned or is blurred reach this, and so do half of those of two people
ANYBODY = 1.5  # farther than any two are apart: no bound
# Where EYES_AND_NOSE lie on an upright face, from the middle between the eyes' outer corners, in S.
PLACES = np.array([[-0.5, 0.0], [-0.2, 0.01], [0.2, 0.01], [0.5, 0.0], [0.0, 0.52]])
CORNER, EXTENT = (-0.7, -0.45), (1.4, 1.05)  # of the region described, likewise
SHARPEST = 0.7  # pixels, sigma of a blur: small and large faces become equally sharp
EVEN = 8.0  # pixels, sigma of the mean and the contrast that are taken out: the light changes more slowly
CONTRAST = 40  # levels of 255 for one standard deviation
NOISE = 4.0  # levels of 255: contrast below is noise

Likeness = npt.NDArray[np.float32]
UNKNOWN: Likeness = np.full(LENGTH, np.nan, np.float32)


def likeness(picture: Frame, mesh: Points) -> Likeness:
    """The likeness (1260 numbers, norm 1) of the face with this mesh (478 x 3) in a picture. It takes about 0.25 ms."""
    grey: Any = cv2.cvtColor(_region(mesh).cut(picture, SIZE[0]), cv2.COLOR_RGB2GRAY)
    grey = cv2.resize(grey, SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
    grey = cv2.GaussianBlur(grey, (0, 0), SHARPEST)
    rest = grey - cv2.GaussianBlur(grey, (0, 0), EVEN)
    rest /= np.sqrt(cv2.GaussianBlur(rest * rest, (0, 0), EVEN)) + NOISE
    counts: Any = _HISTOGRAMS.compute(np.clip(rest * CONTRAST + 128, 0, 255).astype(np.uint8))
    values = np.sqrt(np.asarray(counts).ravel())
    return np.asarray(values / max(float(np.linalg.norm(values)), 1e-9), np.float32)


def unlikeness(one: Likeness, other: Likeness) -> float:
    """The Euclidean distance of two likenesses; NaN where one is UNKNOWN."""
    return float(np.linalg.norm(one - other))


def _region(mesh: Points) -> Crop:
    """The crop of eyes, brows and nose: an upright rectangle of the face, mapped to the unit square."""
    unit = np.array([[EXTENT[0], 0, CORNER[0]], [0, EXTENT[1], CORNER[1]]])
    return Crop(similarity(PLACES, mesh[list(EYES_AND_NOSE), :2]).move_crop(unit))
