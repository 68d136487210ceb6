"""What an open mouth shows: the cavity, the tongue, two rows of teeth, in the shade of the lips."""

from dataclasses import dataclass
from functools import lru_cache
from math import exp

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Colours, even, from_rgb
from enhance.picture import LUMA
from enhance.render.light import of_one_tint
from enhance.render.lips.outline import MIDPOINT
from enhance.render.lips.shape import Asked, Shape
from enhance.render.subject import SUBJECT, Subject
from enhance.render.teeth.arch import LOWER, TURN, UPPER, arch, at_height, draw

FINER = 2  # teeth are sampled so much finer than the picture, then averaged
LOWER_BITE = 0.004  # of the lower teeth under the closed lips' line
LOWER_FALL = 0.60  # of an opening
LOWER_LIGHT = 0.62
FARTHEST = 0.07  # that the upper teeth may follow lips which the mesh sees higher or lower on this frame's face
FEATHER = 0.006  # sigma of the mouth's edge, in S
SLIT, NARROW = (0.010, 0.100), (0.004, 0.045)
"""S between lips in the middle, and at a place towards their corners, from which something of the inside is seen, and all."""
SLIT_LIGHT = (0.66, 0.50, 0.48, 0.66, 0.85, 1.0)
"""Light in a slit, of the lips', from the upper lip to the lower one: darkest where they would meet."""
NARROWER = 0.95
"""Of the width of the clip's open mouths, under which a mouth is darker: nearer to it widths are noise."""
SMALL = (65.0, 110.0)  # pixels in S up to which all widths are noise, and from which none of them is
LONGER_SLIT, DARKER_SLIT, LEAST_LIGHT = 3.0, 4.0, 0.3
"""By which factor, as a logarithm for each width that is missing, SLIT ends at a larger gap, and SLIT_LIGHT is less; and what
is left of SLIT_LIGHT at least (docs/decisions/0159)."""
EVEN = np.ones((2, 3))
"""R, G, B of lips at the mouth's left and right corner, against those in its middle: the same."""
SLIT_CONTRAST = 0.75  # exponent: of a share of the inside's light that a slit shows, the share of its contrast
INSIDE = 0.5  # how far lips are apart, 0..1, where the mean light of the inside is taken
BESIDE, LITTLE_OPEN = (0.60, 0.90), ((0.0, 0.05, 0.08, 0.16), (0.0, 1.0, 1.0, 0.0))
"""Beside a little opening lips lie on each other: S between them, of that in the middle, from which they do wholly, and not at
all; and how far they do, by S in the middle (docs/decisions/0124)."""
LAUGH = (1.2, 1.35)  # of the width at rest, from which they do so less, and not at all
DARK_BESIDE = 0.6  # share of a slit's dark that is left there: light falls on both lips
MET_LIPS = 0.6  # times that this light has met lips before
RIM = 0.011  # S: of the inside of the lips that is seen
RIM_LIGHT = 0.42  # of the lips
TURNING = 0.03  # S before the row's end, or where it turns away from the viewer, in which it is lost in the dark
BEYOND = 1.0  # S along the arch: no teeth


@dataclass(frozen=True)
class Rows:
    """The unrolled teeth of one subject, premultiplied RGB and opacity."""

    upper: Floats
    lower: Floats


@lru_cache(maxsize=32)
def unpack_subject(subject: bytes) -> Subject:
    """A subject from the bytes of its SUBJECT: once for a clip. Raises ValueError."""
    return SUBJECT.unpack(np.frombuffer(subject, np.float32))


@lru_cache(maxsize=32)
def rows_of(subject: bytes) -> Rows:
    """The teeth of a SUBJECT, drawn: once for a clip. Raises ValueError."""
    person = unpack_subject(subject)
    size, tooth, gum = person.size, person.tooth, person.gum
    return Rows(draw(UPPER, size, tooth, gum), draw(LOWER, size, tooth * LOWER_LIGHT, gum * LOWER_LIGHT))


@dataclass(frozen=True)
class Hole:
    """The opening in plane coordinates, sampled at the pixels of `area`."""

    area: Area
    x: Floats
    y: Floats
    top: Floats
    bottom: Floats
    opacity: Floats
    """How much of each pixel lies between the lips."""
    across: Floats
    """-1 at the left corner of the mouth and beyond it, 1 at the right one."""


