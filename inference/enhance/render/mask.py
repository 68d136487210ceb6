"""Which pixels of a patch lie within contours, and which were changed."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.planes import Plane, Planes, full_yuv, halved, mean_of_four

ALL = 0.998
"""Share of a pixel from which it is kept exactly as it was."""
CHANGED, AROUND = (8.0, 20.0), 3.0
"""Levels of Y, U or V, a mean over AROUND pixels (sigma), by which a new mouth changes what was made up beside a thing: up to
the first it is not seen to move, from the second on it is. AROUND: what is narrower than some pixels is not seen either."""


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


def put_back(out: Planes, mask: Plane, planes: Planes, bare: Planes, area: Area, opacity: Floats, beside: Floats) -> None:
    """Lays what was taken off `planes` before the mouth was rendered in front of `out` again, and takes it out of the mask.

    bare: what it was rendered from, the planes with that taken off. opacity, beside: of the area's size (even origin), 0..1:
    how much of each pixel is the thing's own, and how much was taken off with what lies beside it, which goes back where
    nothing is seen to move.
    """
    part = mask[area.slices]
    change = cv2.GaussianBlur(np.abs(full_yuv(out, area) - full_yuv(bare, area)).max(axis=2), (0, 0), AROUND)
    moved = np.where(beside > 0, np.minimum(part / np.float32(255), smoothstep(change, *CHANGED)), 1)
    kept = np.asarray(1 - (1 - opacity) * moved, np.float32)
    half, weight = halved(area), mean_of_four(kept)
    for new, was, share, where in (
        (out.y, planes.y, kept, area),
        (out.u, planes.u, weight, half),
        (out.v, planes.v, weight, half),
    ):
        _keep(new[where.slices], was[where.slices], share)
    part[...] = np.where(kept > ALL, 0, part)


def _keep(new: Plane, was: Plane, share: Floats) -> None:
    mixed = np.where(share > ALL, was, new + share * (was.astype(np.float32) - new) + 0.5)
    new[...] = np.where(share > 0, np.clip(mixed, 0, 255), new).astype(np.uint8)
