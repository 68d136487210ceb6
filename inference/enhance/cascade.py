"""Networks with a bounded view: a picture in tiles of any size gives the very pixels of the whole picture at once.

A cascade is a list of passes. Each tile is cut with as much of the picture around it as its pixels depend on, goes
through all passes as floats, and is rounded once. At the picture's own edge the picture is continued by its mirror image.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from .alpha import visible_colours
from .picture import Picture, Planes, to_pixels, to_planes, with_border


@dataclass(frozen=True)
class Pass:
    """One step: planes in, planes `scale` times as large out, less `eats` input pixels on each side.

    context: how far an output pixel looks, in input pixels; what lies nearer to a cut than that is wrong.
    """

    run: Callable[[Planes], Planes]
    scale: int
    eats: int
    context: int


@dataclass(frozen=True)
class Cascade:
    """Passes in order.

    edge: pixels of mirror image around the whole picture; None for as many as the passes look at.
    tile_pixels: the most input pixels of a tile, borders included. It bounds the memory.
    """

    passes: Sequence[Pass]
    edge: int | None
    tile_pixels: int

    @property
    def scale(self) -> int:
        return int(np.prod([step.scale for step in self.passes]))

    @property
    def margins(self) -> list[int]:
        """What must surround a tile before each pass, in pixels of that pass's input, and 0 after the last."""
        margins = [0]
        for step in reversed(self.passes):
            margins.insert(0, ceil(margins[0] / step.scale) + step.context)
        return margins

    @property
    def halo(self) -> int:
        """How far an output pixel looks, in pixels of the picture."""
        return self.margins[0]

    def upscale(self, picture: Picture, before_tile: Callable[[], None]) -> Picture:
        height, width, _ = picture.shape
        colours = visible_colours(picture, self.halo)
        scale = self.scale
        result = np.empty((height * scale, width * scale, 3), np.uint8)
        rows, columns = split(height, width, self.halo, self.tile_pixels)
        for top, bottom in spans(height, rows):
            for left, right in spans(width, columns):
                before_tile()
                tile = self._tile(colours, (top, bottom), (left, right))
                result[top * scale : bottom * scale, left * scale : right * scale] = to_pixels(tile)
        return result

    def _tile(self, picture: Picture, rows: tuple[int, int], columns: tuple[int, int]) -> Planes:
        height, width, _ = picture.shape
        (top, above), (bottom, below) = self._reach(rows, height)
        (left, before), (right, after) = self._reach(columns, width)
        real = picture[max(top, 0) : min(bottom, height), max(left, 0) : min(right, width)]
        tile = with_border(real, max(-top, 0), max(bottom - height, 0), max(-left, 0), max(right - width, 0))
        planes = to_planes(tile)
        sides = (above, below, before, after)
        for step, needed in zip(self.passes, self.margins[1:], strict=True):
            planes = step.run(planes)
            sides_left = [(side - step.eats) * step.scale for side in sides]
            kept = [min(side, needed) for side in sides_left]
            planes = _crop(planes, *(side - keep for side, keep in zip(sides_left, kept, strict=True)))
            sides = (kept[0], kept[1], kept[2], kept[3])
        return planes

    def _reach(self, span: tuple[int, int], length: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where the tile is cut at both ends of one axis (outside of 0..length: mirror image), and the margin there."""
        edge = self.halo if self.edge is None else self.edge
        first = max(span[0] - self.halo, -edge)
        last = min(span[1] + self.halo, length + edge)
        return (first, span[0] - first), (last, last - span[1])


def split(height: int, width: int, halo: int, tile_pixels: int) -> tuple[int, int]:
    """Into how many rows and columns of tiles a picture is cut: the fewest pixels in all, no tile above `tile_pixels`."""
    candidates = []
    for columns in range(1, max(1, ceil(width / 64)) + 1):
        tile_width = ceil(width / columns) + 2 * halo
        tile_height = max(tile_pixels // tile_width - 2 * halo, min(64, height))
        rows = ceil(height / tile_height)
        area = rows * columns * tile_width * (ceil(height / rows) + 2 * halo)
        candidates.append((tile_width * (ceil(height / rows) + 2 * halo) > tile_pixels, area, rows, columns))
    _, _, rows, columns = min(candidates)
    return rows, columns


def spans(length: int, count: int) -> Iterator[tuple[int, int]]:
    """`length` in `count` parts that differ by one at most."""
    for part in range(count):
        yield length * part // count, length * (part + 1) // count


def _crop(planes: Planes, top: int, bottom: int, left: int, right: int) -> Planes:
    return planes[:, top : planes.shape[1] - bottom, left : planes.shape[2] - right]
