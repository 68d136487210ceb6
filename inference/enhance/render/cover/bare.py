"""A part of the mouth that is as even as skin: a hand that comes before it, which has its face's own colour."""

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, smoothstep
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
    of_part = part == np.arange(PARTS)[:, None]
    cells, whole = (mask.sum(axis=0) @ of_part.T for mask in (free, mouth))
    belongs = of_part[:, np.nonzero(free)[1]] / np.maximum(cells, 1)[:, None]
    usual, left = (_contrasts(levels[free], belongs) for levels in (seen.usual, seen.seen))
    bare = smoothstep(usual, *TOLD) * (1 - smoothstep(left / np.maximum(usual, 1e-3), *EVEN))
    return float(bare.max(initial=0, where=cells >= np.maximum(FEWEST, 0.6 * whole)))


def _contrasts(levels: Floats, belongs: Array) -> Array:
    """Of each part, how much its cells differ from one another. levels: of each cell, n x 3. belongs: parts x n, 1 / (cells of
    the part) where a cell belongs to it, else 0."""
    scaled = np.asarray(levels / OF_ITSELF, np.float64)
    squares = belongs @ (scaled**2).sum(axis=1) - ((belongs @ scaled) ** 2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squares, 0)))