def hole_of(asked: Asked, pose: Pose, within: Area, feather: float = FEATHER) -> Hole | None:
    """None when the lips touch everywhere. feather: sigma of its edge in S, half a pixel at least."""
    upper, lower = pose.to_plane(asked.upper_inner), pose.to_plane(asked.lower_inner)
    if float((lower - upper)[:, 1].max()) * pose.scale < 0.05:
        return None
    around = pose.to_pixels(np.vstack([upper, lower]))
    area = even(Area.around(around, 3 + round(0.03 * pose.scale)), within)
    if area.is_empty:
        return None
    plane = pose.plane_of(area)
    x, y = plane[..., 0], plane[..., 1]
    above = np.interp(x, upper[:, 0], upper[:, 1], left=np.inf, right=np.inf)
    below = np.interp(x, lower[:, 0], lower[:, 1], left=-np.inf, right=-np.inf)
    pixel = 0.5 / pose.scale
    covered = np.clip((np.minimum(below, y + pixel) - np.maximum(above, y - pixel)) / (2 * pixel), 0, 1)
    opacity = cv2.GaussianBlur(covered.astype(np.float32), (0, 0), max(0.5, feather * pose.scale))
    above, below = (
        np.where(np.isfinite(v), v, asked_y).astype(np.float32) for v, asked_y in ((above, upper[0, 1]), (below, upper[0, 1]))
    )
    x, y = x.astype(np.float32), y.astype(np.float32)
    across = np.interp(x, upper[[0, -1], 0], (-1.0, 1.0)).astype(np.float32)
    return Hole(area, x, y, above, below, np.asarray(opacity, np.float32), across)


def interior(hole: Hole, shape: Shape, asked: Asked, pose: Pose, person: Subject, rows: Rows) -> Floats:
    """RGB 0..255 for the hole's area."""
    upper, lower = pose.to_plane(asked.upper_inner), pose.to_plane(asked.lower_inner)
    top, bottom = float(upper[:, 1].min()), float(lower[:, 1].max())
    deep = max(bottom - top, 1e-3)
    centre, half = float(upper[MIDPOINT, 0]), max(0.02, float(upper[-1, 0] - upper[0, 0]) / 2)
    down = np.clip((hole.y - top) / deep, 0, 1)
    across = (hole.x - centre) / half
    side = np.clip(np.abs(across), 0, 1)

    throat = 0.68 * (1 - side**2) * np.exp(-(((down - 0.42) / 0.33) ** 2))
    flesh = 0.95 * (0.45 * person.cavity + 0.42 * person.tongue)
    colour = flesh + throat[..., None] * (person.cavity - flesh)
    colour *= (1 - 0.35 * side**3)[..., None]
    colour = _tongue(colour, hole, _Opening(centre, half, deep, float(lower[MIDPOINT, 1])), shape.tongue, person.tongue)

    line = (1 - 0.3) * asked.upper_inner[MIDPOINT] + 0.3 * asked.lower_inner[MIDPOINT]
    bite = np.array([person.bite[0], line[1] + LOWER_BITE + LOWER_FALL * shape.opening, person.bite[2] + 0.015])
    colour = _over(colour, _row(rows.lower, hole, pose, bite, person.size, -1.0))
    teeth = _row(rows.upper, hole, pose, bite_of(person, asked), person.size, 1.0)
    step = round(0.022 * pose.scale)
    shadow = np.zeros_like(teeth[..., 3])
    shadow[step:] = teeth[: len(teeth) - step, :, 3] if step else teeth[..., 3]
    colour *= (1 - 0.35 * shadow * (1 - teeth[..., 3]))[..., None]
    colour = _over(colour, teeth)
    under_lip = 0.62 + 0.38 * smoothstep(hole.y - hole.top, -0.006, 0.026)
    over_lip = 0.78 + 0.22 * smoothstep(hole.bottom - hole.y, -0.004, 0.022)
    corners = 1 - 0.40 * smoothstep(side, 0.62, 1.0)
    light = 1 + person.side * np.clip(hole.x / 0.3, -1, 1)
    colour = colour * (under_lip * over_lip * corners * light)[..., None]
    colour += _rim(hole)[..., None] * (RIM_LIGHT * person.lip - colour)
    return np.asarray(colour, np.float32)


