"""The seam between lips, their edges and what is seen between them, made as soft as the picture they were put into."""

import cv2
import numpy as np

from enhance.geometry.area import Area
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.planes import Plane, Planes, even, halved
from enhance.render.mask import mark

from .grain import Noise

REACH = (1.0, 3.0)
"""Sigmas of the blur from the lips' inner edges: up to which all is blurred, and from which nothing is."""


def soften(
    out: Planes, mask: Plane, pose: Pose, inner: tuple[Array, Array], softness: float, noise: Noise, belief: float
) -> None:
    """Blurs `out` between the lips and close to them, gives it the picture's noise again, and marks it in `mask`.

    inner: the upper and the lower lip's inner contour as they are asked for, n x 3 in head coordinates. softness: sigma in S.
    belief: 0..1, how far the frame's mouth is replaced.
    """
    upper, lower = (pose.to_plane(line) for line in inner)
    reach, sigma = REACH[1] * softness, softness * pose.scale
    area = even(Area.around(pose.to_pixels(np.vstack([upper, lower])), reach * pose.scale), out.area)
    if area.is_empty:
        return
    x, y = np.moveaxis(pose.plane_of(area), -1, 0)
    top, bottom = (np.interp(x, line[:, 0], line[:, 1]) for line in (upper, lower))
    beside = np.maximum(upper[0, 0] - x, x - upper[-1, 0])
    away = np.hypot(np.maximum(np.maximum(top - y, y - bottom), 0), np.maximum(beside, 0)) / softness
    share = (belief * (1 - smoothstep(away, *REACH))).astype(np.float32)
    half = halved(area)
    for plane, part, blur in ((out.y, area, sigma), (out.u, half, sigma / 2), (out.v, half, sigma / 2)):
        here = plane[part.slices].astype(np.float32)
        size = (part.width, part.height)
        weight = share if part is area else cv2.resize(share, size, interpolation=cv2.INTER_AREA)
        soft = np.asarray(cv2.GaussianBlur(here, (0, 0), blur), np.float32)
        if plane is out.y:
            soft += noise.missing(soft, share, area)
        plane[part.slices] = np.clip(np.rint(here + weight * (soft - here)), 0, 255)
    mark(mask, area, share)
