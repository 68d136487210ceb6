"""Two pictures of a mouth mixed along the motion between them, so that no tooth is seen twice."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import smoothstep

SMALLEST = 24  # pixels of a side below which there is nothing to follow
LONGEST = 0.12  # of the picture's larger side, that a tooth may lie apart; what goes farther is not the same tooth
UNLIKE = (20.0, 45.0)  # grey levels between what was aligned: mixed as moved, mixed as it stands


def flow_blend(a: Floats, b: Floats, weight: float | Floats) -> Floats:
    """`a` at weight 0, `b` at 1, and between them a picture whose edges lie between theirs.

    a, b: h x w x c, luma 0..255 or what stands for it first; what comes after goes with it. weight: of b, one number or h x w.
    The motion is Kroeger et al., Fast Optical Flow using Dense Inverse Search (2016), as OpenCV has it.
    """
    share = np.broadcast_to(np.asarray(weight, np.float32), a.shape[:2])
    if min(a.shape[:2]) < SMALLEST or not ((share > 0) & (share < 1)).any():
        return _mixed(a, b, share)
    ahead = _motion(a, b)
    moved_a = _fetched(a, -share[..., None] * ahead)
    moved_b = _fetched(b, (1 - share)[..., None] * ahead)
    unlike = np.asarray(cv2.GaussianBlur(np.abs(moved_a[..., 0] - moved_b[..., 0]), (0, 0), 1.5), np.float32)
    length = np.hypot(ahead[..., 0], ahead[..., 1]) / (LONGEST * max(a.shape[:2]))
    follow = (1 - smoothstep(unlike, *UNLIKE)) * (1 - smoothstep(length, 0.7, 1.0))
    along, across = _mixed(moved_a, moved_b, share), _mixed(a, b, share)
    return np.asarray(across + follow.astype(np.float32)[..., None] * (along - across), np.float32)


def _motion(a: Floats, b: Floats) -> Floats:
    """Where each pixel of `a` is found in `b`, relative to itself: h x w x 2 pixels, smooth."""
    grey = [np.clip(p[..., 0] + 0.5, 0, 255).astype(np.uint8) for p in (a, b)]
    search = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    search.setFinestScale(0)
    found = search.calc(grey[0], grey[1], np.zeros((*grey[0].shape, 2), np.float32))
    return np.asarray(cv2.GaussianBlur(found, (0, 0), 1.0), np.float32)


def _fetched(picture: Floats, by: Floats) -> Floats:
    height, width = picture.shape[:2]
    x = by[..., 0] + np.arange(width, dtype=np.float32)
    y = by[..., 1] + np.arange(height, dtype=np.float32)[:, None]
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _mixed(a: Floats, b: Floats, share: Floats) -> Floats:
    return np.asarray((1 - share)[..., None] * a + share[..., None] * b, np.float32)
