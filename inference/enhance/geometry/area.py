"""A rectangle of pixels, and the numbers worked with in it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Area:
    """A rectangle of whole pixels: from x, y to before right, bottom."""

    x: int
    y: int
    right: int
    bottom: int

    @classmethod
    def around(cls, points: npt.NDArray[np.floating[Any]], margin: float) -> "Area":
        """The pixels up to `margin` from any of the points (n x 2: x, y)."""
        left, top = np.floor(points.min(axis=0) - margin).astype(int).tolist()
        right, bottom = np.ceil(points.max(axis=0) + margin).astype(int).tolist()
        return cls(left, top, right, bottom)

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns, to index a picture with."""
        return slice(self.y, self.bottom), slice(self.x, self.right)

    @property
    def width(self) -> int:
        """Pixels across; 0 where the area is empty."""
        return max(0, self.right - self.x)

    @property
    def height(self) -> int:
        """Pixels down; 0 where the area is empty."""
        return max(0, self.bottom - self.y)

    @property
    def is_empty(self) -> bool:
        """Whether it has no pixels."""
        return not (self.width and self.height)

    def clipped(self, other: "Area") -> "Area":
        """What both areas share; empty where they share nothing."""
        return Area(max(self.x, other.x), max(self.y, other.y), min(self.right, other.right), min(self.bottom, other.bottom))

    def moved(self, x: int, y: int) -> "Area":
        """The area so many pixels to the right and down."""
        return Area(self.x + x, self.y + y, self.right + x, self.bottom + y)
