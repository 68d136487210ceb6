"""How much thicker a subject's lips are apart than shut: shut ones are rolled in, by some people more than by others."""

from collections.abc import Sequence

import numpy as np

from enhance.geometry.head import Array

from .outline import Lips
from .shape import UNCHANGED_FULLNESS, Rest, middle_of, thinned

LEAST_APART = 0.05
"""S between a frame's lips, from which they are looked at: from there on they are as thick as when they are wide open."""
PRIOR = 1.0
"""Frames: how much it weighs that lips are as thick apart as shut."""
LEAST, MOST = 0.75, 1.5
"""Of the thickness at rest: beyond, the mesh has taken something else for a lip."""


def learnt(seen: Sequence[Lips], rest: Rest) -> Array:
    """[upper, lower]: by what the thickness of lips that are apart is to be multiplied, from the lips of frames."""
    apart = [lips for lips in seen if lips.opening > LEAST_APART]
    if not apart:
        return UNCHANGED_FULLNESS
    shut = middle_of(rest.upper_outer, rest.line), middle_of(rest.line, rest.lower_outer)
    fuller = [
        np.array([middle_of(lips.upper_outer, lips.upper_inner), middle_of(lips.lower_inner, lips.lower_outer)])
        / np.maximum(shut, 1e-3)
        / thinned(lips.width / rest.width, lips.opening)
        for lips in apart
    ]
    share = len(apart) / (len(apart) + PRIOR)
    return np.asarray(1 + share * (np.clip(np.median(fuller, axis=0), LEAST, MOST) - 1))
