"""Noise of a picture, taken away before a network enlarges it: each pixel becomes the mean of those around it whose
surroundings look alike ("non-local means"). docs/decisions/0139.

Luma and both differences of colour are averaged apart, as noise of colour is the stronger one and its detail the coarser one.
"""

from collections.abc import Callable
from functools import partial
from itertools import product

import cv2
import numpy as np

from enhance.picture import LUMA, AnyPicture, white

from .noise import means_of_four
from .rows import Floats, by_rows, joined, mean_around

SEARCH = 3  # pixels to each side that are compared
PATCH = 2  # pixels to each side by which they are
REACH = SEARCH + PATCH
"""How far a pixel depends on its surroundings."""
WIDE_REACH = 2 * (REACH + 2) + 1
"""The same of noise that is wider: in means of 2 x 2 pixels, of which two more to each side make a pixel."""

_LUMA, _COLOUR = 0.6, 1.5  # how strong, in parts of the noise
_ROWS = 32  # at a time: what is computed of them stays in the processor's cache


def without_noise(
    picture: AnyPicture, noise: float, threads: int, before_rows: Callable[[], None], in_luma: bool = True
) -> AnyPicture:
    """A picture (h x w x 3 or 4, RGB or RGBA) without noise whose luma is `noise` levels of 255 strong; alpha stays.

    in_luma: whether that goes too, or only that of colours.
    Rows do not depend on what is farther than REACH from them. before_rows is called before some rows and may raise to stop.
    """
    most = white(picture)
    strength = np.float32(noise * most / 255)
    clean = partial(_cleaned, noise=strength, most=most, in_luma=in_luma)
    return by_rows(picture, clean, reach=REACH, many=_ROWS, threads=threads, before_rows=before_rows)


def without_wide_noise(picture: AnyPicture, noise: float, threads: int, before_rows: Callable[[], None]) -> AnyPicture:
    """A picture (h x w x 3 RGB) without noise that is wider than a pixel, as a phone's own denoising leaves it.

    noise: of the luma of means of 2 x 2 pixels, in levels of 255. These are cleaned, and what that changes is taken from the
    picture, so what is finer stays. Rows do not depend on what is farther than WIDE_REACH from them; the first is an even one.
    """
    height, width = picture.shape[:2]
    whole = cv2.copyMakeBorder(picture, 0, height % 2, 0, width % 2, cv2.BORDER_REPLICATE).astype(np.float32)
    most, finest = white(picture), 65535  # 16 bits, as means of 2 x 2 are finer than a picture's levels
    noisy = (means_of_four(whole) * (finest / most) + 0.5).astype(np.uint16)
    clean = without_noise(noisy, noise, threads, before_rows)
    change = (clean.astype(np.float32) - noisy) * (most / finest)
    whole += cv2.resize(change, whole.shape[1::-1], interpolation=cv2.INTER_CUBIC)
    return np.asarray((np.clip(whole, 0, most) + 0.5)[:height, :width].astype(picture.dtype))


def _cleaned(rows: AnyPicture, noise: np.float32, most: int, in_luma: bool) -> AnyPicture:
    """Rows with REACH pixels more on each side, cleaned and without these."""
    luma = np.asarray(rows @ LUMA, np.float32)
    planes = [luma, rows[:, :, 2] - luma, rows[:, :, 0] - luma]
    around = [_window(plane, 0, 0, PATCH) for plane in planes]
    sums = [np.zeros_like(_window(plane, 0, 0, 0)) for plane in planes]
    weights = [np.zeros_like(sums[0]) for _ in range(2)]
    for down, across in product(range(-SEARCH, SEARCH + 1), repeat=2):
        of_luma, of_blue, of_red = (
            np.square(_window(plane, down, across, PATCH) - middle) for plane, middle in zip(planes, around, strict=True)
        )
        # Less what noise alone makes of two that are the same.
        apart = np.maximum(_mean(of_luma) - 2 * noise**2, 0)
        colours_apart = np.maximum(_mean(of_blue + of_red) - 4 * noise**2, 0)
        weight = np.asarray(cv2.exp(apart * (-1 / (_LUMA * noise) ** 2)), np.float32)
        of_colours = np.asarray(cv2.exp((apart + colours_apart) * (-1 / (_COLOUR * noise) ** 2)), np.float32)
        for plane, total, share in zip(planes, sums, (weight, of_colours, of_colours), strict=True):
            cv2.accumulateProduct(_window(plane, down, across, 0), share, total)
        weights[0] += weight
        weights[1] += of_colours
    luma, blue, red = sums[0] / weights[0], sums[1] / weights[1], sums[2] / weights[1]
    return joined(luma if in_luma else _window(planes[0], 0, 0, 0), red, blue, rows, most)


def _window(plane: Floats, down: int, across: int, more: int) -> Floats:
    """The plane less its border, moved by some pixels, with `more` of the border."""
    first = REACH - more
    return plane[first + down : len(plane) - first + down, first + across : plane.shape[1] - first + across]


def _mean(plane: Floats) -> Floats:
    """Over the patch of each pixel; PATCH less on each side."""
    return mean_around(plane, PATCH)[PATCH:-PATCH, PATCH:-PATCH]
