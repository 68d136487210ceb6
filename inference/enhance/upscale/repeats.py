"""Whether what is fine in a picture repeats beside itself, as a weave, a brick wall or the dots of print do, and noise never.

Such a texture is alike all over, and each channel has its own contrast: by strength alone it is noise. docs/decisions/0244.
"""

import cv2
import numpy as np
import numpy.typing as npt

from .blocks import BLOCK, Floats

_SIDE = 16  # pixels of a square that is looked for elsewhere: smaller ones of noise are alike by chance
_REACH = 20  # pixels away from itself, at most
_OWN = 3  # and at least: noise that was blurred or stored as a JPEG is alike nearer
_SQUARES = 48
_LEAST_ALIKE = 0.6  # correlation of the usual square. Noise has .1 to .4, over a wall of bricks .56, weaves and walls .8 to 1
_BLUR = 2.5  # sigma in pixels: what is coarser is no part of the comparison


def repeats(plane: Floats, places: npt.NDArray[np.intp]) -> bool:
    """plane: h x w, at least 32 x 32. places: n x 2, row and column where blocks begin of which some are looked at, n > 0."""
    fine = plane - cv2.GaussianBlur(plane, (0, 0), _BLUR)
    ordered = places[np.lexsort(places.T)]
    chosen = ordered[np.linspace(0, len(ordered) - 1, min(len(ordered), _SQUARES)).astype(int)]
    return float(np.median([_best_match(fine, *place) for place in chosen])) >= _LEAST_ALIKE


def _best_match(fine: Floats, row: int, column: int) -> float:
    """Correlation of the square around a block with the most alike one near it, -1 to 1."""
    top, left = (
        int(np.clip(at - (_SIDE - BLOCK) // 2, 0, length - _SIDE)) for at, length in zip((row, column), fine.shape, strict=True)
    )
    first_row, first_column = max(top - _REACH, 0), max(left - _REACH, 0)
    around = fine[first_row : top + _SIDE + _REACH, first_column : left + _SIDE + _REACH]
    alike = cv2.matchTemplate(around, fine[top : top + _SIDE, left : left + _SIDE], cv2.TM_CCOEFF_NORMED)
    down, across = top - first_row, left - first_column
    alike[max(down - _OWN, 0) : down + _OWN + 1, max(across - _OWN, 0) : across + _OWN + 1] = -1
    return float(alike.max())
