"""Teeth and a tongue that no line goes round, beside the dark of a drawn mouth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.masks import widened, widened_round
from enhance.picture import Mask

FAINTEST = 24.0  # grey levels that ink is darker than skin, at least
TEETH, TO_WHITE = 0.08, 0.35  # of the skin's luma that teeth are lighter, and of the way from light skin to white
TEETH_LIGHTER = 4.0  # grey levels by which teeth are lighter than light skin, at least
WIDEST = 1.5  # widths of the dark of a mouth that the teeth above it or the tongue below it have: a grin narrows downwards
BARE = 0.6  # of the columns of teeth or a tongue without an outline, in which they touch the dark of the mouth, at least
ROUND = (0.04, 0.14)  # S from the dark of a mouth, where its skin is
COLOURED = 10.0  # chroma codes that skin has in a picture of colours, at least
WHITER, DIMMER = 0.6, 0.8  # of that skin's chroma, that teeth have at most, and of its luma, at least
LEVEL, BEYOND = 0.6, 0.25
"""Of the height of the dark at either side of a tongue, in which the other lies; and of the white between them, what lies
outside the box round both: less of teeth, more of a white beard or muzzle round the mouth."""
REDDER = 14.0  # V codes that a tongue has more than that skin
LIPS_OVER = 0.4  # of the columns over a mouth that are as red, from which red below it is a lip


def filled(pieces: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """With all that they enclose."""
    contours, _ = cv2.findContours(pieces, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(pieces)
    cv2.drawContours(whole, contours, -1, (1,), cv2.FILLED)
    return whole


def joined(whole: npt.NDArray[np.uint8], part: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Both, and all that they enclose; between the two lies a row that is neither."""
    both: Any = cv2.morphologyEx(whole | part, cv2.MORPH_CLOSE, np.ones((5, 3), np.uint8))
    return filled(both)


def skin_round(whole: npt.NDArray[Any], finer: float) -> Mask:
    """Where the skin round a mouth, or the dark of one, is: a ring that begins a little off it."""
    near, far = (widened_round(whole, round(reach * finer)) for reach in ROUND)
    return far & ~near


@dataclass(frozen=True)
class Beside:
    """The raster's Y, U, V against the skin round a mouth: where a face is shaded, that of the cheeks tells little there."""

    darker: Floats
    """Luma that each sample has less than the skin, whose light is taken to change evenly."""
    redder: Floats
    """V that it has more."""
    teeth: Mask
    """Where it is as light as teeth, or as pale."""

    @classmethod
    def of(cls, yuv: tuple[Floats, ...], whole: npt.NDArray[np.uint8], dark: Floats, finer: float) -> "Beside":
        """whole: the dark of the mouth. dark: how much darker than skin each sample is."""
        y, u, v = yuv
        skin = skin_round(whole, finer) & (dark < FAINTEST / 2)
        rows, columns = (index.astype(np.float32) / finer for index in np.indices(y.shape))
        fitted = np.full_like(y, np.median(y[skin]) if skin.any() else 0.0)
        for _ in range(2):
            known = skin & (np.abs(y - fitted) < FAINTEST)
            if known.sum() < 20:
                break
            terms = np.stack([rows[known], columns[known], np.ones(int(known.sum()), np.float32)], axis=1)
            down, across, base = np.linalg.lstsq(terms, y[known], rcond=None)[0]
            fitted = np.asarray(down * rows + across * columns + base, np.float32)
        tint = [float(np.median(plane[known])) if known.any() else 128.0 for plane in (u, v)]
        coloured = float(np.hypot(tint[0] - 128, tint[1] - 128))
        pale = (np.hypot(u - 128, v - 128) < WHITER * coloured) & (y > DIMMER * fitted) & (coloured > COLOURED)
        return cls(fitted - y, v - np.float32(tint[1]), pale | (y > (1 + TEETH) * fitted))


def with_dark_across_white(which: npt.NDArray[np.uint8], ink: Mask, white: Mask) -> npt.NDArray[np.uint8]:
    """The dark of a mouth with that on the other side of white teeth and a light tongue, and these: on dark skin they part it.

    which: one side of it. The other lies at its height and touches the same white. white: what is clearly lighter than skin.
    """
    rows, columns = (np.flatnonzero(which.any(axis=axis)) for axis in (1, 0))
    (_, light), (_, dark) = (cv2.connectedComponents(each.astype(np.uint8), connectivity=8) for each in (white, ink))
    both = which.copy()
    for tooth in np.setdiff1d(light[widened(which, 1)], 0):
        between = light == tooth
        for label in np.setdiff1d(dark[widened(between, 1) & (which == 0)], 0):
            part = dark == label
            high, at = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
            level = min(rows[-1], high[-1]) - max(rows[0], high[0]) + 1
            if at[0] == 0 or at[-1] == part.shape[1] - 1 or level <= LEVEL * max(len(rows), len(high)):
                continue
            inside = np.zeros_like(between)
            inside[
                min(rows[0], high[0]) : max(rows[-1], high[-1]) + 1, min(columns[0], at[0]) : max(columns[-1], at[-1]) + 1
            ] = True
            if (between & ~inside).sum() < BEYOND * between.sum():
                both |= (part | between).astype(np.uint8)
    return both


