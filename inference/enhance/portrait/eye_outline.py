"""What a lid has to cover: the eye as it is seen in the picture, which is often larger than the mesh's.

docs/decisions/0137, 0190 and 0242.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.landmarks import LEFT_LIDS, RIGHT_LIDS
from enhance.picture import LUMA, Mask, Picture, tint

from .eye_shadow import LidColours, wear_eye_shadow

ABOVE, BELOW, ASIDE = 0.075, 0.06, 0.065  # units: how far beyond the mesh's eye it is looked for
STEP = 0.006  # units: of the raster on which it is looked for
BEYOND, GROW = 0.032, 0.018  # units by which the cover is larger than the eye found, at the sides and above: lashes
OPEN = 0.035  # units: an eye less open is shut already
GREY = np.full(3, 128.0)
DARK_SKIN, VIVID_SKIN = 75.0, 0.7
"""Luma of the skin below which it is dark, and the distance of its tint from grey above which it is vivid: of 90 faces in usual
light the darker eye has 83 and more, and nine in ten at most .55."""
LASH = 0.02  # units: a usual thickness of the lash line
LASH_SHARE = 0.4  # of the height of the mesh's eye: what is thicker, in a narrow eye, has the iris in it
SOFTER = 0.6  # Levels.power for these
LID = (0.055, 0.025)  # units above the mesh's eye, from and to, in which the lid's skin or eye shadow is seen
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of eye shadow in the colours of a lid: its edges are soft
SKIN_ABOVE = 0.45
"""Mean of skinlike() in the 0.05 units above an eye, below which its lid has no skin to be made of. 27 eyes of 14 portraits:
0.68 and more; one in the shadow of hair: 0.18, and its lid came down as a bright smear over that shadow."""


@dataclass(frozen=True)
class Levels:
    """The levels of colours in which an eye is looked for. black: the level taken off (faded_black()). power: of what is left,
    in units of 255; below 1, contrast and colours are softer."""

    black: float = 0.0
    power: float = 1.0

    def of(self, colours: Floats) -> Floats:
        """... x 3 RGB, 0..255, in these levels."""
        colours = colours - self.black
        return colours if self.power == 1 else 255 * (np.maximum(colours, 0) / 255) ** self.power


@dataclass(frozen=True)
class Outline:
    """An eye in its own axes: origin (x, y), along and down (unit vectors), and curves t over s in pixels, which meet at both
    ends: top and bottom of the eye with its lashes, edge and close of the upper lid, open and shut."""

    origin: Floats
    along: Floats
    down: Floats
    s: Floats
    top: Floats
    bottom: Floats
    edge: Floats
    close: Floats  # where it lies when shut
    thickness: float  # of the lash line
    levels: Levels
    references: tuple[Floats, ...]  # RGB of the skin under the eye, in these levels; then those of a lid with eye shadow

    @property
    def eye_shadow(self) -> bool:
        return len(self.references) > 1

    def skinlike(self, colours: Floats) -> Floats:
        """How likely colours (... x 3 RGB) are this face's skin or eye shadow, 0..1: near 0 for hair, brows and white."""
        colours = self.levels.of(colours)
        return np.asarray(np.max([_skinlike(colours, reference) for reference in self.references], axis=0))


def find_outlines(picture: Picture, frame: HeadFrame) -> list[Outline]:
    """The outlines of the right and the left eye in a picture (h x w x 3 uint8 RGB).

    Without an eye where a blink would look wrong: it is shut, under 8 pixels wide, like its surroundings (sunglasses, shadow),
    under hair or its shadow, or reaches below what a lid may cover (the mesh is not on the eye).
    """
    strips = [strip for eye in (RIGHT_LIDS, LEFT_LIDS) if (strip := _strip_at(picture, frame, eye))]
    found = [outline for strip in strips if (outline := _find_outline(picture, frame, strip))]
    if len(found) == 2 and wear_eye_shadow(*(LidColours(each.raster[each.above], each.skin) for each in strips)):
        made_up = [outline for strip in strips if (outline := _find_outline(picture, frame, strip, eye_shadow=True))]
        return made_up if len(made_up) == 2 else found
    return found


