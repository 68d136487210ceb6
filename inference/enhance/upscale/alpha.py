"""Pictures with transparency: alpha is enlarged on its own, and the colours that it hides never reach the edge."""

import numpy as np
import numpy.typing as npt

from enhance.picture import AnyPicture, FloatPlanes, white

from .resample import REACH, enlarge

Sums = npt.NDArray[np.int64]
ROWS = 256  # of input at a time, so that the floats do not grow with the picture


def upscale_alpha(alpha: AnyPicture, scale: int) -> AnyPicture:
    """Alpha (height x width) `scale` times as large, by bicubic interpolation: clipping removes all of its ringing."""
    height, width = alpha.shape
    result: AnyPicture = np.empty((height * scale, width * scale), alpha.dtype)
    reach = REACH["bicubic"]
    padded = np.pad(alpha, reach, mode="edge")
    for top in range(0, height, ROWS):
        planes: FloatPlanes = padded[None, top : top + ROWS + 2 * reach].astype(np.float32)
        rows = enlarge(planes, scale, "bicubic")[0]
        result[top * scale : top * scale + rows.shape[0]] = np.clip(rows + 0.5, 0, white(alpha))
    return result


def visible_colours(picture: AnyPicture, reach: int) -> AnyPicture:
    """The RGB of a picture (h x w x 3 or 4), hidden colours replaced by fill_hidden()."""
    return fill_hidden(picture, reach) if picture.shape[2] == 4 else picture


def fill_hidden(picture: AnyPicture, reach: int) -> AnyPicture:
    """The RGB of a picture (h x w x 4), the colour of every fully transparent pixel taken from the visible ones near it.

    Such a pixel's own colour is arbitrary, often black, and a network would draw it into the visible edge as a fringe. The new
    colour is the mean, weighted by alpha, of the smallest square round the pixel with anything visible in it. A pixel farther
    than `reach` from everything visible influences nothing visible and keeps its colour. Sums are whole numbers, so a band of
    the picture gives the same colours as the whole.
    """
    colours = picture[:, :, :3].copy()
    for top in range(0, picture.shape[0], ROWS):
        above = min(top, reach)
        rows = picture[top - above : top + ROWS + reach]
        missing = rows[:, :, 3] == 0
        missing[:above] = missing[above + ROWS :] = False
        if missing.any():
            _fill(rows, missing, reach, colours[top - above :])
    return colours


def _fill(rows: AnyPicture, missing: npt.NDArray[np.bool_], reach: int, colours: AnyPicture) -> None:
    alpha = rows[:, :, 3:].astype(np.int64)
    weights = np.concatenate([rows[:, :, :3] * alpha, alpha], axis=2)
    table = np.pad(weights.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0), (0, 0)))
    at = np.nonzero(missing)
    for radius in _radii(reach):
        sums = _square_sums(table, at[0], at[1], radius)
        total = sums[:, 3:]
        seen = total[:, 0] > 0
        colours[at[0][seen], at[1][seen]] = ((sums[:, :3] + total // 2) // np.maximum(total, 1))[seen]
        at = (at[0][~seen], at[1][~seen])


def _radii(reach: int) -> list[int]:
    return sorted({min(2**power, reach) for power in range(max(reach, 1).bit_length() + 1)})


def _square_sums(table: Sums, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp], radius: int) -> Sums:
    """Sums over the square round each pixel, cut at the picture's edge, by a summed-area table."""
    top, bottom = np.maximum(rows - radius, 0), np.minimum(rows + radius + 1, table.shape[0] - 1)
    left, right = np.maximum(columns - radius, 0), np.minimum(columns + radius + 1, table.shape[1] - 1)
    sums: Sums = table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]
    return sums
