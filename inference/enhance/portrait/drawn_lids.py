"""Eyes of a flat drawing, shut as in animation: skin comes down with a clean edge, and the lash line with it.

Geometry is in the head's axes: s to the right, t downwards, in pixels from the middle of the mesh's eye. A unit is S, the
distance of the outer eye corners.
docs/decisions/0137 and 0173.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import ramp
from enhance.geometry.landmarks import BETWEEN_EYES, LEFT_CHEEK, LEFT_LIDS, RIGHT_CHEEK, RIGHT_LIDS
from enhance.masks import narrowed, widened, widened_round
from enhance.membrane import spread
from enhance.picture import LUMA, Mask, Picture, tint

from .drawn_eye import (
    AT_EDGE,
    LIKE_SKIN,
    UNLIKE,
    UNLIKE_SHADED,
    DrawnEye,
    Eye,
    Ground,
    axes,
    find_drawn_eye,
    shade_over,
    skin_colour,
)
from .glasses import has_bridge, through_glasses

ALIKE, ALIKE_UNDER_HAIR = 1.5, 1.3  # times as high as the other that an eye may be; and as high or wide, under hair
ROUND, COVERED = 0.5, 0.4  # of what borders on an eye, that is skin at least; and hair, at most
SHUT = (0.56, 0.80)  # share of an eye's height, from above: where the shut lid's ends and its middle lie
LASH = (0.014, 0.055)  # units of thickness
DOT, RIM = 0.97, 0.12  # share of an eye of one colour, without a rim of that part of its size, from which it is a dot
DOT_LINE = 0.2  # of its height, how thick the line is that a dot shuts to
RISES = (0.55, 1.0)  # amounts between which the lower lid comes up to meet the upper
LINED = 0.5  # share of an eye's columns that show a lash line at its upper edge: else what is dark is the iris
UNLINED, PUPIL = 0.1, 5  # of its height, how thick a line it gets then, and percentile of its luma that is pupil
PALE, NO_DARKER = 0.6, 0.7  # of the cheek's colour at most, and of its luma at least, in the white of an eye
COLOURED, TO_WHITE = 0.06, 0.35
"""How far skin is from grey at least, in parts of its luma, for white to be told by colour: in black and white, rounding
decided. There white is so much of the way from the cheek's luma to 255."""
CARTOON_WHITE = 0.35
"""Share of a cartoon's eye that is white, at least, where the face is not flat: .39 to .67 in 14 faces in 3D; what was found
where photographs have their eyes, glasses included, up to .28 in 73 faces."""
TALL, TALL_WIDTH, TALL_WHITE, TALL_DARK = 0.3, 0.55, 0.16, 0.15
"""A large eye whose iris takes most of it, told by UNLIKE_SHADED: its height in units, least, and width, most; the share of it
that is white, and share of its inner half that is dark, at least. Eleven faces in 3D: .31 to .48, .28 to .50, .16 to .33, .22
to .66. A wider one has shade beside the nose in it. What is found that high in 53 photographs, with brows and shade, is white
by .10 at most; in mirrored glasses nothing inside is dark."""
INNER = 0.25  # of the width and height, round the middle: its inner half
CARTOON_DARK, BEAD_WIDTH = (0.5, 0.6), 0.3
"""Of the skin's luma, below which a bead or a dot is; the share of it that is so, at least: .73 to .9, photographs up to .31;
and its width in units, at most: sunglasses are wider."""
SMOOTH = 0.02  # units, sigma, of the eye's outline
EDGE = 0.006  # units round the drawn eye that its blurred edge covers; at least two pixels
FINER = 4  # subpixels along each side, for soft edges
SAMPLES = 49  # points along a lid
ALONG = np.linspace(-1, 1, SAMPLES)


