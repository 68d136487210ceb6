"""What is written over the picture - captions, names, watermarks - and stays where it is while the face moves.

Nothing on a face itself is as sharp: on every seventh of 50 frames of 30 clips, beards among them, skin away from mouth and
outline differs from what lies round it by 65 levels at most and has slopes of 34 levels a pixel (99.5 % of its pixels); under
captions of eleven kinds those are 79 to 219 and 37 to 114.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import NOSE_BASE
from enhance.geometry.planes import ALL, Plane, Planes, even, full_chroma, full_yuv, paint, put_back
from enhance.membrane import spread

from .expected import INNER_RING, JAW

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
LIKE_HEIGHT, LIKE_LUMA, LIKE_CHROMA = (0.5, 1.7), 30, 12
MARGIN = 0.05
"""S round the mouth and within the outline of the face, where it may be sharp by itself."""
BLACK = 80
"""Luma of black letters and of black outlines, at most."""
OUTLINE, OUTLINED = 0.06, 0.6
"""S that an outline is wide, at most, and share of a letter's border that has black within 2 pixels where it has one."""
BOX, STEP, EVEN = 0.2, 8, 0.85
"""S round a line of letters within which the edges of its box are sought, levels of luma a pixel that they have on the
average, and the least share of them that has half as many: a chin is not straight."""
BLUR = 1.0
"""Pixels: sigma of the edge between what stays and what moves."""
BESIDE = 0.035
"""S round letters that are taken off with them."""
MOST_OF_MOUTH = 0.2
"""Share of the mouth behind letters, from which the frame is left alone."""
OUTER_RING = (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146)

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Captions:
    """What is written over a patch, h x w over `area`, whose origin is even."""

    area: Area
    letters: Floats
    """0..1: how much of each pixel stays as it is."""
    beside: Floats
    """0..1: how much of each pixel is a letter's, its shadow's, or what a codec left of both round it."""
    behind: Floats
    """h x w x 3: Y, U, V of what lies round the letters, carried on behind them."""
    hides_mouth: bool
    """Whether too much of the mouth lies behind them for another one to be painted there."""

    def taken_off(self, planes: Planes) -> Planes:
        """The planes without the letters."""
        out = planes.copy()
        paint(out, self.behind, self.beside, self.area)
        return out

    def laid_back(self, out: Planes, mask: Plane, planes: Planes) -> None:
        """Puts the letters of `planes`, and what beside them has not moved, in front of what was rendered into `out`, and takes
        them out of its mask."""
        part = mask[self.area.slices]
        moved = np.where(self.beside > 0, part / np.float32(255), 1)
        kept = np.asarray(1 - (1 - self.letters) * moved, np.float32)
        put_back(out, planes, kept, self.area)
        part[...] = np.where(kept > ALL, 0, part)


def captions_over(planes: Planes, head: Array, pose: Pose) -> Captions | None:
    """What is written over the lower face or beside it; None where nothing is. head: 478 x 3 in head coordinates."""
    nose = max(0, int(pose.to_pixels(pose.to_plane(head[NOSE_BASE][None]))[0, 1]))
    below = planes.y[nose:]
    if (
        min(below.shape) < LEAST
        or np.count_nonzero(cv2.absdiff(below[:, 2:], below[:, :-2]) > 2 * SHARP) < SOME * pose.scale**2
    ):
        return None
    mouth, face = _mouth_and_face(planes.area, head, pose, nose)
    if not _may_be_written(below, mouth[nose:], face[nose:], pose.scale):
        return None
    between = _filled(planes.area, head[list(INNER_RING)], pose) > 0
    letters = _letters(planes, mouth, face, pose.scale) & ~between
    return _captions(planes, letters, head, pose) if letters.any() else None


def without_captions(planes: Planes, head: Array, pose: Pose) -> Planes:
    """The planes without what is written over them. head: 478 x 3 in head coordinates."""
    written = captions_over(planes, head, pose)
    return written.taken_off(planes) if written else planes


def _may_be_written(luma: Plane, mouth: Mask, face: Mask, scale: float) -> bool:
    """A quick look: whether the face has anything as sharp as letters, or a row of pixels as many strokes as some of them."""
    steps = cv2.subtract(luma[:, 2:], luma[:, :-2], dtype=cv2.CV_16S)
    rises, falls = ((sign * steps > 2 * SHARP) & ~mouth[:, 1:-1] for sign in (1, -1))
    if np.count_nonzero((rises | falls) & face[:, 1:-1]) > SOME * scale**2:
        return True
    strokes = [np.count_nonzero(edges[:, 1:] & ~edges[:, :-1], axis=1) for edges in (rises, falls)]
    return bool((np.minimum(*strokes) >= IN_A_ROW).any())


def _mouth_and_face(area: Area, head: Array, pose: Pose, nose: int) -> tuple[Mask, Mask]:
    """The pixels of the mouth, round it and above it, and those of the rest of the face below the nose (a row), well inside its
    outline."""
    reach = max(1, round(MARGIN * pose.scale))
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    mouth = cv2.dilate(_filled(area, head[list(OUTER_RING)], pose), kernel) > 0
    face = (cv2.erode(_filled(area, head[list(JAW)], pose), kernel) > 0) & ~mouth
    face[: nose + reach] = False
    mouth[: nose + reach] = True
    return mouth, face


