"""How far a subject's chin falls as the mouth opens, as the clip shows it."""

import numpy as np

from enhance.geometry.heads import Array

USUAL = 0.5
"""Of an opening, what people's chins fall: where a clip tells nothing (docs/decisions/0045)."""
PRIOR = 0.024
"""What it weighs, in squares of openings (S): halves of a clip of three seconds tell shares that are .25 apart."""
MOST = 0.6
"""More of it shakes: planned openings are not smoothed as much as such a chin would need."""
_APART, _LATEST = 0.22, 0.35
"""s between frames that are compared, at least and at most: slower changes are those of a head that nods."""
_UNSEEN = 1.3
"""By how many times farther chins fall than the mesh has it: in pixels, of 14 people (docs/decisions/0160)."""


def chin_share(openings: Array, chins: Array, times: Array) -> float:
    """Of an opening, what the subject's chin falls, 0..MOST. openings, chins: g, S, the chin's height (down), at times (s)."""
    later = np.searchsorted(times, times + _APART)
    frames = np.flatnonzero(later < len(times))
    frames = frames[times[later[frames]] - times[frames] < _LATEST]
    later = later[frames]
    opened, fallen = openings[later] - openings[frames], _UNSEEN * (chins[later] - chins[frames])
    # Each frame is compared twice, as the earlier and as the later one.
    share = (opened @ fallen / 2 + PRIOR * USUAL) / (opened @ opened / 2 + PRIOR)
    return float(np.clip(share, 0, MOST))
