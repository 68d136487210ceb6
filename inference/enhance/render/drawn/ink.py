"""A mouth that is drawn with ink: found in a frame, and measured once for a clip.

Cel animation draws a closed mouth as a stroke and an open one as a filled outline; there is no flesh of lips. What differs
from the skin above and below it is the mouth.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.landmarks import CHIN, LEFT_CHEEK, LEFT_CORNER, LOWER_LIP, NOSE_BASE, RIGHT_CHEEK, RIGHT_CORNER, UPPER_LIP
from enhance.geometry.planes import Colours, Planes, to_rgb
from enhance.picture import LUMA
from enhance.record import Shape

Mask = npt.NDArray[np.bool_]
Boxes = dict[int, tuple[int, int, int, int]]
"""Left, top, right and bottom of components, by their labels."""

FINEST = 320.0  # samples to an S, at most
REACH = 0.24  # S between the mesh's mouth and the drawn one
NEAR = 0.07  # S between them that is much
ASIDE, ABOVE, BELOW = 0.62, 0.26, 0.46  # S of the window round the mesh's mouth
HIGHEST = 0.36  # S: of an open mouth
LIGHTER = 70.0  # percent of places on cheeks that are not lighter
FAINTEST = 24.0  # grey levels that ink is darker than skin, at least
INK = 0.3  # of the darkest, where ink begins
WIDTHS = (0.05, 1.0)  # S
EVEN, ROUGHEST = 0.4, 0.5  # skin in flat drawings: 0.0-0.4, in photographs, paintings and shaded illustrations: 0.6-4
STROKE = 0.065  # S: what is not higher, column by column, is the stroke of a closed mouth
MOUSTACHE, MOUTH_BELOW, NEXT = 0.04, 0.6, 0.15
"""S, the mean thickness of a moustache at least; of its width, the mouth under it at least; and S between the two at most."""
PIECES = (0.07, 0.03)  # S across and down between the pieces of one stroke
GRIN, ROUND = (0.11, 0.27), (-0.35, -0.1)
"""Of its height, by which an open mouth's stroke bends when shut: of a round one, and of one with a straight upper edge, which
smiles. Between them, how far that edge lies below its ends, of the height."""
GAP, HIGHER = 0.1, 3.0
"""S across a gap in the line round a mouth, at most; and the mouth's height beside it, in heights of what the gap leaves."""
NEXT_INK = 0.05  # S below a mouth, from which ink is the chin's outline, or the line under a lip
LIP_SHADE, SHORTEST = 0.2, 0.2  # S below a mouth, at most, where that line begins; and of the mouth's width, at least
PIECE = 0.035  # S across: less is a dot of a tone
OUTLINE = 0.035  # S from the rim of an inked mouth in which it is about as dark as anywhere
AS_DARK = 0.75
LIKE_MESH, ASIDE_OF_MESH = (0.7, 1.35), 0.065
"""Widths of the mesh's mouth that the drawn one has, and S between the middles of the two: elsewhere it may be a fold."""
INKED, INKED_ROUND = 0.6, (0.45, 0.575)
"""Of the mouth's dark, a line at its rim at least; and the share of the rim that is one: of the upper and lower at least, and
of both."""
USUAL_STROKE = 0.018  # S
WITHIN = 0.85  # of how dark a line is that what it encloses has at most, to be told from it
SAMPLES = 65
SHARP, SOFTEST = 0.75, 4.0  # samples: sigma of an edge that was drawn sharply, and of one that is a passage
BUMP = 9  # of the samples
THICKER = 1.5  # than usual that a stroke may become
ALONG = np.linspace(-1, 1, SAMPLES)
APART = 0.78  # of a light stroke's luma that the mouth's fill has at most
TEETH, TO_WHITE = 0.08, 0.35  # of the skin's luma that teeth are lighter, and of the way from light skin to white
BARE = 0.6  # of the columns of teeth or a tongue without an outline, in which they touch the dark of the mouth, at least
AREA = 0.05  # S across, from which what is dark in an open mouth is no line
DEEPEST = 10.0  # percent of an open mouth that are as dark as it gets, at least
TONGUE = 0.18  # of the darkest, by which a tongue is lighter than the dark round it
WHITE = 0.9  # of the lightest of a mouth, that is white with it
SEEN_WHITE = 0.2  # of an open mouth, from which it shows teeth
IN_SHADE, PALE = 0.3, 0.7  # of the darkest of a mouth, and of the skin's chroma, that teeth in shade have at most
PINK = 153.0  # Cr from which what is lighter than skin is no tooth
GREY = 10.0  # chroma codes that hardly anything in a picture without colour reaches


