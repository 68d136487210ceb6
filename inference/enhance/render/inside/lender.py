"""LENDER: the mouth of one frame with all that is needed to place it on the skull, as bytes.

A Mouth as float32, then the planes Y, U and V of its pixels, then zeros up to size_of().
"""

from dataclasses import dataclass, fields
from typing import Annotated

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.head import Array, BadMouthError, Pose, SidewaysError, pose_of, ramp
from enhance.geometry.planes import Colours, Planes, even, from_rgb
from enhance.record import Record, Shape
from enhance.render.cover.captions import captions_over
from enhance.render.cover.occlusion import cover_of
from enhance.render.cover.trust import Tells, cheeks_of, look, trust
from enhance.render.finish.tone import GRID, Ring, changed, relative_of
from enhance.render.light import tint_on, tinted
from enhance.render.lips.outline import SAMPLES, Lips, lips_of
from enhance.render.subject import Subject

from .seen import lips_seen, skin_between

COVERED = (0.02, 0.10)  # share of the mouth behind a hand or a microphone, which would be lent too: no doubt, no belief
MISTAKEN = (0.25, 0.35)  # share of its width that shows nothing but lip: no doubt, no belief
LEAST = 8  # pixels of a mouth's side that are worth lending
MARGIN = 0.05  # of the lips' surroundings that travel along, in S

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Mouth:
    """A mouth as a frame showed it."""

    height: int
    """Pixels, even."""
    width: int
    pose: Pose
    """In these pixels."""
    lips: Lips
    cheeks: Annotated[Array, Shape(3)]
    """Y, U, V of the cheeks: the light."""
    tone: Annotated[Array, Shape(*GRID, 3)]
    """The lips' colours, as finish.tone.Tone.relative, in light of the colour of the reference's."""
    seen: float
    """0..1: 0 where the mouth was turned away, cut off or covered."""
    belief: float
    """The same, and 0 where its mesh took lips for its inside."""


@dataclass(frozen=True)
class Lender(Mouth):
    """A mouth and its pixels."""

    planes: Planes
    """The mouth and little round it."""


MOUTH = Record("LENDERS", Mouth, version=7)


def size_of(side: int) -> int:
    """Bytes of a LENDER that holds a mouth of side x side pixels."""
    return MOUTH.size * 4 + side * side * 3 // 2


def lend(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic], person: Subject, side: int) -> Bytes:
    """The LENDER of a patch, size_of(side) bytes; a mouth of more than side x side pixels is made smaller.

    mesh: 478 x 3 in the patch's pixels. Raises BadMouthError when `mesh` is no face's.
    """
    try:
        pose = pose_of(mesh)
    except SidewaysError:
        return _nothing(side)
    head = pose.to_head(mesh.astype(np.float64))
    written = captions_over(planes, head, pose)
    if written is not None:
        planes = written.taken_off(planes)
    lips = lips_of(head, pose, planes)
    cheeks = cheeks_of(planes, head, pose)
    lit = person.under(cheeks, colours)
    cover = cover_of(planes, head, pose, lips, lit.face)
    tells = Tells.of(cheeks, lit.face)
    seen = trust(planes, head, pose, lips, look(planes, head, pose, lips), lit.look, tells) * (
        (1 - ramp(cover.mouth, *COVERED)) * (1 - cover.bare) if cover else 1
    )
    if written is not None and written.hides_mouth:
        seen = 0.0
    seen *= 1 - skin_between(planes, pose, lips, cheeks, from_rgb(np.array([person.skin, person.tooth], np.float32), colours))
    area = _around(lips, pose, planes.area)
    if min(area.width, area.height) < LEAST:
        return _nothing(side)
    small, zoom = _shrunk(_cropped(planes, area), side)
    anchor = np.array([*((pose.anchor[:2] - [area.x, area.y] + 0.5) * zoom - 0.5), pose.anchor[2]])
    height, width = small.y.shape
    ring = Ring.of(pose, (lips.upper_inner, lips.upper_outer), (lips.lower_inner, lips.lower_outer), planes.area)
    mouth = Mouth(
        height,
        width,
        Pose(pose.scale * float(zoom.mean()), pose.axes, anchor),
        lips,
        cheeks,
        _in_own_light(relative_of(planes, head, ring, colours.black), cheeks, person, colours),
        seen,
        seen * (1 - ramp(lips_seen(planes, pose, lips, person.tooth), *MISTAKEN)),
    )
    return _packed(mouth, small, side)