def _find_outline(picture: Picture, frame: HeadFrame, strip: "_Strip", eye_shadow: bool = False) -> Outline | None:
    skin = strip.skin
    light = float(skin @ LUMA)
    # Less its black, a face in few colours has skin of several tints: an eye that is not found there is looked for with it.
    levels = [Levels(faded_black(picture, frame, light)), Levels()]
    # In dark and in vivid pictures the shade round an eye has another tint than the skin, and is as dark as the eye.
    if light < DARK_SKIN or float(_tint_distance(skin, GREY)) > VIVID_SKIN:
        levels.append(Levels(power=SOFTER))
    found = (_outline(picture, strip, frame.unit, each, eye_shadow) for each in dict.fromkeys(levels))
    return next((outline for outline in found if outline), None)


@dataclass(frozen=True)
class _Strip:
    """The picture round an eye: raster (t x s x 3 RGB) in the axes of Outline, and the mesh's lid and rim, t over s."""

    origin: Floats
    along: Floats
    down: Floats
    s: Floats
    t: Floats
    lid: Floats
    rim: Floats
    raster: Floats
    mesh_eye: Mask
    middle: Mask  # of s
    under: Mask  # skin
    above: Mask  # the lid's skin

    @property
    def skin(self) -> Floats:
        """RGB of the skin under the eye."""
        return np.asarray(np.median(self.raster[self.under], axis=0))


def _strip_at(picture: Picture, frame: HeadFrame, eye: tuple[tuple[int, ...], tuple[int, ...]]) -> _Strip | None:
    """None where the mesh has the eye under 8 pixels wide, or shut."""
    upper, lower = (frame.mesh[list(ids), :2] for ids in eye)
    origin = (upper[0] + upper[-1]) / 2
    length = float(np.linalg.norm(upper[-1] - upper[0]))
    if length < 8:
        return None
    along = (upper[-1] - upper[0]) / length
    down = np.array([-along[1], along[0]])
    unit = frame.unit
    step = STEP * unit
    s = np.arange(-length / 2 - ASIDE * unit, length / 2 + ASIDE * unit + step, step)
    lid, rim = (_curve(points, origin, along, down, s) for points in (upper, lower))
    if np.max(rim - lid) < OPEN * unit:
        return None
    t = np.arange(lid.min() - ABOVE * unit - step, rim.max() + 0.16 * unit, step)
    raster = sample(picture, origin + s[None, :, None] * along + t[:, None, None] * down)
    mesh_eye = (t[:, None] >= lid) & (t[:, None] <= rim) & (np.abs(s) <= length / 2)
    middle = np.abs(s) < 0.3 * length
    under = (t[:, None] > rim + 0.075 * unit) & middle
    above = (t[:, None] > lid - LID[0] * unit) & (t[:, None] < lid - LID[1] * unit) & middle
    return _Strip(origin, along, down, s, t, lid, rim, raster, mesh_eye, middle, under, above)


