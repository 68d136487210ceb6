"""The source's own sharpness, given back to what was moved, and noise as strong as its own, given to what is new.

Luma is looked at in two bands, the finest detail and the next. A remap takes some of both away; drawn teeth have none.
"""

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, smoothstep
from enhance.geometry.planes import Plane

SIGMAS = (0.8, 1.7)
"""Pixels: detail finer than the first is band 0, finer than the second band 1. Grain and codecs are of pixels, not of S."""
AROUND = 4.0  # pixels over which detail is averaged
LEAST = 0.2  # grey levels that rounding makes
MOST = (1.15, 1.06)  # gain of a band, each time: a remap takes no more
STRETCHED = (0.6, 0.9)
"""Source pixels for one pixel of the result in the direction that is stretched most: at the first no detail is given back, at
the second all of it."""
FEWEST = 0.6  # and the least
ROUNDS = 3  # a gain of one band adds a little to the next
BLOCK = 8  # pixels
STRIPS = 16  # rows of blocks, at most, that are looked at
CALM = 0.1  # quantile of the blocks' detail that is noise alone
OF_NOISE = (0.87, 0.82)
"""What that quantile is of the deviation of white noise in each band: tests/test_render_grain.py finds noise again by it."""
OF_DEVIATION = 0.677  # what _strength finds of the deviation of any noise
SEEN = (20.0, 235.0)  # luma beyond which noise is cut off
DARKER = 0.7  # of the picture's luma, below which a level that is not seen is taken to have less
LUMAS = np.array([24.0, 64.0, 112.0, 168.0, 224.0])
"""Grey levels at which noise is measured separately: shadows have less of it."""
ENOUGH = 12  # blocks of one level
TILE = 256  # pixels: side of the noise, which goes on where it began
STEP = (89, 55)  # pixels by which another picture's noise is another

Bands = tuple[Floats, Floats]


def sharpened(moved: Plane, source: Plane, by: tuple[Floats, Floats], area: Area, changed: npt.NDArray[np.bool_]) -> None:
    """Gives what was moved, in `area` of `moved`, the detail of the place where it came from.

    by: as in planes.moved(). No place gets more than the source has there, so blocks stay as they are.
    """
    if not changed.any():
        return
    part = moved[area.slices]
    size = (area.width, area.height)
    x = by[0] + np.arange(area.x, area.right, dtype=np.float32)
    y = by[1] + np.arange(area.y, area.bottom, dtype=np.float32)[:, None]
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
    share = smoothstep(_least_stretch(at_x, at_y), *STRETCHED)
    out = part.astype(np.float32)
    for _ in range(ROUNDS):
        change = np.zeros_like(out)
        for band, strength, most in zip(bands(out), wanted, MOST, strict=True):
            gain = np.clip((strength + LEAST) / (_strength(band, half) + LEAST), FEWEST, most)
            gain = (1 + share * (gain - 1)).astype(np.float32)
            more = np.asarray(cv2.resize(gain, size, interpolation=cv2.INTER_LINEAR), np.float32)
            more -= 1
            more *= band
            change += more
        out += change
    out += 0.5
    cv2.copyTo(np.clip(out, 0, 255, out=out).astype(np.uint8), changed.astype(np.uint8), part)


def bands(luma: Floats) -> Bands:
    """Detail finer than the first of SIGMAS, and from there to the second, in grey levels."""
    fine, coarse = (np.asarray(cv2.GaussianBlur(luma, (0, 0), sigma), np.float32) for sigma in SIGMAS)
    np.subtract(fine, coarse, out=coarse)
    return np.subtract(luma, fine, out=fine), coarse


def _least_stretch(at_x: Floats, at_y: Floats) -> Floats:
    """Source pixels for one of the result in the direction that has fewest; 0 where the map is folded."""
    (down_x, along_x), (down_y, along_y) = np.gradient(at_x), np.gradient(at_y)
    turn = np.hypot(along_x + down_y, along_y - down_x)
    return np.asarray(np.maximum(turn - np.hypot(along_x - down_y, along_y + down_x), 0) / 2, np.float32)


def _strength(band: Floats, size: tuple[int, int] | None = None) -> Floats:
    """How strong a band is, at every second pixel: averages are smooth. size: width and height of what comes out.

    The mean of roots, squared: an edge nearby, such as that of a tooth, counts little against the grain round it.
    """
    root = np.abs(band)
    small = cv2.resize(np.sqrt(root, out=root), size, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), AROUND / 2) ** 2, np.float32)


