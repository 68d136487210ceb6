"""Edges where channels do not change together: red letters on green, magenta on grey, blue or green on black."""

from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import FloatPlanes

Run = Callable[[FloatPlanes], FloatPlanes]
Levels = npt.NDArray[np.uint8]
Values = npt.NDArray[np.integer[Any] | np.floating[Any]]

CONTRAST = 72, 104  # levels of 255 by which a channel changes within 3 x 3 pixels; noise and most of a photo change less
OVER_LUMA = 3, 4  # by how many times more than brightness; where that changes too, the network follows it
STRONG = 160, 220  # levels by which a channel changes; where others change less, a few photos would take twice as long
STILL = 0.1, 0.2  # of that, how much another channel changes: one that does not change at all gets waves from the others
SHARPNESS = 0.46, 0.58  # of a colour's range, how much it turns at a pixel: .25 where JPEG or video halved it, .5 and more else
LEAST_RANGE = np.uint8(4)  # levels: of less, a share would be of what is rounded away
REACH = 5
"""How far shares_of() depends on the pixels around."""
ROWS = 64  # of a picture at a time: letters here and there are not worth the rectangle around all of them
AROUND = np.ones((3, 3), np.uint8)
TURNS = (np.array([[-1, 2, -1]], np.float32), np.array([[-1], [2], [-1]], np.float32))


def hues_apart(run: Run, scale: int, eats: int, rows: int) -> Run:
    """A network that enlarges each channel as a grey picture where channels do not change together.

    Networks learnt from photographs, where channels rise and fall together; where they change against each other strokes get
    notches and gaps. run: the network, planes (3 x h x w, 0..1) to planes `scale` times as large, less `eats` input pixels on
    each side, REACH of them at least, so that tiles stay the whole. rows: how many at a time have rectangles
    round such colours; more for a network that takes as long for less. docs/decisions/0112.
    """

    def enlarge(planes: FloatPlanes) -> FloatPlanes:
        large = run(planes)
        shares = shares_of(planes)[:, eats:-eats, eats:-eats]
        if not shares.any():
            return large
        large = large.copy()  # the network's next answer may lie there
        for channel, share in enumerate(shares):
            for high, wide in _rectangles(share, rows):
                source = planes[channel, high.start : high.stop + 2 * eats, wide.start : wide.stop + 2 * eats]
                grey = run(np.repeat(source[None], 3, axis=0))[channel]
                target = large[channel, high.start * scale : high.stop * scale, wide.start * scale : wide.stop * scale]
                target += (grey - target) * share[high, wide].repeat(scale, axis=0).repeat(scale, axis=1)
        return large

    return enlarge


def shares_of(planes: FloatPlanes) -> FloatPlanes:
    """How far each sample (3 x h x w, 0..1) should be enlarged with its channel alone: 0 to 1.

    Where a file keeps colours at half the size, as most JPEGs do, they are blurred, and the network sharpens them by the
    brightness around: there it is 0.
    """
    levels: Levels = (planes * np.float32(255)).clip(0, 255).astype(np.uint8)
    luma: Levels = cv2.cvtColor(cv2.merge(list(levels)), cv2.COLOR_RGB2GRAY)
    luma_range = np.maximum(_range(luma), LEAST_RANGE)
    ranges: Levels = np.stack([_range(channel) for channel in levels]).astype(np.uint8)
    shares = [_share(*each, luma, luma_range) for each in zip(levels, ranges, strict=True)]
    return np.maximum(shares, _strong(levels, ranges, luma))


def _share(channel: Levels, contrast: Levels, luma: Levels, luma_range: Levels) -> FloatPlanes:
    marked = (contrast > CONTRAST[0]) & (contrast > luma_range.astype(np.uint16) * OVER_LUMA[0])
    if not marked.any():
        return np.zeros(channel.shape, np.float32)
    share = between(contrast, CONTRAST) * between(contrast / luma_range.astype(np.float32), OVER_LUMA)
    return _spread(share * _sharpness(channel, luma, LEAST_RANGE))


def _strong(levels: Levels, ranges: Levels, luma: Levels) -> FloatPlanes:
    """The share of all channels where one changes by much and another does not: yellow or green on black, yellow on red."""
    most, least = ranges.max(axis=0), ranges.min(axis=0)
    share = between(most, STRONG) * (1 - between(least / np.maximum(most, 1), STILL))
    if not share.any():
        return share
    # A colour that changes little against brightness, as the red of yellow letters on black, says little.
    return _spread(share * np.max([_sharpness(channel, luma, np.uint8(STILL[1] * STRONG[1])) for channel in levels], axis=0))


def _sharpness(channel: Levels, luma: Levels, least_range: np.uint8) -> FloatPlanes:
    """0 where a file kept this colour at half the size, 1 where at full size."""
    colour = channel.astype(np.float32) - luma
    turns = cv2.dilate(np.maximum(*(np.abs(cv2.filter2D(colour, -1, turn)) for turn in TURNS)), AROUND)
    whole = np.maximum(cv2.dilate(_range(colour), AROUND), least_range)
    return between(turns / whole, SHARPNESS)


def _spread(share: FloatPlanes) -> FloatPlanes:
    """Wider by a pixel, and with soft edges."""
    return np.asarray(cv2.GaussianBlur(cv2.dilate(share, AROUND), (5, 5), 1.0), np.float32)


def _range(values: Values) -> Values:
    """Of the 3 x 3 around each, the greatest less the least."""
    return cv2.morphologyEx(values, cv2.MORPH_GRADIENT, AROUND)


def between(values: Values, limits: tuple[float, float]) -> FloatPlanes:
    """0 at the first limit, 1 at the second."""
    low, high = limits
    return ((values.astype(np.float32) - np.float32(low)) * np.float32(1 / (high - low))).clip(0, 1)


def _rectangles(share: FloatPlanes, count: int) -> Iterator[tuple[slice, slice]]:
    """Around what is above 0, of so many rows at a time."""
    for top in range(0, len(share), count):
        marked = share[top : top + count] > 0
        if marked.any():
            rows, columns = (np.flatnonzero(marked.any(axis=axis)) for axis in (1, 0))
            yield slice(top + rows[0], top + rows[-1] + 1), slice(columns[0], columns[-1] + 1)
