"""A rectangle of pixels, and the numbers worked with in it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Area:
    """A rectangle of pixels."""

    x: int
    y: int
    right: int
    bottom: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.y, self.bottom), slice(self.x, self.right)

    @property
    def width(self) -> int:
        return max(0, self.right - self.x)

    @property
    def height(self) -> int:
        return max(0, self.bottom - self.y)

    def clipped(self, other: "Area") -> "Area":
        return Area(max(self.x, other.x), max(self.y, other.y), min(self.right, other.right), min(self.bottom, other.bottom))

    def moved(self, x: int, y: int) -> "Area":
        return Area(self.x + x, self.y + y, self.right + x, self.bottom + y)