@dataclass(frozen=True)
class Noise:
    """A picture's noise: how strong it is, but nothing of what the picture shows."""

    levels: Array
    """len(LUMAS) x 2: its standard deviation in each band."""
    start: tuple[int, int]
    """Where in the tile the picture's origin lies: y, x. The same picture has the same noise again."""

    def missing(self, luma: Floats, inside: Floats, area: Area) -> Floats:
        """What is to be added to `luma` (h x w, grey levels), a part of the picture, for it to be as noisy as the picture.

        inside: h x w, how much of each pixel is seen. Where there is detail, none is missing.
        """
        seen = (inside > 0.9).astype(np.float32)
        weight = np.maximum(_spread(seen), 1e-3)
        grain = np.zeros_like(luma)
        for band, (white, detail) in enumerate(zip(_white_noise(area, self.start), bands(luma), strict=True)):
            have = (_spread(np.sqrt(np.abs(detail)) * seen) / weight) ** 2 / OF_DEVIATION
            wanted = np.interp(luma, LUMAS, self.levels[:, band])
            grain += np.sqrt(np.maximum(wanted**2 - have**2, 0)).astype(np.float32) * white
        return grain


def noise_of(luma: Plane) -> Noise:
    """The noise of a face and what is round it: of its smoothest blocks, as wrinkles, pores and hair are none."""
    return Noise(_calm(luma), _start_of(luma))


def _start_of(luma: Plane) -> tuple[int, int]:
    """Noise.start of a picture: the same for the same pixels."""
    seed = crc32(np.ascontiguousarray(luma[::BLOCK]).tobytes()) % TILE
    return seed * STEP[0] % TILE, seed * STEP[1] % TILE


def _white_noise(area: Area, start: tuple[int, int]) -> Bands:
    """Each band of deviation 1. start: as in Noise."""
    rows, columns = (
        np.arange(at, at + n) % TILE for at, n in ((start[0] + area.y, area.height), (start[1] + area.x, area.width))
    )
    fine, coarse = _tile()
    return fine[rows][:, columns], coarse[rows][:, columns]


def _calm(luma: Plane) -> Array:
    """len(LUMAS) x 2: the deviation of each band in the calmer blocks of each level.

    Where a level has too few, that of all blocks, but less in the dark: light's own noise, and what coders leave, go with it.
    """
    found = np.zeros((len(LUMAS), 2))
    rim = int(3 * SIGMAS[1])
    height, width = luma.shape[0], luma.shape[1] // BLOCK * BLOCK
    tops = np.arange(rim, height - BLOCK - rim + 1, max(BLOCK, height // STRIPS))
    if not len(tops) or not width:
        return found
    strips = luma[(tops[:, None] + np.arange(-rim, BLOCK + rim)).ravel(), :width].astype(np.float32)

    def blocks(values: Floats) -> Array:
        cut = values.reshape(len(tops), BLOCK + 2 * rim, width // BLOCK, BLOCK)[:, rim:-rim]
        return np.asarray(cut.mean(axis=(1, 3), dtype=np.float64).ravel())

    level = blocks(strips)
    whole = (level > SEEN[0]) & (level < SEEN[1])
    if not whole.any():
        return found
    level = level[whole]
    nearest = np.abs(level[:, None] - LUMAS).argmin(axis=1)
    middle = float(np.median(level))
    darker = np.minimum(1.0, LUMAS / max(DARKER * middle, 1.0))
    for band, values in enumerate(bands(strips)):
        deviation = np.sqrt(blocks(values * values)[whole])
        usual = _calmer(deviation[level >= DARKER * middle])
        for i in range(len(LUMAS)):
            of_level = deviation[nearest == i]
            own = _calmer(of_level) if len(of_level) >= ENOUGH else usual * darker[i]
            # What is dark and rougher than the rest is lashes, hair and nostrils.
            found[i, band] = min(own, usual) / OF_NOISE[band]
    # What is coarser rather than finer is no noise.
    found[:, 1] = found.min(axis=1)
    return found


def _calmer(deviations: Array) -> float:
    at = int(CALM * (len(deviations) - 1))
    return float(np.partition(deviations, at)[at])


def _spread(values: Floats) -> Floats:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), AROUND), np.float32)


@lru_cache(maxsize=1)
def _tile() -> Bands:
    """White noise, each band of deviation 1."""
    noise = np.random.default_rng(0).normal(size=(TILE, TILE)).astype(np.float32)
    fine, coarse = bands(np.pad(noise, TILE // 2, mode="wrap"))
    inner = slice(TILE // 2, -(TILE // 2))
    return _unit(fine[inner, inner]), _unit(coarse[inner, inner])


def _unit(band: Floats) -> Floats:
    return np.asarray(np.clip(band / band.std(), -2.5, 2.5), np.float32)
