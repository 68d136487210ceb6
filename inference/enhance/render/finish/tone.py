"""The colours of the subject's lips, given to the lips of every frame.

Lips that the warp stretches come out pale, and those of the source frame are lit, wet and pulled as its own speech has
them. So what varies slowly over a lip is made the subject's; the texture stays the frame's own, but no paler than any of
the subject's: teeth that the mesh took for lip disappear.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.planes import Colours, Plane, Planes, even, halved, mean_of_four
from enhance.record import Shape
from enhance.render.light import light_between, light_of, rgb_of
from enhance.render.lips.colours import COLUMNS, light_across
from enhance.render.lips.outline import ALONG, SAMPLES

DEPTHS = np.array([0.2, 0.4, 0.6, 0.8])
"""From a lip's inner contour, 0, to its outer, 1."""
GRID = (2, len(DEPTHS), len(COLUMNS))
"""Lips, depths, columns."""

SHARE = 0.85  # of the difference that is made up for
MOST = np.array([70.0, 30.0, 30.0])  # of it, in grey levels
FINEST = 0.014  # S: what is finer is texture
PALEST = 0.97  # quantile of the subject's texture
SLACK = 3.0  # grey levels beyond it
THINNEST = 0.012  # lip, in S
INNER, NEAR_CORNER = 2, 3  # of DEPTHS, from the inner contour; of COLUMNS, from a corner


@dataclass(frozen=True)
class Tone:
    """The colours of the subject's lips."""

    relative: Annotated[Array, Shape(*GRID, 3)]
    """GRID x 3, against the skin round them: logarithm of Y; U and V by light_of() that skin."""
    palest: Annotated[Array, Shape(2, 2)]
    """2 lips x (Y, V): how much lighter, how much less red than its surroundings the texture gets, in grey levels."""

    def under(self, light: Array, black: float) -> Array:
        """Y, U, V of the lips, GRID x 3, where the skin round them has those of `light` (len(COLUMNS) x 3). black: its Y."""
        return _beside(light, self.relative, black)

    def sides_under(self, light: Array, colours: Colours) -> Array:
        """2 x 3: R, G, B of the inner lower lip near its left and right corner, of all of it, where the skin round the lips has
        those of `light` (as in under())."""
        lip = self.under(light, colours.black)[1, :INNER]
        left, whole, right = (rgb_of(part.mean((0, 1)), colours) for part in (lip[:, :NEAR_CORNER], lip, lip[:, -NEAR_CORNER:]))
        return np.stack([light_between(side, whole) for side in (left, right)])