def _outline(picture: Picture, strip: _Strip, unit: float, levels: Levels, eye_shadow: bool) -> Outline | None:
    s, t, lid, rim = strip.s, strip.t, strip.lid, strip.rim
    raster = levels.of(strip.raster)
    references: tuple[Floats, ...] = (np.median(raster[strip.under], axis=0),)
    if eye_shadow:
        skin, worn = references[0], np.median(raster[strip.above], axis=0)
        references = tuple(skin + share * (worn - skin) for share in SHARES)
    whole = _whole_eye(raster, strip.mesh_eye, references, strip.middle)
    if whole is None:
        return None

    columns = np.flatnonzero(whole.any(axis=0))
    part = slice(columns[0], columns[-1] + 1)
    found_top, found_bottom = t[np.argmax(whole[:, part], axis=0)], t[_lowest(whole[:, part])]
    thickness = _lash(raster[:, part], whole[:, part], min(references, key=LUMA.dot)) * (STEP * unit)
    thickness = min(thickness, max(LASH, LASH_SHARE * float(np.max(rim - lid)) / unit) * unit)
    found_edge = np.clip(found_top + thickness, lid[part] - 0.05 * unit, lid[part] + 0.012 * unit)
    corners = (found_top[[0, -1]] + found_bottom[[0, -1]]) / 2
    s = np.linspace(s[columns[0]] - BEYOND * unit, s[columns[-1]] + BEYOND * unit, len(columns))
    line = np.interp(s, s[[0, -1]], corners)
    top = line - _almond(line - found_top + GROW * unit, cover=True)
    bottom = line + _almond(found_bottom - line + 0.3 * GROW * unit, cover=True)
    edge = line - _almond(line - found_edge, cover=False)
    close = line + _almond(np.minimum(rim[part] + 0.006 * unit, found_bottom) - line, cover=False)
    found = Outline(strip.origin, strip.along, strip.down, s, top, bottom, edge, close, thickness, levels, references)
    return found if _skin_above(picture, found, 0.05 * unit) > SKIN_ABOVE else None


def faded_black(picture: Picture, frame: HeadFrame, light: float) -> float:
    """The level (0..255, whole) that a faded, hazy or over-exposed face has for black. light: the luma of its skin.

    0 where the face's luma ranges over as much as its skin has, as in usual photographs.
    """
    (left, top), (right, bottom) = frame.mesh[:, :2].min(0), frame.mesh[:, :2].max(0)
    step = max(1, int(frame.unit / 64))
    face = picture[max(0, int(top)) : max(0, int(bottom)) + 1 : step, max(0, int(left)) : max(0, int(right)) + 1 : step]
    if not face.size:
        return 0.0
    low, high = np.quantile(face @ LUMA, (0.005, 0.995))
    return float(np.floor(np.clip(light - (high - low), 0, low)))


def _whole_eye(raster: Floats, mesh_eye: Mask, references: tuple[Floats, ...], middle: Mask) -> Mask | None:
    """The pixels of the eye; None where hardly any of the mesh's look like one, or where it reaches below what a lid may cover.

    references: those of Outline. middle: the columns in which that is looked at.
    """
    zone = cv2.dilate(mesh_eye.astype(np.uint8), _ellipse(ASIDE, (ABOVE + BELOW) / 2)) > 0
    zone = np.roll(zone, -round((ABOVE - BELOW) / 2 / STEP), axis=0)
    seen = _eyelike(raster, mesh_eye, references[0]) & zone
    if (seen & mesh_eye).sum() < 0.15 * mesh_eye.sum():
        return None
    for reference in references[1:]:
        seen &= _eyelike(raster, mesh_eye, reference)
    whole = _joined(seen | mesh_eye, mesh_eye)
    return None if (_lowest(whole) >= _lowest(zone) - 1)[middle].mean() > 0.35 else whole


def _lowest(mask: Mask) -> npt.NDArray[np.intp]:
    """Of each column, the row of its lowest pixel; the last row where there is none."""
    return np.asarray(len(mask) - 1 - np.argmax(mask[::-1], axis=0))


def _skin_above(picture: Picture, eye: Outline, height: float) -> float:
    """How much of what lies just above an eye is skin, 0..1."""
    places = eye.top - height * np.linspace(0.1, 1, 8)[:, None]
    return float(eye.skinlike(sample(picture, eye.origin + eye.s[:, None] * eye.along + places[..., None] * eye.down)).mean())


