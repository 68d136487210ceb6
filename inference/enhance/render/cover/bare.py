"""A part of the mouth that is as even as skin: a hand that comes before it, which has its face's own colour."""

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.planes import Planes
from enhance.render.lips.outline import Lips

from .expected import OF_ITSELF, Compared, Face, compare
from .fingers import finger, lips_gone

PARTS = 8  # of the mouth's width
EVEN = (0.16, 0.28)
"""Of the usual contrast, that is left: of a hand's the first and less, of a mouth's the second and more. The even corner of a
thin smile, which nothing covers, has .29 to .33 of it."""
TOLD = (0.35, 0.6)  # the usual contrast: so low that its absence means nothing, and high enough
FEWEST = 6  # cells of a part


def skin_seen(planes: Planes, head: Array, pose: Pose, lips: Lips, face: Face) -> bool:
    """Whether a finger lies before the lips, or a hand before a part of them. head: 478 x 3 in head coordinates. face: the
    reference frame's."""
    seen = compare(planes, head, pose, lips, face)
    return bool(finger(seen, lips_gone(seen)).any()) or bareness(seen, np.zeros(seen.skin.shape, np.float32)) > 0


def bareness(seen: Compared, covered: Floats) -> float:
    """0..1. covered: of each cell, what is known to lie before it and does not count."""
    mouth = seen.lips | seen.hole
    columns = np.flatnonzero(mouth.any(axis=0))
    if not len(columns):
        return 0.0
    part = np.floor((np.arange(mouth.shape[1]) - columns[0]) * PARTS / (columns[-1] - columns[0] + 1))
    free = mouth & (covered < 0.1)
    barest = 0.0
    for number in range(PARTS):
        here = free & (part == number)
        if here.sum() >= max(FEWEST, 0.6 * (mouth & (part == number)).sum()):
            usual = _contrast(seen.usual[here])
            left = _contrast(seen.seen[here]) / max(usual, 1e-3)
            barest = max(barest, ramp(usual, *TOLD) * (1 - ramp(left, *EVEN)))
    return barest


def _contrast(levels: Floats) -> float:
    """How much the cells of a place, n x 3, differ from one another."""
    off: Array = (levels - levels.mean(axis=0)) / OF_ITSELF
    return float(np.sqrt((off**2).sum(axis=1).mean()))
