"""How an upper lip changes the light on the teeth under it: it takes some, and adds some of its own colour.

docs/decisions/0085.
"""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array

STEP, PLACES = 0.008, 7
"""S from one place under the lip, at which it is known, to the next, and how many there are."""
SIZE = (PLACES, 3)
"""Of a shade: what all is multiplied by, and what is added to U and V of what is as light as the cheeks."""
USUAL = np.array([0.87, 0.90, 0.95, 0.97, 0.99, 1, 1]), np.array([0.21, 0.17, 0.115, 0.07, 0.035, 0.01, 0])
"""[PLACES] each: the light that is left, and the share that the lip gives, the medians of eight clips."""
NONE = np.tile([1.0, 0, 0], (PLACES, 1))
"""SIZE: no shade."""


def shade_under(shade: Array, under: Array) -> Floats:
    """The shade (SIZE) at distances (S) under the upper lip: h x w to h x w x 3."""
    place = (under * (1 / STEP) - 1).astype(np.float32)
    line = shade.astype(np.float32)[None]
    shaded = cv2.remap(line, place, np.zeros_like(place), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shaded, np.float32)
