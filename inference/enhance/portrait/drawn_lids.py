"""Eyes of a flat drawing, shut as in animation: skin comes down with a clean edge, and the lash line with it.

Geometry is in the head's axes: s to the right, t downwards, in pixels from the middle of the mesh's eye. A unit is S, the
distance of the outer eye corners.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import ramp
from enhance.geometry.landmarks import BETWEEN_EYES, LEFT_CHEEK, LEFT_LIDS, RIGHT_CHEEK, RIGHT_LIDS
from enhance.membrane import spread
from enhance.picture import LUMA, Picture, tint

from .eye_outline import OPEN
from .fringe import fringe
from .glasses import has_bridge, through_glasses

Mask = npt.NDArray[np.bool_]
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
ALIKE, ALIKE_UNDER_HAIR = 1.5, 1.3  # times as high as the other that an eye may be; and as high or wide, under hair
FILLED = 0.07  # units: height of an open eye, median of its columns; a shut one is a line
LINE, LINE_WIDTH, ONE_COLOUR = 0.06, 0.12, 0.6
"""Units: height of the columns of an eye that is drawn shut, at most, and its width, at least: lower and narrower ones may be
dots; and share of its pixels that have its colour: those at its edges do not."""
APART = 0.075  # units: gap between an eye and a lash line that does not touch it; brows are at 0.12
OVER = 0.8  # share of an eye's middle columns that its lash line covers
LIKE_SKIN = 35.0  # levels within which what is round an eye is skin in the same light
ROUND, COVERED = 0.5, 0.4  # of what borders on an eye, that is skin at least; and hair, at most
SHUT = (0.56, 0.80)  # share of an eye's height, from above: where the shut lid's ends and its middle lie
LASH = (0.014, 0.055)  # units of thickness
DOT, RIM = 0.97, 0.12  # share of an eye of one colour, without a rim of that part of its size, from which it is a dot
DOT_LINE = 0.2  # of its height, how thick the line is that a dot shuts to
RISES = (0.55, 1.0)  # amounts between which the lower lid comes up to meet the upper
AT_EDGE, LINED = 0.15, 0.5
"""Of an eye's height, in which its lash line begins, or which one that does not touch it comes down beside it; and share of its
columns that show one: else what is dark is the iris."""
UNLINED, PUPIL = 0.1, 5  # of its height, how thick a line it gets then, and percentile of its luma that is pupil
PALE, NO_DARKER = 0.6, 0.7  # of the cheek's colour at most, and of its luma at least, in the white of an eye
COLOURED, TO_WHITE = 0.06, 0.35
"""How far skin is from grey at least, in parts of its luma, for white to be told by colour: in black and white, rounding
decided. There white is so much of the way from the cheek's luma to 255."""
CARTOON_WHITE = 0.35
"""Share of a cartoon's eye that is white, at least, where the face is not flat: .39 to .67 in 14 faces in 3D; what was found
where photographs have their eyes, glasses included, up to .28 in 73 faces."""
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
    seen = _unlike_skin(here, points, _Ground(skin, False, UNLIKE), frame.unit)
    if seen is None:
        return False
    mask, _ = seen
    high, wide = mask.sum(axis=0).max() / frame.unit, np.ptp(np.nonzero(mask)[1]) / frame.unit
    like = np.abs(here[mask] - np.median(here[mask], axis=0)).max(axis=1) < LIKE_SKIN
    return bool(high <= LINE and wide >= LINE_WIDTH and like.mean() > ONE_COLOUR)


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
                _lid(picture, frame, eye, _Ground(skin, shaded, least, under_hair), cartoon)
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


