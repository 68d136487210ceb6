"""A drawn mouth traced: what differs from the skin round it, with the teeth and the tongue that belong to it."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import CHIN, LEFT_CORNER, LOWER_LIP, NOSE_BASE, RIGHT_CORNER, UPPER_LIP
from enhance.geometry.planes import Planes
from enhance.picture import Mask

from .mouth import STROKE, Drawn, is_there, raster
from .nose_line import without_nose_line
from .parts import (
    FAINTEST,
    TEETH,
    TEETH_LIGHTER,
    TO_WHITE,
    Beside,
    filled,
    with_dark_across_white,
    with_dark_at_teeth,
    with_light,
    with_pale_and_red,
)
from .pieces import mouth_pieces

Binary = npt.NDArray[np.uint8]
FINEST = 320.0  # samples to an S, at most
ABOVE, BELOW = 0.26, 0.46  # S of the window round the mesh's mouth
ABOVE_SMALL = 0.32  # the same for a small mouth
NEAREST = 0.2  # S from the mesh's mouth, up, down and aside, in which the darkest says what ink is
HIGHEST = 0.36  # S: of an open mouth
BELOW_TALL, TALLEST = 0.85, 0.75
"""S of the window below the mesh's mouth, and of an open mouth, where a jaw drops as in cartoons."""
INK = 0.3  # of the darkest, where ink begins
GAP, HIGHER = 0.1, 3.0
"""S across a gap in the line round a mouth, at most; and the mouth's height beside it, in heights of what the gap leaves."""


@dataclass(frozen=True)
class Search:
    """What a mouth is taken to look like, and how far from the mesh's it may be."""

    skin: float
    """Luma of what lies round it: skin or a beard."""
    white: bool = False
    """Where nothing is dark, it may be nothing but teeth."""
    shaded: bool = False
    """Teeth and a tongue are told by the skin round the mouth alone, as where the face is shaded."""
    shut: bool = True
    """It may be a closed one."""
    aside: float = 0.62
    """S of the window to either side. S is short where the eyes of a cartoon are close together."""
    widths: tuple[float, float] = (0.05, 1.0)
    """S of the mouth, from and to."""
    hangs: bool = False
    """It hangs from a nose on a line, and its ends may be as high as the mesh has the nose."""
    high: bool = False
    """It may reach above the mesh's nose."""
    skin_above: bool = False
    """Skin goes on above the window, which may cut the corners of a smile. Otherwise the light of teeth counts as the skin's
    up to the upper border, and darker skin there as ink."""
    tall: bool = False
    """It is open, and may be higher than HIGHEST."""
    small: bool = False
    """What is dark may take less of the skin near the mesh's mouth than a line does, or lie above it."""


@dataclass(frozen=True)
class Window:
    """The raster on which a mouth is looked for."""

    origin: Array
    """Of its first sample, plane coordinates."""
    finer: float
    """Samples to an S."""
    size: tuple[int, int]
    """Columns and rows."""
    middle: Array
    """Of the mesh's mouth: column and row."""
    lowest: float
    """The row from which a line is the chin's."""

    @classmethod
    def of(cls, head: Array, pose: Pose, search: Search) -> "Window":
        middle, finer = middle_of(head, pose), min(pose.scale, FINEST)
        top = middle[1] - (ABOVE_SMALL if search.small else ABOVE)
        if not (search.hangs or search.high):
            top = max(top, float(pose.to_plane(head[NOSE_BASE])[1]))
        origin = np.array([middle[0] - search.aside, top])
        below = BELOW_TALL if search.tall else BELOW
        return cls(
            origin=origin,
            finer=finer,
            size=(round(2 * search.aside * finer), max(8, round((middle[1] + below - origin[1]) * finer))),
            middle=np.round((middle - origin) * finer).astype(int),
            lowest=float(pose.to_plane(head[[LOWER_LIP, CHIN]])[:, 1].mean() - origin[1]) * finer,
        )


def middle_of(head: Array, pose: Pose) -> Array:
    """Of the mesh's mouth, plane coordinates."""
    return np.asarray(pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER, UPPER_LIP, LOWER_LIP]]).mean(axis=0))


