"""How sharp a frame shows the face, so that what is drawn into a blurred one is as blurred."""

import cv2
import numpy as np

from .mesh import Array, Pose, ramp
from .planes import Planes

FINEST = 0.02  # S: what is finer is detail
SHARP, BLURRED = 0.88, 0.50  # detail against the subject's: nothing is done, all of it
MOST = 0.012  # S: sigma of the largest blur
AROUND = (2, 200, 57, 287)  # nose base, chin, and beside the corners: skin and lips, whatever the mouth does


def detail(planes: Planes, head: Array, pose: Pose) -> float:
    """Mean of what is finer than FINEST, in grey levels, round the mouth."""
    at = pose.to_pixels(pose.to_plane(head[list(AROUND)]))
    left, top = np.maximum(np.floor(at.min(axis=0)).astype(int), 0)
    right, bottom = np.maximum(np.ceil(at.max(axis=0)).astype(int), 0)
    part = planes.y[top:bottom, left:right].astype(np.float32)
    if min(part.shape) < 2:
        return 0.0
    return float(np.abs(part - cv2.GaussianBlur(part, (0, 0), max(1.0, FINEST * pose.scale))).mean())


def blur_of(seen: float, usual: float) -> float:
    """Sigma in S."""
    return MOST * (1 - ramp(seen / max(usual, 0.5), BLURRED, SHARP))
