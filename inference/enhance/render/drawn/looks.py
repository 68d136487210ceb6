"""What a drawn mouth that was found looks like: its lines, its edges, what lies round it. docs/decisions/0198."""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Pose
from enhance.geometry.planes import Planes
from enhance.masks import widened
from enhance.picture import Mask
from enhance.runs import runs
from enhance.style import skin_roughness

from .mouth import STROKE, Drawn, raster
from .parts import COLOURED, FAINTEST, TEETH_LIGHTER, WHITER, skin_round

AT_INK = 0.05  # S from other ink, where skin is not measured
NEXT_INK = 0.05  # S below a mouth, from which ink is the chin's outline, or the line under a lip
LIP_SHADE, SHORTEST = 0.2, 0.2  # S below a mouth, at most, where that line begins; and of the mouth's width, at least
ON_SKIN = 0.06  # of the skin's luma above a line, by which it differs below at most
OUTLINE = 0.035  # S from the rim of an inked mouth in which it is about as dark as anywhere
AS_DARK = 0.75
GAPS, THROUGH = 3, 0.8  # upright lines in a mouth that are gaps between teeth, at least; and how much of its height one takes
NEXT_SKIN = 4  # samples above a mouth that are skin
THIN_LINE = 0.018  # S of a line over teeth that may be faint: lips are thicker
FEW_TEETH = 0.75  # of the middle half of a mouth's width that shows teeth at its upper edge
INKED, INKED_ROUND = 0.6, (0.45, 0.575)
"""Of the mouth's dark, a line at its rim at least; and the share of the rim that is one: of the upper and lower at least, and
of both."""
SHARP, SOFTEST = 0.75, 4.0  # samples: sigma of an edge that was drawn sharply, and of one that is a passage

BEYOND, AS_BESIDE, DARK_THERE = 0.02, 0.15, 0.5
"""S beyond the ends of a mouth, where there is skin; of the mouth's dark, by which a beard that goes on there differs at most
(measured 0 to .07); and the dark at those ends from which it is no tooth."""
AS_LIGHT, MOSTLY_LIGHT, LEAST_WHITE = 0.1, 0.4, 0.1
"""Of the skin's luma, by which a part of the mouth is darker at most to be as light; and of the mouth, such parts at least
that are its lips: .53 and more in 3D heads, teeth and tongue of drawings on light skin .19 to .41; and white parts of its upper
half at least that are teeth."""


def roughness(drawn: Drawn) -> float:
    """How much skin round the mouth varies from place to place, in grey levels; tones made of dots do not count.

    Nor does what lies at other ink, as at a moustache.
    """
    others = (drawn.dark > AS_DARK * drawn.darkest) & ~drawn.whole
    return skin_roughness(drawn.luma, drawn.whole, drawn.finer, widened(others, round(AT_INK * drawn.finer)))


