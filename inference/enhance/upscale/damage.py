"""How much is to be taken away from a picture: of what a JPEG left, by the steps to which it rounded it, and of noise.

A JPEG's steps show in its pixels for good: the frequencies of its blocks of 8 x 8 are whole multiples of them. So a PNG of what
was a JPEG once is measured too, and of a part of it, unless it was made larger or smaller between. docs/decisions/0038, 0196.
Text on white cuts off what a block would have above white, and there are no multiples left: cut_off.py finds them, and a JPEG's
own table is read in src/media/image/jpeg-step.ts.
"""

from bisect import bisect
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import LUMA, AnyPicture, white

from .blocks import BLOCK, USUAL, Floats, blocks_of, distinct, line, wave
from .cut_off import coarseness
from .noise import LIMITS, means_of_four, noise_of

_LIMITS = (2, 5, 8, 18)  # steps from which each of upscaler.DENOISING, up to JPEG, is the truest: JPEG 92, 81, 70 and 37
_SIDE = 512  # pixels of a picture's middle that are looked at, on each axis, at most
_LEAST_SIDE = 32
_FREQUENCIES = ((0, 1), (1, 0), (2, 0), (1, 1), (0, 2), (0, 3), (1, 2), (2, 1), (3, 0))
_USUAL = np.array([USUAL[each] for each in _FREQUENCIES])
_USUAL_STEP = 13.2  # the mean of those and of the constant's: what a quality's step is counted in
_STEPS = np.arange(2, 73)
_BINS_PER_LEVEL, _BINS = 8, 8 * 256
_LEAST_SEEN = 30  # frequencies that are not zero
_LEAST_COMB = 0.35  # 1: all are multiples; 0: none of it. Rounded colours leave 0.5 of a step of 2 levels
_LEAST_FOUND = 3  # of the nine frequencies
_FEW_SHADES = 16  # of luma: QR codes and pixel art, whose pixels are 2 to 6 wide. JPEGs have 28 and more where a step is found
_MOST_WIDE = 8.0  # levels of noise in means of 2 x 2 pixels: noise over sand is measured too strong
_LEAST_LEAD = 1.5  # of a cut JPEG's grid over any other: 1.8 and more in JPEGs, 1.1 at most in dithers and pixel art


class Damage(NamedTuple):
    """level: which of upscaler.DENOISING is the truest; 0 for none. noise: of luma, in levels of 255, where the level is for
    noise, as far as it may be averaged away (Noise.certain); else 0. wide_noise: the same of means of 2 x 2 pixels, whatever
    the level is for, where there is more of it: noise that is wider than a pixel (docs/decisions/0238). One of the two is 0."""

    level: int
    noise: float = 0.0
    wide_noise: float = 0.0


def damage_of(picture: AnyPicture) -> Damage:
    """What was a JPEG (docs/decisions/0050), or is noisy (0121)."""
    middle = _middle(picture)
    rgb = np.asarray(middle * (255 / white(picture)), np.float32)
    noise = noise_of(_luma(middle), rgb)
    of_jpeg, of_noise = jpeg_level(picture), bisect(LIMITS, noise.strength)
    if (wide := _wide_noise(rgb)) > noise.strength:
        return Damage(max(of_jpeg, of_noise, 1), wide_noise=wide)
    return Damage(max(of_jpeg, of_noise), noise.certain if of_noise >= max(of_jpeg, 1) else 0.0)


def _wide_noise(rgb: Floats) -> float:
    """What is certain to be noise in means of 2 x 2 pixels, in levels."""
    height, width = (side & ~1 for side in rgb.shape[:2])
    halves = means_of_four(rgb[:height, :width])
    return min(noise_of(np.asarray(halves @ LUMA, np.float32), halves).certain, _MOST_WIDE)


def jpeg_level(picture: AnyPicture) -> int:
    """Which of upscaler.DENOISING is the truest for what a JPEG left, without noise; 0 for none."""
    return bisect(_LIMITS, jpeg_step(picture))


