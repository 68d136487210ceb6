"""A head that turns, nods and leans in a still: one smooth displacement, full on the head and 0 behind it. docs/decisions/0247.

At the picture's border nothing comes in from beyond it; what moves along the border or out of the picture is not held.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import smoothstep
from enhance.geometry.landmarks import LEFT_EAR, RIGHT_EAR, SKIN_POINTS
from enhance.picture import Picture

from .raster import COLLAR, FAR, HEAD, at
from .silhouette import Silhouette, usual

CELLS = 24  # of the coarse grid, to an outer-eye distance
DEPTH_REACH = 0.16  # outer-eye distances: how far a mesh point's depth counts
NECK_DEPTH = -0.16  # outer-eye distances: the axis of turning lies behind the ears, so hair and outline follow a little
BORDER = 0.4  # outer-eye distances over which motion away from a border of the picture fades to it
STEPS = 5  # of the fixed-point search for where a pixel comes from
LEAST = 0.015  # pixels: OpenCV interpolates in steps of 1/32, so a pixel that moves by less keeps its value
TAPS = 4  # pixels beyond a place that its interpolation may look at, at most
BAND = 4  # rows of cells that are sampled at a time, from the first to the last node that moves


@dataclass(frozen=True)
class HeadField:
    """Displacements (pixels) on a picture's coarse grid for 1 of each: sines of yaw, pitch, roll; dx, dy in S; zoom - 1."""

    cell: int
    start: tuple[int, int]  # x, y of the first node in pixels: multiples of the cell
    unit: Floats  # 6 x rows x columns x 2, at nodes a cell apart
    from_low: Floats  # rows x columns x 2, 0..1: how much of a motion to the right, and down, the border it comes from leaves
    from_high: Floats  # the same, to the left and up
    window: tuple[slice, slice]

    def move(self, picture: Picture, motion: npt.NDArray[np.float32]) -> Picture:
        """The picture (h x w x 3 uint8) moved. motion: the first six numbers of a MotionTrack's row. Pixels that do not
        move keep their values exactly."""
        angles = np.radians(motion[:3])
        amounts = np.array([*np.sin(angles), motion[3], motion[4], motion[5] - 1], np.float32)
        if not amounts.any() or not picture[self.window].size:
            return picture
        forward: Floats = np.tensordot(amounts, self.unit, 1).astype(np.float32)
        forward *= np.where(forward > 0, self.from_low, self.from_high)
        rows, columns = forward.shape[:2]
        x, y = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
        shift = forward
        for _ in range(STEPS):
            from_x, from_y = x - shift[..., 0] / self.cell, y - shift[..., 1] / self.cell
            shift = np.asarray(cv2.remap(forward, from_x, from_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        source = np.stack([x * self.cell + self.start[0], y * self.cell + self.start[1]], 2) - shift
        return self._sample(picture, source, np.abs(shift).max(axis=2) > LEAST)

    def _sample(self, picture: Picture, source: Floats, moves: npt.NDArray[np.bool_]) -> Picture:
        """Each pixel of the window from where `source` says. source, moves: at the grid's nodes, moves: which of them do."""
        rows, columns = self.window
        window = Area(columns.start, rows.start, columns.stop, rows.stop)
        # resize() centres cells; a cell is an odd number of pixels, so that a pixel lies on each node.
        maps: Floats = cv2.resize(source, None, fx=self.cell, fy=self.cell, interpolation=cv2.INTER_LINEAR)
        left, top = (self.cell // 2 - first for first in self.start)
        moved = picture.copy()
        for first in range(0, len(moves) - 1, BAND):
            band = slice(first, first + BAND + 1)
            found = np.flatnonzero(moves[band].any(axis=0))
            if not len(found):
                continue
            x, right = (self.start[0] + (int(node) + step) * self.cell for node, step in ((found[0], -1), (found[-1], 1)))
            y = self.start[1] + first * self.cell
            part = Area(x, y, right, y + BAND * self.cell).clipped(window)
            if part.is_empty:
                continue
            at_x, at_y = cv2.split(maps[part.moved(left, top).slices])
            # OpenCV interpolates floats in three quarters of the time that bytes take.
            low = max(0, int(source[band, :, 1].min()) - TAPS)
            exact = picture[low : int(source[band, :, 1].max()) + TAPS].astype(np.float32)
            new = cv2.remap(exact, at_x, np.subtract(at_y, low), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)
            moved[part.slices] = cv2.addWeighted(new, 1, new, 0, 0, dtype=cv2.CV_8U)
        return moved


def head_field(frame: HeadFrame, size: tuple[int, int], head: Silhouette | None = None) -> HeadField:
    """The displacements for a head. size: rows, columns of its picture. head: None: where heads usually are."""
    cell = max(5, int(frame.unit / CELLS) | 1)
    first, last = _reach(frame, size)
    x, y = (np.arange(low // cell - 1, high // cell + 3) * cell for low, high in zip(first, last, strict=True))
    grid = np.stack(np.meshgrid(x, y), 2).astype(np.float64)
    across, down = frame.place(grid)
    depth = _depth(frame, grid, cell)
    zero = np.zeros_like(across)

    share = usual(frame, across, down) if head is None else at(head, frame, across, down)
    weight = share * _above_collar(frame, down)
    lever = frame.chin + 0.45 - down  # about the neck
    turns = [
        (NECK_DEPTH - depth, zero),
        (zero, NECK_DEPTH - depth),
        (lever, across),
        (zero + 1, zero),
        (zero, zero + 1),
        (across, down),
    ]
    unit: Floats = np.stack([(a[..., None] * frame.right + b[..., None] * frame.down) for a, b in turns])
    unit *= (weight * frame.unit)[None, ..., None]
    window = (slice(first[1], last[1]), slice(first[0], last[0]))
    last_pixel = np.array([size[1] - 1, size[0] - 1])
    low, high = (smoothstep(far, 0, BORDER * frame.unit).astype(np.float32) for far in (grid, last_pixel - grid))
    return HeadField(cell, (int(x[0]), int(y[0])), unit.astype(np.float32), low, high, window)


def _depth(frame: HeadFrame, grid: Floats, cell: int) -> Floats:
    """Outer-eye distances, negative towards the viewer: the mesh's where there is mesh, ear level elsewhere."""
    points = frame.mesh[:SKIN_POINTS]
    heights = (points[:, 2] - points[[RIGHT_EAR, LEFT_EAR], 2].mean()) / frame.unit
    rows, columns = grid.shape[:2]
    column, row = np.round((points[:, :2] - grid[0, 0]) / cell).astype(int).T
    on_grid = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    counted = np.zeros((rows, columns, 2), np.float32)
    np.add.at(counted, (row[on_grid], column[on_grid]), np.stack([heights, np.ones_like(heights)], 1)[on_grid])
    reach = DEPTH_REACH * frame.unit / cell
    near: Floats = cv2.GaussianBlur(counted, (0, 0), reach, borderType=cv2.BORDER_CONSTANT) * (2 * np.pi * reach**2)
    return np.asarray(near[..., 0] / (near[..., 1] + 0.4))


def _above_collar(frame: HeadFrame, down: Floats) -> Floats:
    return 1 - smoothstep(down, frame.chin - 0.05, frame.chin + COLLAR)


def _reach(frame: HeadFrame, size: tuple[int, int]) -> tuple[list[int], list[int]]:
    """x, y of the first pixel that may move, and of the first beyond."""
    width, height = HEAD
    corners = [
        frame.origin + frame.unit * (a * frame.right + b * frame.down)
        for a in (-FAR * width, FAR * width)
        for b in (-FAR * height * frame.chin, frame.chin + COLLAR)
    ]
    ends = (size[1], size[0])
    first = np.clip(np.floor(np.min(corners, axis=0)), 0, ends).astype(int)
    last = np.clip(np.ceil(np.max(corners, axis=0)) + 1, first, ends).astype(int)
    return first.tolist(), last.tolist()
