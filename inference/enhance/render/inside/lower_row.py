"""The gaps between single lower teeth, of the frames that show them most clearly, in each picture of what lies under the upper
teeth: the frame that such a picture begins with may show these teeth as one band."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep
from enhance.runs import runs

from .layers import ROW, SEEN, Grid, Layer, Palette

WIDE = 0.030  # sigma in S along the row: wider differences are light, narrower ones are teeth
HIGH, LONG = 0.012, 0.10  # S of teeth that must be seen in a column, and along the row
CLEAREST = 4  # frames that are used, at most
LIKE = 0.6  # correlation from which two frames show the same gaps
REACH, NEARER = 0.03, 0.3  # S that rows may lie apart, and the penalty in correlation for that
OVERLAP = 0.5  # share of the shorter row that both must show
OVER_LIP = np.array([0.045, 0.07])  # S over the lower lip that lower teeth reach; higher, what is as pale is a lit tongue
DEEPEST, LIGHTEST = 0.65, 1.05  # limits of a column's light, of the light beside it


@dataclass(frozen=True)
class LowerRow:
    """[columns] each. gaps: light, of the light round it. known: 1 where that is known, else 0."""

    gaps: Array
    known: Array


def lower_row(under: list[Layer], grid: Grid, of: Palette) -> LowerRow:
    """The gaps as two frames at least show them. under: what each shows, by the height over its lower lip."""
    told = [_row_in(layer, grid, of) for layer in under]
    long = [row for row in told if row.known.sum() > LONG * grid.density]
    clearest = sorted(long, key=lambda row: -float(np.average((row.gaps - 1) ** 2, weights=row.known)))[:CLEAREST]
    laid = [row for row, like in (_laid_over(row, clearest[0], grid) for row in clearest) if like > LIKE]
    count = sum((row.known for row in laid), np.zeros(len(grid.x)))
    gaps = sum((row.gaps * row.known for row in laid), np.zeros(len(grid.x))) / np.maximum(count, 1)
    known = _between_teeth(gaps, count > 1)
    return LowerRow(np.where(known, gaps, 1), known.astype(np.float64))


def _between_teeth(gaps: Array, known: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The known columns without those that are darker at the ends of a row: a gap has a tooth on both sides, and these would
    end in a line, where nothing more is known."""
    kept = np.zeros_like(known)
    for first, end in runs(known):
        light = first + np.flatnonzero(gaps[first:end] >= 1)
        if len(light):
            kept[light[0] : light[-1] + 1] = True
    return kept


def with_gaps(picture: Floats, row: LowerRow, grid: Grid, of: Palette) -> Floats:
    """The picture (h x w x 3 Y, U, V) with these gaps between what is as pale as teeth."""
    pale = (of.pale(picture) * _of_teeth(grid)).astype(np.float32)
    own = _row_in(Layer(picture, np.ones_like(pale)), grid, of)
    laid, _ = _laid_over(row, own, grid)
    deeper = np.where(laid.known * own.known > SEEN, np.clip(laid.gaps / own.gaps, DEEPEST, LIGHTEST), 1)
    luma = of.black + of.level(picture) * (1 + pale * (deeper - 1))
    return np.asarray(np.concatenate([luma[..., None], picture[..., 1:]], axis=-1), np.float32)


def _row_in(layer: Layer, grid: Grid, of: Palette) -> LowerRow:
    """The gaps that a layer shows. They are upright, as teeth are, so each column is one value: its mean."""
    tooth = of.pale(layer.yuv) * layer.shown * (np.abs(grid.aside) < ROW) * _of_teeth(grid)
    count = tooth.sum(axis=0)
    known = (count > HIGH * grid.density).astype(np.float32)
    level = known * (of.level(layer.yuv) * tooth).sum(axis=0) / np.maximum(count, 1e-3)
    light, near = (cv2.GaussianBlur(v[None].astype(np.float32), (0, 0), WIDE * grid.density)[0] for v in (level, known))
    round_it = np.maximum(light / np.maximum(near, 1e-3), 1)
    return LowerRow(np.where(known > 0, np.clip(level / round_it, DEEPEST, LIGHTEST), 1), known)


def _of_teeth(grid: Grid) -> Array:
    """[rows, 1]: 1 where lower teeth may be, 0 above them."""
    return np.asarray(1 - smoothstep(grid.up[:, None], *OVER_LIP))


def _laid_over(row: LowerRow, other: LowerRow, grid: Grid) -> tuple[LowerRow, float]:
    """The row moved to where it is most like the other one, and their correlation there; as it is, and 0, where they show too
    little of the same."""
    reach = round(REACH * grid.density)
    least = max(OVERLAP * min(row.known.sum(), other.known.sum()), 3)
    best, found = -np.inf, (row, 0.0)
    for step in range(-reach, reach + 1):
        moved = LowerRow(np.roll(row.gaps, step), np.roll(row.known, step))
        both = moved.known * other.known
        if both.sum() < least:
            continue
        a, b = (each.gaps - np.average(each.gaps, weights=both) for each in (moved, other))
        like = float((a * b * both).sum() / max(float(np.sqrt((a * a * both).sum() * (b * b * both).sum())), 1e-6))
        if like - NEARER * (step / reach) ** 2 > best:
            best, found = like - NEARER * (step / reach) ** 2, (moved, like)
    return found
