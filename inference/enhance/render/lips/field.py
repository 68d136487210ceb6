"""One smooth displacement of the whole lower face, torn only along the line between the lips."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, smoothstep
from enhance.geometry.thin_plate import NO_DISTANCE, between, kernel, through

from .skin import ALL_LOWER, ALL_UPPER, CORNERS, LIP_POINTS, Pull

Window = Callable[[Floats, Floats], Floats]

UPPER_ALONE = np.setdiff1d(ALL_UPPER, CORNERS)
LIP_SMOOTHING, SKIN_SMOOTHING = 1e-5, 2e-3  # with 2e-5 on the skin the outline of the chin ripples
COARSE, FINE = 0.06, 0.02  # spacing of the nodes in S, over the face and round the lips
MARGIN = 0.11  # of the fine nodes round the lips, in S
BLEND = 0.05  # over which fine nodes give way to coarse ones, in S
HINGE = 0.9  # how the tear closes beyond the corners: the width of its blend over the distance to the corner
IN_CACHE = 256  # points whose distances to all knots stay in the cache
UNSEEN, UNSEEN_PIXELS = (0.0012, 0.0045), (0.10, 0.40)  # S, but at least pixels: shifts that are dropped, and kept whole
LEAST = 0.02  # a displacement below this, in pixels, is none


class Field:
    """Where each target pixel comes from: thin plates (r^2 log r) through the points of a Pull, one for each lip.

    Both plates share corners, jaw and cheeks. One plate for both lips would be singular when an open mouth is shut.
    """

    def __init__(self, pull: Pull, pose: Pose) -> None:
        count = len(pull.target)
        # What a plate goes through stands side by side: upper lip, what both share, lower lip.
        order = np.concatenate([UPPER_ALONE, CORNERS, np.arange(LIP_POINTS, count), ALL_LOWER])
        target, shift = pull.target[order], (pull.source - pull.target)[order] @ (pose.scale * pose.basis)
        among = between(target, target)
        among.flat[:: count + 1] += np.where(order < LIP_POINTS, LIP_SMOOTHING, SKIN_SMOOTHING)
        weights = np.zeros((count + 3, 4))
        for side, (first, end) in enumerate(((0, count - len(ALL_LOWER)), (len(UPPER_ALONE), count))):
            plate = through(target[first:end], shift[first:end], among[first:end, first:end])
            columns = slice(2 * side, 2 * side + 2)
            weights[first:end, columns], weights[count:, columns] = plate[:-3], plate[-3:]
        self.pose, self.lips = pose, pose.to_pixels(pull.target[:LIP_POINTS])
        self.knots = pose.to_pixels(target)
        self.weights = weights[:count].astype(np.float32)
        self.level, self.slope = weights[count], (pose.basis / pose.scale).T @ weights[count + 1 :]

    def at(self, x: Floats, y: Floats) -> Floats:
        """Displacements in pixels from target to source at columns x and rows y of the picture, rows x columns x 4: x and y
        by the upper lip's plate, x and y by the lower lip's."""
        # Distances along the picture's axes: a grid has few of them, and no plate sees which way it is turned.
        across = ((np.subtract.outer(x, self.knots[:, 0]) / self.pose.scale) ** 2 + NO_DISTANCE).astype(np.float32)
        down = ((np.subtract.outer(y, self.knots[:, 1]) / self.pose.scale) ** 2).astype(np.float32)
        moves = np.empty((len(y), len(x), 4), np.float32)
        rows = max(1, IN_CACHE // len(x))
        for top in range(0, len(y), rows):
            squares = (down[top : top + rows, None] + across).reshape(-1, len(self.knots))
            moves[top : top + rows] = (kernel(squares) @ self.weights).reshape(-1, len(x), 4)
        moves += (np.outer(x - self.pose.anchor[0], self.slope[0]) + self.level).astype(np.float32)
        moves += np.outer(y - self.pose.anchor[1], self.slope[1]).astype(np.float32)[:, None]
        return moves


def displacement(field: Field, line: Array, window: Window, within: Area) -> tuple[Floats, Area]:
    """Pixels to move by, h x w x 2, and the part of `within` that moves at all.

    line: target points of the line between the lips, in plane coordinates.
    window: at columns and rows of the picture, rows x columns, the share of the displacement that is let through, 0..1.
    """
    pose = field.pose
    coarse = _Nodes.over(within, max(1, round(COARSE * pose.scale)))
    x, y = coarse.axes()
    share = window(x, y)
    moves = np.zeros((len(y), len(x), 2), np.float32)
    if share.any():
        rows, columns = (_span(share.any(axis=axis)) for axis in (1, 0))
        x, y = x[columns], y[rows]
        moves[rows, columns] = _join(field.at(x, y), _below(pose.plane_at(x, y), line)) * share[rows, columns, None]
    area = coarse.moving(moves)
    if area.is_empty:
        return np.zeros((0, 0, 2), np.float32), area
    whole = coarse.enlarged(moves, area)

    near = Area.around(field.lips, MARGIN * pose.scale).clipped(area)
    if not near.is_empty:
        fine = _Nodes.over(near, max(1, round(FINE * pose.scale)))
        x, y = fine.axes()
        sides = fine.enlarged(field.at(x, y) * window(x, y)[..., None], near)
        torn = _join(sides, _below(pose.plane_of(near), line))
        part = whole[near.moved(-area.x, -area.y).slices]
        part += _frame(near, max(2.0, BLEND * pose.scale))[..., None] * (torn - part)
    return whole, area


def seen_alone(by: tuple[Floats, Floats], scale: float) -> tuple[Floats, Floats]:
    """A displacement (pixels across and down) without shifts too small to be seen: UNSEEN. scale: pixels in S."""
    low, high = (max(share * scale, pixels) for share, pixels in zip(UNSEEN, UNSEEN_PIXELS, strict=True))
    across, down = by
    length = np.asarray(cv2.magnitude(across, down), np.float32)
    share = np.asarray(smoothstep(length, low, high), np.float32)
    return across * share, down * share


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
        """Those that cover an area."""
        return cls(area, step, -(-area.width // step) + 2 * cls.PAD, -(-area.height // step) + 2 * cls.PAD)

    def axes(self) -> tuple[Floats, Floats]:
        """x of each column and y of each row, in pixels."""
        x, y = (
            first + (np.arange(count, dtype=np.float32) - self.PAD + 0.5) * self.step - 0.5
            for first, count in ((self.area.x, self.columns), (self.area.y, self.rows))
        )
        return x, y

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


def _span(some: npt.NDArray[np.bool_]) -> slice:
    """From the first of those that are set to the last one."""
    found = np.flatnonzero(some)
    return slice(int(found[0]), int(found[-1]) + 1)


def _join(sides: Floats, below: Floats) -> Floats:
    # By whole planes: numpy is slow in steps of two.
    upper_x, upper_y, lower_x, lower_y = (np.asarray(side, np.float32) for side in cv2.split(sides))
    joined = upper_x + below * (lower_x - upper_x), upper_y + below * (lower_y - upper_y)
    return np.asarray(cv2.merge(joined), np.float32)


def _below(plane: Array, line: Array) -> Floats:
    """0 above the line between the lips, 1 below it; beside the corners a wedge between. plane: plane coordinates."""
    x, y = plane[..., 0], plane[..., 1]
    at = np.interp(x, line[:, 0], line[:, 1])
    beside = np.maximum(0, np.abs(x - (line[0, 0] + line[-1, 0]) / 2) - (line[-1, 0] - line[0, 0]) / 2)
    return smoothstep(y - at, *(bound * (1e-4 + HINGE * beside) for bound in (-1, 1))).astype(np.float32)


def _frame(area: Area, width: float) -> Floats:
    """1 inside, falling to 0 at the area's edge."""
    x, y = np.arange(area.width, dtype=np.float32), np.arange(area.height, dtype=np.float32)
    across, down = (np.minimum(np.minimum(v, v[::-1]) / width, 1) for v in (x, y))
    return np.asarray(down[:, None] * across, np.float32)
