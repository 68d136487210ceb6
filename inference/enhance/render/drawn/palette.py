"""The colours that a mouth is drawn in."""

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


class Palette:
    """Colours of the mouth in this drawing."""

    def __init__(self, planes: Planes, colours: Colours, pose: Pose, drawn: Drawn) -> None:
        size = drawn.dark.shape[1], drawn.dark.shape[0]
        y = raster(planes.y, 1, pose, drawn.origin, drawn.finer, size) if drawn.red or drawn.light else drawn.luma
        u, v = (raster(p, 2, pose, drawn.origin, drawn.finer, size) for p in (planes.u, planes.v))
        reach = round(4 * drawn.finer / pose.scale)
        around = widened(drawn.whole, reach)
        ring = widened(around, reach) & ~around
        ring = ring & (drawn.dark < FAINTEST / 2) if (ring & (drawn.dark < FAINTEST / 2)).any() else ring
        skin = np.array([np.median(p[ring]) for p in (y if drawn.light else drawn.lit, u, v)])
        darkest = float(np.percentile(drawn.dark[drawn.whole], 92))
        # Chroma is coarser than a stroke: what it has lost at one place it has given to another.
        share = float(np.clip(drawn.dark[around] / max(darkest, 1), 0, 1).sum())
        lines = drawn.shut
        if lines:
            # What one side of the face is in shade by is no ink.
            tint = [float((p - _beside(p, ring))[around].sum()) / max(share, 1) for p in (u, v)]
        else:
            darkest = max(darkest, line_round(drawn))
            deep = narrowed(drawn.whole, round(EDGE * drawn.finer))
            rim = drawn.whole & (drawn.dark > 0.85 * darkest)
            rim = rim & ~deep if (rim & ~deep).any() else rim if rim.any() else drawn.whole
            tint = [float(np.median(p[rim]) - base) for p, base in ((u, skin[1]), (v, skin[2]))]
        lightness = np.median(y[drawn.whole]) if drawn.red else skin[0] + (darkest if drawn.light else -min(darkest, skin[0]))
        stroke = np.array([lightness, skin[1] + tint[0], skin[2] + tint[1]])
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
            if dim.sum() > 0.3 * max(core.sum(), 1):
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
        if drawn.light:
            # Nothing is painted between lines of chalk, whatever they go round.
            self.fill = self.tongue = self.tooth = self.skin


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
