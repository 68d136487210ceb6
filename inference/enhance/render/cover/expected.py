"""What the subject's lower face looks like at each place of a frame, when nothing covers it.

The reference frame's face, coarsely, in its plane coordinates; a thin plate through the mesh's points says which of its
places a frame's place is, and a slope over the face how the frame is lit against it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, median, ramp, smoothstep
from enhance.geometry.planes import Plane, Planes, even
from enhance.geometry.thin_plate import between, through
from enhance.picture import Mask
from enhance.record import Shape
from enhance.render.lips.colours import sampled
from enhance.render.lips.outline import Lips

LEFT, TOP, RIGHT, BOTTOM = -0.62, -0.20, 0.62, 1.2
CELL = 0.02
"""S: side of a cell."""
COLUMNS, ROWS = round((RIGHT - LEFT) / CELL), round((BOTTOM - TOP) / CELL)

LIPS = (
    *(61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 146, 91, 181, 84, 17, 314, 405, 321, 375),
    *(78, 80, 82, 13, 312, 310, 308, 95, 88, 87, 14, 317, 318, 324),
)
SKIN = (
    *(2, 98, 327, 129, 358, 50, 280, 36, 266, 205, 425, 187, 411, 207, 427, 216, 436, 212, 432, 214, 434, 210, 430),
    *(57, 287, 186, 410, 92, 322, 165, 391, 164, 43, 273, 106, 335, 18, 202, 422, 204, 424, 200, 199, 175, 169, 394),
)
JAW = (*(234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152), *(377, 400, 378, 379, 365, 397, 288, 361, 323, 454))
KNOTS = (*LIPS, *SKIN, *JAW)

ROUND_MOUTH = (
    *(57, 287, 186, 410, 216, 436, 212, 432, 214, 434, 210, 430, 43, 273, 106, 335, 18, 202, 422, 204, 424),
    *(200, 199, 175, 169, 394),
)
"""Of SKIN, what is moved with the mouth."""
AMONG_KNOTS = [KNOTS.index(point) for point in ROUND_MOUTH]

OF_FACE = [KNOTS.index(point) for point in (*LIPS, *SKIN)]

INNER_RING = (78, 80, 82, 13, 312, 310, 308, 324, 318, 317, 14, 87, 88, 95)
INNER = [KNOTS.index(i) for i in INNER_RING]
TORN = (0.3, 2.0)
"""Cells of the reference for one here, beyond which the plate is torn: by lips that were apart and now touch."""
PARTED = 0.012  # S between the reference's lips, from which what lies there is no face

STIFFNESS = 1e-4
COARSER = 3  # cells between the places at which the plate is evaluated
BLUR = 0.5  # of a cell
DARK = 16.0  # levels added before a logarithm is taken
OF_ITSELF = np.array([0.11, 2.2, 2.5])  # of log luma, U, V: what a face differs from itself
SCALES = np.array([0.08, 3.0, 3.0])  # of what skin differs, for the slope of the light: beyond, it is no light
STEPS = 5  # of reweighting
SOME = 3  # one of so many cells is used
FLAT = 0.05  # ridge penalty on the slope of light over S
MIDDLE = 0.4  # S under the nose: the origin of the slope of light
HUES = (0.0145, 0.0185)
"""Chroma of lips and skin that does not go with luma, of luma: none, and enough to tell them apart. Every seventh frame of
four clips in sepia, burnt out or not, has .006 to .013 (.017 at most), of 21 in colour .022 and more (.018 burnt out)."""
BURNT, FROM_RED, LIGHT = (224.0, 233.0), 1.4, (150.0, 180.0)
"""Y + FROM_RED (V - 128) up to which skin keeps its colour and from which it is burnt out: red, its largest channel, is cut off
at 235, in full range at 255. A place that is so light in this frame is burnt-out skin as far as light skin (LIGHT, Y) is
expected there."""
SEEN = 0.45  # of its extent in the reference, that the far side of a turned face has to show


@dataclass(frozen=True)
class Face:
    """The reference. texture: ROWS x COLUMNS x 3, Y U V. knots: len(KNOTS) x 2, plane coordinates."""

    texture: Annotated[Array, Shape(ROWS, COLUMNS, 3)]
    knots: Annotated[Array, Shape(len(KNOTS), 2)]

    def at(self, knots: list[int]) -> Array:
        """Y, U, V at these of KNOTS, n x 3."""
        places = ((self.knots[knots] - [LEFT, TOP]) / CELL).astype(int)
        column, row = np.clip(places, 0, [COLUMNS - 1, ROWS - 1]).T
        return np.asarray(self.texture[row, column])

    @cached_property
    def hues(self) -> float:
        """0..1: 0 where chroma goes with luma, as in sepia and in black and white: only luma separates lips from skin there."""
        luma, *chroma = self.at(OF_FACE).T
        lit = luma - luma.mean()
        slopes = (np.stack(chroma) @ lit) / max(float(lit @ lit), 1.0)
        of_its_own = np.stack(chroma) - slopes[:, None] * lit
        return ramp(float(of_its_own.var(axis=1).sum()) ** 0.5 / max(float(luma.mean()), 1.0), *HUES)


@dataclass(frozen=True)
class Compared:
    """A frame's lower face in cells, ROWS x COLUMNS, in the frame's plane coordinates. Channels: log luma, U, V."""

    pose: Pose
    seen: Floats
    usual: Floats
    """What was expected, in this frame's light."""
    skin: Mask
    """Cells of the face that are skin or lip, well inside its outline."""
    lips: Mask
    hole: Mask
    """Between the lips."""
    at: Floats
    """Of each cell, its place in the reference's texture: column, row."""
    hues: float
    """0..1: 0 where all is of a single hue."""
    burnt: Floats
    """0..1: how far the skin is burnt out, in the reference or here: its colour, and how light it is, are not known."""


