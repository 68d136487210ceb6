"""People whose upper lip hides their upper teeth: the teeth that their frames show are lower ones, and go with the jaw.

docs/decisions/0228.
"""

from collections.abc import Sequence
from itertools import combinations

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array

from .aligned import LIKE, offset_of
from .layers import ROW, Frame, Grid
from .merged import MIDDLE

COMPARED = 8  # frames that show most, at most
MOVED = (0.015, 0.1)  # S by which the lower lip of two frames differs, to compare them: less is noise, more shows other things
ENOUGH = 0.04  # S: root of the sum of squares of these, over pairs, from which they are believed
HIGHER = 0.02  # S over the upper lip's highest place
SHARE = 0.6  # of the lower lip's way, from which teeth go with it: fixed to the skull they have 0, to the jaw 1


def show_lower_teeth(frames: Sequence[Frame], grid: Grid) -> bool:
    """Whether what the frames show between the lips goes with the lower lip."""
    bottoms = [float(np.median(frame.bottom[np.abs(grid.aside) < MIDDLE])) for frame in frames]
    pictures = [(frame.upper.yuv[..., 0], frame.upper.shown * (np.abs(grid.aside) < ROW)) for frame in frames]
    most = np.argsort([-float(shown.sum()) for _, shown in pictures], kind="stable")[:COMPARED]
    ways = []
    for one, other in combinations(most, 2):
        way = bottoms[other] - bottoms[one]
        if MOVED[0] < abs(way) < MOVED[1]:
            off = _off(pictures[other], pictures[one], way, grid.density)
            ways += [] if off is None else [(way, off)]
    lip, teeth = np.array(ways).reshape(-1, 2).T
    return bool(lip @ lip > ENOUGH**2 and lip @ teeth > SHARE * (lip @ lip))


def hidden_bite(frames: Sequence[Frame], grid: Grid) -> float:
    """y down to which upper teeth go that no frame shows: over its upper lip where that is highest. Asked for, it may go up
    higher, and a white strip of teeth would flash under it."""
    return min(float(np.median(frame.top[np.abs(grid.aside) < MIDDLE])) for frame in frames) - HIGHER


def _off(picture: tuple[Floats, Floats], other: tuple[Floats, Floats], way: float, density: float) -> float | None:
    """y in S from where `other` has its teeth to where `picture` has them: near 0 or near `way`, where they are more alike.
    None where neither is clear. Each: as offset_of() takes them."""
    found = []
    for step in (0, round(way * density)):
        offset = offset_of((_raised(picture[0], step), _raised(picture[1], step)), other, density, LIKE)
        found += [] if offset is None else [(offset.like, offset.y + step / density)]
    return max(found)[1] if found else None


def _raised(values: Array, rows: int) -> Floats:
    """`values` (h x w) moved up by so many rows, with zeros where nothing is known."""
    up = np.array([[1, 0, 0], [0, 1, -rows]], np.float32)
    return np.asarray(cv2.warpAffine(values.astype(np.float32), up, values.shape[::-1]), np.float32)
