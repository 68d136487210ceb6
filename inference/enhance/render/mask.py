"""Which pixels of a patch were changed."""

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.planes import Plane


def mark(mask: Plane, area: Area, opacity: Floats) -> None:
    """Raises the mask (h x w, 0..255) in `area` to the opacity (of the area's size, 0..1) with which it was painted."""
    part = mask[area.slices]
    np.maximum(part, np.ceil(np.clip(opacity, 0, 1) * 255).astype(np.uint8), out=part)
