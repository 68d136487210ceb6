"""Where the head is in a picture, from its mesh: the units and axes that motion is measured in."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]
"""Of float32 or float64: OpenCV's types tell them apart no better."""


@dataclass(frozen=True)
class HeadFrame:
    """Axes in the picture, origin half way between forehead and chin."""

    mesh: Floats  # 478 x 3 pixels
    unit: float  # pixels: the outer-eye distance, in 3-D
    origin: Floats
    right: Floats  # unit vectors in the picture
    down: Floats
    chin: float  # half the height of the face, in units

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """points: ... x 2 pixels -> how far right and how far down of the origin, in units."""
        away = (points - self.origin) / self.unit
        return away @ self.right, away @ self.down


def head_frame(mesh: npt.NDArray[np.float32]) -> HeadFrame:
    """Raises ValueError unless mesh is 478 x 3, finite, and has a size."""
    if mesh.shape != (478, 3):
        raise ValueError(f"expected MESH [478, 3], got {list(mesh.shape)}")
    if not np.isfinite(mesh).all():
        raise ValueError("expected MESH without NaN or infinity, got a mesh of no face")
    points = mesh.astype(np.float64)
    forehead, chin = points[10, :2], points[152, :2]
    unit = float(np.linalg.norm(points[263] - points[33]))
    height = float(np.linalg.norm(chin - forehead))
    if unit < 4 or height < 4:
        raise ValueError(f"expected a face of at least 4 pixels between the eyes, got {unit:.1f}")
    down = (chin - forehead) / height
    return HeadFrame(points, unit, (forehead + chin) / 2, np.array([down[1], -down[0]]), down, height / 2 / unit)


def ramp(values: Floats | float, start: float, end: float) -> Floats:
    """0 up to start, 1 from end, smooth between."""
    t = np.clip((values - start) / (end - start), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))
