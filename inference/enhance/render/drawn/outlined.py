"""Lips drawn in outline, as in comics and line art: one line above, one between the lips, one below.

A mesh takes them for the rim of an open mouth. Here its lips are laid on the lines.
"""

from dataclasses import replace

import numpy as np

from enhance.geometry.head import Array
from enhance.geometry.landmarks import LOWER_INNER, LOWER_OUTER, UPPER_INNER, UPPER_OUTER
from enhance.render.patch import Patch

from .ink import ROUGHEST, TEETH, Drawn, find, roughness

LOWER_LIP = 0.12  # S below what is found of the mouth, in which a lower line that does not touch it lies
ABOVE = 0.06  # S above it, where there is skin
THICKEST = 0.05  # S of a line
ALIKE = 0.12  # of the skin's luma that one lip may be lighter than the other
MIDDLE = 0.25  # of the mouth's width, at either side, where lines meet
COLUMNS = 0.4  # share of the middle's columns that show three lines


def on_outlined_lips(patch: Patch) -> Patch | None:
    """The patch with the lips of its mesh on the lines of drawn ones, which touch; None where no lips are drawn in outline."""
    drawn = find(patch.planes, patch.head, patch.pose)
    if drawn is None or roughness(drawn) > ROUGHEST:
        return None
    lines = _lines(drawn)
    if lines is None:
        return None
    head, ends = patch.head.copy(), drawn.ends
    inner = list(UPPER_INNER), list(LOWER_INNER)
    head[inner[0], 2] = head[inner[1], 2] = (head[inner[0], 2] + head[inner[1], 2]) / 2
    plane = patch.pose.to_plane(head)
    left, right = plane[[UPPER_OUTER[0], UPPER_OUTER[-1]], 0]
    flat = np.linalg.inv(patch.pose.projection[:, :2])
    for points, curve in zip((UPPER_OUTER, UPPER_INNER, LOWER_INNER, LOWER_OUTER), lines[[0, 1, 1, 2]], strict=True):
        ids = list(points)
        along = np.clip((plane[ids, 0] - left) / max(float(right - left), 1e-6), 0, 1)
        x = ends[0, 0] + along * (ends[1, 0] - ends[0, 0])
        y = np.interp(along, np.linspace(0, 1, lines.shape[1]), curve)
        head[ids, :2] += (np.stack([x, y], axis=1) - plane[ids]) @ flat.T
    return replace(patch, head=head)


def _lines(drawn: Drawn) -> Array | None:
    """3 x n: y of the upper lip's line above, of that between the lips and of the lower lip's below, from corner to corner, in
    plane coordinates; None where there are not three, or what lies between them is no lips."""
    count = len(drawn.top)
    seen = [_across(drawn, i) for i in range(count)]
    known = np.array([i for i, column in enumerate(seen) if column is not None], int)
    middle = (known > MIDDLE * count) & (known < (1 - MIDDLE) * count)
    if middle.sum() < COLUMNS * (1 - 2 * MIDDLE) * count:
        return None
    columns = np.array([column for column in seen if column is not None])
    skin, upper, lower = np.median(columns[middle, 3:], axis=0)
    # Teeth are lighter than skin; a tongue and what is dark behind it are not as light as each other.
    if max(upper, lower) > (1 + TEETH) * skin or abs(upper - lower) > ALIKE * skin:
        return None
    corners = ((drawn.top + drawn.bottom) / 2)[[0, -1]]
    places = np.concatenate([[0], known + 1, [count + 1]])
    rows = [
        np.interp(np.arange(count + 2), places, np.concatenate([corners[:1], line, corners[1:]])) for line in columns[:, :3].T
    ]
    return np.asarray(drawn.origin[1] + (np.stack(rows) - 0.5) / drawn.finer)


def _across(drawn: Drawn, column: int) -> tuple[float, ...] | None:
    """Of a column of the mouth: the rows of its three lines, the lips' outer edges and the middle between them, and the luma of
    the skin above, of the upper lip and of the lower one; None where there are not three thin lines."""
    x, top = drawn.columns.start + column, int(drawn.top[column])
    first = max(0, top - 2)
    dark = drawn.dark[first : int(drawn.bottom[column]) + round(LOWER_LIP * drawn.finer), x]
    steps = np.diff((dark > drawn.ink).astype(np.int8), prepend=0, append=0)
    begins, ends = np.flatnonzero(steps > 0) + first, np.flatnonzero(steps < 0) + first
    if len(begins) != 3 or (ends - begins).max() > THICKEST * drawn.finer or (begins[1:] - ends[:-1]).min() < 2:
        return None
    luma = (drawn.lit - drawn.dark)[:, x]
    parts = (max(0, top - round(ABOVE * drawn.finer)), max(1, top - 3)), (ends[0], begins[1]), (ends[1], begins[2])
    return (
        float(begins[0]),
        float(begins[1] + ends[1]) / 2,
        float(ends[2]),
        *(float(np.median(luma[start:end])) for start, end in parts),
    )
