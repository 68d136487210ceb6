"""INSIDE: the one inside of a subject's mouth, as bytes, and how a frame shows it.

The upper teeth are a picture that is fixed to the skull. What lies under them, lower teeth, tongue and dark, is fixed to the
jaw: a few pictures of it, from little open to wide open, between which a frame is mixed by how far it is open. Whatever frame
shows them, the teeth are the same.
An Inside as float32, then the pictures, Y, U and V of each pixel, then zeros up to size_of().
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, BadMouthError, Pose, median, smoothstep
from enhance.geometry.planes import Colours
from enhance.plan.measures import AS_WIDE
from enhance.record import Record, Shape
from enhance.render.finish.opened_lips import SIZE as LIPS_SIZE
from enhance.render.light import DIM
from enhance.render.lips.shape import Asked

from .interior import Hole
from .lip_shade import SIZE as LIP_SIZE
from .lip_shade import shade_under
from .narrow import Narrowing
from .shade import EQUAL, SIZE, Places, at_places, contrast_at, corner_light
from .skull import FRONT, Skull

REACH = 0.36  # S to either side of the teeth's midline
ABOVE, BELOW = 0.13, 0.045  # S over and under the supposed edge of the upper teeth that their picture goes
DEEP = 0.24  # S over the lower lip that the pictures of what lies under them go
LEVELS = 5  # of them, at most
POINTS = 96  # along a line from the left to the right of the pictures
GAPS = (0.04, 0.09, 0.16, 0.26)  # S between the lips at which the light on the upper teeth is known
MIDDLE = 0.06  # S to either side of the midline, where it is measured how far a mouth is open
PARTED, MOST_STRETCHED = np.array([0.08, 0.15]), np.array([1.3, 2.2])
"""S of room under the upper teeth, between which the pictures under them stop being stretched, and the same in times of the
room that the widest open one had, where this is less (docs/decisions/0250)."""
SHADE, SHADED = 0.20, (-0.004, 0.02)  # share of light that the upper lip takes from what is under the teeth, and within which S
MIXED = 0.04  # S of room under the upper teeth, less and more, over which the pictures are mixed (docs/decisions/0171)
EDGE = 0.006  # S: half the width of the soft edge of the upper teeth
LIGHTS = (0.3, 2.5)
_WITHIN = np.linspace(-1, 1, 17)

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Inside:
    """Everything but the pixels. Lengths in S, places in head coordinates without the shift of the subject's mouth."""

    density: float
    """Pixels per S."""
    left: float
    top: float
    """Of the pictures; those of the jaw begin at the lower lip."""
    teeth: float
    """Depth of the upper teeth."""
    cheeks: Annotated[Array, Shape(3)]
    """Y, U, V of the cheeks in the light in which the pictures are."""
    tone: Annotated[Array, Shape(len(GAPS))]
    """Of the upper teeth's light, at GAPS."""
    edge: Annotated[Array, Shape(POINTS)]
    """y of the upper teeth's edge."""
    lip_shade: Annotated[Array, Shape(*LIP_SIZE)]
    """Of the upper teeth, by how far they lie under the upper lip."""
    shade: Annotated[Array, Shape(*SIZE)]
    """Of the whole inside, in addition to what every mouth has."""
    contrast: Annotated[Array, Shape(*EQUAL.shape)]
    """By how far it is open: of how much lighter what is lighter than the mean is (shade.py::contrast_of)."""
    beside: float
    """Of the light beside little openings, where lips lie on each other."""
    slit_end: float
    """S between lips from which the inside is wholly seen (interior.py::slit_of)."""
    narrowing: Narrowing
    """Of its light, in mouths that are narrower or wider than the clip's."""
    lips: Annotated[Array, Shape(*LIPS_SIZE)]
    """How their colours change as the mouth opens (finish/opened_lips.py)."""
    fullness: Annotated[Array, Shape(2)]
    """[upper, lower]: how much thicker they are apart than shut (lips/fullness.py)."""
    levels: int
    """Pictures of what lies under them; 0: nothing is known of this mouth but its lips."""
    opened: Annotated[Array, Shape(LEVELS)]
    """How high what lies under the upper teeth is in the middle of each."""
    heights: Annotated[Array, Shape(LEVELS, POINTS)]
    """How high it is."""


@dataclass(frozen=True, eq=False)
class Merged(Inside):
    """An Inside and its pictures: h x w x 3 float32, Y, U, V."""

    upper: Floats
    below: tuple[Floats, ...]
    """Each from the lower lip upwards."""