@dataclass(frozen=True)
class DrawnLid:
    """What shuts one eye. Planes are h x w of `box`; curves are SAMPLES x 2 in its pixels."""

    box: tuple[slice, slice]
    skin: Floats  # h x w x 3: the picture as if there were no eye
    eye: Floats  # 0..1: what belongs to it
    opened: Floats  # the upper lid's edge
    shut: Floats
    low: Floats  # the eye's lower end
    down: Floats
    wide: float  # pixels, of the eye
    high: float
    thick: Floats  # SAMPLES: of the lash line, in pixels
    lash: Floats  # RGB
    dot: bool  # whether it is nothing but a dot, which has no lid

    def close(self, picture: Picture, amount: float) -> None:
        """Shuts the eye in a picture (h x w x 3 uint8 RGB), in place. amount: 0 open .. 1 shut."""
        here = picture[self.box].astype(np.float32)
        out = self._flattened(here, amount) if self.dot else self._lidded(here, amount)
        picture[self.box] = np.clip(out + 0.5, 0, 255).astype(np.uint8)

    def _flattened(self, here: Floats, amount: float) -> Floats:
        """The dot in the box `here`, lower and lower until it is a line."""
        half = amount * self.thick[:, None] / 2 * self.down
        upper = self.opened + amount * (self.shut - self.opened) - half
        lower = self.low + amount * (self.shut - self.low) + half
        out = here + self.eye[..., None] * (self.skin - here)
        line = self._polygon(np.vstack([upper, lower[::-1]]))[..., None]
        return np.asarray(out + line * (self.lash - out), np.float32)

    def _lidded(self, here: Floats, amount: float) -> Floats:
        """The eye in the box `here`, with its lid and lash line so far down."""
        far = 4 * float(np.abs(self.low - self.opened).max()) * self.down
        edge = self.opened + amount * (self.shut - self.opened)
        lower = self.low + ramp(amount, *RISES) * (self.shut - self.low)
        above, below = self._side(edge, -far), self._side(lower, far)
        if amount < RISES[0]:
            below = np.zeros_like(above)
        cover = (self.eye * np.minimum(above + below, 1))[..., None]
        out = here + cover * (self.skin - here)
        line = self._line(edge)[..., None]
        return np.asarray(out + line * (self.lash - out), np.float32)

    def _side(self, curve: Floats, far: Floats) -> Floats:
        """0..1: the pixels from a curve to as far as `far` (x, y) beyond it; past its ends the curve goes on level."""
        aside = 0.5 * (curve[-1] - curve[0])
        curve = np.vstack([curve[0] - aside, curve, curve[-1] + aside])
        return self._polygon(np.vstack([curve, (curve + far)[::-1]]))

    def _line(self, edge: Floats) -> Floats:
        along = np.gradient(edge, axis=0)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        across = np.stack([-along[:, 1], along[:, 0]], axis=1) * self.thick[:, None] / 2
        return self._polygon(np.vstack([edge - across, (edge + across)[::-1]]))

    def _polygon(self, points: Floats) -> Floats:
        """How much of each pixel lies inside."""
        height, width = self.eye.shape
        mask = np.zeros((height * FINER, width * FINER), np.uint8)
        pixels = (points + 0.5) * FINER - 0.5
        cv2.fillPoly(mask, [np.round(pixels * 16).astype(np.int32)], (255,), cv2.LINE_8, 4)
        return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.float32) / np.float32(255)


def make_drawn_lids(
    picture: Picture, frame: HeadFrame, *, cartoon: bool = False, under_hair: bool = False
) -> tuple[DrawnLid, ...]:
    """Both lids; none where an eye is shut, touches hair, is cut by the picture, has no likely size, or no skin round it, or
    where they differ much in height: one has a brow in it.

    picture: h x w x 3 uint8 RGB. cartoon: none as well where an eye is no cartoon's, neither mostly white nor a dark bead or
    dot, as the picture may be a photograph. under_hair: also where hair lies over an eye; it stays as it is.
    """
    # A blush, or a beard, is not of the colour that lies round the eyes.
    for beside in ((RIGHT_CHEEK, LEFT_CHEEK), (BETWEEN_EYES, BETWEEN_EYES)):
        skins = [skin for points in beside if (skin := skin_colour(picture, frame, points)) is not None]
        if len(skins) < 2:
            continue
        pairs = _pairs(picture, frame, skins, cartoon, under_hair)
        found = min(pairs, key=_apart_in_size, default=None) if cartoon else next(pairs, None)
        if found is not None:
            behind = _behind_glasses(picture, frame, found, skins, cartoon)
            return found if behind is None else behind
    return ()


def _behind_glasses(
    picture: Picture, frame: HeadFrame, lids: tuple[DrawnLid, ...], skins: list[Floats], cartoon: bool
) -> tuple[DrawnLid, ...] | None:
    """The lids of the eyes inside, where glasses were taken for eyes (skins: RGB round them), none where these are not clear;
    None where they are eyes."""
    right, left = ((lid.box, lid.eye > 0.5) for lid in lids)
    if not has_bridge(picture, right, left, np.mean(skins, axis=0), frame.unit):
        return None
    seen, colours = through_glasses(picture, (right, left))
    return next(_pairs(seen, frame, colours, cartoon), ())


