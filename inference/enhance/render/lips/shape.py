"""The lips as they are asked for: four contours from the subject's rest and one row of TARGETS. docs/decisions/0239."""

import math
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from enhance.geometry.head import Array, ramp
from enhance.geometry.upper_lip import UPPER_SHARE, usual_rise
from enhance.record import Shape as ArrayShape

from .outline import ALONG, MIDPOINT, SAMPLES, Lips

LOWERED_FREELY, LOWERED_LAUGHING, LOWERED_MORE = 0.045, 0.015, 0.02
"""S that a frame's upper lip is drawn down as asked, and in a laugh, and softly beyond: the skin under the nose goes along,
with its shadow."""

LAUGH_WIDENS, LAUGH_LIFTS = (1.05, 1.20), (0.005, 0.04)
"""From which a mouth laughs, and does wholly: its width, of that at rest, and S by which its corners are above their rest."""
BROAD = (1.15, 1.30)
"""Of the width at rest, wider than people speak: from the first a mouth may laugh though its jaw has drawn its corners down, at
the second it does."""
KEPT = 0.95
"""Of a laugh's width: the folds and shades beside its corners go where these go."""

PARTED = 0.96
"""Of the way from the middle to the corners: beyond, lips touch however far the mouth opens."""
FULL, FULLER, TALL = 2.35, 3.0, (0.10, 0.37)
"""Exponent of the way by which the inner edges of opening lips move less towards the corners, at the width at rest; by how much
it is larger in a mouth twice as wide (a smile is open up to its corners, an o narrows at once); and openings, S, from which
that is less so, and no longer (docs/decisions/0122)."""
FULL_ABOVE, FULL_BELOW = 4.5, 4.2
"""The same of the outer edge of the upper and of the lower lip, which move up to the corners (docs/decisions/0061)."""

CORNER_DROP = 0.20  # of an opening
CORNER_RISE = 0.30  # of what the mouth is wider than at rest
OWN = 0.6  # weight of the frame's own lips in where the lips rest; the subject's have the rest
WIDE_OPEN = (0.08, 0.30)  # gaps from which they say less, and least
LEAST_OWN = 0.25
OWN_BEND = 0.4  # how much of what its line bends otherwise is kept
OWN_TILT = 0.25  # and of one corner higher than the other
WIDEST, NARROWEST = 1.45, 0.7  # of the width at rest
LOWERED, RAISED = 0.03, 0.03  # S that an upper lip goes below and above its rest on shut lips; beyond, it frowns or sneers
SAGGING, SMILING = 0.03, 0.05  # S that corners do
LARGEST_OPENING = 0.36
WIDER, WIDENING = 1.26, (0.12, 0.45)
"""How many times as far the chin falls for an opening at the end of the second, S (docs/decisions/0045)."""
STRETCH = 2.5  # of a frame's lip, at most
MOUSTACHE_OPENING = 0.22  # a moustache would be drawn into a ring round anything larger

FULLER_FROM = 0.05
"""S between asked lips, from which they are wholly as thick as the subject's are apart (fullness.py)."""
UNCHANGED_FULLNESS = np.ones(2)