def _almond(heights: Floats, cover: bool) -> Floats:
    """The smooth arch, 0 at both ends, that is nearest to `heights`; with cover, one above nine tenths of them."""
    x = np.linspace(-1, 1, len(heights))
    arch = np.sqrt(np.maximum(1 - x * x, 0))
    basis = arch[:, None] * np.stack([np.ones_like(x), x, x * x], 1)
    factors = np.linalg.lstsq(basis, heights, rcond=None)[0]
    if cover:
        inner = np.abs(x) < 0.85
        factors[0] += max(0.0, float(np.quantile(((heights - basis @ factors) / np.maximum(arch, 0.3))[inner], 0.9)))
    return np.asarray(basis @ factors)


def _curve(points: Floats, origin: Floats, along: Floats, down: Floats, s: Floats) -> Floats:
    away = points - origin
    across, t = away @ along, away @ down
    order = np.argsort(across)
    curve: Floats = np.interp(s, across[order], t[order])
    return curve


def sample(picture: Picture, places: Floats) -> Floats:
    """The picture's colours at places (... x 2, x and y in pixels)."""
    x, y = places[..., 0].astype(np.float32), places[..., 1].astype(np.float32)
    return cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)


def _ellipse(width: float, height: float) -> npt.NDArray[np.uint8]:
    size = (2 * round(width / STEP) + 1, 2 * round(height / STEP) + 1)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size), np.uint8)


def _skinlike(colours: Floats, reference: Floats) -> Floats:
    ratio = colours @ LUMA / max(float(reference @ LUMA), 1)
    far = _tint_distance(colours, reference)
    lit = np.clip((ratio - 0.25) / 0.25, 0, 1) * np.clip((1.6 - ratio) / 0.2, 0, 1)
    return np.asarray(lit * np.clip((0.55 - far) / 0.2, 0, 1) + 1e-3)


def _eyelike(raster: Floats, mesh_eye: Mask, reference: Floats) -> Mask:
    """Dark as lash and iris, or of another colour than the skin, as the white of the eye."""
    bright = raster @ LUMA
    light = max(float(reference @ LUMA), 1)
    dark = float(np.quantile(bright[mesh_eye], 0.05))
    seen = bright < min(dark + 0.45 * (light - dark), 0.66 * light)
    return np.asarray(seen | (_tint_distance(raster, reference) > 0.33))


def _tint_distance(colours: Floats, reference: Floats) -> Floats:
    """The distance of colours (... x 3) from the reference after both are divided by their luma."""
    return np.asarray(np.linalg.norm(tint(colours) - tint(reference), axis=-1))


def _joined(seen: Mask, mesh_eye: Mask) -> Mask:
    """The convex hull of the connected pixels at the mesh's eye, after an opening that removes single hairs."""
    opened = cv2.morphologyEx(seen.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) | mesh_eye.astype(np.uint8)
    _, labels = cv2.connectedComponents(opened)
    inside = labels[mesh_eye]
    part = labels == np.bincount(inside[inside > 0]).argmax()
    y, x = np.nonzero(part)
    hull = cv2.convexHull(np.stack([x, y], 1).astype(np.int32))
    whole = np.zeros(seen.shape, np.uint8)
    cv2.fillConvexPoly(whole, hull, (1,))
    return whole > 0


def _lash(raster: Floats, whole: Mask, reference: Floats) -> float:
    """Thickness of the dark line along the top, in rows: the median over the columns, so that the iris does not count.

    LASH where it is thicker than a lash line, as a shadow is.
    """
    dark = (raster @ LUMA < 0.62 * max(float(reference @ LUMA), 1)) & whole
    started = np.cumsum(dark, axis=0) > 0
    ended = np.cumsum(started & ~dark, axis=0) > 0
    runs = (started & ~ended).sum(axis=0)
    typical = float(np.median(runs[runs > 0])) if (runs > 0).any() else 0.0
    return float(np.clip(typical, 0.012 / STEP, 0.04 / STEP)) if typical < 0.065 / STEP else LASH / STEP
