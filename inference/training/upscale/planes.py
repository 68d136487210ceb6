"""Pictures as the planes that video carries (BT.601, 16 to 235), and the linear ways of making a plane smaller or larger."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from enhance.picture import Picture

Plane = npt.NDArray[np.uint8]
FloatPlane = npt.NDArray[np.float32]

BICUBIC, LANCZOS, AREA = Image.Resampling.BICUBIC, Image.Resampling.LANCZOS, Image.Resampling.BOX

# Rows: Y, U, V of R, G, B of 0 to 255 (ITU-R BT.601).
_TO_YUV = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112.0], [112.0, -93.786, -18.214]], np.float32) / 255
_ZERO = np.array([16, 128, 128], np.float32)


@dataclass(frozen=True)
class Frame:
    """A frame of 4:2:0 video: luma h x w, both chroma planes h/2 x w/2; h and w are even."""

    y: Plane
    u: Plane
    v: Plane

    def tobytes(self) -> bytes:
        """As ffmpeg's yuv420p has it."""
        return self.y.tobytes() + self.u.tobytes() + self.v.tobytes()


def yuv_planes(picture: Picture) -> FloatPlane:
    """3 x h x w: Y, U, V at the size of the picture (h x w x 3 RGB), not rounded."""
    planes = picture.astype(np.float32) @ _TO_YUV.T + _ZERO
    return np.ascontiguousarray(planes.transpose(2, 0, 1))


def resized(plane: npt.NDArray[np.generic], factor: float, way: Image.Resampling) -> FloatPlane:
    """The plane with its sides multiplied by `factor`; smaller ones are antialiased. Not rounded."""
    height, width = plane.shape
    size = (round(width * factor), round(height * factor))
    return np.asarray(Image.fromarray(plane.astype(np.float32)).resize(size, way))


def to_bytes(plane: FloatPlane) -> Plane:
    """Rounded, and cut off at 0 and 255."""
    return np.clip(np.rint(plane), 0, 255).astype(np.uint8)
