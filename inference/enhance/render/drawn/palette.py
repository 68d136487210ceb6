"""The colours that a mouth is drawn in."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.planes import Colours, Planes, to_rgb
from enhance.masks import narrowed, widened
from enhance.picture import LUMA, Mask

from .looks import line_round
from .mouth import Drawn, raster
from .parts import FAINTEST, TEETH, TO_WHITE

EDGE = 0.02  # S from the border of an open mouth in which the line round it is
APART = 0.78  # of a light stroke's luma that the mouth's fill has at most
AREA = 0.05  # S across, from which what is dark in an open mouth is no line
DEEPEST = 10.0  # percent of an open mouth that are as dark as it gets, at least
TONGUE = 0.18  # of the darkest, by which a tongue is lighter than the dark round it
WHITE = 0.9  # of the lightest of a mouth, that is white with it
SEEN_WHITE = 0.2  # of an open mouth, from which it shows teeth
IN_SHADE, PALE = 0.3, 0.7  # of the darkest of a mouth, and of the skin's chroma, that teeth in shade have at most
PINK = 153.0  # Cr from which what is lighter than skin is no tooth
GREY = 10.0  # chroma codes that hardly anything in a picture without colour reaches

Yuv = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Palette:
    """Colours of a drawn mouth, RGB 0..255."""

    stroke: Array
    fill: Array
    """What is dark in it."""
    tongue: Array
    tooth: Array
    teeth: bool
    """Whether the frame shows teeth."""


def palette_of(planes: Planes, colours: Colours, pose: Pose, drawn: Drawn) -> Palette:
    """The colours that the mouth has in this drawing, and would have if it opened."""
    yuv = _rasters(planes, pose, drawn)
    around, ring = _round(drawn, pose)
    skin = np.array([np.median(p[ring]) for p in (yuv[0] if drawn.light else drawn.lit, *yuv[1:])])
    darkest = float(np.percentile(drawn.dark[drawn.whole], 92))
    if drawn.shut:
        tint = _tint_of_line(yuv, drawn, darkest, around, ring)
    else:
        darkest = max(darkest, line_round(drawn))
        tint = _tint_of_rim(yuv, drawn, darkest, skin)
    lightness = np.median(yuv[0][drawn.whole]) if drawn.red else skin[0] + (darkest if drawn.light else -min(darkest, skin[0]))
    rgb, stroke = _rgb(skin, colours), _rgb(np.array([lightness, *(skin[1:] + tint)]), colours)

    chroma = np.abs(np.stack([planes.u, planes.v]).astype(np.float32) - 128)
    grey = float(np.percentile(chroma, 85)) < GREY
    warm, pink = np.array([0.60, 0.25, 0.27]), np.array([0.90, 0.50, 0.48])
    if grey:
        warm, pink = np.full(3, 0.25), np.full(3, 0.62)
    if drawn.of_teeth:
        stroke = warm * rgb
    # White skin is pale all the same; and a dark one has a mouth that is darker still.
    fill = 0.8 * warm * rgb + 0.2 * stroke
    # A line of the same tone would not be seen round it.
    if float(LUMA @ stroke) > 50:
        fill *= min(1.0, APART * float(LUMA @ stroke) / max(float(LUMA @ fill), 1))
    flesh = np.full(3, 130.0) if grey else np.array([205.0, 95.0, 92.0])
    palette = Palette(stroke, fill, 0.65 * pink * rgb + 0.35 * flesh, tooth_drawn(rgb), teeth=False)
    if not drawn.shut:
        palette = _as_seen(palette, yuv, colours, drawn, skin, darkest)
    # Nothing is painted between lines of chalk, whatever they go round.
    return replace(palette, fill=rgb, tongue=rgb, tooth=rgb) if drawn.light else palette


def _as_seen(palette: Palette, yuv: Yuv, colours: Colours, drawn: Drawn, skin: Array, darkest: float) -> Palette:
    """The same with what an open mouth shows of its dark and of its teeth. skin: its Y, U, V."""
    core = cv2.erode(drawn.whole.astype(np.uint8), np.ones((round(0.05 * drawn.finer),) * 2, np.uint8)) > 0
    dim = _areas(core & (drawn.dark > max(0.3 * darkest, 0)), drawn.finer)
    if dim.sum() > 0.3 * max(core.sum(), 1):
        # A tongue is lighter, and may take most of the mouth.
        low, high = np.percentile(yuv[0][dim], (DEEPEST, 100 - DEEPEST))
        deep = dim & (yuv[0] <= ((low + high) / 2 if high - low > TONGUE * darkest else np.median(yuv[0][dim]) + 2))
        palette = replace(palette, fill=_median(yuv, deep, colours))
    white = _white(core, yuv, skin, drawn.dark < IN_SHADE * darkest)
    if white.sum() <= SEEN_WHITE * max(core.sum(), 1):
        return palette
    lightest = white & (yuv[0] >= WHITE * np.percentile(yuv[0][white], 95))
    return replace(palette, tooth=_median(yuv, lightest, colours), teeth=True)


def _rasters(planes: Planes, pose: Pose, drawn: Drawn) -> Yuv:
    size = drawn.dark.shape[1], drawn.dark.shape[0]
    y = raster(planes.y, 1, pose, drawn.origin, drawn.finer, size) if drawn.red or drawn.light else drawn.luma
    u, v = (raster(p, 2, pose, drawn.origin, drawn.finer, size) for p in (planes.u, planes.v))
    return y, u, v


def _round(drawn: Drawn, pose: Pose) -> tuple[Mask, Mask]:
    """The mouth with what its colours run into, and a ring of skin round that."""
    reach = round(4 * drawn.finer / pose.scale)
    around = widened(drawn.whole, reach)
    ring = widened(around, reach) & ~around
    bare = ring & (drawn.dark < FAINTEST / 2)
    return around, bare if bare.any() else ring


def _tint_of_line(yuv: Yuv, drawn: Drawn, darkest: float, around: Mask, ring: Mask) -> Array:
    """By how much U and V of a closed mouth's line differ from the skin's."""
    # Chroma is coarser than a stroke: what it has lost at one place it has given to another.
    share = float(np.clip(drawn.dark[around] / max(darkest, 1), 0, 1).sum())
    # What one side of the face is in shade by is no ink.
    return np.array([float((p - _beside(p, ring))[around].sum()) / max(share, 1) for p in yuv[1:]])


def _tint_of_rim(yuv: Yuv, drawn: Drawn, darkest: float, skin: Array) -> Array:
    """The same of the line round an open mouth."""
    deep = narrowed(drawn.whole, round(EDGE * drawn.finer))
    rim = drawn.whole & (drawn.dark > 0.85 * darkest)
    rim = rim & ~deep if (rim & ~deep).any() else rim if rim.any() else drawn.whole
    return np.array([float(np.median(p[rim]) - base) for p, base in zip(yuv[1:], skin[1:], strict=True)])


def _median(yuv: Yuv, where: Mask, colours: Colours) -> Array:
    """RGB of the median there."""
    return _rgb(np.array([np.median(p[where]) for p in yuv]), colours)


def _white(mouth: Mask, planes: Yuv, skin: Array, not_dark: Mask) -> Mask:
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


def tooth_drawn(skin: Array) -> Array:
    """RGB of drawn teeth on a skin (RGB): white, hardly less so on dark skin; but not in the dark."""
    light = float(LUMA @ skin)
    return np.asarray(0.12 * skin + 0.88 * float(np.clip(1.25 * light + 20, min(205, 2.4 * light + 20), 255)))
