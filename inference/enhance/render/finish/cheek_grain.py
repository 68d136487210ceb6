"""Noise for what is drawn into a mouth, as strong as the frame's own on the cheeks."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.render.patch import Patch

from .grain import noise_of, start_of, white_noise

PLACES = (50, 280)
"""Mesh points in the middle of the cheeks."""
REACH = 0.11
"""Half the side of the square that is looked at, in S; at least 3 pixels."""


@dataclass(frozen=True)
class CheekGrain:
    """level: grey levels. start: as in Noise (grain.py)."""

    level: np.float32
    start: tuple[int, int]

    def within(self, area: Area) -> Floats:
        """h x w grey levels to be added to the luma of `area`."""
        return self.level * white_noise(area, self.start)[0]


def cheek_grain(patch: Patch) -> CheekGrain:
    """As strong as on the calmer of the two cheeks: on the other there may be a wrinkle or hair. Only the strength is taken."""
    luma, pose = patch.planes.y, patch.pose
    reach = max(3, int(REACH * pose.scale))
    found = []
    for point in PLACES:
        middle = pose.to_pixels(pose.to_plane(patch.head[point]))
        x, y = np.clip(middle, 0, [luma.shape[1] - 1, luma.shape[0] - 1]).astype(int)
        found.append(noise_of(luma[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]).levels[:, 0].max())
    return CheekGrain(np.float32(min(found)), start_of(luma))
