"""Blotches of colour that a coarse JPEG left, evened before a network enlarges it. docs/decisions/0146.

A JPEG rounds colours more coarsely than luma, mostly in blocks of 16 x 16 pixels. The network, which looks at a few pixels to
each side, leaves the steps between such blocks. Each difference of colour is fitted, around each pixel, as a linear function of
luma and of itself ("guided filter", He et al. 2010): it follows edges of luma and strong edges of colour, and weak steps
disappear.
"""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import LUMA, AnyPicture, white

from .threads import side_by_side

Floats = npt.NDArray[np.float32]

AROUND = 8  # pixels to each side in which a fit is made
REACH = 2 * AROUND
"""How far a pixel depends on its surroundings: its value is the mean of the fits of all squares that it lies in."""

_OF_LUMA, _OF_COLOUR = np.float32(30), np.float32(20)  # variances, squared levels of 255: what varies by less is smoothed
_ROWS = 256  # at a time, which bounds the memory
_BOX = np.full(2 * AROUND + 1, 1 / (2 * AROUND + 1), np.float32)


def with_even_colours(picture: AnyPicture, threads: int, before_rows: Callable[[], None]) -> AnyPicture:
    """A picture (h x w x 3 RGB) with the same luma and less blotched colours.

    Rows do not depend on what is farther than REACH from them. before_rows is called before some rows and may raise to stop.
    """
    height = len(picture)
    around = np.pad(picture, ((REACH, REACH), (REACH, REACH), (0, 0)), mode="symmetric")
    result = np.empty_like(picture)

    def even(top: int) -> None:
        many = min(_ROWS, height - top)
        result[top : top + many] = _evened(around[top : top + many + 2 * REACH], white(picture))

    side_by_side(even, range(0, height, _ROWS), threads, before_rows)
    return result


def _evened(rows: AnyPicture, most: int) -> AnyPicture:
    """Rows with REACH pixels more on each side, without these."""
    levels = np.asarray(rows * np.float32(255 / most), np.float32)
    luma: Floats = np.asarray(levels @ LUMA, np.float32)
    of_luma = _mean(luma)
    variance = _mean(luma * luma) - of_luma**2 + _OF_LUMA
    inside = (slice(REACH, -REACH), slice(REACH, -REACH))

    def fitted(channel: int) -> Floats:
        plane = levels[:, :, channel] - luma
        mean = _mean(plane)
        own, both = _mean(plane * plane) - mean**2, _mean(luma * plane) - of_luma * mean
        determinant = variance * (own + _OF_COLOUR) - both**2
        by_luma, by_own = both * _OF_COLOUR / determinant, (variance * own - both**2) / determinant
        rest = mean - by_luma * of_luma - by_own * mean
        return np.asarray(_mean(by_luma)[inside] * luma[inside] + _mean(by_own)[inside] * plane[inside] + _mean(rest)[inside])

    red, blue = fitted(0), fitted(2)
    green = -(LUMA[0] * red + LUMA[2] * blue) / LUMA[1]
    even = (np.stack([red, green, blue], axis=2) + luma[inside][:, :, None]) * (most / 255)
    return np.asarray(np.rint(even).clip(0, most), rows.dtype)


def _mean(plane: Floats) -> Floats:
    """Over the square around each pixel; what is nearer than AROUND to the border is not used."""
    return np.asarray(cv2.sepFilter2D(plane, -1, _BOX, _BOX), np.float32)
