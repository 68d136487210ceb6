"""The drawn eye at the mesh's: what differs from the skin there, without hair and glasses over it.

Geometry is in the head's axes: s to the right, t downwards, in pixels from the middle of the mesh's eye. A unit is S, the
distance of the outer eye corners.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.landmarks import LEFT_CHEEK, LEFT_LIDS, RIGHT_CHEEK, RIGHT_LIDS
from enhance.masks import widened
from enhance.picture import LUMA, Mask, Picture

from .eye_outline import OPEN
from .fringe import fringe

Eye = tuple[tuple[int, ...], tuple[int, ...]]

REACH = (0.24, 0.42)  # units round the mesh's eye, across and up or down, in which the drawn one lies
PROBE = 0.05  # units to each side of a point of a cheek
UNLIKE, UNLIKE_SHADED = 22.0, 44.0
"""Levels of 255, in any channel, by which an eye differs from skin; and where shade, grain and paper do so by less."""
TOUCHES = 0.03  # units round the mesh's eye: what touches this belongs to the drawn eye
CUTS = (0.03, 0.06, 0.11)
"""Units across what joins an eye to hair or glasses: the tip of a strand, the end of a lash line."""
HELD = 0.06  # of an eye's rim, at most, that hair or glasses hold: an outline that goes on to them is the eye's
WIDTHS, HEIGHTS = (0.05, 0.62), (0.07, 0.70)  # units of an eye that is open; it may be a dot
FILLED = 0.07  # units: height of an open eye, median of its columns; a shut one is a line
LINE, LINE_WIDTH, ONE_COLOUR = 0.06, 0.12, 0.6
"""Units: height of the columns of an eye that is drawn shut, at most, and its width, at least: lower and narrower ones may be
dots; and share of its pixels that have its colour: those at its edges do not."""
APART = 0.075  # units: gap between an eye and a lash line that does not touch it; brows are at 0.12
OVER = 0.8  # share of an eye's middle columns that its lash line covers
LIKE_SKIN = 35.0  # levels within which what is round an eye is skin in the same light
AT_EDGE = 0.15
"""Of an eye's height, in which its lash line begins, or which one that does not touch it comes down beside it."""


@dataclass(frozen=True)
class Ground:
    """The skin that an eye is told from. shaded: whether it gets darker evenly across the eye. least: levels by which they
    differ. under_hair: whether hair may lie over the eye."""

    colour: Floats  # RGB
    shaded: bool
    least: float
    under_hair: bool = False


@dataclass(frozen=True)
class DrawnEye:
    """A drawn eye. mask: h x w of `box`; over: what lies over it there. origin: x, y of the middle of the mesh's eye in it.
    s, t: of the mask's pixels."""

    box: tuple[slice, slice]
    mask: Mask
    over: Mask
    origin: Floats
    s: Floats
    t: Floats


def find_drawn_eye(picture: Picture, frame: HeadFrame, eye: Eye, ground: Ground) -> DrawnEye | None:
    """The drawn eye round the mesh's; None where it is shut, not separate from what is round it, or of no likely size."""
    unit = frame.unit
    along, down = axes(frame)
    gap = (frame.mesh[[eye[1][4], eye[0][4]], :2] @ down) @ [1, -1]
    window = _window(picture, frame, eye)
    if window is None or gap < OPEN * unit:
        return None
    box, points = window
    here = picture[box].astype(np.float32)
    seen = _filled(here - shade_over(here, ground.colour) if ground.shaded else here, points, ground, unit)
    if seen is None:
        return None
    mask, over = seen
    y, x = np.nonzero(mask)
    middle = points.mean(axis=0)
    places = np.stack([x, y], 1) - middle
    s, t = places @ along, places @ down
    width, height = np.ptp(s) / unit, np.ptp(t) / unit
    likely = WIDTHS[0] < width < WIDTHS[1] and HEIGHTS[0] < height < HEIGHTS[1]
    return DrawnEye(box, mask, over, middle, s, t) if likely else None


def are_drawn_shut(picture: Picture, frame: HeadFrame) -> bool:
    """Whether both eyes of a flat drawing are lines, as in a laugh. picture: h x w x 3 uint8 RGB."""
    return all(
        (skin := skin_colour(picture, frame, beside)) is not None and _is_line(picture, frame, eye, skin)
        for eye, beside in ((RIGHT_LIDS, RIGHT_CHEEK), (LEFT_LIDS, LEFT_CHEEK))
    )