def with_light(whole: npt.NDArray[np.uint8], lighter: Mask) -> npt.NDArray[np.uint8]:
    """The mouth with the teeth and the tongue without an outline that are lighter than skin is."""
    light = light_parts(lighter, whole)
    return joined(whole, light) if light.any() else whole


def with_pale_and_red(whole: npt.NDArray[np.uint8], beside: Beside, darker: float) -> npt.NDArray[np.uint8]:
    """The mouth with those that are told by the skin round it. darker: as parts_below()."""
    whole = joined(whole, light_parts(beside.teeth, whole))
    return joined(whole, parts_below(beside, whole, darker))


def with_dark_at_teeth(whole: npt.NDArray[np.uint8], white: Mask, ink: Mask, stroke: float) -> npt.NDArray[np.uint8]:
    """The mouth with what is dark below its teeth where only the line over them was found, or that line where only the dark
    was; and without a moustache over them.

    At the sides of such teeth there is no line. white: what is clearly lighter than skin. ink: what is as dark as lines.
    stroke: samples of height, on average, up to which a mouth is a line.
    """
    teeth = light_parts(white & (whole == 0), whole) | (whole & white)
    more = light_parts(ink & (whole == 0), teeth) if teeth.any() else teeth
    if not more.any():
        return whole
    wide = np.count_nonzero(whole.any(axis=0))
    if whole.sum() >= stroke * wide:
        if np.argwhere(whole)[:, 0].mean() < np.argwhere(teeth)[:, 0].min():
            return joined(teeth & ~whole, more)
        if more.sum() >= stroke * wide:
            return whole
    return joined(joined(whole, teeth), more)


def parts_below(beside: Beside, whole: npt.NDArray[np.uint8], darker: float) -> npt.NDArray[np.uint8]:
    """A tongue without an outline below the dark of a mouth: redder than skin, or darker by so much luma; no lower lip."""
    columns = np.flatnonzero(whole.any(axis=0))
    top = whole[:, columns].argmax(axis=0)
    over = np.maximum(top - 3, 0)
    if (beside.redder[over, columns] > REDDER).mean() > LIPS_OVER:
        return np.zeros_like(whole)
    middle = np.zeros(whole.shape[1], bool)
    middle[columns[0] + 1 : columns[-1]] = True
    bottom = np.full(whole.shape[1], int(top.min()))
    bottom[columns] = len(whole) - whole[::-1, columns].argmax(axis=0)
    below = np.arange(len(whole))[:, None] >= bottom
    seen = ((beside.redder > REDDER) | (beside.darker > darker) & middle) & below & (whole == 0)
    wide = len(columns)

    def is_within(x: int, y: int, width: int, height: int) -> bool:
        return x > 0 and x + width < whole.shape[1] and y + height < len(whole) and width <= WIDEST * wide

    return _touching(seen, whole, is_within)


def light_parts(lighter: Mask, dark: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Teeth above the dark of a mouth, and a tongue below it, without an outline.

    lighter: than the skin is.
    """
    rows, columns = lighter.shape
    wide = int(np.ptp(np.flatnonzero(dark.any(axis=0)))) + 1

    def is_within(x: int, y: int, width: int, height: int) -> bool:
        return x > 0 and y > 0 and x + width < columns and y + height < rows and width <= WIDEST * wide

    return _touching(lighter & (dark == 0), dark, is_within)


def _touching(seen: Mask, dark: npt.NDArray[np.uint8], fits: Callable[[int, int, int, int], bool]) -> npt.NDArray[np.uint8]:
    """The components of what is seen that lie along the dark of a mouth. fits: by left, top, width and height."""
    near = cv2.dilate(dark, np.ones((9, 1), np.uint8)) > 0
    parts = np.zeros_like(dark)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(seen.astype(np.uint8), connectivity=8)
    for label in range(1, count):
        x, y, width, height, _ = stats[label].tolist()
        part = labels == label
        if fits(x, y, width, height) and (part & near).any(axis=0).sum() >= BARE * width:
            parts |= part.astype(np.uint8)
    return parts
