"""One smooth displacement of the whole lower face, torn only along the line between the lips."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, smoothstep

from .skin import ALL_LOWER, ALL_UPPER, CORNERS, LIP_POINTS, Pull

Window = Callable[[Floats], Floats]

LIP_SMOOTHING, SKIN_SMOOTHING = 1e-5, 2e-3  # with 2e-5 on the skin the outline of the chin ripples
COARSE, FINE = 0.06, 0.02  # spacing of the nodes in S, over the face and round the lips
MARGIN = 0.11  # of the fine nodes round the lips, in S
BLEND = 0.05  # over which fine nodes give way to coarse ones, in S
HINGE = 0.9  # how the tear closes beyond the corners: the width of its blend over the distance to the corner
IN_CACHE = 256  # points whose distances to all knots stay in the cache
UNSEEN, UNSEEN_PIXELS = (0.0012, 0.0045), (0.10, 0.40)  # S, and at least so many pixels: shifts that are not made, made wholly
LEAST = 0.02  # a displacement below this, in pixels, is none


class Field:
    """Where each target pixel comes from: thin plates (r^2 log r) through the points of a Pull, one for each lip.

    Both plates share corners, jaw and cheeks. One plate for both lips would be singular when an open mouth is shut.
    """

    def __init__(self, pull: Pull) -> None:
        source, target = pull.source, pull.target
        count = len(target)
        skin = np.arange(LIP_POINTS, count)
        stiffness = np.full(count, SKIN_SMOOTHING)
        stiffness[:LIP_POINTS] = LIP_SMOOTHING
        kernel = _kernel(target, target)
        weights = np.zeros((count + 3, 4))
        for side, points in enumerate((np.r_[ALL_UPPER, skin], np.r_[CORNERS, ALL_LOWER, skin])):
            n = len(points)
            system = np.zeros((n + 3, n + 3))
            system[:n, :n] = kernel[np.ix_(points, points)] + np.diag(stiffness[points])
            system[:n, n] = system[n, :n] = 1
            system[:n, n + 1 :] = target[points]
            system[n + 1 :, :n] = target[points].T
            known = np.zeros((n + 3, 2))
            known[:n] = (source - target)[points]
            weights[np.r_[points, count : count + 3], 2 * side : 2 * side + 2] = np.linalg.solve(system, known)
        self.knots = target.astype(np.float32)
        self.weights = weights.astype(np.float32)

    def at(self, points: Floats) -> Floats:
        """Displacements from target to source, n x 4: x and y by the upper lip's plate, x and y by the lower lip's."""
        count = len(self.knots)
        moves = self.weights[count] + points @ self.weights[count + 1 :]
        for start in range(0, len(points), IN_CACHE):
            part = slice(start, start + IN_CACHE)
            moves[part] += _kernel(points[part], self.knots) @ self.weights[:count]
        return np.asarray(moves, np.float32)


def displacement(field: Field, pose: Pose, line: Array, window: Window, within: Area) -> tuple[Floats, Area]:
    """Pixels to move by, h x w x 2, and the part of `within` that moves at all.

    line: target points of the line between the lips, in plane coordinates.
    window: of pixels, rows x columns x 2, the share of the displacement that is let through, 0..1.
    """
    coarse = _Nodes.over(within, max(1, round(COARSE * pose.scale)))
    pixels = coarse.pixels()
    moves = _join(_moves(field, pose, pixels), _below(pose, pixels, line)) * window(pixels)[..., None]
    area = coarse.moving(moves)
    if not area.width or not area.height:
        return np.zeros((0, 0, 2), np.float32), area
    whole = coarse.enlarged(moves, area)

    margin = MARGIN * pose.scale
    lips = pose.to_pixels(field.knots[:LIP_POINTS].astype(np.float64))
    left, top = np.floor(lips.min(axis=0) - margin).astype(int)
    right, bottom = np.ceil(lips.max(axis=0) + margin).astype(int)
    near = Area(int(left), int(top), int(right), int(bottom)).clipped(area)
    if near.width and near.height:
        fine = _Nodes.over(near, max(1, round(FINE * pose.scale)))
        pixels = fine.pixels()
        sides = fine.enlarged(_moves(field, pose, pixels) * window(pixels)[..., None], near)
        torn = _join(sides, _below(pose, _every_pixel(near), line))
        part = whole[near.moved(-area.x, -area.y).slices]
        part += _frame(near, max(2.0, BLEND * pose.scale))[..., None] * (torn - part)
    return whole, area


def seen_alone(by: Floats, scale: float) -> Floats:
    """A displacement without what nobody would see of it: the skin that hardly moves is not touched."""
    low, high = (max(share * scale, pixels) for share, pixels in zip(UNSEEN, UNSEEN_PIXELS, strict=True))
    length = np.hypot(by[..., 0], by[..., 1])
    return np.asarray(by * smoothstep(length, low, high)[..., None], np.float32)


@dataclass(frozen=True)
class _Nodes:
    """A grid at the centres of cells of step x step pixels, with two cells more on every side."""

    area: Area
    step: int
    columns: int
    rows: int

    PAD = 2

    @classmethod
    def over(cls, area: Area, step: int) -> "_Nodes":
        return cls(area, step, -(-area.width // step) + 2 * cls.PAD, -(-area.height // step) + 2 * cls.PAD)

    def pixels(self) -> Floats:
        x = self.area.x + (np.arange(self.columns, dtype=np.float32) - self.PAD + 0.5) * self.step - 0.5
        y = self.area.y + (np.arange(self.rows, dtype=np.float32) - self.PAD + 0.5) * self.step - 0.5
        return np.asarray(np.stack(np.meshgrid(x, y), axis=-1), np.float32)

    def moving(self, moves: Floats) -> Area:
        """The part of the area in which something moves."""
        moved = np.abs(moves).max(axis=2) > LEAST / 2
        rows, columns = np.flatnonzero(moved.any(axis=1)), np.flatnonzero(moved.any(axis=0))
        if not len(rows):
            return Area(self.area.x, self.area.y, self.area.x, self.area.y)
        reach = 1 + self.PAD
        x, right = (self.area.x + (int(c) - self.PAD + r) * self.step for c, r in ((columns[0], -1), (columns[-1], reach)))
        y, bottom = (self.area.y + (int(c) - self.PAD + r) * self.step for c, r in ((rows[0], -1), (rows[-1], reach)))
        return Area(x, y, right, bottom).clipped(self.area)

    def enlarged(self, values: Floats, area: Area) -> Floats:
        """Values at the nodes as values at the pixels of `area`, which begins at a cell of this grid."""
        column, row = (area.x - self.area.x) // self.step, (area.y - self.area.y) // self.step
        across, down = -(-area.width // self.step), -(-area.height // self.step)
        cells = values[row : row + down + 2 * self.PAD, column : column + across + 2 * self.PAD]
        if self.step == 1:
            large = cells
        else:
            size = (cells.shape[1] * self.step, cells.shape[0] * self.step)
            large = np.asarray(cv2.resize(np.ascontiguousarray(cells), size, interpolation=cv2.INTER_CUBIC), np.float32)
        edge = self.PAD * self.step
        return large[edge : edge + area.height, edge : edge + area.width]


def _kernel(points: Array, knots: Array) -> Array:
    """r^2 log r^2 between all of them."""
    squares = points[:, None, 0] - knots[:, 0]
    squares *= squares
    down = points[:, None, 1] - knots[:, 1]
    down *= down
    squares += down
    squares += np.asarray(1e-9, squares.dtype)
    logs: Array = np.asarray(cv2.log(squares), squares.dtype)
    logs *= squares
    return logs


def _moves(field: Field, pose: Pose, pixels: Floats) -> Floats:
    """Both plates' displacements in pixels, rows x columns x 4."""
    plane = pose.from_pixels(pixels.reshape(-1, 2)).astype(np.float32)
    to_pixels = (pose.scale * pose.basis).astype(np.float32)
    return (field.at(plane).reshape(-1, 2, 2) @ to_pixels).reshape(*pixels.shape[:2], 4)


