"""A mouth that is drawn with ink, as it was found in a frame."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import LEFT_CORNER, RIGHT_CORNER
from enhance.masks import narrowed
from enhance.picture import Mask

from .parts import FAINTEST

LIKE_MESH, ASIDE_OF_MESH = (0.7, 1.35), 0.065
"""Widths of the mesh's mouth that the drawn one has, and S between the middles of the two: elsewhere it may be a fold."""
STROKE = 0.065  # S: what is not higher, column by column, is the stroke of a closed mouth
DOT_WIDE, DOT_HIGH, DOT_RIM, ONE_TONE = 0.1, 0.1, 0.015, 0.85
"""S across and down a dot at most, and of its edge; and of its darkest, what it has inside at least."""
THICK, LONG, EVEN_HIGH = 0.12, 4.0, 0.8
"""S of a stroke with a broad brush, at most; its width, in heights, at least; and the height near its ends, of that in the
middle, at least: an open mouth has about .68 there, since its edges meet in its corners."""


@dataclass(frozen=True)
class Drawn:
    """The drawn mouth of one frame, on a raster in plane coordinates that is `finer` samples to an S."""

    origin: Array
    finer: float
    lit: Floats
    """Luma as if nothing were drawn on the skin."""
    dark: Floats
    """How much darker it is."""
    whole: Mask
    """The mouth with all that it encloses."""
    columns: slice
    top: Array
    bottom: Array
    """Of the mouth in each of the columns, in rows."""
    red: bool = False
    """Whether `dark` is how much redder than skin it is, times RED."""
    light: bool = False
    """Whether it is drawn with light lines on dark ground: `lit` and `dark` are of the negative."""

    @property
    def open(self) -> float:
        """Height in S, that of a stroke when closed."""
        count = len(self.top)
        middle = slice(count // 5, count - count // 5)
        return float(np.median((self.bottom - self.top)[middle])) / self.finer

    @property
    def height(self) -> float:
        """From its highest to its lowest place, in S."""
        return float(self.bottom.max() - self.top.min()) / self.finer

    @property
    def width(self) -> float:
        """In S."""
        return len(self.top) / self.finer

    @cached_property
    def shut(self) -> bool:
        """Whether it is a stroke, or a dot or a broad stroke of one tone."""
        if self.open < STROKE:
            return True
        if not self._is_broad and (self.width > DOT_WIDE or self.open > DOT_HIGH):
            return False
        core = narrowed(self.whole, round(DOT_RIM * self.finer))
        return bool(core.any() and np.median(self.dark[core]) > ONE_TONE * self.darkest)

    @property
    def _is_broad(self) -> bool:
        """Whether it is as high near its ends as in the middle, as what a broad brush draws."""
        height, ends = self.bottom - self.top, slice(len(self.top) // 10, len(self.top) // 6 + 1)
        at_ends = min(np.median(height[ends]), np.median(height[::-1][ends])) / self.finer
        return bool(self.open < min(THICK, self.width / LONG) and at_ends > EVEN_HIGH * self.open)

    @property
    def ends(self) -> Array:
        """2 x 2, plane coordinates: the corners, left and right."""
        middles = (self.top + self.bottom) / 2
        y = [middles[:2].mean(), middles[-2:].mean()]
        return self.place(np.array([[self.columns.start, y[0]], [self.columns.stop, y[1]]]))

    @cached_property
    def luma(self) -> Floats:
        """As the frame has it."""
        return self.lit - self.dark

    @cached_property
    def ink(self) -> float:
        """How much darker than skin lines are, at least: half way from what they enclose to the darkest."""
        return float(np.percentile(self.dark[self.whole], (50, 95)).mean())

    @cached_property
    def darkest(self) -> float:
        """How much darker than skin its darkest tenth is, at least."""
        return float(np.percentile(self.dark[self.whole], 90))

    @cached_property
    def of_teeth(self) -> bool:
        """Whether nothing of it is dark: white teeth without a line."""
        return float(np.percentile(self.dark[self.whole], 95)) < FAINTEST

    @cached_property
    def dark_across(self) -> list[Floats]:
        """`dark` of each of the columns, from the upper to the lower edge: a sample at least."""
        edges = zip(self.top.astype(int), self.bottom.astype(int), strict=True)
        return [self.dark[top : max(bottom, top + 1), self.columns.start + i] for i, (top, bottom) in enumerate(edges)]

    def place(self, at: Array) -> Array:
        """Plane coordinates of columns and rows, pixel edges counted."""
        return np.asarray(self.origin + (at - 0.5) / self.finer)

    def covers(self, pose: Pose, area: Area) -> Floats:
        """How much the mouth covers each pixel of an area, 0..1."""
        return self.on_pixels(self.whole, pose, area)

    def on_pixels(self, mask: Mask, pose: Pose, area: Area) -> Floats:
        """How much of each pixel of an area a mask on the raster covers, 0..1."""
        at = (pose.plane_of(area) - self.origin) * self.finer
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        return np.asarray(cv2.remap(mask.astype(np.float32), x, y, cv2.INTER_LINEAR), np.float32)


def is_there(drawn: Drawn, head: Array, pose: Pose) -> bool:
    """Whether the mouth is where the mesh (478 x 3, head coordinates) has it, and about as wide."""
    ends, corners = drawn.ends, pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    return is_as_wide(drawn, head, pose) and bool(np.linalg.norm((ends - corners).mean(axis=0)) < ASIDE_OF_MESH)


def is_as_wide(drawn: Drawn, head: Array, pose: Pose) -> bool:
    """Whether the mouth is about as wide as the mesh (478 x 3, head coordinates) has it."""
    ends, corners = drawn.ends, pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    width = float(np.linalg.norm(ends[1] - ends[0])) / max(float(np.linalg.norm(corners[1] - corners[0])), 1e-6)
    return LIKE_MESH[0] <= width <= LIKE_MESH[1]


def raster(
    plane: npt.NDArray[np.uint8], coarser: int, pose: Pose, origin: Array, finer: float, size: tuple[int, int]
) -> Floats:
    """A plane at the raster's samples, columns x rows. coarser: luma pixels to one of its samples."""
    x = origin[0] + np.arange(size[0]) / finer
    y = origin[1] + np.arange(size[1]) / finer
    at = pose.to_pixels(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(size[1], size[0], 2)
    at = ((at - (coarser - 1) / 2) / coarser).astype(np.float32)
    step = pose.scale / finer / coarser
    source = plane if step <= 1.2 else cv2.GaussianBlur(plane, (0, 0), 0.4 * step)
    seen = cv2.remap(source, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32)
