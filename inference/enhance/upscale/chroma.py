"""Chroma of 4:2:0 twice as large, with the edges of luma.

Luma has twice the resolution of chroma. Where an edge of brightness is one of colour as well, as of yellow letters on black,
luma tells where in between it lies and how sharp it is. docs/decisions/0161.
"""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

Plane = npt.NDArray[np.uint8]
"""height x width: luma, Cb or Cr."""
Values = npt.NDArray[np.float32]

LEAST_VARIANCE = 30
"""Of luma around, in levels squared: chroma follows half as much where luma varies by that, as by noise and by compression."""

SLOPES = 64
"""Slopes are rounded to so many parts of 1. So float32 holds all sums exactly, in any order: a part of a frame comes out as it
does within the whole."""

GREY = np.float32(128)
CUBIC = np.array([[-1, 15, 123, -9, 0], [0, -14, 96, 54, -8]], np.float32) / 128
LINEAR = np.array([[0, 16, 112, 0, 0], [0, 0, 80, 48, 0]], np.float32) / 128
"""Of five samples around each: its left one of two columns, which lies 1/8 before it, and its right one, 3/8 behind it."""


def double_chroma(planes: Sequence[Plane], luma: Plane) -> list[Plane]:
    """Cb and Cr of a luma twice as large: as many samples as `luma`, of which they had half the rows and columns, rounded up.

    Samples lie on the left one of two columns of luma, and between two rows. Each plane is interpolated (bicubic); what luma
    differs from its own interpolation is added, times the slope of chroma over luma in 3 x 3 samples (least squares);
    limit_opposites() follows. A sample depends on five pixels of luma to each side.
    """
    height, width = luma.shape
    even = np.pad(luma, ((0, height % 2), (0, width % 2)), mode="edge")
    small = _at_chroma(even)
    detail = _at_result(even) - _twice(small, CUBIC, cv2.INTER_CUBIC)
    sums = _sums(small)
    spread = 9 * _sums(small * small) - sums * sums + np.float32(81 * LEAST_VARIANCE)

    def double(plane: Plane) -> Plane:
        values = plane.astype(np.float32) - GREY
        slope = (9 * _sums(values * small) - _sums(values) * sums) / spread
        slope = np.rint(slope * SLOPES) * np.float32(1 / SLOPES)
        large = _twice(slope, LINEAR, cv2.INTER_LINEAR)
        large *= detail
        large += _twice(values, CUBIC, cv2.INTER_CUBIC)
        rounded = _rounded(large)
        limit_opposites(rounded, plane)
        return rounded[:height, :width]

    return [double(plane) for plane in planes]


def interpolate_chroma(plane: Plane) -> Plane:
    """Cb or Cr with twice the rows and columns, as double_chroma() has it without a luma."""
    return _rounded(_twice(plane.astype(np.float32) - GREY, CUBIC, cv2.INTER_CUBIC))


def limit_opposites(large: Plane, plane: Plane) -> None:
    """Changes `large`, twice as large as `plane`, in place, so that it has no colours opposite to those of `plane`.

    Where 3 x 3 samples of `plane` lie farther from GREY on one side, `large` lies no farther on the other side than they do.
    White letters with black outlines on skin are no line of chroma over luma: its slope made them green. docs/decisions/0280.
    """
    around = np.ones((3, 3), np.uint8)
    grey = np.full_like(plane, GREY)
    least, most = np.minimum(cv2.erode(plane, around), grey), np.maximum(cv2.dilate(plane, around), grey)
    below, above = grey - least, most - grey
    least &= cv2.compare(below, above, cv2.CMP_LE)  # 255 where it is so, 0 elsewhere
    most |= cv2.compare(below, above, cv2.CMP_LT)
    rows = large.reshape(len(plane), 2, -1)
    for bound, limits in ((np.maximum, least), (np.minimum, most)):
        wide = (limits * np.uint16(0x101)).view(np.uint8)  # each sample twice, in an eighth of the time of repeat()
        bound(rows, wide[:, None], out=rows)


def _rounded(values: Values) -> Plane:
    values += GREY + np.float32(0.5)
    return np.clip(values, 0, 255, out=values).astype(np.uint8)


def _at_chroma(luma: Plane) -> Values:
    """Luma where chroma lies, less GREY, rounded."""
    rows = luma[0::2].astype(np.uint16) + luma[1::2]
    before = np.hstack([rows[:, 1:2], rows[:, 1:-1:2]])
    return np.asarray((before + 2 * rows[:, 0::2] + rows[:, 1::2] + 4) >> 3, np.float32) - GREY


def _at_result(luma: Plane) -> Values:
    """Luma where the doubled chroma lies, less GREY: in the same rows, a quarter of a pixel farther left."""
    values = luma.astype(np.float32) - GREY
    quarter = np.array([[0.25, 0.75, 0]], np.float32)
    return np.asarray(cv2.filter2D(values, -1, quarter, borderType=cv2.BORDER_REPLICATE), np.float32)


def _twice(values: Values, taps: Values, rows: int) -> Values:
    """Twice as many rows, by a way of OpenCV's, and columns."""
    height, width = values.shape
    tall = cv2.resize(values, (width, 2 * height), interpolation=rows)
    large = np.empty((2 * height, 2 * width), np.float32)
    for column, kernel in enumerate(taps):
        large[:, column::2] = cv2.filter2D(tall, -1, kernel[None], borderType=cv2.BORDER_REPLICATE)
    return large


def _sums(values: Values) -> Values:
    """Over 3 x 3."""
    return np.asarray(cv2.boxFilter(values, -1, (3, 3), normalize=False, borderType=cv2.BORDER_REPLICATE), np.float32)
