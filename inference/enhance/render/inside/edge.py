"""Where the upper teeth end: at the first dark under what is bright and pale."""

from collections.abc import Sequence

import cv2
import numpy as np

from enhance.geometry.head import Array

from .layers import FEWEST, SEEN, SURE, Frame, Grid, Layer, Palette
from .merged import MIDDLE

BRIGHT, PALE, DARKER = 0.6, 0.5, 0.8  # luma of the brightest, redness, and luma of its own under which it ends: of a tooth
DARK_ENOUGH, NEAR_END = 0.4, 0.03  # share of its luma that a tooth loses within NEAR_END S, from which its end counts in full
FARTHEST = 0.07  # S from where the teeth are supposed to end, at most
STRAY = 0.045  # S from where most frames have the end, beyond which it is something else
WAVE = 0.01  # S that teeth end above or below a smooth line
BEND = 0.010  # S that a row rises to its sides
SMOOTH, OWN_SMOOTH = 0.012, 0.010  # sigma in S along the edge: of many frames, and of one picture


def bite_of(frames: Sequence[Frame], grid: Grid, of: Palette) -> float | None:
    """y of the upper teeth's edge in the middle, by the frames that show it dark under them: lower teeth that touch the upper
    ones look like their lower half. None where no frame does."""
    middle = np.abs(grid.aside) < MIDDLE
    ends, dark = (np.array(each)[:, middle] for each in zip(*(ends_of(frame.upper, grid, of) for frame in frames), strict=True))
    sure = dark.mean(axis=1)
    if sure.sum() < SURE:
        return None
    bites = np.array([_middle_of(*each) if each[1].any() else grid.bite for each in zip(ends, dark, strict=True)])
    return float(np.clip(_middle_of(bites, sure), grid.bite - FARTHEST, grid.bite + FARTHEST))


def edge_of(frames: Sequence[Frame], grid: Grid, of: Palette) -> Array:
    """[columns]: y where the upper teeth end: in most frames, the first dark under what is bright and pale."""
    ends, dark = (np.array(each) for each in zip(*(ends_of(frame.upper, grid, of) for frame in frames), strict=True))
    dark[np.abs(ends - grid.bite) > STRAY] = 0
    found = dark.sum(axis=0) > 0
    edge = np.full(len(grid.x), grid.bite)
    edge[found] = [_middle_of(ends[:, column], dark[:, column]) for column in np.flatnonzero(found)]
    across = np.stack([np.ones(len(grid.x)), (grid.aside / 0.25) ** 2], axis=1)
    # Fitted with what rows of teeth are usually like, so that few columns do not say much.
    usual, weight = np.array([grid.bite, -BEND]), np.array([2.0, 6.0])
    rows, values = np.vstack([across[found], np.diag(weight)]), np.append(edge[found], usual * weight)
    line = np.clip(across @ np.linalg.lstsq(rows, values, rcond=None)[0], grid.bite - STRAY, grid.bite + STRAY)
    edge = np.where(found, np.clip(edge, line - WAVE, line + WAVE), line)
    return np.asarray(cv2.GaussianBlur(edge[None], (0, 0), SMOOTH * grid.density)[0])


def edge_in(upper: Layer, edge: Array, grid: Grid, of: Palette) -> Array:
    """The edge as the picture itself shows it, where it shows it near `edge`."""
    ends, dark = ends_of(upper, grid, of)
    weight = np.where(np.abs(ends - edge) < WAVE, dark, 0).astype(np.float32)
    sigma = OWN_SMOOTH * grid.density
    near = cv2.GaussianBlur(weight[None], (0, 0), sigma)[0]
    own = cv2.GaussianBlur((weight * ends).astype(np.float32)[None], (0, 0), sigma)[0] / np.maximum(near, 1e-3)
    return np.asarray(edge + np.minimum(2 * near, 1) * (own - edge))


def ends_of(upper: Layer, grid: Grid, of: Palette) -> tuple[Array, Array]:
    """[columns]: y where a frame's upper teeth end, and how dark it is below, 0..1: 0 where no end is seen."""
    level, shown = of.level(upper.yuv), upper.shown > SEEN
    nowhere = np.full(len(grid.x), grid.bite), np.zeros(len(grid.x))
    if shown.sum() < FEWEST:
        return nowhere
    brightest = max(float(np.quantile(level[shown], 0.9)), 16.0)
    pale = of.redness(upper.yuv) < PALE
    tooth = np.maximum.accumulate(np.where(shown & pale, level, 0), axis=0)
    dark = shown & (tooth > BRIGHT * brightest) & (level < DARKER * tooth)
    first = np.argmax(dark, axis=0)
    below = np.arange(len(grid.y))[:, None] - first
    near = dark & (below >= 0) & (below < NEAR_END * grid.density)
    share = np.where(near, level / np.maximum(tooth, 1), 1)
    darkest = share.min(axis=0)
    # Half way from the tooth's light to the dark: teeth get a little darker towards their tips.
    half = np.argmax(share <= (1 + darkest) / 2, axis=0)
    return grid.y[half] - 0.5 / grid.density, np.clip((DARKER - darkest) / DARK_ENOUGH, 0, 1)


def _middle_of(values: Array, weights: Array) -> float:
    """The weighted median of those whose weight is not 0."""
    order = np.argsort(np.where(weights > 0, values, np.inf))
    total = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(total, total[-1] / 2))]])
