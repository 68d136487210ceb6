"""What the network learns from: large luma planes, and the small ones of which it shall make them.

All small planes of a picture belong to one large one, so that one large plane in memory serves them all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import Picture

from .codecs import VP9, X264, X264_FAST, X265, through_jpeg, through_video
from .planes import AREA, BICUBIC, FloatPlane, Frame, Plane, resized, to_bytes, yuv_planes

MOVING = 6  # frames of each clip that is encoded: the first is whole, the others are told as what changed
_FARTHEST = 5  # pixels of the large picture by which a still one moves from frame to frame

_COUNTS = {"clean": 1, "area": 1, "soft": 1, "jpeg": 2, "h264": 3, "hevc": 1, "vp9": 1}  # inputs of each picture
_CODECS = {"h264": (X264, X264_FAST), "hevc": (X265,), "vp9": (VP9,)}
_CRF = {"h264": (20, 31), "hevc": (22, 33), "vp9": (24, 43)}  # from, below: files of about the same sizes

Rng = np.random.Generator


@dataclass(frozen=True)
class Pairs:
    """One large plane (2h x 2w), its small ones (n x h x w) and what each of them went through."""

    large: Plane
    small: npt.NDArray[np.uint8]
    kinds: tuple[str, ...]


def pairs_of(frames: Sequence[Picture], at: int, rng: Rng) -> Pairs:
    """The pairs of frames[at]; the other frames of the clip are seen by the video encoders only."""
    large = [even_planes(frame) for frame in frames]
    small = [halved(planes) for planes in large]
    kinds = tuple(kind for kind, count in _COUNTS.items() for _ in range(count))
    inputs = [_input(kind, large[at][0], small, at, rng) for kind in kinds]
    return Pairs(to_bytes(large[at][0]), np.stack(inputs), kinds)


def moving(picture: Picture, rng: Rng, at: int | None = None) -> tuple[list[Picture], int]:
    """A clip in which a still picture moves evenly, and the number of the frame in which it stands where it stood.

    at: that frame; None: any.
    """
    at = int(rng.integers(0, MOVING)) if at is None else at
    return moved(picture, rng.integers(-_FARTHEST, _FARTHEST + 1, 2), at), at


def moved(picture: Picture, step: npt.NDArray[np.int64], at: int) -> list[Picture]:
    """MOVING frames: the picture moves by `step` (pixels down, right) from each to the next, and is itself in frames[at]."""
    return [np.roll(picture, step * (frame - at), (0, 1)) for frame in range(MOVING)]


def _input(kind: str, large: FloatPlane, small: Sequence[Frame], at: int, rng: Rng) -> Plane:
    if kind == "clean":
        return small[at].y
    if kind == "area":
        return to_bytes(resized(large, 0.5, AREA))
    if kind == "soft":
        return to_bytes(resized(cv2.GaussianBlur(large, (0, 0), rng.uniform(0.4, 0.8)), 0.5, BICUBIC))
    if kind == "jpeg":
        return through_jpeg(small[at].y, int(rng.integers(60, 96)))
    codecs = _CODECS[kind]
    return through_video(small, codecs[rng.integers(len(codecs))], int(rng.integers(*_CRF[kind])))[at]


def even_planes(picture: Picture) -> FloatPlane:
    """Y, U, V of the picture, evened."""
    return yuv_planes(evened(picture))


def evened(picture: Picture) -> Picture:
    """Without the last rows and columns, so that half of a half is whole."""
    height, width, _ = picture.shape
    return np.ascontiguousarray(picture[: height // 4 * 4, : width // 4 * 4])


def halved(planes: FloatPlane) -> Frame:
    """A frame of half the size: luma by antialiased bicubic, which the network learns to undo, chroma by its mean."""
    y, u, v = planes
    return Frame(to_bytes(resized(y, 0.5, BICUBIC)), to_bytes(resized(u, 0.25, AREA)), to_bytes(resized(v, 0.25, AREA)))
