"""What the frames of a clip show of the inside of a mouth, on one grid: the plane of a head seen from the front.

docs/decisions/0149.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.membrane import spread
from enhance.render.lips.outline import Lips, lips_at
from enhance.render.lips.shape import shift_of
from enhance.render.subject import Subject

from .lender import Lender
from .merged import ABOVE, REACH, relit, shapes_of
from .skull import FRONT, Skull

SURE, SEEN = 0.6, 0.5
"""Share of a pixel that is shown, from which it is compared with others, and from which it counts as known."""
FEWEST = 20
"""Pixels that two pictures must share to be compared."""
ROW = 0.22
"""S to either side of the midline, where the row of upper teeth is looked at."""

LEAST_RED = 0.05  # of luma: how much redder than teeth lips must be for redness to be used
DARK, DARK_RED = 0.45, 0.15
"""Luma of the lips, of a tooth's, up to which they are dark; and LEAST_RED of those: teeth, tongue and gums have as much red as
lips that are nearly black (docs/decisions/0073)."""
INSET = (0.004, 0.016)  # S inside the lender's lips: up to the first nothing is taken, from the second everything
RED, LIT = (0.75, 0.95), (0.65, 0.85)  # redness from a tooth's, 0, to the lips', 1, and luma of the lips': not lip, lip
TOOTH_RED, TOOTH_LIT = (0.35, 0.65), (0.35, 0.6)  # redness: tooth, not tooth; luma of a tooth's: not tooth, tooth
DARKER = 0.75  # luma of the lips, of a tooth's, up to which that tells them apart in a picture without colour
LIGHTER = (0.2, 0.7)  # without redness: of the way from the luma of the lips to that of a tooth: lip, tooth


@dataclass(frozen=True)
class Grid:
    """The pixels of the picture of the upper teeth: x [columns] and y [rows] in S, and the midline of the teeth."""

    density: float
    x: Array
    y: Array
    up: Array
    """[rows of a picture of what lies under them]: heights over the lower lip."""
    midline: float
    bite: float
    """y at which the upper teeth are supposed to end."""

    @classmethod
    def of(cls, person: Subject, density: float) -> "Grid":
        (rows, columns), (below, _) = shapes_of(density)
        midline, bite = float(person.bite[0]), float(person.bite[1])
        x, y, up = ((np.arange(count) + 0.5) / density for count in (columns, rows, below))
        return cls(density, x + midline - REACH, y + bite - ABOVE, up, midline, bite)

    @property
    def aside(self) -> Array:
        return np.asarray(self.x - self.midline)


@dataclass(frozen=True)
class Palette:
    """Colours as Y, U, V; of the cheeks, in whose light all is."""

    cheeks: Array
    tooth: Array
    lip: Array
    cavity: Array
    tongue: Array
    black: float

    @property
    def coloured(self) -> bool:
        """Whether lips are redder than teeth. In a picture without colour, and of blue or black lips, redness says nothing."""
        dark = self.light_of(self.lip) < DARK * self.light_of(self.tooth)
        return self._redder > (DARK_RED if dark else LEAST_RED)

    @property
    def tells_lips(self) -> bool:
        """Whether lips are told from teeth: by their colour, or as they are much darker."""
        return self.coloured or self.light_of(self.lip) < DARKER * self.light_of(self.tooth)

    def redness(self, yuv: Floats) -> Array:
        """0 like the teeth, 1 like the lips; 0 where redness says nothing."""
        if not self.coloured:
            return np.zeros(yuv.shape[:-1])
        return np.asarray((self._red(yuv) - self._red(self.tooth)) / self._redder)

    @property
    def _redder(self) -> float:
        """How much redder lips are than teeth."""
        return float(self._red(self.lip) - self._red(self.tooth))

    def _red(self, yuv: Array) -> Array:
        """How much redder than grey, of its luma."""
        return np.asarray((yuv[..., 2] - 128 - 0.5 * (yuv[..., 1] - 128)) / (np.maximum(yuv[..., 0] - self.black, 0) + 16))

    def level(self, yuv: Floats) -> Array:
        """Luma over black."""
        return np.asarray(yuv[..., 0] - self.black)

    def light_of(self, colour: Array) -> float:
        """Luma of one colour over black, to measure others by: 16 at least, below which noise would count."""
        return max(float(self.level(colour)), 16.0)

    def pale(self, yuv: Floats) -> Array:
        """0..1, how far each pixel is like the teeth."""
        level, tooth = self.level(yuv), self.light_of(self.tooth)
        if not self.coloured:
            lip = min(self.light_of(self.lip), 0.8 * tooth)
            return np.asarray(smoothstep((level - lip) / (tooth - lip), *LIGHTER))
        return np.asarray(smoothstep(level / tooth, *TOOTH_LIT) * (1 - smoothstep(self.redness(yuv), *TOOTH_RED)))

    def flesh(self, yuv: Floats) -> Floats:
        """0..1, how far each pixel is of the lips, with those beside it."""
        lit = smoothstep(self.level(yuv) / self.light_of(self.lip), *LIT)
        return with_beside(smoothstep(self.redness(yuv), *RED) * lit)


def with_beside(share: Array) -> Floats:
    """A share of each pixel, 0..1, wider by a pixel and soft: the edges of what is found are half as much like it."""
    wide = cv2.dilate(share.astype(np.float32), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.GaussianBlur(wide, (0, 0), 1.0), np.float32)


@dataclass(frozen=True)
class Layer:
    """What a frame shows: h x w x 3 Y, U, V, and how far each pixel is shown, h x w, 0..1."""

    yuv: Floats
    shown: Floats


@dataclass(frozen=True)
class Frame:
    """A lender's mouth on the grid."""

    lender: Lender
    to: Skull
    upper: Layer
    bottom: Array
    """[columns]: y of its lower lip, and of its upper one."""
    top: Array
    off: tuple[float, float] = (0.0, 0.0)
    """x, y in S: how far from the grid's places it has them."""
    known: bool = True
    """Whether its upper teeth have been found."""

    @cached_property
    def sharp(self) -> float:
        """Of what it shows."""
        fine = np.abs(cv2.Laplacian(self.upper.yuv[..., 0], cv2.CV_32F))
        return float((fine * self.upper.shown).sum() / max(float(self.upper.shown.sum()), 1.0))