def beside_of(hole: Hole, asked: Asked, rest_width: float) -> Floats:
    """How far lips lie on each other at a place beside a little opening, h x w, 0..1. rest_width: S between their corners when
    they are shut; in a laugh they are apart up to the corners."""
    little = np.interp(asked.gap, *LITTLE_OPEN) * (1 - ramp(asked.width / rest_width, *LAUGH))
    apart = (hole.bottom - hole.top) / max(asked.gap, 1e-3)
    return np.asarray(little * (1 - smoothstep(apart, *BESIDE)), np.float32)


def certain(wide: float, scale: float) -> float:
    """How much of a mouth's width, of the clip's usual, is certain in a face of `scale` pixels in S: 1 where nothing is."""
    return 1 + (wide - 1) * ramp(scale, *SMALL)


@dataclass(frozen=True)
class Slit:
    """How much of the inside is seen between lips that are little apart: light, 0..1, times apart, h x w, 0..1."""

    light: float
    apart: Floats

    @property
    def shade(self) -> Floats:
        """How far no more is seen than the shade between the lips, h x w, 0..1."""
        return np.asarray(1 - self.light * self.apart, np.float32)

    def over(self, inside: Floats, shade: Floats) -> Floats:
        """The slit over the inside, h x w x 3 Y, U, V. shade: in_slit(). The inside loses less of its contrast than of its
        light, so teeth that are seen have edges."""
        usual = cv2.mean(inside, (self.apart > INSIDE).astype(np.uint8))[:3]
        detail = (self.light**SLIT_CONTRAST - self.light) * self.apart[..., None] * (inside - usual)
        return np.asarray(inside + self.shade[..., None] * (shade - inside) + detail, np.float32)


def slit_of(hole: Hole, gap: float, beside: Floats, wide: float, end: float = SLIT[1]) -> Slit:
    """The slit between lips that are `gap` (S) apart: little light falls through it, and most of it from the lips.

    beside: beside_of(). wide: the mouth's width, of the clip's usual: lips of a narrow one come forward and shade its inside.
    end: S between lips from which a slit of the usual width shows all of the inside.
    """
    longer = exp(LONGER_SLIT * max(NARROWER - wide, 0.0))
    light = float(smoothstep(np.array(gap), SLIT[0], end * longer))
    return Slit(light, np.asarray(smoothstep(hole.bottom - hole.top, *NARROW) * (1 - beside), np.float32))


def in_slit(
    hole: Hole,
    beside: Floats,
    skin: Array,
    lip: Array,
    colours: Colours,
    lit: float,
    wide: float,
    sides: Array = EVEN,
) -> Floats:
    """Y, U, V of what is seen in a slit between lips, h x w x 3.

    skin, lip: RGB 0..255, of the face in the frame's light. It is darkest where the lips would meet, darker in narrow mouths,
    and lighter towards the lower lip, on which light falls from above. beside: beside_of(); there the lower lip is seen, in its
    own colour, however wide the mouth. lit: a factor of the light there. wide: as in slit_of(). sides: 2 x 3, R, G, B of lips
    at the picture's left and right corner, against those in the middle.
    """
    down = np.clip((hole.y - hole.top) / np.maximum(hole.bottom - hole.top, 1e-3), 0, 1)
    share = np.interp(down, np.linspace(0, 1, len(SLIT_LIGHT)), SLIT_LIGHT).astype(np.float32)
    middle = share * np.float32(max(exp(-DARKER_SLIT * max(NARROWER - wide, 0.0)), LEAST_LIGHT))
    share = middle + beside * ((1 - DARK_BESIDE * (1 - share)) * lit - middle)
    own = beside * np.sqrt(down)
    black = colours.offset
    shares = np.stack([(1 - own) * share, own * share], axis=-1)
    left, right = np.maximum(-hole.across, 0), np.maximum(hole.across, 0)
    places = np.stack([left, 1 - left - right, right], axis=-1)
    lights = np.stack([sides[0], np.ones(3), sides[1]])[:, None] * [met_lips(skin, lip), lip]
    in_light = from_rgb(lights.reshape(6, 3).astype(np.float32), colours) - black
    of_each = (places[..., None] * shares[..., None, :]).reshape(*share.shape, 6)
    return np.asarray(of_each.astype(np.float32) @ in_light.astype(np.float32) + black, np.float32)


