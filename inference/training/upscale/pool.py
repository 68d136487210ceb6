"""Batches cut from pairs. Each is a function of the seed and of its number alone, so a run that goes on draws the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .pairs import Pairs
from .plain import BORDER

# How often each kind of input is drawn: 65 % were not compressed.
SHARES: Mapping[str, float] = {"clean": 0.47, "area": 0.12, "soft": 0.06, "jpeg": 0.1, "h264": 0.15, "hevc": 0.05, "vp9": 0.05}
_VIDEO = ("h264", "hevc", "vp9")
PLACES = 2  # are looked at, and the one with more detail is learnt from

Floats = npt.NDArray[np.float32]


Squares = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]  # what is given, and what shall become of it


@dataclass(frozen=True)
class Pool:
    """Pairs to draw from. side: input pixels of the square that is enlarged; it is cut with BORDER more on each side.

    count: squares of a batch. The last two are twins: one place as two encoders of video left it.
    """

    pairs: Sequence[Pairs]
    side: int
    count: int
    seed: int

    def batch(self, number: int) -> tuple[Floats, Floats]:
        """Inputs [count, 1, side + 2 BORDER, ...] and what shall become of them [count, 1, 2 side, ...], of 0 to 1."""
        rng = np.random.default_rng((self.seed, number))
        *single, last = (self.pairs[each] for each in rng.choice(len(self.pairs), self.count - 1, p=self._by_area))
        squares = [self._cut(pair, [_one(pair.kinds, rng)], rng)[0] for pair in single]
        squares += self._cut(last, _two(last.kinds, rng), rng)
        given, wanted = zip(*squares, strict=True)
        return _stacked(given), _stacked(wanted)

    @cached_property
    def _by_area(self) -> npt.NDArray[np.float64]:
        return by_area([pair.large for pair in self.pairs])

    def _cut(self, pair: Pairs, inputs: Sequence[int], rng: np.random.Generator) -> list[Squares]:
        """The same square of these inputs of a pair and the large one, turned and mirrored alike."""
        edge = self.side + 2 * BORDER
        places = rng.integers(0, np.array(pair.small.shape[1:]) - edge + 1, (PLACES, 2))
        small = [pair.small[inputs, y : y + edge, x : x + edge] for y, x in places]
        best = int(np.argmax([squares[0].std() for squares in small]))
        top, left = 2 * (places[best] + BORDER)
        large = pair.large[top : top + 2 * self.side, left : left + 2 * self.side]
        turns, mirrored = int(rng.integers(4)), bool(rng.integers(2))
        return [(turned(square, turns, mirrored), turned(large, turns, mirrored)) for square in small[best]]


def by_area(pictures: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.float64]:
    """How often each is drawn from, 1 in all: the larger, the more often."""
    areas = np.array([picture.size for picture in pictures], float)
    return np.asarray(areas / areas.sum())


def _one(kinds: Sequence[str], rng: np.random.Generator) -> int:
    shares = np.array([SHARES[kind] / kinds.count(kind) for kind in kinds])
    return int(rng.choice(len(kinds), p=shares / shares.sum()))


def _two(kinds: Sequence[str], rng: np.random.Generator) -> list[int]:
    video = [number for number, kind in enumerate(kinds) if kind in _VIDEO]
    return [int(each) for each in rng.choice(video, 2, replace=False)]


def turned(square: npt.NDArray[np.uint8], turns: int, mirrored: bool) -> npt.NDArray[np.uint8]:
    """By so many quarters, then mirrored from left to right."""
    upright = np.rot90(square, turns)
    return upright[:, ::-1] if mirrored else upright


def _stacked(squares: Sequence[npt.NDArray[np.uint8]]) -> Floats:
    return np.stack(squares)[:, None].astype(np.float32) / 255
