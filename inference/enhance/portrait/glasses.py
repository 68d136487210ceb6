"""Glasses of a drawn face, which look like two large eyes: a bridge joins them, and the eyes lie inside.

docs/decisions/0178.
"""

import cv2
import numpy as np

from enhance.geometry.frame import Floats
from enhance.masks import widened
from enhance.picture import Mask, Picture

Placed = tuple[tuple[slice, slice], Mask]
"""A mask, and the rows and columns of the picture where it lies."""

THICKEST = 0.11  # units from the upper to the lower edge of a bridge, at most; hair between two eyes is higher
UNLIKE = 22.0  # levels of 255, in any channel, by which a bridge differs from skin, and an eye from the glass before it

BIN = 24  # levels: a side of the cubes in which colours are counted


def has_bridge(picture: Picture, right: Placed, left: Placed, skin: Floats, unit: float) -> bool:
    """Whether a line goes from one drawn eye (right: the one at the left of the picture) to the other, level with both.

    picture: h x w x 3 uint8 RGB. skin: RGB. unit: pixels.
    """
    (rows, columns), (other_rows, other_columns) = _extent(right), _extent(left)
    level = slice(max(rows.start, other_rows.start), min(rows.stop, other_rows.stop))
    eyes = [_laid(placed, picture.shape[:2])[level, columns.start : other_columns.stop] for placed in (right, left)]
    if min(eyes[0].shape) == 0:
        return False
    seen = picture[level, columns.start : other_columns.stop].astype(np.float32)
    line = (np.abs(seen - skin).max(axis=2) > UNLIKE) & ~eyes[0] & ~eyes[1]
    _, labels = cv2.connectedComponents(line.astype(np.uint8), connectivity=8)
    at_right, at_left = (labels[widened(eye, 1)] for eye in eyes)
    for label in np.intersect1d(at_right, at_left):
        high = (labels == label).sum(axis=0)
        if label and np.median(high[high > 0]) < THICKEST * unit:
            return True
    return False


def through_glasses(picture: Picture, glasses: tuple[Placed, Placed]) -> tuple[Picture, list[Floats]]:
    """The picture with all but the inside of both glasses painted in the colour of the glass (each up to the middle between
    the two), and these colours, RGB."""
    seen = picture.copy()
    middle = (_extent(glasses[0])[1].stop + _extent(glasses[1])[1].start) // 2
    colours: list[Floats] = []
    for (box, mask), half in zip(glasses, (slice(None, middle), slice(middle, None)), strict=True):
        here = picture[box].astype(np.float32)
        colour = _most_frequent(here[mask])
        glass = _filled(mask & (np.abs(here - colour).max(axis=2) < UNLIKE))
        seen[:, half] = colour.astype(np.uint8)
        seen[box][glass] = picture[box][glass]
        colours.append(colour)
    return seen, colours


def _most_frequent(colours: Floats) -> Floats:
    """The median RGB of those of n x 3 colours that are about as the most frequent one."""
    kinds = (colours // BIN) @ np.array([1, 256, 65536])
    found, counts = np.unique(kinds, return_counts=True)
    return np.asarray(np.median(colours[kinds == found[counts.argmax()]], axis=0))


def _laid(placed: Placed, size: tuple[int, ...]) -> Mask:
    """A mask on a picture of a size (height, width)."""
    box, mask = placed
    whole = np.zeros(size[:2], np.bool_)
    whole[box] = mask
    return whole


def _extent(placed: Placed) -> tuple[slice, slice]:
    """Rows and columns of the picture that a mask takes."""
    (rows, columns), mask = placed
    y, x = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    top, left = int(rows.start), int(columns.start)
    return slice(top + int(y[0]), top + int(y[-1]) + 1), slice(left + int(x[0]), left + int(x[-1]) + 1)


def _filled(mask: Mask) -> Mask:
    """The largest piece of a mask with all that it encloses."""
    outlines, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros(mask.shape, np.uint8)
    if outlines:
        cv2.drawContours(whole, [max(outlines, key=cv2.contourArea)], 0, (1,), -1)
    return whole > 0
