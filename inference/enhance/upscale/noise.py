"""How strong the noise of a picture is: by its quietest blocks, where noise is alike and texture is not.

A sensor's noise and the grain of film are the same all over a picture, or change with its brightness alone. So among blocks
of one brightness with little in them, fine frequencies are about as strong in one as in the next. In sand, water or cloth
they are not. docs/decisions/0121, 0133 and 0134. A texture that is alike all over repeats (repeats.py), and is no noise.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from enhance.picture import LUMA

from .blocks import BLOCK, Floats, blocks_of, distinct, wave
from .repeats import repeats

LIMITS = (2, 4, 4)  # levels of 255 from which each of upscaler.DENOISING, up to 3, is the truest; 2 is for JPEGs alone
_STRONGEST = 20.0  # beyond it is sand and gravel
_LARGEST_SPREAD = 0.22  # of blocks' strengths. Noise has 0.13 to 0.21, texture of whole pictures from 0.24 on
_LEAST_BLOCKS = 900  # 128 x 128 pixels: of fewer, some textures spread as little as noise
_NIGHT = 0.4  # of all blocks, cut off by black: what is left is little, and lies beside light, so its noise is less alike
_NIGHT_SPREAD, _NIGHT_BLOCKS = 0.3, 300  # the two limits there, where colours have _NIGHT_COLOUR. docs/decisions/0268
_QUIET, _LEAST_QUIET = 8, 300  # the blocks with the least that is coarse: one of so many, but no fewer than that
_QUIET_OF_FEW = 4  # and no more than one of so many
_LEAST_DISTINCT = 0.95  # of the quiet blocks. Those of noise all are; those of a page of text repeat
_SHADES = 6  # parts of alike brightness
_FIRST, _LAST = 3, 252  # beyond these values noise is cut off
_OF_ONE = float(np.sqrt(np.square(LUMA).sum() / 2))  # of a difference of channels: the noise of luma, where each has its own
_LEAST_COLOUR = 0.08  # of luma's noise: white noise at JPEG 85 has .05 to .15 of it, a sensor's .1 to .4, sand .04
_NIGHT_COLOUR = 0.15  # the same where noise is found by the limits of a night alone
_MOST_BY_COLOUR = 12.0  # levels of luma that are certain by that: noise over sand is measured too strong
_MOST_OF_LUMA = 8.0  # the same where luma alone has it, as in black and white, and it may be texture. docs/decisions/0259
_MOST_CUT_OFF = 3  # values of a block: in dark photos, noise makes nearly all blocks have some


class Noise(NamedTuple):
    """strength: of luma, in levels of 255; 0 where no noise is found. certain: how much of it may be averaged away: what the
    channels have each for itself, as that is no texture; where nothing tells, strong noise, up to a limit."""

    strength: float
    certain: float


def means_of_four(picture: Floats) -> Floats:
    """Means of 2 x 2 pixels of a picture with even sides, h x w x 3: noise that is two pixels wide is one wide there."""
    height, width = picture.shape[:2]
    return np.asarray(picture.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3)), np.float32)


def noise_of(luma: Floats, rgb: Floats) -> Noise:
    """How noisy a picture is.

    luma: h x w, rgb: h x w x 3, 0..255: the middle of a picture. Noise is looked for in its luma, and then where its channels
    differ: texture is in all of them, noise of a sensor or a program in each for itself.
    """
    blocks = _blocks(luma)
    kept = np.count_nonzero((blocks <= _FIRST) | (blocks >= _LAST), axis=1) <= _MOST_CUT_OFF
    is_night = np.mean(np.count_nonzero(blocks <= _FIRST, axis=1) > _MOST_CUT_OFF) >= _NIGHT
    if np.count_nonzero(kept) < (_NIGHT_BLOCKS if is_night else _LEAST_BLOCKS):
        return Noise(0.0, 0.0)
    blocks = blocks[kept]
    brightness = blocks.mean(axis=1)
    of_luma = between = 0.0
    if len(blocks) >= _LEAST_BLOCKS:
        of_luma, between = _noise_of(blocks, brightness), _noise_between(rgb, kept, brightness)
    of_luma = of_luma or between
    needs_colour = is_night and not of_luma
    if needs_colour:
        of_luma = _noise_of(blocks, brightness, _NIGHT_SPREAD)
    quiet = np.flatnonzero(kept)[_quiet(blocks)]
    if not of_luma or repeats(luma, _places(luma)[quiet]):
        return Noise(0.0, 0.0)
    if between:
        return Noise(of_luma, min(of_luma, between))
    colour = _noise_of_colour(luma, rgb, quiet) / of_luma
    if needs_colour and colour < _NIGHT_COLOUR:
        return Noise(0.0, 0.0)
    if colour >= _LEAST_COLOUR:
        return Noise(of_luma, min(of_luma, _MOST_BY_COLOUR))
    return Noise(of_luma, min(of_luma, _MOST_OF_LUMA) if of_luma >= LIMITS[-1] else 0.0)


def _noise_of_colour(luma: Floats, rgb: Floats, quiet: npt.NDArray[np.intp]) -> float:
    """What a JPEG leaves of colour noise, in levels: of means of 2 x 2 pixels in the quiet blocks, the weaker of two planes."""
    found = []
    for channel in (0, 2):
        blocks = _blocks(rgb[:, :, channel] - luma)[quiet]
        halved = blocks.reshape(-1, BLOCK // 2, 2, BLOCK // 2, 2).mean(axis=(2, 4))
        curved = (halved @ _CURVED, halved.transpose(0, 2, 1) @ _CURVED)
        found.append(float(np.median(np.sqrt(np.square(np.concatenate(curved, axis=1)).mean(axis=1)))))
    return min(found)


def _noise_between(rgb: Floats, kept: npt.NDArray[np.bool_], brightness: Floats) -> float:
    """The noise that luma has, in levels, where each channel has its own; else 0. kept: which of the blocks are looked at."""
    red, green, blue = np.moveaxis(rgb, 2, 0)
    found = []
    for difference in ((red - green) * _OF_ONE, (blue - green) * _OF_ONE):
        # The quietest have less than the usual one: most pictures end here, in a quarter of the time.
        if np.median(_strengths(np.asarray(blocks_of(difference), np.float32), _FINE)) < LIMITS[0]:
            return 0.0
        found.append(_noise_of(_blocks(difference)[kept], brightness))
    return min(found)


def _noise_of(blocks: Floats, brightness: Floats, most_spread: float = _LARGEST_SPREAD) -> float:
    """Strength of the noise in a plane's blocks (n x 64), in levels; 0 where there is none. brightness: of each block."""
    order = _quiet(blocks)
    quiet = blocks[order]
    noise = float(np.median(_strengths(quiet, _FINE)))
    if not LIMITS[0] <= noise <= _STRONGEST or _spread(quiet, brightness[order]) >= most_spread:
        return 0.0
    return noise if len(distinct(quiet)) >= _LEAST_DISTINCT * len(quiet) else 0.0


