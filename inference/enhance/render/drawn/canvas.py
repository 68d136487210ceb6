"""Shapes drawn larger than pixels are, then averaged."""

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.geometry.planes import Plane

FINER = 4  # the drawing is made so much larger, then averaged
LEAST_SOFT = 0.35  # pixels of blur
MOST = 1_500_000  # pixels that it may take


class Canvas:
    """Shapes in plane coordinates, drawn larger than the area's pixels: uint8 masks, 255 inside."""

    def __init__(self, pose: Pose, area: Area, soft: float) -> None:
        self.pose, self.area, self.soft = pose, area, soft
        self.finer = next((n for n in (FINER, 3, 2) if area.width * area.height * n * n < MOST), 1)

    def polygon(self, points: Array) -> Plane:
        """A filled polygon; points: n x 2, plane coordinates."""
        mask = np.zeros((self.area.height * self.finer, self.area.width * self.finer), np.uint8)
        pixels = (self.pose.to_pixels(points) - [self.area.x, self.area.y] + 0.5) * self.finer - 0.5
        cv2.fillPoly(mask, [np.round(pixels * 16).astype(np.int32)], (255,), cv2.LINE_8, 4)
        return mask

    def strip(self, line: Array, thick: Array) -> Plane:
        """Along a line, so thick at its points."""
        along = np.gradient(line, axis=0)
        along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        # What fillPoly draws is half a sample larger on each side.
        slim = np.maximum(thick - 1 / self.finer / self.pose.scale, 0)
        across = np.stack([-along[:, 1], along[:, 0]], axis=1) * slim[:, None] / 2
        strip = self.polygon(np.vstack([line - across, (line + across)[::-1]]))
        if (thick <= 0).any():
            strip[:] = 0
            shown = np.flatnonzero(thick > 0)
            for run in np.split(shown, np.flatnonzero(np.diff(shown) > 1) + 1):
                if len(run) > 1:
                    strip |= self.polygon(np.vstack([(line - across)[run], (line + across)[run][::-1]]))
        return strip

    def averaged(self, mask: Plane) -> Floats:
        """How much of each pixel of the area a mask covers, 0..1, its edges as soft as the drawing's."""
        size = (self.area.width, self.area.height)
        covered = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.float32) / np.float32(255)
        return np.asarray(cv2.GaussianBlur(covered, (0, 0), self.soft), np.float32) if self.soft > LEAST_SOFT else covered
