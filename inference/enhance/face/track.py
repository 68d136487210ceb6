"""Faces followed through the frames of a clip. docs/decisions/0193 and 0288."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from enhance.geometry.landmarks import LIPS, SKULL, eye_distance, face_box
from enhance.geometry.similarity import similarity

from .confirm import LEFT_RIGHT, goes_with_crop
from .crop import Crop, Points, crop_of_features, crop_of_mesh
from .detect import SAME_FACE, overlap
from .drawn_mouth import fit_mouth
from .find import Face, Finder, is_point
from .frame import Frame
from .mesh import SURE_OF_MESH, Read
from .recognise import ANYBODY, MAY_BE, OTHER, SURELY_SAME, UNKNOWN, Likeness, likeness, unlikeness
from .register import SIDE, Cut, cut_grey, registered
from .state import MOST_LOST, Lost, State, Track
from .steady import FPS, begin, follow
from .thumbnails import (
    AFTER_SWING,
    CHANGED,
    CUT,
    LIKE_CUT,
    OTHER_FACE,
    SAME_PLACE,
    changed,
    distance,
    face_thumbnail,
    frame_thumbnail,
    is_movement,
)

SEARCH_EVERY = 12  # frames from one search for new faces, and check of the followed ones, to the next
SEARCH_EVERY_EMPTY = 4  # frames, while no face is followed
THOROUGH_EVERY = 12  # searches, while no face is followed
KEPT = 0.35  # share of the crop's movement (confirm.py) above which a track is on no face; a turned head reaches 0.2
ANCHOR_EVERY = 4  # searches from one measuring of a drawn face's eyes and mouth, which takes 0.1 s, to the next
DOUBTS = 2  # checks failed in a row, after which a track is given up
NEAR = 1.0  # sides of a face between the place of a loss and that of a return
LIKE_SIZE = 1.6  # times larger or smaller that a face may be when it returns
RETURN_SOON = 30  # frames: a face that returns to its place within them is taken for the same person
LOOK_EVERY = 0.16  # s from one likeness of a track to the next: a turning head looks like itself for a few frames only
MOVING = 2.0  # levels of changed() from which a track's look and likeness are taken in every frame
LEARN = 0.2  # share of the newest portrait in the kept one
HELD = 0.02  # sides by which a crop may be off before it is moved: each move shifts the mesh a little
FAR = 0.1  # sides by which a face may have moved in its crop; beyond, the lips of the mesh were up to .04 S off, once .2
ANCHORED = 0.1  # sides by which the crop of a drawn face may be off its eyes and mouth before it is cut anew
CORNERS = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]], np.float64)  # of the unit square
OUTSIDE = 0.5  # share of a face's box beyond the border at which it has left the picture
NO_CUT: Cut = np.empty((0, SIDE), np.uint8)
NO_HINTS: Points = np.empty((0, 4), np.float32)

Reader = Callable[[Crop, int], Read]
"""The mesh in a crop of the frame; the number is of frames, this one included, in which the crop is likely to be the same."""


@dataclass(frozen=True)
class Seen:
    """A face in a frame. mesh (478 x 3): filtered. raw: as the network gives it. likeness: NaN where it was not measured."""

    identity: int
    score: float
    mesh: Points
    raw: Points
    likeness: Likeness = field(default_factory=lambda: UNKNOWN)

    @cached_property
    def box(self) -> Points:
        """x1, y1, x2, y2 round the mesh."""
        return face_box(self.mesh)


@dataclass(frozen=True)
class InFrame:
    """What is seen in a frame. faces: largest first. cut: whether another shot begins with it."""

    faces: list[Seen]
    cut: bool


class Tracker:
    """Follows up to `most` faces. All that it remembers is in the State. For one thread at a time."""

    def __init__(self, finder: Finder, most: int) -> None:
        self.finder = finder
        self.most = most

    def looking_ahead(self, state: State, pictures: Sequence[Frame]) -> AbstractContextManager[None]:
        """Has a thread look at that one of the next pictures, if any, in which new faces will be searched: see the Finder's."""
        due = max(SEARCH_EVERY - state.since, 1) - 1
        if not state.tracks or due >= len(pictures):
            return nullcontext()
        return self.finder.looking_ahead(pictures[due])

    def next(
        self,
        state: State,
        picture: Frame,
        hints: Points = NO_HINTS,
        fps: float = FPS,
        thorough: bool = True,
        read: Reader | None = None,
    ) -> InFrame:
        """The faces of the next frame. `state` is changed to the state after it.

        hints (k x 4): where the caller says that a face is: boxes, or points as boxes of no extent. They are tried where no
        face is followed; faces found there are kept even where there are more than `most` larger ones. fps: frames a second.
        thorough: whether small and drawn faces are looked for too, at a clip's start, at cuts and where a face was lost.
        read: the mesh network on this frame, where it may have read ahead.
        """
        now = frame_thumbnail(picture)
        begins = state.last_frame.size == 0
        change = 0.0 if begins else changed(state.last_frame, now)
        cut = change > CUT or (change > LIKE_CUT and self._is_other(state, picture))
        cut = cut and not begins and not is_movement(state.last_frame, now)
        state.last_frame = now
        state.since += 1
        for lost in state.lost:
            lost.since += 1
        seen = {} if cut else self._follow(state, picture, fps, read or (lambda crop, _: self.finder.network(picture, crop)))
        gone = _lose(state, seen, cut)
        for lost in state.lost:
            lost.swung = lost.swung or change > CUT
        if begins or cut or gone or state.since >= (SEARCH_EVERY if seen else SEARCH_EVERY_EMPTY):
            before = len(seen)
            self._search(state, picture, seen, thorough=thorough and (begins or cut))
            if thorough and gone and not cut and len(seen) <= before:
                self._search(state, picture, seen, thorough=True)
        if len(hints):
            self._take(state, picture, self.finder.faces(picture, [], hints, _boxes(seen)), seen, hints)
        self._recognise(state, picture, seen, fps, change > MOVING)
        return InFrame(sorted(seen.values(), key=lambda each: -_side(each.box)), cut)

    def _follow(self, state: State, picture: Frame, fps: float, read: Reader) -> dict[int, Seen]:
        """By identity, the faces that are still where they were.

        Behind another face the mesh of a track slides onto that one: it stays whose look has changed least.
        """
        reads = []
        for track in state.tracks:
            if not track.drawn or _move_drawn(track, picture):
                mesh, score = self._read(track, picture, read(track.crop, _stays(track, fps)))
                look = face_thumbnail(picture, track.crop)
                reads.append((distance(look, track.thumbnail), track, mesh, score, look))
        seen: dict[int, Seen] = {}
        for changed_by, track, mesh, score, look in sorted(reads, key=lambda each: each[0]):
            sure = track.drawn or score > SURE_OF_MESH  # of a drawn face the score says nothing
            alone = not any(overlap(face_box(mesh), box) > SAME_FACE for box in _boxes(seen))
            if sure and alone and not _has_left(mesh, picture) and changed_by < OTHER_FACE:
                seen[track.identity] = _go_on(track, picture, mesh, 1.0 if track.drawn else score, look, fps)
        return seen

    def _read(self, track: Track, picture: Frame, first: Read) -> Read:
        """The mesh of a track, read first in its crop. A face that moved far is read once more, from where it is now."""
        mesh, score = first
        if not track.drawn and score > SURE_OF_MESH and _apart(crop_of_mesh(mesh), track.crop) > FAR:
            track.crop = crop_of_mesh(mesh)
            mesh, score = self.finder.network(picture, track.crop)
        return mesh, score

    def _is_other(self, state: State, picture: Frame) -> bool:
        """Whether a different person is where a face was: a cut between similar shots."""
        for track in state.tracks:
            if not track.drawn and distance(face_thumbnail(picture, track.crop), track.look) > CHANGED:
                mesh, _ = self.finder.network(picture, track.crop)
                mesh, score = self.finder.network(picture, crop_of_mesh(mesh))
                if score > SURE_OF_MESH and unlikeness(likeness(picture, mesh), track.likeness) > OTHER:
                    return True
        return False

    def _search(self, state: State, picture: Frame, seen: dict[int, Seen], thorough: bool) -> None:
        """Looks for faces that are not followed, and whether those that are followed are faces."""
        state.since = 0
        state.searches += 1
        thorough = thorough or (not seen and state.searches % THOROUGH_EVERY == 0)
        candidates = self.finder.candidates(picture, thorough)
        for track in state.tracks:
            found = any(overlap(seen[track.identity].box, each.box) > SAME_FACE for each in candidates)
            if not self._is_face(track, picture, seen[track.identity], found, state.searches):
                del seen[track.identity]
        _lose(state, seen, cut=False)
        self._take(state, picture, self.finder.faces(picture, candidates, NO_HINTS, _boxes(seen)), seen)

    def _is_face(self, track: Track, picture: Frame, now: Seen, found: bool, searches: int) -> bool:
        """Whether a track is still on a face. found: whether a detector found one there; if not, the mesh network or, for a
        drawn face, its anchors decide. A track is given up after DOUBTS failures in a row."""
        if track.drawn and (not found or searches % ANCHOR_EVERY == 0):
            anchors = self.finder.anchors(picture, now.box)
            if anchors is not None:
                self._anchor(track, picture, crop_of_features(anchors))
            found = found or anchors is not None
        elif not found:
            found = goes_with_crop(picture, track.crop, now.raw, self.finder.network, LEFT_RIGHT) < KEPT
        track.doubts = 0 if found else track.doubts + 1
        return track.doubts < DOUBTS

    def _anchor(self, track: Track, picture: Frame, wanted: Crop) -> None:
        """Cuts a drawn face out anew where its eyes and mouth were found, if its crop has drifted from there."""
        if _apart(wanted, track.crop) > ANCHORED:
            track.crop, track.first = wanted, cut_grey(picture, wanted)

    def _take(self, state: State, picture: Frame, faces: list[Face], seen: dict[int, Seen], hints: Points = NO_HINTS) -> None:
        """Follows the new faces from now on; of more than `most`, those at hints are kept first, then the largest."""
        for face in faces:
            look = face_thumbnail(picture, face.crop)
            like = likeness(picture, face.mesh)
            identity = _recognised(state, face, look, like)
            if identity is None:
                identity = state.next_identity
                state.next_identity += 1
            first = cut_grey(picture, face.crop) if face.drawn else NO_CUT
            state.tracks.append(Track(identity, face.drawn, face.crop, first, look, look, begin(face.mesh), like))
            seen[identity] = Seen(identity, face.score, face.mesh, face.mesh, like)
        for track in state.tracks:
            track.asked = track.asked or any(_is_meant(hint, seen[track.identity].box) for hint in hints)
        asked = {track.identity for track in state.tracks if track.asked}
        ranked = sorted(seen, key=lambda identity: (identity not in asked, -_side(seen[identity].box)))
        for identity in ranked[self.most :]:
            del seen[identity]
        _lose(state, seen, cut=False)

    def _recognise(self, state: State, picture: Frame, seen: dict[int, Seen], fps: float, moving: bool) -> None:
        """Measures the likenesses that are due: each track's every LOOK_EVERY seconds.

        While the picture moves, what a frame that may be a cut is compared with is measured in every frame: a head that turns
        fast, or before which a thing is raised, is unlike itself .1 s ago, but like the frame before.
        """
        every = max(1, round(LOOK_EVERY * fps))
        for track in state.tracks:
            due = track.frames % every == 0 and track.frames > 0
            if due or moving:
                track.likeness = likeness(picture, seen[track.identity].mesh)
                track.look = face_thumbnail(picture, track.crop)
            if due:
                seen[track.identity] = replace(seen[track.identity], likeness=track.likeness)


