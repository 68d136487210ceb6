"""The square patch round a mouth that callers cut from a frame, with the head that is seen in it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Array, Pose, pose_of
from enhance.geometry.planes import Colours, Planes

PATCH_SPAN = 2.4
"""Width of the square patch in S."""
PATCH_DROP = 0.30
"""How far its centre lies below the middle of the mouth, in S."""


@dataclass(frozen=True)
class Patch:
    """A patch and the head in it. head: the mesh, 478 x 3, in head coordinates (geometry/head.py)."""

    planes: Planes
    colours: Colours
    pose: Pose
    head: Array


def patch_of(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic]) -> Patch:
    """The patch with its mesh (478 x 3, in the patch's pixels) read.

    Raises BadMouthError when `mesh` is no face's, and SidewaysError when the face is seen from the side.
    """
    pose = pose_of(mesh)
    return Patch(planes, colours, pose, pose.to_head(mesh.astype(np.float64)))
