"""How far the edges of the part of a portrait in which the face is lie: bars, panels, frames and circles do not bend."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.frame import Floats, HeadFrame, head_frame
from enhance.geometry.head import smoothstep
from enhance.picture import BadPictureError, Picture

from .circle import from_circle
from .panel import CORNER, from_lines
from .raster import SIDE, Raster, in_pixels, over, places

NO_EDGE = 2.0  # outer-eye distances: told where an edge lies farther away, or there is none
SOFT = 0.02  # outer-eye distances: an edge is that wide on the face's side
TOWARDS, AWAY = 2.2, 0.6
"""Times its length, nearer to an edge than which a shift is made less. What comes from nearer to the edge must not come from
beyond it; what comes from farther within slides under the edge."""


def find_edges(picture: Picture, frame: HeadFrame) -> Raster:
    """Outer-eye distances from the nearest edge, within -NO_EDGE and NO_EDGE: negative beyond it.

    picture: h x w x 3 uint8 RGB, the portrait as it came. frame: its face's.
    """
    x, y = in_pixels(frame, *places(frame))
    found = [*from_lines(picture, frame, x, y), from_circle(picture, frame, x, y)]
    distances = np.stack([np.full(x.shape, NO_EDGE), *(each / frame.unit for each in found if each is not None)])
    # Where two edges are near, theirs is a round corner.
    beside = np.sqrt((np.maximum(CORNER - distances, 0) ** 2).sum(axis=0))
    nearest = np.where(beside > 0, CORNER - beside, distances.min(axis=0))
    return np.maximum(nearest, -NO_EDGE).astype(np.float32)


@dataclass(frozen=True)
class Edges:
    """distances: find_edges(). frame: of the face, in the pixels of what is rendered."""

    distances: Raster
    frame: HeadFrame

    @classmethod
    def of(cls, values: npt.NDArray[Any], mesh: npt.NDArray[np.float32]) -> "Edges":
        """Those that came from outside. Raises ValueError where `values` are no find_edges(), or `mesh` no face's."""
        if values.dtype != np.float32 or values.shape != (SIDE, SIDE):
            raise BadPictureError(f"expected EDGES [{SIDE}, {SIDE}] of float32, got {list(values.shape)} of {values.dtype}")
        if not (np.abs(values) <= NO_EDGE).all():
            raise BadPictureError(f"expected EDGES within {-NO_EDGE:g} and {NO_EDGE:g}")
        return cls(values, head_frame(mesh))

    def hold(self, shifts: Floats, area: Area) -> Floats:
        """Shifts that bend no edge: 0 at it and beyond, whole from TOWARDS or AWAY times their length within it.

        shifts: in pixels, from where each pixel of the area comes: height x width x 2.
        """
        if self.distances.min() >= NO_EDGE or not shifts.size:
            return shifts
        across, down = cv2.split(shifts)
        length = cv2.magnitude(across, down)
        distance = (over(self.distances, self.frame, area) - np.float32(SOFT)) * np.float32(self.frame.unit)
        if distance.min() >= TOWARDS * length.max():
            return shifts
        towards = across * np.float32(self.frame.down[0]) + down * np.float32(self.frame.down[1]) > 0
        reach = np.maximum(length * np.where(towards, np.float32(TOWARDS), np.float32(AWAY)), np.float32(1e-6))
        return np.asarray(shifts * smoothstep(distance, 0, reach)[..., None], np.float32)
