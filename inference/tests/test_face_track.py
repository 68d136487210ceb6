"""Faces followed through clips that are made of one photograph and of drawings."""

import threading
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.face.ahead import Ahead
from enhance.face.clip import Faces, TrackingRequest, track_frames
from enhance.face.crop import crop_of_mesh, turned_square
from enhance.face.detect import Detection
from enhance.face.find import Finder
from enhance.face.frame import CodedFrame, Frame, coded_frames
from enhance.face.recognise import unlikeness
from enhance.face.state import State, pack, unpack
from enhance.face.thumbnails import frame_thumbnail
from enhance.face.track import NO_HINTS, Tracker
from enhance.geometry.landmarks import features
from enhance.geometry.planes import Colours, from_rgb, mean_of_four
from tests.drawings import Anime, Picture, anime

MEDIA = Path(__file__).parents[3] / "shared" / "media"
with_media = pytest.mark.skipif(not MEDIA.is_dir(), reason="no shared/media beside the repository")
NOTHING = np.empty(0, np.float32)
FACE = data.astronaut()[20:260, 100:340]
EMPTY = np.full_like(FACE, (90, 110, 130))
Frames = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
SAME = 0.25  # as src/operations/lip-sync/faces/people.ts has it


@pytest.fixture(scope="session")
def tracker(finder: Finder) -> Tracker:
    return Tracker(finder, most=4)


def follow(tracker: Tracker, pictures: list[Picture], chunk: int = 16) -> Faces:
    """The faces of a clip, sent in chunks with the state in between."""
    state, parts = NOTHING, []
    for start in range(0, len(pictures), chunk):
        faces, state = track_frames(tracker, np.stack(pictures[start : start + chunk]), state)
        parts.append(faces)
    return Faces(*(np.concatenate([getattr(part, name) for part in parts]) for name in Faces.__dataclass_fields__))


def moved(picture: Picture, x: float, y: float) -> Picture:
    matrix = np.array([[1, 0, x], [0, 1, y]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, matrix, size, borderValue=(90, 110, 130)), np.uint8)


def looks(faces: Faces, identity: int) -> Floats:
    """The likenesses of a face that were taken."""
    of_it: Floats = faces.likeness[faces.identity == identity]
    return np.asarray(of_it[np.isfinite(of_it[:, 0])])


def closest(some: Floats, others: Floats) -> float:
    return min(unlikeness(one, other) for one in some for other in others)