def _quiet(blocks: Floats) -> npt.NDArray[np.intp]:
    """Which of a plane's blocks have the least in them."""
    count = max(len(blocks) // _QUIET, min(len(blocks) // _QUIET_OF_FEW, _LEAST_QUIET))
    return np.argsort(_strengths(blocks, _COARSE))[:count]


def _blocks(plane: Floats) -> Floats:
    """n x 64: side by side, and again shifted by half a block down, across and both."""
    return np.concatenate([np.asarray(blocks_of(plane[down:, across:]), np.float32) for down, across in _SHIFTS])


def _places(plane: Floats) -> npt.NDArray[np.intp]:
    """n x 2: the row and the column where each of _blocks() begins."""
    numbers = np.arange(plane.size).reshape(plane.shape)
    first = np.concatenate([blocks_of(numbers[down:, across:])[:, 0] for down, across in _SHIFTS])
    return np.stack(np.divmod(first, plane.shape[1]), axis=1)


def _spread(blocks: Floats, brightness: Floats) -> float:
    """Half of what two thirds of the blocks differ by, in parts of what is usual at their brightness."""
    shades = np.array_split(_strengths(blocks[np.argsort(brightness)], _MIDDLE), _SHADES)
    first, last = np.percentile(np.concatenate([shade / np.median(shade) for shade in shades]), (16, 84))
    return float(last - first) / 2


def _strengths(blocks: Floats, waves: Floats) -> Floats:
    """Of some frequencies in each block: the root of their mean square, in levels."""
    return np.asarray(np.sqrt(np.square(blocks @ waves.T).mean(axis=1)), np.float32)


def _waves(first: int, last: int) -> Floats:
    """The frequencies of a block whose two numbers add up to that."""
    pairs = [(down, across) for down in range(BLOCK) for across in range(BLOCK)]
    return np.array([wave(*pair) for pair in pairs if first <= sum(pair) <= last], np.float32)


_SHIFTS = [(down, across) for down in (0, BLOCK // 2) for across in (0, BLOCK // 2)]
_CURVED = np.array([1, -1, -1, 1], np.float32) / 2  # of four in a row: what neither a level nor a slope leaves
_COARSE, _MIDDLE, _FINE = _waves(1, 2), _waves(3, 6), _waves(5, 7)  # a JPEG leaves little beyond
