"""Consecutive frames of a clip -> the faces in them, as arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LAYOUT_68, MESH_POINTS, landmarks_68

from .crop import Picture, Points
from .recognise import LENGTH
from .state import pack, unpack
from .steady import FPS
from .track import Seen, Tracker

MOST_FRAMES = 16
SMALLEST = 16  # pixels of a frame's side


@dataclass(frozen=True)
class Faces:
    """Of f frames, m faces each, largest first; NaN, score 0 and identity -1 where there is none.

    mesh f x m x 478 x 3, score f x m, identity f x m, box f x m x 4 (x1, y1, x2, y2), landmarks f x m x 68 x 2, likeness
    f x m x 1260, NaN too in the frames in which it was not taken. Places are pixels.
    """

    mesh: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    identity: npt.NDArray[np.int32]
    box: npt.NDArray[np.float32]
    landmarks: npt.NDArray[np.float32]
    likeness: npt.NDArray[np.float32]


def track_frames(
    tracker: Tracker,
    frames: npt.NDArray[Any],
    vector: npt.NDArray[Any],
    hints: npt.NDArray[Any],
    *,
    hinted: npt.NDArray[Any] | None = None,
    fps: float = FPS,
    raw: bool = False,
    stop_if_cancelled: Callable[[], None] = lambda: None,
) -> tuple[Faces, Points]:
    """The faces of frames (f x h x w x 3 uint8 RGB), and the vector for the frames that follow.

    vector: that of the frames before, empty at a clip's start. hints: k x 4 boxes, or points where x1, y1 is x2, y2; hinted
    (k): the frame in which each is tried, the first if not given. fps: frames a second. raw: the meshes as the network gives
    them, without filters. Raises ValueError for what is not so.
    """
    _check(frames, hints)
    hinted = np.zeros(len(hints), np.int32) if hinted is None else hinted
    if hinted.shape != (len(hints),) or not ((hinted >= 0) & (hinted < len(frames))).all():
        raise ValueError(f"expected HINTED [{len(hints)}] of frames 0..{len(frames) - 1}, got {hinted.tolist()}")
    if not (np.isfinite(fps) and fps > 0):
        raise ValueError(f"expected FPS above 0, got {fps}")
    state = unpack(vector, frames.shape[2], frames.shape[1])
    faces = _nobody(len(frames), tracker.most)
    for number, frame in enumerate(frames):
        stop_if_cancelled()
        picture: Picture = np.ascontiguousarray(frame)
        seen = tracker.next(state, picture, hints[hinted == number].astype(np.float32), fps)
        for place, face in enumerate(seen):
            _write(faces, number, place, face, raw)
        # Rounded as it travels: how a clip is cut into requests changes nothing.
        vector = pack(state)
        state = unpack(vector, state.width, state.height)
    return faces, vector


def _check(frames: npt.NDArray[Any], hints: npt.NDArray[Any]) -> None:
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[3] != 3:
        raise ValueError(f"expected FRAMES uint8 [frames, height, width, 3], got {frames.dtype} {list(frames.shape)}")
    if not 1 <= len(frames) <= MOST_FRAMES:
        raise ValueError(f"expected 1 to {MOST_FRAMES} FRAMES, got {len(frames)}")
    if min(frames.shape[1:3]) < SMALLEST:
        raise ValueError(f"expected FRAMES of at least {SMALLEST}x{SMALLEST} pixels, got {frames.shape[2]}x{frames.shape[1]}")
    if hints.ndim != 2 or hints.shape[1] != 4 or not np.isfinite(hints).all():
        raise ValueError(f"expected HINTS [boxes, 4] of numbers, got {list(hints.shape)}")
    extents = hints[:, 2:] - hints[:, :2]
    if not ((extents >= 1).all(axis=1) | (extents == 0).all(axis=1)).all():
        raise ValueError("expected HINTS x1, y1, x2, y2 with x1 < x2 and y1 < y2 by a pixel or more, or a point twice")


def _nobody(frames: int, most: int) -> Faces:
    def unknown(*shape: int) -> npt.NDArray[np.float32]:
        return np.full((frames, most, *shape), np.nan, np.float32)

    score, identity = np.zeros((frames, most), np.float32), np.full((frames, most), -1, np.int32)
    parts = (unknown(4), unknown(len(LAYOUT_68), 2), unknown(LENGTH))
    return Faces(unknown(MESH_POINTS, 3), score, identity, *parts)


def _write(faces: Faces, number: int, place: int, face: Seen, raw: bool) -> None:
    faces.mesh[number, place] = face.raw if raw else face.mesh
    faces.score[number, place] = face.score
    faces.identity[number, place] = face.identity
    faces.box[number, place] = face.box
    faces.landmarks[number, place] = landmarks_68(faces.mesh[number, place])
    faces.likeness[number, place] = face.likeness
