"""Runs of places that have something in common."""

import numpy as np
import numpy.typing as npt


def runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Every run of True in flags, [T], as its first place and the one after its last."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
