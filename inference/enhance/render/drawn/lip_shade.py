"""The short line that is drawn under a lower lip: it goes with the lip as the mouth opens, as the artist drew it."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose
from enhance.masks import widened_round
from enhance.picture import Mask

from .looks import lip_shade
from .mouth import Drawn

EDGE = 2.0  # pixels round the line that are taken with it
STILL = 0.5  # pixels: a line that would move by less stays


@dataclass(frozen=True)
class LipShade:
    """The line in an area of the frame, and where it goes."""

    hole: Mask
    """The pixels that it takes, h x w."""
    by: Array
    """x, y in pixels by which it moves."""

    @classmethod
    def under(cls, drawn: Drawn, lower: Array, pose: Pose, area: Area) -> "LipShade | None":
        """None where there is no such line, or it stays. lower: the mouth's new lower edge, n x 2, plane coordinates."""
        line = lip_shade(drawn)
        if line is None:
            return None
        middle = len(drawn.bottom) // 2
        down = float(lower[len(lower) // 2, 1]) - float(drawn.place(np.array([0.0, drawn.bottom[middle]]))[1])
        start, end = pose.to_pixels(np.array([[0.0, 0.0], [0.0, down]]))
        if np.linalg.norm(end - start) < STILL:
            return None
        seen = drawn.on_pixels(line, pose, area) > 0.25
        return cls(widened_round(seen, round(EDGE + 0.004 * pose.scale)), np.asarray(end - start))

    def moved(self, picture: Floats) -> tuple[Floats, Floats]:
        """The area's colours (h x w x 3) with the line in its new place, and how far they count there, h x w, 0..1."""
        soft = cv2.GaussianBlur(cv2.erode(self.hole.astype(np.float32), np.ones((3, 3), np.uint8)), (0, 0), 0.7)
        to = np.array([[1, 0, self.by[0]], [0, 1, self.by[1]]], np.float32)
        size = picture.shape[1::-1]
        colours = cv2.warpAffine(picture, to, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(colours, np.float32), np.asarray(cv2.warpAffine(soft, to, size), np.float32)
