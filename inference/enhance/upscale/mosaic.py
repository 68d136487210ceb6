"""Networks with an unbounded receptive field: fixed overlapping tiles, joined by a ramp in the middle of each overlap.

Tile k of an axis covers the pixels from k * step to k * step + step + overlap and is computed from those alone, so the
same pixels give the same tile wherever the picture was cut: bands whose first row is a multiple of `step` join exactly.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock

import numpy as np

from enhance.picture import AnyPicture, FloatPlanes, to_planes, write_pixels

from .alpha import visible_colours
from .colours import correct
from .threads import side_by_side


@dataclass(frozen=True)
class Mosaic:
    """A network and its tiles. run: from planes to planes `scale` times as large. step, overlap: in input pixels.
    threads: how many tiles of a row are computed at a time."""

    run: Callable[[FloatPlanes], FloatPlanes]
    scale: int
    step: int
    overlap: int
    recent: "Recent"
    threads: int = 1

    def on(self, threads: int) -> "Mosaic":
        """The same with so many threads."""
        return replace(self, threads=threads)

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) `scale` times as large. before_tile may raise to stop."""
        height, width, _ = picture.shape
        scale, step = self.scale, self.step
        result: AnyPicture = np.empty((height * scale, width * scale, 3), picture.dtype)
        columns = starts(width, step, self.overlap)
        done = 0

        def strip(top: int) -> FloatPlanes:
            tiles = side_by_side(partial(self._tile, picture, top), columns, self.threads, before_tile)
            return np.concatenate(list(self._join(tiles, 2)), axis=2)

        for rows in self._join(map(strip, starts(height, step, self.overlap)), 1):
            write_pixels(rows, result[done : done + rows.shape[1]])
            done += rows.shape[1]
        return result

    def _tile(self, picture: AnyPicture, top: int, left: int) -> FloatPlanes:
        size = self.step + self.overlap
        tile = np.ascontiguousarray(picture[top : top + size, left : left + size])
        return self.recent.get(tile, self.scale, lambda: self._enlarged(tile))

    def _enlarged(self, tile: AnyPicture) -> FloatPlanes:
        small = to_planes(visible_colours(tile, self.overlap // 2))
        large = self.run(small).copy()  # the next run may overwrite it
        correct(large, small, is_redrawn=True)
        return large

    def _join(self, parts: Iterable[FloatPlanes], axis: int) -> Iterable[FloatPlanes]:
        """From overlapping parts, in order along `axis`, to adjoining pieces, the overlaps blended."""
        step, overlap = self.step * self.scale, self.overlap * self.scale
        ramp = _ramp(overlap).reshape((-1, 1) if axis == 1 else (1, -1))
        held: FloatPlanes | None = None
        for part in parts:
            if held is None:
                held = part
                continue
            yield _take(held, axis, 0, step)
            before, after = _take(held, axis, step, None), _take(part, axis, 0, overlap)
            held = np.concatenate([before + (after - before) * ramp, _take(part, axis, overlap, None)], axis=axis)
        if held is not None:
            yield held.copy()


def starts(length: int, step: int, overlap: int) -> list[int]:
    """Where tiles begin: every `step` pixels; no tile whose pixels the one before it covers already."""
    return [0, *range(step, max(length - overlap, 0), step)]


@dataclass
class Recent:
    """The last tiles by their content, so that tiles in which two bands meet, or of a still picture, are computed once."""

    limit_bytes: int
    _tiles: "OrderedDict[bytes, FloatPlanes]" = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def get(self, tile: AnyPicture, scale: int, compute: Callable[[], FloatPlanes]) -> FloatPlanes:
        """The enlargement of a tile, as kept or else computed. The oldest are dropped beyond limit_bytes."""
        key = hashlib.sha256(repr((tile.shape, tile.dtype, scale)).encode() + tile.tobytes()).digest()
        found = self._tiles.get(key)
        if found is None:
            found = compute()
        with self._lock:
            if key not in self._tiles:
                self._tiles[key] = found
                self._bytes += found.nbytes
            self._tiles.move_to_end(key)
            while self._bytes > self.limit_bytes and len(self._tiles) > 1:
                self._bytes -= self._tiles.popitem(last=False)[1].nbytes
        return found


def _ramp(overlap: int) -> FloatPlanes:
    """0 to 1 over the middle third of the overlap. The outer thirds are not used: they are too near to a tile's cut."""
    position = (np.arange(overlap, dtype=np.float32) + 0.5) / overlap
    return np.clip(position * 3 - 1, 0, 1)


def _take(planes: FloatPlanes, axis: int, start: int, stop: int | None) -> FloatPlanes:
    return planes[:, start:stop] if axis == 1 else planes[:, :, start:stop]
