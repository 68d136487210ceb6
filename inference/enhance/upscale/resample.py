"""Classical resampling by whole factors, as products with a small banded matrix.

Positions are those of pixel centres: output pixel i of an enlargement lies at (i + 0.5) / scale - 0.5 of the input.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from enhance.picture import FloatPlanes

Doubles = npt.NDArray[np.float64]
Shape = Callable[[Doubles], Doubles]
Kernel = Literal["lanczos", "bicubic"]
REACH: dict[Kernel, int] = {"lanczos": 3, "bicubic": 2}
"""Input pixels beyond its own that an output pixel depends on, on each side."""

UNITS = 64  # input pixels per product: wide enough for BLAS, narrow enough that few entries are zero


def enlarge(planes: FloatPlanes, scale: int, kernel: Kernel) -> FloatPlanes:
    """Planes `scale` times larger, less a border of REACH[kernel] input pixels on each side, which is only read."""
    reach = REACH[kernel]
    matrix = _enlarging(scale, kernel)
    return _along_rows(_along_columns(planes, matrix, scale, 2 * reach), matrix, scale, 2 * reach)


def box(planes: FloatPlanes, side: int) -> FloatPlanes:
    """Planes `side` times smaller, each pixel the mean of side x side. Height and width must be multiples of `side`."""
    rows = np.asarray(sum(planes[:, row::side] for row in range(side)))
    columns = np.asarray(sum(rows[:, :, column::side] for column in range(side)))
    mean: FloatPlanes = columns * np.float32(1 / side**2)
    return mean


def _along_columns(planes: FloatPlanes, matrix: FloatPlanes, scale: int, extra: int) -> FloatPlanes:
    """The banded product along the height: of `extra` more pixels than are enlarged."""
    height = planes.shape[1] - extra
    result = np.empty((planes.shape[0], height * scale, planes.shape[2]), np.float32)
    for start in range(0, height, UNITS):
        many = min(UNITS, height - start)
        block = matrix[: many * scale, : many + extra]
        np.matmul(block, planes[:, start : start + many + extra], out=result[:, start * scale : (start + many) * scale])
    return result


def _along_rows(planes: FloatPlanes, matrix: FloatPlanes, scale: int, extra: int) -> FloatPlanes:
    """The same along the width."""
    width = planes.shape[2] - extra
    result = np.empty((planes.shape[0], planes.shape[1], width * scale), np.float32)
    for start in range(0, width, UNITS):
        many = min(UNITS, width - start)
        block = matrix[: many * scale, : many + extra]
        result[:, :, start * scale : (start + many) * scale] = planes[:, :, start : start + many + extra] @ block.T
    return result


@lru_cache
def _enlarging(scale: int, kernel: Kernel) -> FloatPlanes:
    reach = REACH[kernel]
    outputs = (np.arange(UNITS * scale) + 0.5) / scale - 0.5
    return _banded(outputs, np.arange(-reach, UNITS + reach, dtype=np.float64), SHAPES[kernel])


def _banded(outputs: Doubles, inputs: Doubles, shape: Shape) -> FloatPlanes:
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
