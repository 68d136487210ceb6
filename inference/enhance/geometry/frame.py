"""A portrait's head in the plane of its picture: the axes and the unit in which its motion is measured.

Unlike head.Pose, whose axes follow the eyes in three dimensions, these follow the line from forehead to chin in the picture:
a still that moves has no depth to turn in.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .landmarks import CHIN, FOREHEAD, LEFT_EYE, MESH_POINTS, RIGHT_EYE

Floats = npt.NDArray[Any]
"""Of float32 or float64: OpenCV's type stubs do not distinguish them."""

SMALLEST_PORTRAIT = 4.0  # pixels between the outer eye corners, and from forehead to chin


@dataclass(frozen=True)
class HeadFrame:
    """Axes in the picture; the origin lies half way between forehead and chin."""

    mesh: Floats  # 478 x 3 pixels
    unit: float  # pixels: the outer-eye distance, in 3-D
    origin: Floats
    right: Floats  # unit vectors in the picture
    down: Floats
    chin: float  # half the height of the face, in units

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """How far right and how far down of the origin points (... x 2, pixels) lie, in units."""
        away = (points - self.origin) / self.unit
        return away @ self.right, away @ self.down


def head_frame(mesh: npt.NDArray[np.float32]) -> HeadFrame:
    """The frame of a face. mesh: 478 x 3, pixels.

    Raises ValueError for another shape, NaN, or a face smaller than SMALLEST_PORTRAIT.
    """
    if mesh.shape != (MESH_POINTS, 3):
        raise ValueError(f"expected MESH [{MESH_POINTS}, 3], got {list(mesh.shape)}")
    if not np.isfinite(mesh).all():
        raise ValueError("expected MESH without NaN or infinity, got a mesh of no face")
    points = mesh.astype(np.float64)
    forehead, chin = points[FOREHEAD, :2], points[CHIN, :2]
    unit = float(np.linalg.norm(points[LEFT_EYE] - points[RIGHT_EYE]))
    height = float(np.linalg.norm(chin - forehead))
    if min(unit, height) < SMALLEST_PORTRAIT:
        smallest = f"{SMALLEST_PORTRAIT:g} pixels between the eyes and from forehead to chin"
        raise ValueError(f"expected a face of at least {smallest}, got {unit:.1f} and {height:.1f}")
    down = (chin - forehead) / height
    return HeadFrame(points, unit, (forehead + chin) / 2, np.array([down[1], -down[0]]), down, height / 2 / unit)
