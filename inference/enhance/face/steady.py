"""Meshes without the network's jitter, and with little lag.

One-euro filters (Casiez et al. 2012: the cut-off rises with speed). The head as a whole is one similarity from frame to frame,
fitted to the points that move with the skull; what is left of each point is filtered by the part of the face that it belongs
to. So the mesh of a moving head does not lag, and points of the skull can be filtered strongly.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LEFT_EYE_RIM, LIPS, MESH_POINTS, RIGHT_EYE_RIM, SKIN_POINTS, SKULL, eye_distance
from enhance.geometry.similarity import similarity
from enhance.record import Shape

from .crop import Points

FPS = 25.0  # where the caller does not say
SPEED_CUTOFF = 2.0  # Hz, of the speeds that the filters go by
HEAD = (1.0, 0.5)  # cut-off at rest in Hz, and Hz more for each hundredth of the eye distance a second
SOFT = (2.0, 0.2)  # lips and lids
JAW = (1.5, 0.1)  # the lower face, which follows the jaw
HARD = (1.0, 0.02)  # the skull, which moves as a whole


def _parameters() -> npt.NDArray[np.float64]:
    """Each point's cut-off and slope (2 x 478)."""
    values = np.tile(np.array([JAW]).T, (1, MESH_POINTS))
    values[:, list(SKULL)] = np.array([HARD]).T
    for soft in (LIPS, RIGHT_EYE_RIM, LEFT_EYE_RIM, tuple(range(SKIN_POINTS, MESH_POINTS))):
        values[:, list(soft)] = np.array([SOFT]).T
    return values


CUTOFF, SLOPE = _parameters()


@dataclass(frozen=True)
class Steady:
    """The filtered mesh, and the speeds of the head and of its 478 points, in hundredths of the eye distance a second."""

    mesh: Annotated[Points, Shape(MESH_POINTS, 3, dtype=np.float32)]
    head_speed: float
    speeds: Annotated[Points, Shape(MESH_POINTS, dtype=np.float32)]


def begin(mesh: Points) -> Steady:
    """The filters' state after the first mesh (478 x 3) of a face."""
    return Steady(mesh, 0.0, np.zeros(MESH_POINTS, np.float32))


def follow(last: Steady, mesh: Points, fps: float = FPS) -> Steady:
    """The filters' state after the next mesh (478 x 3). fps: frames a second."""
    unit = max(eye_distance(last.mesh), 1e-6) / 100
    rigid = list(SKULL)
    moved = similarity(last.mesh[rigid, :2], mesh[rigid, :2])
    carried = moved.move(last.mesh)
    travel = np.linalg.norm((carried - last.mesh)[rigid, :2], axis=1).mean() / unit * fps
    head_speed = float(_blend(last.head_speed, travel, _share(SPEED_CUTOFF, fps)))
    share = float(_share(HEAD[0] + HEAD[1] * head_speed, fps))
    own = mesh - carried
    own_speeds = np.linalg.norm(own[:, :2], axis=1) / unit * fps
    speeds = _blend(last.speeds, own_speeds, _share(SPEED_CUTOFF, fps))
    shares = _share(CUTOFF + SLOPE * speeds, fps)
    steady = moved.part(share).move(last.mesh) + own * shares[:, None]
    return Steady(steady.astype(np.float32), head_speed, speeds.astype(np.float32))


def _share(cutoff: npt.NDArray[np.float64] | float, fps: float) -> npt.NDArray[np.float64]:
    """The share of a change that a first-order low-pass lets through in one frame. cutoff: Hz."""
    return np.asarray(1 / (1 + fps / (2 * np.pi * np.asarray(cutoff))))


def _blend(
    last: npt.NDArray[np.float32] | float, now: npt.NDArray[np.float64] | float, share: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    return np.asarray(last + (np.asarray(now) - last) * share)
