"""The places round a face at which HEAD and EDGES are told: SIDE x SIDE, along the axes of the head."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.frame import Floats, HeadFrame

SIDE = 96  # cells
HEAD = (1.22, 1.50)  # half width in outer-eye distances, half height above in half face heights, of a usual head with hair
FAR = 1.6  # times HEAD, from where on all is still
COLLAR = 0.65  # outer-eye distances below the chin, from where on the neck is still

Raster = npt.NDArray[np.float32]
"""SIDE x SIDE. at() reads it."""


def bounds(frame: HeadFrame) -> tuple[Floats, Floats]:
    """Upper left and lower right of the raster: x, y in the frame's units."""
    width, height = HEAD
    return np.array([-FAR * width, -FAR * height * frame.chin]), np.array([FAR * width, frame.chin + COLLAR])


def places(frame: HeadFrame) -> tuple[Floats, Floats]:
    """How far right and how far down each cell lies, in the frame's units: SIDE x SIDE each."""
    across, down = np.meshgrid(*np.linspace(*bounds(frame), SIDE).T)
    return across, down


def in_pixels(frame: HeadFrame, across: Floats, down: Floats) -> tuple[Floats, Floats]:
    """x and y in the picture of places in the frame's units."""
    x, y = np.moveaxis(frame.origin + frame.unit * (across[..., None] * frame.right + down[..., None] * frame.down), 2, 0)
    return x, y


def at(raster: Raster, frame: HeadFrame, across: Floats, down: Floats) -> Floats:
    """A raster at places in the frame's units. Beyond its border it goes on as it is there."""
    low, high = bounds(frame)
    both = zip((across, down), low, high, strict=True)
    x, y = (((each - start) / (end - start) * (SIDE - 1)).astype(np.float32) for each, start, end in both)
    return np.asarray(cv2.remap(raster, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def over(raster: Raster, frame: HeadFrame, area: Area) -> Raster:
    """A raster at the pixels of an area, height x width."""
    low, high = bounds(frame)
    cells = (SIDE - 1) / (high - low)
    turn = np.stack([frame.right, frame.down]) * (cells / frame.unit)[:, None]
    start = turn @ (np.array([area.x, area.y]) - frame.origin) - low * cells
    how, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (area.width, area.height)
    values = cv2.warpAffine(raster, np.column_stack([turn, start]), size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    # OpenCV interpolates in steps of 1/32 of a cell, which would show where many pixels lie in one.
    half = max(1, round(0.5 * frame.unit / float(cells[0])))
    return np.asarray(cv2.blur(values, (half, half)), np.float32)