def noisy(picture: Picture, seed: int) -> Picture:
    noise = np.random.default_rng(seed).normal(0, 4, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def test_chunks_give_what_the_whole_gives(tracker: Tracker) -> None:
    clip = [moved(FACE, 2 * number, 0) for number in range(14)]
    whole = follow(tracker, clip)
    for chunk in (1, 5):  # of single frames none is read ahead
        parts = follow(tracker, clip, chunk)
        np.testing.assert_array_equal(whole.mesh, parts.mesh)
        np.testing.assert_array_equal(whole.identity, parts.identity)


def test_frames_that_are_read_together_give_the_meshes_of_each_through_the_crop_that_it_then_has(tracker: Tracker) -> None:
    clip, network = [noisy(FACE, seed) for seed in range(7)], tracker.finder.network
    first, moved_to = (turned_square(np.array([120.0, 120.0]), side, np.array([1.0, 0.0])) for side in (200.0, 210.0))
    ahead = Ahead(network, clip)
    for number, picture in enumerate(clip):
        crop = first if number < 2 else moved_to
        (mesh, score), (alone, sure) = ahead.read(number, crop, 4), network(picture, crop)
        np.testing.assert_array_equal(mesh, alone)
        assert score == sure


def test_new_faces_are_searched_by_a_thread_that_has_ended_when_the_answer_comes(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    whole = tracker.finder.detector.whole

    def watched(picture: Frame) -> list[Detection]:
        threads.append(threading.current_thread())
        return whole(picture)

    monkeypatch.setattr(tracker.finder.detector, "whole", watched)
    follow(tracker, [FACE] * 14, chunk=7)
    assert len(threads) == 1 and threads[0] is not threading.main_thread() and not threads[0].is_alive()


def test_where_there_is_no_face_there_is_none(tracker: Tracker) -> None:
    faces = follow(tracker, [EMPTY] * 3)
    assert (faces.identity == -1).all() and (faces.score == 0).all()
    assert all(np.isnan(values).all() for values in (faces.mesh, faces.box, faces.landmarks))


def test_the_lips_of_a_face_that_turns_and_grows_quickly_stay_in_their_place(tracker: Tracker) -> None:
    lips, middle = [0, 13, 14, 17, 61, 291], (FACE.shape[1] / 2, FACE.shape[0] / 2)
    turns = [cv2.getRotationMatrix2D(middle, 15 * step, 1 + 0.1 * step) for step in (0, 0, 0, 1, 2)]
    clip = [np.asarray(cv2.warpAffine(FACE, turn, FACE.shape[:2], borderMode=cv2.BORDER_REPLICATE), np.uint8) for turn in turns]
    mesh = follow(tracker, clip).mesh[:, 0, lips, :2]
    for seen, turn in list(zip(mesh, turns, strict=True))[3:]:
        there = mesh[2] @ turn[:, :2].T + turn[:, 2]
        assert np.linalg.norm(seen - there, axis=1).mean() < 0.0075 * 64


def test_a_still_face_in_noise_trembles_less_than_a_thousandth_of_its_eye_distance(tracker: Tracker) -> None:
    faces = follow(tracker, [noisy(FACE, seed) for seed in range(20)])
    steady = faces.mesh[6:, 0, :468, :2]
    assert steady.std(axis=0).mean() < 0.001 * 64


def test_a_moving_face_is_not_lagged_by_a_frame(tracker: Tracker) -> None:
    speed = 4
    faces = follow(tracker, [moved(FACE, speed * number, 0) for number in range(20)])
    start = features(faces.mesh[0, 0])[:, 0]
    behind = [start + speed * number - features(faces.mesh[number, 0])[:, 0] for number in range(5, 20)]
    assert np.abs(behind).max() < speed


def test_a_face_that_leaves_and_returns_keeps_its_identity(tracker: Tracker) -> None:
    away = [moved(FACE, shift, 0) for shift in range(0, 200, 20)]
    faces = follow(tracker, [*away, *[EMPTY] * 6, *reversed(away), *[FACE] * 6])
    assert faces.identity[0, 0] == 0
    assert (faces.identity[10:16, 0] == -1).all()
    assert (faces.identity[-4:, 0] == 0).all()


def test_after_a_cut_another_face_has_another_identity_and_the_first_its_own(tracker: Tracker) -> None:
    drawn, _ = anime(Anime(), FACE.shape[0])
    faces = follow(tracker, [*[FACE] * 4, *[drawn] * 4, *[FACE] * 4])
    assert faces.identity[:, 0].tolist() == [0] * 4 + [1] * 4 + [0] * 4
    assert np.flatnonzero(faces.cut).tolist() == [4, 8]


def turned_away(strength: int) -> Picture:
    """The face, with its eyes, brows and nose in other places and softer."""
    return np.asarray(cv2.GaussianBlur(FACE[:, ::-1], (0, 0), strength), np.uint8)


def test_whoever_is_found_where_a_face_was_lost_in_the_same_shot_is_the_same_person(tracker: Tracker) -> None:
    room = np.random.default_rng(1).integers(60, 200, (45, 60, 3), dtype=np.uint8).repeat(16, axis=0).repeat(16, axis=1)
    seen, hidden, other = room.copy(), room.copy(), room.copy()
    seen[200:440, 200:440], other[200:440, 200:440] = FACE, turned_away(2)
    faces = follow(tracker, [*[seen] * 3, *[hidden] * 4, *[other] * 4])
    assert (faces.identity[3:7, 0] == -1).all()
    assert unlikeness(faces.likeness[0, 0], looks(faces, 0)[-1]) > SAME
    assert (faces.identity[-3:, 0] == 0).all()


def test_whoever_is_found_there_after_the_camera_has_swung_round_is_somebody_else(tracker: Tracker) -> None:
    walls = np.random.default_rng(1).integers(0, 255, (3, 8, 3), dtype=np.uint8)
    wide = cv2.GaussianBlur(cv2.resize(walls, (1440, 360), interpolation=cv2.INTER_NEAREST), (0, 0), 40)
    wide[60:300, 200:440], wide[60:300, 1000:1240] = FACE, turned_away(2)
    swing = [cv2.blur(wide[:, x : x + 640], (110, 1)) for x in range(110, 800, 110)]
    faces = follow(tracker, [np.asarray(each, np.uint8) for each in [*[wide[:, :640]] * 3, *swing, *[wide[:, 800:]] * 4]])
    assert not faces.cut.any()
    assert faces.identity[:, 0].tolist() == [0] * 3 + [-1] * 8 + [1] * 3


def test_a_face_that_jumps_and_blurs_with_the_whole_picture_is_the_same(tracker: Tracker) -> None:
    wall = cv2.resize(data.coffee(), (640, 360), interpolation=cv2.INTER_AREA)
    wall[60:300, 200:440] = FACE
    shaken = [np.asarray(cv2.blur(moved(wall, x, 8), (13, 5)), np.uint8) for x in (40, -40, 40)]
    faces = follow(tracker, [wall, wall, shaken[0], wall, shaken[1], wall, shaken[2], wall])
    assert (faces.identity[:, 0] == 0).all()


def test_a_thing_that_is_raised_before_a_face_is_no_cut(tracker: Tracker) -> None:
    frames = [FACE] * 5
    for x in range(240, 60, -30):
        frames.append(FACE.copy())
        frames[-1][110:, x : x + 70] = 20
    faces = follow(tracker, frames)
    assert not faces.cut.any()
    assert (faces.identity[:, 0] == 0).all()


def test_two_faces_side_by_side_keep_their_identities_when_they_change_sides(tracker: Tracker) -> None:
    drawn, _ = anime(Anime(mouth=0.1), FACE.shape[0])
    faces = follow(tracker, [*[np.hstack([FACE, drawn])] * 4, *[np.hstack([drawn, FACE])] * 4])
    assert (faces.identity[:, :2] >= 0).all() and (faces.identity[:, 2:] == -1).all()
    middle = FACE.shape[1]
    for shown, left_one in ((range(4), 0), (range(4, 8), 1)):
        sides = {
            (int(faces.identity[number, place]), bool(faces.box[number, place, 0] < middle))
            for number in shown
            for place in range(2)
        }
        largest = int(faces.identity[0, 0])
        photo = largest if faces.box[0, 0, 0] < middle else 1 - largest
        assert sides == {(photo, left_one == 0), (1 - photo, left_one == 1)}


def test_a_face_that_comes_before_another_keeps_its_identity(tracker: Tracker) -> None:
    both = np.hstack([FACE, np.asarray(FACE * 0.9, np.uint8)])
    state, network = State(both.shape[1], both.shape[0]), tracker.finder.network
    front = min(tracker.next(state, both, thorough=False).faces, key=lambda face: face.box[0])
    before = pack(state)
    for order in (1, -1):
        state = unpack(before, both.shape[1], both.shape[0])
        state.tracks = state.tracks[::order]
        # In the crops of both faces the network sees the one that is in front.
        seen = tracker.next(state, both, read=lambda _, __: network(both, crop_of_mesh(front.raw)))
        assert [face.identity for face in seen.faces if face.box[0] < FACE.shape[1]] == [front.identity]


def test_the_largest_faces_come_first_and_only_as_many_as_asked_for(finder: Finder) -> None:
    alone = Tracker(finder, most=1)
    small = cv2.resize(FACE, None, fx=0.7, fy=0.7, interpolation=cv2.INTER_AREA)
    padded = cv2.copyMakeBorder(small, FACE.shape[0] - small.shape[0], 0, 0, 0, cv2.BORDER_CONSTANT)
    faces = follow(alone, [np.hstack([padded, FACE])] * 3)
    assert faces.identity.shape == (3, 1)
    assert (faces.box[:, 0, 0] > padded.shape[1]).all()


def test_the_lips_stay_on_the_mouth_of_a_drawing_that_moves_and_talks(tracker: Tracker) -> None:
    size, width = 320, 0.42
    opened = [max(0.0, 0.14 * float(np.sin(number * 0.7))) for number in range(26)]
    scenes = []
    for number, mouth in enumerate(opened):
        centre = (0.5 + 0.06 * float(np.sin(number * 0.2)), 0.5 + 0.03 * float(np.cos(number * 0.3)))
        scenes.append(anime(replace(Anime(), mouth=mouth), size, width, centre))
    faces = follow(tracker, [picture for picture, _ in scenes])
    lips = np.stack([features(mesh)[2] for mesh in faces.mesh[:, 0]])
    off = np.linalg.norm(lips - [places.mouth for _, places in scenes], axis=1) / (width * size)
    assert off.max() < 0.04
    gaps = np.linalg.norm(faces.mesh[:, 0, 13, :2] - faces.mesh[:, 0, 14, :2], axis=1)
    assert np.corrcoef(gaps, opened)[0, 1] > 0.9
    assert len(set(faces.identity[:, 0].tolist())) == 1


def test_a_hint_where_nothing_is_finds_nothing(tracker: Tracker) -> None:
    nowhere, _ = track_frames(tracker, EMPTY[None], NOTHING, TrackingRequest(np.array([[50, 50, 150, 150]], np.float32)))
    assert (nowhere.identity == -1).all()


def test_without_a_thorough_search_a_small_face_is_found_where_it_is_said_to_be(tracker: Tracker) -> None:
    small = cv2.resize(FACE, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    frame = cv2.copyMakeBorder(small, 300, 400, 900, 400, cv2.BORDER_CONSTANT, value=(90, 110, 130))
    found, _ = track_frames(tracker, frame[None], NOTHING)
    quickly, _ = track_frames(tracker, frame[None], NOTHING, TrackingRequest(thorough=False))
    hinted, _ = track_frames(tracker, frame[None], NOTHING, TrackingRequest(found.box[0, :1], thorough=False))
    assert [(faces.identity[0] >= 0).sum() for faces in (found, quickly, hinted)] == [1, 0, 1]
    assert np.abs(hinted.box[0, 0] - found.box[0, 0]).max() < 2


def test_a_point_finds_a_small_face_which_then_stays_though_there_is_no_room(finder: Finder) -> None:
    alone = Tracker(finder, most=1)
    small = cv2.resize(FACE, None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
    padded = cv2.copyMakeBorder(small, 0, FACE.shape[0] - small.shape[0], 0, 0, cv2.BORDER_CONSTANT, value=(90, 110, 130))
    frames = np.stack([np.hstack([padded, FACE])] * 16)
    point = np.array([[44, 40, 44, 40]], np.float32)
    faces, state = track_frames(alone, frames, NOTHING, TrackingRequest(point, np.array([5])))
    later, _ = track_frames(alone, frames, state)
    is_small = np.concatenate([faces.box, later.box])[:, 0, 2] < padded.shape[1]
    assert is_small.tolist() == [False] * 5 + [True] * 27


@pytest.mark.parametrize("fps", [30, 60])
def test_a_still_face_trembles_no_more_at_higher_frame_rates(tracker: Tracker, fps: int) -> None:
    clip = np.stack([noisy(FACE, seed) for seed in range(16)])
    seen = [track_frames(tracker, clip, NOTHING, TrackingRequest(fps=rate))[0] for rate in (25, fps)]
    trembles = [faces.mesh[6:, 0, :468, :2].std(axis=0).mean() for faces in seen]
    assert trembles[1] < trembles[0]


def test_the_same_likeness_is_taken_at_every_size_and_light(tracker: Tracker) -> None:
    half = cv2.resize(FACE, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    dim = np.asarray(FACE * 0.6, np.uint8)
    drawn, _ = anime(Anime(), FACE.shape[0])
    first, *others, another = [looks(follow(tracker, [picture]), 0) for picture in (FACE, half, dim, drawn)]
    assert all(closest(first, other) < SAME for other in others)
    assert closest(first, another) > SAME


def test_raw_meshes_are_not_filtered_and_likenesses_are_taken_every_160_ms(tracker: Tracker) -> None:
    clip = np.stack([noisy(FACE, seed) for seed in range(8)])
    raw, _ = track_frames(tracker, clip, NOTHING, TrackingRequest(raw=True))
    steady, _ = track_frames(tracker, clip, NOTHING)
    slow, _ = track_frames(tracker, clip[:5], NOTHING, TrackingRequest(fps=12.5))
    for faces, every in ((steady, 4), (slow, 2)):  # frames of 0.16 s
        taken = np.flatnonzero(np.isfinite(faces.likeness[:, 0, 0]))
        np.testing.assert_array_equal(taken, np.arange(0, len(faces.likeness), every))
    trembles = [faces.mesh[2:, 0, :468].std(axis=0).mean() for faces in (raw, steady)]
    assert trembles[0] > 1.3 * trembles[1]


def coded(picture: Picture, colours: Colours) -> list[CodedFrame]:
    """A clip of one frame."""
    y, u, v = from_rgb(picture.astype(np.float32), colours).transpose(2, 0, 1)
    planes = [np.rint(plane).astype(np.uint8).ravel() for plane in (y, mean_of_four(u), mean_of_four(v))]
    return coded_frames(np.concatenate(planes)[None], np.array(picture.shape[1::-1]), colours)


@pytest.mark.parametrize(
    ("colours", "side"),
    [
        (Colours(0.2126, 0.0722, full=False), 240),
        (Colours(0.299, 0.114, full=True), 239),
        (Colours(0.299, 0.114, full=False), 799),
    ],
)
def test_planes_show_the_face_that_rgb_shows(tracker: Tracker, colours: Colours, side: int) -> None:
    picture = np.asarray(cv2.resize(FACE, (side, side - 2)), np.uint8)
    faces, state = track_frames(tracker, picture[None], NOTHING)
    same, its = track_frames(tracker, coded(picture, colours), NOTHING)
    assert np.abs(same.mesh - faces.mesh)[0, 0].max() < side * 0.003
    assert unlikeness(same.likeness[0, 0], faces.likeness[0, 0]) < 0.1
    # The luma of a frame, by which cuts are told, is the same for black and for white.
    assert state.shape == its.shape
    for value in (0, 255):
        grey = np.full((64, 64, 3), value, np.uint8)
        assert np.abs(frame_thumbnail(coded(grey, colours)[0]) - value).max() < 1


@pytest.mark.parametrize(
    ("frames", "state", "hints", "says"),
    [
        (np.zeros((1, 64, 64, 4), np.uint8), NOTHING, NO_HINTS, r"expected FRAMES uint8 \[frames, height, width, 3\]"),
        (np.zeros((17, 64, 64, 3), np.uint8), NOTHING, NO_HINTS, "expected 1 to 16 FRAMES, got 17"),
        (np.zeros((0, 64, 64, 3), np.uint8), NOTHING, NO_HINTS, "expected 1 to 16 FRAMES, got 0"),
        (np.zeros((1, 8, 64, 3), np.uint8), NOTHING, NO_HINTS, "expected FRAMES of at least 16x16 pixels, got 64x8"),
        (EMPTY[None], np.zeros(9, np.float32), NO_HINTS, "expected STATE as .* got the mark 0"),
        (EMPTY[None], np.zeros(10_000, np.float32), NO_HINTS, "expected STATE as .* got the mark 0"),
        (EMPTY[None], NOTHING, np.zeros((1, 3), np.float32), r"expected HINTS \[boxes, 4\]"),
        (EMPTY[None], NOTHING, np.array([[9, 9, 9, 20]], np.float32), "or a point twice"),
        (EMPTY[None], NOTHING, np.array([[9, 9, 4, 20]], np.float32), "expected HINTS x1, y1, x2, y2 with x1 < x2"),
        (EMPTY[None], NOTHING, np.array([[0, 0, np.nan, 20]], np.float32), "of numbers"),
    ],
)
def test_what_is_not_as_agreed_is_refused(
    tracker: Tracker, frames: Frames, state: npt.NDArray[np.float32], hints: npt.NDArray[np.float32], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        track_frames(tracker, frames, state, TrackingRequest(hints))


def test_a_state_of_another_size_or_cut_short_is_refused(tracker: Tracker) -> None:
    _, state = track_frames(tracker, FACE[None], NOTHING)
    with pytest.raises(ValueError, match="expected FRAMES of 240x240 as in STATE, got 200x240"):
        track_frames(tracker, FACE[None, :, :200], state)
    with pytest.raises(ValueError, match="expected STATE of"):
        track_frames(tracker, FACE[None], state[:-5])
    with pytest.raises(ValueError, match="expected STATE of"):
        track_frames(tracker, FACE[None], np.append(state, np.float32(0)))


@with_media
@pytest.mark.parametrize("path", sorted(MEDIA.glob("vid_*")), ids=lambda path: path.stem)
def test_the_person_of_a_clip_is_never_lost_and_is_always_the_same(tracker: Tracker, path: Path) -> None:
    video = cv2.VideoCapture(str(path))
    pictures: list[Picture] = []
    while len(pictures) < 60:
        got, frame = video.read()
        if not got:
            break
        scale = min(480 / min(frame.shape[:2]), 1)
        small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        pictures.append(np.asarray(small[:, :, ::-1], np.uint8))
    faces = follow(tracker, pictures)
    assert (faces.identity[:, 0] >= 0).all() and (faces.identity[:, 1:] == -1).all()
    first, *others = [looks(faces, identity) for identity in np.unique(faces.identity[:, 0])]
    assert all(closest(first, other) < SAME for other in others)
