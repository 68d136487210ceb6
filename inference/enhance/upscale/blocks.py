"""A JPEG's blocks of 8 x 8, and their frequencies."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

BLOCK = 8


def blocks_of(plane: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """The whole blocks of a plane: n x 64."""
    rows, columns = (length // BLOCK for length in plane.shape)
    cut = plane[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK)
    return cut.transpose(0, 2, 1, 3).reshape(-1, BLOCK**2)


def distinct(blocks: Floats) -> npt.NDArray[np.intp]:
    """Where each block stands first: the few that a drawing repeats fit some step by chance."""
    whole = np.ascontiguousarray(blocks).view(f"V{blocks[:1].nbytes}").ravel()
    return np.asarray(np.unique(whole, return_index=True)[1])


def wave(down: int, across: int) -> npt.NDArray[np.float64]:
    """The block of one frequency of the discrete cosine transform."""
    at = (np.arange(BLOCK) + 0.5) * np.pi / BLOCK
    norm = 2 / BLOCK * (0.5**0.5 if down == 0 else 1) * (0.5**0.5 if across == 0 else 1)
    return norm * np.outer(np.cos(at * down), np.cos(at * across)).ravel()
