"""Hair that lies over a drawn eye: areas of one colour that come in from the border of what is looked at."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats
from enhance.picture import LUMA, Mask

ALIKE, NO_SKIN = 30.0, 60.0
"""Levels of 255, in any channel, within which pixels are of one area; and by which hair differs from skin, shade by less."""
DARK = 0.3  # of the skin's luma, that hair has at least: darker hair cannot be told from lashes that run into it
AREAS, LEAST = 4, 0.08  # areas that are looked for, at most; share of the border's pixels that the next one has, at least
STROKE, OUTLINE = 0.05, 0.018  # units: what is narrower is a lash, no hair; and the line round hair, at most
DARKER = 20.0  # levels of luma by which that line is darker than the hair


def fringe(here: Floats, unlike: npt.NDArray[Any], skin: Floats, unit: float) -> Mask:
    """Hair in a window round an eye: areas of one colour at the window's border, with the lines round them.

    here: h x w x 3 RGB. unlike: h x w, what differs from skin (RGB). unit: pixels of the outer eye distance.
    """
    border = np.zeros(unlike.shape, bool)
    border[[0, -1]] = border[:, [0, -1]] = True
    border &= unlike > 0
    least = LEAST * border.sum()
    out = np.zeros(unlike.shape, bool)
    for _ in range(AREAS):
        if border.sum() <= least:
            break
        colour = np.median(here[border], axis=0)
        like = np.abs(here - colour).max(axis=2) < ALIKE
        border &= ~like
        if np.abs(colour - skin).max() > NO_SKIN and colour @ LUMA > DARK * (skin @ LUMA):
            area = _area(like & (unlike > 0), unit)
            line = cv2.dilate(area, _disc(OUTLINE * unit)) > 0
            out |= (cv2.dilate(area, _disc(1)) > 0) | (line & (here @ LUMA < colour @ LUMA - DARKER))
    return out & (unlike > 0)


def _area(like: Mask, unit: float) -> npt.NDArray[np.uint8]:
    """The parts of `like` that go on to the border, without lines."""
    mask = like.astype(np.uint8)
    wide = cv2.dilate(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(STROKE / 2 * unit)), _disc(STROKE * unit))
    _, labels = cv2.connectedComponents(np.asarray(wide, np.uint8) & mask, connectivity=8)
    ends = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    return np.isin(labels, ends[ends > 0]).astype(np.uint8)


def _disc(radius: float) -> npt.NDArray[np.uint8]:
    size = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)
