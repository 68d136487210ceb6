"""What lies before a face in the picture: it is taken off before the mouth is rendered, and laid back in front of it."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import smoothstep
from enhance.geometry.planes import Plane, Planes, full_yuv, halved, mean_of_four, paint

ALL = 0.998
"""Share of a pixel from which it is kept exactly as it was."""
CHANGED, AROUND = (8.0, 20.0), 3.0
"""Levels of Y, U or V, a mean over AROUND pixels (sigma), by which a new mouth changes what was made up beside a thing: up to
the first it is not seen to move, from the second on it is. AROUND: what is narrower than some pixels is not seen either."""


@dataclass(frozen=True)
class Overlay:
    """h x w over `area`, whose origin is even; shares are 0..1."""

    area: Area
    opacity: Floats
    """How much of each pixel is the thing's own, and stays as it is."""
    beside: Floats
    """How much of each pixel is the thing's, its shadow's, its blur's, or what a codec left of it."""
    behind: Floats
    """h x w x 3: Y, U, V of what lies behind it, made up."""

    def taken_off(self, planes: Planes) -> Planes:
        """The planes with what lies behind it in its place."""
        out = planes.copy()
        paint(out, self.behind, self.beside, self.area)
        return out

    def laid_back(self, out: Planes, mask: Plane, planes: Planes, bare: Planes) -> None:
        """Lays it in front of what was rendered into `out` again, with what lies beside it where nothing is seen to move, and
        takes it out of the mask. planes: as the frame came. bare: taken_off() them, of which `out` was rendered."""
        part = mask[self.area.slices]
        change = cv2.GaussianBlur(np.abs(full_yuv(out, self.area) - full_yuv(bare, self.area)).max(axis=2), (0, 0), AROUND)
        moved = np.where(self.beside > 0, np.minimum(part / np.float32(255), smoothstep(change, *CHANGED)), 1)
        kept = np.asarray(1 - (1 - self.opacity) * moved, np.float32)
        half, weight = halved(self.area), mean_of_four(kept)
        for new, was, share, where in (
            (out.y, planes.y, kept, self.area),
            (out.u, planes.u, weight, half),
            (out.v, planes.v, weight, half),
        ):
            _keep(new[where.slices], was[where.slices], share)
        part[...] = np.where(kept > ALL, 0, part)


def _keep(new: Plane, was: Plane, share: Floats) -> None:
    mixed = np.where(share > ALL, was, new + share * (was.astype(np.float32) - new) + 0.5)
    new[...] = np.where(share > 0, np.clip(mixed, 0, 255), new).astype(np.uint8)
