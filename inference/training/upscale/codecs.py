"""What a picture or a video looks like after it was stored: JPEG by OpenCV, video by ffmpeg, which must be on the path."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from enhance.picture import Picture

from .planes import Frame, Plane


@dataclass(frozen=True)
class Codec:
    """A way of storing video. format: ffmpeg's name of a stream without a container. encoder: its arguments but for the crf."""

    format: str
    encoder: tuple[str, ...]


X264_FAST = Codec("h264", ("-c:v", "libx264", "-preset", "veryfast"))
X264 = Codec("h264", ("-c:v", "libx264", "-preset", "medium"))
X265 = Codec("hevc", ("-c:v", "libx265", "-preset", "fast", "-x265-params", "log-level=error:pools=none:frame-threads=1"))
VP9 = Codec("ivf", ("-c:v", "libvpx-vp9", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "5"))


def through_jpeg(plane: Plane, quality: int) -> Plane:
    """The plane as the luma of a JPEG of this quality (1 to 100)."""
    _, written = cv2.imencode(".jpg", plane, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_GRAYSCALE), np.uint8)


def through_video(frames: Sequence[Frame], codec: Codec, crf: int) -> list[Plane]:
    """The luma of each frame after encoding at this crf and decoding. Raises ValueError when frames got lost on the way."""
    height, width = frames[0].y.shape
    decoded = _stored("yuv420p", (height, width), b"".join(frame.tobytes() for frame in frames), codec, crf)
    return lumas(decoded, len(frames), height, width)


def colours_through_video(frames: Sequence[Picture], codec: Codec, crf: int) -> list[Picture]:
    """The same of frames of RGB, h x w x 3 with even sides, and all of them."""
    height, width, _ = frames[0].shape
    decoded = _stored("rgb24", (height, width), b"".join(frame.tobytes() for frame in frames), codec, crf)
    if len(decoded) != len(frames) * frames[0].size:
        raise ValueError(f"expected {len(frames)} frames of {width}x{height}, got {len(decoded)} bytes")
    return list(np.frombuffer(decoded, np.uint8).reshape(len(frames), height, width, 3))


def _stored(pixels: str, sides: tuple[int, int], frames: bytes, codec: Codec, crf: int) -> bytes:
    """Raw frames of these pixels after encoding as 4:2:0 and decoding."""
    height, width = sides
    raw = ("-f", "rawvideo", "-pix_fmt", pixels)
    encode = (*raw, "-s", f"{width}x{height}", "-r", "25", "-i", "-", "-pix_fmt", "yuv420p", *codec.encoder)
    stored = _ffmpeg((*encode, "-crf", f"{crf}", "-threads", "1", "-f", codec.format, "-"), frames)
    return _ffmpeg(("-f", codec.format, "-i", "-", "-fps_mode", "passthrough", *raw, "-"), stored)


def lumas(decoded: bytes, count: int, height: int, width: int) -> list[Plane]:
    """The luma planes of `count` frames of yuv420p. Raises ValueError when there are more or fewer bytes."""
    size = height * width * 3 // 2
    if len(decoded) != count * size:
        raise ValueError(f"expected {count} frames of {width}x{height} ({count * size} bytes), got {len(decoded)} bytes")
    every = np.frombuffer(decoded, np.uint8).reshape(count, size)
    return [frame[: height * width].reshape(height, width) for frame in every]


def _ffmpeg(words: Sequence[str], given: bytes) -> bytes:
    command = ["ffmpeg", "-v", "error", "-threads", "1", *words]
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True).stdout
