"""The colours of the original, kept."""

import numpy as np

from enhance.picture import FloatPlanes

COLOUR_REACH = 4
"""Half the square over which colours are compared, in pixels of the original."""

LARGEST_SHIFT = 0.04  # flat colours were found shifted by up to 10 of 255; more than this is an edge or a detail


def keep_colours(large: FloatPlanes, small: FloatPlanes) -> None:
    """Moves `large` so that its flat colours are those of `small`, which it is an enlargement of.

    Networks shift flat colours: white comes out as 252, a grey of 128 as 134 after two passes, and the eye sees that
    beside the original or on a page around it. Only the mean over a square is moved: what the network cleaned away or
    drew finer stays (back-projection, which moves each pixel, brought noise and JPEG blocks back into the result).
    """
    channels, height, width = small.shape
    scale = large.shape[1] // height
    rows = large.reshape(channels, height, scale, width * scale)
    mean = rows.sum(axis=2).reshape(channels, height, width, scale).sum(axis=3) * np.float32(1 / scale**2)
    shift = _box((small - mean).clip(-LARGEST_SHIFT, LARGEST_SHIFT), COLOUR_REACH)
    rows += shift.repeat(scale, axis=2)[:, :, None]


def _box(planes: FloatPlanes, reach: int) -> FloatPlanes:
    """The mean over squares; beyond its edge the picture is taken to continue unchanged."""
    _, height, width = planes.shape
    padded = np.pad(planes, ((0, 0), (reach, reach), (reach, reach)), mode="edge")
    rows = sum(padded[:, shift : shift + height] for shift in range(2 * reach + 1))
    both = sum(np.asarray(rows)[:, :, shift : shift + width] for shift in range(2 * reach + 1))
    return np.asarray(both) * np.float32(1 / (2 * reach + 1) ** 2)
