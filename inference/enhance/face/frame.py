"""Frames in which faces are looked for: RGB, or the planes of a video, of which only what a network looks at becomes RGB."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.planes import Colours, Planes
from enhance.picture import Picture

Matrix = npt.NDArray[np.float64]
Sampled = npt.NDArray[np.uint8]

LUMA_TO_CHROMA = np.array([[0.5, 0, 0.25], [0, 0.5, 0]])
"""Takes a place in the luma plane to one in the chroma planes, whose samples lie on the even columns, between two rows."""


@dataclass(frozen=True)
class CodedFrame:
    """A frame in 4:2:0, with chroma on the left columns as H.264 has it."""

    planes: Planes
    black: int
    to_rgb: Matrix
    """3 x 4: U, V, Y and 1 to RGB 0..255."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Height and width."""
        return self.planes.y.shape

    @cached_property
    def rgb(self) -> Picture:
        """All of it."""
        height, width = self.shape
        chroma = cv2.resize(self._chroma, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
        return self._coloured(self.planes.y, np.ascontiguousarray(chroma[:height, :width], np.uint8))

    @cached_property
    def _chroma(self) -> Sampled:
        """U, V, and room for Y: OpenCV samples three channels in less time than two."""
        return np.asarray(cv2.merge([self.planes.u, self.planes.v, self.planes.v]), np.uint8)

    def sampled(self, sample: Callable[[Sampled, Matrix, int, int], Sampled], matrix: Matrix, size: int) -> Picture:
        """The square under a matrix (2 x 3) as size x size RGB. `sample` takes it of luma and of chroma: it gets the samples,
        the matrix to places among them, the size, and what stands for black."""
        among_chroma = LUMA_TO_CHROMA @ np.vstack([matrix, [0, 0, 1]])
        chroma = sample(self._chroma, among_chroma, size, 128)
        return self._coloured(sample(self.planes.y, matrix, size, self.black), chroma)

    def _coloured(self, luma: Sampled, chroma: Sampled) -> Picture:
        """RGB; luma is put in the room for it."""
        return np.asarray(cv2.transform(cv2.insertChannel(luma, chroma, 2), self.to_rgb), np.uint8)

    def resized(self, size: tuple[int, int], interpolation: int) -> Picture:
        """All of it as RGB of another size (width, height)."""
        luma, chroma = (cv2.resize(each, size, interpolation=interpolation) for each in (self.planes.y, self._chroma))
        return self._coloured(np.asarray(luma, np.uint8), np.asarray(chroma, np.uint8))


Frame = Picture | CodedFrame


def coded_frames(frames: npt.NDArray[Any], size: npt.NDArray[Any], colours: Colours) -> list[CodedFrame]:
    """Frames from the bytes of each (f x bytes): the planes Y, U and V one behind the other.

    size: width and height of Y; chroma of odd sides is rounded up. Raises ValueError where the bytes are not as many as that.
    """
    if size.shape != (2,) or (size < 1).any():
        raise ValueError(f"expected SIZE [2] of a width and a height, got {size.tolist()}")
    width, height = (int(side) for side in size)
    half = (-(-height // 2), -(-width // 2))
    luma, chroma = width * height, half[0] * half[1]
    if frames.dtype != np.uint8 or frames.ndim != 2 or frames.shape[1] != luma + 2 * chroma:
        expected = f"uint8 [frames, {luma + 2 * chroma}] for SIZE {[width, height]}"
        raise ValueError(f"expected PLANES {expected}, got {frames.dtype} {list(frames.shape)}")
    linear = colours.inverse
    to_rgb = np.column_stack([linear[:, [1, 2, 0]], -linear @ colours.offset])
    return [
        CodedFrame(Planes(y.reshape(height, width), u.reshape(half), v.reshape(half)), colours.black, to_rgb)
        for y, u, v in (np.split(frame, [luma, luma + chroma]) for frame in frames)
    ]


def as_rgb(frame: Frame) -> Picture:
    """All of a frame as RGB."""
    return frame.rgb if isinstance(frame, CodedFrame) else frame


def resized(frame: Frame, size: tuple[int, int], interpolation: int) -> Picture:
    """A frame as RGB of another size (width, height)."""
    if isinstance(frame, CodedFrame):
        return frame.resized(size, interpolation)
    return np.asarray(cv2.resize(frame, size, interpolation=interpolation), np.uint8)


def luma_of(frame: Frame, size: tuple[int, int]) -> npt.NDArray[np.float32]:
    """The luma of a frame, 0..255, at a small size (width, height): the means of areas of a part of its pixels."""
    height, width = frame.shape[:2]
    step = max(min(height // size[1], width // size[0]), 1)
    if not isinstance(frame, CodedFrame):
        small: Any = cv2.resize(frame[::step, ::step], size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.float32)
    small = cv2.resize(frame.planes.y[::step, ::step], size, interpolation=cv2.INTER_AREA)
    return np.asarray((small.astype(np.float32) - frame.black) * np.float32(frame.to_rgb[0, 2]), np.float32)
