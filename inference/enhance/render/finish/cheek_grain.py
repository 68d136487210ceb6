"""Noise for what is drawn into a mouth, as strong as the frame's own on the cheeks."""

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.render.patch import Patch

from .grain import noise_of, start_of, white_noise

PLACES = (50, 280)
"""Mesh points in the middle of the cheeks."""
REACH = 0.11
"""Half the side of the square that is looked at, in S; at least 3 pixels."""


def cheek_grain(patch: Patch, area: Area) -> Floats:
    """h x w grey levels to be added to the luma of `area`.

    As strong as on the calmer of the two cheeks: on the other there may be a wrinkle or hair. Only the strength is taken.
    """
    luma, pose = patch.planes.y, patch.pose
    reach = max(3, int(REACH * pose.scale))
    found = []
    for point in PLACES:
        middle = pose.to_pixels(pose.to_plane(patch.head[point]))
        x, y = np.clip(middle, 0, [luma.shape[1] - 1, luma.shape[0] - 1]).astype(int)
        found.append(noise_of(luma[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]).levels[:, 0].max())
    return np.float32(min(found)) * white_noise(area, start_of(luma))[0]