@dataclass(frozen=True)
class Ring:
    """Both lips. Contours in plane coordinates, SAMPLES x 2 each: upper inner and outer, lower inner and outer."""

    pose: Pose
    contours: tuple[Array, Array, Array, Array]
    area: Area
    """The pixels round them."""

    @classmethod
    def of(cls, pose: Pose, upper: tuple[Array, Array], lower: tuple[Array, Array], within: Area) -> "Ring":
        """upper, lower: inner and outer contour, in head coordinates."""
        a, b, c, d = (pose.to_plane(contour) for contour in (*upper, *lower))
        pixels = pose.to_pixels(np.vstack([a, b, c, d]))
        return cls(pose, (a, b, c, d), even(Area.around(pixels, 2 + round(0.02 * pose.scale)), within))

    @cached_property
    def places(self) -> tuple[Array, npt.NDArray[np.bool_], Array]:
        """Of each pixel: along the lips -1..1, which lip (0 or 1), depth in it."""
        plane = self.pose.plane_of(self.area)
        x, y = plane[..., 0], plane[..., 1]
        inner, outer, low_inner, low_outer = (np.interp(x, line[:, 0], line[:, 1]) for line in self.contours)
        upper = (inner - y) / np.maximum(inner - outer, THINNEST)
        lower = (y - low_inner) / np.maximum(low_outer - low_inner, THINNEST)
        lip = y > (inner + low_inner) / 2
        ends = (self.contours[1] + self.contours[3]) / 2
        return np.interp(x, ends[:, 0], ALONG, left=-2, right=2), lip, np.where(lip, lower, upper)

    @cached_property
    def cosine(self) -> Array:
        """Of each pixel: how level its lip's outer contour is in that column: the cosine of its slope, 1 where it is level."""
        x = self.pose.plane_of(self.area)[..., 0]
        upper, lower = (np.interp(x, line[:, 0], _cosine(line)) for line in (self.contours[1], self.contours[3]))
        return np.where(self.places[1], lower, upper)

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """Of each pixel: the column and the row of the grid, its lips one below the other."""
        along, lip, depth = self.places
        x = np.clip((along + 1) / 2 * (SAMPLES - 1), COLUMNS[0], COLUMNS[-1])
        x = (x - COLUMNS[0]) / (COLUMNS[1] - COLUMNS[0])
        y = np.clip((depth - DEPTHS[0]) / (DEPTHS[1] - DEPTHS[0]), 0, len(DEPTHS) - 1) + len(DEPTHS) * lip
        return x.astype(np.float32), y.astype(np.float32)

    def means(self, planes: Planes) -> Array:
        """Y, U, V on the grid, GRID x 3."""
        inner, outer = (np.stack([self.contours[i], self.contours[i + 2]])[:, None, COLUMNS] for i in (0, 1))
        at = self.pose.to_pixels(inner + DEPTHS[:, None, None] * (outer - inner)) - [self.area.x, self.area.y]
        seen = []
        for plane, step in ((planes.y, 1), (planes.u, 2), (planes.v, 2)):
            part = smoothed(plane[coarser(self.area, step).slices], FINEST * self.pose.scale / step)
            x, y = (((at[..., i] - (step - 1) / 2) / step).astype(np.float32).reshape(-1, GRID[2]) for i in (0, 1))
            seen.append(cv2.remap(part, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(GRID))
        return np.asarray(np.stack(seen, axis=-1), np.float64)

    def spread(self, values: Array, step: int) -> Floats:
        """Values on the grid, GRID, at every pixel of the area, or every second one."""
        x, y = (np.ascontiguousarray(v[::step, ::step]) for v in self.nodes)
        rows = values.reshape(-1, GRID[2]).astype(np.float32)
        return np.asarray(cv2.remap(rows, x, y, cv2.INTER_LINEAR), np.float32)


def _cosine(line: Array) -> Array:
    """The cosine of a contour's slope at each of its points."""
    across, down = np.gradient(line, axis=0).T
    return np.asarray(np.abs(across) / np.maximum(np.hypot(across, down), 1e-9))


def tone_of(planes: Planes, head: Array, ring: Ring, black: float) -> Tone:
    """From the subject's reference frame. black: Y of black."""
    if ring.area.is_empty:
        return Tone(np.zeros((*GRID, 3)), np.zeros((2, 2)))
    seen = ring.means(planes)
    palest = np.zeros((2, 2))
    for i, (plane, step, channel, sign) in enumerate(((planes.y, 1, 0, 1), (planes.v, 2, 2, -1))):
        texture = plane[coarser(ring.area, step).slices] - ring.spread(seen[..., channel], step)
        along, lip, depth = (v[::step, ::step] for v in ring.places)
        for which in (0, 1):
            inside = texture[(lip == which) & (np.abs(depth - 0.5) < 0.4) & (np.abs(along) < 0.85)]
            palest[which, i] = np.quantile(sign * inside, PALEST) if len(inside) else 0
    return Tone(_against(light_across(planes, head, ring.pose), seen, black), np.maximum(palest, 0))


def relative_of(planes: Planes, head: Array, ring: Ring, black: float) -> Array:
    """Tone.relative of a frame's lips."""
    if ring.area.is_empty:
        return np.zeros((*GRID, 3))
    return _against(light_across(planes, head, ring.pose), ring.means(planes), black)


def _against(light: Array, lips: Array, black: float) -> Array:
    """Colours of lips (GRID x 3) against those of the skin round them (len(COLUMNS) x 3), as Tone.relative."""
    relative = (lips - light) / light_of(light, black)
    relative[..., 0] = np.log((np.maximum(lips[..., 0], 0) + 16) / (light[..., 0] + 16))
    return np.asarray(relative)


def _beside(light: Array, relative: Array, black: float) -> Array:
    """The colours that _against() has been told."""
    lips = light + relative * light_of(light, black)
    lips[..., 0] = np.exp(relative[..., 0]) * (light[..., 0] + 16) - 16
    return np.asarray(lips)


def changed(relative: Array, skin: Array, change: Callable[[Array], Array], black: float) -> Array:
    """Tone.relative in other light. skin: [3], Y, U, V of the cheeks. change: takes Y, U, V (... x 3) to those in that light.

    black: Y of black.
    """
    light = np.broadcast_to(skin, (len(COLUMNS), 3))
    return _against(change(light), change(_beside(light, relative, black)), black)


def retone(out: Planes, light: Array, ring: Ring, tone: Tone, amount: float, black: float) -> Floats:
    """Colours the lips of `out`; how far each pixel of the ring's area was changed, 0..1.

    light: Y, U, V of the skin round the lips, len(COLUMNS) x 3. black: Y of black.
    """
    if ring.area.is_empty:
        return np.zeros((0, 0), np.float32)
    seen = ring.means(out)
    change = SHARE * np.clip(tone.under(light, black) - seen, -MOST, MOST)
    along, lip, depth = ring.places
    # Depth goes straight down: where the border is steep it would end within a pixel.
    weight = amount * (1 - smoothstep(1 - (1 - depth) * ring.cosine, 0.75, 1.1)) * (1 - smoothstep(np.abs(along), 0.8, 1.0))
    weight = weight.astype(np.float32)
    for channel, (plane, step) in enumerate(((out.y, 1), (out.u, 2), (out.v, 2))):
        part = plane[coarser(ring.area, step).slices]
        level = ring.spread(seen[..., channel], step)
        texture = part - level
        if channel != 1:
            most = (tone.palest[:, channel // 2] + SLACK)[lip[::step, ::step].astype(int)].astype(np.float32)
            texture = np.minimum(texture, most) if channel == 0 else np.maximum(texture, -most)
        share = weight if step == 1 else mean_of_four(weight)
        new = part + share * (level + ring.spread(change[..., channel], step) + texture - part)
        part[...] = np.where(share > 0, np.clip(new + 0.5, 0, 255), part).astype(np.uint8)
    return weight


def coarser(area: Area, step: int) -> Area:
    """The area in samples of a plane with a sample to `step` luma pixels, 1 or 2."""
    return area if step == 1 else halved(area)


def smoothed(plane: Plane, sigma: float) -> Floats:
    """Blurred by sigma in samples, at least 0.5."""
    return np.asarray(cv2.GaussianBlur(plane.astype(np.float32), (0, 0), max(sigma, 0.5)), np.float32)
