"""Drawn lips round teeth, as in a smile: painted in one tone or two, with lines or without."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array
from enhance.render.patch import Patch
from enhance.runs import runs

from .found import Drawn, raster
from .one_tone import PAINTED_DARK
from .parts import REDDER, Beside, Mask

LINE = 0.05  # S between teeth and upper lip, at most: a line lies there
THINNEST = 0.012  # S of either lip
HIGHEST_INSIDE = 0.2  # S between teeth and lower lip, at most: the dark of an open mouth
LEAST_TEETH = 0.4  # of the mouth's width
BOTH_LIPS = 0.55  # of the columns of teeth that have a lip above and below them, at least: a thin one ends in its lines
AS_RED = 14.0  # V codes by which the two lips differ, at most
EVEN = 0.15  # of the skin's luma that the lower lip varies by: below teeth without lips lie the dark of a mouth and a tongue
SAME = 0.02  # S by which the outer edges of lips differ from the mouth's, where it has both of them


def lips_round_teeth(drawn: Drawn, patch: Patch) -> Array | None:
    """4 x n: y of the outer and inner edge of the upper lip, and of the inner and outer edge of the lower one, from corner to
    corner, plane coordinates. None where there are no teeth, or not a red lip both above and below them."""
    size = drawn.luma.shape[1], drawn.luma.shape[0]
    u, v = (raster(plane, 2, patch.pose, drawn.origin, drawn.finer, size) for plane in (patch.planes.u, patch.planes.v))
    beside = Beside.of((drawn.luma, u, v), drawn.whole.astype(np.uint8), drawn.dark, drawn.finer)
    teeth = _teeth(beside, drawn)
    if teeth is None:
        return None
    skin = float(np.median((drawn.luma + beside.darker)[drawn.whole]))
    lip = (beside.redder > REDDER) & (drawn.luma > PAINTED_DARK * skin) & ~teeth
    columns = np.flatnonzero(teeth.any(axis=0))
    seen = [_edges(lip[:, x], teeth[:, x], drawn.finer) for x in columns]
    known = np.array([x for x, each in zip(columns, seen, strict=True) if each], int)
    if len(known) < BOTH_LIPS * len(columns):
        return None
    rows = np.array([each for each in seen if each], np.float64).T
    if not _alike(drawn.luma, v, known, rows, EVEN * skin):
        return None
    return np.asarray(drawn.origin[1] + (_to_corners(drawn, known, rows) - 0.5) / drawn.finer)


def _teeth(beside: Beside, drawn: Drawn) -> Mask | None:
    """The largest piece of teeth in the mouth, closed over the lines between them; None where it is narrow."""
    light = cv2.morphologyEx((beside.teeth & drawn.whole).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 7), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(light)
    if count < 2:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return np.asarray(labels == largest) if stats[largest, cv2.CC_STAT_WIDTH] > LEAST_TEETH * len(drawn.top) else None


def _edges(lip: Mask, teeth: Mask, finer: float) -> tuple[int, int, int, int] | None:
    """Of one column, the rows as lips_round_teeth() has them; None where it lacks a lip."""
    rows = np.flatnonzero(teeth)
    first, last = int(rows[0]), int(rows[-1]) + 1
    upper = _run(lip[:first][::-1], LINE * finer, THINNEST * finer)
    lower = _run(lip[last:], HIGHEST_INSIDE * finer, THINNEST * finer)
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
    corners = ((drawn.top + drawn.bottom) / 2)[[0, -1]]
    at = np.concatenate([[every[0] - 1], columns, [every[-1] + 1]])
    lines = np.stack([np.interp(every, at, np.concatenate([corners[:1], line, corners[1:]])) for line in rows])
    for i, edge in ((0, drawn.top), (3, drawn.bottom)):
        if np.median(np.abs(rows[i] - edge[columns - every[0]])) < SAME * drawn.finer:
            lines[i] = edge
    return lines
