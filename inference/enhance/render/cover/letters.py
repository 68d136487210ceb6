"""Letters among the pixels of a lower face, told by how clear and sharp they are, and by their standing in a row.

On every seventh of 50 frames of 30 clips, beards among them, skin away from mouth and outline differs from what lies round it
by 65 levels of luma at most and has slopes of 34 levels a pixel (99.5 % of its pixels). Under captions of eleven kinds those
are 79 to 219 and 37 to 114.
"""

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Array
from enhance.geometry.planes import Plane, Planes, full_chroma
from enhance.masks import narrowed, widened
from enhance.picture import Mask

from .steps import have_steps

STROKE = 0.22
"""S: strokes of letters are thinner than this."""
CLEAR, FAINT = 60, 30
"""Levels of luma between a letter and what lies round it, at least; and in a line where others are clear."""
SHARP = 35
"""Levels of luma a pixel: the slope at a letter's edge."""
SOME = 0.0025
"""S x S of clear and sharp pixels on the face, from which they may be letters."""
HEIGHT, LEAST = (0.03, 0.6), 6
"""S: how high letters are; and pixels, at least."""
IN_A_ROW, IN_A_WORD = 4, 2
"""So many pieces of like height and luma side by side are letters; with a black outline on the face fewer are."""
SHARP_LETTER = 0.3
"""The least share of each that is sharp."""
LIKE_HEIGHT, LIKE_STROKE, LIKE_LETTER = (0.5, 1.7), (0.65, 1.5), 22
"""Of one letter's height and width of stroke, what another's of its line are, and by how many levels of luma they differ."""
ON_LINE = 0.09, 2
"""Of a letter's height, and pixels: by how much the tops or the feet of two letters of a line differ, at most. The lines of a
drawn face are as high and as thick as each other, but seldom begin or end at one height."""
LIKE_LUMA, LIKE_CHROMA = 30, 12
"""By how many levels what belongs to a line of letters differs from them."""
BLACK = 80
"""Luma of black letters and of black outlines, at most."""
OUTLINE, OUTLINED = 0.06, 0.7
"""S that an outline is wide, at most, and share of a letter's border that has black within 2 pixels where it has one."""
BOX, STEP, EVEN = 0.2, 8, 0.85
"""S round a line of letters within which the edges of its box are sought, levels of luma a pixel that they have on the
average, and the least share of them that has half as many: a chin is not straight."""
BANNER = 0.6
"""S from a line of letters within which the edge of a banner is sought."""


def may_be_sharp(luma: Plane, scale: float) -> bool:
    """The quickest look: whether enough of it is as sharp as letters."""
    if min(luma.shape) < LEAST:
        return False
    return int(np.count_nonzero(cv2.absdiff(luma[:, 2:], luma[:, :-2]) > 2 * SHARP)) >= SOME * scale**2


def may_be_written(luma: Plane, mouth: Mask, face: Mask, scale: float) -> bool:
    """A quick look: whether the face has anything as sharp as letters, or a row of pixels as many strokes as some of them."""
    steps = cv2.subtract(luma[:, 2:], luma[:, :-2], dtype=cv2.CV_16S)
    rises, falls = ((sign * steps > 2 * SHARP) & ~mouth[:, 1:-1] for sign in (1, -1))
    if np.count_nonzero((rises | falls) & face[:, 1:-1]) > SOME * scale**2:
        return True
    strokes = [np.count_nonzero(edges[:, 1:] & ~edges[:, :-1], axis=1) for edges in (rises, falls)]
    return bool((np.minimum(*strokes) >= IN_A_ROW).any())


def letters_in(planes: Planes, mouth: Mask, face: Mask, scale: float) -> Mask:
    """The pixels of letters, of their outlines and of the box in which they stand."""
    luma = planes.y
    written = np.zeros_like(mouth)
    for sign, ink, found in rows_of_letters(luma, mouth, face, scale):
        if found.any():
            written |= ground_of(planes, found, scale)
            # Others of the line are less clear, or touch what is as bright.
            like = sign * (luma - np.median(luma[found])) > -LIKE_LUMA
            for chroma in full_chroma(planes, planes.area):
                like &= np.abs(chroma - np.median(chroma[found])) < LIKE_CHROMA
            line = found | found.any(axis=1)[:, None] & (ink > FAINT) & like
            written |= _with_outline(luma, line, scale)
    return written


