"""How a head is turned, from the depth that its mesh claims."""

from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import CHIN, FOREHEAD, LEFT_EYE, RIGHT_EYE


def pose(mesh: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """yaw, pitch, roll in degrees of a mesh (478 x 3); NaN without a face.

    yaw + = the nose points to the right of the picture, pitch + = up, roll + = clockwise. The axes are the line of the eyes
    and, square to it, the line from forehead to chin. No truth was at hand to measure the error against.
    """
    across = _unit(mesh[LEFT_EYE] - mesh[RIGHT_EYE])
    down = mesh[CHIN] - mesh[FOREHEAD]
    down = _unit(down - across * (down @ across))
    forward = np.cross(down, across)  # out of the face, towards the viewer: z is negative there
    yaw = np.arctan2(forward[0], -forward[2])
    pitch = np.arcsin(np.clip(-forward[1], -1, 1))
    roll = np.arctan2(across[1], across[0])
    return np.asarray(np.degrees([yaw, pitch, roll]), np.float32)


def _unit(vector: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))