def jpeg_step(picture: AnyPicture) -> float:
    """Levels of 8 bits by which the low frequencies of a JPEG were rounded, 13.2 at quality 50; 0 where it was none.

    picture: h x w x 3 or more. It may have been cut since, and stored as another JPEG: the larger step counts.
    """
    middle = _middle(picture)
    luma = _luma(middle)
    if min(luma.shape) < _LEAST_SIDE:
        return 0.0
    found = _step_of(luma)
    if cut := _grid_of_cut(luma):
        found = max(found, _step_of(luma[cut[0] :, cut[1] :]))
    found = found or coarseness(middle, luma) * _USUAL_STEP
    return found if found and len(np.unique(luma.round(2))) > _FEW_SHADES else 0.0


def _middle(picture: AnyPicture) -> AnyPicture:
    """Its RGB, at whole blocks."""
    top, left = (max(0, side - _SIDE) // 2 // BLOCK * BLOCK for side in picture.shape[:2])
    return picture[top : top + _SIDE, left : left + _SIDE, :3]


def _luma(picture: AnyPicture) -> Floats:
    """0..255."""
    return np.asarray(picture @ (LUMA * (255 / white(picture))), np.float32)


def _step_of(luma: Floats) -> float:
    blocks = np.asarray(blocks_of(luma), np.float32)
    seen = np.abs(blocks[distinct(blocks)] @ _WAVES.T)
    scales = [step / usual for usual, values in zip(_USUAL, seen.T, strict=True) if (step := _comb(values))]
    return float(np.median(scales)) * _USUAL_STEP if len(scales) >= _LEAST_FOUND else 0.0


def _comb(values: Floats) -> int:
    """The largest step of which the values are multiples; 0 for none."""
    counts = np.bincount(_bins(values), minlength=_BINS)
    return int(_STEPS[_shares(counts) > 0].max(initial=0))


def _bins(values: Floats) -> npt.NDArray[np.intp]:
    return np.minimum(values * _BINS_PER_LEVEL + 0.5, _BINS - 1).astype(np.intp)


def _shares(counts: npt.NDArray[np.intp]) -> Floats:
    """How far values are multiples of each of _STEPS, up to 1; 0 where they are not. counts: ... x _BINS."""
    counted = counts.astype(np.float32)  # else the product is made in float64
    many = counted @ _COUNTED.T
    share = (counted @ _COMBS.T) / np.maximum(many, 1)
    fits = (many >= _LEAST_SEEN) & (share >= np.maximum(_LEAST_COMB, 5 / np.sqrt(np.maximum(many, 1))))
    return np.asarray(np.where(fits, share, 0), np.float32)


def _grid_of_cut(luma: Floats) -> tuple[int, int] | None:
    """The row and the column, 0 to 7, where the blocks begin of a JPEG that was cut elsewhere than between two of them: where
    most frequencies are multiples. None where no place leads."""
    height, width = (length - BLOCK + 1 for length in luma.shape)
    places = np.arange(height)[:, None] % BLOCK * BLOCK + np.arange(width) % BLOCK
    total = np.zeros(BLOCK**2)
    for down, across in _FREQUENCIES:
        # The frequency in the block that begins at each pixel.
        values = cv2.sepFilter2D(luma, -1, line(across), line(down), anchor=(0, 0))[:height, :width]
        bins = places * _BINS + _bins(np.abs(values))
        counts = np.bincount(bins.ravel(), minlength=BLOCK**2 * _BINS).reshape(BLOCK**2, _BINS)
        total += _shares(counts).max(axis=1)
    total[0] = 0
    second, most = np.sort(total)[-2:]
    return divmod(int(total.argmax()), BLOCK) if most > _LEAST_LEAD * second else None


_WAVES = np.array([wave(*each) for each in _FREQUENCIES], np.float32)
_VALUES = np.arange(_BINS) / _BINS_PER_LEVEL
# What is near half a step counts against it, so that no multiple of the step is taken for it; what is near 0 says nothing.
_COUNTED = (0.4 * _STEPS[:, None] < _VALUES).astype(np.float32)
_COMBS = (_COUNTED * np.cos(2 * np.pi * _VALUES / _STEPS[:, None])).astype(np.float32)