def on_grid(lender: Lender, person: Subject, grid: Grid, of: Palette) -> Frame:
    """A lender's mouth as the grid has it."""
    shift, teeth = shift_of(person.rest, lender.lips), float(person.bite[2])
    to, back = Skull.between(FRONT, lender.pose, teeth, shift), Skull.between(lender.pose, FRONT, teeth, -shift)
    top, bottom = (back.of(lender.pose.to_plane(line)) for line in (lender.lips.upper_inner, lender.lips.lower_inner))
    return Frame(
        lender,
        to,
        layer(lender, to, np.stack(np.meshgrid(grid.x, grid.y), axis=-1), of),
        np.interp(grid.x, bottom[:, 0], bottom[:, 1], left=-9.0, right=-9.0),
        np.interp(grid.x, top[:, 0], top[:, 1], left=9.0, right=9.0),
    )


def layer(lender: Lender, to: Skull, places: Array, of: Palette) -> Layer:
    """What the lender shows at places (h x w x 2) in the plane of a frontal head, without lips."""
    there = to.of(places)
    column, row = np.moveaxis(lender.pose.to_pixels(there.reshape(-1, 2)).reshape(there.shape).astype(np.float32), -1, 0)
    planes = lender.planes
    luma = cv2.remap(planes.y, column, row, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    chroma = [
        cv2.remap(p, (column - 0.5) / 2, (row - 0.5) / 2, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for p in (planes.u, planes.v)
    ]
    yuv = relit(np.stack([luma, *chroma], axis=-1).astype(np.float32), lender.cheeks, of.cheeks, of.black)
    return Layer(yuv, (between_lips(lender.pose, lender.lips, there) * (1 - of.flesh(yuv))).astype(np.float32))


def between_lips(pose: Pose, lips: Lips, places: Array) -> Array:
    """0..1: how far each of the places (h x w x 2) in a frame's plane lies between its lips."""
    return inset(places[..., 1], *lips_at(pose, lips, places[..., 0]))


def inset(y: Array, top: Array, bottom: Array) -> Array:
    """0..1: 1 where y lies between a top and a bottom, rising over INSET inside of them."""
    return np.asarray(smoothstep(y - top, *INSET) * smoothstep(bottom - y, *INSET))


def laid(layers: Sequence[Layer], of: Palette, *, lit: bool) -> tuple[Floats, Floats]:
    """The first layer, and where it shows nothing the next ones: colours times how far they are seen, how far they are seen.

    lit: in the light of the first.
    """
    made, seen = np.zeros_like(layers[0].yuv), np.zeros_like(layers[0].shown)
    for layer in layers:
        yuv, shown = layer.yuv, layer.shown
        if lit and seen.any():
            both = (seen > SURE) & (shown > SURE)
            if both.sum() < FEWEST:
                continue
            yuv = matched(yuv, made[both] / seen[both, None], yuv[both], of.black)
        part = (1 - seen) * cv2.GaussianBlur(shown, (0, 0), 1.0) * (shown > 0)
        made += part[..., None] * yuv
        seen += part
    return made, seen


def matched(yuv: Floats, wanted: Floats, own: Floats, black: float) -> Floats:
    """`yuv` in the light in which `own` pixels of it look like the `wanted` ones."""
    gain = float(np.clip((np.median(wanted[:, 0]) - black + 8) / (np.median(own[:, 0]) - black + 8), 0.5, 2.0))
    out = np.empty_like(yuv)
    out[..., 0] = (yuv[..., 0] - black) * gain + black
    out[..., 1:] = 128 + (yuv[..., 1:] - 128) * gain + np.median(wanted[:, 1:] - (128 + (own[:, 1:] - 128) * gain), axis=0)
    return out


def carried(made: Floats, seen: Floats, dark: Array, reach: float) -> Floats:
    """What is seen, continued over its border for about `reach` pixels; beyond, it is dark."""
    known = seen > SEEN
    values = (made / np.maximum(seen, 1e-3)[..., None] - dark).astype(np.float32)
    away = cv2.distanceTransform((~known).astype(np.uint8), cv2.DIST_L2, 3) / reach
    return np.asarray(dark + np.exp(-(away**2))[..., None] * spread(values, known), np.float32)


def eroded(shown: Floats) -> Floats:
    return np.asarray(cv2.erode(shown, np.ones((3, 3), np.uint8)), np.float32)