@dataclass(frozen=True)
class Ink:
    """The drawn mouth of a subject, closed. Lengths in S, places in plane coordinates, colours RGB 0..255."""

    ends: Annotated[Array, Shape(2, 2)]
    """The corners, left and right."""
    seat: Annotated[Array, Shape(2)]
    """The middle between them as Drawn.ends has them, by which other frames are compared."""
    bow: Annotated[Array, Shape(SAMPLES)]
    """How far the stroke lies below the line between its ends."""
    thick: Annotated[Array, Shape(SAMPLES)]
    """Of the stroke, 0 in its gaps."""
    wide: float
    """Width of the mesh's mouth in the same frame, by which targets are measured."""
    soft: float
    """Sigma of the drawing's edges, less that of an edge that was drawn sharply."""
    room: float
    """From the mouth down to the chin's outline."""
    teeth: bool
    """Whether the frame shows teeth."""
    stroke: Annotated[Array, Shape(3)]
    fill: Annotated[Array, Shape(3)]
    tongue: Annotated[Array, Shape(3)]
    tooth: Annotated[Array, Shape(3)]

    @property
    def width(self) -> float:
        """Between the corners."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))


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

    @property
    def open(self) -> float:
        """Height in S, that of a stroke when closed."""
        count = len(self.top)
        middle = slice(count // 5, count - count // 5)
        return float(np.median((self.bottom - self.top)[middle])) / self.finer

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


def find(planes: Planes, head: Array, pose: Pose, *, white: bool = False) -> Drawn | None:
    """The drawn mouth nearest to the mesh's; None where nothing of a mouth's size stands out from the skin.

    white: also a mouth of nothing but teeth, without a line, where the mesh has a mouth and nothing is dark.
    """
    middle = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER, UPPER_LIP, LOWER_LIP]]).mean(axis=0)
    finer = min(pose.scale, FINEST)
    nose = float(pose.to_plane(head[NOSE_BASE])[1])
    origin = np.array([middle[0] - ASIDE, max(middle[1] - ABOVE, nose)])
    size = round(2 * ASIDE * finer), max(8, round((middle[1] + BELOW - origin[1]) * finer))
    luma = _raster(planes.y, 1, pose, origin, finer, size)
    # Teeth are lighter than the skin, and would lift it round the mouth: on dark skin above all that is drawn there.
    skin = _skin(planes, head, pose)
    lighter = (1 + TEETH) * skin
    lit = np.minimum(_closed(luma, round(HIGHEST * finer)), lighter)
    dark = np.asarray(lit - luma, np.float32)
    at = np.round((middle - origin) * finer).astype(int)
    span = round(0.2 * finer)
    near = dark[max(0, at[1] - span) : at[1] + span, max(0, at[0] - span) : at[0] + span]
    strongest = float(np.percentile(near, 98)) if near.size else 0.0
    if strongest >= FAINTEST:
        which = _pieces((dark > INK * strongest).astype(np.uint8), at, finer)
    elif white:
        which = _pieces((luma > skin + TO_WHITE * (255 - skin)).astype(np.uint8), at, finer)
    else:
        which = None
    if which is None:
        return None
    whole = _filled(which)
    light = _light_parts(luma > lighter, whole)
    if light.any():
        # Between the two lies a row that is neither.
        both: Any = cv2.morphologyEx(whole | light, cv2.MORPH_CLOSE, np.ones((5, 3), np.uint8))
        whole = _filled(both)
    columns = np.flatnonzero(whole.any(axis=0))
    span_of = slice(int(columns[0]), int(columns[-1]) + 1)
    every = np.arange(span_of.start, span_of.stop)
    top = np.interp(every, columns, whole[:, columns].argmax(axis=0))
    bottom = np.interp(every, columns, len(whole) - whole[::-1, columns].argmax(axis=0))
    top, bottom = _without_gaps(top, bottom, finer)
    rows = np.arange(len(whole))[:, None]
    whole[:, span_of] |= (rows >= top.round()) & (rows < bottom.round())
    drawn = Drawn(origin, finer, lit, dark, whole > 0, span_of, top, bottom)
    return drawn if strongest >= FAINTEST or is_there(drawn, head, pose) else None


def ink_of(planes: Planes, colours: Colours, head: Array, pose: Pose, *, outlined: bool = False) -> Ink | None:
    """The subject's drawn mouth from one frame; None where the mouth has lips, or there is none that can be read.

    outlined: whether the face is drawn in outline (outlines.py). Its skin may be painted.
    """
    drawn = find(planes, head, pose, white=True)
    if drawn is None:
        return None
    rough, outlined = roughness(drawn), outlined and is_there(drawn, head, pose)
    if rough > ROUGHEST and not outlined:
        return None
    # Where the skin is painted, so is what the line of a mouth encloses: what is pale at its rim need not be lips.
    if _has_lips(drawn) and not (rough > EVEN and outlined and inked_round(drawn)):
        return None
    if drawn.open < STROKE:
        ends, bow, thick = _stroke(drawn)
    else:
        ends, bow, thick = _closed_mouth(drawn)
    chin = float(pose.to_plane(head[CHIN])[1]) - float(ends[:, 1].mean())
    colour = _Palette(planes, colours, pose, drawn)
    return Ink(
        ends=ends,
        seat=drawn.ends.mean(axis=0),
        bow=bow,
        thick=thick,
        wide=float(np.linalg.norm(head[LEFT_CORNER] - head[RIGHT_CORNER])),
        soft=_softness(drawn),
        room=float(min(max(chin, 0.05), _outline_below(drawn))),
        teeth=colour.teeth,
        stroke=colour.stroke,
        fill=colour.fill,
        tongue=colour.tongue,
        tooth=colour.tooth,
    )


def tooth_drawn(skin: Array) -> Array:
    """RGB of drawn teeth on a skin (RGB): white, hardly less so on dark skin; but not in the dark."""
    light = float(LUMA @ skin)
    return np.asarray(0.12 * skin + 0.88 * float(np.clip(1.25 * light + 20, min(205, 2.4 * light + 20), 255)))


def _raster(
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
    """Without what is dark and lower than `height`: ink goes, light and shade of the skin stay."""
    kernel = np.ones((2 * (height // 2) + 1, 1), np.uint8)
    return np.asarray(cv2.morphologyEx(luma, cv2.MORPH_CLOSE, kernel), np.float32)


def _pieces(ink: npt.NDArray[np.uint8], at: Array, finer: float) -> npt.NDArray[np.uint8] | None:
    """The component that is the mouth, with those that continue it on its sides."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    rows, columns = ink.shape
    inside: Boxes = {}
    best, which = 0.0, 0
    for label, (x, y, width, height, _) in enumerate(stats.tolist()):
        if label == 0 or x == 0 or y == 0 or x + width == columns or y + height == rows:
            continue
        inside[label] = (x, y, x + width, y + height)
        away = np.hypot(_gap(x, x + width, at[0]), _gap(y, y + height, at[1])) / finer
        if WIDTHS[0] * finer <= width <= WIDTHS[1] * finer and away < REACH:
            worth = np.sqrt(width) * np.exp(-((away / NEAR) ** 2))
            best, which = max((best, which), (float(worth), label))
    if not which:
        return None
    found = {_under_moustache(which, inside, stats[:, cv2.CC_STAT_AREA], finer)}
    for _ in range(3):
        boxes = [inside[label] for label in found]
        left, top, right, bottom = (f(box[i] for box in boxes) for i, f in enumerate((min, min, max, max)))
        across, down = (reach * finer for reach in PIECES)
        for label, (x1, y1, x2, y2) in inside.items():
            beside = x1 - across < right and x2 + across > left and (x1 > right - across or x2 < left + across)
            if beside and y1 > top - down and y2 < bottom + down and x2 - x1 > PIECE * finer:
                found.add(label)
    return np.isin(labels, list(found)).astype(np.uint8)


