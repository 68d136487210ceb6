"""Blotches of colour that a coarse JPEG left, evened before a network enlarges it. docs/decisions/0146.

A JPEG rounds colours more coarsely than luma, mostly in blocks of 16 x 16 pixels. The network, which looks at a few pixels to
each side, leaves the steps between such blocks. Each difference of colour is fitted, around each pixel, as a linear function of
luma and of itself ("guided filter", He et al. 2010): it follows edges of luma and strong edges of colour, and weak steps
disappear.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from enhance.picture import LUMA, AnyPicture, white

from .rows import Floats, by_rows, joined, mean_around

AROUND = 8  # pixels to each side in which a fit is made
REACH = 2 * AROUND
"""How far a pixel depends on its surroundings: its value is the mean of the fits of all squares that it lies in."""

_OF_LUMA, _OF_COLOUR = 30, 20  # variances, squared levels of 255: what varies by less is smoothed
_ROWS = 256  # at a time, which bounds the memory


def with_even_colours(picture: AnyPicture, threads: int, before_rows: Callable[[], None]) -> AnyPicture:
    """A picture (h x w x 3 RGB) with the same luma and less blotched colours.

    Rows do not depend on what is farther than REACH from them. before_rows is called before some rows and may raise to stop.
    """
    clean = partial(_evened, most=white(picture))
    return by_rows(picture, clean, reach=REACH, many=_ROWS, threads=threads, before_rows=before_rows)


def _evened(rows: AnyPicture, most: int) -> AnyPicture:
    """Rows with REACH pixels more on each side, without these."""
    to_luma, to_colour = (np.float32((most / 255) ** 2 * variance) for variance in (_OF_LUMA, _OF_COLOUR))
    luma: Floats = np.asarray(rows @ LUMA, np.float32)
    of_luma = mean_around(luma, AROUND)
    variance = mean_around(luma * luma, AROUND) - of_luma**2 + to_luma
    inside = (slice(REACH, -REACH), slice(REACH, -REACH))

    def fitted(channel: int) -> Floats:
        plane = rows[:, :, channel] - luma
        mean = mean_around(plane, AROUND)
        own, both = mean_around(plane * plane, AROUND) - mean**2, mean_around(luma * plane, AROUND) - of_luma * mean
        determinant = variance * (own + to_colour) - both**2
        by_luma, by_own = both * to_colour / determinant, (variance * own - both**2) / determinant
        rest = mean - by_luma * of_luma - by_own * mean
        of_luma_and_own = mean_around(by_luma, AROUND) * luma + mean_around(by_own, AROUND) * plane
        return (of_luma_and_own + mean_around(rest, AROUND))[inside]

    return joined(luma[inside], fitted(0), fitted(2), rows, most)
