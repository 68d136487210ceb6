"""What is laid over the picture - captions, names, watermarks, bars - and stays where it is while the face moves."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import NOSE_BASE, OUTER_RING
from enhance.geometry.planes import Planes, even, full_yuv
from enhance.masks import narrowed, widened
from enhance.membrane import spread
from enhance.picture import Mask
from enhance.render.mask import within

from .borders import border_below
from .expected import INNER_RING, JAW
from .letters import letters_in, may_be_sharp, may_be_written
from .overlay import ALL, Overlay

MARGIN = 0.05
"""S round the mouth and within the outline of the face, where it may be sharp by itself."""
BLUR = 1.0
"""Pixels: sigma of the edge between what stays and what moves."""
BESIDE = 0.035
"""S round letters that are taken off with them."""
MOST_OF_MOUTH = 0.2
"""Share of the mouth behind letters, from which the frame is left alone."""


@dataclass(frozen=True)
class Captions(Overlay):
    """What is written over a patch."""

    hides_mouth: bool
    """Whether too much of the mouth lies behind them for another one to be painted there."""


def captions_over(planes: Planes, head: Array, pose: Pose) -> Captions | None:
    """What is laid over the lower face or beside it; None where nothing is. head: 478 x 3 in head coordinates."""
    written = _written(planes, head, pose)
    border = border_below(planes, head, pose, written)
    if border is not None:
        written[border:] = True
    return _captions(planes, written, head, pose) if written.any() else None


def without_captions(planes: Planes, head: Array, pose: Pose) -> Planes:
    """The planes without what is written over them. head: 478 x 3 in head coordinates."""
    written = captions_over(planes, head, pose)
    return written.taken_off(planes) if written else planes


def _written(planes: Planes, head: Array, pose: Pose) -> Mask:
    """The pixels of letters and of what they stand on."""
    nothing = np.zeros(planes.y.shape, np.bool_)
    nose = max(0, int(pose.to_pixels(pose.to_plane(head[NOSE_BASE][None]))[0, 1]))
    below = planes.y[nose:]
    if not may_be_sharp(below, pose.scale):
        return nothing
    mouth, face = _mouth_and_face(planes.y.shape, head, pose, nose)
    if not may_be_written(below, mouth[nose:], face[nose:], pose.scale):
        return nothing
    between = within(planes.y.shape, pose, head[list(INNER_RING)])
    return np.asarray(letters_in(planes, mouth, face, pose.scale) & ~between)


def _mouth_and_face(shape: tuple[int, ...], head: Array, pose: Pose, nose: int) -> tuple[Mask, Mask]:
    """The pixels of the mouth, round it and above it, and those of the rest of the face below the nose (a row), well inside its
    outline."""
    reach = max(1, round(MARGIN * pose.scale))
    mouth, face = (within(shape, pose, head[list(ring)]) for ring in (OUTER_RING, JAW))
    mouth = widened(mouth, reach)
    face = narrowed(face, reach) & ~mouth
    face[: nose + reach] = False
    mouth[: nose + reach] = True
    return mouth, face


def _captions(planes: Planes, letters: Mask, head: Array, pose: Pose) -> Captions:
    rows, columns = np.flatnonzero(letters.any(axis=1)), np.flatnonzero(letters.any(axis=0))
    corners = np.array([[columns[0], rows[0]], [columns[-1] + 1, rows[-1] + 1]])
    reach = max(2, round(BESIDE * pose.scale))
    area = even(Area.around(corners, 2 * reach + 4), planes.area)
    share, beside = (_soft(widened(letters[area.slices], pixels)) for pixels in (1, reach))
    behind = spread(full_yuv(planes, area), beside < 1 - ALL)
    mouth = within(planes.y.shape, pose, head[list(OUTER_RING)])
    hidden = float(share[mouth[area.slices]].sum()) > MOST_OF_MOUTH * np.count_nonzero(mouth)
    return Captions(area, share, beside, behind, hidden)


def _soft(mask: Mask) -> Floats:
    return np.asarray(np.clip(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), BLUR), 0, 1), np.float32)