def _filled(area: Area, ring: Array, pose: Pose) -> Plane:
    out = np.zeros((area.height, area.width), np.uint8)
    cv2.fillPoly(out, [np.round(pose.to_pixels(pose.to_plane(ring))).astype(np.int32)], (1,))
    return out


def _letters(planes: Planes, mouth: Mask, face: Mask, scale: float) -> Mask:
    """The pixels of letters, of their outlines and of the box in which they stand."""
    luma, side = planes.y, round(STROKE * scale) | 1
    kernel = np.ones((side, side), np.uint8)
    bright, dark = (cv2.morphologyEx(luma, kind, kernel) for kind in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT))
    slope = np.hypot(*(cv2.Sobel(luma, cv2.CV_32F, *axes, scale=1 / 8) for axes in ((1, 0), (0, 1))))
    sharp = _around(slope > SHARP, 1)
    written = np.zeros_like(mouth)
    # What lies between bright letters is darker than they are as well, but hardly ever black.
    for sign, ink, may_be in ((1, bright, luma > BLACK), (-1, dark, luma < BLACK)):
        pieces = _Pieces(luma, (ink > CLEAR) & may_be & ~mouth, sharp, face)
        found = pieces.rows(IN_A_ROW, scale)
        if sign > 0 and not found.any():
            word = pieces.rows(IN_A_WORD, scale, on_face=True)
            found = word if _outlined(luma, word) else found
        if found.any():
            written |= _box(luma, found, scale)
            # Others of the line are less clear, or touch what is as bright.
            like = sign * (luma - np.median(luma[found])) > -LIKE_LUMA
            for chroma in full_chroma(planes, planes.area):
                like &= np.abs(chroma - np.median(chroma[found])) < LIKE_CHROMA
            found |= found.any(axis=1)[:, None] & (ink > FAINT) & like
            written |= _with_outline(luma, found, scale)
    return written


class _Pieces:
    """Connected pixels that differ from what lies round them, each of which may be a letter."""

    def __init__(self, luma: Plane, ink: Mask, sharp: Mask, face: Mask) -> None:
        count, self.label, stats, centres = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)

        where = np.nonzero(ink)
        of = self.label[where]

        def sum_of(values: npt.NDArray[np.generic]) -> Array:
            return np.asarray(np.bincount(of, values[where].astype(np.float64), count), np.float64)

        self.size = np.maximum(stats[:, cv2.CC_STAT_AREA], 1)
        self.height, self.middle = stats[:, cv2.CC_STAT_HEIGHT], centres[:, 1]
        self.luma, self.sharp = sum_of(luma) / self.size, sum_of(sharp) / self.size
        self.on_face = sum_of(sharp & face)

    def rows(self, count: int, scale: float, on_face: bool = False) -> Mask:
        """The pixels of those that stand in a row of so many like letters."""
        high = self.height >= max(LEAST, HEIGHT[0] * scale)
        may_be = high & (self.height <= HEIGHT[1] * scale) & (self.sharp > SHARP_LETTER)
        may_be[0] = False
        chosen = np.zeros_like(may_be)
        for piece in np.flatnonzero(may_be):
            row = may_be & self._beside(piece)
            if np.count_nonzero(row) >= count and (not on_face or self.on_face[row].sum() > SOME * scale**2):
                chosen |= row
        return np.asarray(chosen[self.label])

    def _beside(self, piece: int) -> Mask:
        """Those of like height and luma in one line with a piece."""
        height = self.height / self.height[piece]
        like = (height > LIKE_HEIGHT[0]) & (height < LIKE_HEIGHT[1]) & (np.abs(self.luma - self.luma[piece]) < LIKE_LUMA)
        return np.asarray(like & (np.abs(self.middle - self.middle[piece]) < 0.5 * self.height[piece]))


def _around(mask: Mask, pixels: int) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((2 * pixels + 1, 2 * pixels + 1), np.uint8)) > 0)


def _outlined(luma: Plane, letters: Mask) -> bool:
    """Whether letters have a black line round them."""
    darkest = cv2.erode(luma, np.ones((3, 3), np.uint8))[_around(letters, 1) & ~letters]
    return darkest.size > 0 and float((darkest < BLACK).mean()) > OUTLINED


def _with_outline(luma: Plane, letters: Mask, scale: float) -> Mask:
    """The letters, and the black line round them where they have one."""
    outline = letters
    for _ in range(max(2, round(OUTLINE * scale)) if _outlined(luma, letters) else 0):
        outline = letters | _around(outline, 1) & (luma < BLACK)
    return outline


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


def _captions(planes: Planes, letters: Mask, head: Array, pose: Pose) -> Captions:
    rows, columns = np.flatnonzero(letters.any(axis=1)), np.flatnonzero(letters.any(axis=0))
    corners = np.array([[columns[0], rows[0]], [columns[-1] + 1, rows[-1] + 1]])
    reach = max(2, round(BESIDE * pose.scale))
    area = even(Area.around(corners, 2 * reach + 4), planes.area)
    share, beside = (_soft(_around(letters[area.slices], pixels)) for pixels in (1, reach))
    behind = spread(full_yuv(planes, area), beside < 1 - ALL)
    mouth = _filled(planes.area, head[list(OUTER_RING)], pose)
    hidden = float(share[mouth[area.slices] > 0].sum()) > MOST_OF_MOUTH * np.count_nonzero(mouth)
    return Captions(area, share, beside, behind, hidden)


def _soft(mask: Mask) -> Floats:
    return np.asarray(np.clip(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), BLUR), 0, 1), np.float32)
