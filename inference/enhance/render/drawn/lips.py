"""Drawn lips that touch: in outline, with a line above, one between the lips and one below, or painted, with one line or none;
and those round teeth. docs/decisions/0151.

A mesh often takes them for an open mouth. Here its lips are laid on the drawn ones.
"""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.head import Array
from enhance.geometry.landmarks import LOWER_INNER, LOWER_OUTER, UPPER_INNER, UPPER_OUTER
from enhance.render.patch import Patch
from enhance.style import style_of

from .found import find
from .ink import ROUGHEST
from .looks import roughness, shows_gaps_of_teeth, shows_teeth_first
from .mouth import STROKE, Drawn
from .one_tone import BOWED_DARK, PAINTED_DARK, has_lips_shape, lips_of_one_tone
from .outlines import is_outlined
from .palette import PINK
from .parts import TEETH
from .round_opening import lips_round_opening

OUTLINED, PAINTED, IN_TONES = 3, 1, 0  # lines; without one, the lips are told from each other by their tones
NARROWEST = 0.12  # S across lips: less is a dot
LOWER_LIP = 0.12  # S below what is found of the mouth, in which a lower line that does not touch it lies
ABOVE = 0.06  # S above it, where there is skin
NEAREST = 3  # samples above it that are no skin yet
THICKEST = 0.05  # S of a line
CORNER_LINE = 0.02  # S at either corner that the line round outlined lips takes, on which they do not open
THINNEST = 2  # samples of a lip
ALIKE = 0.12  # of the skin's luma that one lip may be lighter than the other
TO_CORNERS = 0.15  # of the mouth's width, at either end, within which the line between two lips begins: a tongue's is shorter
IN_SHADE = 0.75  # of the lower lip's luma that an upper one has at least, where one line is between them: a tongue has one, too
MIDDLE = 0.25  # of the mouth's width, at either side, where lines meet
COLUMNS = 0.4  # share of the middle's columns that show the lines
LEAST_LIP = 0.12  # of the mouth's height that each of two lips has


def on_drawn_lips(patch: Patch) -> Patch | None:
    """The patch with the lips of its mesh on drawn ones; None where none are drawn that touch or lie round teeth."""
    drawn = find(patch.planes, patch.head, patch.pose)
    if drawn is None or drawn.width < NARROWEST or shows_gaps_of_teeth(drawn):
        return None
    if not is_outlined(drawn, patch) and not (roughness(drawn) <= ROUGHEST and _is_flat(patch)):
        return None
    # First, since teeth below an upper lip look like a lighter lower one.
    edges, line = lips_round_opening(drawn, patch), 0.0
    if edges is None:
        lines, line = _touching(drawn, patch)
        if lines is None:
            return None
        edges = lines[[0, 1, 1, 2]]
    first, last = drawn.ends[:, 0]
    return laid(patch, edges, (float(first), float(last)), line)


def _touching(drawn: Drawn, patch: Patch) -> tuple[Array | None, float]:
    """Lips that touch: 3 x n as of _lines(), None where none are drawn; and S at either corner that a line round them takes."""
    lines = _lines(drawn, patch, OUTLINED)
    # The edges of a soft stroke are no lips.
    if lines is not None or drawn.open < STROKE:
        return lines, CORNER_LINE
    lines = _lines(drawn, patch, PAINTED)
    if lines is None and not shows_teeth_first(drawn):
        lines = _lines(drawn, patch, IN_TONES)
    return lips_of_one_tone(drawn, patch) if lines is None else lines, 0.0


def laid(patch: Patch, edges: Array, ends: tuple[float, float], line: float = 0.0) -> Patch:
    """The patch with the lips of its mesh on `edges` (4 x n: y of the upper lip's outer and inner edge and of the lower one's
    inner and outer edge) between two corners (x), plane coordinates. line: S at either corner on which they do not open."""
    head, (first, last) = patch.head.copy(), ends
    inner = list(UPPER_INNER), list(LOWER_INNER)
    head[inner[0], 2] = head[inner[1], 2] = (head[inner[0], 2] + head[inner[1], 2]) / 2
    plane = patch.pose.to_plane(head)
    left, right = plane[[UPPER_OUTER[0], UPPER_OUTER[-1]], 0]
    flat = np.linalg.inv(patch.pose.projection[:, :2])
    for points, curve in zip((UPPER_OUTER, UPPER_INNER, LOWER_INNER, LOWER_OUTER), edges, strict=True):
        ids = list(points)
        along = np.clip((plane[ids, 0] - left) / max(float(right - left), 1e-6), 0, 1)
        x = first + line + along * (last - first - 2 * line)
        y = np.interp(x, np.linspace(first, last, edges.shape[1]), curve)
        # The corners belong to an upper and a lower edge: they are moved once.
        head[ids, :2] = patch.head[ids, :2] + (np.stack([x, y], axis=1) - plane[ids]) @ flat.T
    return replace(patch, head=head)


