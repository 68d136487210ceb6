"""Where a network that redraws has drawn something else: there, the picture of a faithful one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import AnyPicture, FloatPlanes, to_planes, white, write_pixels

from .alpha import visible_colours, without_background
from .cascade import Cascade
from .colours import limit_hues
from .hues import shares_of
from .mosaic import Mosaic
from .resample import REACH, enlarge
from .threads import side_by_side

Limits = tuple[float, float]
"""Of 0..1. An enlargement that differs from the original by the first at most is sharper or cleaner; one that differs by the
second shows something else: strokes of text run into one, a pupil has a white ring. docs/decisions/0046."""

LIGHT = 150 / 255  # the brightest channel from which the limits hold; they fall with it, as what is drawn in the dark does
CONTRAST = 100 / 255  # within 5 x 5 pixels of a channel: the same
LEAST = 0.2  # of the limits: less would be 4 levels, as much as rounding and faint noise differ by. docs/decisions/0276
LINE = 1 / 3  # of that, where a line is missing: one that is a pixel wide is a third of 3 x 3
ALONG = 0.5, 0.75  # of what differs within 9 x 9 pixels, how much lies along one direction: noise has .1 to .4, a line .9

ROWS = 16  # of the original at a time: what is computed of them stays in the processor's cache
DOUBT_REACH = 11
"""How far enlarged doubts depend on the pictures around, in pixels of the original: 9 in doubts_of(), 2 in enlarge()."""


@dataclass(frozen=True)
class Faithful:
    """A recipe, and a faithful one that takes its place where the first one's picture, reduced, is another than the original,
    and where colours change and brightness does not (hues.py).

    The faithful one takes blocks and noise away. Where it agrees with the first one, these were the difference.
    """

    recipe: Cascade | Mosaic
    faithful: Cascade
    limits: Limits

    def on(self, threads: int) -> "Faithful":
        """The same with so many threads."""
        return replace(self, recipe=self.recipe.on(threads), faithful=self.faithful.on(threads))

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) `scale` times as large. before_tile may raise to stop."""
        large = self._drawn(picture, before_tile)
        self._limit_hues(large, visible_colours(picture, DOUBT_REACH))
        return large

    def _drawn(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """With the tints of the first recipe."""
        large = self.recipe.upscale(picture, before_tile)
        scale = self.recipe.scale
        colours = without_background(picture)[:, :, :3] if picture.shape[2] == 4 else picture
        doubts = doubts_of(colours, large, self.limits)
        hues = shares_of(to_planes(colours)).max(axis=0)
        if picture.shape[2] == 4:
            doubts[picture[:, :, 3] == 0] = hues[picture[:, :, 3] == 0] = 0
        if not (doubts.any() or hues.any()):
            return large
        area = _around(np.maximum(doubts, hues), DOUBT_REACH + self.faithful.halo)
        faithful = self.faithful.upscale(np.ascontiguousarray(picture[area]), before_tile)
        drawn = large[tuple(slice(part.start * scale, part.stop * scale) for part in area)]
        doubts = np.minimum(doubts[area], doubts_of(reduced(faithful, scale), drawn, self.limits))
        doubts = np.maximum(doubts, hues[area])
        self._blend(drawn, faithful, doubts)
        return large

    def _blend(self, drawn: AnyPicture, faithful: AnyPicture, doubts: FloatPlanes) -> None:
        """Changes `drawn` to `faithful`, of the same size, as far as the doubts tell, one for each pixel of the original."""
        scale, reach = self.recipe.scale, REACH["bicubic"]
        around = np.pad(doubts, reach, mode="edge")

        def rows(top: int) -> None:
            doubtful = around[top : top + ROWS + 2 * reach]
            if doubtful.any():
                share = enlarge(doubtful[None], scale, "bicubic")[0].clip(0, 1)[:, :, None]
                part = slice(top * scale, (top + ROWS) * scale)
                other = faithful[part].astype(np.float32)
                drawn[part] = (drawn[part] + (other - drawn[part]) * share + np.float32(0.5)).astype(drawn.dtype)

        side_by_side(rows, range(0, len(doubts), ROWS), self.recipe.threads)

    def _limit_hues(self, large: AnyPicture, colours: AnyPicture) -> None:
        """As limit_hues(), in place."""
        scale, count = self.recipe.scale, len(colours)

        def rows(top: int) -> None:
            first, bottom = max(top - 1, 0), min(top + ROWS, count)
            last = min(bottom + 1, count)
            planes = to_planes(large[first * scale : last * scale])
            limit_hues(planes, to_planes(colours[first:last]))
            write_pixels(planes[:, (top - first) * scale : (bottom - first) * scale], large[top * scale : bottom * scale])

        side_by_side(rows, range(0, count, ROWS), self.recipe.threads)


def doubts_of(colours: AnyPicture, large: AnyPicture, limits: Limits) -> FloatPlanes:
    """How little an enlargement (RGB) shows what the original (RGB) does: 0 to 1 for each pixel of the original."""
    small = reduced(large, large.shape[0] // colours.shape[0])
    difference = _largest(cv2.absdiff(colours, small))
    mean = cv2.blur(difference, (3, 3), borderType=cv2.BORDER_REPLICATE) / _share_of_limits(colours, small)
    same, other = limits
    doubts = cv2.dilate(np.clip((mean - same) / (other - same), 0, 1), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.GaussianBlur(doubts, (7, 7), 1.0, borderType=cv2.BORDER_REPLICATE), np.float32)


def _share_of_limits(colours: AnyPicture, small: AnyPicture) -> FloatPlanes:
    """How much of the limits holds for each pixel, LEAST * LINE to 1: less in the dark and where little contrast is, but all
    where `small`, the enlargement reduced, has half the contrast or less. What went there was noise, or a faint line: then
    they are LINE of what they are elsewhere. docs/decisions/0308."""
    light = cv2.blur(_largest(colours), (3, 3), borderType=cv2.BORDER_REPLICATE)
    around = np.ones((5, 5), np.uint8)
    before, drawn = (_largest(cv2.morphologyEx(each, cv2.MORPH_GRADIENT, around)) for each in (colours, small))
    share = np.minimum(light / LIGHT, before / CONTRAST).clip(LEAST, 1)
    gone = (2 - 2 * drawn / np.maximum(before, 1 / 255)).clip(0, 1)
    lines = _lines(colours, small)
    return np.asarray(np.maximum(share * (1 - (1 - LINE) * gone * lines), gone * (1 - lines)), np.float32)


def _lines(colours: AnyPicture, small: AnyPicture) -> FloatPlanes:
    """How far what differs around each pixel lies along a line, 0 to 1."""
    grey, other = (cv2.cvtColor(each, cv2.COLOR_RGB2GRAY).astype(np.float32) for each in (colours, small))
    difference = (grey - other) * np.float32(255 / white(colours))
    across, down = (cv2.Sobel(difference, -1, *order, borderType=cv2.BORDER_REPLICATE) for order in ((1, 0), (0, 1)))
    products = across * across, down * down, across * down
    wide, high, both = (cv2.blur(product, (9, 9), borderType=cv2.BORDER_REPLICATE) for product in products)
    along = np.hypot(wide - high, 2 * both) / (wide + high + 1)  # 1: the slope of rounding
    least, most = ALONG
    return np.asarray(((along - least) / (most - least)).clip(0, 1), np.float32)


def _largest(colours: npt.NDArray[Any]) -> FloatPlanes:
    """The largest channel of each pixel (h x w x 3, 8 or 16 bits), of 0..1."""
    return np.asarray(np.maximum.reduce(cv2.split(colours)) / np.float32(white(colours)), np.float32)


def reduced(large: AnyPicture, scale: int) -> AnyPicture:
    """The means of each `scale` x `scale` pixels."""
    height, width, _ = large.shape
    return cv2.resize(large, (width // scale, height // scale), interpolation=cv2.INTER_AREA).astype(large.dtype, copy=False)


def _around(doubts: FloatPlanes, margin: int) -> tuple[slice, slice]:
    """The rows and the columns of the smallest rectangle with all doubts in it, and up to `margin` more on each side."""
    rows, columns = (
        slice(max(int(found[0]) - margin, 0), min(int(found[-1]) + 1 + margin, length))
        for found, length in ((np.nonzero(doubts.any(axis=axis))[0], doubts.shape[1 - axis]) for axis in (1, 0))
    )
    return rows, columns
