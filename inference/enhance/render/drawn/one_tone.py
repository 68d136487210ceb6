"""Closed lips painted in one tone, as flat avatars have them: nothing tells one from the other, nor both from an open mouth.

docs/decisions/0155, 0232 and 0237.
"""

import numpy as np

from enhance.geometry.head import Array
from enhance.masks import narrowed
from enhance.render.patch import Patch

from .looks import line_round
from .mouth import Drawn, raster
from .palette import GREY

PAINTED_DARK = 0.35  # of the skin's luma: what is darker is no lip in shade, but an open mouth
BOWED_DARK = 0.15  # the same for lips with a Cupid's bow and corners at half height, which an open mouth does not have
ONE_TONE = 0.1  # of the skin's luma that lips of one tone vary by; a highlight takes less than 15 % of them
RIM = 0.03  # S at the edge of the mouth that is left out when its tone is measured
OUTLINE_DARKER = 1.25  # times as dark as what it encloses, against the skin, that a line round the mouth is
FEWEST = 6  # samples of height, from which a shape can be told
FLATTER = 1.7  # heights, at least, that the width of lips is
EITHER_SIDE = 0.25  # of the height, above and below the line between the corners: a grin lies below it
FULLEST = 0.73  # of its width times its height that pointed lips fill: measured .66 to .72; an ellipse .74 to .80
FULLEST_WITH_BOW = 0.8  # the same of lips with a Cupid's bow and corners at half height: a flat lower lip has .74 and .75
BOW, HUMPS = 0.06, 0.12
"""Depth of a Cupid's bow at least, of the height; and its humps from the corners at least, of the width."""
ALONE, LOWER_HIGHER = 0.2, 1.2
"""Of the height: how far an upper lip alone reaches below its corners, at most; and the height of the lower lip under it."""
FROM_EDGES = 0.3  # of the height that the line between the lips keeps from their outer edges


def lips_of_one_tone(drawn: Drawn, patch: Patch) -> Array | None:
    """3 x n: y of the lips' upper edge, of where they meet and of their lower edge, from corner to corner, plane coordinates.

    They meet between the corners. An upper lip whose lower one is hardly darker than skin is a pair, too: the lower one is
    taken to lie below it. None where the mouth has no lip's shape or not its tone, so that it may be open.
    """
    top, bottom = drawn.top, drawn.bottom
    chord, rise, fall = _chord_of(drawn)
    height = rise + fall
    level = min(rise, fall) >= EITHER_SIDE * height
    if not _has_shape(top, bottom, height, level) or not _has_tone(drawn, patch, level):
        return None
    margin = FROM_EDGES * (bottom - top)
    edges = top, np.clip(chord, top + margin, bottom - margin), bottom
    if fall < ALONE * height:
        edges = top, bottom, bottom + LOWER_HIGHER * rise * (1 - np.linspace(-1, 1, len(top)) ** 2)
    return np.asarray(drawn.origin[1] + (np.stack(edges) - 0.5) / drawn.finer)


def has_lips_shape(drawn: Drawn) -> bool:
    """Whether the mouth has a Cupid's bow and corners at about half its height, as no open mouth has."""
    _, rise, fall = _chord_of(drawn)
    return min(rise, fall) >= EITHER_SIDE * (rise + fall) and _has_bow(drawn.top, BOW * (rise + fall))


def _chord_of(drawn: Drawn) -> tuple[Array, float, float]:
    """The line from corner to corner (n, in rows), and how far the mouth reaches above and below it."""
    middles = (drawn.top + drawn.bottom) / 2
    chord = np.linspace(middles[0], middles[-1], len(middles))
    return chord, float((chord - drawn.top).max()), float((drawn.bottom - chord).max())


def _has_shape(top: Array, bottom: Array, height: float, level: bool) -> bool:
    """Whether the edges (n, in rows) are those of lips. height: of both together. level: the corners are about half as high.

    Where a lower edge dips upwards between two humps, a tongue as light as the skin lies in an open mouth.
    """
    bow = _has_bow(top, BOW * height)
    fullest = FULLEST_WITH_BOW if bow and level else FULLEST
    if (
        (bottom - top).max() < FEWEST
        or (bottom - top).mean() > fullest * height
        or _has_bow(bottom.max() - bottom, BOW * height)
    ):
        return False
    return (len(top) >= FLATTER * height and level) or bow


def _has_bow(top: Array, least: float) -> bool:
    """Whether the middle of a mouth's upper edge dips by so many rows between two humps that are not its corners.

    A cat's open mouth rises there, between two dips.
    """
    count = len(top)
    left, right = int(top[: count // 2].argmin()), count // 2 + int(top[count // 2 :].argmin())
    inside = HUMPS * count < left and right < (1 - HUMPS) * count
    between = top[max(left, round(0.4 * count)) : min(right, round(0.6 * count)) + 1].max(initial=0)
    return inside and bool(between - max(top[left], top[right]) > max(least, 1.0))


def _has_tone(drawn: Drawn, patch: Patch, level: bool) -> bool:
    """Whether the mouth is coloured, all of it alike, not as dark as an open one, and without a line round it but a bow's.

    level: its corners are about half as high as its middle.
    """
    core = narrowed(drawn.whole, round(RIM * drawn.finer))
    if not core.any():
        return False
    skin = float(np.median(drawn.lit[core]))
    darkest, tone, lightest = np.percentile(drawn.luma[core], (10, 50, 85))
    # An open mouth of anime has a line, too, but no Cupid's bow.
    lined = line_round(drawn) > OUTLINE_DARKER * float(np.median(drawn.dark[core]))
    height = float(drawn.bottom.max() - drawn.top.min())
    bow = _has_bow(drawn.top, BOW * height)
    if lined and not bow:
        return False
    if lightest - darkest > ONE_TONE * skin or tone <= (BOWED_DARK if bow and level else PAINTED_DARK) * skin:
        return False
    size = drawn.dark.shape[1], drawn.dark.shape[0]
    u, v = (raster(p, 2, patch.pose, drawn.origin, drawn.finer, size)[core] for p in (patch.planes.u, patch.planes.v))
    return bool(np.hypot(np.median(u) - 128, np.median(v) - 128) > GREY)