def _under_moustache(which: int, inside: Boxes, areas: npt.NDArray[Any], finer: float) -> int:
    """The stroke of a mouth under `which`, where that is as heavy as only a moustache is; else `which` itself."""
    left, _, right, bottom = inside[which]
    heavy = float(areas[which]) / (right - left)
    if heavy < MOUSTACHE * finer:
        return which
    for label, (x1, y1, x2, y2) in inside.items():
        thin = y2 - y1 < STROKE * finer and float(areas[label]) / (x2 - x1) < 0.5 * heavy
        wide = MOUTH_BELOW * (right - left) < x2 - x1 and x1 < (left + right) / 2 < x2
        if thin and wide and 0 <= y1 - bottom < NEXT * finer:
            return label
    return which


def _filled(pieces: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """With all that they enclose."""
    contours, _ = cv2.findContours(pieces, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(pieces)
    cv2.drawContours(whole, contours, -1, (1,), cv2.FILLED)
    return whole


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


def _light_parts(lighter: Mask, dark: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Teeth above the dark of a mouth, and a tongue below it, without an outline.

    lighter: than the skin is.
    """
    rows, columns = lighter.shape
    near = cv2.dilate(dark, np.ones((9, 1), np.uint8)) > 0
    wide = np.ptp(np.flatnonzero(dark.any(axis=0))) + 1
    parts = np.zeros_like(dark)
    count, labels, stats, _ = cv2.connectedComponentsWithStats((lighter & (dark == 0)).astype(np.uint8), connectivity=8)
    for label in range(1, count):
        x, y, width, height, _ = stats[label].tolist()
        if x == 0 or y == 0 or x + width == columns or y + height == rows or width > 1.2 * wide:
            continue
        part = labels == label
        if (part & near).any(axis=0).sum() >= BARE * width:
            parts |= part.astype(np.uint8)
    return parts


def _gap(start: int, end: int, at: int) -> int:
    return max(start - at, at - end, 0)


def roughness(drawn: Drawn) -> float:
    """How much skin round the mouth varies from place to place, in grey levels; tones made of dots do not count."""
    mouth = drawn.whole.astype(np.uint8)
    inner, outer = (
        cv2.dilate(mouth, np.ones((2 * round(reach * drawn.finer) + 1,) * 2, np.uint8)) > 0 for reach in (0.03, 0.1)
    )
    paper = cv2.morphologyEx(drawn.luma, cv2.MORPH_CLOSE, np.ones((2 * round(0.025 * drawn.finer) + 1,) * 2, np.uint8))
    varies = np.abs(paper - cv2.GaussianBlur(paper, (0, 0), 0.02 * drawn.finer))
    return float(np.median(varies[outer & ~inner]))


def is_there(drawn: Drawn, head: Array, pose: Pose) -> bool:
    """Whether the mouth is where the mesh (478 x 3, head coordinates) has it, and about as wide."""
    ends, corners = drawn.ends, pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    width = float(np.linalg.norm(ends[1] - ends[0])) / max(float(np.linalg.norm(corners[1] - corners[0])), 1e-6)
    return LIKE_MESH[0] <= width <= LIKE_MESH[1] and bool(np.linalg.norm((ends - corners).mean(axis=0)) < ASIDE_OF_MESH)


def inked_round(drawn: Drawn, least: float = INKED_ROUND[0], both: float = INKED_ROUND[1]) -> bool:
    """Whether a dark line goes round the mouth: along `least` of its upper and of its lower rim, and `both` of the two.

    The corners are left out.
    """
    inked = _dark_rims(drawn) > INKED * float(np.percentile(drawn.dark[drawn.whole], 90))
    count = len(drawn.top)
    shares = inked[:, count // 8 : count - count // 8].mean(axis=1)
    return bool(shares.min() > least and shares.mean() > both)


def _has_lips(drawn: Drawn) -> bool:
    """Whether the rim of the mouth is clearly paler than what it encloses: flesh round the line between the lips.

    A tongue is pale under the dark of an open mouth, and not near its corners.
    """
    if drawn.open < STROKE / 2 or _shows_teeth_first(drawn):
        return False
    reach = max(2, round(OUTLINE * drawn.finer))
    count = len(drawn.top)
    upper, lower, lines = np.zeros((3, count), bool)
    for i in range(count):
        column = drawn.dark[int(drawn.top[i]) : max(int(drawn.bottom[i]), int(drawn.top[i]) + 1), drawn.columns.start + i]
        dark = AS_DARK * float(column.max())
        upper[i], lower[i] = (rim.max() < dark for rim in (column[:reach], column[-reach:]))
        lines[i] = (column >= dark).sum() < STROKE * drawn.finer
    middle = slice(count // 4, count - count // 4)
    corners = np.concatenate([lower[count // 10 : count // 4], lower[count - count // 4 : count - count // 10]])
    if corners.mean() < 0.5:
        lower &= lines
    return bool((upper | lower)[middle].mean() > 0.5)


def _shows_teeth_first(drawn: Drawn) -> bool:
    """Whether the mouth begins with teeth: where lips are drawn, it begins with the upper one."""
    middle = np.arange(len(drawn.top) // 4, len(drawn.top) - len(drawn.top) // 4)
    first = drawn.dark[drawn.top[middle].astype(int) + 1, drawn.columns.start + middle]
    return bool((first < 0).mean() > 0.5)


def _stroke(drawn: Drawn) -> tuple[Array, Array, Array]:
    """Ends, bow and thickness of a closed mouth, from how dark its columns are."""
    around = cv2.dilate(drawn.whole.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    dark = np.where(around, np.maximum(drawn.dark, 0), 0)
    # In shade the skin is nearer to the ink.
    inked = float(np.percentile((drawn.lit - dark)[:, drawn.columns].min(axis=0), 20))
    share = np.clip(dark / np.maximum(drawn.lit - inked, 1), 0, 1)
    start, stop = drawn.columns.start - 3, drawn.columns.stop + 3
    amount = share[:, start:stop].sum(axis=0)
    rows = np.arange(len(share))[:, None] + 0.5
    some = np.flatnonzero(amount > 0.2)
    heights = np.interp(
        np.arange(len(amount)), some, ((share * rows)[:, start:stop].sum(axis=0) / np.maximum(amount, 1e-6))[some]
    )
    x = start + np.arange(len(amount)) + 0.5
    # Half a column of ink at an end ends it half way.
    left = start + some[0] + 1 - min(1.0, float(amount[some[0]] / max(np.median(amount[some]), 1e-6)))
    right = start + some[-1] + min(1.0, float(amount[some[-1]] / max(np.median(amount[some]), 1e-6)))
    at = left + (ALONG + 1) / 2 * (right - left)
    # Dots of a tone that touch the stroke do not belong to it.
    y, thick = _without_bumps(np.interp(at, x, heights)), _without_bumps(np.interp(at, x, amount) / drawn.finer)
    thick = np.minimum(thick, THICKER * np.median(thick))
    chord = y[0] + (ALONG + 1) / 2 * (y[-1] - y[0])
    slope = np.gradient(y, at)
    ends = drawn.place(np.array([[left, y[0]], [right, y[-1]]]))
    return ends, (y - chord) / drawn.finer, thick / np.hypot(1, slope)


def _without_bumps(values: Array) -> Array:
    reach = BUMP // 2
    padded = np.pad(values, reach, mode="reflect", reflect_type="odd")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, BUMP), axis=1)
    return np.asarray(cv2.GaussianBlur(middle.reshape(1, -1), (0, 0), 1.0).ravel())


def _closed_mouth(drawn: Drawn) -> tuple[Array, Array, Array]:
    """The same for a mouth that is open here, shut: its corners, and something of its upper edge."""
    top = np.interp((ALONG + 1) / 2 * (len(drawn.top) - 1), np.arange(len(drawn.top)), drawn.top)
    arch = 1 - ALONG**2
    # The corners themselves belong to the lower edge as well.
    inner = np.abs(ALONG) < 0.85
    level, tilt, rise = np.linalg.lstsq(np.stack([np.ones_like(arch), ALONG, arch], 1)[inner], top[inner], rcond=None)[0]
    columns = drawn.columns
    ends = drawn.place(np.array([[columns.start, level - tilt], [columns.stop, level + tilt]]))
    smiles = ramp(float(rise) / drawn.finer / max(drawn.open, 1e-3), *ROUND)
    bow = float(np.clip(0.6 * rise / drawn.finer, (GRIN[0] + (GRIN[1] - GRIN[0]) * smiles) * drawn.open, 0.08)) * arch
    taper = np.clip(8 * (1 - np.abs(ALONG)), 0.6, 1)
    return ends, bow, _outline(drawn) * taper


def _outline(drawn: Drawn) -> float:
    """Thickness in S of the line round an open mouth, where what it encloses is lighter; else the usual one.

    Of the lower edge in the middle half, since drawn teeth and dark both begin at the upper one.
    """
    if drawn.of_teeth:
        return USUAL_STROKE
    count = len(drawn.top)
    thick = []
    for i in range(count // 4, count - count // 4):
        column = drawn.dark[int(drawn.top[i]) : int(drawn.bottom[i]), drawn.columns.start + i][::-1]
        line = float(column[: max(2, round(OUTLINE * drawn.finer))].max())
        within = float(np.median(column))
        if within < WITHIN * line:
            inked = column > (line + within) / 2
            thick.append(float(np.argmin(inked[int(np.argmax(inked)) :])))
    if len(thick) < count // 4:
        return USUAL_STROKE
    return float(np.clip(np.median(thick) / drawn.finer, 0.5 * USUAL_STROKE, 2.5 * USUAL_STROKE))


def _softness(drawn: Drawn) -> float:
    """Sigma in S of the edges along the mouth, less that of an edge that was drawn sharply."""
    if drawn.of_teeth:
        drawn = replace(drawn, dark=-drawn.dark)
    return float(np.sqrt(max(0.0, min(sharpness(drawn), SOFTEST) ** 2 - SHARP**2))) / drawn.finer


def sharpness(drawn: Drawn) -> float:
    """Sigma in samples of the edges along the mouth, from how steeply they rise: less is sharper."""
    luma = drawn.luma[:, drawn.columns]
    steepest = float(np.median(np.abs(np.diff(luma, axis=0)).max(axis=0, where=_rims(drawn), initial=0)))
    darkest = float(np.percentile(drawn.dark[drawn.whole], 90))
    return darkest / max(steepest, 1) / float(np.sqrt(2 * np.pi))


def _rims(drawn: Drawn) -> Mask:
    """Where two rows of the columns of the mouth meet at it or near it."""
    near = cv2.dilate(drawn.whole.astype(np.uint8), np.ones((5, 1), np.uint8)) > 0
    return np.asarray(near[1:, drawn.columns])


def lip_shade(drawn: Drawn) -> Mask | None:
    """The short line that is drawn under a lower lip, on the mouth's raster; None where there is none."""
    ink = _ink_below(drawn)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    start, stop = drawn.columns.start, drawn.columns.stop
    for label in range(1, count):
        x, y, width, height, _ = stats[label].tolist()
        under = start < x and x + width < stop and x < (start + stop) / 2 < x + width
        near = y < drawn.bottom.max() + LIP_SHADE * drawn.finer and height < STROKE * drawn.finer
        if under and near and width > SHORTEST * (stop - start):
            return np.asarray(labels == label)
    return None


def _ink_below(drawn: Drawn) -> Mask:
    """What is as dark as lines, from a little below the mouth on. Teeth are no ink, and may take most of the mouth."""
    level = max(float(f(drawn.dark[drawn.whole])) for f in (np.median, lambda dark: 0.5 * np.percentile(dark, 95)))
    ink = drawn.dark > max(0.5 * level, 0.5 * FAINTEST)
    ink[: int(drawn.bottom.max()) + round(NEXT_INK * drawn.finer)] = False
    return ink


def _outline_below(drawn: Drawn) -> float:
    """How far below the mouth, in S, the next ink is that is no line under its lip: the chin's outline."""
    middle = (drawn.columns.start + drawn.columns.stop) // 2
    reach = max(1, (drawn.columns.stop - drawn.columns.start) // 4)
    bottom = int(drawn.bottom.max())
    ink, shade = _ink_below(drawn), lip_shade(drawn)
    if shade is not None:
        ink &= ~shade
    ink = ink[bottom + round(NEXT_INK * drawn.finer) :, middle - reach : middle + reach]
    rows = np.flatnonzero(ink.mean(axis=1) > 0.5)
    start = bottom + round(NEXT_INK * drawn.finer) - float((drawn.top + drawn.bottom).mean() / 2)
    return (start + rows[0]) / drawn.finer if len(rows) else np.inf


class _Palette:
    """Colours of the mouth in this drawing."""

    def __init__(self, planes: Planes, colours: Colours, pose: Pose, drawn: Drawn) -> None:
        size = drawn.dark.shape[1], drawn.dark.shape[0]
        y = drawn.luma
        u, v = (_raster(p, 2, pose, drawn.origin, drawn.finer, size) for p in (planes.u, planes.v))
        spread = np.ones((2 * round(4 * drawn.finer / pose.scale) + 1,) * 2, np.uint8)
        around = cv2.dilate(drawn.whole.astype(np.uint8), spread) > 0
        ring = (cv2.dilate(around.astype(np.uint8), spread) > 0) & ~around
        ring = ring & (drawn.dark < FAINTEST / 2) if (ring & (drawn.dark < FAINTEST / 2)).any() else ring
        skin = np.array([np.median(p[ring]) for p in (drawn.lit, u, v)])
        inside = drawn.dark[drawn.whole]
        darkest = float(np.percentile(inside, 92))
        # Chroma is coarser than a stroke: what it has lost at one place it has given to another.
        share = float(np.clip(drawn.dark[around] / max(darkest, 1), 0, 1).sum())
        lines = drawn.open < STROKE
        if lines:
            # What one side of the face is in shade by is no ink.
            tint = [float((p - _beside(p, ring))[around].sum()) / max(share, 1) for p in (u, v)]
        else:
            darkest = max(darkest, _line_round(drawn))
            rim = drawn.whole & (drawn.dark > 0.85 * darkest)
            tint = [float(np.median(p[rim]) - base) for p, base in ((u, skin[1]), (v, skin[2]))]
        stroke = np.array([max(skin[0] - darkest, 0), skin[1] + tint[0], skin[2] + tint[1]])
        self.skin, self.stroke = _rgb(skin, colours), _rgb(stroke, colours)
        chroma = np.abs(np.stack([planes.u, planes.v]).astype(np.float32) - 128)
        grey = float(np.percentile(chroma, 85)) < GREY
        warm, pink = np.array([0.60, 0.25, 0.27]), np.array([0.90, 0.50, 0.48])
        if grey:
            warm, pink = np.full(3, 0.25), np.full(3, 0.62)
        if drawn.of_teeth:
            self.stroke = warm * self.skin
        # White skin is pale all the same; and a dark one has a mouth that is darker still.
        self.fill = 0.8 * warm * self.skin + 0.2 * self.stroke
        # A line of the same tone would not be seen round it.
        if float(LUMA @ self.stroke) > 50:
            self.fill *= min(1.0, APART * float(LUMA @ self.stroke) / max(float(LUMA @ self.fill), 1))
        self.teeth = False
        if not lines:
            core = cv2.erode(drawn.whole.astype(np.uint8), np.ones((round(0.05 * drawn.finer),) * 2, np.uint8)) > 0
            dim = _areas(core & (drawn.dark > max(0.3 * darkest, 0)), drawn.finer)
            if dim.sum() > 0.3 * max(core.sum(), 1) and dim.any():
                # A tongue is lighter, and may take most of the mouth.
                low, high = np.percentile(y[dim], (DEEPEST, 100 - DEEPEST))
                deep = dim & (y <= ((low + high) / 2 if high - low > TONGUE * darkest else np.median(y[dim]) + 2))
                self.fill = _rgb(np.array([np.median(p[deep]) for p in (y, u, v)]), colours)
            white = _white(core, (y, u, v), skin, drawn.dark < IN_SHADE * darkest)
            self.teeth = bool(white.sum() > SEEN_WHITE * max(core.sum(), 1))
        flesh = np.full(3, 130.0) if grey else np.array([205.0, 95.0, 92.0])
        self.tongue = 0.65 * pink * self.skin + 0.35 * flesh
        self.tooth = tooth_drawn(self.skin)
        if self.teeth:
            lightest = white & (y >= WHITE * np.percentile(y[white], 95))
            self.tooth = _rgb(np.array([np.median(p[lightest]) for p in (y, u, v)]), colours)


def _white(mouth: Mask, planes: tuple[Floats, ...], skin: Array, not_dark: Mask) -> Mask:
    """What of a mouth are teeth. planes: Y, U, V. skin: its Y, U, V."""
    y, u, v = planes
    # On dark skin a tongue is lighter too.
    whiter = float(skin[0]) + min(TEETH * float(skin[0]), TO_WHITE * (255 - float(skin[0])))
    white = mouth & (y > whiter) & (v < PINK)
    if white.sum() > SEEN_WHITE * mouth.sum():
        return white
    # In shade they are no lighter than skin, but much less coloured; in a picture without colour neither is.
    tint = float(np.hypot(*(skin[1:] - 128)))
    return white | mouth & not_dark & (np.hypot(u - 128, v - 128) < PALE * tint) & (tint > GREY)


def _line_round(drawn: Drawn) -> float:
    """How much darker than skin the rim of an open mouth is, which is its line's where it has one."""
    return float(np.median(_dark_rims(drawn)))


def _dark_rims(drawn: Drawn) -> Floats:
    """2 x columns: how dark it gets within OUTLINE of the upper and of the lower rim of the mouth."""
    reach = max(2, round(OUTLINE * drawn.finer))
    columns = [
        drawn.dark[int(top) : max(int(bottom), int(top) + 1), drawn.columns.start + i]
        for i, (top, bottom) in enumerate(zip(drawn.top, drawn.bottom, strict=True))
    ]
    return np.array([[column[part].max() for column in columns] for part in (slice(reach), slice(-reach, None))])


def _areas(seen: Mask, finer: float) -> Mask:
    """Without lines: those between teeth are not the dark behind them."""
    kernel = np.ones((max(1, round(AREA * finer)),) * 2, np.uint8)
    return np.asarray(cv2.morphologyEx(seen.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0)


def _beside(plane: Floats, skin: Mask) -> Floats:
    """1 x w: the median of the skin in each column, and in its neighbours'."""
    columns = np.flatnonzero(skin.any(axis=0))
    medians = [float(np.median(plane[skin[:, x], x])) for x in columns]
    return np.asarray(np.interp(np.arange(plane.shape[1]), columns, medians), np.float32)[None]


def _rgb(yuv: Array, colours: Colours) -> Array:
    planes = Planes(
        *(np.full((2, 2) if i == 0 else (1, 1), round(float(np.clip(c, 0, 255))), np.uint8) for i, c in enumerate(yuv))
    )
    return np.asarray(to_rgb(planes, colours)[0, 0], np.float64)
