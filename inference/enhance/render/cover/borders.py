"""Where the picture ends within a patch: at a black bar, at the edge of a tile of a video call or of a picture in a picture."""

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import OUTER_RING
from enhance.geometry.planes import Plane, Planes, even, halved
from enhance.masks import widened
from enhance.picture import Mask

from .steps import APART, have_steps

BESIDE, BELOW = 0.5, 0.9
"""S to both sides of the middle of the mouth, and below it, in which it is sought: farther below hardly anything moves, and the
edge of a dress can be as straight."""
COLUMNS, FAINT, ALONE, MOST = 24, 4, 2, 0.62
"""A faint border, as between a picture and its blurred copy, goes across the whole patch. The width is divided into
COLUMNS blocks; in more than the share MOST of them the mean steps by more than FAINT levels, and by more than ALONE times what
it steps APART rows above and below. In 637 patches of 50 clips and 39 pictures the largest share is .58; borders to blurred
copies have .67 and more."""


def border_below(planes: Planes, head: Array, pose: Pose, written: Mask) -> int | None:
    """The row of the patch from which on it shows something else than the picture with the face; None where it has no border
    below the middle of the mouth. head: 478 x 3 in head coordinates. written: h x w, what is known to lie over the picture: a
    box of letters ends as straight, but the picture goes on below it."""
    x, y = pose.to_pixels(pose.to_plane(head[list(OUTER_RING)])).mean(axis=0)
    corners = np.array([[x - BESIDE * pose.scale, y], [x + BESIDE * pose.scale, y + BELOW * pose.scale]])
    area = even(Area.around(corners, 0), planes.area)
    if min(area.width, area.height) <= 3 * APART:
        return None
    near = widened(written[area.slices], APART).any(axis=1)
    edges = np.flatnonzero((have_steps(planes, area) | _has_faint_steps(planes, area)) & ~near[:-APART])
    return area.y + int(edges[0]) + 1 if len(edges) else None


def _has_faint_steps(planes: Planes, area: Area) -> Mask:
    """Of each of these rows: whether it has faint steps in most of the patch's width (MOST)."""
    wide = Area(0, area.y, planes.area.right, area.bottom)
    half = halved(wide)
    y, u, v = (_block_means(part) for part in (planes.y[wide.slices], planes.u[half.slices], planes.v[half.slices]))
    blocks = np.stack([y, *(np.repeat(part, 2, axis=0)[: len(y)] for part in (u, v))], axis=-1)
    steps = np.abs(blocks[APART:] - blocks[:-APART]).sum(axis=2)
    faint = np.zeros(len(steps), np.bool_)
    middle, others = steps[APART:-APART], np.maximum(steps[: -2 * APART], steps[2 * APART :])
    faint[APART:-APART] = ((middle > FAINT) & (middle > ALONE * others)).mean(axis=1) > MOST
    return faint


def _block_means(plane: Plane) -> Floats:
    """Of each row, the means of COLUMNS blocks of columns."""
    return np.asarray(cv2.resize(plane.astype(np.float32), (COLUMNS, len(plane)), interpolation=cv2.INTER_AREA), np.float32)
