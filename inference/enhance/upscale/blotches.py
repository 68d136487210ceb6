"""Blotches of colour that a JPEG or noise left, evened before a network enlarges it. docs/decisions/0146, 0207 and 0225.

A JPEG rounds colours more coarsely than luma, mostly in blocks of 16 x 16 pixels. The network, which looks at a few pixels to
each side, leaves the steps between such blocks. Each difference of colour is fitted, around each pixel, as a linear function of
luma and of itself ("guided filter", He et al. 2010): it follows edges of luma and strong edges of colour, and weak steps
disappear. Noise of a sensor is coarse in colour, as each pixel saw one colour alone and a JPEG halves them: alike.py, which
looks three pixels far, leaves it in part.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from enhance.picture import LUMA, AnyPicture, white

from .rows import Floats, by_rows, joined, mean_around

AROUND = 8  # pixels to each side in which a fit is made
REACH = 2 * AROUND
"""How far a pixel depends on its surroundings: its value is the mean of the fits of all squares that it lies in."""

_OF_LUMA = 30  # variance, squared levels of 255: where luma varies by less, colours hardly follow it
COARSE, MEDIUM = 20, 5  # variances of a colour, by how coarse the JPEG was: what varies by less is smoothed
_OF_NOISE = 1.5  # of the variance of what was taken away as noise around: the same where a picture was noisy
_LEAST = 1  # of that: no noise at all was in a flat colour
_ROWS = 256  # at a time, which bounds the memory


def with_even_colours(
    picture: AnyPicture,
    threads: int,
    before_rows: Callable[[], None],
    noisy: AnyPicture | None = None,
    of_jpeg: float = COARSE,
) -> AnyPicture:
    """A picture (h x w x 3 RGB) with the same luma and less blotched colours.

    noisy: the same before its noise was taken away, which tells how noisy its colours were; None: what a JPEG left goes, by
    of_jpeg, which is COARSE or MEDIUM.
    Rows do not depend on what is farther than REACH from them. before_rows is called before some rows and may raise to stop.
    """
    clean, beside = partial(_evened, most=white(picture), of_jpeg=of_jpeg), () if noisy is None else (noisy,)
    return by_rows(picture, clean, beside=beside, reach=REACH, many=_ROWS, threads=threads, before_rows=before_rows)


def _evened(rows: AnyPicture, noisy: AnyPicture | None = None, *, most: int, of_jpeg: float) -> AnyPicture:
    """Rows with REACH pixels more on each side, without these."""
    to_luma, to_colour, least = (np.float32((most / 255) ** 2 * variance) for variance in (_OF_LUMA, of_jpeg, _LEAST))
    luma: Floats = np.asarray(rows @ LUMA, np.float32)
    of_luma = mean_around(luma, AROUND)
    variance = mean_around(luma * luma, AROUND) - of_luma**2 + to_luma
    inside = (slice(REACH, -REACH), slice(REACH, -REACH))

    def least_kept(channel: int, plane: Floats) -> Floats:
        """The variance below which a colour is smoothed."""
        if noisy is None:
            return np.full_like(plane, to_colour)
        of_noise: Floats = np.asarray(noisy[:, :, channel] - noisy @ LUMA, np.float32) - plane
        return np.maximum(mean_around(of_noise * of_noise, AROUND) * np.float32(_OF_NOISE), least)

    def fitted(channel: int) -> Floats:
        plane = rows[:, :, channel] - luma
        mean = mean_around(plane, AROUND)
        own, both = mean_around(plane * plane, AROUND) - mean**2, mean_around(luma * plane, AROUND) - of_luma * mean
        weak = least_kept(channel, plane)
        determinant = variance * (own + weak) - both**2
        by_luma, by_own = both * weak / determinant, (variance * own - both**2) / determinant
        rest = mean - by_luma * of_luma - by_own * mean
        of_luma_and_own = mean_around(by_luma, AROUND) * luma + mean_around(by_own, AROUND) * plane
        return (of_luma_and_own + mean_around(rest, AROUND))[inside]

    return joined(luma[inside], fitted(0), fitted(2), rows, most)
