"""The source's own sharpness and grain, given back to what was moved and given to what is new.

Luma is looked at in two bands, the finest detail and the next. A remap takes some of both away; drawn teeth have none.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .area import Area, Floats
from .mesh import Array, Pose, smoothstep
from .planes import Plane, Planes

SIGMAS = (0.8, 1.7)
"""Pixels: detail finer than the first is band 0, finer than the second band 1. Grain and codecs are of pixels, not of S."""
AROUND = 4.0  # pixels over which detail is averaged
LEAST = 0.2  # grey levels that rounding makes
MOST = (1.20, 1.08)  # gain of a band, each time: a remap takes no more
STRETCHED = (
    0.6,
    0.9,
)  # source pixels for one of the result, along and across: what is drawn out has no finer detail to give back
FEWEST = 0.6  # and the least
ROUNDS = 3  # a gain of one band adds a little to the next
BLOCK = 8  # pixels
CALM = 0.2  # quantile of the blocks' detail that is noise alone
OF_NOISE = (0.90, 0.80)  # what that quantile is of the deviation of white noise in each band: measured
DARKER = 0.7  # of the face's luma, below which a level that is not seen is taken to have less
LUMAS = np.array([24.0, 64.0, 112.0, 168.0, 224.0])
"""Levels between which noise is told apart: shadows have less of it."""
ENOUGH = 6  # blocks of one level
FACE = (234, 454, 152, 2, 50, 280)
CHEEKS = (50, 280)
TILE = 0.11  # S: half the side of the piece of cheek whose grain is used

Bands = tuple[Floats, Floats]


def sharpened(moved: Plane, source: Plane, by: Floats, area: Area, changed: npt.NDArray[np.bool_]) -> None:
    """Gives what was moved, in `area` of `moved`, the detail of the place where it came from.

    by: h x w x 2, as in planes.moved(). No place gets more than the source has there, so blocks stay as they are.
    """
    part = moved[area.slices]
    size = (area.width, area.height)
    x = by[..., 0] + np.arange(area.x, area.right, dtype=np.float32)
    y = by[..., 1] + np.arange(area.y, area.bottom, dtype=np.float32)[:, None]
    left, top = (max(0, int(v.min()) - 8) for v in (x, y))
    right, bottom = int(x.max()) + 10, int(y.max()) + 10
    half = (max(1, size[0] // 2), max(1, size[1] // 2))
    at_x, at_y = (
        np.asarray(cv2.resize(v, half, interpolation=cv2.INTER_AREA), np.float32) * 0.5 - 0.25 for v in (x - left, y - top)
    )
    wanted = [
        cv2.remap(_strength(band), at_x, at_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for band in bands(source[top:bottom, left:right].astype(np.float32))
    ]
    share = smoothstep(np.minimum(np.gradient(at_x, axis=1), np.gradient(at_y, axis=0)), *STRETCHED)
    out = part.astype(np.float32)
    for _ in range(ROUNDS):
        change = np.zeros_like(out)
        for band, strength, most in zip(bands(out), wanted, MOST, strict=True):
            gain = np.clip((strength + LEAST) / (_strength(band, half) + LEAST), FEWEST, most)
            gain = (1 + share * (gain - 1)).astype(np.float32)
            change += (np.asarray(cv2.resize(gain, size, interpolation=cv2.INTER_LINEAR), np.float32) - 1) * band
        out += change
    part[...] = np.where(changed, np.clip(out + 0.5, 0, 255), part).astype(np.uint8)


def bands(luma: Floats) -> Bands:
    fine, coarse = (np.asarray(cv2.GaussianBlur(luma, (0, 0), sigma), np.float32) for sigma in SIGMAS)
    return luma - fine, fine - coarse


def _strength(band: Floats, size: tuple[int, int] | None = None) -> Floats:
    """How strong a band is, at every second pixel: averages are smooth. size: width and height of what comes out.

    The mean of roots, squared: an edge nearby, such as that of a tooth, counts little against the grain round it.
    """
    small = cv2.resize(np.sqrt(np.abs(band)), size, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), AROUND / 2) ** 2, np.float32)


@dataclass(frozen=True)
class Noise:
    levels: Array
    """len(LUMAS) x 2: standard deviation of each band where nothing else is seen."""
    tile: Bands
    """A piece of the picture's grain, each band of deviation 1."""

    def missing(self, luma: Floats, inside: Floats) -> Floats:
        """What is to be added to `luma` (h x w, grey levels) for it to be as grainy as the picture.

        inside: h x w, how much of each pixel is seen.
        """
        present = _calm(bands(luma), luma, inside > 0.9)
        grain = np.zeros_like(luma)
        for band, (tile, have) in enumerate(zip(self.tile, present.T, strict=True)):
            lacking = np.sqrt(np.maximum(self.levels[:, band] ** 2 - have**2, 0))
            amount = np.interp(luma, LUMAS, lacking).astype(np.float32)
            rows, columns = (_mirrored(n, m) for n, m in zip(luma.shape, tile.shape, strict=True))
            grain += amount * tile[rows][:, columns]
        return grain