def _is_flat(patch: Patch) -> bool:
    """Whether the face is a flat drawing. Lips are measured before anyone says so, and a dim photograph has smooth skin too."""
    points = patch.pose.to_pixels(patch.pose.to_plane(patch.head))
    return style_of(patch.planes.y, np.concatenate([points.min(axis=0), points.max(axis=0)])) == "flat"


def _lines(drawn: Drawn, patch: Patch, count_of: int) -> Array | None:
    """3 x n: y of the upper lip's upper edge, of the line between the lips and of the lower lip's lower edge, from corner to
    corner, in plane coordinates; None where there are not so many lines, or what lies between them is no lips."""
    count = len(drawn.top)
    seen = [_across(drawn, i, count_of) for i in range(count)]
    known = np.array([i for i, column in enumerate(seen) if column is not None], int)
    middle = (known > MIDDLE * count) & (known < (1 - MIDDLE) * count)
    if middle.sum() < COLUMNS * (1 - 2 * MIDDLE) * count:
        return None
    columns = np.array([column for column in seen if column is not None])
    skin, upper, lower = np.median(columns[middle, 3:], axis=0)
    # A tongue and what is dark behind it are not as light as each other. Nor are painted lips, whose upper one is in shade, but
    # their line goes from corner to corner.
    met = known[0] < TO_CORNERS * count and known[-1] >= (1 - TO_CORNERS) * count
    alike = abs(upper - lower) <= ALIKE * skin and count_of != IN_TONES
    darkest = max(PAINTED_DARK * skin, IN_SHADE * lower if count_of == PAINTED else 0.0)
    if count_of == PAINTED and has_lips_shape(drawn):
        # A deep red upper lip in shade is as dark as an open mouth.
        darkest = BOWED_DARK * skin
    if not alike and not (met and darkest < upper < lower):
        return None
    corners = ((drawn.top + drawn.bottom) / 2)[[0, -1]]
    places = np.concatenate([[0], known + 1, [count + 1]])
    rows = [
        np.interp(np.arange(count + 2), places, np.concatenate([corners[:1], line, corners[1:]])) for line in columns[:, :3].T
    ]
    lines = np.asarray(drawn.origin[1] + (np.stack(rows) - 0.5) / drawn.finer)
    # Teeth are lighter than skin; on dark skin painted lips are, too.
    if max(upper, lower) > (1 + TEETH) * skin and not (met and _redness(patch, drawn.ends, lines) > PINK):
        return None
    return lines


def _redness(patch: Patch, ends: Array, lines: Array) -> float:
    """V in the middle of the lower lip, 0..255: the median of the middle half of the mouth. ends, lines: as Drawn, _lines()."""
    along = np.linspace(MIDDLE, 1 - MIDDLE, lines.shape[1])
    x = ends[0, 0] + along * (ends[1, 0] - ends[0, 0])
    y = np.interp(along, np.linspace(0, 1, lines.shape[1]), (lines[1] + lines[2]) / 2)
    at = ((patch.pose.to_pixels(np.stack([x, y], axis=1)) - 0.5) / 2).astype(np.float32)
    return float(np.median(cv2.remap(patch.planes.v, at[None, :, 0], at[None, :, 1], cv2.INTER_LINEAR)))


def _across(drawn: Drawn, column: int, count_of: int) -> tuple[float, ...] | None:
    """Of a column of the mouth: the rows of the lips' outer edges and the middle of the line between them, and the luma of the
    skin above, of the upper lip and of the lower one; None where there are not so many thin lines, or no lips beside them."""
    x, top, bottom = drawn.columns.start + column, int(drawn.top[column]), int(drawn.bottom[column])
    first = max(0, top - 2)
    dark = drawn.dark[first : bottom + round(LOWER_LIP * drawn.finer), x]
    steps = np.diff((dark > drawn.ink).astype(np.int8), prepend=0, append=0)
    begins, ends = np.flatnonzero(steps > 0) + first, np.flatnonzero(steps < 0) + first
    if count_of == IN_TONES:
        # The upper lip is the darker one: all of it is as dark as ink.
        if len(begins) != 1 or begins[0] > top + 2:
            return None
        begins, ends = np.array([top, ends[0], bottom]), np.array([top, ends[0], bottom])
    elif len(begins) != count_of or (ends - begins).max() > THICKEST * drawn.finer:
        return None
    if count_of == PAINTED:
        begins, ends = np.array([top, *begins, bottom]), np.array([top, *ends, bottom])
    if (begins[1:] - ends[:-1]).min() < max(THINNEST, LEAST_LIP * (bottom - top)):
        return None
    luma = drawn.luma[:, x]
    above = max(round(ABOVE * drawn.finer), NEAREST + 1)
    parts = (max(0, top - above), max(1, top - NEAREST)), (ends[0], begins[1]), (ends[1], begins[2])
    edges = float(begins[0]), float(begins[1] + ends[1]) / 2, float(ends[2])
    return *edges, *(float(np.median(luma[start:end])) for start, end in parts)