def inked_round(drawn: Drawn, least: float = INKED_ROUND[0], both: float = INKED_ROUND[1]) -> bool:
    """Whether a dark line goes round the mouth: along `least` of its upper and of its lower rim, and `both` of the two.

    The corners are left out.
    """
    inked = _dark_rims(drawn) > INKED * drawn.darkest
    count = len(drawn.top)
    shares = inked[:, count // 8 : count - count // 8].mean(axis=1)
    return bool(shares.min() > least and shares.mean() > both)


def has_lips(drawn: Drawn) -> bool:
    """Whether the rim of the mouth is clearly paler than what it encloses: flesh round the line between the lips.

    A tongue is pale under the dark of an open mouth, and not near its corners.
    """
    if drawn.open < STROKE / 2 or shows_teeth_first(drawn):
        return False
    reach = max(2, round(OUTLINE * drawn.finer))
    count = len(drawn.top)
    upper, lower, lines, teeth = np.zeros((4, count), bool)
    for i, column in enumerate(drawn.dark_across):
        dark = AS_DARK * float(column.max())
        teeth[i] = _is_white(drawn, i, 2 * reach)
        upper[i], lower[i] = (rim.max() < dark for rim in (column[:reach], column[-reach:]))
        lines[i] = (column >= dark).sum() < STROKE * drawn.finer
    middle = slice(count // 4, count - count // 4)
    corners = np.concatenate([lower[count // 10 : count // 4], lower[count - count // 4 : count - count // 10]])
    if corners.mean() < 0.5:
        lower &= lines
    pale = upper | lower
    # A tooth or two are pale as well. What is as light nearly from side to side may be lips of a dark face.
    if teeth[middle].mean() < FEW_TEETH:
        pale &= ~teeth
    return bool(pale[middle].mean() > 0.5)


def shows_gaps_of_teeth(drawn: Drawn) -> bool:
    """Whether upright lines go through an open mouth from its upper to its lower edge, as between teeth: lips have none."""
    count = len(drawn.top)
    if drawn.open < STROKE:
        return False
    through = [(column > drawn.ink).mean() > THROUGH for column in drawn.dark_across[count // 8 : count - count // 8]]
    return sum(1 for _ in runs(np.array(through))) >= GAPS


def shows_lit_lips(drawn: Drawn, planes: Planes, pose: Pose) -> bool:
    """Whether much of the mouth is as light as the skin and no paler: lit lips between shades. Teeth are white."""
    light, chroma, skin = _light_parts(drawn, planes, pose)
    if skin < COLOURED or light.sum() < MOSTLY_LIGHT * drawn.whole.sum():
        return False
    return float(np.median(chroma[light])) > WHITER * skin


def shows_white_first(drawn: Drawn, planes: Planes, pose: Pose) -> bool:
    """Whether most of what is as light as the skin in the upper half of the mouth is white: teeth, and no upper lip.

    On dark skin the tongue below them is as light as lit lips.
    """
    light, chroma, skin = _light_parts(drawn, planes, pose)
    upper = np.zeros_like(light)
    for i, (top, bottom) in enumerate(zip(drawn.top, drawn.bottom, strict=True)):
        upper[int(top) : int(top + bottom) // 2, drawn.columns.start + i] = True
    white = light & upper & (chroma <= WHITER * skin)
    return bool(white.sum() > max(0.5 * (light & upper).sum(), LEAST_WHITE * drawn.whole.sum()))


def _light_parts(drawn: Drawn, planes: Planes, pose: Pose) -> tuple[Mask, Floats, float]:
    """Where the mouth is as light as the skin, the chroma of each sample of its raster, and that of the skin round it."""
    size = drawn.whole.shape[1], drawn.whole.shape[0]
    u, v = (raster(plane, 2, pose, drawn.origin, drawn.finer, size) for plane in (planes.u, planes.v))
    chroma = np.asarray(np.hypot(u - 128, v - 128), np.float32)
    near = skin_round(drawn.whole, drawn.finer)
    return drawn.whole & (drawn.dark < AS_LIGHT * drawn.lit), chroma, float(np.median(chroma[near])) if near.any() else 0.0


def shows_teeth_first(drawn: Drawn) -> bool:
    """Whether the mouth begins with teeth, or a dark or a thin line over them: where lips are drawn, it begins with the upper
    one."""
    middle = range(len(drawn.top) // 4, len(drawn.top) - len(drawn.top) // 4)
    reach, thin = max(2, round(OUTLINE * drawn.finer)), max(1, round(THIN_LINE * drawn.finer))
    shown = []
    for i in middle:
        top, x = int(drawn.top[i]), drawn.columns.start + i
        column = drawn.dark[top : max(int(drawn.bottom[i]), top + 2), x]
        lined = column[:reach].max() >= AS_DARK * column.max()
        shown.append(column[: thin + 1].min() < 0 or (lined and _is_white(drawn, i, 2 * reach)))
    return bool(np.mean(shown) > 0.5)


def _is_white(drawn: Drawn, column: int, reach: int) -> bool:
    """Whether a column of the mouth is lighter than the skin above within `reach` samples of its upper edge, as teeth are."""
    top, x = int(drawn.top[column]), drawn.columns.start + column
    return bool(drawn.luma[top : top + reach, x].max() > drawn.luma[max(0, top - NEXT_SKIN), x] + TEETH_LIGHTER)


def goes_on(drawn: Drawn) -> bool:
    """Whether what was found is dark at both ends and as dark beyond them: a beard between lips and neck is, a mouth is not."""
    step, inside = max(2, round(BEYOND * drawn.finer)), len(drawn.top) // 12
    for i, outwards in ((inside, -1), (len(drawn.top) - 1 - inside, 1)):
        margin = int(drawn.bottom[i] - drawn.top[i]) // 4
        rows = slice(int(drawn.top[i]) + margin, int(drawn.bottom[i]) - margin)
        beyond = drawn.columns.start - step if outwards < 0 else drawn.columns.stop - 1 + step
        column = drawn.columns.start + i
        if rows.stop <= rows.start or not 0 <= beyond < drawn.luma.shape[1]:
            return False
        apart = abs(float(np.median(drawn.luma[rows, beyond])) - float(np.median(drawn.luma[rows, column])))
        if apart > AS_BESIDE * drawn.darkest or float(np.median(drawn.dark[rows, column])) < DARK_THERE * drawn.darkest:
            return False
    return True


def softness(drawn: Drawn) -> float:
    """Sigma in S of the edges along the mouth, less that of an edge that was drawn sharply."""
    if drawn.of_teeth:
        drawn = replace(drawn, dark=-drawn.dark)
    return float(np.sqrt(max(0.0, min(sharpness(drawn), SOFTEST) ** 2 - SHARP**2))) / drawn.finer


def sharpness(drawn: Drawn) -> float:
    """Sigma in samples of the edges along the mouth, from how steeply they rise: less is sharper."""
    luma = drawn.luma[:, drawn.columns]
    steepest = float(np.median(np.abs(np.diff(luma, axis=0)).max(axis=0, where=_rims(drawn), initial=0)))
    return _sigma(drawn, steepest)


def lower_sharpness(drawn: Drawn) -> float:
    """As sharpness(), of the lower edge alone, without the corners: that of lips ends in shade."""
    reach, count = max(2, round(OUTLINE * drawn.finer)), len(drawn.bottom)
    luma = np.pad(drawn.luma, ((reach, reach), (0, 0)), "edge")
    steepest = [
        np.abs(np.diff(luma[round(drawn.bottom[i]) : round(drawn.bottom[i]) + 2 * reach, drawn.columns.start + i])).max()
        for i in range(count // 5, count - count // 5)
    ]
    return _sigma(drawn, float(np.median(steepest)))


def _sigma(drawn: Drawn, steepest: float) -> float:
    """In samples, of an edge of the mouth that changes by so much from one to the next."""
    return drawn.darkest / max(steepest, 1) / float(np.sqrt(2 * np.pi))


def _rims(drawn: Drawn) -> Mask:
    """Where two rows of the columns of the mouth meet at it or near it."""
    near = cv2.dilate(drawn.whole.astype(np.uint8), np.ones((5, 1), np.uint8)) > 0
    return np.asarray(near[1:, drawn.columns])


def lip_shade(drawn: Drawn) -> Mask | None:
    """The short line that is drawn under a lower lip, on the mouth's raster; None where there is none.

    A part of it may lie nearer to the mouth than NEXT_INK, as where the head is tilted. Below a chin's line is no more skin.
    """
    ink = _ink(drawn)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    start, stop = drawn.columns.start, drawn.columns.stop
    mouth = np.unique(labels[drawn.whole])
    for label in range(1, count):
        x, y, width, height, _ = stats[label].tolist()
        under = start < x and x + width < stop and x < (start + stop) / 2 < x + width
        near = y < drawn.bottom.max() + LIP_SHADE * drawn.finer and height < STROKE * drawn.finer
        below = y + height > _next_row(drawn) and label not in mouth
        if under and near and below and width > SHORTEST * (stop - start) and _on_skin(drawn, labels == label):
            return np.asarray(labels == label)
    return None


def _on_skin(drawn: Drawn, line: Mask) -> bool:
    """Whether it is about as light below a line as above it."""
    reach, columns = max(2, round(OUTLINE * drawn.finer)), np.flatnonzero(line.any(axis=0))
    above = line.argmax(axis=0)[columns] - reach
    below = np.minimum(len(line) - 1 - line[::-1].argmax(axis=0)[columns] + reach, len(line) - 1)
    over, under = (float(np.median(drawn.luma[rows, columns])) for rows in (above, below))
    return abs(over - under) < ON_SKIN * over


def _next_row(drawn: Drawn) -> int:
    """The first row in which ink no longer counts as the mouth's."""
    return int(drawn.bottom.max()) + round(NEXT_INK * drawn.finer)


def _ink(drawn: Drawn) -> Mask:
    """What is as dark as lines. Teeth are no ink, and may take most of the mouth."""
    level = max(float(f(drawn.dark[drawn.whole])) for f in (np.median, lambda dark: 0.5 * np.percentile(dark, 95)))
    return np.asarray(drawn.dark > max(0.5 * level, 0.5 * FAINTEST))


def outline_below(drawn: Drawn) -> float:
    """How far below the mouth, in S, the next ink is that is no line under its lip: the chin's outline."""
    middle = (drawn.columns.start + drawn.columns.stop) // 2
    reach = max(1, (drawn.columns.stop - drawn.columns.start) // 4)
    ink, shade = _ink(drawn), lip_shade(drawn)
    if shade is not None:
        ink &= ~shade
    ink = ink[_next_row(drawn) :, middle - reach : middle + reach]
    rows = np.flatnonzero(ink.mean(axis=1) > 0.5)
    start = _next_row(drawn) - float((drawn.top + drawn.bottom).mean() / 2)
    return (start + rows[0]) / drawn.finer if len(rows) else np.inf


def line_round(drawn: Drawn) -> float:
    """How much darker than skin the rim of an open mouth is, which is its line's where it has one."""
    return float(np.median(_dark_rims(drawn)))


def _dark_rims(drawn: Drawn) -> Floats:
    """2 x columns: how dark it gets within OUTLINE of the upper and of the lower rim of the mouth."""
    reach = max(2, round(OUTLINE * drawn.finer))
    return np.array([[column[part].max() for column in drawn.dark_across] for part in (slice(reach), slice(-reach, None))])
