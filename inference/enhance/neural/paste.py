"""What a network painted, put back into the frame's own planes without a seam."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.face.crop import Crop
from enhance.geometry.area import Area, Floats
from enhance.geometry.head import smoothstep
from enhance.geometry.planes import Colours, Plane, Planes, even, from_rgb, paint, to_rgb
from enhance.membrane import spread
from enhance.picture import Mask
from enhance.render.compose import Rendered
from enhance.render.finish.grain import noise_of
from enhance.render.mask import mark

from .crop import SIDE, place

FEATHER = 0.12
"""S over which the new mouth fades in from the border of what may change."""
LEAST_FEATHER = 4.0
"""Pixels."""
RIM = 0.5
"""Opacity below which a pixel counts as the rim, where old and new are to have the same colours."""
WHOLE = 0.999
"""Share of a pixel from which on it lies in the painted square."""


@dataclass(frozen=True)
class Painted:
    """What a network painted. square: 256 x 256 x 3 RGB, 0..255, of `crop`. scale: S in pixels."""

    square: Floats
    crop: Crop
    scale: float


def put_back(planes: Planes, colours: Colours, painted: Painted, allowed: Plane, grain: bool) -> Rendered:
    """The patch with the painted square in it.

    allowed: h x w, 0 where the patch may not change. grain: whether the frame's noise is added, which networks do not paint.
    """
    height, width = planes.y.shape
    inside = place(np.ones((SIDE, SIDE), np.float32), painted.crop, width, height) > WHOLE
    opacity = _feathered((allowed > 0) & inside, FEATHER * painted.scale)
    mask = np.zeros(planes.y.shape, np.uint8)
    area = _round(opacity, planes.area)
    if area.is_empty:
        return Rendered(planes, mask)
    opacity = opacity[area.slices]
    new = place(painted.square, painted.crop, width, height)[area.slices]
    rim = (opacity > 0) & (opacity < RIM)
    if rim.any():
        # What differs at the rim, carried smoothly over what lies within it (Perez et al. 2003).
        new += spread(to_rgb(planes, colours)[area.slices] - new, rim)
    yuv = from_rgb(np.clip(new, 0, 255), colours)
    if grain:
        yuv[..., 0] += noise_of(planes.y).missing(yuv[..., 0], opacity, area)
    out = planes.copy()
    paint(out, yuv, opacity, area)
    mark(mask, area, opacity)
    return Rendered(out, mask)


def _feathered(allowed: Mask, width: float) -> Floats:
    """0..1: 0 where it is not allowed, 1 from `width` pixels within the border on."""
    # The patch ends where the picture does, or far from the mouth: that is no border.
    grown = np.pad(allowed, 1, mode="edge").astype(np.uint8)
    distance = cv2.distanceTransform(grown, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
    return np.asarray(smoothstep(np.asarray(distance, np.float32), 0.0, max(width, LEAST_FEATHER)), np.float32)


def _round(opacity: Floats, within: Area) -> Area:
    """The pixels round what is not 0, from an even row and column on."""
    x, y, width, height = cv2.boundingRect((opacity > 0).astype(np.uint8))
    return even(Area(x, y, x + width, y + height), within)