def noise_of(planes: Planes, pose: Pose, head: Array) -> Noise:
    """The noise of the face in this frame."""
    at = pose.to_pixels(pose.to_plane(head[list(FACE)]))
    left, top = np.maximum(np.floor(at.min(axis=0)).astype(int), 0)
    right, bottom = np.maximum(np.ceil(at.max(axis=0)).astype(int), 0)
    face = planes.y[top:bottom, left:right].astype(np.float32)
    if min(face.shape) < 2 * BLOCK:
        return Noise(np.zeros((len(LUMAS), 2)), (np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32)))
    levels = _calm(bands(face), face, np.ones(face.shape, np.bool_))
    return Noise(levels, _tile(planes.y, pose, head))


def _calm(both: Bands, luma: Floats, where: npt.NDArray[np.bool_]) -> Array:
    """len(LUMAS) x 2: the deviation of each band in the calmer blocks of each level.

    Where a level has too few, that of all blocks, but less in the dark: light's own noise, and what coders leave, go with it.
    """
    height, width = (v // BLOCK * BLOCK for v in luma.shape)
    if not height or not width:
        return np.zeros((len(LUMAS), 2))

    def blocks(values: Floats) -> Array:
        cut = values[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
        return np.asarray(cut.mean(axis=(1, 3), dtype=np.float64))

    whole = blocks(where.astype(np.float32)) > 0.6
    if not whole.any():
        return np.zeros((len(LUMAS), 2))
    level = blocks(luma)[whole]
    nearest = np.abs(level[:, None] - LUMAS).argmin(axis=1)
    found = np.empty((len(LUMAS), 2))
    for band, values in enumerate(both):
        deviation = np.sqrt(blocks(values * values)[whole])
        usual = float(np.quantile(deviation, CALM))
        for i in range(len(LUMAS)):
            of_level = deviation[nearest == i]
            darker = min(1.0, LUMAS[i] / max(DARKER * float(np.median(level)), 1.0))
            own = float(np.quantile(of_level, CALM)) if len(of_level) >= ENOUGH else usual * darker
            # What is dark in a face and rougher than its skin is lashes, hair and nostrils.
            found[i, band] = min(own, usual) / OF_NOISE[band]
    return found


def _tile(luma: Plane, pose: Pose, head: Array) -> Bands:
    """From the calmer cheek."""
    reach = max(BLOCK, int(TILE * pose.scale))
    pieces = []
    most = np.maximum(np.array(luma.shape[::-1]) - reach, reach)
    for x, y in np.clip(pose.to_pixels(pose.to_plane(head[list(CHEEKS)])).astype(int), reach, most):
        pieces.append(bands(luma[y - reach : y + reach, x - reach : x + reach].astype(np.float32)))
    fine, coarse = min(pieces, key=lambda piece: float(piece[0].std()))
    return _unit(fine), _unit(coarse)


def _unit(band: Floats) -> Floats:
    clipped = np.clip(band / max(float(band.std()), 1e-3), -2.5, 2.5)
    return np.asarray(clipped / max(float(clipped.std()), 1e-3), np.float32)


def _mirrored(count: int, period: int) -> npt.NDArray[np.int64]:
    """0 1 2 .. period-1 .. 2 1 0 1 .."""
    return np.asarray(np.abs(np.arange(count) % max(2 * period - 2, 1) - (period - 1)))