def _pairs(
    picture: Picture, frame: HeadFrame, skins: list[Floats], cartoon: bool, under_hair: bool = False
) -> Iterator[tuple[DrawnLid, DrawnLid]]:
    """Both lids, as each way to tell the eyes from their skin (RGB, right and left) has them, where they are about as high."""
    for least in (UNLIKE, UNLIKE_SHADED) if cartoon else (UNLIKE,):
        for shaded in (False, True):
            right, left = (
                _lid(picture, frame, eye, Ground(skin, shaded, least, under_hair), cartoon)
                for eye, skin in zip((RIGHT_LIDS, LEFT_LIDS), skins, strict=True)
            )
            if not right or not left or max(right.high, left.high) >= ALIKE * min(right.high, left.high):
                continue
            if not under_hair or _apart_in_size((right, left)) < ALIKE_UNDER_HAIR:
                yield right, left


def _apart_in_size(lids: tuple[DrawnLid, DrawnLid]) -> float:
    """How many times as wide or as high as the other one of two eyes is."""
    sizes = np.array([(lid.wide, lid.high) for lid in lids])
    return float((sizes.max(axis=0) / sizes.min(axis=0)).max())


def _lid(picture: Picture, frame: HeadFrame, eye: Eye, ground: Ground, cartoon: bool) -> DrawnLid | None:
    unit = frame.unit
    along, down = axes(frame)
    found = find_drawn_eye(picture, frame, eye, ground)
    if found is None:
        return None
    s, t = found.s, found.t
    here = picture[found.box].astype(np.float32)
    if cartoon and not _is_cartoon(here[found.mask], found, ground, unit):
        return None
    thickness, lash = _lash(here, here @ LUMA.astype(np.float32), found.mask)
    dot = _is_dot(here, found.mask, lash)
    thickness = float(np.clip(DOT_LINE * float(np.ptp(t)) if dot else thickness, LASH[0] * unit, LASH[1] * unit))
    inset = -0.5 if dot else thickness / 2
    ends = (s.min() + inset, s.max() - inset)
    across = (ends[0] + ends[1]) / 2 + ALONG * (ends[1] - ends[0]) / 2
    top, bottom = (np.interp(across, *_edge(s, t, sign, SMOOTH * unit)) for sign in (1, -1))
    shut = t.min() + float(np.ptp(t)) * (SHUT[0] + (SHUT[1] - SHUT[0]) * (1 - ALONG**2))
    if dot:
        round_it = np.sqrt(1 - ALONG**2) * (float(np.ptp(t)) + 1) / 2
        middle = float(t.min() + t.max()) / 2
        top, bottom, shut = middle - round_it, middle + round_it, np.full(SAMPLES, middle)

    def curve(heights: Floats) -> Floats:
        return np.asarray(found.origin + across[:, None] * along + heights[:, None] * down)

    edge = max(2, round(EDGE * unit)) + 1
    grown = widened_round(found.mask, edge)
    around = _skin(here, grown, found.over, ground.colour)
    if around is None:
        return None
    return DrawnLid(
        box=found.box,
        skin=around,
        eye=cv2.GaussianBlur(widened(grown, 1).astype(np.float32), (0, 0), 0.6) * ~found.over,
        opened=curve(np.minimum(top if dot else top + thickness / 2, shut)),
        shut=curve(shut),
        low=curve(np.maximum(bottom, shut)),
        down=down,
        wide=float(np.ptp(s)),
        high=float(np.ptp(t)),
        thick=thickness * np.clip(0.35 + 1.6 * (1 - np.abs(ALONG)), 0.35, 1),
        lash=lash,
        dot=dot,
    )


def is_white(colours: Floats, skin: Floats, pale: float = PALE) -> Mask:
    """Which of colours (... x 3 RGB) are the white of an eye, for the colour of its cheek. pale: see PALE."""
    coloured, light = float(_colourful(skin)), float(skin @ LUMA)
    if coloured > COLOURED:
        return np.asarray((_colourful(colours) < pale * coloured) & (colours @ LUMA > NO_DARKER * light))
    return np.asarray(colours @ LUMA > light + TO_WHITE * (255 - light))


def _colourful(colours: Floats) -> Floats:
    """How far colours (... x 3 RGB) are from grey, in parts of their luma."""
    return np.asarray(np.linalg.norm(tint(colours) - 1, axis=-1))


