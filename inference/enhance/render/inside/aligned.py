"""Upper teeth of one frame laid over those of another: the mesh has them up to .02 S off, a quarter of a tooth."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep

from .edge import BRIGHT, PALE, edge_of, ends_of
from .layers import FEWEST, ROW, SEEN, Frame, Grid, Palette, layer

CANDIDATES = 3  # frames that are tried as the one that the others are aligned to
REACH = 0.05  # S that two frames' teeth may lie apart
DENSITY = 160.0  # pixels per S at which they are compared, at most
LIKE = 0.75  # correlation, from which they are the same teeth
OVERLAP = 0.35  # share of the smaller one that both must show
NEARER = 0.15  # penalty in correlation for an offset of REACH
HANGING, OVER_EDGE = 0.02, 0.1  # S under the teeth's edge, and over it, where teeth are looked at
UNSURE = 0.2  # share of its worth that a frame keeps if it does not show where its teeth end


def aligned(frames: list[Frame], grid: Grid, of: Palette) -> list[Frame]:
    """The frames with their upper teeth laid over each other's, where most of them have them."""
    edges = [edge_of([frame], grid, of) for frame in frames]
    lumas = [of.level(frame.upper.yuv).astype(np.float32) for frame in frames]
    worths = np.array([teeth_of(frame, edge, grid, of) for frame, edge in zip(frames, edges, strict=True)])
    best = 0.0
    offsets: list[Offset | None] = []
    for i in np.argsort(-worths, kind="stable")[:CANDIDATES]:
        row = smoothstep(edges[i] + HANGING - grid.y[:, None], 0.0, 0.006) * (np.abs(grid.aside) < ROW)
        mask = frames[i].upper.shown * row.astype(np.float32)
        found = [
            offset_of((luma, frame.upper.shown), (lumas[i], mask), grid.density)
            for luma, frame in zip(lumas, frames, strict=True)
        ]
        liked = sum(offset.like for offset in found if offset) * worths[i] ** 0.5
        if liked > best:
            best, offsets = liked, found
    if not best:
        return frames
    middle = np.median([[offset.x, offset.y] for offset in offsets if offset], axis=0)
    return [_moved(frame, offset, middle, grid, of) for frame, offset in zip(frames, offsets, strict=True)]


def teeth_of(frame: Frame, edge: Array, grid: Grid, of: Palette) -> float:
    """A frame's worth: how much of the row of upper teeth it shows, how sharply, and how surely these are upper teeth."""
    under = grid.y[:, None] - edge
    level = of.level(frame.upper.yuv)
    seen = (frame.upper.shown > SEEN) & (under > -OVER_EDGE) & (under < HANGING) & (np.abs(grid.aside) < ROW)
    if seen.sum() < FEWEST:
        return 0.0
    tooth = seen & (of.redness(frame.upper.yuv) < PALE) & (level > BRIGHT * max(float(np.quantile(level[seen], 0.9)), 16.0))
    if not tooth.any():
        return 0.0
    fine = np.abs(cv2.Sobel(frame.upper.yuv[..., 0], cv2.CV_32F, 1, 0))[tooth].mean()
    dark = ends_of(frame.upper, grid, of)[1][np.abs(grid.aside) < ROW / 2].mean()
    return float(tooth.sum() ** 0.5 * fine * (UNSURE + dark))


def _moved(frame: Frame, offset: "Offset | None", middle: Array, grid: Grid, of: Palette) -> Frame:
    if offset is None:
        return replace(frame, known=False)
    x, y = offset.x - float(middle[0]), offset.y - float(middle[1])
    upper = layer(frame.lender, frame.to, np.stack(np.meshgrid(grid.x + x, grid.y + y), axis=-1), of)
    bottom, top = (np.interp(grid.x + x, grid.x, line) - y for line in (frame.bottom, frame.top))
    return replace(frame, upper=upper, off=(x, y), bottom=bottom, top=top)


@dataclass(frozen=True)
class Offset:
    """x and y, S; like: the correlation of what lies over each other then."""

    x: float
    y: float
    like: float


def offset_of(
    picture: tuple[Floats, Floats], other: tuple[Floats, Floats], density: float, least: float = LIKE
) -> Offset | None:
    """From where `other` has its teeth to where `picture` has them; None where that is not clear.

    Each is h x w grey levels, and how far each pixel counts, 0..1. density: pixels per S. least: correlation.
    """
    zoom = min(1.0, DENSITY / density)
    luma, shown, there, counted = (
        cv2.resize(v, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else v for v in (*picture, *other)
    )
    reach = round(REACH * density * zoom)
    a, wa = (np.asarray(v, np.float32) for v in (there / 255, counted**2))
    b, wb = (_padded(np.asarray(v, np.float32), reach) for v in (luma / 255, shown**2))

    def sums(of_b: Floats, of_a: Floats) -> Floats:
        return np.asarray(cv2.matchTemplate(of_b, of_a, cv2.TM_CCORR), np.float64)

    # The correlation of what both show, at every offset at once (Padfield 2012, masked object registration).
    count = np.maximum(sums(wb, wa), 1e-3)
    mean_a, mean_b = sums(wb, wa * a) / count, sums(wb * b, wa) / count
    both = sums(wb * b, wa * a) / count - mean_a * mean_b
    var = (sums(wb, wa * a * a) / count - mean_a**2) * (sums(wb * b * b, wa) / count - mean_b**2)
    like = both / np.sqrt(np.maximum(var, 1e-6))
    like[count < OVERLAP * min(float(wa.sum()), float(wb.sum()))] = -1
    steps = np.arange(-reach, reach + 1) / reach
    score = like - NEARER * (steps[:, None] ** 2 + steps**2)
    y, x = np.unravel_index(int(score.argmax()), score.shape)
    if like[y, x] < least or {x, y} & {0, 2 * reach}:
        return None
    at = [float(v) + _between(line, int(v)) for v, line in ((x, score[y]), (y, score[:, x]))]
    return Offset((at[0] - reach) / (density * zoom), (at[1] - reach) / (density * zoom), float(like[y, x]))


def _padded(values: Floats, by: int) -> Floats:
    """With `by` zeros on every side."""
    return np.asarray(cv2.copyMakeBorder(values, by, by, by, by, cv2.BORDER_CONSTANT), np.float32)


def _between(line: Floats, at: int) -> float:
    """Where a parabola through the values round `at` is highest, from there."""
    before, here, after = (float(v) for v in line[at - 1 : at + 2])
    bend = before - 2 * here + after
    return 0.5 * (before - after) / bend if bend < 0 else 0.0
