"""What is written over a portrait - captions, names, the box or banner they stand on - and stays while the head moves."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.frame import HeadFrame
from enhance.geometry.landmarks import LEFT_LIDS, OUTER_RING, RIGHT_LIDS, SKIN_POINTS
from enhance.geometry.planes import Plane, Planes
from enhance.masks import widened
from enhance.picture import Mask, Picture
from enhance.render.cover.letters import CLEAR, LIKE_LUMA, ground_of, may_be_sharp, rows_of_letters
from enhance.render.still import planes_of_rgb

LARGEST = 160.0  # pixels of an outer-eye distance in which letters are looked for: enlarged ones have soft edges
OWN = 0.1  # outer-eye distances round eyes and mouth: lashes and teeth stand in rows as letters do
GAP = 0.1  # outer-eye distances: half of the space between words, and what is held round letters
WIDE = 0.5  # outer-eye distances: the least width of a line of letters. Earrings and strands of hair are narrower
LONG, FEWEST = 2.5, 3  # least width of a line in heights of it, and how many letters it has at least
BOX = 0.25  # outer-eye distances from dark letters up to which what is light belongs to their box
WHITE, PAPER = 185, 200
"""Luma that a quarter of a line of bright letters has at least, and three quarters of what lies round dark ones. In captions
187 and more, and 255; in hair, scratches and grass that stand in rows 195 at most, and 99."""


def written_over(picture: Picture, frame: HeadFrame, window: Area) -> Mask:
    """The places of the window, h x w, with lines of letters on them, or the box or banner of such a line.

    picture: h x w x 3 uint8 RGB. window: what of it is looked at, not empty.
    """
    shrink = min(1.0, LARGEST / frame.unit)
    unit = frame.unit * shrink
    width, height = (max(2, round(side * shrink) & ~1) for side in (window.width, window.height))
    small = cv2.resize(picture[window.slices], (width, height), interpolation=cv2.INTER_AREA)
    planes = planes_of_rgb(np.asarray(small, np.uint8))
    written = np.zeros((height, width), np.bool_)
    if may_be_sharp(planes.y, unit):
        points = (frame.mesh[:, :2] - (window.x, window.y)) * (width / window.width, height / window.height)

        def inside(ids: tuple[int, ...]) -> Mask:
            mask = np.zeros((height, width), np.uint8)
            cv2.fillConvexPoly(mask, cv2.convexHull(np.round(points[list(ids)]).astype(np.int32)), (1,))
            return mask > 0

        eyes = np.any([inside(upper + lower) for upper, lower in (RIGHT_LIDS, LEFT_LIDS)], axis=0)
        own = widened(eyes | inside(OUTER_RING), round(OWN * unit))
        face = inside(tuple(range(SKIN_POINTS))) & ~own
        for sign, ink, letters in rows_of_letters(planes.y, own, face, unit):
            for line in _lines(letters, unit):
                if _contrasts(planes.y, line, sign, unit):
                    written |= _held(planes, line, (ink > CLEAR) & ~own, sign, eyes, unit)
    return cv2.resize(written.astype(np.uint8), (window.width, window.height), interpolation=cv2.INTER_NEAREST) > 0


def _lines(letters: Mask, unit: float) -> list[Mask]:
    """The letters of each line that is wide enough and has enough of them."""
    label, stats = _joined(letters, unit)
    width, height = (stats[:, side] - 2 * round(GAP * unit) for side in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT))
    wide = (width >= WIDE * unit) & (width >= LONG * height)
    lines = [letters & (label == line) for line in range(1, len(stats)) if wide[line]]
    # What is no letter counts as one component.
    return [line for line in lines if cv2.connectedComponents(line.astype(np.uint8))[0] > FEWEST]


def _joined(letters: Mask, unit: float) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Labels and statistics of cv2.connectedComponentsWithStats() for letters that lie up to twice GAP apart."""
    _, label, stats, _ = cv2.connectedComponentsWithStats(widened(letters, round(GAP * unit)).astype(np.uint8), connectivity=8)
    return np.asarray(label, np.int32), np.asarray(stats, np.int32)


def _contrasts(luma: Plane, line: Mask, sign: int, unit: float) -> bool:
    """Whether letters are as light as captions are, or, dark ones (sign -1), what lies round them."""
    if sign > 0:
        return float(np.quantile(luma[line], 0.75)) >= WHITE
    ground = luma[widened(line, max(2, round(0.04 * unit))) & ~widened(line, 1)]
    return ground.size > 0 and float(np.quantile(ground, 0.25)) >= PAPER


def _held(planes: Planes, line: Mask, clear: Mask, sign: int, eyes: Mask, unit: float) -> Mask:
    """A line of letters with what belongs to it: others in its rows, its box or banner, and what lies round these.

    clear: pixels that differ from what lies round them.
    """
    luma = planes.y
    like = clear & (np.abs(luma - np.median(luma[line])) < LIKE_LUMA)
    label, _ = _joined(line | line.any(axis=1)[:, None] & like, unit)
    held = np.isin(label, np.unique(label[line]))
    ground = ground_of(planes, line, unit)
    if not (ground & eyes).any():  # where it reaches over the eyes it has the edges of a picture in a picture
        held |= widened(ground, round(GAP * unit))
    if sign < 0:
        held |= widened(widened(line, round(BOX * unit)) & (luma >= PAPER), round(GAP * unit))
    return held
