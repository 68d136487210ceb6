"""Where the picture ends within a patch: at a black bar, at the edge of a tile of a video call or of a picture in a picture."""

import cv2
import numpy as np

from enhance.geometry.area import Area
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import OUTER_RING
from enhance.geometry.planes import Planes, even, full_chroma
from enhance.picture import Mask

from .letters import around

STEP, WHOLE = 16, 0.95
"""A border is a row of pixels of which at least the share WHOLE has such a step, in levels of Y, U and V together. On 43 clips
of people the largest share is .77 down to .8 S below the mouth, and .84 at a collar."""
BESIDE, BELOW = 0.5, 0.9
"""S to both sides of the middle of the mouth, and below it, in which it is sought: farther below hardly anything moves, and the
edge of a dress can be as straight."""
APART = 3
"""Rows between which a step is measured: half of a step of chroma lies in each of two rows."""


def border_below(planes: Planes, head: Array, pose: Pose, written: Mask) -> int | None:
    """The row of the patch from which on it shows something else than the picture with the face; None where it has no border
    below the middle of the mouth. head: 478 x 3 in head coordinates. written: h x w, what is known to lie over the picture: a
    box of letters ends as straight, but the picture goes on below it."""
    x, y = pose.to_pixels(pose.to_plane(head[list(OUTER_RING)])).mean(axis=0)
    corners = np.array([[x - BESIDE * pose.scale, y], [x + BESIDE * pose.scale, y + BELOW * pose.scale]])
    area = even(Area.around(corners, 0), planes.area)
    if min(area.width, area.height) <= APART:
        return None
    parts = (planes.y[area.slices], *full_chroma(planes, area))
    luma, u, v = (cv2.absdiff(part[APART:], part[:-APART]) for part in parts)
    shares = (cv2.add(cv2.add(luma, u), v) > STEP).mean(axis=1)
    near = around(written[area.slices], APART).any(axis=1)
    edges = np.flatnonzero((shares > WHOLE) & ~near[:-APART])
    return area.y + int(edges[0]) + 1 if len(edges) else None