def trace(planes: Planes, head: Array, pose: Pose, search: Search) -> Drawn | None:
    """The drawn mouth that is nearest to the mesh's (478 x 3, head coordinates); None where nothing of its size is seen."""
    window = Window.of(head, pose, search)
    origin, finer, size = window.origin, window.finer, window.size
    luma = raster(planes.y, 1, pose, origin, finer, size)
    # Teeth are lighter than the skin, and would lift it round the mouth: on dark skin above all that is drawn there.
    lighter, white = (1 + TEETH) * search.skin, search.skin + TO_WHITE * (255 - search.skin)
    lit = np.minimum(_light(luma, round((TALLEST if search.tall else HIGHEST) * finer), search.skin_above), lighter)
    dark = np.asarray(lit - luma, np.float32)
    strongest = _strongest(dark, window, search.small)
    of_teeth, ink = strongest < FAINTEST, dark > INK * strongest
    seen = luma > white if of_teeth else _without_nose_line(ink, window)
    if (of_teeth and not search.white) or (search.hangs and (of_teeth or seen is ink)):
        return None
    which = mouth_pieces(seen.astype(np.uint8), window.middle, finer, search.widths, window.lowest)
    if which is None:
        return None
    if not of_teeth:
        which = with_dark_across_white(which, ink, luma > white)
    whole = with_light(filled(which), luma > lighter)
    if not of_teeth:
        whole = with_dark_at_teeth(whole, luma > max(search.skin + TEETH_LIGHTER, white), ink, STROKE * finer)
    # A closed mouth shows neither teeth nor a tongue, and may have light and shade of lips beside it.
    if search.shaded and (not search.shut or whole.sum() > STROKE * finer * np.count_nonzero(whole.any(axis=0))):
        uv = (raster(plane, 2, pose, origin, finer, size) for plane in (planes.u, planes.v))
        whole = with_pale_and_red(whole, Beside.of((luma, *uv), whole, dark, finer), INK * strongest)
    drawn = Drawn(origin, finer, lit, dark, *_edges(whole, finer))
    # Of light lines on dark skin, most of what they enclose is dark.
    if of_teeth and not (np.median(luma[drawn.whole]) > white and is_there(drawn, head, pose)):
        return None
    return drawn


def _without_nose_line(ink: Mask, window: Window) -> Mask:
    """The same mask where no mouth hangs from a nose on a line."""
    whole = ink.astype(np.uint8)
    loose = without_nose_line(whole, int(window.middle[1]), window.finer)
    return ink if loose is whole else loose > 0


def _strongest(dark: Floats, window: Window, small: bool) -> float:
    """How much darker than skin the darkest is near the mesh's mouth, but for what is less than a line."""
    (x, y), span = window.middle, round(NEAREST * window.finer)
    near = dark[0 if small else max(0, y - span) : y + span, max(0, x - span) : x + span]
    return float(np.percentile(near, 99.7 if small else 98)) if near.size else 0.0


def _light(luma: Floats, height: int, skin_above: bool) -> Floats:
    """Luma as if nothing were drawn on the skin. height: of a mouth, at most. skin_above: as Search."""
    above = height if skin_above else 0
    return _closed(np.concatenate([np.repeat(luma[:1], above, axis=0), luma]), height)[above:]


def _closed(luma: Floats, height: int) -> Floats:
    """Without what is dark and lower than `height`: ink goes, light and shade of the skin stay.

    A nose may be cut by the upper border, and the line below it be as long as half of `height`: what is dark in the first row
    and narrower than `height` has there what lies beside it.
    """
    kernel = np.ones((2 * (height // 2) + 1, 1), np.uint8)
    lit = np.asarray(cv2.morphologyEx(luma, cv2.MORPH_CLOSE, kernel), np.float32)
    first = np.asarray(cv2.morphologyEx(luma[:1], cv2.MORPH_CLOSE, kernel.T), np.float32)
    nose = first[0] - lit[0] > FAINTEST
    if nose.any():
        below = np.concatenate([np.repeat(first[:, nose], height, axis=0), luma[:, nose]])
        lit[:, nose] = cv2.morphologyEx(below, cv2.MORPH_CLOSE, kernel)[height:]
    return lit


def _edges(whole: Binary, finer: float) -> tuple[Mask, slice, Array, Array]:
    """What Drawn has of a mouth: all of it, its columns, and its upper and lower edge in them."""
    columns = np.flatnonzero(whole.any(axis=0))
    span = slice(int(columns[0]), int(columns[-1]) + 1)
    every = np.arange(span.start, span.stop)
    top = np.interp(every, columns, whole[:, columns].argmax(axis=0))
    bottom = np.interp(every, columns, len(whole) - whole[::-1, columns].argmax(axis=0))
    top, bottom = _without_gaps(top, bottom, finer)
    rows = np.arange(len(whole))[:, None]
    whole[:, span] |= (rows >= top.round()) & (rows < bottom.round())
    return whole > 0, span, top, bottom


def _without_gaps(top: Array, bottom: Array, finer: float) -> tuple[Array, Array]:
    """Both edges of a mouth, a row for each column: where the line of one is missing, that of the other is seen instead."""
    reach = round(GAP * finer) | 1
    kernel = np.ones((1, reach), np.uint8)
    # At the corners there is nothing beyond to go on to.
    low, high = (
        np.asarray(cv2.morphologyEx(np.pad(edge, reach, "edge")[None], how, kernel), np.float64)[0, reach:-reach]
        for edge, how in ((top, cv2.MORPH_OPEN), (bottom, cv2.MORPH_CLOSE))
    )
    gap = (bottom - top < STROKE * finer) & (high - low > HIGHER * (bottom - top))
    return np.where(gap, low, top), np.where(gap, high, bottom)
