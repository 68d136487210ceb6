"""Drawn lips round teeth, as in a smile, or round the dark of an open mouth: in one tone or two, with lines or without."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array
from enhance.picture import Mask
from enhance.render.patch import Patch
from enhance.runs import runs

from .mouth import STROKE, Drawn, raster
from .one_tone import PAINTED_DARK
from .parts import REDDER, Beside

LINE = 0.05  # S between teeth and upper lip, at most: a line lies there
THINNEST, THICKER = 0.012, 0.035  # S of either lip, round teeth and round the dark: a line round an open mouth is thinner
HIGHEST_INSIDE = 0.2  # S between teeth and lower lip, at most: the dark of an open mouth
LEAST_TEETH = 0.4  # of the mouth's width
BOTH_LIPS = 0.55  # of the columns of teeth that have a lip above and below them, at least: a thin one ends in its lines
AS_RED = 14.0  # V codes by which the two lips differ, at most
EVEN = 0.2
"""Of the skin's luma that the lower lip varies by at most, .16 in two shaded portraits: below teeth without lips lie the dark
of a mouth and a tongue."""
AS_LIP = 0.8  # of a lower lip's luma, that lips have: on dark skin the dark between teeth and lip may be as red
CORNER = 0.08  # of the mouth's width, at either end, of which its corner is the middle
SAME = 0.02  # S by which the outer edges of lips differ from the mouth's, where it has both of them


def lips_round_opening(drawn: Drawn, patch: Patch) -> Array | None:
    """4 x n: y of the outer and inner edge of the upper lip, and of the inner and outer edge of the lower one, from corner to
    corner, plane coordinates. None where there are neither teeth nor the dark of an open mouth, or not a red lip both above
    and below them."""
    size = drawn.luma.shape[1], drawn.luma.shape[0]
    u, v = (raster(plane, 2, patch.pose, drawn.origin, drawn.finer, size) for plane in (patch.planes.u, patch.planes.v))
    beside = Beside.of((drawn.luma, u, v), drawn.whole.astype(np.uint8), drawn.dark, drawn.finer)
    skin = float(np.median((drawn.luma + beside.darker)[drawn.whole]))
    lip = (beside.redder > REDDER) & (drawn.luma > PAINTED_DARK * skin)
    teeth, dark = _teeth(beside, drawn), _open(drawn, skin)
    light = lip & (drawn.luma > AS_LIP * _lower_lip(drawn))
    for inside, lips, thinnest in ((teeth, lip, THINNEST), (dark, lip, THICKER), (teeth, light, THICKER)):
        rows = None if inside is None else _round(inside, lips & ~inside, drawn.finer, thinnest)
        if rows is not None and _alike(drawn.luma, v, *rows, EVEN * skin):
            return np.asarray(drawn.origin[1] + (_to_corners(drawn, *rows) - 0.5) / drawn.finer)
    return None


def _lower_lip(drawn: Drawn) -> float:
    """Luma within the lower edge of the middle half of the mouth."""
    count, reach = len(drawn.bottom), max(2, round(THINNEST * drawn.finer))
    middle = range(count // 4, count - count // 4)
    places = [(int(drawn.bottom[i]), drawn.columns.start + i) for i in middle]
    samples = [drawn.luma[max(0, row - 2 * reach) : max(0, row - reach), x] for row, x in places]
    return float(np.median(np.concatenate(samples))) if any(map(len, samples)) else 0.0


def _round(inside: Mask, lip: Mask, finer: float, thinnest: float) -> tuple[Array, Array] | None:
    """The columns in which lips lie above and below what is inside, and the four edges there, in rows; None where few do."""
    columns = np.flatnonzero(inside.any(axis=0))
    seen = [_edges(lip[:, x], inside[:, x], finer, thinnest) for x in columns]
    known = np.array([x for x, each in zip(columns, seen, strict=True) if each], int)
    if len(known) < BOTH_LIPS * len(columns):
        return None
    return known, np.array([each for each in seen if each], np.float64).T


def _open(drawn: Drawn, skin: float) -> Mask | None:
    """The convex hull of the largest piece of the dark of an open mouth, which holds the tongue below it.

    None where it is no higher than the line between shut lips.
    """
    dark = _largest((drawn.whole & (drawn.luma <= PAINTED_DARK * skin)).astype(np.uint8))
    if dark is None or dark.sum() < STROKE * drawn.finer * dark.any(axis=0).sum():
        return None
    hull = cv2.convexHull(np.argwhere(dark)[:, ::-1].astype(np.int32))
    return cv2.fillConvexPoly(np.zeros(dark.shape, np.uint8), hull, (1,)) > 0


def _teeth(beside: Beside, drawn: Drawn) -> Mask | None:
    """The largest piece of teeth in the mouth, closed over the lines between them; None where it is narrow."""
    light = cv2.morphologyEx((beside.teeth & drawn.whole).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 7), np.uint8))
    piece = _largest(np.asarray(light))
    return piece if piece is not None and np.ptp(np.flatnonzero(piece.any(axis=0))) + 1 > LEAST_TEETH * len(drawn.top) else None


def _largest(pieces: npt.NDArray[np.uint8]) -> Mask | None:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(pieces)
    return np.asarray(labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())) if count > 1 else None


def _edges(lip: Mask, inside: Mask, finer: float, thinnest: float) -> tuple[int, int, int, int] | None:
    """Of one column, the rows as lips_round_opening() has them; None where it lacks a lip of `thinnest` S."""
    rows = np.flatnonzero(inside)
    first, last = int(rows[0]), int(rows[-1]) + 1
    upper = _run(lip[:first][::-1], LINE * finer, thinnest * finer)
    lower = _run(lip[last:], HIGHEST_INSIDE * finer, thinnest * finer)
    return (first - upper[1], first - upper[0], last + lower[0], last + lower[1]) if upper and lower else None


def _run(lip: Mask, within: float, least: float) -> tuple[int, int] | None:
    """From where to where the first run of a lip goes that begins within so many samples and has at least so many."""
    for start, stop in runs(lip):
        if stop - start >= max(2.0, least):
            return (start, stop) if start <= within and stop < len(lip) else None
    return None


def _alike(luma: Floats, v: Floats, columns: Array, rows: Array, even: float) -> bool:
    """Whether the lips are as red as each other, and the lower one is of one tone. rows: 4 x columns, their edges."""
    upper, lower = (
        np.concatenate(
            [np.stack([luma[a:b, x], v[a:b, x]]) for x, a, b in zip(columns, *edges.astype(int), strict=True)], axis=1
        )
        for edges in (rows[:2], rows[2:])
    )
    dark, light = np.percentile(lower[0], (15, 85))
    return bool(abs(np.median(upper[1]) - np.median(lower[1])) < AS_RED and light - dark < even)


def _to_corners(drawn: Drawn, columns: Array, rows: Array) -> Array:
    """The edges (4 x columns, in rows) in all columns of the mouth: the inner ones meet at its corners, the outer ones are
    the mouth's where they are elsewhere."""
    every = np.arange(drawn.columns.start, drawn.columns.stop)
    middles = (drawn.top + drawn.bottom) / 2
    # One column alone tells little of where the steep sides of an "o" meet.
    count = max(1, round(CORNER * len(middles)))
    corners = np.array([np.median(middles[:count]), np.median(middles[-count:])])
    at = np.concatenate([[every[0] - 1], columns, [every[-1] + 1]])
    lines = np.stack([np.interp(every, at, np.concatenate([corners[:1], line, corners[1:]])) for line in rows])
    for i, edge in ((0, drawn.top), (3, drawn.bottom)):
        near = np.abs(rows[i] - edge[columns - every[0]]) < SAME * drawn.finer
        if near.mean() > 0.5:
            # Where the edge jumps, a tongue as light as a lip is left out of the mouth.
            lines[i] = edge
            lines[i][(columns - every[0])[~near]] = rows[i][~near]
    return lines
