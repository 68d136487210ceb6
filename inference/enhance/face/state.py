"""What a tracker knows between two calls, and the float32 vector it travels as."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import MESH_POINTS

from .crop import Crop, Points
from .recognise import LENGTH
from .register import SIDE, Cut
from .steady import Steady
from .thumbnails import FACE_SIDE, FRAME_SIZE

Floats = npt.NDArray[np.float32]

LAYOUT = 3  # of the vector; a change of anything below needs another
HEADER = 8  # layout, width, height, faces, lost, next identity, frames since the last search, searches
FRAME_VALUES = FRAME_SIZE[0] * FRAME_SIZE[1]
FACE_VALUES = FACE_SIDE * FACE_SIDE * 3
MOST_LOST = 16


@dataclass
class Track:
    """A face that is followed.

    asked: a hint lies on it, so it is kept even where there are more faces than are followed. frames: since it was found.
    doubts: checks in a row that it failed. first: what the crop of a drawn face showed when it was found, by which it is
    followed. likeness: as it was last measured.
    """

    identity: int
    drawn: bool
    crop: Crop
    first: Cut
    thumbnail: Floats
    steady: Steady
    likeness: Floats
    asked: bool = False
    doubts: int = 0
    frames: int = 0


@dataclass
class Lost:
    """A face that is no longer followed, kept so that it has the same identity when it returns.

    since: frames ago. here: whether there has been no cut since.
    """

    identity: int
    since: int
    here: bool
    box: Points
    thumbnail: Floats
    likeness: Floats


@dataclass
class State:
    """What a tracker knows of a clip, whose pictures are all of one size.

    last_frame: frame_thumbnail() of the last picture, empty at the clip's start. since: frames since the last search for new
    faces. searches: how many there were.
    """

    width: int
    height: int
    next_identity: int = 0
    since: int = 0
    searches: int = 0
    last_frame: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    tracks: list[Track] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)


def pack(state: State) -> Floats:
    """The vector (float32) of a state that has seen a frame. Identities stay exact below 2^24."""
    header = [LAYOUT, state.width, state.height, len(state.tracks), len(state.lost), state.next_identity, state.since]
    header.append(state.searches)
    rows = [_track_row(track) for track in state.tracks] + [_lost_row(lost) for lost in state.lost]
    return np.asarray(np.concatenate([np.array(header, np.float32), state.last_frame, *rows]), np.float32)


def unpack(vector: npt.NDArray[Any], width: int, height: int) -> State:
    """The state of a vector for frames of this size; of an empty vector the state at the start of a clip.

    Raises ValueError for a vector that pack() did not make, or made for frames of another size.
    """
    if vector.size == 0:
        return State(width, height)
    vector = np.asarray(vector, np.float32)
    if vector.ndim != 1 or vector.size < HEADER + FRAME_VALUES or not np.isfinite(vector[:HEADER]).all():
        raise ValueError(f"expected STATE of an answer before, or none, got {list(vector.shape)}")
    layout, was_wide, was_high, tracks, lost, next_identity, since, searches = (int(value) for value in vector[:HEADER])
    if layout != LAYOUT:
        raise ValueError(f"expected STATE of layout {LAYOUT}, got layout {layout}")
    if (was_wide, was_high) != (width, height):
        raise ValueError(f"expected FRAMES of {was_wide}x{was_high} as in STATE, got {width}x{height}")
    reader = _Reader(vector[HEADER:])
    state = State(width, height, next_identity, since, searches, reader.take(FRAME_VALUES))
    state.tracks = [_read_track(reader) for _ in range(tracks)]
    state.lost = [_read_lost(reader) for _ in range(lost)]
    if reader.left:
        raise ValueError(f"expected STATE of {vector.size - reader.left} values, got {vector.size}")
    return state


def _track_row(track: Track) -> Floats:
    head = [track.identity, track.drawn, track.asked, track.doubts, track.frames, track.steady.head_speed]
    parts = [track.crop.matrix, track.first, track.thumbnail, track.steady.mesh, track.steady.speeds, track.likeness]
    return np.concatenate([np.array(head, np.float32), *(np.asarray(part, np.float32).ravel() for part in parts)])


def _lost_row(lost: Lost) -> Floats:
    return np.concatenate(
        [np.array([lost.identity, lost.since, lost.here], np.float32), lost.box, lost.thumbnail, lost.likeness]
    )


class _Reader:
    def __init__(self, values: Floats) -> None:
        self._values = values
        self._at = 0

    @property
    def left(self) -> int:
        return self._values.size - self._at

    def take(self, *shape: int) -> Floats:
        size = int(np.prod(shape))
        if size > self.left:
            raise ValueError(f"expected STATE of at least {size - self.left} values more")
        self._at += size
        return self._values[self._at - size : self._at].reshape(shape).copy()


def _read_track(reader: _Reader) -> Track:
    identity, drawn, asked, doubts, frames, head_speed = (float(value) for value in reader.take(6))
    crop = Crop(reader.take(2, 3).astype(np.float64))
    first = (reader.take(SIDE, SIDE) if drawn else reader.take(0, 0)).astype(np.uint8)
    thumbnail = reader.take(FACE_VALUES)
    steady = Steady(reader.take(MESH_POINTS, 3), head_speed, reader.take(MESH_POINTS))
    likeness = reader.take(LENGTH)
    return Track(int(identity), bool(drawn), crop, first, thumbnail, steady, likeness, bool(asked), int(doubts), int(frames))


def _read_lost(reader: _Reader) -> Lost:
    identity, since, here = (int(value) for value in reader.take(3))
    return Lost(identity, since, bool(here), reader.take(4), reader.take(FACE_VALUES), reader.take(LENGTH))
