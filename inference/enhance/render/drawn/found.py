"""A mouth that is drawn with ink, found in a frame.

Cel animation draws a closed mouth as a stroke and an open one as a filled outline; there is no flesh of lips. What differs
from the skin above and below it is the mouth.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import CHIN, LEFT_CHEEK, LEFT_CORNER, LOWER_LIP, NOSE_BASE, RIGHT_CHEEK, RIGHT_CORNER, UPPER_LIP
from enhance.geometry.planes import Planes
from enhance.picture import Mask

from .nose_line import without_nose_line
from .parts import FAINTEST, TEETH, TO_WHITE, Beside, filled, joined, light_parts, parts_below

Boxes = dict[int, tuple[int, int, int, int]]
"""Left, top, right and bottom of components, by their labels."""
FINEST = 320.0  # samples to an S, at most
REACH = 0.24  # S between the mesh's mouth and the drawn one
NEAR = 0.07  # S between them that is much
ABOVE, BELOW = 0.26, 0.46  # S of the window round the mesh's mouth
ABOVE_SMALL = 0.32  # the same for a small mouth
HIGHEST = 0.36  # S: of an open mouth
LIGHTER = 70.0  # percent of places on cheeks that are not lighter
INK = 0.3  # of the darkest, where ink begins
USUAL, WIDE = (0.62, 0.05, 1.0), (0.85, 1.0, 1.4)
"""S of the window to either side, and the widths of a mouth. S is short where the eyes of a cartoon are close together."""
STROKE = 0.065  # S: what is not higher, column by column, is the stroke of a closed mouth
MOUSTACHE, MOUTH_BELOW, NEXT = 0.04, 0.6, 0.15
"""S, the mean thickness of a moustache at least; of its width, the mouth under it at least; and S between the two at most."""
PIECES = (0.07, 0.03)  # S across and down between the pieces of one stroke
GAP, HIGHER = 0.1, 3.0
"""S across a gap in the line round a mouth, at most; and the mouth's height beside it, in heights of what the gap leaves."""
PIECE = 0.035  # S across: less is a dot of a tone
LIKE_MESH, ASIDE_OF_MESH = (0.7, 1.35), 0.065
"""Widths of the mesh's mouth that the drawn one has, and S between the middles of the two: elsewhere it may be a fold."""

BESIDE_MOUTH, PATCH_OF_BEARD, BEARD_DARK = 0.1, 0.03, 0.65
"""S from the corners where a beard is looked for; half the side in S of what is looked at there; and of the
cheeks' luma that a beard has at most."""
RED, RED_LINE, ROUND_LINE = 2.0, 0.05, 0.3
"""Levels of luma that a V code counts by which a line is redder than skin; S that such a line is thick, at most: lips are
thicker; and S round the mouth in which most is skin."""
DARK_GROUND, LIGHT_LINE = 100.0, 80.0
"""Luma of the ground at most, and levels by which lines on it are lighter at least, to be chalk's on a blackboard."""
SMALL_WIDE, SMALL_HIGH, OFF_MIDDLE = 0.25, 0.1, 0.12
"""S across and down of a small mouth at most, and from its middle to that of the mesh's, across."""
DOT_WIDE, DOT_RIM, ONE_TONE = 0.1, 0.015, 0.85
"""S across a dot at most, and of its edge; and of its darkest, what it has inside at least."""
ALONE, MOST_INK = 0.08, 0.7  # S round a small mouth; and of the ink within, what it takes at least
WHITER = 4.0  # grey levels by which teeth are lighter than light skin, at least
LEAST_TEETH, WHITE = 0.15, 15.0  # of a mouth in a beard that its teeth take, at least; and chroma codes that they have, at most