def _is_line(picture: Picture, frame: HeadFrame, eye: Eye, skin: Floats) -> bool:
    """Whether all of a drawn eye is one line, straight or an arc. skin: RGB."""
    window = _window(picture, frame, eye)
    if window is None:
        return False
    box, points = window
    here = picture[box].astype(np.float32)
    seen = _unlike_skin(here, points, Ground(skin, False, UNLIKE), frame.unit)
    if seen is None:
        return False
    mask, _ = seen
    high, wide = mask.sum(axis=0).max() / frame.unit, np.ptp(np.nonzero(mask)[1]) / frame.unit
    like = np.abs(here[mask] - np.median(here[mask], axis=0)).max(axis=1) < LIKE_SKIN
    return bool(high <= LINE and wide >= LINE_WIDTH and like.mean() > ONE_COLOUR)


def skin_colour(picture: Picture, frame: HeadFrame, points: tuple[int, ...]) -> Floats | None:
    """RGB of the skin round points of the mesh; None where the picture does not show it. picture: h x w x 3 uint8 RGB."""
    # The middle in brightness of the three smoothest places: on others there may be hair, an eye or a blush.
    calm = sorted(_places(picture, frame, points), key=lambda each: each[0])[:3]
    return sorted((colour for _, colour in calm), key=lambda colour: float(colour @ LUMA))[len(calm) // 2] if calm else None


def _places(picture: Picture, frame: HeadFrame, points: tuple[int, ...]) -> list[tuple[float, Floats]]:
    """Roughness in grey levels and RGB of places round points of the mesh."""
    reach = max(4, round(PROBE * frame.unit))
    seen: list[tuple[float, Floats]] = []
    for x, y in np.round(frame.mesh[list(points), :2]).astype(int):
        part = picture[max(0, y - reach) : max(0, y + reach), max(0, x - reach) : max(0, x + reach)]
        if min(part.shape[:2]) < 4:
            continue
        grey = part @ LUMA
        rough = float(np.median(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), max(1.0, 0.02 * frame.unit)))))
        seen.append((rough, np.median(part.reshape(-1, 3), axis=0)))
    return seen


def _window(picture: Picture, frame: HeadFrame, eye: Eye) -> tuple[tuple[slice, slice], Floats] | None:
    """Where a drawn eye is looked for, and the mesh's eye (n x 2, pixels) in it; None where the picture has none of it."""
    points = frame.mesh[[*eye[0], *eye[1][::-1]], :2]
    middle = points.mean(axis=0)
    reach = np.array(REACH) * frame.unit + np.abs(points - middle).max(axis=0)
    low = np.maximum(np.floor(middle - reach), 0).astype(int)
    high = np.minimum(np.ceil(middle + reach) + 1, picture.shape[1::-1]).astype(int)
    return None if min(high - low) < 12 else ((slice(low[1], high[1]), slice(low[0], high[0])), points - low)


def axes(frame: HeadFrame) -> tuple[Floats, Floats]:
    """Unit vectors along both eyes and down. Of both, since the corners of the mesh's eye are not those of the drawn one."""
    left, right = (frame.mesh[[*eye[0], *eye[1]], :2].mean(axis=0) for eye in (RIGHT_LIDS, LEFT_LIDS))
    along = (right - left) / max(float(np.linalg.norm(right - left)), 1e-6)
    return along, np.array([-along[1], along[0]])


