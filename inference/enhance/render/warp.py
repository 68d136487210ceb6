"""The patch's own pixels, moved so that lips, chin and cheeks lie as they are asked for."""

import cv2
import numpy as np

from enhance.geometry.planes import Plane, Planes, even, moved
from enhance.portrait.edges import Edges
from enhance.style import Style

from .finish.grain import sharpened
from .finish.streaks import evened
from .lips.crease import shaded
from .lips.field import LEAST, Field, displacement, seen_alone
from .lips.outline import Lips
from .lips.shape import Asked
from .lips.skin import pull
from .patch import Patch
from .quality import Quality
from .window import Window


def warp(patch: Patch, own: Lips, asked: Asked, quality: Quality, style: Style, edges: Edges | None) -> tuple[Planes, Plane]:
    """The planes with the lips moved from `own` to `asked`, and the mask: 255 where a pixel moved by half a pixel or more.

    edges: what does not bend, of a portrait.
    """
    planes, pose = patch.planes, patch.pose
    field = Field(pull(patch.head, own, asked, pose, shaded(planes.y, pose, own, patch.colours.black)), pose)
    line = pose.to_plane((asked.upper_inner + asked.lower_inner) / 2)
    window = Window(patch, own, asked)
    by, area = displacement(field, line, window, window.reach)
    mask = np.zeros(planes.y.shape, np.uint8)
    if area.is_empty:
        return planes.copy(), mask
    if edges is not None:
        by = edges.hold(by, area)
    grown = even(area, planes.area)
    if grown != area:
        by = np.pad(by, ((area.y - grown.y, grown.bottom - area.bottom), (area.x - grown.x, grown.right - area.right), (0, 0)))
    across, down = (np.asarray(part, np.float32) for part in cv2.split(by))
    if quality.fine_mask:
        across, down = seen_alone((across, down), pose.scale)
    length = np.maximum(np.abs(across), np.abs(down))
    changed = np.asarray(length > LEAST)
    # In proportion below half a pixel.
    mask[grown.slices] = cv2.convertScaleAbs(length, alpha=510) * changed
    out = moved(planes, (across, down), grown, changed)
    if style == "photo":
        evened(out, (across, down), grown)
    if quality.grain:
        sharpened(out.y, planes.y, (across, down), grown, changed)
    return out, mask