@dataclass(frozen=True)
class Drawn:
    """The drawn mouth of one frame, on a raster in plane coordinates that is `finer` samples to an S."""

    origin: Array
    finer: float
    lit: Floats
    """Luma as if nothing were drawn on the skin."""
    dark: Floats
    """How much darker it is."""
    whole: Mask
    """The mouth with all that it encloses."""
    columns: slice
    top: Array
    bottom: Array
    """Of the mouth in each of the columns, in rows."""
    red: bool = False
    """Whether `dark` is how much redder than skin it is, times RED."""
    light: bool = False
    """Whether it is drawn with light lines on dark ground: `lit` and `dark` are of the negative."""

    @property
    def open(self) -> float:
        """Height in S, that of a stroke when closed."""
        count = len(self.top)
        middle = slice(count // 5, count - count // 5)
        return float(np.median((self.bottom - self.top)[middle])) / self.finer

    @property
    def width(self) -> float:
        """In S."""
        return len(self.top) / self.finer

    @cached_property
    def shut(self) -> bool:
        """Whether it is a stroke, or a dot of one tone."""
        if self.open < STROKE:
            return True
        if self.width > DOT_WIDE or self.open > SMALL_HIGH:
            return False
        core = cv2.erode(self.whole.astype(np.uint8), np.ones((2 * round(DOT_RIM * self.finer) + 1,) * 2, np.uint8)) > 0
        return bool(core.any() and np.median(self.dark[core]) > ONE_TONE * self.darkest)

    @property
    def ends(self) -> Array:
        """2 x 2, plane coordinates: the corners, left and right."""
        middles = (self.top + self.bottom) / 2
        y = [middles[:2].mean(), middles[-2:].mean()]
        return self.place(np.array([[self.columns.start, y[0]], [self.columns.stop, y[1]]]))

    @cached_property
    def luma(self) -> Floats:
        """As the frame has it."""
        return self.lit - self.dark

    @cached_property
    def ink(self) -> float:
        """How much darker than skin lines are, at least: half way from what they enclose to the darkest."""
        return float(np.percentile(self.dark[self.whole], (50, 95)).mean())

    @cached_property
    def darkest(self) -> float:
        """How much darker than skin its darkest tenth is, at least."""
        return float(np.percentile(self.dark[self.whole], 90))

    @cached_property
    def of_teeth(self) -> bool:
        """Whether nothing of it is dark: white teeth without a line."""
        return float(np.percentile(self.dark[self.whole], 95)) < FAINTEST

    def place(self, at: Array) -> Array:
        """Plane coordinates of columns and rows, pixel edges counted."""
        return np.asarray(self.origin + (at - 0.5) / self.finer)

    def covers(self, pose: Pose, area: Area) -> Floats:
        """How much the mouth covers each pixel of an area, 0..1."""
        return self.on_pixels(self.whole, pose, area)

    def on_pixels(self, mask: Mask, pose: Pose, area: Area) -> Floats:
        """How much of each pixel of an area a mask on the raster covers, 0..1."""
        at = (pose.plane_of(area) - self.origin) * self.finer
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        return np.asarray(cv2.remap(mask.astype(np.float32), x, y, cv2.INTER_LINEAR), np.float32)


def find(
    planes: Planes, head: Array, pose: Pose, *, white: bool = False, shaded: bool = False, no_darker: bool = False
) -> Drawn | None:
    """The drawn mouth nearest to the mesh's; None where nothing of a mouth's size stands out from the skin.

    white: also a mouth of nothing but teeth, without a line, where the mesh has a mouth and nothing is dark; and one that shows
    teeth in a dark beard.
    shaded: with teeth and a tongue that are told by the skin round the mouth alone, as where the face is shaded.
    no_darker: also a closed mouth that is a line redder than the skin and as light, where nothing is dark; and one in light
    lines on dark ground, as of chalk.
    """
    skin = _skin(planes, head, pose)
    beard = _beard(planes, head, pose, skin) if white else None
    if beard is not None:
        within = _find(planes, head, pose, beard, white=True, shaded=True, shut=False)
        if within is not None and is_there(within, head, pose) and _shows_teeth(within, planes, pose, skin):
            return within
    usual = _find(planes, head, pose, skin, white=white, shaded=shaded)
    usual = usual or _find(planes, head, pose, skin, white=white, shaded=shaded, sizes=WIDE)
    usual = usual or _find(planes, head, pose, skin, white=white, shaded=shaded, hangs=True)
    usual = usual or _find_high(planes, head, pose, skin, shaded=shaded)
    if not no_darker:
        return usual
    usual = usual or _find(planes, head, pose, skin, white=False, shaded=shaded, skin_above=True)
    usual = usual or _find_small(planes, head, pose, skin)
    light = _find_light(planes, head, pose, skin) if usual is None or usual.of_teeth else None
    return light or usual or _find_red(planes, head, pose, skin)


def _find_high(planes: Planes, head: Array, pose: Pose, skin: float, *, shaded: bool) -> Drawn | None:
    """A wide open mouth that reaches above where the mesh has the base of the nose: that of a shout, on a nose drawn higher."""
    drawn = _find(planes, head, pose, skin, white=False, shaded=shaded, high=True)
    if drawn is None or drawn.open < STROKE:
        return None
    column, row = np.round((_middle(head, pose) - drawn.origin) * drawn.finer).astype(int)
    return drawn if drawn.whole[row, column] and is_there(drawn, head, pose) else None


def _find_small(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """A closed mouth that is a dot or a short line, as of chibi and mascots: alone, and in the middle of the face.

    The mesh has it lower and several times as wide, and may have the nose there.
    """
    drawn = _find(planes, head, pose, skin, white=False, shaded=False, small=True)
    drawn = drawn or _find(planes, head, pose, skin, white=False, shaded=False, small=True, high=True)
    if drawn is None or drawn.open > SMALL_HIGH or drawn.width > SMALL_WIDE:
        return None
    middle = drawn.ends.mean(axis=0)
    if abs(middle[0] - _middle(head, pose)[0]) > OFF_MIDDLE:
        return None
    reach = 2 * round(ALONE * drawn.finer) + 1
    near = cv2.dilate(drawn.whole.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    ink = near & (drawn.dark > INK * drawn.darkest)
    return drawn if (ink & drawn.whole).sum() > MOST_INK * ink.sum() else None


def _find_red(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """The line of a closed mouth that only its redness tells from skin (luma); its `luma` and `dark` stand for that."""
    middle = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]]).mean(axis=0)
    size = (max(1, round(2 * ROUND_LINE * pose.scale)),) * 2
    tint = float(np.median(raster(planes.v, 2, pose, middle - ROUND_LINE, pose.scale, size)))
    redder = cv2.resize(planes.v, planes.y.shape[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32) - tint
    y = np.clip(np.minimum(planes.y, skin) - RED * np.maximum(redder, 0), 0, 255).astype(np.uint8)
    drawn = _find(replace(planes, y=y), head, pose, skin, white=False, shaded=False)
    if drawn is None or drawn.open > RED_LINE or not is_there(drawn, head, pose):
        return None
    return replace(drawn, red=True)


def _find_light(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """A mouth in lines much lighter than the ground (luma), as of chalk on a blackboard: its `luma` is that of the negative."""
    if skin > DARK_GROUND:
        return None
    negative = replace(planes, y=np.asarray(255 - planes.y, np.uint8))
    drawn = _find(negative, head, pose, 255 - skin, white=False, shaded=False)
    if drawn is None or not is_there(drawn, head, pose):
        return None
    within, lines = np.percentile(drawn.dark[drawn.whole], (50, 95))
    if lines < LIGHT_LINE or (drawn.open >= STROKE and within > INK * lines):
        return None
    return replace(drawn, light=True)


def _find(
    planes: Planes,
    head: Array,
    pose: Pose,
    skin: float,
    *,
    white: bool,
    shaded: bool,
    shut: bool = True,
    sizes: tuple[float, float, float] = USUAL,
    hangs: bool = False,
    high: bool = False,
    skin_above: bool = False,
    small: bool = False,
) -> Drawn | None:
    """As find(), on skin or a beard of that luma. shut: whether the mouth may be a closed one. sizes: as USUAL.

    hangs: only a mouth that hangs from a nose on a line, whose ends may be as high as the mesh has the nose.
    high: the mouth may reach above the mesh's nose.
    skin_above: skin is taken to go on above the window. Otherwise, between teeth and the upper border, their light counts as
    the skin's, and darker skin there as ink.
    small: what is dark may take less of the skin near the mesh's mouth than a line does, or lie above it.
    """
    middle = _middle(head, pose)
    finer = min(pose.scale, FINEST)
    nose = float(pose.to_plane(head[NOSE_BASE])[1])
    aside, *widths = sizes
    highest = middle[1] - (ABOVE_SMALL if small else ABOVE)
    origin = np.array([middle[0] - aside, highest if hangs or high else max(highest, nose)])
    size = round(2 * aside * finer), max(8, round((middle[1] + BELOW - origin[1]) * finer))
    luma = raster(planes.y, 1, pose, origin, finer, size)
    # Teeth are lighter than the skin, and would lift it round the mouth: on dark skin above all that is drawn there.
    lighter = (1 + TEETH) * skin
    height = round(HIGHEST * finer)
    above = height if skin_above else 0
    lit = np.minimum(_closed(np.concatenate([np.repeat(luma[:1], above, axis=0), luma]), height)[above:], lighter)
    dark = np.asarray(lit - luma, np.float32)
    at = np.round((middle - origin) * finer).astype(int)
    lowest = float(pose.to_plane(head[[LOWER_LIP, CHIN]])[:, 1].mean() - origin[1]) * finer
    span = round(0.2 * finer)
    near = dark[0 if small else max(0, at[1] - span) : at[1] + span, max(0, at[0] - span) : at[0] + span]
    strongest = float(np.percentile(near, 99.7 if small else 98)) if near.size else 0.0
    teeth_from, ink = skin + TO_WHITE * (255 - skin), (dark > INK * strongest).astype(np.uint8)
    if strongest >= FAINTEST:
        loose = without_nose_line(ink, int(at[1]), finer)
        which = None if hangs and loose is ink else _pieces(loose, at, finer, widths, lowest)
    elif white and not hangs:
        which = _pieces((luma > teeth_from).astype(np.uint8), at, finer, widths, lowest)
    else:
        which = None
    if which is None:
        return None
    whole = filled(which)
    light = light_parts(luma > lighter, whole)
    if light.any():
        whole = joined(whole, light)
    if strongest >= FAINTEST:
        whole = _with_dark_at_teeth(whole, luma > max(skin + WHITER, teeth_from), ink > 0, finer)
    # A closed mouth shows neither teeth nor a tongue, and may have light and shade of lips beside it.
    if shaded and (not shut or whole.sum() > STROKE * finer * np.count_nonzero(whole.any(axis=0))):
        uv = (raster(plane, 2, pose, origin, finer, size) for plane in (planes.u, planes.v))
        beside = Beside.of((luma, *uv), whole, dark, finer)
        whole = joined(whole, light_parts(beside.teeth, whole))
        whole = joined(whole, parts_below(beside, whole, INK * strongest))
    columns = np.flatnonzero(whole.any(axis=0))
    span_of = slice(int(columns[0]), int(columns[-1]) + 1)
    every = np.arange(span_of.start, span_of.stop)
    top = np.interp(every, columns, whole[:, columns].argmax(axis=0))
    bottom = np.interp(every, columns, len(whole) - whole[::-1, columns].argmax(axis=0))
    top, bottom = _without_gaps(top, bottom, finer)
    rows = np.arange(len(whole))[:, None]
    whole[:, span_of] |= (rows >= top.round()) & (rows < bottom.round())
    drawn = Drawn(origin, finer, lit, dark, whole > 0, span_of, top, bottom)
    if strongest >= FAINTEST:
        return drawn
    # Of light lines on dark skin, most of what they enclose is dark.
    return drawn if np.median(luma[drawn.whole]) > teeth_from and is_there(drawn, head, pose) else None


def _middle(head: Array, pose: Pose) -> Array:
    """Of the mesh's mouth, plane coordinates."""
    return np.asarray(pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER, UPPER_LIP, LOWER_LIP]]).mean(axis=0))