def _filled(here: Floats, mesh_eye: Floats, ground: Ground, unit: float) -> tuple[Mask, Mask] | None:
    """The pixels of the eye, filled, and of what lies over it; None where it touches the border of the window, or is shut."""
    seen = _unlike_skin(here, mesh_eye, ground, unit)
    if seen is None:
        return None
    found, over = seen
    y, x = np.nonzero(found)
    whole = np.zeros(found.shape, np.uint8)
    cv2.fillConvexPoly(whole, cv2.convexHull(np.stack([x, y], 1).astype(np.int32)), (1,))
    across = found.sum(axis=0)[x.min() : x.max() + 1]
    filled = float(np.median(across[len(across) // 5 : len(across) - len(across) // 5]))
    return ((whole > 0) & ~over, over) if filled > FILLED * unit else None


def _unlike_skin(here: Floats, mesh_eye: Floats, ground: Ground, unit: float) -> tuple[Mask, Mask] | None:
    """What differs from skin at the mesh's eye, and what lies between; and the hair over it. None where it touches hair that
    may not be there, or the window's border."""
    unlike = (np.abs(here - ground.colour).max(axis=2) > ground.least).astype(np.uint8)
    near = np.zeros(unlike.shape, np.uint8)
    cv2.fillPoly(near, [np.round(mesh_eye).astype(np.int32)], (1,))
    size = 2 * round(TOUCHES * unit) + 1
    near = np.asarray(cv2.dilate(near, np.ones((size, size), np.uint8)), np.uint8)
    over = fringe(here, unlike, ground.colour, unit) if ground.under_hair else np.zeros(unlike.shape, bool)
    unlike[over] = 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(unlike, connectivity=8)
    touching = np.unique(labels[(near > 0) & (labels > 0)])
    if not len(touching):
        return None
    found = np.isin(labels, touching)
    if _at_border(found):
        cut = (_cut_free(unlike, near, round(width * unit)) for width in CUTS)
        free = next((each for each in cut if each is not None), None)
        if free is None:
            return None
        found = free
    found |= _lash_apart(here @ LUMA, labels, found, float(ground.colour @ LUMA), APART * unit)
    y, x = np.nonzero(found)
    for label, (left, top, width, height, _) in enumerate(stats.tolist()):
        inside = left >= x.min() and left + width <= x.max() + 1 and top >= y.min() and top + height <= y.max() + 1
        if label and inside:
            found |= labels == label
    return found, over


def _cut_free(unlike: npt.NDArray[np.uint8], near: npt.NDArray[np.uint8], width: int) -> Mask | None:
    """The eye (what of `unlike` is at `near`) without what hangs on it by at most `width` pixels and goes on to the border of
    the window; None where it touches the border all the same, or its outline does."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width | 1, width | 1))
    _, labels = cv2.connectedComponents(cv2.morphologyEx(unlike, cv2.MORPH_OPEN, disc), connectivity=8)
    touching = labels[(near > 0) & (labels > 0)]
    if not len(touching):
        return None
    eye: Mask = labels == np.bincount(touching).argmax()
    if _at_border(eye):
        return None
    rim = widened(eye, 1) & ~eye
    _, rest = cv2.connectedComponents(((unlike > 0) & ~eye).astype(np.uint8), connectivity=8)
    held = 0
    for label in np.unique(rest[rim & (rest > 0)]):
        piece = rest == label
        if _at_border(piece):
            held += int((rim & piece).sum())
        else:
            eye = eye | piece  # such as the ends of its lash line
    return eye if held <= HELD * rim.sum() else None


def _at_border(mask: Mask) -> bool:
    return bool(mask[0].any() or mask[-1].any() or mask[:, [0, -1]].any())


def shade_over(here: Floats, skin: Floats) -> Floats:
    """How much lighter than `skin` each pixel of a window (h x w x 3) is by light that changes evenly across it."""
    height, width = here.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    terms = np.stack([np.ones_like(x), x / width, y / height], axis=-1)
    shade = np.zeros_like(here)
    for within in (LIKE_SKIN, LIKE_SKIN, UNLIKE, UNLIKE):
        known = np.abs(here - shade - skin).max(axis=2) < within
        if known.sum() < here.shape[0]:
            break
        fit = np.linalg.lstsq(terms[known], here[known] - skin, rcond=None)[0]
        shade = np.asarray(terms @ fit.astype(np.float32), np.float32)
    return shade


def _lash_apart(bright: Floats, labels: npt.NDArray[np.int32], eye: Mask, skin: float, most: float) -> Mask:
    """The lash line or outline of an eye with skin, or white as pale as skin, between the two; nothing where they touch.

    What is seen of such an eye begins with white, or is an iris: less wide than the line, whose ends come down beside it. A
    crease or a brow over a whole eye is no lash line. most: pixels between them.
    """
    columns = np.flatnonzero(eye.any(axis=0))
    wide = len(columns)
    columns = columns[wide // 5 : wide - wide // 5]
    tops = eye[:, columns].argmax(axis=0)
    begins_dark = np.median(bright[tops + 1, columns]) < skin - UNLIKE
    high = int(eye.any(axis=1).sum())
    above = np.arange(len(eye))[:, None] < tops
    best, nearest = np.zeros_like(eye), most
    for label in np.unique(labels[: int(tops.max()), columns]):
        line = labels == label
        over = line[:, columns] & above
        if label == 0 or eye[line].any() or line[0].any() or line[:, [0, -1]].any() or over.any(axis=0).mean() < OVER:
            continue
        gap = float(np.median(tops - (len(line) - np.argmax(over[::-1], axis=0))))
        rows, across = (np.flatnonzero(line.any(axis=axis)) for axis in (1, 0))
        round_iris = np.ptp(across) >= wide and rows[-1] > tops.min() + AT_EDGE * high
        if 0 <= gap < nearest and (round_iris or not begins_dark):
            best, nearest = line, gap
    return best
