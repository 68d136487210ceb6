"""The colours of a face at and round its lips."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.planes import Planes

from .outline import ALONG, SAMPLES

COLUMNS = np.arange(2, SAMPLES - 2, 2)
"""Of a contour's points, where lips are thick enough to be sampled."""
SIDES = ((165, 212, 204), (391, 432, 424))
"""Skin above, beside and below the lips, at the picture's left and right: it tells the light on them. Cheeks alone lie higher:
light that lamps or blinds send in bands is another there. docs/decisions/0075."""
STRANGE, LEAST = (20.0, 30.0), 1e-3
"""Levels of U and V by which a point differs from the median of its side, from which it is less likely skin (18 at most, in 15
clips), and from which it is a logo, a lamp or a microphone; and the share by which such a point still counts."""

AROUND = 0.02 * np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), axis=-1).reshape(9, 2)
"""S from a point to what is taken for its colour."""


def means(planes: Planes, pose: Pose, groups: list[Array]) -> Array:
    """Mean Y, U, V round the points of each group, groups x 3."""
    seen = sampled(planes, pose, np.vstack(groups))
    counts = np.array([len(group) for group in groups])
    return np.asarray(np.add.reduceat(seen, np.cumsum(counts) - counts) / counts[:, None])


def sampled(planes: Planes, pose: Pose, points: Array) -> Floats:
    """Mean Y, U, V round each point (head coordinates), points x 3."""
    probes = (pose.to_pixels(pose.to_plane(points))[:, None] + pose.scale * AROUND).astype(np.float32)
    fine, coarse = cv2.split(probes), cv2.split(probes / 2)
    seen = [
        cv2.remap(plane, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for plane, (x, y) in ((planes.y, fine), (planes.u, coarse), (planes.v, coarse))
    ]
    return np.asarray(cv2.reduce(np.vstack(seen), 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F), np.float32).reshape(3, -1).T


def light_across(planes: Planes, head: Array, pose: Pose) -> Array:
    """Y, U, V of the skin round the lips, from left to right: len(COLUMNS) x 3. head: 478 x 3 in head coordinates."""
    seen = sampled(planes, pose, head[np.ravel(SIDES)]).reshape(*np.shape(SIDES), 3)
    strange = np.linalg.norm((seen - np.median(seen, axis=1, keepdims=True))[..., 1:], axis=-1, keepdims=True)
    shares = np.maximum(1 - smoothstep(strange, *STRANGE), LEAST)
    left, right = (shares * seen).sum(axis=1) / shares.sum(axis=1)
    return np.asarray(left + (ALONG[COLUMNS, None] + 1) / 2 * (right - left), np.float64)
