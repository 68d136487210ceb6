"""Which pixels of a patch lie within contours, and which were changed. docs/decisions/0204."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.planes import Plane


def within(shape: tuple[int, ...], pose: Pose, *contours: Array) -> npt.NDArray[np.bool_]:
    """The pixels of a patch (shape: h, w) that closed contours (n x 3, head coordinates) hold."""
    mask = np.zeros(shape[:2], np.uint8)
    for contour in contours:
        cv2.fillPoly(mask, [np.round(pose.to_pixels(pose.to_plane(contour))).astype(np.int32)], (1,))
    return mask > 0


def mark(mask: Plane, area: Area, opacity: Floats) -> None:
    """Raises the mask (h x w, 0..255) in `area` to the opacity (of the area's size, 0..1) with which it was painted."""
    part = mask[area.slices]
    np.maximum(part, np.ceil(np.clip(opacity, 0, 1) * 255).astype(np.uint8), out=part)
