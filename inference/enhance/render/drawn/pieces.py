"""Which of the dark things round the mesh's mouth are the drawn one."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Array

from .mouth import STROKE

Boxes = dict[int, tuple[int, int, int, int]]
"""Left, top, right and bottom of components, by their labels."""
REACH = 0.24  # S between the mesh's mouth and the drawn one
NEAR = 0.07  # S between them that is much
JAW_WIDE = 1.0  # S across: what is wider may be the outline of a jaw
MOUSTACHE, MOUTH_BELOW, NEXT = 0.04, 0.6, 0.15
"""S, the mean thickness of a moustache at least; of its width, the mouth under it at least; and S between the two at most."""
PIECES = (0.07, 0.03)  # S across and down between the pieces of one stroke
PIECE = 0.035  # S across: less is a dot of a tone


def mouth_pieces(
    ink: npt.NDArray[np.uint8], at: Array, finer: float, widths: tuple[float, float], lowest: float
) -> npt.NDArray[np.uint8] | None:
    """The component that is the mouth, with those that continue it on its sides. widths: S, from and to. lowest: the row from
    which a line is the chin's."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    rows, columns = ink.shape
    inside: Boxes = {}
    best, which = 0.0, 0
    for label, (x, y, width, height, _) in enumerate(stats.tolist()):
        if label == 0 or x == 0 or y == 0 or x + width == columns or y + height == rows:
            continue
        inside[label] = (x, y, x + width, y + height)
        away = np.hypot(_gap(x, x + width, at[0]), _gap(y, y + height, at[1])) / finer
        if width > JAW_WIDE * finer:
            # It may be the outline of a jaw, round the mouth: the middle of it counts.
            away = np.abs(np.flatnonzero(labels[:, at[0]] == label) - at[1]).min(initial=rows) / finer
        if widths[0] * finer <= width <= widths[1] * finer and away < REACH:
            worth = np.sqrt(width) * np.exp(-((away / NEAR) ** 2))
            best, which = max((best, which), (float(worth), label))
    if not which:
        return None
    found = {_under_moustache(which, inside, stats[:, cv2.CC_STAT_AREA], finer, lowest)}
    for _ in range(3):
        boxes = [inside[label] for label in found]
        left, top, right, bottom = (f(box[i] for box in boxes) for i, f in enumerate((min, min, max, max)))
        across, down = (reach * finer for reach in PIECES)
        for label, (x1, y1, x2, y2) in inside.items():
            beside = x1 - across < right and x2 + across > left and (x1 > right - across or x2 < left + across)
            if beside and y1 > top - down and y2 < bottom + down and x2 - x1 > PIECE * finer:
                found.add(label)
    return np.isin(labels, list(found)).astype(np.uint8)


def _under_moustache(which: int, inside: Boxes, areas: npt.NDArray[Any], finer: float, lowest: float) -> int:
    """The stroke of a mouth under `which`, above row `lowest`, where that is as heavy as only a moustache is; else `which`.

    Under an open mouth the line of the chin may lie as near.
    """
    left, _, right, bottom = inside[which]
    heavy = float(areas[which]) / (right - left)
    if heavy < MOUSTACHE * finer:
        return which
    for label, (x1, y1, x2, y2) in inside.items():
        thin = y2 - y1 < STROKE * finer and float(areas[label]) / (x2 - x1) < 0.5 * heavy
        wide = MOUTH_BELOW * (right - left) < x2 - x1 and x1 < (left + right) / 2 < x2
        if thin and wide and y2 < lowest and 0 <= y1 - bottom < NEXT * finer:
            return label
    return which


def _gap(start: int, end: int, at: int) -> int:
    return max(start - at, at - end, 0)
