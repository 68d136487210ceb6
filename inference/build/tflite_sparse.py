"""Sparse constants of a .tflite file, filled in.

The format (schema.fbs, SparsityParameters, after TACO): the dimensions are walked in a stored order, each either dense
(every index occurs) or compressed (segments and indices, as in CSR). Blocks add dimensions at the end of the walk.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import tflite

Whole = npt.NDArray[np.int64]
Array = npt.NDArray[Any]

VECTORS = {
    tflite.SparseIndexVector.Int32Vector: tflite.Int32Vector,
    tflite.SparseIndexVector.Uint16Vector: tflite.Uint16Vector,
    tflite.SparseIndexVector.Uint8Vector: tflite.Uint8Vector,
}


def densify(sparsity: Any, shape: tuple[int, ...], stored: Array) -> Array:
    """The array of `shape` with `stored` at its places and 0 elsewhere."""
    order = [int(axis) for axis in sparsity.TraversalOrderAsNumpy()]
    blocked = [int(axis) for axis in sparsity.BlockMapAsNumpy()] if sparsity.BlockMapLength() else []
    levels = [sparsity.DimMetadata(level) for level in range(sparsity.DimMetadataLength())]
    walked, at = _walk(levels)
    steps: Whole = np.empty_like(walked)
    steps[:, order] = walked  # by axis: the shape's own, then one inside each blocked axis
    places = steps[:, : len(shape)]
    for block, axis in enumerate(blocked, start=len(shape)):
        places[:, axis] = places[:, axis] * levels[order.index(block)].DenseSize() + steps[:, block]
    dense = np.zeros(shape, stored.dtype)
    dense[tuple(places.T)] = stored[at]
    return dense


def _walk(levels: list[Any]) -> tuple[Whole, Whole]:
    """Every stored value: its index on each level of the walk, and where it is stored."""
    indices: Whole = np.zeros((1, 0), np.int64)
    at: Whole = np.zeros(1, np.int64)
    for level in levels:
        if level.Format() == tflite.DimensionType.DENSE:
            size = level.DenseSize()
            here = np.tile(np.arange(size), len(at))
            indices = np.repeat(indices, size, axis=0)
            at = np.repeat(at, size) * size + here
        else:
            segments = _vector(level.ArraySegments(), level.ArraySegmentsType())
            stored = _vector(level.ArrayIndices(), level.ArrayIndicesType())
            counts = segments[at + 1] - segments[at]
            indices = np.repeat(indices, counts, axis=0)
            at = np.concatenate([np.arange(segments[parent], segments[parent + 1]) for parent in at])
            here = stored[at]
        indices = np.concatenate([indices, here[:, None]], axis=1)
    return indices, at


def _vector(table: Any, kind: int) -> Whole:
    vector = VECTORS[kind]()
    vector.Init(table.Bytes, table.Pos)
    return np.asarray(vector.ValuesAsNumpy(), np.int64)
