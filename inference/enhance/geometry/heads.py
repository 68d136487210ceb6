"""A clip's heads in one frame of reference: the subject's own head, upright and frontal. Turning and nodding are taken out.

Units: S, the subject's distance between the outer corners of the eyes. Directions: x right, y down, z away, of a frontal head.
geometry/head.py gives the pose of a single mesh; here one shape is fitted to all meshes of a clip, which tells turns better.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .landmarks import CHIN, LEFT_EYE, LIP_RINGS, PLAN_POINTS, RIGHT_EYE, STILL_IN_SPEECH

Array = npt.NDArray[Any]

_STILL = slice(len(LIP_RINGS), len(LIP_RINGS) + len(STILL_IN_SPEECH))
_EYES = (STILL_IN_SPEECH.index(RIGHT_EYE), STILL_IN_SPEECH.index(LEFT_EYE))

# STILL_IN_SPEECH of a mean face, frontal, S = 1, centred: from the meshes of GRID's speakers, made symmetric.
MEAN_FACE = np.array(
    [
        (-0.5000, -0.2325, -0.0043),
        (-0.1892, -0.2110, -0.0634),
        (0.1892, -0.2110, -0.0634),
        (0.5000, -0.2325, -0.0043),
        (0.0000, -0.2709, -0.2560),
        (0.0000, -0.1792, -0.3025),
        (0.0000, -0.0926, -0.3568),
        (0.0000, -0.0111, -0.4168),
        (0.0000, 0.0765, -0.4783),
        (0.0000, 0.1815, -0.5024),
        (0.0000, 0.2611, -0.4761),
        (0.0000, 0.3329, -0.2972),
        (-0.1965, 0.3080, -0.2061),
        (0.1965, 0.3080, -0.2061),
        (-0.7902, -0.1792, 0.5638),
        (0.7902, -0.1792, 0.5638),
        (-0.7816, -0.0059, 0.6215),
        (0.7816, -0.0059, 0.6215),
        (-0.7654, 0.1716, 0.6315),
        (0.7654, 0.1716, 0.6315),
    ],
    np.float64,
)


@dataclass(frozen=True)
class Heads:
    """The g frames of a clip that have a mesh, in the head's frame of reference.

    lips: g x 40 x 3 in S. chins: g, height (down) of the chin's lowest point in S. yaw, pitch: g degrees away from the camera.
    misfit: g, how far the rigid points are from rigid, in S. centres: g x 2, where the head is in the picture, in S.
    """

    lips: Array
    chins: Array
    yaw: Array
    pitch: Array
    misfit: Array
    centres: Array


def heads_of(points: Array) -> Heads:
    """The heads of meshes. points: g x len(PLAN_POINTS) x 3 pixels, none NaN, all of one subject.

    The shape starts as MEAN_FACE and becomes the subject's own: the median of the aligned meshes, fitted twice.
    """
    if not len(points):
        none = np.zeros(0)
        return Heads(np.zeros((0, len(LIP_RINGS), 3)), none, none, none, none, np.zeros((0, 2)))
    rigid = points[:, _STILL].astype(np.float64)
    face = MEAN_FACE
    for _ in range(2):  # a mean face first, then the subject's own
        scales, turns, shifts = _fit(rigid, face)
        aligned = _moved(rigid, scales, turns, shifts)
        face = np.median(aligned, 0)
    # Upright as the mean face is, however the subject's own shape leans.
    _, turn, _ = _fit(face[None], MEAN_FACE)
    face = face @ turn[0].T
    face = (face - face.mean(0)) / np.linalg.norm(face[_EYES[0]] - face[_EYES[1]])
    scales, turns, shifts = _fit(rigid, face)
    lips = _moved(points[:, : len(LIP_RINGS)].astype(np.float64), scales, turns, shifts)
    chins = _moved(points[:, [PLAN_POINTS.index(CHIN)]].astype(np.float64), scales, turns, shifts)[:, 0, 1]
    misfit = np.sqrt(((_moved(rigid, scales, turns, shifts) - face) ** 2).sum(2).mean(1))
    yaw = np.degrees(np.arctan2(turns[:, 0, 2], turns[:, 2, 2]))
    pitch = np.degrees(np.arctan2(turns[:, 1, 2], turns[:, 2, 2]))
    return Heads(lips, chins, yaw, pitch, misfit, rigid.mean(1)[:, :2] * scales[:, None])


def _fit(shapes: Array, target: Array) -> tuple[Array, Array, Array]:
    """Scale, rotation and shift that lay each shape (g x n x 3) on the target (n x 3), least squares (Umeyama 1991)."""
    centres, centre = shapes.mean(1), target.mean(0)
    a, b = shapes - centres[:, None], target - centre
    u, s, vt = np.linalg.svd(np.einsum("ni,gnj->gij", b, a))
    sign = np.ones_like(s)
    sign[:, 2] = np.sign(np.linalg.det(u @ vt))
    turns = (u * sign[:, None]) @ vt
    scales = (s * sign).sum(1) / (a**2).sum((1, 2))
    shifts = centre - scales[:, None] * np.einsum("gij,gj->gi", turns, centres)
    return scales, turns, shifts


def _moved(shapes: Array, scales: Array, turns: Array, shifts: Array) -> Array:
    moved: Array = scales[:, None, None] * np.einsum("gij,gnj->gni", turns, shapes) + shifts[:, None]
    return moved