def _go_on(track: Track, picture: Frame, mesh: Points, score: float, look: Points, fps: float) -> Seen:
    """The track's next frame; its crop is moved with it."""
    track.thumbnail = track.thumbnail + (look - track.thumbnail) * np.float32(LEARN)
    if track.drawn:
        mesh = _with_drawn_mouth(track, picture, mesh)
    track.frames += 1
    track.steady = follow(track.steady, mesh, fps)
    if not track.drawn:
        wanted = crop_of_mesh(track.steady.mesh)
        if _apart(wanted, track.crop) > HELD:
            track.crop = wanted
    return Seen(track.identity, score, track.steady.mesh, mesh)


def _stays(track: Track, fps: float) -> int:
    """In how many frames from the next one on the crop of a track is likely to be the same."""
    if track.drawn:
        return 1
    off = _apart(crop_of_mesh(track.steady.mesh), track.crop)
    speed = track.steady.head_speed / 100 * eye_distance(track.steady.mesh) / track.crop.scale / fps
    return 1 + int(max(HELD - off, 0) / max(speed, 1e-6))


def _move_drawn(track: Track, picture: Frame) -> bool:
    """Moves the crop with the drawing; False when the drawing is no longer there."""
    moved = registered(picture, track.crop, track.first)
    if moved is not None:
        track.crop = moved
    return moved is not None