def _join(sides: Floats, below: Floats) -> Floats:
    upper, lower = sides[..., :2], sides[..., 2:]
    return np.asarray(upper + below[..., None] * (lower - upper), np.float32)


def _below(pose: Pose, pixels: Floats, line: Array) -> Floats:
    """0 above the line between the lips, 1 below it; beside the corners a wedge between."""
    plane = pose.from_pixels(pixels.reshape(-1, 2)).reshape(pixels.shape)
    at = np.interp(plane[..., 0], line[:, 0], line[:, 1])
    beside = np.maximum(0, np.abs(plane[..., 0] - (line[0, 0] + line[-1, 0]) / 2) - (line[-1, 0] - line[0, 0]) / 2)
    t = np.clip((plane[..., 1] - at) / (1e-4 + HINGE * beside) * 0.5 + 0.5, 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def _every_pixel(area: Area) -> Floats:
    x, y = np.arange(area.x, area.right, dtype=np.float32), np.arange(area.y, area.bottom, dtype=np.float32)
    return np.asarray(np.stack(np.meshgrid(x, y), axis=-1), np.float32)


def _frame(area: Area, width: float) -> Floats:
    """1 inside, falling to 0 at the area's edge."""
    x, y = np.arange(area.width, dtype=np.float32), np.arange(area.height, dtype=np.float32)
    across, down = (np.minimum(np.minimum(v, v[::-1]) / width, 1) for v in (x, y))
    return np.asarray(down[:, None] * across, np.float32)
