"""What a plane shows above and below points of a face."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.planes import Plane

AROUND = np.array([-0.006, 0.0, 0.006])
"""Depths, in S, that make up a point."""


def column(plane: Plane | Floats, coarser: int, line: Array, depths: Array, pose: Pose, blur: float = 0) -> Array:
    """A plane's values above and below some points: points x depths. coarser: luma pixels per sample of the plane."""
    start = (pose.to_pixels(pose.to_plane(line)) - (coarser - 1) / 2) / coarser
    down = depths[:, None] * (pose.scale / coarser * pose.projection[:, 1] @ pose.basis)
    left, top = np.maximum(np.floor(start.min(axis=0) + np.minimum(down[0], down[-1])).astype(int) - 6, 0)
    right, bottom = np.maximum(np.ceil(start.max(axis=0) + np.maximum(down[0], down[-1])).astype(int) + 7, 0)
    window = plane[top:bottom, left:right].astype(np.float32)
    if window.size == 0:
        return np.zeros((len(line), len(depths)))
    if blur:
        window = np.asarray(cv2.GaussianBlur(window, (0, 0), blur), np.float32)
    x, y = (np.add.outer(start[:, i] - first, down[:, i]).astype(np.float32) for i, first in ((0, left), (1, top)))
    return cv2.remap(window, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