def _with_drawn_mouth(track: Track, picture: Frame, mesh: Points) -> Points:
    """The mesh with its lips on the drawn mouth; where none is found, with the lips where they were on the face before."""
    fitted = fit_mouth(picture, mesh)
    if fitted is not None:
        return fitted
    lips, rigid = list(LIPS), list(SKULL)
    mesh = mesh.copy()
    mesh[lips] = similarity(track.steady.mesh[rigid, :2], mesh[rigid, :2]).move(track.steady.mesh[lips])
    return mesh


def _apart(one: Crop, other: Crop) -> float:
    """The largest distance of two crops' corners, in sides."""
    by = CORNERS @ (one.matrix - other.matrix).T
    return math.sqrt((by * by).sum(axis=1).max()) / max(other.scale, 1e-6)


def _lose(state: State, seen: dict[int, Seen], cut: bool) -> bool:
    """Moves the tracks that were not seen to the lost ones; whether there were any."""
    gone = [track for track in state.tracks if track.identity not in seen]
    state.tracks = [track for track in state.tracks if track.identity in seen]
    new = [Lost(track.identity, 0, True, False, face_box(track.steady.mesh), track.thumbnail, track.likeness) for track in gone]
    state.lost = (new + state.lost)[:MOST_LOST]
    for lost in state.lost:
        lost.here = lost.here and not cut
    return bool(gone)


