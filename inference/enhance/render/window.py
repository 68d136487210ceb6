"""Where in a patch pixels may move: below the nose, and not at the patch's border."""

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, smoothstep

from .patch import PATCH_DROP, PATCH_SPAN, Patch

STILL_ABOVE, MOVING_BELOW = 0.10, 0.02
"""S above and below the nose's base between which the displacement sets in."""
BORDER = (0.12, 0.26)
"""S from the patch's border between which the displacement goes from none to whole."""
CUT_OFF = (0.03, 0.12)
"""S by which a side of the patch lies nearer to the mouth than PATCH_SPAN says. Up to the first it is the patch's own border;
from the second it is the picture's, at which pixels may move."""


class Window:
    """How much of a displacement each pixel is given."""

    def __init__(self, patch: Patch) -> None:
        area, pose = patch.planes.area, patch.pose
        self.pose = pose
        self.nose = float(pose.to_plane(patch.head[2])[1])
        half = PATCH_SPAN / 2 * pose.scale
        x, y = pose.to_pixels(pose.to_plane((patch.head[61] + patch.head[291]) / 2))
        expected = np.array([x - half, y + PATCH_DROP * pose.scale - half, x + half, y + PATCH_DROP * pose.scale + half])
        edges = np.array([area.x, area.y, area.right, area.bottom], float)
        nearer = np.array([1, 1, -1, -1]) * (edges - expected) / pose.scale
        self.edges = edges
        self.fade = 1 - np.clip((nearer - CUT_OFF[0]) / (CUT_OFF[1] - CUT_OFF[0]), 0, 1)
        corners = pose.to_pixels(np.array([[-1.5, self.nose - STILL_ABOVE], [1.5, self.nose - STILL_ABOVE]]))
        top = int(np.clip(np.floor(corners[:, 1].min()), 0, area.bottom))
        self.reach = Area(area.x, top & ~1, area.right, area.bottom)
        """The rows in which anything can move."""

    def __call__(self, x: Floats, y: Floats) -> Floats:
        """0..1 at columns x and rows y of the patch, rows x columns."""
        share = smoothstep(self.pose.plane_at(x, y)[..., 1], self.nose - STILL_ABOVE, self.nose + MOVING_BELOW)
        left, top, right, bottom = self.edges
        across = self._let_through(x - left, 0) * self._let_through(right - 1 - x, 2)
        down = self._let_through(y - top, 1) * self._let_through(bottom - 1 - y, 3)
        return np.asarray(share * across * down[:, None], np.float32)

    def _let_through(self, distance: Floats, side: int) -> Array:
        """0..1 at distances from a side of the patch, in pixels."""
        low, high = (b * self.pose.scale for b in BORDER)
        return np.asarray(1 - self.fade[side] * (1 - smoothstep(distance, low, high)))
