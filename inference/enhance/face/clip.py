"""The faces in consecutive frames of a clip, as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LAYOUT_68, MESH_POINTS, landmarks_68

from .ahead import Ahead
from .crop import Points
from .frame import CodedFrame, Frame
from .recognise import LENGTH
from .state import as_packed, pack, unpack
from .steady import FPS
from .track import NO_HINTS, Seen, Tracker

MOST_FRAMES = 16  # of a request
SMALLEST = 16  # pixels of a frame's side


@dataclass(frozen=True)
class Faces:
    """Of f frames, m faces each, largest first; NaN, score 0 and identity -1 where there is none.

    mesh f x m x 478 x 3, score f x m, identity f x m, box f x m x 4 (x1, y1, x2, y2), landmarks f x m x 68 x 2, likeness
    f x m x 1260, NaN too in the frames in which it was not taken. Places are pixels. cut: f, 1 where another shot begins.
    """

    mesh: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    identity: npt.NDArray[np.int32]
    box: npt.NDArray[np.float32]
    landmarks: npt.NDArray[np.float32]
    likeness: npt.NDArray[np.float32]
    cut: npt.NDArray[np.int32]


@dataclass(frozen=True)
class TrackingRequest:
    """What a caller says of f frames, besides their pixels.

    hints: k x 4 boxes, or points where x1, y1 is x2, y2. hinted: k, the frame in which each is tried; None: the first.
    fps: frames a second. raw: whether the meshes are to be as the network gives them, without filters. thorough: whether faces
    are looked for that are small, or drawn, and at no hint.
    """

    hints: npt.NDArray[Any] = field(default_factory=lambda: NO_HINTS)
    hinted: npt.NDArray[Any] | None = None
    fps: float = FPS
    raw: bool = False
    thorough: bool = True


ORDINARY = TrackingRequest()


def track_frames(
    tracker: Tracker,
    frames: npt.NDArray[Any] | Sequence[CodedFrame],
    vector: npt.NDArray[Any],
    request: TrackingRequest = ORDINARY,
    stop_if_cancelled: Callable[[], None] = lambda: None,
) -> tuple[Faces, Points]:
    """The faces of frames (f x h x w x 3 uint8 RGB, or coded ones), and the vector for the frames that follow.

    vector: that of the frames before, empty at a clip's start. stop_if_cancelled is called before each frame and may raise.
    Raises ValueError for frames, a vector, hints or a rate that are not as described.
    """
    height, width = _checked_size(frames)
    hinted = _checked_hints(request, len(frames))
    if not (np.isfinite(request.fps) and request.fps > 0):
        raise ValueError(f"expected FPS above 0, got {request.fps}")
    state = unpack(vector, width, height)
    faces = _without_faces(len(frames), tracker.most)
    pictures: list[Frame] = [frame if isinstance(frame, CodedFrame) else np.ascontiguousarray(frame) for frame in frames]
    ahead = Ahead(tracker.finder.network, pictures)
    with tracker.looking_ahead(state, pictures):
        for number, picture in enumerate(pictures):
            stop_if_cancelled()
            hints = request.hints[hinted == number].astype(np.float32)
            seen = tracker.next(state, picture, hints, request.fps, request.thorough, partial(ahead.read, number))
            faces.cut[number] = seen.cut
            for place, face in enumerate(seen.faces):
                _write(faces, (number, place), face, request.raw)
            as_packed(state)
    return faces, pack(state)


def _checked_size(frames: npt.NDArray[Any] | Sequence[CodedFrame]) -> tuple[int, int]:
    """Height and width."""
    if isinstance(frames, np.ndarray) and (frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[3] != 3):
        raise ValueError(f"expected FRAMES uint8 [frames, height, width, 3], got {frames.dtype} {list(frames.shape)}")
    if not 1 <= len(frames) <= MOST_FRAMES:
        raise ValueError(f"expected 1 to {MOST_FRAMES} FRAMES, got {len(frames)}")
    height, width = frames[0].shape[:2]
    if min(height, width) < SMALLEST:
        raise ValueError(f"expected FRAMES of at least {SMALLEST}x{SMALLEST} pixels, got {width}x{height}")
    return height, width


def _checked_hints(request: TrackingRequest, frames: int) -> npt.NDArray[Any]:
    """The frame of each hint."""
    hints = request.hints
    if hints.ndim != 2 or hints.shape[1] != 4 or not np.isfinite(hints).all():
        raise ValueError(f"expected HINTS [boxes, 4] of numbers, got {list(hints.shape)}")
    extents = hints[:, 2:] - hints[:, :2]
    if not ((extents >= 1).all(axis=1) | (extents == 0).all(axis=1)).all():
        raise ValueError("expected HINTS x1, y1, x2, y2 with x1 < x2 and y1 < y2 by a pixel or more, or a point twice")
    hinted = np.zeros(len(hints), np.int32) if request.hinted is None else request.hinted
    if hinted.shape != (len(hints),) or not ((hinted >= 0) & (hinted < frames)).all():
        raise ValueError(f"expected HINTED [{len(hints)}] of frames 0..{frames - 1}, got {hinted.tolist()}")
    return hinted


def _without_faces(frames: int, most: int) -> Faces:
    def unknown(*shape: int) -> npt.NDArray[np.float32]:
        return np.full((frames, most, *shape), np.nan, np.float32)

    score, identity = np.zeros((frames, most), np.float32), np.full((frames, most), -1, np.int32)
    parts = (unknown(4), unknown(len(LAYOUT_68), 2), unknown(LENGTH))
    return Faces(unknown(MESH_POINTS, 3), score, identity, *parts, cut=np.zeros(frames, np.int32))


def _write(faces: Faces, at: tuple[int, int], face: Seen, raw: bool) -> None:
    """Puts a face at its frame and place."""
    faces.mesh[at] = face.raw if raw else face.mesh
    faces.score[at] = face.score
    faces.identity[at] = face.identity
    faces.box[at] = face.box
    faces.landmarks[at] = landmarks_68(faces.mesh[at])
    faces.likeness[at] = face.likeness
