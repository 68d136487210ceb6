"""What a tracker knows between two calls, and the float32 vector it travels as."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from enhance.record import Floats, Record, Shape

from .crop import Crop
from .recognise import LENGTH
from .register import SIDE, Cut
from .steady import Steady
from .thumbnails import FACE_SIDE

MOST_LOST = 16  # faces that may return; the newest are kept

Thumbnail = Annotated[Floats, Shape(FACE_SIDE * FACE_SIDE * 3, dtype=np.float32)]
KnownLikeness = Annotated[Floats, Shape(LENGTH, dtype=np.float32, nan=True)]
"""NaN where it was not taken."""


@dataclass
class Track:
    """A face that is followed.

    asked: a hint lies on it, so it is kept even where there are more faces than are followed. frames: since it was found.
    doubts: checks in a row that it failed. first: what the crop of a drawn face showed when it was found, by which it is
    followed, of no rows for other faces. thumbnail: a mean of its last frames. look: its face_thumbnail() when it was last
    measured. likeness: likewise.
    """

    identity: int
    drawn: bool
    crop: Crop
    first: Annotated[Cut, Shape(-1, SIDE, dtype=np.uint8)]
    thumbnail: Thumbnail
    look: Thumbnail
    steady: Steady
    likeness: KnownLikeness
    asked: bool = False
    doubts: int = 0
    frames: int = 0


@dataclass
class Lost:
    """A face that is no longer followed, kept so that it has the same identity when it returns.

    since: frames ago. here: whether there has been no cut since. swung: whether the whole picture has moved since, as
    much as at a cut.
    """

    identity: int
    since: int
    here: bool
    swung: bool
    box: Annotated[Floats, Shape(4, dtype=np.float32)]
    thumbnail: Thumbnail
    likeness: KnownLikeness


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
    last_frame: Annotated[Floats, Shape(-1, dtype=np.float32)] = field(default_factory=lambda: np.empty(0, np.float32))
    tracks: list[Track] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)


STATE = Record("STATE", State, version=6)


def as_packed(state: State) -> None:
    """Rounds what is kept in more than float32, as pack() and unpack() would, so that how a clip is cut into requests changes
    nothing. It takes a tenth of their time."""
    for track in state.tracks:
        track.crop = Crop(track.crop.matrix.astype(np.float32).astype(np.float64))
        track.steady = replace(track.steady, head_speed=float(np.float32(track.steady.head_speed)))


def pack(state: State) -> Floats:
    """STATE of a tracker. Raises ValueError for an identity above 2^24."""
    return STATE.pack(state)


def unpack(vector: npt.NDArray[Any], width: int, height: int) -> State:
    """The state of a STATE; of an empty one, that at the start of a clip of pictures of this size.

    Raises ValueError for numbers that pack() did not make, and for those of a clip of another size.
    """
    if vector.size == 0:
        return State(width, height)
    state = STATE.unpack(vector)
    if (state.width, state.height) != (width, height):
        raise ValueError(f"expected FRAMES of {state.width}x{state.height} as in STATE, got {width}x{height}")
    return state
