"""Eyes that shut in a photograph: skin made from the surroundings covers the eye, and the lash line goes down with the lid.

Geometry is in the eye's own axes: s along the line of its corners, t downwards across it, both in pixels. A unit is S, the
distance of the outer eye corners.
docs/decisions/0083, 0242 and 0273.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import ramp, smoothstep
from enhance.geometry.landmarks import LEFT_CHEEK, RIGHT_CHEEK
from enhance.picture import LUMA, Mask, Picture
from enhance.softness import softening
from enhance.style import Style

from .drawn_eye import are_drawn_shut, skin_colour
from .drawn_lids import DrawnLid, is_white, make_drawn_lids
from .eye_outline import Outline, find_outlines, sample

Values = Floats
MARGIN = 0.3  # units round an eye from which its skin is made
SOFT = 0.009  # units: edge of the cover
LINE = 0.0065  # units: half the thickness of the line that two shut lids make
LINE_DARK = 0.6  # share of the light that this line takes
BURNT = (225, 250)  # luma of skin from which it is too light to show the shade of a lid
REACH = ((0.03, 1.0), (0.06, 0.12), (0.12, 0.012), (0.3, 1e-4))  # sigma in units, and the weight of skin so far away
BELOW_SHADOW = 2e-4  # weight, for a lid with eye shadow, of the skin beside and below the eye; of that above it 1
SHADOW = (0.05, 0.2)  # shares by which skin is darker, from which it is in shadow, and wholly
OUTER = (0.09, 0.14)  # units from the cover's outer end, to which what is dark below the closed lid is no iris: wholly, in part
LASH_NEAR = 0.006  # units: half the height over which the lash line is looked at
TINTS = ((0.5, 0.95, 1.0), (1.0, 1.4, 2.0))
"""Least and most of Lid.tint. A lash line is neither bluer nor greener than skin in shadow: where it was found so, the white of
the eye or eye shadow was in it."""
FAINT = 0.8
"""Share of the skin's light from which a line shows no lashes but the skin itself, of which one place is yellower than another.
In nine pictures of a man whose lash line was not found it has .84 and more; of 193 other lids six have so much."""
STRIP = (0.01, 0.06)  # units below an eye, from and to, in which skin is looked for
PALE_BELOW = 0.45  # of the cheek's colour at most, in white there: lit skin below eyes has from .47 of a made-up cheek's
WHITE_BELOW = 0.35
"""Share of that strip which is white, of both eyes: large eyes of cartoons .51 to 1, 49 other photographs, drawings and
posterised faces at most .2."""
GRAIN = 3.0  # medians of the skin's detail, above which it is a mole or a wrinkle
PROFILE = tuple(-0.06 + 0.006 * i for i in range(13))  # units from the lid's edge, downwards
LUMA_32 = LUMA.astype(np.float32)


@dataclass(frozen=True)
class Lid:
    """What shuts one eye. Planes are h x w of `box`."""

    box: tuple[slice, slice]
    skin: Values  # h x w x 3: the picture as if there were no eye, less black
    inside: Values  # 0..1, soft: what a shut lid covers
    t: Values
    edge: Values  # t of the lid's edge when open, for each pixel's s
    travel: Values  # how far the edge goes down
    bottom: Values
    shaded: Values  # 1: a lid's shade is seen, 0: on burnt-out skin
    taper: Values  # 1 along the lid, 0 at and beyond its ends
    lash: Values  # how dark the open lid's edge is against the skin at PROFILE's distances, 1 = not at all
    tint: Values  # [3], the power of that which red, green and blue have: 1 in each is grey
    faint: bool  # FAINT: no tint is seen
    unit: float
    black: float  # eye_outline.faded_black(): of what is lighter than it, shade and lashes take their share
    blur: float  # pixels: sigma by which its edges and its lash line are softened

    def close(self, picture: Picture, amount: float) -> None:
        """Shuts the eye in a picture (h x w x 3 uint8 RGB), in place. amount: 0 open .. 1 shut."""
        here = picture[self.box].astype(np.float32) - np.float32(self.black)
        edge = self.edge + self.travel * amount
        soft = SOFT * self.unit + 0.35
        # The lower rim of the eye is covered last, when the lids meet.
        end = edge + (self.bottom - edge + soft) * ramp(amount, 0.72, 1.0)
        cover = self.inside * (1 - _smoothstep_32(self.t - end, -soft, soft)) * min(1.0, amount / 0.12)
        lash = self._lash(edge, amount)
        # No white of the eye shines through the lash line.
        cover = np.maximum(cover, self.inside * np.minimum(2 * (1 - lash), 1))
        shade = 1 - 0.16 * amount * self.shaded * _smoothstep_32(self.t - edge, -0.09 * self.unit, 0) * (self.t < edge)
        below = self.t - edge
        near = np.exp(-np.maximum(below, 0) / (0.022 * self.unit)) * (below > 0) * self.taper
        shadow = 1 - 0.22 * min(1.0, amount / 0.12) * self.shaded * near
        if self.blur:
            # Not the skin: that would take its grain away.
            cover, lash, shade, shadow = (cv2.GaussianBlur(v, (0, 0), self.blur) for v in (cover, lash, shade, shadow))
        base = here * shadow[..., None] * (1 - cover[..., None]) + (self.skin * shade[..., None]) * cover[..., None]
        mixed = base * lash[..., None] ** self.tint
        np.clip(mixed + (self.black + 0.5), 0, 255, out=mixed)
        picture[self.box] = mixed.astype(np.uint8)

    def _lash(self, edge: Values, amount: float) -> Values:
        """The lash line at the edge's new place. Lashes point up on an open lid, down on a shut one: the line is flipped."""
        turn = 1 - 2 * ramp(amount, 0.25, 0.95)
        turn = np.copysign(max(abs(turn), 0.35), turn)
        away = self.t - edge
        places = np.array(PROFILE, np.float32) * self.unit
        moved = np.interp(away / turn, places, self.lash, left=1, right=1)
        thick = LINE * self.unit + 0.3
        line = 1 - LINE_DARK * amount * np.exp(-0.5 * (away / thick) ** 2)
        return 1 + (np.minimum(moved, line) - 1).astype(np.float32) * self.taper * min(1.0, amount / 0.12)


