"""What covers the lower face - a microphone, a finger, a pen, a strand of hair - found in one frame.

A place is strange when its colour is not the subject's own there, in this frame's light. A strange piece is a thing only
when it is strange enough as a whole and reaches beyond the face, as all that is held or hangs does: a wet lip, a shade
under it and teeth do not.
docs/decisions/0096 and 0181.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.landmarks import NOSE_BASE
from enhance.geometry.planes import Planes, even, full_chroma
from enhance.render.lips.outline import Lips

from .bare import bareness
from .expected import CELL, CENTRES, COLUMNS, DARK, LEFT, ROWS, TOP, Compared, Face, compare, grown, shrunk
from .fingers import corner_left, finger, gone_share, lips_gone
from .overlay import Overlay

DARKER, LIGHTER, UNSURE = 0.11, 0.20, 0.20
"""Of log luma: what skin gets darker and lighter by itself; and darker, lips and skin that is burnt out."""
CHROMA = (2.2, 2.5)  # levels of U and of V
USUAL = 0.35  # median strangeness of a face that is not covered: in a noisy or badly lit one all counts less
CHEEKS_END = 0.15  # S under the nose: what is above is seldom covered
TURNING = (8.0, 12.0)  # degrees from which a face is lit otherwise than the reference, and in which all counts half
SHADES = (0.4, 1.6)  # of luma, between which a shade takes chroma with it
STRANGE, CERTAIN = 1.4, 2.0  # in those scales: belongs to a thing, if there is one; makes one
MOVED, AROUND = (0.015, 0.045), 9
"""MOVED: S by which a place of the face lies elsewhere than in the reference: from the first on what is expected there is in
doubt, from the second on unknown. AROUND: cells across the neighbourhood whose colours are then all expected, because in a
laugh beards and folds move otherwise than the mesh."""
ENOUGH = (30.0, 60.0)  # cells times what they are beyond CERTAIN: no thing, a thing
EDGE = (1.2, 2.4)  # strangeness of a cell between not covered and covered
FINE_EDGE = (1.4, 2.6)  # and of a pixel
FOLLOWED = 0.4  # S that a thing is followed by its colour, where nothing is known of what is usual
SPREAD = np.array([0.35, 4.0, 4.0])  # of the colour within a thing: log luma, U, V
ALIKE = (1.2, 2.4)  # distance in colour to the nearest piece of the thing, in SPREAD, between covered and not
FINE = 110.0  # pixels in S from which larger faces are looked at in blocks of pixels, to follow a thing
MIXED = 0.3  # of what it differs from skin: pixels of a thin thing are mixed with it
NEAR = 0.06  # S: sigma of what is near
BESIDE_HOLE = (0.03, 0.12)  # share of what lies beside that is covered, for the open mouth to be covered too
FOREIGN = (3.0, 8.0)  # levels of chroma that no mouth shows between its lips, beyond neutral and its lips' red
UNLIKE_SKIN = (2.0, 4.0)  # strangeness against the skin: beyond the face only a thing is followed that is not skin
FEATHER = 1.0  # pixels
ACROSS = 0.5  # S: a thing as wide, as a cup is, may be held by a hand below its upper edge
HELD = 0.4  # median strangeness of what lies below it, for a hand: .5 to 1.3 of hands, 0 of a bare chin under a bar
WIDENS = 5  # cells across, of which the middle one is held in the row above: what is held grows wider downwards
BESIDE = 0.022  # S round a thing that is taken for its shadow and its blur, when the face behind it is made up
CORNER = (0.12, 0.16)
"""S of the mouth beside a finger: where less is seen, the mesh does not know where the corner is, nor how wide the mouth; where
more is, it is painted behind the finger."""
MOST_OF_LIPS = (0.44, 0.58)  # of the lips turned to skin: a finger takes .5 at most, a hand .6 and more
MOST_OF_MOUTH = (0.48, 0.66)  # of the mouth covered, between painting behind and leaving the frame alone


@dataclass(frozen=True)
class Cover(Overlay):
    """A thing, a finger or a hand."""

    mouth: float
    """Share of the mouth that is covered."""
    finger: float
    """How sure it is that a single finger lies before the lips, 0..1."""
    gone: float
    """Share of the lips where skin is seen instead."""
    bare: float
    """How sure it is that a hand covers a part of the mouth, 0..1; where it ends is not known."""

    @property
    def hidden(self) -> float:
        """1 when too little of the mouth is seen to paint a new one behind the thing."""
        return max(ramp(self.mouth, *MOST_OF_MOUTH), ramp(self.gone, *MOST_OF_LIPS), self.bare)


def cover_of(planes: Planes, head: Array, pose: Pose, lips: Lips, face: Face) -> Cover | None:
    """What covers the face, compared with the reference `face`; None when nothing does. head: 478 x 3 in head coordinates."""
    seen = compare(planes, head, pose, lips, face)
    gone = lips_gone(seen)
    strange = strange_cells(seen)
    covered, band = things(seen, strange, pose, head), finger(seen, gone)
    one_finger, band = float(band.max()), np.maximum(band, holding(seen, strange, covered))
    corner = 1 - ramp(corner_left(seen, band), *CORNER)
    bare = max(bareness(seen, np.maximum(covered, band)), one_finger * corner)
    if max(covered.max(), band.max()) < 0.02:
        return _nowhere(bare) if bare else None
    return _in_pixels(planes, seen, covered, band, one_finger, gone_share(seen, gone), bare)


def _nowhere(bare: float) -> Cover:
    """What covers the mouth without a place that is known."""
    nothing = np.zeros((2, 2), np.float32)
    return Cover(Area(0, 0, 2, 2), nothing, nothing, np.zeros((2, 2, 3), np.float32), 0.0, 0.0, 0.0, bare)


def strange_cells(seen: Compared, across: int = 3) -> Floats:
    """Of each cell, how unlike the subject it is, so many cells across: 1 is what a face does by itself. In the mouth it is not
    known: 0."""
    far = _beyond(seen.seen, *_range(seen.usual, across), seen.lips.astype(np.float32), seen.burnt)
    calm = seen.skin & (CENTRES[..., 1] < CHEEKS_END)
    usual = float(np.median(far[calm])) if calm.any() else 0.0
    turned = 1 + max(abs(seen.pose.yaw) - TURNING[0], 0) / TURNING[1]
    return np.asarray(np.where(seen.skin, far, 0) / (max(1.0, usual / USUAL) * turned), np.float32)


def _range(usual: Floats, across: int = 3) -> tuple[Floats, Floats]:
    """The least and the most of what is usual (log luma, U, V) at a place and so many cells across: a mesh is not exact."""
    least = [-grown(-usual[..., channel], across) for channel in range(3)]
    return np.stack(least, axis=-1), np.stack([grown(usual[..., channel], across) for channel in range(3)], axis=-1)


def _beyond(seen: Floats, low: Floats, high: Floats, lips: Floats, burnt: Floats) -> Floats:
    """How far log luma, U, V lie outside low..high; of what is burnt out only how much darker it is counts."""
    luma = seen[..., 0]
    darker, lighter = np.maximum(low[..., 0] - luma, 0), np.maximum(luma - high[..., 0], 0)
    far = (darker / (DARKER + (UNSURE - DARKER) * np.maximum(lips, burnt))) ** 2
    known = (lighter / LIGHTER) ** 2
    shade = np.clip(np.exp(lighter - darker), *SHADES)
    for channel, scale in ((1, CHROMA[0]), (2, CHROMA[1])):
        value, bottom, top = seen[..., channel] - 128, low[..., channel] - 128, high[..., channel] - 128
        least, most = np.minimum(bottom, bottom * shade), np.maximum(top, top * shade)
        off = np.maximum(np.maximum(value - most, least - value), 0)
        known += (off / (scale * (1 + 0.5 * (lighter > 0.05)))) ** 2
    return np.asarray(np.sqrt(far + (1 - burnt) * known), np.float32)


def things(seen: Compared, strange: Floats, pose: Pose, head: Array) -> Floats:
    """0..1 of each cell: how far a thing covers it."""
    nose = float(pose.to_plane(head[NOSE_BASE])[1])
    below = CENTRES[..., 1] > nose + 0.02
    near = seen.skin & below
    outer = shrunk((seen.skin | seen.hole | ~below).astype(np.float32), 5) == 0
    pieces = (grown((near & (strange > STRANGE)).astype(np.float32)) > 0).astype(np.uint8)
    count, label = cv2.connectedComponents(pieces, connectivity=8)
    weight = np.zeros(count, np.float32)
    beyond = np.where(near, np.maximum(_undoubted(seen, strange) - CERTAIN, 0), 0)
    for piece in range(1, count):
        inside = label == piece
        if (inside & outer & near & (strange > STRANGE)).any():
            weight[piece] = ramp(float(np.minimum(beyond[inside], 3).sum()), *ENOUGH)
    if not weight.any():
        return np.zeros_like(strange)
    return np.where(near, weight[label] * smoothstep(strange, *EDGE), 0).astype(np.float32)


def holding(seen: Compared, strange: Floats, covered: Floats) -> Floats:
    """0..1 of each cell: how far what holds a thing covers it, which lies across the chin, as a hand holds a cup.

    It has the colour of skin, so only where it is tells it from the chin. strange, covered: of strange_cells() and things().
    """
    above = np.asarray(cv2.morphologyEx(covered, cv2.MORPH_OPEN, np.ones((1, round(ACROSS / CELL)), np.uint8)), np.float32)
    if above.max() <= 0.5:
        return np.zeros_like(covered)
    for row in range(1, ROWS):
        above[row] = np.maximum(above[row], grown(above[row - 1 : row], WIDENS)[0])
    held = seen.skin & (above > 0.5) & (covered < 0.5)
    if not held.any() or float(np.median(strange[held])) < HELD:
        return np.zeros_like(covered)
    return above


def _undoubted(seen: Compared, strange: Floats) -> Floats:
    """How strange each cell is, at least, as the mouth is in another shape than in the reference."""
    places = np.stack(np.meshgrid(np.arange(COLUMNS), np.arange(ROWS)), axis=-1)
    moved = smoothstep(CELL * np.hypot(*np.moveaxis(seen.at - places, -1, 0)), *MOVED)
    return np.asarray(strange + moved * (np.minimum(strange, strange_cells(seen, AROUND)) - strange), np.float32)


def _in_pixels(
    planes: Planes, seen: Compared, covered: Floats, band: Floats, one_finger: float, gone: float, bare: float
) -> Cover | None:
    """band: what is covered whatever its colour, of each cell. one_finger: how sure it is that a single finger is there."""
    pose = seen.pose
    area = _area(np.maximum(grown(covered), grown(band)), pose, planes.area)
    if area.is_empty:
        return _nowhere(bare) if bare else None
    here, cells = _pixels(planes, area), ((pose.plane_of(area) - [LEFT, TOP]) / CELL - 0.5).astype(np.float32)
    coarser = max(1, round(pose.scale / FINE))
    size = (max(2, area.width // coarser), max(2, area.height // coarser))
    small = _Place(
        seen, covered, *(np.asarray(cv2.resize(v, size, interpolation=cv2.INTER_AREA), np.float32) for v in (here, cells))
    )
    colour, reach = small.followed(pose.scale * size[0] / area.width)

    def large(values: Floats) -> Floats:
        return np.asarray(cv2.resize(values, (area.width, area.height), interpolation=cv2.INTER_LINEAR), np.float32)

    place = small if coarser == 1 else _Place(seen, covered, here, cells)
    opacity = place.on_face + (1 - place.face) * place.alike(large(colour)) * large(grown(reach))
    opacity = np.maximum(opacity, smoothstep(large(shrunk(_whole(reach), 5)), 0.4, 0.9)).astype(np.float32)
    opacity = np.maximum(opacity, place.at(band))
    opacity = np.asarray(cv2.GaussianBlur(_closed(opacity, pose.scale), (0, 0), FEATHER), np.float32)
    around = max(1, round(BESIDE * pose.scale))
    wide = cv2.dilate(opacity, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * around + 1, 2 * around + 1)))
    # Where the face ends nothing is made up: what lies behind the thing there is not known.
    wide = cv2.GaussianBlur(wide, (0, 0), max(1.0, around / 2)) * place.at((seen.skin | seen.hole).astype(np.float32))
    behind = place.at(seen.usual)
    behind[..., 0] = np.exp(behind[..., 0]) - DARK
    share = small.share_of_mouth(np.maximum(reach, small.at(band)), pose.scale / coarser)
    return Cover(area, opacity, np.asarray(wide, np.float32), behind, share, one_finger, gone, bare)


class _Place:
    """A rectangle of pixels, or of blocks of pixels, and what is known of each."""

    def __init__(self, seen: Compared, covered: Floats, here: Floats, cells: Floats) -> None:
        """here: log luma, U, V; cells: where each lies among the cells, column and row."""
        self.seen, self.here, self.cells = seen, here, cells
        self.skin = np.median(seen.usual[seen.skin & ~seen.lips], axis=0)
        self.face = smoothstep(self.at(seen.skin.astype(np.float32)), 0.3, 0.7).astype(np.float32)
        low, high = (self.at(values) for values in _range(seen.usual))
        strange = smoothstep(_beyond(here, low, high, self.at(seen.lips.astype(np.float32)), self.at(seen.burnt)), *FINE_EDGE)
        self.on_face = np.asarray(self.at(grown(covered)) * strange * self.face, np.float32)

    def at(self, values: Floats) -> Floats:
        """Values of cells, ROWS x COLUMNS (x 3), at each pixel."""
        x, y = self.cells[..., 0], self.cells[..., 1]
        return np.asarray(cv2.remap(values, x, y, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.float32)

    def followed(self, scale: float) -> tuple[Floats, Floats]:
        """The thing's colour near each pixel, and the thing with what goes on of it where nothing is expected: in the open
        mouth and beyond the face."""
        colour, share = self._colour(NEAR * scale)
        plain = np.broadcast_to(self.skin, self.here.shape).astype(np.float32)
        nowhere = np.zeros(share.shape, np.float32)
        other = smoothstep(_beyond(self.here, plain, plain, nowhere, nowhere), *UNLIKE_SKIN)
        hole = self.at(self.seen.hole.astype(np.float32))
        in_mouth = np.maximum(smoothstep(share, *BESIDE_HOLE), _foreign(self.here, self.seen))
        free = np.maximum(hole * in_mouth, (1 - hole) * other) * (1 - self.face)
        room = np.maximum(self.alike(colour) * free, self.on_face)
        reach = self.on_face
        for _ in range(round(FOLLOWED * scale)):
            reach = np.maximum(reach, np.minimum(grown(reach), room))
        return colour, np.asarray(reach, np.float32)

    def alike(self, colour: Floats) -> Floats:
        """0..1 of each pixel: how near it is to the thing's colour, h x w x 3."""
        spread = SPREAD + MIXED * np.abs(colour - self.skin)
        return np.asarray(1 - smoothstep(np.sqrt((((self.here - colour) / spread) ** 2).sum(axis=2)), *ALIKE), np.float32)

    def share_of_mouth(self, reach: Floats, scale: float) -> float:
        """How much of lips and open mouth is covered. scale: pixels of this place in S."""
        mouth = self.seen.lips | self.seen.hole
        within = float((self.at(mouth.astype(np.float32)) * reach).sum())
        return within / max(float(mouth.sum()) * (CELL * scale) ** 2, 1.0)

    def _colour(self, sigma: float) -> tuple[Floats, Floats]:
        """The thing's colour near each pixel, and the share of the face there that it covers."""

        def near(values: Floats) -> Floats:
            return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), np.float32)

        pure = self.on_face * shrunk(self.on_face) + np.float32(1e-2) * self.on_face**2
        mean = np.tensordot(pure, self.here, 2) / max(float(pure.sum()), 1e-6)
        colour = (near(near(pure[..., None] * self.here)) + 1e-6 * mean) / (near(near(pure)) + 1e-6)[..., None]
        return np.asarray(colour, np.float32), near(near(self.on_face)) / np.maximum(near(near(self.face)), 1e-2)