def _in_own_light(relative: Array, cheeks: Array, person: Subject, colours: Colours) -> Array:
    """Tone.relative of lips beside these cheeks (Y, U, V), in light of the colour in which the subject was measured."""
    tint = tint_on(cheeks, colours, person.skin)
    return changed(relative, cheeks, lambda yuv: tinted(yuv, 1 / tint, colours), colours.black)


def lender_from(values: bytes, side: int) -> Lender:
    """A lender from its bytes. Raises ValueError when they did not come from lend()."""
    if len(values) != size_of(side):
        raise BadMouthError(f"expected LENDERS of {size_of(side)} bytes each, got {len(values)}")
    mouth = MOUTH.unpack(np.frombuffer(values[: MOUTH.size * 4], "<f4"))
    height, width = mouth.height, mouth.width
    if min(height, width) < 2 or height * width > side * side or height % 2 or width % 2:
        raise BadMouthError(f"expected LENDERS with a mouth of at most {side} x {side} pixels, got {width} x {height}")
    luma, chroma = height * width, height * width // 4
    pixels = np.frombuffer(values, np.uint8, luma + 2 * chroma, MOUTH.size * 4)
    half = (height // 2, width // 2)
    planes = Planes(
        pixels[:luma].reshape(height, width),
        pixels[luma : luma + chroma].reshape(half),
        pixels[luma + chroma :].reshape(half),
    )
    return Lender(**{field.name: getattr(mouth, field.name) for field in fields(mouth)}, planes=planes)


def _nothing(side: int) -> Bytes:
    """The LENDER of a face seen from the side, or of a mouth outside its patch: nothing is seen of it."""
    nowhere = np.zeros((SAMPLES, 3))
    lips = Lips(nowhere, nowhere, nowhere, nowhere, 0.0, 0.0, 0.0)
    mouth = Mouth(2, 2, Pose(1.0, np.zeros((3, 3)), np.zeros(3)), lips, np.zeros(3), np.zeros((*GRID, 3)), 0.0, 0.0)
    grey = np.full((2, 2), 128, np.uint8)
    return _packed(mouth, Planes(grey, grey[:1, :1], grey[:1, :1]), side)


def _packed(mouth: Mouth, planes: Planes, side: int) -> Bytes:
    numbers = MOUTH.pack(mouth).astype("<f4").view(np.uint8)
    values = np.concatenate([numbers, planes.y.ravel(), planes.u.ravel(), planes.v.ravel()])
    return np.asarray(np.pad(values, (0, size_of(side) - len(values))), np.uint8)


def _around(lips: Lips, pose: Pose, within: Area) -> Area:
    """Pixels round the lips, its sides even."""
    at = pose.to_pixels(pose.to_plane(lips.outer_ring))
    return even(Area.around(at, MARGIN * pose.scale), Area(0, 0, within.right & ~1, within.bottom & ~1))


def _cropped(planes: Planes, area: Area) -> Planes:
    half = Area(area.x // 2, area.y // 2, area.right // 2, area.bottom // 2)
    return Planes(planes.y[area.slices], planes.u[half.slices], planes.v[half.slices])


def _shrunk(planes: Planes, side: int) -> tuple[Planes, Array]:
    """At most side x side pixels, and how much smaller it is across and down."""
    height, width = planes.y.shape
    zoom = min(1.0, side / (height * width) ** 0.5)
    small = max(2, int(width * zoom) & ~1), max(2, int(height * zoom) & ~1)
    if zoom == 1:
        return planes, np.ones(2)
    y = np.asarray(cv2.resize(planes.y, small, interpolation=cv2.INTER_AREA), np.uint8)
    u, v = (
        np.asarray(cv2.resize(p, (small[0] // 2, small[1] // 2), interpolation=cv2.INTER_AREA), np.uint8)
        for p in (planes.u, planes.v)
    )
    return Planes(y, u, v), np.array([small[0] / width, small[1] / height])