def _beard(planes: Planes, head: Array, pose: Pose, skin: float) -> float | None:
    """The luma of a beard that is dark on both sides of the mesh's mouth; None where there is none."""
    places = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]]) + BESIDE_MOUTH * np.array([[-1, 0], [1, 0]])
    reach = PATCH_OF_BEARD * np.array([1, 1])
    size = (max(1, round(2 * PATCH_OF_BEARD * pose.scale)),) * 2
    seen = [float(np.median(raster(planes.y, 1, pose, place - reach, pose.scale, size))) for place in places]
    return sum(seen) / 2 if max(seen) < BEARD_DARK * skin else None


def _shows_teeth(drawn: Drawn, planes: Planes, pose: Pose, skin: float) -> bool:
    """Whether what is light in a mouth in a beard is white: as light as the skin (luma) at least, and of little colour."""
    light = drawn.whole & (drawn.luma > skin)
    if light.sum() < LEAST_TEETH * drawn.whole.sum():
        return False
    size = light.shape[1], light.shape[0]
    u, v = (raster(plane, 2, pose, drawn.origin, drawn.finer, size)[light] for plane in (planes.u, planes.v))
    return bool(np.hypot(np.median(u) - 128, np.median(v) - 128) < WHITE)


def is_there(drawn: Drawn, head: Array, pose: Pose) -> bool:
    """Whether the mouth is where the mesh (478 x 3, head coordinates) has it, and about as wide."""
    ends, corners = drawn.ends, pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    width = float(np.linalg.norm(ends[1] - ends[0])) / max(float(np.linalg.norm(corners[1] - corners[0])), 1e-6)
    return LIKE_MESH[0] <= width <= LIKE_MESH[1] and bool(np.linalg.norm((ends - corners).mean(axis=0)) < ASIDE_OF_MESH)


