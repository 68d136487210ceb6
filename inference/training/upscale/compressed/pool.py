"""Batches cut from pairs. Each is a function of the seed and of its number alone, so a run that goes on draws the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from enhance.picture import Picture
from enhance.upscale.upscaler import WAIFU2X_BORDER

from ..pool import PLACES, Floats, by_area, turned
from .pairs import Pairs, through_jpeg

Rng = np.random.Generator

_FULL_COLOUR = 0.25  # share of the JPEGs with chroma of the full size
_AREA = 0.2  # share made smaller by the mean of 2 x 2
_GRID = 16  # pixels in which the blocks of a JPEG, chroma included, come again


@dataclass(frozen=True)
class Pool:
    """Pairs to draw from. side: input pixels of the square that is enlarged; WAIFU2X_BORDER more are given on each side.
    count: squares of a batch. videos: share of them that come from a video; the others from a JPEG. quality: of the JPEGs,
    from and below."""

    pairs: Sequence[Pairs]
    side: int
    count: int
    videos: float
    quality: tuple[int, int]
    seed: int

    def batch(self, number: int) -> tuple[Floats, Floats]:
        """Inputs [count, 3, side + 2 WAIFU2X_BORDER, ...] and what shall become of them [count, 3, 2 side, ...], of 0 to 1."""
        rng = np.random.default_rng((self.seed, number))
        cuts = [self._cut(self.pairs[each], rng) for each in rng.choice(len(self.pairs), self.count, p=self._by_area)]
        given, wanted = zip(*cuts, strict=True)
        return _planes(given), _planes(wanted)

    @cached_property
    def _by_area(self) -> npt.NDArray[np.float64]:
        return by_area([pair.large for pair in self.pairs])

    def _cut(self, pair: Pairs, rng: Rng) -> tuple[Picture, Picture]:
        edge = self.side + 2 * WAIFU2X_BORDER
        places = rng.integers(0, np.array(pair.small.shape[1:3]) - edge + 1, (PLACES, 2))
        top, left = max(places, key=lambda at: float(pair.small[0, at[0] : at[0] + edge, at[1] : at[1] + edge].std()))
        if rng.random() < self.videos:
            given = pair.videos[rng.integers(len(pair.videos)), top : top + edge, left : left + edge]
        else:
            given = self._jpeg(pair.small[int(rng.random() < _AREA)], top, left, rng)
        y, x = 2 * (top + WAIFU2X_BORDER), 2 * (left + WAIFU2X_BORDER)
        wanted = pair.large[y : y + 2 * self.side, x : x + 2 * self.side]
        turns, mirrored = int(rng.integers(4)), bool(rng.integers(2))
        return turned(given, turns, mirrored), turned(wanted, turns, mirrored)

    def _jpeg(self, small: Picture, top: int, left: int, rng: Rng) -> Picture:
        """The square as a JPEG shows it that begins a little above it and left of it."""
        edge = self.side + 2 * WAIFU2X_BORDER
        y, x = (max(0, at - int(rng.integers(_GRID))) for at in (top, left))
        part = np.ascontiguousarray(small[y : top + edge + _GRID, x : left + edge + _GRID])
        stored = through_jpeg(part, int(rng.integers(*self.quality)), bool(rng.random() < _FULL_COLOUR))
        return stored[top - y : top - y + edge, left - x : left - x + edge]


def _planes(squares: Sequence[Picture]) -> Floats:
    return np.ascontiguousarray(np.stack(squares).transpose(0, 3, 1, 2).astype(np.float32) / 255)
