"""What a frame says of its own upper teeth, where it shows any: where they lie, which the mesh has up to .02 S off, and in what
light, which changes from moment to moment as lips and head move."""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, hypot, log

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, ramp, smoothstep
from enhance.render.light import DIM
from enhance.render.lips.outline import Lips, lips_at
from enhance.render.lips.shape import Asked
from enhance.render.patch import Patch

from .aligned import HANGING, offset_of
from .layers import ROW, inset
from .lip_shade import shade_under
from .merged import MERGED_ROW, POINTS, REACH, Merged, Row, brighter, corners_of, shade_at, tooth_light
from .shade import Places
from .skull import FRONT, Skull

DENSITY = 60.0  # pixels per S at which they are compared
OVER_EDGE = 0.09  # S above the teeth's edge that are looked at
LEAST_GAP = 0.03  # S between the lips, below which no teeth are looked for
LIKE = (0.65, 0.85)  # correlation between not the teeth and surely the teeth
AREA = (0.001, 0.005)  # square S of teeth that are seen, between not believing their place and believing it fully
FARTHEST = 0.008  # S from the mesh that they are drawn, at most: more would show as jumps, as the frame before is not known
LIT_GAP = (0.04, 0.12)  # S between the lips, from which their light is believed, and fully: in a slit, lips are taken for teeth
LIT_AREA = 0.010  # square S of teeth, of which the frame is half believed: little of them is seen in passing
# S that lips are asked farther apart than they are, from which it is doubted, and not believed, that teeth are dim: it is dark
# under a lip that hides them.
WIDER = (0.02, 0.08)
BROADER = (1.08, 1.25)
"""The same, of the mouth's own width: a rounded mouth shades its teeth, and there is less light in it than in a broad one
(docs/decisions/0072)."""
DIMMER, LIGHTER = 0.8, 1.25  # of the merged ones' light, at most


def own_row(inside: Merged, patch: Patch, lips: Lips, cheeks: Array, asked: Asked) -> Row:
    """The upper teeth that the frame shows between its own lips; as they are merged where it shows none.

    lips, cheeks (Y, U, V): as the frame has them. asked: what its lips are made.
    """
    if lips.closed or lips.gap < LEAST_GAP:
        return MERGED_ROW
    sought = _sought(inside)
    there = Skull.between(FRONT, patch.pose, inside.teeth, asked.shift).of(sought.places)
    column, line = np.moveaxis(patch.pose.to_pixels(there).astype(np.float32), -1, 0)
    remapped = cv2.remap(patch.planes.y, column, line, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    luma = np.asarray(remapped, np.float32)
    top, bottom = lips_at(patch.pose, lips, there[..., 0])
    shown = inset(there[..., 1], top, bottom).astype(np.float32)
    x, y = _off(luma, shown, sought)
    counts = shown * sought.over
    area = float(counts.sum()) / DENSITY**2
    if not area:
        return Row(x, y)
    # Of the pixels that count alone: beside the lips there are no places between them.
    seen = counts > 0
    tooth_x, tooth_y, over, under = (each[seen][None] for each in (there[..., 0], there[..., 1], top, bottom))
    at = Places.between(lips.gap, corners_of(patch.pose, lips.upper_inner), (tooth_x, tooth_y), (over, under))
    black, shade = patch.colours.black, shade_at(inside, at)[..., 0]
    shade *= shade_under(inside.lip_shade, tooth_y - over)[..., 0]
    shade *= brighter(inside.cheeks, cheeks, black) * tooth_light(inside, lips.gap) * inside.narrowing.light(lips.width)
    merged = (sought.luma[seen] - black) * shade[0]
    here, made = (_lighter_half(level, counts[seen]) for level in (luma[seen] - black, merged))
    told = log((max(here, 0) + DIM) / (max(made, 0) + DIM)) * ramp(lips.gap, *LIT_GAP)
    if told < 0:
        told *= 1 - max(ramp(asked.gap - lips.gap, *WIDER), ramp(asked.width / max(lips.width, 1e-3), *BROADER))
    return Row(x, y, min(max(exp(told * area / (area + LIT_AREA)), DIMMER), LIGHTER))


def _lighter_half(levels: Array, weights: Array) -> float:
    """The mean of the lighter half of levels with these weights, both [n]: where the merged row is longer than the frame shows
    its own, the dark under that is no dim tooth."""
    order = np.argsort(-levels)
    sums = np.minimum(np.cumsum(weights[order]), weights.sum() / 2)
    return float(np.average(levels[order], weights=np.diff(sums, prepend=0)))


@dataclass(frozen=True, eq=False)
class _Sought:
    """The merged upper teeth on a grid in the front's plane, h x w."""

    places: Array
    """h x w x 2, S."""
    luma: Floats
    row: Floats
    """How far each place counts as their row, 0..1, with what hangs from it."""
    over: Floats
    """1 over their edge, 0 under it."""


def _off(luma: Floats, shown: Floats, sought: _Sought) -> tuple[float, float]:
    """x and y in S from where the mesh has the teeth to where the frame shows them; 0, 0 where that is not clear.

    luma: of the frame at the places sought. shown: how far these lie between its lips.
    """
    found = offset_of((luma, shown), (sought.luma, sought.row), DENSITY, LIKE[0])
    if found is None:
        return 0.0, 0.0
    area = float((shown * sought.row).sum()) / DENSITY**2
    share = ramp(found.like, *LIKE) * ramp(area, *AREA) * min(1.0, FARTHEST / max(hypot(found.x, found.y), FARTHEST))
    return share * found.x, share * found.y


@lru_cache(maxsize=16)
def _sought(inside: Merged) -> _Sought:
    """Once for a clip."""
    x = np.arange(-ROW, ROW, 1 / DENSITY) + inside.left + REACH
    edge = np.interp(x, inside.left + (np.arange(POINTS) + 0.5) / POINTS * 2 * REACH, inside.edge)
    y = np.arange(edge.min() - OVER_EDGE, edge.max() + HANGING, 1 / DENSITY)
    column, row = ((at - first) * inside.density - 0.5 for at, first in ((x, inside.left), (y, inside.top)))
    width = round(inside.density / DENSITY)
    soft = cv2.blur(inside.upper[..., 0], (width, width))
    columns, rows = np.meshgrid(column.astype(np.float32), row.astype(np.float32))
    luma = cv2.remap(soft, columns, rows, cv2.INTER_LINEAR)
    counted = smoothstep(edge + HANGING - y[:, None], 0.0, 0.006).astype(np.float32)
    over = (edge > y[:, None]).astype(np.float32)
    return _Sought(np.stack(np.meshgrid(x, y), axis=-1), np.asarray(luma, np.float32), counted, over)
