"""Colours in a picture of a single tint: black and white, sepia, toned blue. There a pixel's chroma follows from its luma.

What was painted has the chroma of where it was taken from: in sepia, teeth in shade had that of white teeth, and were grey
beside brown skin.
"""

from collections.abc import Callable

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.planes import Plane, Planes, mean_of_four

STEP = 4
"""Pixels of luma from one that is looked at to the next: all of them say the same, in ten times the time."""
BIN = 8
"""Levels of luma whose pixels share a chroma."""
FEWEST = 8
"""Chroma samples from which a bin tells its chroma; where fewer are, it lies between those of the bins beside it."""
MOST_OFF = 0.18
"""By how much chroma is off what luma tells, of how far it is from grey (root of the mean square), up to which a picture has a
single tint. Sepia and toned clips have .08 to .12, clips in colour .29 to .53."""


def follow_luma(out: Planes, mask: Plane, seen: Planes) -> None:
    """Gives what was changed in `out` the chroma that pixels of its luma have in `seen`, the patch as it came, if that has a
    single tint.

    A patch that is mostly even skin looks like that whatever its lips are: of_one_tint() tells before whether lips differ.

    mask: h x w, 0..255, how far each pixel of luma was changed.
    """
    luma = seen.y[::STEP, ::STEP]
    chroma = np.stack([plane[:: STEP // 2, :: STEP // 2] for plane in (seen.u, seen.v)]).astype(np.float32)
    told = _chroma_by_luma(luma, chroma)
    if told is None or _size(told(luma) - chroma) >= MOST_OFF * _size(chroma - 128):
        return
    share = mean_of_four(mask.astype(np.float32) / 255)
    for plane, values in zip((out.u, out.v), told(mean_of_four(out.y.astype(np.float32))), strict=True):
        changed = plane + share * (values - plane)
        np.copyto(plane, np.rint(changed).astype(np.uint8), where=share > 0)


def _size(chroma: Floats) -> float:
    """Root of the mean square of U and V (2 x h x w)."""
    return float(np.sqrt(np.square(chroma).sum(axis=0).mean()))


def _chroma_by_luma(luma: Plane, chroma: Floats) -> Callable[[Floats | Plane], Floats] | None:
    """What luma tells of U and V (2 x h x w), by the means of those that have about that luma; None where too few have."""
    bins = luma // BIN
    counts = np.bincount(bins.ravel(), minlength=256 // BIN)
    told = np.flatnonzero(counts >= FEWEST)
    if not len(told):
        return None
    at = (told + 0.5) * BIN
    means = [np.bincount(bins.ravel(), plane.ravel(), minlength=256 // BIN)[told] / counts[told] for plane in chroma]
    return lambda levels: np.asarray(np.stack([np.interp(levels, at, mean) for mean in means]), np.float32)