def make_lids(picture: Picture, frame: HeadFrame, style: Style) -> tuple[Lid | DrawnLid, ...]:
    """Both lids; none where a blink would look wrong: find_outlines() says what an eye must show.

    picture: h x w x 3 uint8 RGB. style: how the face is made; a flat drawing's lids come down with a clean edge. So do those of
    a face in 3D, or a painted one, whose eyes are a cartoon's: they are larger than the mesh's, or dots. A flat face's eyes may
    be a cartoon's wherever the mesh has them, as where the iris takes all of a large eye.
    """
    # A face in outline may be painted inside, one in few colours a posterised photograph: their eyes shut as a painting's do.
    if style == "flat":
        if drawn := make_drawn_lids(picture, frame):
            return drawn
        if are_drawn_shut(picture, frame):
            return ()
    found = find_outlines(picture, frame)
    are_larger = len(found) < 2 or _white_below(picture, frame, found) > WHITE_BELOW
    if (are_larger or style == "flat") and (cartoon := make_drawn_lids(picture, frame, cartoon=True)):
        return cartoon
    if are_larger:
        return make_drawn_lids(picture, frame, under_hair=True) if style == "flat" else ()
    blur = softening((_eye(picture, frame.unit, outline) for outline in found), frame.unit)
    lids = tuple(_lid(picture, frame.unit, outline, side, blur) for outline, side in zip(found, (-1, 1), strict=True))
    left, right = lids
    if left.faint == right.faint:
        return lids
    # Both eyes have the same lashes.
    tint = right.tint if left.faint else left.tint
    return tuple(replace(lid, tint=tint) for lid in lids)