def rows_of_letters(luma: Plane, mouth: Mask, face: Mask, scale: float) -> Iterator[tuple[int, Plane, Mask]]:
    """Of bright letters (1), then of dark ones (-1): each pixel's difference from what lies round it, and the letters."""
    side = round(STROKE * scale) | 1
    kernel = np.ones((side, side), np.uint8)
    bright, dark = (cv2.morphologyEx(luma, kind, kernel) for kind in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT))
    slope = np.hypot(*(cv2.Sobel(luma, cv2.CV_32F, *axes, scale=1 / 8) for axes in ((1, 0), (0, 1))))
    sharp = widened(slope > SHARP, 1)
    # What lies between bright letters is darker than they are as well, but hardly ever black.
    for sign, ink, may_be in ((1, bright, luma > BLACK), (-1, dark, luma < BLACK)):
        pieces = _Pieces(luma, (ink > CLEAR) & may_be & ~mouth, sharp, face)
        found = pieces.rows(IN_A_ROW, scale)
        if sign > 0 and not found.any():
            word = pieces.rows(IN_A_WORD, scale, on_face=True)
            found = word if _outlined(luma, word) else found
        yield sign, np.asarray(ink), found


class _Pieces:
    """Connected pixels that differ from what lies round them, each of which may be a letter."""

    def __init__(self, luma: Plane, ink: Mask, sharp: Mask, face: Mask) -> None:
        marked = ink.astype(np.uint8)
        count, self.label, stats, _ = cv2.connectedComponentsWithStats(marked, connectivity=8)

        where = np.nonzero(ink)
        of = self.label[where]

        def sum_of(values: npt.NDArray[np.generic]) -> Array:
            return np.asarray(np.bincount(of, values[where].astype(np.float64), count), np.float64)

        size = np.maximum(stats[:, cv2.CC_STAT_AREA], 1)
        self.top, self.height = (stats[:, side].astype(np.float64) for side in (cv2.CC_STAT_TOP, cv2.CC_STAT_HEIGHT))
        self.luma, self.sharp = sum_of(luma) / size, sum_of(sharp) / size
        rim = ink & ~narrowed(marked, 1)
        self.stroke = 0.5 + size / np.maximum(sum_of(rim), 1)
        """How wide its strokes are, near enough to compare them: half a pixel keeps those of one and of two pixels alike."""
        self.on_face = sum_of(sharp & face)

    def rows(self, count: int, scale: float, on_face: bool = False) -> Mask:
        """The pixels of those that stand in a row of so many like letters."""
        high = self.height >= max(LEAST, HEIGHT[0] * scale)
        may_be = high & (self.height <= HEIGHT[1] * scale) & (self.sharp > SHARP_LETTER)
        may_be[0] = False
        pieces = np.flatnonzero(may_be)
        beside = self._beside(pieces).astype(np.float32)
        # A "y" and a "?" are of one line by what stands between them.
        row = beside @ beside > 0
        enough = row.sum(axis=1) >= count
        if on_face:
            enough &= row @ self.on_face[pieces] > SOME * scale**2
        chosen = np.zeros_like(may_be)
        chosen[pieces[row[enough].any(axis=0)]] = True
        return np.asarray(chosen[self.label])

    def _beside(self, pieces: npt.NDArray[np.intp]) -> Mask:
        """n x n: in the row of each piece, which are like it in height, stroke and luma, and stand on one line with it."""

        def between(values: Array) -> tuple[Array, Array]:
            return values[pieces][None, :], values[pieces][:, None]

        def like(values: Array, bounds: tuple[float, float]) -> Mask:
            of, one = between(values)
            return np.asarray((of > bounds[0] * one) & (of < bounds[1] * one))

        def near(values: Array, off: Array | float) -> Mask:
            of, one = between(values)
            return np.asarray(np.abs(of - one) <= off)

        share, pixels = ON_LINE
        off = np.maximum(pixels, share * self.height[pieces])[:, None]
        on_line = near(self.top, off) | near(self.top + self.height, off)
        alike = like(self.height, LIKE_HEIGHT) & like(self.stroke, LIKE_STROKE) & near(self.luma, LIKE_LETTER)
        return np.asarray(on_line & alike)


