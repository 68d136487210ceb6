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
_PLACES = 2  # are looked at, and the one with more detail is learnt from

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Pool:
    """Pairs to draw from. side: input pixels of the square that is enlarged; it is cut with BORDER more on each side."""

    pairs: Sequence[Pairs]
    side: int
    count: int
    seed: int

    def batch(self, number: int) -> tuple[Floats, Floats]:
        """Inputs [count, 1, side + 2 BORDER, ...] and what shall become of them [count, 1, 2 side, ...], of 0 to 1."""
        rng = np.random.default_rng((self.seed, number))
        drawn = rng.choice(len(self.pairs), self.count, p=self._by_area)
        inputs, wanted = zip(*(self._cut(self.pairs[each], rng) for each in drawn), strict=True)
        return _stacked(inputs), _stacked(wanted)

    @cached_property
    def _by_area(self) -> npt.NDArray[np.float64]:
        areas = np.array([pair.large.size for pair in self.pairs], float)
        shares: npt.NDArray[np.float64] = areas / areas.sum()
        return shares

    def _cut(self, pair: Pairs, rng: np.random.Generator) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """One square of a pair and the large one, turned and mirrored alike."""
        small = pair.small[rng.choice(len(pair.kinds), p=_shares(pair.kinds))]
        edge = self.side + 2 * BORDER
        places = rng.integers(0, np.array(small.shape) - edge + 1, (_PLACES, 2))
        y, x = max(places.tolist(), key=lambda place: small[place[0] : place[0] + edge, place[1] : place[1] + edge].std())
        top, left, large = 2 * (y + BORDER), 2 * (x + BORDER), 2 * self.side
        squares = small[y : y + edge, x : x + edge], pair.large[top : top + large, left : left + large]
        turns, mirrored = rng.integers(4), rng.integers(2)
        turned = [np.rot90(square, turns) for square in squares]
        given, wanted = [square[:, ::-1] if mirrored else square for square in turned]
        return given, wanted


def _shares(kinds: Sequence[str]) -> npt.NDArray[np.float64]:
    asked = np.array([SHARES[kind] / kinds.count(kind) for kind in kinds])
    shares: npt.NDArray[np.float64] = asked / asked.sum()
    return shares


def _stacked(squares: Sequence[npt.NDArray[np.uint8]]) -> Floats:
    return np.stack(squares)[:, None].astype(np.float32) / 255
