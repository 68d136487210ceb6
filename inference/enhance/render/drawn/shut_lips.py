"""Lips painted flat in one colour, as of 2D puppets: shut in each frame, whatever mouth it was drawn with.

Such films swap the whole drawing of the mouth. Lips that are warped from a small "o" to a wide mouth tear; so the frame's own
drawing is taken off the skin, and the closed lips of the subject are painted there, to be moved as those of a still picture.
"""

from dataclasses import dataclass
from typing import Annotated

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.planes import even, from_rgb, full_yuv, paint, to_rgb
from enhance.masks import narrowed, widened_round
from enhance.picture import LUMA, Mask
from enhance.record import Shape
from enhance.render.lips.outline import Lips, lips_of, mouth_width
from enhance.render.lips.shape import Rest
from enhance.render.mask import within
from enhance.render.patch import Patch

from .canvas import Canvas
from .erase import erase
from .lips import laid

RIM = 0.012  # S at the edges of a lip that are left out when its colour is measured
AS_LIP, FLAT = 20.0, 0.4  # grey levels from a lip's colour; and the share of a lip that is no farther from it, to be flat
OUTLINE, NEAR_EDGE = 16.0, 0.014
"""Levels of luma by which it is darker within so much of S of the edge of lips than on them, where they have an outline."""
ENDS = 5  # points of a contour, SAMPLES long, that are left out at either corner
LINE = 0.016  # S: thickness of the line between the lips
ROUND = 0.2  # S round the mouth that are looked at
UNLIKE = 10.0  # distance in YUV from the skin, from which it is the mouth
EDGE = 3  # pixels round the mouth that its edge takes: chroma is coarser than luma


@dataclass(frozen=True)
class Paint:
    """The closed lips of a subject, painted flat. Colours RGB 0..255."""

    lip: Annotated[Array, Shape(3)]
    line: Annotated[Array, Shape(3)]
    """Between the lips; of the lips where there is none."""
    wide: float
    """Width of the mesh's mouth in the same frame, by which targets are measured."""


def paint_of(patch: Patch, drawn: Patch, skin: Array) -> Paint | None:
    """The paint of shut lips; None where they are apart, in outline, as the skin (RGB) or of more than one tone.

    drawn: the patch with the lips of its mesh laid on them.
    """
    pose = drawn.pose
    lips = lips_of(drawn.head, pose, drawn.planes)
    rgb = to_rgb(drawn.planes, drawn.colours)
    pairs = ((lips.upper_outer, lips.upper_inner), (lips.lower_outer, lips.lower_inner))
    both = [within(rgb.shape, pose, np.vstack([outer, inner[::-1]])) for outer, inner in pairs]
    cores = [narrowed(lip, round(RIM * pose.scale)) for lip in both]
    if not lips.closed or not all(core.any() for core in cores):
        return None
    lip = np.median(rgb[cores[0] | cores[1]], axis=0)
    if np.abs(lip - skin).max() < AS_LIP or min((np.abs(rgb[core] - lip).max(axis=1) < AS_LIP).mean() for core in cores) < FLAT:
        return None
    luma = LUMA @ lip
    edges = np.vstack([lips.upper_outer[ENDS:-ENDS], lips.lower_outer[ENDS:-ENDS]])
    if luma - np.median(LUMA @ _darkest(rgb, pose, edges).T) > OUTLINE:
        return None
    line = np.median(_darkest(rgb, pose, lips.middle[ENDS:-ENDS]), axis=0)
    return Paint(np.asarray(lip, np.float64), np.asarray(line, np.float64), mouth_width(patch.head))


def _darkest(rgb: Floats, pose: Pose, at: Array) -> Floats:
    """n x 3: the darkest that lies within NEAR_EDGE above or below points (n x 3, head coordinates)."""
    down = np.linspace(-NEAR_EDGE, NEAR_EDGE, 7)[:, None, None] * np.array([0.0, 1.0, 0.0])
    x, y = np.moveaxis(pose.to_pixels(pose.to_plane(at + down)).astype(np.float32), -1, 0)
    seen = np.asarray(cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
    return np.asarray(np.take_along_axis(seen, (seen @ LUMA).argmin(axis=0)[None, :, None], axis=0)[0], np.float32)


def shut_lips(patch: Patch, rest: Rest, colour: Paint) -> tuple[Patch, Mask] | None:
    """The patch with its lips shut, and where that changes it; None where the mouth is not surrounded by skin."""
    pose = patch.pose
    own = lips_of(patch.head, pose, patch.planes)
    top, line, bottom = _edges(rest, own, patch)
    rings = pose.to_pixels(np.vstack([top, bottom, pose.to_plane(own.outer_ring)]))
    area = even(Area.around(rings, round(ROUND * pose.scale)), patch.planes.area)
    picture = full_yuv(patch.planes, area)
    seed = within(patch.planes.y.shape, pose, own.outer_ring)[area.slices]
    hole = _mouth(np.linalg.norm(picture - np.median(picture.reshape(-1, 3), axis=0), axis=2) > UNLIKE, seed)
    if hole is None:
        return None
    out = patch.planes.copy()
    paint(out, erase(picture, hole), hole.astype(np.float32), area)
    canvas = Canvas(pose, area, 0.0)
    lips = canvas.polygon(np.vstack([top, bottom[::-1]]))
    changed = np.zeros(patch.planes.y.shape, bool)
    changed[area.slices] = hole
    for rgb, mask in ((colour.lip, lips), (colour.line, np.minimum(canvas.strip(line, np.full(len(line), LINE)), lips))):
        opacity = canvas.averaged(mask)
        paint(out, np.broadcast_to(from_rgb(rgb.astype(np.float32), patch.colours), (*opacity.shape, 3)), opacity, area)
        changed[area.slices] |= opacity > 0
    edges = np.stack([np.interp(np.linspace(top[0, 0], top[-1, 0], len(top)), *edge.T) for edge in (top, line, line, bottom)])
    shut = laid(patch, edges, (float(top[0, 0]), float(top[-1, 0])))
    return Patch(out, patch.colours, pose, shut.head), changed


def _edges(rest: Rest, own: Lips, patch: Patch) -> list[Array]:
    """The closed lips' upper edge, the line between them and their lower edge, SAMPLES x 2, plane coordinates."""
    pairs = (rest.upper_outer, own.upper_outer), (rest.line, own.middle), (rest.lower_outer, own.lower_outer)
    return [patch.pose.to_plane(np.column_stack([flat, solid[:, 2]])) for flat, solid in pairs]


def _mouth(unlike: Mask, seed: Mask) -> Mask | None:
    """What is unlike the skin and touches the seed; None where there is none, or it goes on beyond the area."""
    _, parts = cv2.connectedComponents(unlike.astype(np.uint8))
    mouth = unlike & np.isin(parts, np.unique(parts[seed & unlike]))
    if not mouth.any() or mouth[[0, -1]].any() or mouth[:, [0, -1]].any():
        return None
    return widened_round(mouth, EDGE)