def _outlined(luma: Plane, letters: Mask) -> bool:
    """Whether letters have a black line round them."""
    darkest = cv2.erode(luma, np.ones((3, 3), np.uint8))[widened(letters, 1) & ~letters]
    return darkest.size > 0 and float((darkest < BLACK).mean()) > OUTLINED


def _with_outline(luma: Plane, letters: Mask, scale: float) -> Mask:
    """The letters, and the black line round them where they have one."""
    outline = letters
    for _ in range(max(2, round(OUTLINE * scale)) if _outlined(luma, letters) else 0):
        outline = letters | widened(outline, 1) & (luma < BLACK)
    return outline


def ground_of(planes: Planes, letters: Mask, scale: float) -> Mask:
    """The pixels of the box or the banner on which a line of letters stands; none where it stands on the picture itself."""
    box = _box(planes.y, letters, scale)
    return box if box.any() else _banner(planes, letters, scale)


def _box(luma: Plane, letters: Mask, scale: float) -> Mask:
    """The rectangle in which a line of letters stands, where it has straight edges on all sides or goes on beyond the patch."""
    box = np.zeros_like(letters)
    rows, columns = np.flatnonzero(letters.any(axis=1)), np.flatnonzero(letters.any(axis=0))
    reach, off = round(BOX * scale), round(OUTLINE * scale / 2)
    top, bottom = _edge(luma, rows[0] - off, -reach, columns), _edge(luma, rows[-1] + off, reach, columns)
    left, right = _edge(luma.T, columns[0] - off, -reach, rows), _edge(luma.T, columns[-1] + off, reach, rows)
    if top is None or bottom is None or np.sign(top[1]) == np.sign(bottom[1]):
        return box
    if (left or columns[0] < reach) and (right or columns[-1] >= luma.shape[1] - reach):
        box[top[0] : bottom[0] + 1, slice(left[0] if left else 0, right[0] + 1 if right else None)] = True
    return box


def _banner(planes: Planes, letters: Mask, scale: float) -> Mask:
    """The rows of a banner that goes across the patch behind a line of letters, as a lower third: from its uppermost straight
    edge above them to the lowest below them, or to the bottom of the patch."""
    edges = np.flatnonzero(have_steps(planes, planes.area)) + 1
    banner = np.zeros_like(letters)
    rows = np.flatnonzero(letters.any(axis=1))
    reach = round(BANNER * scale)
    above = edges[(edges < rows[0]) & (edges > rows[0] - reach)]
    below = edges[(edges > rows[-1]) & (edges < rows[-1] + reach)]
    if len(above):
        banner[above[0] : below[-1] + 2 if len(below) else None] = True
    return banner


def _edge(luma: Plane, start: int, reach: int, columns: npt.NDArray[np.intp]) -> tuple[int, float] | None:
    """Of the rows from `start` on, the one with the clearest straight edge along `columns`, and its step in levels."""
    low, high = sorted((start, start + reach))
    low, high = max(low, 1), min(high, len(luma) - 2)
    if high - low < 1:
        return None
    part = luma[low - 1 : high + 2, columns[0] : columns[-1] + 1].astype(np.float32)
    steps = (part[2:] - part[:-2]) / 2
    mean = steps.mean(axis=1)
    best = int(np.argmax(np.abs(mean)))
    along = np.sign(mean[best]) * steps[best] > STEP / 2
    return (low + best, float(mean[best])) if abs(mean[best]) > STEP and along.mean() > EVEN else None