def raster(
    plane: npt.NDArray[np.uint8], coarser: int, pose: Pose, origin: Array, finer: float, size: tuple[int, int]
) -> Floats:
    """A plane at the raster's samples, columns x rows. coarser: luma pixels to one of its samples."""
    x = origin[0] + np.arange(size[0]) / finer
    y = origin[1] + np.arange(size[1]) / finer
    at = pose.to_pixels(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(size[1], size[0], 2)
    at = ((at - (coarser - 1) / 2) / coarser).astype(np.float32)
    step = pose.scale / finer / coarser
    source = plane if step <= 1.2 else cv2.GaussianBlur(plane, (0, 0), 0.4 * step)
    seen = cv2.remap(source, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32)


def _skin(planes: Planes, head: Array, pose: Pose) -> float:
    """Luma of the cheeks; of the lighter one, where one lies in shade."""
    at = np.round(pose.to_pixels(pose.to_plane(head[[*RIGHT_CHEEK, *LEFT_CHEEK]]))).astype(int)
    x, y = np.clip(at, 0, [planes.y.shape[1] - 1, planes.y.shape[0] - 1]).T
    return float(np.percentile(planes.y[y, x], LIGHTER))


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


def _pieces(
    ink: npt.NDArray[np.uint8], at: Array, finer: float, widths: list[float], lowest: float
) -> npt.NDArray[np.uint8] | None:
    """The component that is the mouth, with those that continue it on its sides. widths: S, from and to. lowest: the row from
    which a line is the chin's."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    rows, columns = ink.shape
    inside: Boxes = {}
    best, which = 0.0, 0
    for label, (x, y, width, height, _) in enumerate(stats.tolist()):
        if label == 0 or x == 0 or y == 0 or x + width == columns or y + height == rows:
            continue
        inside[label] = (x, y, x + width, y + height)
        away = np.hypot(_gap(x, x + width, at[0]), _gap(y, y + height, at[1])) / finer
        if width > USUAL[2] * finer:
            # It may be the outline of a jaw, round the mouth: the middle of it counts.
            away = np.abs(np.flatnonzero(labels[:, at[0]] == label) - at[1]).min(initial=rows) / finer
        if widths[0] * finer <= width <= widths[1] * finer and away < REACH:
            worth = np.sqrt(width) * np.exp(-((away / NEAR) ** 2))
            best, which = max((best, which), (float(worth), label))
    if not which:
        return None
    found = {_under_moustache(which, inside, stats[:, cv2.CC_STAT_AREA], finer, lowest)}
    for _ in range(3):
        boxes = [inside[label] for label in found]
        left, top, right, bottom = (f(box[i] for box in boxes) for i, f in enumerate((min, min, max, max)))
        across, down = (reach * finer for reach in PIECES)
        for label, (x1, y1, x2, y2) in inside.items():
            beside = x1 - across < right and x2 + across > left and (x1 > right - across or x2 < left + across)
            if beside and y1 > top - down and y2 < bottom + down and x2 - x1 > PIECE * finer:
                found.add(label)
    return np.isin(labels, list(found)).astype(np.uint8)


def _under_moustache(which: int, inside: Boxes, areas: npt.NDArray[Any], finer: float, lowest: float) -> int:
    """The stroke of a mouth under `which`, above row `lowest`, where that is as heavy as only a moustache is; else `which`.

    Under an open mouth the line of the chin may lie as near.
    """
    left, _, right, bottom = inside[which]
    heavy = float(areas[which]) / (right - left)
    if heavy < MOUSTACHE * finer:
        return which
    for label, (x1, y1, x2, y2) in inside.items():
        thin = y2 - y1 < STROKE * finer and float(areas[label]) / (x2 - x1) < 0.5 * heavy
        wide = MOUTH_BELOW * (right - left) < x2 - x1 and x1 < (left + right) / 2 < x2
        if thin and wide and y2 < lowest and 0 <= y1 - bottom < NEXT * finer:
            return label
    return which


def _with_dark_at_teeth(whole: npt.NDArray[np.uint8], white: Mask, ink: Mask, finer: float) -> npt.NDArray[np.uint8]:
    """The mouth with what is dark below its teeth where only the line over them was found, or that line where only the dark
    was; and without a moustache over them.

    At the sides of such teeth there is no line. white: what is clearly lighter than skin. ink: what is as dark as lines.
    """
    teeth = light_parts(white & (whole == 0), whole) | (whole & white)
    more = light_parts(ink & (whole == 0), teeth) if teeth.any() else teeth
    if not more.any():
        return whole
    wide = np.count_nonzero(whole.any(axis=0))
    if whole.sum() >= STROKE * finer * wide:
        if np.argwhere(whole)[:, 0].mean() < np.argwhere(teeth)[:, 0].min():
            return joined(teeth & ~whole, more)
        if more.sum() >= STROKE * finer * wide:
            return whole
    return joined(joined(whole, teeth), more)


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


def _gap(start: int, end: int, at: int) -> int:
    return max(start - at, at - end, 0)
