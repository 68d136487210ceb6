"""How far the shade of the line between shut lips reaches into the lower one. docs/decisions/0120."""

import cv2
import numpy as np

from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.planes import Plane

from .column import column
from .outline import ALONG, Lips

STEP = 0.003
"""S between the depths in the lip at which its light is looked at."""
MOST = 0.021
"""S that shade reaches, at most: beyond, it is the lip's own."""
DEEP = 0.036
"""S below the line, where the lip has its own light."""
SHADE = (0.85, 0.95)
"""Of that light, up to which there is shade, and from which there is none."""
THIN = 0.3
"""Of a lip's height, that shade takes at most."""
DIM = 8.0
"""Grey levels added before one light is divided by another: below, differences are noise."""
BLUR = 0.004
"""Sigma in S by which luma is blurred before."""
ALIKE = 1.5
"""Sigma along the lip, in points of its contour."""


def shaded(luma: Plane, pose: Pose, lips: Lips, black: float) -> Array:
    """[SAMPLES]: S from the inner edge of the lower lip down to where the shade of the line between shut lips ends.

    black: its Y.
    """
    if not lips.closed:
        return np.zeros(len(ALONG))
    depths = np.arange(0.0, MOST + STEP / 2, STEP)
    seen = column(luma, 1, lips.lower_inner, np.append(depths, DEEP), pose, max(0.5, BLUR * pose.scale)) - black + DIM
    dark = np.cumprod(1 - smoothstep(seen[:, :-1] / seen[:, -1:], *SHADE), axis=1).sum(axis=1)
    far = np.minimum(STEP * dark, THIN * np.maximum((lips.lower_outer - lips.lower_inner)[:, 1], 0))
    return np.ravel(cv2.GaussianBlur(far[None], (0, 0), ALIKE, borderType=cv2.BORDER_REPLICATE))