def _recognised(state: State, face: Face, look: Points, like: Likeness) -> int | None:
    """The identity of the lost face that this one is, None for a new one: by place within a shot, else by likeness."""
    best, who = 1.0, None
    for lost in state.lost:
        unlike = unlikeness(like, lost.likeness) / _may_differ(lost, face, look, like)
        if unlike < best:
            best, who = unlike, lost
    if who is None:
        return None
    state.lost.remove(who)
    return who.identity


def _may_differ(lost: Lost, face: Face, look: Points, like: Likeness) -> float:
    """The distance of likenesses up to which a face may be the lost one: larger at its place in the same shot."""
    if not lost.here or not _is_near(lost.box, face.box):
        return SURELY_SAME
    limit = AFTER_SWING if lost.swung else SAME_PLACE if lost.since == 0 else math.inf
    if distance(look, lost.thumbnail) > limit and unlikeness(like, lost.likeness) > OTHER:
        return SURELY_SAME  # a cut in a part of the picture, or a swing of the camera to somebody else
    return ANYBODY if lost.since < RETURN_SOON else MAY_BE


def _is_meant(hint: Points, box: Points) -> bool:
    """Whether a hint lies on a face's box."""
    if is_point(hint):
        return bool((box[:2] <= hint[:2]).all() and (hint[:2] <= box[2:]).all())
    return overlap(hint, box) > SAME_FACE


def _is_near(one: Points, other: Points) -> bool:
    ratio = _side(one) / max(_side(other), 1e-6)
    between = float(np.linalg.norm(one[:2] + one[2:] - other[:2] - other[2:])) / 2
    return 1 / LIKE_SIZE < ratio < LIKE_SIZE and between < NEAR * _side(one)


def _has_left(mesh: Points, picture: Frame) -> bool:
    x1, y1, x2, y2 = face_box(mesh)
    height, width = picture.shape[:2]
    inside = max(min(x2, width) - max(x1, 0), 0) * max(min(y2, height) - max(y1, 0), 0)
    return not inside > (1 - OUTSIDE) * (x2 - x1) * (y2 - y1)


def _boxes(seen: dict[int, Seen]) -> list[Points]:
    return [each.box for each in seen.values()]


def _side(box: Points) -> float:
    return float((box[2:] - box[:2]).max())
