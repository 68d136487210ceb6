"""The line from the nose of a drawn animal down to its mouth, which makes nose and mouth one thing. docs/decisions/0187."""

import cv2
import numpy as np
import numpy.typing as npt

SHORTEST, THICKEST = 0.05, 0.06  # S: length and thickness of the line
BESIDE = 0.06  # S to either side of the line that is skin at its middle, and shows the mouth at its lower end
BARE = 0.45, 0.6  # of the line's length, from and to: there is only skin beside it
BELOW = 0.04  # S above and below the line in which the nose ends and the mouth begins


def without_nose_line(ink: npt.NDArray[np.uint8], mouth: int, finer: float) -> npt.NDArray[np.uint8]:
    """The ink (h x w, 1 where a line is) without upright lines from which a mouth hangs; `finer` samples to an S.

    Such a line begins above the mesh's mouth (row `mouth`), at the upper border or at something wider, the nose, and ends where
    ink begins on both sides.
    """
    shortest, thickest, reach, below = (max(2, round(part * finer)) for part in (SHORTEST, THICKEST, BESIDE, BELOW))
    tall = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((shortest, 1), np.uint8), borderValue=(0,))
    wide = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((1, thickest), np.uint8))
    lines = np.where(wide > 0, 0, tall).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(lines, connectivity=8)
    cut = ink
    for label, (x, y, width, height, _) in enumerate(stats[1:].tolist(), 1):
        sides = ink[:, max(0, x - reach) : x], ink[:, x + width : x + width + reach]
        bare = slice(*(y + round(part * height) for part in BARE))
        above, under = slice(max(0, y - below), bare.start), slice(bare.stop, y + height + below)
        from_nose = y < mouth and (y <= 1 or all(side[above].any() for side in sides))
        if height >= shortest and from_nose and all(not side[bare].any() and side[under].any() for side in sides):
            cut = np.where(labels == label, np.uint8(0), cut)
    return cut