def _whole(covered: Floats) -> Floats:
    """Without gaps that it encloses: a gleam on a microphone is of the skin's colour."""
    height, width = covered.shape
    count, label, stats, _ = cv2.connectedComponentsWithStats((covered < 0.5).astype(np.uint8), connectivity=4)
    filled = covered.copy()
    for gap in range(1, count):
        x, y, across, down, _ = stats[gap]
        if x and y and x + across < width and y + down < height:
            filled[label == gap] = 1
    return filled


def _foreign(here: Floats, seen: Compared) -> Array:
    """1 for a colour that is neither tooth nor tongue nor dark."""
    u, v = here[..., 1] - 128, here[..., 2] - 128
    lips = seen.usual[seen.lips] if seen.lips.any() else seen.usual.reshape(-1, 3)
    bluest, reddest = float(lips[:, 1].min()) - 128, float(lips[:, 2].max()) - 128
    off = np.maximum(np.maximum(-v, v - reddest), np.maximum(u - 4, min(bluest, 0) - u))
    return smoothstep(off, *FOREIGN)


def _area(gate: Floats, pose: Pose, within: Area) -> Area:
    """Of the cells that are not 0, with an even origin."""
    room = grown(gate, 2 * round(FOLLOWED / CELL) + 1)
    rows, columns = np.flatnonzero(room.any(axis=1)), np.flatnonzero(room.any(axis=0))
    corners = np.array([[columns[a], rows[b]] for a in (0, -1) for b in (0, -1)]) * CELL + [LEFT + CELL / 2, TOP + CELL / 2]
    return even(Area.around(pose.to_pixels(corners), 4 + round(3 * CELL * pose.scale)), within)


def _closed(opacity: Floats, scale: float) -> Floats:
    """Without the holes that a gleam, or a spot of the skin's colour, leaves in it."""
    reach = max(1, round(0.02 * scale))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(cv2.morphologyEx(np.asarray(opacity, np.float32), cv2.MORPH_CLOSE, kernel))


def _pixels(planes: Planes, area: Area) -> Floats:
    """Log luma, U, V of the area's pixels."""
    luma = np.log(cv2.GaussianBlur(planes.y[area.slices], (0, 0), 0.8).astype(np.float32) + DARK)
    return np.stack([luma, *(plane.astype(np.float32) for plane in full_chroma(planes, area))], axis=-1)
