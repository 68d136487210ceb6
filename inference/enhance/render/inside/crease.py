"""The dark line between lips that were apart in the frame and now touch."""

import numpy as np

from enhance.geometry.head import Array
from enhance.geometry.planes import Plane, Planes, from_rgb, paint
from enhance.render.lips.outline import ALONG, SAMPLES, Lips
from enhance.render.lips.shape import Asked, closeness
from enhance.render.mask import mark
from enhance.render.patch import Patch

from .interior import hole_of

HALF_HEIGHT = 0.0065
"""Of the line in its middle, in S."""
NARROWER = 0.7
"""Of that, what is missing at the corners."""
DARK = 0.5
"""Of the lips' colour."""
STRONGEST, FAINTEST = 0.85, 0.01
"""Opacity of the line at most, and that below which none is drawn."""


def draw_crease(out: Planes, mask: Plane, patch: Patch, lips: tuple[Lips, Asked], colour: Array, belief: float) -> None:
    """Draws the line into `out` and marks it in `mask`.

    lips: as the frame has them, as they are asked for. colour: RGB 0..255 of the lips in the frame's light.
    belief: 0..1, how far the frame's mouth is replaced.
    """
    own, asked = lips
    gap = float((asked.lower_inner - asked.upper_inner)[:, 1].max())
    opacity = STRONGEST * (1 - own.closed) * closeness(gap, own.gap) * belief
    if opacity < FAINTEST:
        return
    middle = (asked.upper_inner + asked.lower_inner) / 2
    half = np.zeros((SAMPLES, 3))
    half[:, 1] = HALF_HEIGHT * (1 - NARROWER * ALONG**2)
    hole = hole_of(Asked(middle - half, middle + half, middle, middle, 0.0, 0.0), patch.pose, out.area)
    if hole is None:
        return
    painted = np.broadcast_to((DARK * colour).astype(np.float32), (*hole.opacity.shape, 3))
    weight = np.clip(1.15 * hole.opacity, 0, 1) * np.float32(opacity)
    paint(out, from_rgb(painted, patch.colours), weight, hole.area)
    mark(mask, hole.area, weight)