def met_lips(skin: Array, lip: Array) -> Array:
    """The colour (RGB) of light that falls between the lips of a face (RGB), as light as they are: it is the redder for having
    met them before, where they have a colour of their own."""
    if of_one_tint(skin, lip):
        return lip
    met = lip * (lip / max(float(lip.max()), 1.0)) ** MET_LIPS
    return np.asarray(met * (float(LUMA @ lip) / max(float(LUMA @ met), 1.0)))


def _rim(hole: Hole) -> Array:
    """How far the wet inside of the lips is seen: along their edges, and where these come together."""
    upper = 0.45 * np.exp(-((np.maximum(hole.y - hole.top, 0) / RIM) ** 2))
    lower = 0.85 * np.exp(-((np.maximum(hole.bottom - hole.y, 0) / RIM) ** 2))
    return np.asarray(1 - (1 - upper) * (1 - lower))


@dataclass(frozen=True)
class _Opening:
    """The opening between the lips in plane coordinates, S: its middle, half its width, its height, and y of its lowest point
    in the middle."""

    centre: float
    half: float
    deep: float
    floor: float


def _tongue(under: Array, hole: Hole, mouth: _Opening, lifted: float, colour: Array) -> Array:
    """Over `under` (h x w x 3): a dome behind the lower teeth; lifted (0..1), its tip comes up to the upper ones."""
    top = mouth.floor - (0.03 + 0.25 * mouth.deep + 0.55 * mouth.deep * lifted)
    base = mouth.floor + 0.05
    wide = mouth.half * (0.74 + 0.05 * lifted)
    e = ((hole.x - mouth.centre) / wide) ** 2 + ((hole.y - base) / (base - top)) ** 2
    dome = smoothstep(-e, -1.14, -0.84)[..., None]
    groove = 0.10 * np.exp(-(((hole.x - mouth.centre) / 0.018) ** 2)) * smoothstep(hole.y, top, top + 0.08)
    light = 0.50 + 0.38 * smoothstep(np.asarray(1 - e), 0.0, 0.75) + 0.22 * lifted - groove
    return np.asarray(under + dome * (colour * light[..., None] - under))


def bite_of(person: Subject, asked: Asked) -> Array:
    """Where the middle edge of the upper teeth is, in head coordinates: on the skull."""
    return np.asarray(person.bite + np.array([0.0, np.clip(asked.shift, -FARTHEST, FARTHEST), 0.0]))


def _row(atlas: Floats, hole: Hole, pose: Pose, bite: Array, size: float, flip: float) -> Floats:
    """A row of teeth as the hole's pixels see it. bite: its middle edge in head coordinates; flip: -1 for the lower row."""
    turn = np.linspace(-1.25, 1.25, 101)
    x, depth = arch(turn, size)
    seen = pose.projection @ np.stack([bite[0] + x, np.full_like(x, bite[1]), bite[2] + depth])
    # Beyond the silhouette of a turned head the arch runs back: keep the part that faces the viewer.
    ahead = np.maximum.accumulate(seen[0]) == seen[0]
    ahead[: int(np.argmin(seen[0]))] = False
    fine = pose.plane_of(hole.area, FINER)
    s = np.interp(fine[..., 0], seen[0][ahead], turn[ahead] * TURN * size, left=-BEYOND, right=BEYOND)
    edge = np.interp(fine[..., 0], seen[0][ahead], seen[1][ahead])
    height = flip * (edge - fine[..., 1]) / float(pose.projection[1, 1])
    seen_teeth = at_height(atlas, s, height)
    ends = seen[0][ahead][[0, -1]]
    inward = np.minimum(fine[..., 0] - ends[0], ends[1] - fine[..., 0])
    seen_teeth = seen_teeth * smoothstep(inward, 0.0, TURNING).astype(np.float32)[..., None]
    return np.asarray(cv2.resize(seen_teeth, (hole.area.width, hole.area.height), interpolation=cv2.INTER_AREA), np.float32)


def _over(under: Array, layer: Floats) -> Array:
    return np.asarray(under * (1 - layer[..., 3:]) + layer[..., :3])