def _white_below(picture: Picture, frame: HeadFrame, outlines: list[Outline]) -> float:
    """How much of what lies just below both eyes is white and not skin, 0..1: there the eyes go on, as those of cartoons do."""
    shares = []
    for outline, cheek in zip(outlines, (RIGHT_CHEEK, LEFT_CHEEK), strict=True):
        skin = skin_colour(picture, frame, cheek)
        if skin is None:
            continue
        middle = slice(len(outline.s) // 5, len(outline.s) - len(outline.s) // 5)
        depths = outline.bottom[middle] + np.linspace(*STRIP, 8)[:, None] * frame.unit
        seen = sample(picture, outline.origin + outline.s[middle, None] * outline.along + depths[..., None] * outline.down)
        shares.append(float(is_white(seen, skin, PALE_BELOW).mean()))
    return float(np.mean(shares)) if shares else 0.0


def _eye(picture: Picture, unit: float, outline: Outline) -> tuple[Values, Mask]:
    """The luma round an eye, and where in it the eye is, both h x w."""
    box = _box(picture, outline, 0.07 * unit)
    s, t = _axes(box, outline)
    top, bottom = (np.interp(s, outline.s, curve) for curve in (outline.top, outline.bottom))
    return picture[box] @ LUMA_32, (t > top) & (t < bottom) & (s > outline.s[0]) & (s < outline.s[-1])


def _lid(picture: Picture, unit: float, outline: Outline, side: int, blur: float) -> Lid:
    """side: -1: the outer corner is at the least s, 1: at the greatest. blur: Lid.blur."""
    wide = _box(picture, outline, MARGIN * unit)
    skin = _skin(picture[wide].astype(np.float32), *_axes(wide, outline), outline, unit)
    box = _box(picture, outline, 0.07 * unit + 2 * blur)
    rows, columns = ((part.start - whole.start, part.stop - whole.start) for part, whole in zip(box, wide, strict=True))
    skin = skin[slice(*rows), slice(*columns)]

    s, t = _axes(box, outline)
    top, bottom, edge, close = (
        np.interp(s, outline.s, curve) for curve in (outline.top, outline.bottom, outline.edge, outline.close)
    )
    within = np.minimum(s - outline.s[0], outline.s[-1] - s)
    soft = SOFT * unit + 0.35
    inside = (
        smoothstep(t - top, -0.5 * soft, 2 * soft)
        * (1 - smoothstep(t - bottom, -soft, soft))
        * smoothstep(within, 0, 0.045 * unit)
    )
    outer = 1 - smoothstep(np.abs(s - outline.s[0 if side < 0 else -1]), *(reach * unit for reach in OUTER))
    shadow = _in_shadow(picture[box], skin, outline, SOFT * unit, outer)
    inside *= 1 - shadow * smoothstep(t - close, 0, 2 * soft)
    taper = smoothstep(within, 0.01 * unit, 0.09 * unit)
    light, black = skin @ LUMA_32, outline.levels.black
    dark = np.clip((picture[box] @ LUMA_32 - black) / np.maximum(light - black, 1), 0.05, 1)
    middle = within > 0.06 * unit
    lash = _lash_profile(dark[middle], (t - edge)[middle], outline.thickness, unit)
    line = middle & _near(PROFILE[lash.argmin()] * unit, t - edge, unit)
    # Black lashes on blue skin take most blue: on the skin below a lid with eye shadow, such a line is red.
    tint, faint = np.ones(3, np.float32), False
    if not outline.eye_shadow:
        tint, faint = _tint(picture[box][line] - black, skin[line] - np.float32(black))
    shaded = 1 - smoothstep(light, *BURNT)
    planes = {
        "shaded": shaded,
        "inside": inside,
        "t": t,
        "edge": edge,
        "travel": close - edge,
        "bottom": bottom,
        "taper": taper,
    }
    return Lid(
        box,
        skin - np.float32(black),
        lash=lash,
        tint=tint,
        faint=faint,
        unit=unit,
        black=black,
        blur=blur,
        **{name: plane.astype(np.float32) for name, plane in planes.items()},
    )


def _in_shadow(picture: Picture, skin: Values, outline: Outline, sigma: float, outer: Values) -> Values:
    """0..1, where the picture shows skin darker than what is made for it, and at the eye's outer corner (outer, 0..1) whatever
    is darker: eyeliner and lashes. Below the line on which the lids meet it stays as it is: lit skin made there stood in a
    hard shadow or beside eyeliner as a bright streak."""
    here = np.asarray(cv2.GaussianBlur(picture, (0, 0), max(0.5, sigma)), np.float32)
    black = outline.levels.black
    darker = 1 - (here @ LUMA_32 - black) / np.maximum(skin @ LUMA_32 - black, 1)
    return np.maximum(outline.skinlike(here), outer) * smoothstep(darker, *SHADOW)


def _axes(box: tuple[slice, slice], outline: Outline) -> tuple[Floats, Floats]:
    y, x = np.mgrid[box].astype(np.float64)
    points = np.stack([x, y], 2) - outline.origin
    return points @ outline.along, points @ outline.down


def _lash_profile(ratio: Values, above: Values, thickness: float, unit: float) -> Values:
    """How dark the lash line is against the skin at PROFILE's distances from the lid's edge: the median along the lid, since
    single lashes look wrong when they are flipped."""
    at = np.array(PROFILE) * unit
    profile = np.ones(len(at), np.float32)
    for i, place in enumerate(at):
        near = ratio[_near(place, above, unit)]
        if -thickness - 0.012 * unit <= place <= 0 and len(near):
            profile[i] = np.median(near)
    return np.convolve(np.pad(profile, 1, constant_values=1), (0.25, 0.5, 0.25), mode="valid").astype(np.float32)


def _near(place: float, above: Values, unit: float) -> npt.NDArray[np.bool_]:
    """Which of the pixels at `above`, in pixels from the lid's edge, lie at that place."""
    return np.asarray(np.abs(above - place) < LASH_NEAR * unit + 0.3)


def _tint(line: Values, skin: Values) -> tuple[Values, bool]:
    """[3]: by how much more, of its darkness, the lash line is dark in red, green and blue; and whether it is too faint
    for that. line, skin: n x 3 RGB.
    """
    left = np.median(line, axis=0) / np.maximum(np.median(skin, axis=0), 1) if len(line) else np.ones(3, np.float32)
    if LUMA_32 @ left > FAINT:
        return np.ones(3, np.float32), True
    dark = np.log(np.clip(left, 0.05, 0.95))
    return np.asarray(np.clip(dark / (LUMA_32 @ dark), *TINTS), np.float32), False


def _box(picture: Picture, outline: Outline, margin: float) -> tuple[slice, slice]:
    corners = outline.origin + np.stack(
        [s * outline.along + t * outline.down for s in outline.s[[0, -1]] for t in (outline.top.min(), outline.bottom.max())]
    )
    low = np.maximum(np.floor(corners.min(0) - margin), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(0) + margin) + 1, picture.shape[1::-1]).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _skin(window: Values, s: Floats, t: Floats, outline: Outline, unit: float) -> Values:
    """The window with the eye filled in: colours from the skin round it, texture from under the eye."""
    top, bottom, close = (np.interp(s, outline.s, curve) for curve in (outline.top, outline.bottom, outline.close))
    grow = 0.012 * unit
    eye = (t > top - grow) & (t < bottom + grow) & (s > outline.s[0] - grow) & (s < outline.s[-1] + grow)
    trust = np.where(eye, 0, outline.skinlike(window))
    smooth = _smooth(window, trust * np.where(t > bottom, 1.0, 0.75), unit)
    if outline.eye_shadow:  # A shut lid wears it down to the lashes.
        lid = _smooth(window, trust * np.where(t > top, BELOW_SHADOW, 1.0), unit)
        smooth += (lid - smooth) * smoothstep(close - t, -SOFT * unit, SOFT * unit)[..., None]
    return np.asarray(smooth + _texture(window, t, bottom, outline, unit))