BESIDE_MIDDLE = [SAMPLES // 4, -1 - SAMPLES // 4]
"""Of a contour's points, those half way to either corner."""
MIDDLE = slice(MIDPOINT - 3, MIDPOINT + 4)
"""Of a contour's points, those about the middle."""
ROUND = (1 - ALONG**2)[:, None] * np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Shape:
    """One row of TARGETS, as limited as its subject asks. Lengths in S; the rest 0..1."""

    opening: float
    width: float
    rounding: float
    upper: float
    corners: float
    labiodental: float
    tongue: float
    jaw: float
    """The opening whose chin this is: it follows the lips less quickly than they move."""
    chin: float
    """Of an opening, what the subject's chin falls."""


FlatContour = Annotated[Array, ArrayShape(SAMPLES, 2)]


@dataclass(frozen=True)
class Rest:
    """The subject's closed lips in head coordinates: x and y of four contours, SAMPLES x 2 each."""

    line: FlatContour
    upper_outer: FlatContour
    lower_outer: FlatContour
    width: float
    moustache: float
    """0..1: how much dark hair grows above the lip."""


@dataclass(frozen=True)
class Asked:
    """Target contours in head coordinates, SAMPLES x 3 each, and the fall of the chin that goes with them."""

    upper_inner: Array
    lower_inner: Array
    upper_outer: Array
    lower_outer: Array
    drop: float
    shift: float
    """How much lower than the subject's the mouth sits in this frame: lips and teeth alike."""

    @property
    def gap(self) -> float:
        """S between the inner lips where they are farthest apart."""
        return float((self.lower_inner - self.upper_inner)[:, 1].max())

    @property
    def width(self) -> float:
        """S between the corners."""
        return float(np.linalg.norm(self.upper_outer[-1] - self.upper_outer[0]))


def rest_of(lips: Lips, moustache: float) -> Rest:
    """The lips closed, from lips that may be open."""
    line = lips.upper_inner + _upper_share(lips.gap) * (lips.lower_inner - lips.upper_inner)
    line[:, 1] -= CORNER_DROP * lips.opening * ALONG**2
    top = line - (lips.upper_inner - lips.upper_outer)
    bottom = line + (lips.lower_outer - lips.lower_inner)
    return Rest(line[:, :2], top[:, :2], bottom[:, :2], lips.width, moustache)


def shape_of(target: Array, rest: Rest) -> Shape:
    """`target`: a row of TARGETS."""
    opening, width, rounding, upper, corners, press, labiodental, tongue, jaw, chin = (float(v) for v in target)
    rounding, press, labiodental, tongue, chin = (min(max(v, 0.0), 1.0) for v in (rounding, press, labiodental, tongue, chin))
    most = LARGEST_OPENING + rest.moustache * (MOUSTACHE_OPENING - LARGEST_OPENING)
    opening = _opened(max(opening, 0.0) * (1 - press), most)
    jaw = _opened(max(jaw, 0.0), most)
    width = min(max(width, NARROWEST * rest.width), WIDEST * rest.width)
    upper = _limited(upper, LOWERED * (1 - ramp(opening, 0.0, 0.15)), RAISED + 0.5 * opening)
    corners = _limited(corners, SAGGING + 0.25 * opening, SMILING)
    return Shape(opening, width, rounding, upper, corners, labiodental, tongue, jaw, chin)


def _opened(opening: float, most: float) -> float:
    """An opening in S, softly no more than `most`."""
    return float(opening / (1 + (opening / most) ** 4) ** 0.25)


def _limited(value: float, below: float, above: float) -> float:
    """Itself near 0, and softly no more than -below..above."""
    most = above if value > 0 else below
    return most * math.tanh(value / most) if most else 0.0


def asked_of(shape: Shape, rest: Rest, own: Lips, fullness: Array = UNCHANGED_FULLNESS) -> Asked:
    """Where the lips of this frame go. fullness: [upper, lower], how much thicker the subject's are apart than shut.

    Width and opening are as asked for. The mouth's place on the face is a mean of the subject's and the frame's own, less what
    the frame's own opening and smile do to it: the mesh of a nodding head shifts its lips by more than speech does.
    """
    laughs = laugh_of(rest, own)
    shape = replace(shape, width=shape.width + laughs * max(KEPT * own.spread - shape.width, 0))
    g = shape.opening
    seat = _seat(rest, own)
    drop = shape.chin * (_wider(shape.jaw) - _wider(own.opening))
    shift = seat.middle - float(rest.line[MIDPOINT, 1])
    chord = _corners(shape, rest.width, seat, own)
    inset = np.stack([own.upper_inner[0] - own.upper_outer[0], own.upper_inner[-1] - own.upper_outer[-1]])
    inner_ends, outer_ends = chord + inset, chord
    middle = seat.middle - shape.upper + UPPER_SHARE * g

    line = _between(inner_ends, rest.line, own.middle)
    line += (middle - line[MIDPOINT, 1]) * ROUND
    rise, fall = UPPER_SHARE * g, (1 - UPPER_SHARE) * g

    top = _between(outer_ends, rest.upper_outer, own.upper_outer)
    bottom = _between(outer_ends, rest.lower_outer, own.lower_outer)

    wide = shape.width / rest.width - 1
    thick_upper, thick_lower = thinned(shape.width / rest.width, g) + 0.06 * shape.rounding
    fuller_upper, fuller_lower = 1 + ramp(g, 0.0, FULLER_FROM) * (fullness - 1)
    own_upper, own_lower = _below(own.upper_outer, own.upper_inner), -_below(own.lower_outer, own.lower_inner)
    # Their outer edges go on moving where the inner ones hardly do.
    full = FULL + FULLER * (1 - ramp(g, *TALL)) * wide
    more_above = rise * (_narrowing(top, FULL_ABOVE) - _narrowing(top, full, PARTED))
    more_below = fall * (_narrowing(bottom, FULL_BELOW) - _narrowing(bottom, full, PARTED))
    rest_upper, rest_lower = _below(rest.upper_outer, rest.line), -_below(rest.lower_outer, rest.line)
    upper_lip = _thickness(fuller_upper * rest_upper + more_above, own_upper) * thick_upper
    lower_lip = _thickness(fuller_lower * rest_lower + more_below, own_lower) * thick_lower

    upper_lip, lower_lip = (_rounded(lip, shape.width / rest.width) for lip in (upper_lip, lower_lip))

    upper, lower = line.copy(), line.copy()
    parted = _narrowing(line, full, PARTED)
    upper[:, 1] -= rise * parted
    lower[:, 1] += fall * parted
    ends = np.abs(ALONG) ** 6
    top[:, 1] += (_below(top, upper) - upper_lip) * (1 - ends)
    bottom[:, 1] += (_below(bottom, lower) + lower_lip) * (1 - ends)
    _as_deep(top, upper, upper_lip, own_upper)
    _as_deep(bottom, lower, lower_lip, own_lower)

    _round_and_bite(shape, upper, lower, top, bottom)
    higher = _held_up(float((top - own.upper_outer)[MIDPOINT, 1]), laughs)
    for contour in (upper, lower, top, bottom):
        contour[:, 1] -= higher
    return Asked(upper, lower, top, bottom, drop, shift)


def thinned(wide: float, opening: float) -> Array:
    """[upper, lower]: the thickness of lips, of theirs at rest, in a mouth so wide (of its width at rest), open by S."""
    return np.asarray(1 - 0.3 * max(wide - 1, -0.25) - np.array([0.45, 0.25]) * opening)


def middle_of(upper: Array, lower: Array) -> float:
    """S between two contours about their middle."""
    return float((lower - upper)[MIDDLE, 1].mean())


def _round_and_bite(shape: Shape, upper: Array, lower: Array, top: Array, bottom: Array) -> None:
    """Moves the contours for rounded lips, and for an f: its lower lip goes under the upper teeth, whose edge shows."""
    top -= 0.010 * shape.rounding * ROUND
    bottom += 0.008 * shape.rounding * ROUND
    f = shape.labiodental
    upper -= 0.026 * f * ROUND
    top -= 0.018 * f * ROUND
    lower -= 0.004 * f * ROUND
    bottom -= 0.028 * f * ROUND


def _held_up(lowered: float, laughs: float) -> float:
    """S by which a mouth sits higher whose upper lip would be drawn down by `lowered` from where the frame has it.

    A laugh has lifted that lip: a mouth that is shut in one sits higher.
    """
    excess = lowered - (LOWERED_FREELY + laughs * (LOWERED_LAUGHING - LOWERED_FREELY))
    return excess - LOWERED_MORE * math.tanh(excess / LOWERED_MORE) if excess > 0 else 0.0


def laugh_of(rest: Rest, own: Lips) -> float:
    """0..1, how far a frame's mouth laughs: wide, and with its corners drawn up. A shout is wide, but takes them down.

    A jaw that falls takes the corners of a laugh down too: of a broad mouth they count as they would be if it were shut.
    """
    wide = own.width / rest.width
    up = float((rest.upper_outer - own.upper_outer[:, :2])[[0, -1], 1].mean())
    broad = ramp(wide, *BROAD) * ramp(up + CORNER_DROP * own.opening, *LAUGH_LIFTS)
    return max(ramp(wide, *LAUGH_WIDENS) * ramp(up, *LAUGH_LIFTS), broad)


def _narrowing(edge: Array, full: float, end: float = 1) -> Array:
    """How far an edge of a lip moves at each of its points, of what its middle does; end: of the way to the corners."""
    x, middle = edge[:, 0], edge[len(edge) // 2, 0]
    to_corner = np.where(x < middle, (x - middle) / (x[0] - middle), (x - middle) / (x[-1] - middle))
    return np.asarray(np.maximum(1 - (to_corner / end) ** full, 0))


def _wider(opening: float) -> float:
    """An opening in S, as much larger as its chin falls farther than that of a usual one."""
    return opening * (1 + ramp(opening, *WIDENING) * (WIDER - 1))


def _below(outer: Array, inner: Array, axis: int = 1) -> Array:
    """How far an inner contour lies below (axis 1) or behind (axis 2) an outer one, at each of its points.

    Between their ends the inner one goes straight on.
    """
    x, other = (np.concatenate([outer[:1, i], inner[:, i], outer[-1:, i]]) for i in (0, axis))
    return np.asarray(np.interp(outer[:, 0], np.maximum.accumulate(x), other) - outer[:, axis])


def _as_deep(outer: Array, inner: Array, thick: Array, own: Array) -> None:
    """The edges of a lip thinner than the frame's `own` come as much closer in depth: on a turned head they would cross."""
    outer[:, 2] += (1 - np.clip(thick / np.maximum(own, 1e-3), 0, 1)) * _below(outer, inner, 2)


def _thickness(rest: Array, own: Array) -> Array:
    """The subject's, unless a smile has stretched the frame's so thin that it has no texture for that."""
    usual, here = np.maximum(rest, 1e-3), np.maximum(own, 1e-3)
    return np.asarray(usual / (1 + (usual / (STRETCH * here)) ** 4) ** 0.25)


def _rounded(thickness: Array, narrowed: float) -> Array:
    """Lips whose corners are drawn in are fuller beside the middle: not a wedge."""
    most = max(float(thickness.max()), 1e-6)
    return np.asarray(most * (np.maximum(thickness, 0) / most) ** (0.5 + 0.5 * min(narrowed, 1.0)))


def blend(own: Lips, asked: Asked, amount: float) -> Asked:
    """`amount` of the way from the frame's own lips to the asked ones."""

    def part(a: Array, b: Array) -> Array:
        return np.asarray(a + amount * (b - a))

    return Asked(
        part(own.upper_inner, asked.upper_inner),
        part(own.lower_inner, asked.lower_inner),
        part(own.upper_outer, asked.upper_outer),
        part(own.lower_outer, asked.lower_outer),
        amount * asked.drop,
        asked.shift,
    )


@dataclass(frozen=True)
class Seat:
    """Where the closed mouth sits on this frame's face, head coordinates."""

    middle: float
    """y of the line's middle."""
    corners: Array
    """y of both corners."""
    centre: float
    """x between the corners."""


def _seat(rest: Rest, own: Lips) -> Seat:
    """The subject's rest, moved as a whole towards where the frame's own lips would rest.

    Mostly as a whole: middle and corners moved each for itself bend the line, and the bend reads as a frown. A part of
    the frame's own bend is kept, for cheeks that smile go on smiling.
    """
    opened = own.opening
    middle = (own.upper_inner + _upper_share(own.gap) * (own.lower_inner - own.upper_inner))[MIDPOINT, 1]
    corners = own.upper_outer[[0, -1], 1] - CORNER_DROP * opened + CORNER_RISE * (own.width - rest.width)
    rest_corners = rest.upper_outer[[0, -1], 1]
    offset = float(0.5 * (middle - rest.line[MIDPOINT, 1]) + 0.5 * (corners - rest_corners).mean())
    share = OWN + ramp(opened, *WIDE_OPEN) * (LEAST_OWN - OWN)
    tilted = (corners - rest_corners) - (corners - rest_corners).mean()
    bent = middle - rest.line[MIDPOINT, 1] - offset, (corners - rest_corners).mean() - offset
    # Told beside the corners: these are looked for, each for itself.
    aside = (own.upper_outer[BESIDE_MIDDLE, 0] - rest.upper_outer[BESIDE_MIDDLE, 0]).mean()
    centre = rest.upper_outer[[0, -1], 0].mean() + OWN * aside
    return Seat(
        float(rest.line[MIDPOINT, 1] + share * offset + OWN_BEND * bent[0]),
        rest_corners + share * offset + OWN_BEND * bent[1] + OWN_TILT * tilted,
        float(centre),
    )


def shift_of(rest: Rest, own: Lips) -> float:
    """How much lower than the subject's the mouth sits in a frame, as in Asked."""
    return _seat(rest, own).middle - float(rest.line[MIDPOINT, 1])


def _upper_share(gap: float) -> float:
    """Of an opening that is seen, what the upper lip has risen."""
    return float(usual_rise(gap)) / max(gap, 1e-6)


def _corners(shape: Shape, rest_width: float, seat: Seat, own: Lips) -> Array:
    """The two corners, 2 x 3."""
    mine = own.upper_outer[[0, -1]]
    # Widths are in 3-D; corners of different depth are farther apart than their x.
    flat = (mine[1, 0] - mine[0, 0]) / max(own.spread, 1e-6)
    half = 0.5 * shape.width * flat
    x = np.array([seat.centre - half, seat.centre + half])
    y = seat.middle + _flattened(shape.width / rest_width) * (seat.corners - seat.middle)
    return np.stack([x, y - shape.corners, mine[:, 2]], axis=1)


def _flattened(narrowed: float) -> float:
    """What is left of the bow of a smile, or of a frown, when the corners are drawn in."""
    return min(narrowed, 1.0) ** 2


def _between(ends: Array, profile: Array, own: Array) -> Array:
    """A contour spanned between two ends with the bow of `profile`; its depth is the frame's own, as far as it is as wide."""
    along = (profile[:, 0] - profile[0, 0]) / (profile[-1, 0] - profile[0, 0])
    bow = profile[:, 1] - (profile[0, 1] + along * (profile[-1, 1] - profile[0, 1]))
    bow *= _flattened((ends[1, 0] - ends[0, 0]) / (profile[-1, 0] - profile[0, 0]))
    line = ends[0] + along[:, None] * (ends[1] - ends[0])
    line[:, 1] += bow
    narrowed = (ends[1, 0] - ends[0, 0]) / max(own[-1, 0] - own[0, 0], 1e-3)
    middle = own[MIDPOINT, 2]
    line[:, 2] = middle + narrowed * (own[:, 2] - middle)
    return np.asarray(line)


def closeness(gap: float, own_gap: float) -> float:
    """1 where a mouth that was open is shut, 0 where at least half its own gap stays."""
    return 1 - ramp(gap, 0.0, max(0.5 * own_gap, 1e-3))
