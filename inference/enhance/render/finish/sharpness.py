"""How sharp a frame shows the face, so that what is drawn into a blurred one is as blurred."""

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, median, ramp
from enhance.geometry.planes import Planes
from enhance.softness import softening

FINEST = 0.02  # S: what is finer is detail
SHARP, BLURRED = 0.76, 0.42  # detail, of the subject's: no blur, full blur. Faces that only speak keep 0.80
MOST = 0.012  # S: sigma of the largest blur
LEAST = 0.5  # grey levels: a place with less detail, as skin in a flat drawing, tells nothing
PLACES = ((1, 2, 98, 327, 195), (33, 133, 159, 145), (263, 362, 386, 374), (152, 200, 176, 400), (2, 200, 57, 287))
"""Nose, eyes, chin, mouth. Each is fooled by something, a mouth by its teeth, eyes by their lids: most of them are not."""
SHARPEST = (*PLACES[:3], PLACES[4])
"""Nose, eyes and mouth, whose edges tell how soft a picture is. A chin may have none."""
AROUND = 0.06  # S


def detail(planes: Planes, head: Array, pose: Pose) -> Array:
    """Of each of PLACES, the mean of what is finer than FINEST, in grey levels; 0 where it lies off the patch."""
    return np.array([_detail(_luma_at(place, planes, head, pose), pose.scale) for place in PLACES])


def _detail(part: Floats, scale: float) -> float:
    if min(part.shape) < 2:
        return 0.0
    return cv2.norm(part, cv2.GaussianBlur(part, (0, 0), max(1.0, FINEST * scale)), cv2.NORM_L1) / part.size


def softness_of(planes: Planes, head: Array, pose: Pose) -> float:
    """Sigma in S of the blur that makes what is drawn as soft as the sharpest of nose, eyes and mouth; 0 in a sharp picture.

    An eye behind dark glasses, or a mouth behind a mask, has no edges that could tell.
    """
    lumas = [_luma_at(place, planes, head, pose) for place in SHARPEST]
    return softening([(luma, np.ones(luma.shape, bool)) for luma in lumas], pose.scale) / pose.scale


def _luma_at(place: tuple[int, ...], planes: Planes, head: Array, pose: Pose) -> Floats:
    """The luma round one of PLACES, h x w; empty where it lies off the patch."""
    area = Area.around(pose.to_pixels(pose.to_plane(head[list(place)])), AROUND * pose.scale).clipped(planes.area)
    # The slices of an empty area may end before 0, which numpy counts from the other end.
    return planes.y[np.s_[:0, :0] if area.is_empty else area.slices].astype(np.float32)


def blur_of(seen: Array, usual: Array) -> float:
    """Sigma in S."""
    both = (seen > 0) & (usual > LEAST)
    if not both.any():
        return 0.0
    return MOST * (1 - ramp(float(median(seen[both] / usual[both])), BLURRED, SHARP))