@dataclass(frozen=True)
class Receiver:
    """The mouth that an inside is shown in: its opening `hole`, its lips as they are asked for, and its frame."""

    hole: Hole
    asked: Asked
    pose: Pose
    cheeks: Array
    """Y, U, V of this frame's: the light."""
    colours: Colours


@dataclass(frozen=True)
class Row:
    """A frame's own upper teeth. x, y: S from where the mesh has them. light: theirs, as a factor of the merged teeth's."""

    x: float = 0.0
    y: float = 0.0
    light: float = 1.0


MERGED_ROW = Row()
INSIDE = Record("INSIDE", Inside, version=9)


def size_of(density: float) -> int:
    """Bytes of an INSIDE of at most `density` pixels per S."""
    (upper, across), (below, _) = shapes_of(density)
    return INSIDE.size * 4 + 3 * across * (upper + LEVELS * below)


def shapes_of(density: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """Rows and columns of the picture of the upper teeth, and of one of what lies under them."""
    across = round(2 * REACH * density)
    return (round((ABOVE + BELOW) * density), across), (round(DEEP * density), across)


def pack(merged: Merged, most: float) -> Bytes:
    """INSIDE, size_of(most) bytes. most: pixels per S that one may have."""
    numbers = INSIDE.pack(merged).astype("<f4").view(np.uint8)
    pictures = [np.clip(picture + 0.5, 0, 255).astype(np.uint8).ravel() for picture in (merged.upper, *merged.below)]
    values = np.concatenate([numbers, *pictures])
    return np.asarray(np.pad(values, (0, size_of(most) - len(values))), np.uint8)


@lru_cache(maxsize=16)
def inside_from(values: bytes, most: float) -> Inside:
    """All of it but the pictures. Raises ValueError when the bytes did not come from pack()."""
    if len(values) != size_of(most):
        raise BadMouthError(f"expected INSIDE of {size_of(most)} bytes, got {len(values)}")
    inside = INSIDE.unpack(np.frombuffer(values[: INSIDE.size * 4], "<f4"))
    if not (0 < inside.density <= most and 0 <= inside.levels <= LEVELS):
        raise BadMouthError(f"expected INSIDE of at most {most:g} pixels per S and {LEVELS} levels")
    return inside


@lru_cache(maxsize=16)
def merged_from(values: bytes, most: float) -> Merged | None:
    """The inside from its bytes, unpacked once for a clip; None where it has no pictures. Raises as inside_from()."""
    inside = inside_from(values, most)
    if not inside.levels:
        return None
    upper, below = shapes_of(inside.density)
    at, pictures = INSIDE.size * 4, []
    for rows, columns in (upper, *[below] * inside.levels):
        pixels = np.frombuffer(values, np.uint8, rows * columns * 3, at)
        pictures.append(pixels.reshape(rows, columns, 3).astype(np.float32))
        at += pixels.size
    return Merged(**vars(inside), upper=pictures[0], below=tuple(pictures[1:]))


def relit(yuv: Floats, cheeks: Array, other: Array, black: float) -> Floats:
    """Colours (... x 3: Y, U, V) that lay beside `cheeks`, as they would lie beside the `other` cheeks (Y, U, V each)."""
    gain = brighter(cheeks, other, black)
    level = (yuv[..., 0] - black) * gain
    tint = other[1:] - 128 - gain * (cheeks[1:] - 128)
    paleness = np.clip(level / max(float(other[0]) - black, 16.0), 0, 1.5)
    u, v = (128 + (yuv[..., i] - 128) * gain + tint[i - 1] * paleness for i in (1, 2))
    return np.asarray(np.stack([level + black, u, v], axis=-1), np.float32)


def brighter(cheeks: Array, other: Array, black: float) -> float:
    """How much more light there is on the `other` cheeks than on `cheeks` (Y, U, V each)."""
    return float(np.clip((other[0] - black + DIM) / (cheeks[0] - black + DIM), *LIGHTS))


def dim(yuv: Floats, light: Array | float, black: float) -> None:
    """Multiplies the light of colours (h x w x 3: Y, U, V), in place, by 0..1: one number, or h x w."""
    share = np.asarray(light, np.float32)
    # By whole planes: numpy is slow in steps of three.
    planes = zip(cv2.split(yuv), (black, 128.0, 128.0), strict=True)
    cv2.merge([np.asarray((plane - grey) * share + grey, np.float32) for plane, grey in planes], yuv)


def show(inside: Merged, to: Receiver, row: Row = MERGED_ROW) -> Floats:
    """The hole's pixels, h x w x 3 Y, U, V. row: the frame's own upper teeth."""
    hole, black = to.hole, to.colours.black
    here = Skull.between(to.pose, FRONT, inside.teeth, -to.asked.shift)
    x = here.x(hole.x, hole.y)
    y, top, bottom = (here.y(hole.x, v) for v in (hole.y, hole.top, hole.bottom))
    column = (x - inside.left) * inside.density - 0.5
    tooth = column - row.x * inside.density
    points = (np.arange(POINTS) + 0.5) / POINTS * inside.upper.shape[1] - 0.5
    edge = np.interp(tooth, points, inside.edge) + row.y

    gap = to.asked.gap
    upper = _at(inside.upper, tooth, (y - row.y - inside.top) * inside.density - 0.5)
    under = hole.y - hole.top
    lip = shade_under(inside.lip_shade, under)
    paleness = np.clip((upper[..., 0] - black) / max(float(inside.cheeks[0]) - black, 16.0), 0, 1)
    dim(upper, lip[..., 0] * np.float32(tooth_light(inside, gap) * row.light), black)
    upper[..., 1:] += paleness[..., None] * lip[..., 1:]

    room = np.maximum(bottom - np.maximum(edge, top), 1e-3)
    middle = np.abs(x - inside.left - REACH) < MIDDLE
    opened = float(median(room[middle])) if middle.any() else float(room.max())
    stretched = _stretched(inside, opened)
    below = np.zeros_like(upper)
    for level, share in _levels(inside, opened):
        height = np.interp(column, points, inside.heights[level])
        # It goes with the jaw, and is hidden by the upper teeth. In more room than it had it is stretched, while the mouth is
        # little open: dark between two rows would flash. Farther open, the dark above it is seen.
        over_lip = np.minimum(bottom - y, room) * (height / room) ** stretched
        below += np.float32(share) * _at(inside.below[level], column, over_lip * inside.density - 0.5)

    dim(below, 1 - SHADE * (1 - smoothstep(under, *SHADED)), black)
    soft = max(0.5 / to.pose.scale, EDGE)
    yuv = below + smoothstep(edge - y, -soft, soft).astype(np.float32)[..., None] * (upper - below)
    shade = shade_at(inside, places_of(to))
    shown = relit(yuv, inside.cheeks, to.cheeks, black)
    dim(shown, shade[..., 0] * np.float32(inside.narrowing.light(to.asked.width / AS_WIDE)), black)
    shown[..., 1:] += shade[..., 1:]
    luma = shown[..., 0]
    usual = np.float32((luma * hole.opacity).sum() / max(float(hole.opacity.sum()), 1e-3))
    luma += np.float32(contrast_at(inside.contrast, gap) - 1) * np.maximum(luma - usual, 0)
    return shown


def tooth_light(inside: Inside, gap: float) -> float:
    """A factor of the upper teeth's light between lips that are `gap` (S) apart."""
    return float(np.interp(gap, GAPS, inside.tone))


def shade_at(inside: Inside, places: Places) -> Floats:
    """What luma is multiplied by, and what is added to U and V: h x w x 3."""
    shade = at_places(inside.shade, places)
    shade[..., 0] *= corner_light(places.aside)
    return shade


def places_of(to: Receiver) -> Places:
    """Of the hole's pixels."""
    hole, corners = to.hole, corners_of(to.pose, to.asked.upper_inner)
    return Places.between(to.asked.gap, corners, (hole.x, hole.y), (hole.top, hole.bottom))


def corners_of(pose: Pose, upper_inner: Array) -> tuple[float, float]:
    """x in the frame's plane where a lip's contour begins and ends."""
    left, right = pose.to_plane(upper_inner[[0, -1]])[:, 0]
    return float(left), float(right)


def _stretched(inside: Merged, opened: float) -> float:
    """How far the pictures under the upper teeth fill a room of `opened` S, 0..1. What was seen in little room would be a row
    of teeth that is too high, half transparent; what is drawn where nothing was seen (a room of 0) would be dark to the lip."""
    first, last = np.minimum(PARTED, MOST_STRETCHED * inside.opened[inside.levels - 1])
    return 1 - float(smoothstep(np.array(opened), first, last)) if last > 0 else 0.0


def _levels(inside: Merged, opened: float) -> list[tuple[int, float]]:
    """The pictures that a mouth so far open is mixed of, with their shares: the mean of those of all openings within MIXED.
    Pictures of like openings may differ much, and would otherwise replace each other from one frame to the next."""
    known = inside.opened[: inside.levels]
    near = opened + MIXED * _WITHIN
    shares = [float(np.interp(near, known, one).mean()) for one in np.eye(inside.levels)]
    return [(level, share) for level, share in enumerate(shares) if share > 0]


def _at(picture: Floats, column: Array, row: Array) -> Floats:
    x, y = column.astype(np.float32), row.astype(np.float32)
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.float32)