def skin_colour(picture: Picture, frame: HeadFrame, points: tuple[int, ...]) -> Floats | None:
    """RGB of the skin round points of the mesh; None where the picture does not show it. picture: h x w x 3 uint8 RGB."""
    # The middle in brightness of the three smoothest places: on others there may be hair, an eye or a blush.
    calm = sorted(_places(picture, frame, points), key=lambda each: each[0])[:3]
    return sorted((colour for _, colour in calm), key=lambda colour: float(colour @ LUMA))[len(calm) // 2] if calm else None


@dataclass(frozen=True)
class _Ground:
    """The skin that an eye is told from. shaded: whether it gets darker evenly across the eye. least: levels by which they
    differ. under_hair: whether hair may lie over the eye."""

    colour: Floats  # RGB
    shaded: bool
    least: float
    under_hair: bool = False


@dataclass(frozen=True)
class _Found:
    """A drawn eye. mask: h x w of `box`; over: what lies over it there. origin: x, y of the middle of the mesh's eye in it.
    s, t: of the mask's pixels."""

    box: tuple[slice, slice]
    mask: Mask
    over: Mask
    origin: Floats
    s: Floats
    t: Floats


def _lid(picture: Picture, frame: HeadFrame, eye: Eye, ground: _Ground, cartoon: bool) -> DrawnLid | None:
    unit = frame.unit
    along, down = _axes(frame)
    found = _find(picture, frame, eye, ground)
    if found is None:
        return None
    s, t = found.s, found.t
    here = picture[found.box].astype(np.float32)
    if cartoon and not _is_cartoon(here[found.mask], ground.colour, float(np.ptp(s)) / unit):
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
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * edge + 1, 2 * edge + 1))
    grown = cv2.dilate(found.mask.astype(np.uint8), disc)
    around = _skin(here, grown > 0, found.over, ground.colour)
    if around is None:
        return None
    return DrawnLid(
        box=found.box,
        skin=around,
        eye=cv2.GaussianBlur(cv2.dilate(grown, np.ones((3, 3), np.uint8)).astype(np.float32), (0, 0), 0.6) * ~found.over,
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


def _is_cartoon(eye: Floats, skin: Floats, width: float) -> bool:
    """Whether an eye (n x 3 RGB) so wide (units) is one that only cartoons have: mostly white, or a dark bead or dot."""
    darker, least = CARTOON_DARK
    is_bead = width < BEAD_WIDTH and (eye @ LUMA < darker * float(skin @ LUMA)).mean() > least
    return bool(is_bead or is_white(eye, skin).mean() > CARTOON_WHITE)


def _is_dot(here: Floats, eye: Mask, lash: Floats) -> bool:
    """Whether all of an eye but its rim has the colour of its lash line."""
    size = max(3, round(RIM * float(np.sqrt(eye.sum()))) | 1)
    inner = cv2.erode(eye.astype(np.uint8), np.ones((size, size), np.uint8)) > 0
    return bool(inner.any() and (np.abs(here[inner] - lash).max(axis=1) < LIKE_SKIN).mean() > DOT)


def _find(picture: Picture, frame: HeadFrame, eye: Eye, ground: _Ground) -> _Found | None:
    """The drawn eye round the mesh's; None where it is shut, not separate from what is round it, or of no likely size."""
    unit = frame.unit
    along, down = _axes(frame)
    gap = (frame.mesh[[eye[1][4], eye[0][4]], :2] @ down) @ [1, -1]
    window = _window(picture, frame, eye)
    if window is None or gap < OPEN * unit:
        return None
    box, points = window
    here = picture[box].astype(np.float32)
    seen = _drawn_eye(here - _shade(here, ground.colour) if ground.shaded else here, points, ground, unit)
    if seen is None:
        return None
    mask, over = seen
    y, x = np.nonzero(mask)
    middle = points.mean(axis=0)
    places = np.stack([x, y], 1) - middle
    s, t = places @ along, places @ down
    width, height = np.ptp(s) / unit, np.ptp(t) / unit
    likely = WIDTHS[0] < width < WIDTHS[1] and HEIGHTS[0] < height < HEIGHTS[1]
    return _Found(box, mask, over, middle, s, t) if likely else None


def _window(picture: Picture, frame: HeadFrame, eye: Eye) -> tuple[tuple[slice, slice], Floats] | None:
    """Where a drawn eye is looked for, and the mesh's eye (n x 2, pixels) in it; None where the picture has none of it."""
    points = frame.mesh[[*eye[0], *eye[1][::-1]], :2]
    middle = points.mean(axis=0)
    reach = np.array(REACH) * frame.unit + np.abs(points - middle).max(axis=0)
    low = np.maximum(np.floor(middle - reach), 0).astype(int)
    high = np.minimum(np.ceil(middle + reach) + 1, picture.shape[1::-1]).astype(int)
    return None if min(high - low) < 12 else ((slice(low[1], high[1]), slice(low[0], high[0])), points - low)


def _axes(frame: HeadFrame) -> tuple[Floats, Floats]:
    """Unit vectors along both eyes and down. Of both, since the corners of the mesh's eye are not those of the drawn one."""
    left, right = (frame.mesh[[*eye[0], *eye[1]], :2].mean(axis=0) for eye in (RIGHT_LIDS, LEFT_LIDS))
    along = (right - left) / max(float(np.linalg.norm(right - left)), 1e-6)
    return along, np.array([-along[1], along[0]])


def _drawn_eye(here: Floats, mesh_eye: Floats, ground: _Ground, unit: float) -> tuple[Mask, Mask] | None:
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


def _unlike_skin(here: Floats, mesh_eye: Floats, ground: _Ground, unit: float) -> tuple[Mask, Mask] | None:
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
    rim = (cv2.dilate(eye.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0) & ~eye
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


def _shade(here: Floats, skin: Floats) -> Floats:
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
    ring = (cv2.dilate(eye.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0) & ~eye
    if over[ring].mean() > COVERED:
        return None
    ring &= ~over
    # In the light that changes across a shaded face as well.
    near = np.minimum(*(np.abs(seen - colour).max(axis=2) for seen in (here, here - _shade(here, colour))))
    known = ring & (near < LIKE_SKIN)
    return spread(here, known) if known.sum() > ROUND * ring.sum() else None
