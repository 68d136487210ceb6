"""A JPEG's blocks of 8 x 8, and their frequencies."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

BLOCK = 8
USUAL = np.array(
    [
        *((16, 11, 10, 16, 24, 40, 51, 61), (12, 12, 14, 19, 26, 58, 60, 55)),
        *((14, 13, 16, 24, 40, 57, 69, 56), (14, 17, 22, 29, 51, 87, 80, 62)),
        *((18, 22, 37, 56, 68, 109, 103, 77), (24, 35, 55, 64, 81, 104, 113, 92)),
        *((49, 64, 78, 87, 103, 121, 120, 101), (72, 92, 95, 98, 112, 100, 103, 99)),
    ]
)
"""The steps of luma's frequencies at quality 50, by rows (ITU-T T.81, annex K)."""


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
    return np.outer(line(down), line(across)).ravel()


def line(frequency: int) -> npt.NDArray[np.float64]:
    """The eight samples of one frequency of the discrete cosine transform; a block is the product of two."""
    at = (np.arange(BLOCK) + 0.5) * np.pi / BLOCK
    return np.asarray((2 / BLOCK) ** 0.5 * (0.5**0.5 if frequency == 0 else 1) * np.cos(at * frequency))
