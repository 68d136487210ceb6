"""Classical resampling by whole factors. A product with a small banded matrix does it at the speed of a matrix product.

Positions are those of pixel centres: output pixel i of an enlargement lies at (i + 0.5) / scale - 0.5 of the input.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from .picture import Planes

Doubles = npt.NDArray[np.float64]
Shape = Callable[[Doubles], Doubles]
Kernel = Literal["lanczos", "bicubic"]
REACH: dict[Kernel, int] = {"lanczos": 3, "bicubic": 2}
"""Input pixels that an enlargement reads beyond its own, on each side."""

UNITS = 64  # pixels of the smaller side per product: wide enough for BLAS, narrow enough that few entries are zero


def enlarge(planes: Planes, scale: int, kernel: Kernel) -> Planes:
    """`scale` times larger, less a border of REACH input pixels on each side, which is only read."""
    reach = REACH[kernel]
    matrix = _enlarging(scale, kernel)
    return _along_rows(_along_columns(planes, matrix, 1, scale, 2 * reach), matrix, 1, scale, 2 * reach)


def enlarge_whole(planes: Planes, scale: int, kernel: Kernel) -> Planes:
    """`scale` times larger; beyond its edge the picture is taken to continue unchanged."""
    return enlarge(_continued(planes, REACH[kernel]), scale, kernel)


def reduce(planes: Planes, scale: int) -> Planes:
    """`scale` times smaller by an antialiased bicubic. Sides are multiples of `scale`."""
    reach = 2 * scale
    matrix = _reducing(scale)
    return _along_rows(_along_columns(_continued(planes, reach), matrix, scale, 1, 2 * reach), matrix, scale, 1, 2 * reach)


def box_half(planes: Planes) -> Planes:
    """Half the size, each pixel the mean of four. Sides are even."""
    rows = planes[:, 0::2] + planes[:, 1::2]
    mean: Planes = (rows[:, :, 0::2] + rows[:, :, 1::2]) * np.float32(0.25)
    return mean


def _along_columns(planes: Planes, matrix: Planes, unit_in: int, unit_out: int, extra: int) -> Planes:
    """The banded product along the height; `extra` more input than units, and a unit of input makes a unit of output."""
    units = (planes.shape[1] - extra) // unit_in
    result = np.empty((planes.shape[0], units * unit_out, planes.shape[2]), np.float32)
    for start in range(0, units, UNITS):
        many = min(UNITS, units - start)
        window = planes[:, start * unit_in : (start + many) * unit_in + extra]
        block = matrix[: many * unit_out, : many * unit_in + extra]
        np.matmul(block, window, out=result[:, start * unit_out : (start + many) * unit_out])
    return result


def _along_rows(planes: Planes, matrix: Planes, unit_in: int, unit_out: int, extra: int) -> Planes:
    """The same along the width."""
    units = (planes.shape[2] - extra) // unit_in
    result = np.empty((planes.shape[0], planes.shape[1], units * unit_out), np.float32)
    for start in range(0, units, UNITS):
        many = min(UNITS, units - start)
        window = planes[:, :, start * unit_in : (start + many) * unit_in + extra]
        block = matrix[: many * unit_out, : many * unit_in + extra]
        result[:, :, start * unit_out : (start + many) * unit_out] = window @ block.T
    return result


@lru_cache
def _enlarging(scale: int, kernel: Kernel) -> Planes:
    reach = REACH[kernel]
    outputs = (np.arange(UNITS * scale) + 0.5) / scale - 0.5
    return _banded(outputs, np.arange(-reach, UNITS + reach, dtype=np.float64), SHAPES[kernel])


@lru_cache
def _reducing(scale: int) -> Planes:
    outputs = (np.arange(UNITS) + 0.5) * scale - 0.5
    return _banded(outputs / scale, np.arange(-2 * scale, (UNITS + 2) * scale) / scale, _bicubic)


def _banded(outputs: Doubles, inputs: Doubles, shape: Shape) -> Planes:
    weights = shape(np.abs(outputs[:, None] - inputs[None, :]))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def _bicubic(distance: Doubles) -> Doubles:
    """Keys' kernel with a = -0.5."""
    near = (1.5 * distance - 2.5) * distance**2 + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    return np.where(distance < 1, near, np.where(distance < 2, far, 0))


def _lanczos(distance: Doubles) -> Doubles:
    return np.where(distance < 3, np.sinc(distance) * np.sinc(distance / 3), 0)


SHAPES: dict[Kernel, Shape] = {"lanczos": _lanczos, "bicubic": _bicubic}


def _continued(planes: Planes, border: int) -> Planes:
    return np.pad(planes, ((0, 0), (border, border), (border, border)), mode="edge")
