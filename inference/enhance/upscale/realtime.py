"""Video at its own speed: luma through a small network, chroma with the edges of luma. A frame stays Y'CbCr.

The network is in inference/weights (realtime.md there says what it is, and how it is called).
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import gcd
from pathlib import Path
from queue import SimpleQueue

import cv2
import numpy as np
import numpy.typing as npt

from enhance.engine import Engine
from enhance.picture import LUMA, SCALES, BadPictureError, FloatPlanes

from .cascade import Cascade, Pass, Span, spans
from .chroma import Plane, double_chroma, interpolate_chroma
from .resample import REACH, enlarge
from .threads import results_of

Frames = npt.NDArray[np.uint8]
"""frames x bytes: 8-bit 4:2:0, luma, Cb and Cr one behind the other, chroma on the left columns, odd sides of it rounded up."""

Double = Callable[[Plane], Plane]

WEIGHTS = Path(__file__).parents[2] / "weights"
CONTEXT = 6  # pixels of luma to each side that an output pixel of the network depends on
LEAST_ROWS = 64  # of a strip: of fewer, those around would be much of the work
LEAST_SIDE = 7  # the network mirrors so much of a plane
STRIP_PIXELS = 1 << 20  # of luma at a time: 0.2 GB of activations
TILE_PIXELS = 1 << 18
TO_YCC = np.array([LUMA, [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]], np.float32)
TO_RGB = np.linalg.inv(TO_YCC.astype(np.float64)).astype(np.float32)


def open_doubles(engine: Engine) -> list[Double]:
    """The network for a plane, once for each that the engine computes at a time. Raises FileNotFoundError."""
    path = WEIGHTS / ("realtime_x2_int8.onnx" if engine.has_vnni else "realtime_x2.onnx")
    if not path.exists():
        raise FileNotFoundError(f"no weights at {path}")
    return [_over_planes(run) for run in engine.open_streams(path)]


def _over_planes(run: Callable[[Plane], Plane]) -> Double:
    """The network for planes of any size: large ones in strips, tiny ones continued by their last row and column."""

    def double(plane: Plane) -> Plane:
        height, width = plane.shape
        more = [max(0, LEAST_SIDE - length) for length in plane.shape]
        if any(more):
            padded = np.pad(plane, ((0, more[0]), (0, more[1])), mode="edge")
            return run(padded[None])[0, : 2 * height, : 2 * width].copy()
        rows = max(LEAST_ROWS, STRIP_PIXELS // width)
        large = np.empty((2 * height, 2 * width), np.uint8)
        for top in range(0, height, rows):
            double_rows(lambda strip: run(strip[None])[0], plane, (top, min(top + rows, height)), large)
        return large

    return double


class Realtime:
    """Frames of video enlarged, several at a time; where these are fewer than the networks, in strips of luma."""

    def __init__(self, doubles: Sequence[Double]) -> None:
        self._doubles: SimpleQueue[Double] = SimpleQueue()
        for double in doubles:
            self._doubles.put(double)
        self._many = len(doubles)
        self._strips = ThreadPoolExecutor(self._many, thread_name_prefix="realtime-strip")
        # One more, so that the networks have a next frame while the chroma of one is enlarged.
        self._frames = ThreadPoolExecutor(self._many + 1, thread_name_prefix="realtime-frame")

    def run(self, frames: Frames, size: tuple[int, int], scale: int, before_frame: Callable[[], None]) -> Frames:
        """Frames `scale` times as large. size: width and height of the luma. before_frame may raise to stop the work.

        Raises BadPictureError for frames of another size, or another scale.
        """
        width, height = size
        check_frames(frames, size, scale)
        large = np.empty((len(frames), frame_bytes(width * scale, height * scale)), np.uint8)
        # So many of each frame that all networks have as much to do.
        double = partial(self.double, strips=self._many // gcd(self._many, len(frames)))
        jobs = [self._frames.submit(_enlarge, one, size, scale, out, double) for one, out in zip(frames, large, strict=True)]
        results_of(jobs, before_frame)
        return large

    def double(self, plane: Plane, strips: int | None = None) -> Plane:
        """A plane twice as large, in so many strips, one for each network if not said; LEAST_ROWS each at least."""
        height, width = plane.shape
        many = max(1, min(strips or self._many, height // LEAST_ROWS))
        if many == 1:
            with self._network() as double:
                return double(plane)
        large = np.empty((2 * height, 2 * width), np.uint8)
        results_of([self._strips.submit(self._strip, plane, part, large) for part in spans(height, many)])
        return large

    def _strip(self, plane: Plane, rows: Span, large: Plane) -> None:
        with self._network() as double:
            double_rows(double, plane, rows, large)

    @contextmanager
    def _network(self) -> Iterator[Double]:
        """One that nobody else uses meanwhile."""
        double = self._doubles.get()
        try:
            yield double
        finally:
            self._doubles.put(double)


def _enlarge(frame: Plane, size: tuple[int, int], scale: int, target: Plane, double: Double) -> None:
    width, height = size
    luma, *chroma = planes_of(frame, width, height)
    for _ in range(1 if scale == 2 else 2):
        chroma = double_chroma(chroma, luma)
        luma = double(luma)
    if scale == 8:  # as `photo` does
        chroma = [interpolate_chroma(plane) for plane in chroma]
        luma = np.asarray(cv2.resize(luma, (8 * width, 8 * height), interpolation=cv2.INTER_LANCZOS4), np.uint8)
    for plane, large in zip([luma, *chroma], planes_of(target, width * scale, height * scale), strict=True):
        large[:] = plane


def double_rows(double: Double, plane: Plane, rows: Span, large: Plane) -> None:
    """Writes what these rows of a plane become into `large`, the plane twice as large, as if all of it had been doubled."""
    top, bottom = rows
    above = min(top, CONTEXT)
    strip = double(plane[top - above : min(bottom + CONTEXT, len(plane))])
    large[2 * top : 2 * bottom] = strip[2 * above : 2 * (above + bottom - top)]


def check_frames(frames: Frames, size: tuple[int, int], scale: int) -> None:
    """Raises BadPictureError unless the frames are of this size, and the scale is one of SCALES."""
    if scale not in SCALES:
        raise BadPictureError(f"expected SCALE 2, 4 or 8, got {scale}")
    if min(size) < 1:
        raise BadPictureError(f"expected SIZE of at least 1x1 pixels, got {list(size)}")
    expected = frame_bytes(*size)
    if frames.ndim != 2 or frames.shape[1] != expected or frames.dtype != np.uint8:
        raise BadPictureError(f"expected FRAMES [n, {expected}] of uint8 for SIZE {list(size)}, got {list(frames.shape)}")


def frame_bytes(width: int, height: int) -> int:
    """Of a frame in 8-bit 4:2:0."""
    return width * height + 2 * (-(-width // 2)) * (-(-height // 2))


def planes_of(frame: Plane, width: int, height: int) -> tuple[Plane, Plane, Plane]:
    """Luma, Cb and Cr of a frame's bytes, as views."""
    half_width, half_height = -(-width // 2), -(-height // 2)
    luma, chroma = width * height, half_width * half_height
    return (
        frame[:luma].reshape(height, width),
        frame[luma : luma + chroma].reshape(half_height, half_width),
        frame[luma + chroma :].reshape(half_height, half_width),
    )


def recipes(double: Double) -> dict[int, Cascade]:
    """The same for pictures in RGB: luma and chroma of BT.601 in full range, rounded to 8 bits on the way."""
    step = Pass(lambda planes: _double_colours(planes, double), scale=2, eats=REACH["bicubic"], context=CONTEXT)
    lanczos = Pass(lambda planes: enlarge(planes, 2, "lanczos"), scale=2, eats=3, context=3)
    return {
        2: Cascade([step], None, TILE_PIXELS),
        4: Cascade([step, step], None, TILE_PIXELS // 2),
        8: Cascade([step, step, lanczos], None, TILE_PIXELS // 2),
    }


def _double_colours(planes: FloatPlanes, double: Double) -> FloatPlanes:
    """RGB planes (0..1) twice as large, less REACH["bicubic"] pixels on each side."""
    eats = REACH["bicubic"]
    luma, *chroma = np.tensordot(TO_YCC, planes, 1)
    levels = np.clip(luma * 255 + 0.5, 0, 255).astype(np.uint8)
    large = np.empty((3, *(2 * (length - 2 * eats) for length in luma.shape)), np.float32)
    large[0] = double(levels)[2 * eats : -2 * eats, 2 * eats : -2 * eats] / np.float32(255)
    large[1:] = enlarge(np.stack(chroma), 2, "bicubic")
    return np.asarray(np.tensordot(TO_RGB, large, 1), np.float32)
