"""A patch of a still in RGB, rendered as the renderers see pictures: in 4:2:0 planes.

The planes have fewer chroma samples than the still and round each value, so only what rendering changed in them is brought
back: where nothing changed the still keeps its pixels to the bit.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.head import BadMouthError
from enhance.geometry.planes import Colours, Plane, Planes, even, from_rgb, halved, mean_of_four

STILL_COLOURS = Colours(0.2126, 0.0722, full=True)
"""BT.709's matrix, in which a portrait's video is coded; full range, so that rounding loses least."""

Rgb = npt.NDArray[np.uint8]


def check_rgb(values: npt.NDArray[Any]) -> Rgb:
    """Raises BadMouthError unless `values` are a patch, h x w x 3 uint8 with even sides."""
    fits = values.dtype == np.uint8 and values.ndim == 3 and values.shape[2] == 3 and 0 not in values.shape
    if not fits or values.shape[0] % 2 or values.shape[1] % 2:
        raise BadMouthError(f"expected RGB uint8 [height, width, 3] with even sides, got {values.dtype} {list(values.shape)}")
    return values


def planes_of_rgb(rgb: Rgb) -> Planes:
    """h x w x 3 RGB as planes in STILL_COLOURS; a chroma sample is the mean of its four pixels."""
    yuv = from_rgb(rgb.astype(np.float32), STILL_COLOURS)
    return Planes(_rounded(yuv[..., 0]), _rounded(mean_of_four(yuv[..., 1])), _rounded(mean_of_four(yuv[..., 2])))


def with_change(rgb: Rgb, before: Planes, after: Planes, mask: Plane) -> Rgb:
    """The still (h x w x 3 RGB) changed by what changed from `before` to `after`, where `mask` (h x w) is not 0.

    before: planes_of_rgb() of the still.
    """
    changed = rgb.copy()
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return changed
    area = even(Area(x, y, x + width, y + height), before.area)
    half = halved(area)
    pairs = ((after.y, before.y, area), (after.u, before.u, half), (after.v, before.v, half))
    parts = [cv2.subtract(new[part.slices], old[part.slices], dtype=cv2.CV_32F) for new, old, part in pairs]
    size = (area.width, area.height)
    change: Any = cv2.merge([cv2.resize(part, size, interpolation=cv2.INTER_NEAREST) for part in parts])
    change = cv2.transform(change, STILL_COLOURS.inverse)
    cv2.copyTo(cv2.add(rgb[area.slices], change, dtype=cv2.CV_8U), mask[area.slices], changed[area.slices])
    return changed


def _rounded(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return np.asarray(np.clip(np.floor(values + 0.5), 0, 255), np.uint8)
