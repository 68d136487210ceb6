"""An object on a half-clear layer, such as its soft shadow, a glow or an outline: one edge, in colours and in alpha.

Colours and alpha are enlarged separately, so these edges end up to half an original pixel apart: a white star on a shadow gets
grey dashes, a red button a black line. There, the colour of a sample follows from its alpha. docs/decisions/0168.
"""

import cv2
import numpy as np

from enhance.picture import AnyPicture, FloatPlanes, white

from .alpha import EDGE_REACH, without_background
from .hues import AROUND, between
from .threads import side_by_side

REACH = EDGE_REACH + 3
"""How far a colour depends on the picture around, in pixels of the original: a fit, the mean of fits, and interpolation."""

ROWS = 16  # of the original at a time: what is computed of them stays in the processor's cache
COLOURS = 40, 80  # levels of 255 by which colours differ in 3 x 3 pixels: from the first it is used, from the second in full
ALPHA = 80, 140  # and alpha, which else tells too little
ERROR = 5, 12  # levels of premultiplied colour, of the fit: up to the first it is used in full, from the second not at all


def join_edges(large: AnyPicture, picture: AnyPicture, threads: int = 1) -> None:
    """Changes the colours of `large`, in place, an enlargement of `picture` (both h x w x 4, RGB and straight alpha)."""
    height, scale = len(picture), len(large) // len(picture)

    def rows(top: int) -> None:
        first, bottom = max(top - REACH, 0), min(top + ROWS, height)
        part = picture[first : bottom + REACH]
        if ((part[:, :, 3] > 0) & (part[:, :, 3] < white(part))).any():
            _join(large[top * scale : bottom * scale], part, slice(top - first, bottom - first))

    side_by_side(rows, range(0, height, ROWS), threads)


def _join(large: AnyPicture, part: AnyPicture, rows: slice) -> None:
    """large: an enlargement of these rows of `part`."""
    share, slope, base = _fits(part)
    marked = np.flatnonzero(share.any(axis=0))
    if not marked.size:
        return
    scale, most = large.shape[1] // part.shape[1], np.float32(white(large))
    # One more on each side for the interpolation, and one more that it reads.
    first, last = max(int(marked[0]) - 1, 0), int(marked[-1]) + 2
    left = max(first - 1, 0)
    target = large[:, first * scale : last * scale]

    def enlarged(values: FloatPlanes) -> FloatPlanes:
        values = values[:, left : last + 1]
        wide = cv2.resize(values, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
        begin = (first - left) * scale
        return np.asarray(wide[rows.start * scale : rows.stop * scale, begin : begin + target.shape[1]], np.float32)

    alpha = target[:, :, 3:].astype(np.float32)
    colours = (enlarged(slope) * alpha + enlarged(base) * most) * (most / np.maximum(alpha, 1))
    np.clip(colours, 0, most, out=colours)
    colours -= target[:, :, :3]
    colours *= enlarged(share)[:, :, None]
    target[:, :, :3] = (target[:, :, :3] + colours + np.float32(0.5)).astype(large.dtype)


def _fits(part: AnyPicture) -> tuple[FloatPlanes, FloatPlanes, FloatPlanes]:
    """How far alpha tells the premultiplied colour of a pixel (h x w, 0 to 1); the slope and the base (h x w x 3) by which.

    Between two layers of one colour and one alpha each, premultiplied colour is linear in alpha. The line is fitted to 3 x 3
    pixels; slope and base are then means over the 3 x 3 fits around, as in a guided filter.
    """
    pixels = without_background(part).astype(np.float32) * np.float32(1 / white(part))
    colours: FloatPlanes = pixels[:, :, :3]
    alpha: FloatPlanes = pixels[:, :, 3:]
    most = cv2.dilate(np.where(alpha == 0, np.float32(0), colours), AROUND)
    least = cv2.erode(np.where(alpha == 0, np.float32(1), colours), AROUND)
    of_alpha = np.asarray(cv2.morphologyEx(alpha[:, :, 0], cv2.MORPH_GRADIENT, AROUND), np.float32)
    share = between(255 * (most - least).max(axis=2), COLOURS) * between(255 * of_alpha, ALPHA)
    if not share.any():
        return share, colours, colours
    premultiplied = colours * alpha
    mean, mean_alpha = _mean(premultiplied), _mean(alpha)
    covariance = _mean(premultiplied * alpha) - mean * mean_alpha
    variance = _mean(alpha * alpha) - mean_alpha**2
    slope: FloatPlanes = covariance / np.maximum(variance, np.float32(1e-5))
    squared = _mean(premultiplied * premultiplied) - mean**2 - slope * covariance
    share *= 1 - between(255 * np.sqrt(np.maximum(squared.max(axis=2), 0)), ERROR)
    return share, _mean(slope), _mean(mean - slope * mean_alpha)


def _mean(values: FloatPlanes) -> FloatPlanes:
    """Over 3 x 3 pixels of h x w x channels."""
    mean = cv2.blur(values, (3, 3), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(mean.reshape(values.shape), np.float32)
