"""Where in a patch pixels may move: below the nose, and not at the patch's border. docs/decisions/0064."""

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, ramp, smoothstep
from enhance.geometry.landmarks import LEFT_CORNER, NOSE_BASE, RIGHT_CORNER

from .lips.outline import ALONG, MIDPOINT, Lips
from .lips.shape import Asked
from .patch import PATCH_DROP, PATCH_SPAN, Patch

STILL_ABOVE, MOVING_BELOW = 0.10, 0.02
"""S above and below the nose's base between which the displacement sets in."""
UNDER_NOSE = (0.10, 0.95)
"""Of the way from the nose to an upper lip that is drawn down, where the displacement sets in instead: the nose's shadow lies
there, and stays with the nose."""
BESIDE_NOSE = (0.16, 0.28)
"""S from the nose's middle between which that ends."""
DRAWN_DOWN = (0.02, 0.06)
"""S by which the upper lip is, from which that begins, and is whole."""
LEAST_UNDER = 0.03
"""S of that way, at least."""
BORDER = (0.12, 0.26)
"""S from the patch's border between which the displacement goes from none to whole."""
CUT_OFF = (0.03, 0.12)
"""S by which a side of the patch lies nearer to the mouth than PATCH_SPAN says. Up to the first it is the patch's own border;
from the second it is the picture's, at which pixels may move."""

BENEATH = np.abs(ALONG) < 0.5
"""Of the upper lip's points, those beneath the nose."""


class Window:
    """How much of a displacement each pixel is given."""

    def __init__(self, patch: Patch, own: Lips, asked: Asked) -> None:
        area, pose = patch.planes.area, patch.pose
        self.pose = pose
        self.nose_x, self.nose = (float(v) for v in pose.to_plane(patch.head[NOSE_BASE]))
        self.drawn_down = ramp(float((asked.upper_outer - own.upper_outer)[MIDPOINT, 1]), *DRAWN_DOWN)
        self.under = max(float(pose.to_plane(asked.upper_outer[BENEATH])[:, 1].min()) - self.nose, LEAST_UNDER)
        half = PATCH_SPAN / 2 * pose.scale
        x, y = pose.to_pixels(pose.to_plane((patch.head[RIGHT_CORNER] + patch.head[LEFT_CORNER]) / 2))
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
        plane = self.pose.plane_at(x, y)
        aside, down = np.abs(plane[..., 0] - self.nose_x), plane[..., 1] - self.nose
        share = smoothstep(down, -STILL_ABOVE, MOVING_BELOW)
        if self.drawn_down:
            shadow = (1 - smoothstep(down / self.under, *UNDER_NOSE)) * (1 - smoothstep(aside, *BESIDE_NOSE))
            share = share * (1 - self.drawn_down * shadow)
        left, top, right, bottom = self.edges
        across = self._let_through(x - left, 0) * self._let_through(right - 1 - x, 2)
        height = self._let_through(y - top, 1) * self._let_through(bottom - 1 - y, 3)
        return np.asarray(share * across * height[:, None], np.float32)

    def _let_through(self, distance: Floats, side: int) -> Array:
        """0..1 at distances from a side of the patch, in pixels."""
        low, high = (b * self.pose.scale for b in BORDER)
        return np.asarray(1 - self.fade[side] * (1 - smoothstep(distance, low, high)))