def _smooth(window: Values, trust: Values, unit: float) -> Values:
    """The window's colours (h x w x 3) where trust (h x w, 0..1) is, carried on smoothly to where it is not."""
    # Smooth colours need few pixels.
    shrink = max(1.0, unit / 80)
    size = (round(window.shape[1] / shrink), round(window.shape[0] / shrink))
    small = cv2.resize(np.dstack([window * trust[..., None], trust]).astype(np.float32), size, interpolation=cv2.INTER_AREA)
    blurred = [share * np.asarray(cv2.GaussianBlur(small, (0, 0), sigma * unit / shrink)) for sigma, share in REACH]
    total: Values = np.sum(blurred, axis=0)
    colours = total[..., :3] / np.maximum(total[..., 3:], 1e-8)
    return np.asarray(cv2.resize(colours, window.shape[1::-1], interpolation=cv2.INTER_CUBIC))


def _texture(window: Values, t: Floats, bottom: Floats, outline: Outline, unit: float) -> Values:
    """Fine detail mirrored at a line just under the eye, limited to GRAIN: moles and wrinkles are not copied.

    None from where the detail around is stronger, as beside hair, frames of glasses and eyeliner: cut off at the limit, such
    edges were patches on the lid.
    """
    sigma = max(1.0, 0.018 * unit)
    detail = window - cv2.GaussianBlur(window, (0, 0), sigma)
    strength = cv2.GaussianBlur(np.abs(detail).max(axis=2), (0, 0), sigma)
    detail = np.dstack([detail, strength])
    mirror = 2 * (bottom + 0.035 * unit - t)
    rows, columns = t.shape
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    # From whole pixels: between them the grain of a picture is averaged away.
    mirrored: Values = cv2.remap(
        detail,
        x + np.rint(mirror * outline.down[0]).astype(np.float32),
        y + np.rint(mirror * outline.down[1]).astype(np.float32),
        cv2.INTER_NEAREST,
        borderMode=cv2.BORDER_REFLECT_101,
    )
    mirrored, strength = mirrored[..., :3], mirrored[..., 3]
    limit = GRAIN * float(np.median(np.abs(mirrored))) + 1
    fine = 1 - smoothstep(strength, limit, 2 * limit)
    return np.asarray(np.clip(mirrored, -limit, limit) * fine[..., None])


def _smoothstep_32(values: Values, start: float, end: float) -> Values:
    return smoothstep(values, start, end).astype(np.float32)
