"""Networks with a bounded receptive field: tiles of any size give exactly the pixels of the whole picture.

A cascade is a list of passes. Each tile is cut with as much of the picture round it as its pixels depend on, goes through all
passes as floats, and is rounded once. At its own edge the picture is continued by its mirror image.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil

import numpy as np

from enhance.picture import AnyPicture, FloatPlanes, to_planes, with_border, write_pixels

from .alpha import visible_colours
from .colours import COLOUR_REACH, correct
from .threads import side_by_side

Span = tuple[int, int]
SMALLEST_SIDE = 64  # pixels that a tile keeps: of smaller ones the borders would be most of the work


@dataclass(frozen=True)
class Pass:
    """One step. run: from planes to planes `scale` times as large, less `eats` input pixels on each side; the next call may
    overwrite them.

    context: how far an output pixel depends on its surroundings, in input pixels; what lies nearer to a cut is wrong. side: of
    the squares that it cuts its input into; None where any size will do.
    """

    run: Callable[[FloatPlanes], FloatPlanes]
    scale: int
    eats: int
    context: int
    side: int | None = None


@dataclass(frozen=True)
class Cascade:
    """Passes in order, and then what colours.py corrects.

    edge: pixels of mirror image round the whole picture; None for as many as the passes depend on. tile_pixels: the most input
    pixels of a tile, borders included, which bounds the memory; not used where the first pass cuts its input into squares.
    threads: how many tiles are computed at a time. redraws: whether the networks draw anew, and Faithful looks what they drew.
    """

    passes: Sequence[Pass]
    edge: int | None
    tile_pixels: int
    threads: int = 1
    redraws: bool = False

    def on(self, threads: int) -> "Cascade":
        """The same with so many threads."""
        return replace(self, threads=threads)

    @property
    def scale(self) -> int:
        """Output pixels for each input pixel, along each side."""
        return int(np.prod([step.scale for step in self.passes]))

    @property
    def halo(self) -> int:
        """How far an output pixel depends on its surroundings, in pixels of the picture."""
        return self._margins(COLOUR_REACH)[0]

    @property
    def _edge(self) -> int:
        return self._margins(0)[0] if self.edge is None else self.edge

    def _margins(self, last: int) -> list[int]:
        """What must surround a tile before each pass, in pixels of that pass's input, so that `last` pixels of
        the picture are right around it after the last one."""
        margins = [last * self.scale]
        for step in reversed(self.passes):
            margins.insert(0, ceil(margins[0] / step.scale) + step.context)
        return margins

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) `scale` times as large. before_tile may raise to stop."""
        height, width, _ = picture.shape
        colours = visible_colours(picture, self.halo)
        scale = self.scale
        result: AnyPicture = np.empty((height * scale, width * scale, 3), picture.dtype)
        rows, columns = self._tiles(height, width)

        def fill(tile: tuple[Span, Span]) -> None:
            (top, bottom), (left, right) = tile
            target = result[top * scale : bottom * scale, left * scale : right * scale]
            write_pixels(self._tile(colours, *tile), target)

        side_by_side(fill, product(spans(height, rows), spans(width, columns)), self.threads, before_tile)
        return result

    def _tiles(self, height: int, width: int) -> tuple[int, int]:
        """Into how many rows and columns a picture is cut: so that a tile is one square of the first pass, if it has some."""
        side = self.passes[0].side
        if side is None:
            return split(height, width, self._edge, self.halo, self.tile_pixels)
        whole, part = side - 2 * self._edge, side - 2 * self.halo
        rows, columns = (1 if length <= whole else ceil(length / part) for length in (height, width))
        return rows, columns

    def _tile(self, picture: AnyPicture, rows: Span, columns: Span) -> FloatPlanes:
        height, width, _ = picture.shape
        top, bottom = self._cut(rows, height)
        left, right = self._cut(columns, width)
        real = picture[max(top, 0) : min(bottom, height), max(left, 0) : min(right, width)]
        tile = with_border(real, max(-top, 0), max(bottom - height, 0), max(-left, 0), max(right - width, 0))
        source = planes = to_planes(tile)
        given = sides = [rows[0] - top, bottom - rows[1], columns[0] - left, right - columns[1]]
        for step, needed in zip(self.passes, self._margins(COLOUR_REACH)[1:], strict=True):
            planes = step.run(planes.clip(0, 1))  # beyond black and white, where the last pass went, a network draws waves
            sides = [(side - step.eats) * step.scale for side in sides]
            kept = [min(side, needed) for side in sides]
            planes, sides = _crop(planes, sides, kept).copy(), kept  # the network's next answer may lie there
        around = [side // self.scale for side in sides]
        large = np.ascontiguousarray(_crop(planes, sides, [side * self.scale for side in around]))
        correct(large, np.ascontiguousarray(_crop(source, given, around)), is_redrawn=self.redraws)
        return _crop(large, [side * self.scale for side in around], [0] * 4)

    def _cut(self, span: Span, length: int) -> Span:
        """Where the tile begins and ends on one axis; outside of 0..length is mirror image. A square is filled."""
        first, last = max(span[0] - self.halo, -self._edge), min(span[1] + self.halo, length + self._edge)
        side = self.passes[0].side or 0
        first = max(min(first, last - side), -self._edge)
        return first, min(max(last, first + side), length + self._edge)


def split(height: int, width: int, edge: int, halo: int, tile_pixels: int) -> tuple[int, int]:
    """Into how many rows and columns of tiles a picture is cut: the fewest pixels in all, no tile above `tile_pixels`.

    A side that is not cut has `edge` pixels more at both ends, one that is cut has up to `halo`.
    """

    def side(length: int, count: int) -> int:
        return ceil(length / count) + 2 * (edge if count == 1 else halo)

    def fewest_rows(columns: int) -> int:
        tallest = tile_pixels // side(width, columns)
        return 1 if side(height, 1) <= tallest else ceil(height / max(tallest - 2 * halo, SMALLEST_SIDE))

    def cost(rows: int, columns: int) -> tuple[bool, int]:
        pixels = side(height, rows) * side(width, columns)
        return pixels > tile_pixels, rows * columns * pixels

    choices = [(fewest_rows(columns), columns) for columns in range(1, ceil(width / SMALLEST_SIDE) + 1)]
    return min(choices, key=lambda choice: cost(*choice))


def spans(length: int, count: int) -> Iterator[tuple[int, int]]:
    """`length` in `count` parts that differ by one at most."""
    for part in range(count):
        yield length * part // count, length * (part + 1) // count


def _crop(planes: FloatPlanes, sides: Sequence[int], kept: Sequence[int]) -> FloatPlanes:
    """FloatPlanes with `sides` pixels around a tile (top, bottom, left, right) -> with `kept` of them."""
    top, bottom, left, right = (side - keep for side, keep in zip(sides, kept, strict=True))
    return planes[:, top : planes.shape[1] - bottom, left : planes.shape[2] - right]