def _is_cartoon(eye: Floats, found: DrawnEye, ground: Ground, unit: float) -> bool:
    """Whether an eye (n x 3 RGB) is one that only cartoons have: mostly white, high with a large iris, a dark bead or a dot."""
    darker, least = CARTOON_DARK
    dark, white = eye @ LUMA < darker * float(ground.colour @ LUMA), is_white(eye, ground.colour).mean()
    wide, high = np.ptp(found.s), np.ptp(found.t)
    if white > CARTOON_WHITE or (wide < BEAD_WIDTH * unit and dark.mean() > least):
        return True
    inner = np.hypot((found.s - np.median(found.s)) / wide, (found.t - np.median(found.t)) / high) < INNER
    is_tall = ground.least == UNLIKE_SHADED and high > TALL * unit and wide < TALL_WIDTH * unit
    return bool(is_tall and white > TALL_WHITE and dark[inner].mean() > TALL_DARK)


def _is_dot(here: Floats, eye: Mask, lash: Floats) -> bool:
    """Whether all of an eye but its rim has the colour of its lash line."""
    size = max(3, round(RIM * float(np.sqrt(eye.sum()))) | 1)
    inner = narrowed(eye, size // 2)
    return bool(inner.any() and (np.abs(here[inner] - lash).max(axis=1) < LIKE_SKIN).mean() > DOT)


def _edge(s: Floats, t: Floats, sign: int, smooth: float) -> tuple[Floats, Floats]:
    """Where the eye begins (sign 1) or ends (-1) for each s, smoothed."""
    columns = np.round(s).astype(int)
    ends = np.full(int(np.ptp(columns)) + 1, np.inf)
    np.minimum.at(ends, columns - columns.min(), sign * t)
    known = np.isfinite(ends)
    at = np.arange(len(ends))
    ends = np.interp(at, at[known], ends[known])
    reach = round(3 * smooth)
    # Point-mirrored at both ends, so that smoothing leaves the ends where they are.
    longer = np.pad(ends, reach, mode="reflect", reflect_type="odd") if len(ends) > reach else ends
    ends = (
        cv2.GaussianBlur(longer.reshape(1, -1), (0, 0), smooth).ravel()[reach : reach + len(at)] if len(ends) > reach else ends
    )
    return at + columns.min(), sign * ends


def _lash(here: Floats, bright: Floats, eye: Mask) -> tuple[float, Floats]:
    """Thickness in pixels and colour of the dark line along the eye's upper edge; the pupil's colour where there is none."""
    columns = np.flatnonzero(eye.any(axis=0))
    columns = columns[len(columns) // 6 : len(columns) - len(columns) // 6]
    tops = eye[:, columns].argmax(axis=0)
    high = int(eye.any(axis=1).sum())
    reach = max(3, round(0.4 * high))
    rows = np.minimum(tops[None] + np.arange(reach)[:, None], len(eye) - 1)
    seen = bright[rows, columns[None]]
    skin = float(np.median(bright[~eye]))
    dark = float(np.percentile(seen[: max(3, reach // 2)].min(axis=0), 30))
    ink = seen < dark + 0.4 * (skin - dark)
    if ink[: max(2, round(AT_EDGE * high))].any(axis=0).mean() < LINED:
        return UNLINED * high, np.median(here[eye & (bright <= np.percentile(bright[eye], PUPIL))], axis=0).astype(np.float32)
    begun = np.cumsum(ink, axis=0) > 0
    ended = np.cumsum(begun & ~ink, axis=0) > 0
    runs = (begun & ~ended).sum(axis=0)
    colours = here[rows, columns[None]][seen < dark + 0.15 * (skin - dark) + 1]
    return float(np.median(runs[runs > 0])) if (runs > 0).any() else 0.0, np.median(colours, axis=0).astype(np.float32)


def _skin(here: Floats, eye: Mask, over: Mask, colour: Floats) -> Floats | None:
    """The window with the skin round the eye spread over it; pixels unlike its colour do not count as skin, and None where most
    are that do not lie `over` the eye: the colour is a blush's. None as well where hair covers more of an eye than its top."""
    ring = widened(eye, 3) & ~eye
    if over[ring].mean() > COVERED:
        return None
    ring &= ~over
    # In the light that changes across a shaded face as well.
    near = np.minimum(*(np.abs(seen - colour).max(axis=2) for seen in (here, here - shade_over(here, colour))))
    known = ring & (near < LIKE_SKIN)
    return spread(here, known) if known.sum() > ROUND * ring.sum() else None