def face_of(planes: Planes, head: Array, pose: Pose) -> Face:
    """The lower face of a patch in which nothing covers it. head: 478 x 3 in head coordinates."""
    return Face(_cells(planes, pose, _pixels(pose)), _knots(head, pose))


def glance(planes: Planes, head: Array, pose: Pose, face: Face) -> float:
    """How unlike the subject the second strangest of the points round the mouth is, in what a face differs from itself.

    It takes a thirtieth of compare()'s time; light that changes on the whole face changes nothing. head: 478 x 3 in head
    coordinates. face: of the reference frame.
    """
    off = levels_of(sampled(planes, pose, head[list(ROUND_MOUTH)])) - levels_of(face.at(AMONG_KNOTS))
    off = (off - median(off, axis=0)) / OF_ITSELF
    return float(np.sort(np.sqrt((off**2).sum(axis=1)))[-2])


def compare(planes: Planes, head: Array, pose: Pose, lips: Lips, face: Face) -> Compared:
    """A frame's lower face beside what is expected there. head: 478 x 3 in head coordinates; face: of the reference frame."""
    knots = _knots(head, pose)
    at = _places(knots, face.knots)
    known = face.texture.astype(np.float32)
    reference = np.asarray(cv2.remap(known, at[..., 0], at[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.float32)
    pixels = _pixels(pose)
    here, usual = _cells(planes, pose, pixels), levels_of(reference)
    seen = levels_of(here)
    mouth, hole = mouth_of(lips, pose)
    size = _size(at)
    torn = ((size < TORN[0]) | (size > TORN[1])) & ~hole
    hole |= (_unknown(face, at) | (grown(torn.astype(np.float32), 5) > 0)) & mouth
    skin = below_nose(knots, head, pose) & _in_picture(planes, pose, pixels) & _facing(at, size) & ~hole
    usual += _light(seen - usual, skin)
    light = smoothstep(np.exp(usual[..., 0]) - DARK, *LIGHT)
    return Compared(
        pose,
        seen,
        usual,
        skin,
        mouth & ~hole,
        hole,
        at,
        face.hues,
        np.asarray(np.maximum(_burnt(reference), light * _burnt(here)), np.float32),
    )


def _burnt(yuv: Floats) -> Floats:
    return np.asarray(smoothstep(yuv[..., 0] + FROM_RED * (yuv[..., 2] - 128), *BURNT), np.float32)


def mouth_of(lips: Lips, pose: Pose) -> tuple[Mask, Mask]:
    """The cells of the lips and what lies between them, and those that lie between them or touch it."""
    mouth = _filled(pose.to_plane(lips.outer_ring))
    hole = _filled(pose.to_plane(lips.inner_ring)) & (lips.closed < 1)
    return mouth, grown(hole.astype(np.float32)) > 0


def below_nose(knots: Array, head: Array, pose: Pose) -> Mask:
    """The cells well inside the face's outline, without the nose. knots: of this face."""
    inside = shrunk(outlined(knots).astype(np.float32), 5) > 0
    nose = pose.to_plane(head[[2, 98, 327]])
    return np.asarray(inside & ~((CENTRES[..., 1] < nose[:, 1].max() + 0.06) & (np.abs(CENTRES[..., 0] - nose[0, 0]) < 0.2)))


def outlined(knots: Array, across: int = 1) -> Mask:
    """The cells within the face's outline, grown by a square so many cells across. knots: of this face."""
    return np.asarray(grown(_filled(knots[-len(JAW) :]).astype(np.float32), across) > 0)


def _unknown(face: Face, at: Floats) -> Mask:
    """Cells whose places lie between the reference's lips."""
    inner = face.knots[INNER]
    if np.ptp(inner[[3, 10], 1]) < PARTED:
        return np.zeros((ROWS, COLUMNS), np.bool_)
    parted = grown(_filled(inner).astype(np.float32))
    return np.asarray(cv2.remap(parted, at[..., 0], at[..., 1], cv2.INTER_LINEAR) > 0)


def grown(values: Floats, cells: int = 3) -> Floats:
    """The largest of what lies round each cell."""
    return np.asarray(cv2.dilate(values, np.ones((cells, cells), np.uint8)), np.float32)


def shrunk(values: Floats, cells: int = 3) -> Floats:
    """The smallest of what lies round each cell; beyond the border lies 0."""
    return np.asarray(
        cv2.erode(values, np.ones((cells, cells), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=(0,)), np.float32
    )


def _centres() -> Array:
    x, y = LEFT + (np.arange(COLUMNS) + 0.5) * CELL, TOP + (np.arange(ROWS) + 0.5) * CELL
    return np.stack(np.meshgrid(x, y), axis=-1)


CENTRES = _centres()
TERMS = np.stack([np.ones(CENTRES.shape[:2]), CENTRES[..., 0], CENTRES[..., 1] - MIDDLE], axis=-1)
"""Of each cell, what a slope of light over the face consists of."""


def _knots(head: Array, pose: Pose) -> Array:
    return pose.to_plane(head[list(KNOTS)])


def levels_of(yuv: Floats) -> Floats:
    """Y, U, V as log luma, U, V."""
    out = np.asarray(yuv, np.float32).copy()
    out[..., 0] = np.log(np.maximum(out[..., 0], 0) + DARK)
    return out


def _pixels(pose: Pose) -> Array:
    """Of each cell, its x and y in the picture."""
    return pose.to_pixels(CENTRES.reshape(-1, 2)).reshape(CENTRES.shape)


def _cells(planes: Planes, pose: Pose, at: Array) -> Floats:
    """Y, U, V of the cells round the mouth; beyond the patch, those of its border. at: their _pixels()."""
    corners = at[:: ROWS - 1, :: COLUMNS - 1].reshape(-1, 2)
    area = even(Area.around(corners, 9), planes.area)
    if area.is_empty:
        return np.zeros((ROWS, COLUMNS, 3), np.float32)

    def sampled(plane: Plane, step: int) -> Floats:
        part = plane[area.y // step : -(-area.bottom // step), area.x // step : -(-area.right // step)]
        soft = cv2.GaussianBlur(part, (0, 0), max(0.5, BLUR * CELL * pose.scale / step))
        x, y = (((at[..., i] - (step - 1) / 2) / step - o // step).astype(np.float32) for i, o in ((0, area.x), (1, area.y)))
        return np.asarray(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)

    return np.stack([sampled(planes.y, 1), sampled(planes.u, 2), sampled(planes.v, 2)], axis=-1)


def _places(knots: Array, reference: Array) -> Floats:
    """Of each cell, column and row in the reference's texture."""
    count = len(knots)
    among = between(knots, knots)
    among.flat[:: count + 1] += STIFFNESS
    weights = through(knots, reference, among)
    rows, columns = -(-ROWS // COARSER), -(-COLUMNS // COARSER)
    step = CELL * COARSER
    x, y = LEFT + (np.arange(columns) + 0.5) * step, TOP + (np.arange(rows) + 0.5) * step
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    fine, there = points.astype(np.float32), knots.astype(np.float32)
    found = between(fine, there) @ weights[:count].astype(np.float32) + weights[count] + points @ weights[count + 1 :]
    found = (found - [LEFT, TOP]) / CELL - 0.5
    size = (columns * COARSER, rows * COARSER)
    large = cv2.resize(found.reshape(rows, columns, 2).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    return np.asarray(large[:ROWS, :COLUMNS], np.float32)


def _filled(outline: Array) -> Mask:
    mask = np.zeros((ROWS, COLUMNS), np.uint8)
    cells = (outline - [LEFT, TOP]) / CELL - 0.5
    cv2.fillPoly(mask, [np.round(cells * 16).astype(np.int32)], (1,), cv2.LINE_8, 4)
    return mask > 0


def _in_picture(planes: Planes, pose: Pose, at: Array) -> Mask:
    (x, y), edge = np.moveaxis(at, -1, 0), CELL * pose.scale
    right, bottom = planes.area.right - 1 - edge, planes.area.bottom - 1 - edge
    return np.asarray((x > edge) & (x < right) & (y > edge) & (y < bottom))


def _size(at: Floats) -> Floats:
    """Of each cell, how many of the reference's it stands for; below 0 where the plate is folded."""
    across, down = np.gradient(at, axis=1), np.gradient(at, axis=0)
    return np.asarray(across[..., 0] * down[..., 1] - across[..., 1] * down[..., 0], np.float32)


def _facing(at: Floats, size: Floats) -> Mask:
    """Cells that stand for not much more of the reference's face than themselves: the others turn away."""
    inside = (at[..., 0] > 0) & (at[..., 0] < COLUMNS - 1) & (at[..., 1] > 0) & (at[..., 1] < ROWS - 1)
    return np.asarray(inside & (np.abs(size) < 1 / SEEN))


def _light(difference: Floats, skin: Mask) -> Floats:
    """The slope of the difference over the face, which is light; robust, so that a cover on a part of it counts little."""
    if skin.sum() < 20:
        return np.zeros_like(difference)
    within, seen = TERMS[skin][::SOME], difference[skin][::SOME].astype(np.float64).T
    slope = np.zeros((3, 3))
    slope[:, 0] = np.median(seen, axis=1)
    ridge = FLAT * 0.05 * len(within) * np.diag([0.0, 1.0, 1.0])
    products = (within[:, :, None] * within[:, None]).reshape(-1, 9)
    for _ in range(STEPS):
        off = (seen - slope @ within.T) / SCALES[:, None]
        weights = 1 / (1 + off**2) ** 2
        slope = np.linalg.solve((weights @ products).reshape(3, 3, 3) + ridge, ((weights * seen) @ within)[..., None])[..., 0]
    return np.asarray(TERMS @ slope.T, np.float32)
