"""Where a frame has its own upper teeth: the mesh has them up to .02 S off, and where they are seen they say it better."""

from functools import lru_cache
from math import hypot

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Plane
from enhance.render.lips.outline import Lips

from .aligned import HANGING, offset_of
from .layers import ROW, between_lips
from .merged import POINTS, REACH, Merged
from .skull import FRONT, Skull

DENSITY = 60.0  # pixels per S at which it is told
OVER_EDGE = 0.09  # S over the teeth's edge where they are looked at
LEAST_GAP = 0.03  # S between the lips, below which no teeth are looked for
LIKE = (0.65, 0.85)  # correlation from which they are believed to be the teeth, and fully
AREA = (0.001, 0.005)  # of them that is seen, in square S, from which their place is believed, and fully
FARTHEST = 0.008  # S that they are drawn off the mesh, at most: without knowing the frame before, more would show as jumps


def own_row(inside: Merged, frame: Plane, pose: Pose, lips: Lips, shift: float) -> tuple[float, float]:
    """x and y in S from where the mesh has the upper teeth to where the frame shows them; 0, 0 where it shows none.

    frame: luma. lips: as it has them. shift: S that its mouth sits lower than the subject's.
    """
    if lips.closed or lips.gap < LEAST_GAP:
        return 0.0, 0.0
    places, light, row = _sought(inside)
    there = Skull.between(FRONT, pose, inside.teeth, shift).of(places)
    column, line = np.moveaxis(pose.to_pixels(there).astype(np.float32), -1, 0)
    luma = np.asarray(cv2.remap(frame, column, line, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
    shown = between_lips(pose, lips, there).astype(np.float32)
    found = offset_of((luma, shown), (light, row), DENSITY, LIKE[0])
    if found is None:
        return 0.0, 0.0
    area = float((shown * row).sum()) / DENSITY**2
    share = ramp(found.like, *LIKE) * ramp(area, *AREA) * min(1.0, FARTHEST / max(hypot(found.x, found.y), FARTHEST))
    return share * found.x, share * found.y


@lru_cache(maxsize=16)
def _sought(inside: Merged) -> tuple[Array, Floats, Floats]:
    """Once for a clip: places (h x w x 2) in the front's plane, the luma that the upper teeth have there, and how far each
    place counts, 0..1."""
    x = np.arange(-ROW, ROW, 1 / DENSITY) + inside.left + REACH
    edge = np.interp(x, inside.left + (np.arange(POINTS) + 0.5) / POINTS * 2 * REACH, inside.edge)
    y = np.arange(edge.min() - OVER_EDGE, edge.max() + HANGING, 1 / DENSITY)
    column, row = ((at - first) * inside.density - 0.5 for at, first in ((x, inside.left), (y, inside.top)))
    width = round(inside.density / DENSITY)
    soft = cv2.blur(inside.upper[..., 0], (width, width))
    columns, rows = np.meshgrid(column.astype(np.float32), row.astype(np.float32))
    light = cv2.remap(soft, columns, rows, cv2.INTER_LINEAR)
    counted = smoothstep(edge + HANGING - y[:, None], 0.0, 0.006).astype(np.float32)
    return np.stack(np.meshgrid(x, y), axis=-1), np.asarray(light, np.float32), counted
