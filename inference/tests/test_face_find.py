"""Faces in stills: found where they are, and not where there are none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from skimage import data

from enhance.face.confirm import is_upside_down
from enhance.face.crop import Crop, crop_of_mesh, turned_square
from enhance.face.detect import Detection, merge, overlap, tiles
from enhance.face.find import Face, Finder
from enhance.face.mesh import open_mesh
from enhance.face.track import NO_HINTS
from enhance.geometry.landmarks import CHIN, NOSE_BASE, features
from enhance.style import style_of
from tests.drawings import Anime, Picture, anime, cat, fox, plant

MEDIA = Path(__file__).parents[3] / "shared" / "media"
with_media = pytest.mark.skipif(not MEDIA.is_dir(), reason="no shared/media beside the repository")

ASTRONAUT: Picture = data.astronaut()
# Measured by hand in the picture enlarged: the middles of the eyes, and the mean of the mouth's corners and inner edges.
ASTRONAUT_EYES_AND_MOUTH = np.array([[202.5, 101], [246.5, 103.5], [224.6, 143]])
CHARACTERS = {
    "closed": Anime(),
    "open": Anime(mouth=0.16),
    "large eyes": Anime(eye=0.32, eyes_apart=0.5, mouth=0.1),
    "small eyes": Anime(eye=0.2),
    "red hair": Anime(hair=(200, 60, 60), iris=(60, 150, 80), mouth=0.08),
    "long chin": Anime(chin=0.78, mouth_drop=0.5, eye=0.2),
}
Find = Callable[[Picture], list[Face]]


@pytest.fixture
def find(finder: Finder) -> Find:
    return lambda picture: finder.faces(picture, finder.candidates(picture, thorough=True), NO_HINTS, [])


@pytest.fixture(scope="module")
def candidates(finder: Finder) -> list[Detection]:
    return finder.candidates(ASTRONAUT, thorough=True)


@pytest.fixture(scope="module")
def astronaut(finder: Finder, candidates: list[Detection]) -> Face:
    (face,) = finder.faces(ASTRONAUT, candidates, NO_HINTS, [])
    return face


def test_a_photographed_face_has_its_eyes_and_mouth_where_they_are(astronaut: Face) -> None:
    assert not astronaut.drawn
    assert np.linalg.norm(features(astronaut.mesh) - ASTRONAUT_EYES_AND_MOUTH, axis=1).max() < 4


@pytest.mark.parametrize("turn", [-30, 30])
def test_a_tilted_face_is_found_as_well(find: Find, turn: int) -> None:
    matrix = cv2.getRotationMatrix2D((226, 130), turn, 1)
    tilted = np.asarray(cv2.warpAffine(ASTRONAUT, matrix, (512, 400), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    (face,) = find(tilted)
    expected = ASTRONAUT_EYES_AND_MOUTH @ matrix[:, :2].T + matrix[:, 2]
    assert np.linalg.norm(features(face.mesh) - expected, axis=1).max() < 6


def test_a_face_that_stands_on_its_head_is_not_taken_for_an_upright_one(
    astronaut: Face, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    networks = finder.network, finder.detector
    assert not is_upside_down(ASTRONAUT, astronaut.crop, astronaut.mesh, *networks)
    on_its_head = np.ascontiguousarray(ASTRONAUT[::-1, ::-1])
    middle = ASTRONAUT.shape[1::-1] - astronaut.box.reshape(2, 2).mean(axis=0)
    crop = turned_square(middle, astronaut.crop.scale, np.array([1.0, 0.0]))
    mesh, _ = finder.network(on_its_head, crop)
    assert mesh[CHIN, 1] > mesh[NOSE_BASE, 1]
    assert is_upside_down(on_its_head, crop, mesh, *networks)
    # Nor where it stays although it was read the wrong way up, and is seen little better when turned.
    monkeypatch.setattr("enhance.face.confirm.STEADY", 1.0)
    monkeypatch.setattr("enhance.face.confirm.SURELY_BETTER", 1.0)
    assert is_upside_down(on_its_head, crop, mesh, *networks)


def test_a_face_of_forty_pixels_in_a_full_picture_is_found(find: Find) -> None:
    scale = 40 / 105
    small = cv2.resize(ASTRONAUT, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    picture = np.full((720, 1280, 3), (90, 110, 130), np.uint8)
    picture[300 : 300 + small.shape[0], 700 : 700 + small.shape[1]] = small
    (face,) = find(picture)
    expected = ASTRONAUT_EYES_AND_MOUTH * scale + [700, 300]
    assert np.linalg.norm(features(face.mesh) - expected, axis=1).max() < 3


@pytest.mark.parametrize("name", CHARACTERS)
def test_the_lips_of_a_drawn_face_lie_on_its_mouth(find: Find, name: str) -> None:
    picture, places = anime(CHARACTERS[name], 384)
    (face,) = find(picture)
    assert face.drawn
    width = 0.42 * 384
    assert np.linalg.norm(features(face.mesh)[2] - places.mouth) < 0.04 * width
    assert np.linalg.norm(features(face.mesh)[:2] - [places.right_eye, places.left_eye], axis=1).max() < 0.16 * width


@pytest.mark.parametrize("mouth", [0.0, 0.06, 0.12, 0.18])
def test_the_inner_lips_of_a_drawn_face_are_as_far_apart_as_drawn(find: Find, mouth: float) -> None:
    (face,) = find(anime(replace(Anime(), mouth=mouth), 384)[0])
    gap = np.linalg.norm(face.mesh[13, :2] - face.mesh[14, :2]) / (0.42 * 384)
    assert abs(gap - mouth) < 0.03


def test_a_photograph_in_few_colours_keeps_its_own_mouth_whatever_drawn_face_is_seen_in_it(
    find: Find, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    smooth = cv2.bilateralFilter(cv2.bilateralFilter(ASTRONAUT[:300, 80:380], 9, 30, 7), 9, 30, 7)
    picture = (smooth // 43 * 43 + 20).astype(np.uint8)
    expected = ASTRONAUT_EYES_AND_MOUTH - [80, 0]
    off = expected - np.array([[0, 0], [0, 0], [0, 12]])
    monkeypatch.setattr(finder, "anchors", lambda *_: off.astype(np.float32))
    (face,) = find(picture)
    assert style_of(picture, face.box) == "flat"
    assert np.linalg.norm(features(face.mesh) - expected, axis=1).max() < 5


def test_a_drawn_nose_that_is_taken_for_the_mouth_does_not_move_it(
    find: Find, finder: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    smooth = cv2.bilateralFilter(cv2.bilateralFilter(ASTRONAUT[:300, 80:380], 9, 30, 7), 9, 30, 7)
    expected = ASTRONAUT_EYES_AND_MOUTH - [80, 0]
    nose = expected - np.array([[0, 0], [0, 0], [0, 16]])
    monkeypatch.setattr(finder, "anchors", lambda *_: nose.astype(np.float32))
    monkeypatch.setattr("enhance.face.find._is_drawn", lambda *_: True)
    (face,) = find(smooth.astype(np.uint8))
    assert np.linalg.norm(features(face.mesh) - expected, axis=1).max() < 5


def test_a_character_and_a_person_are_both_found(find: Find) -> None:
    drawn, _ = anime(Anime(mouth=0.1))
    both = find(np.hstack([ASTRONAUT[:, :400], drawn]))
    assert sorted(face.drawn for face in both) == [False, True]


@pytest.mark.parametrize("name", ["chelsea", "coffee", "rocket", "brick", "grass", "coins", "page", "text", "moon", "retina"])
def test_animals_things_and_text_have_no_face(find: Find, name: str) -> None:
    picture = getattr(data, name)()
    assert find(picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)) == []


@pytest.mark.parametrize("fur", [(150, 110, 80), (90, 80, 75), (210, 160, 100), (225, 220, 215)])
def test_a_drawn_cat_has_no_face_of_a_person(find: Find, fur: tuple[int, int, int]) -> None:
    assert find(cat(fur)) == []


def test_a_mascot_that_stays_where_it_is_does_not_stand_on_its_head(find: Find) -> None:
    (face,) = find(fox())
    assert face.mesh[CHIN, 1] > face.mesh[NOSE_BASE, 1]


def test_what_looks_like_a_face_in_a_few_pixels_is_none(find: Find) -> None:
    coins = cv2.resize(data.coins(), None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    picture = np.full((288, 360, 3), 128, np.uint8)
    picture[60 : 60 + coins.shape[0], 80 : 80 + coins.shape[1]] = coins[..., None]
    assert find(picture) == find(np.ascontiguousarray(picture[:, ::-1])) == []


@pytest.mark.parametrize("seed", range(4))
def test_a_plant_has_no_face(find: Find, seed: int) -> None:
    assert find(plant(seed)) == []


@pytest.mark.parametrize("left, right, light", [(0, 300, 1.0), (80, 380, 0.6), (120, 330, 1.7)])
def test_a_cat_near_to_in_any_light_has_no_face_of_a_person(find: Find, left: int, right: int, light: float) -> None:
    part = data.chelsea()[:, left:right]
    lit = np.asarray(255 * (part / 255) ** light, np.uint8)
    assert find(lit) == find(np.ascontiguousarray(lit[:, ::-1])) == []


@pytest.mark.parametrize("spread", [0, 4, 8, 20])
def test_noise_has_no_face(find: Find, spread: int) -> None:
    noise = np.random.default_rng(spread).normal(128, 60 * max(spread, 1), (360, 480, 3))
    picture = cv2.GaussianBlur(noise, (0, 0), spread) if spread else noise
    assert find(np.clip(picture, 0, 255).astype(np.uint8)) == []


def test_a_hint_finds_a_face_that_no_detector_was_asked_for(finder: Finder) -> None:
    hint = np.array([[170, 65, 280, 185]], np.float32)
    (face,) = finder.faces(ASTRONAUT, [], hint, [])
    assert np.linalg.norm(features(face.mesh) - ASTRONAUT_EYES_AND_MOUTH, axis=1).max() < 5


def test_a_hint_at_nothing_finds_nothing(finder: Finder) -> None:
    assert finder.faces(data.coffee(), [], np.array([[200, 100, 340, 240]], np.float32), []) == []


@pytest.mark.parametrize("box", [(150, 20, 310, 220), (170, 50, 290, 180), (120, 10, 340, 260)])
def test_a_hint_at_a_cat_finds_nobody(finder: Finder, box: tuple[int, ...]) -> None:
    assert finder.faces(data.chelsea(), [], np.array([box], np.float32), []) == []


def test_a_known_face_is_not_found_again(finder: Finder, astronaut: Face, candidates: list[Detection]) -> None:
    assert finder.faces(ASTRONAUT, candidates, NO_HINTS, [astronaut.box]) == []


def test_eyes_of_a_blurred_copy_and_the_picture_before_it_are_no_face(finder: Finder, find: Find) -> None:
    """A wide picture in a vertical one, before its blurred copy three times as large."""
    wide, top = ASTRONAUT[:300, 30:450], 368
    copy = cv2.GaussianBlur(cv2.resize(wide, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC), (0, 0), 4)
    vertical = np.ascontiguousarray(copy[:, 366:786])
    vertical[top : top + 300] = wide
    (face,) = find(vertical)
    assert np.linalg.norm(features(face.mesh) - (ASTRONAUT_EYES_AND_MOUTH + np.array([-30, top])), axis=1).max() < 3
    assert finder.faces(vertical, finder.candidates(vertical, thorough=True), NO_HINTS, [face.box]) == []


def test_the_plain_network_agrees_and_leaves_the_irises_out(weights: Path, astronaut: Face) -> None:
    other, _ = open_mesh(weights, "plain")(ASTRONAUT, astronaut.crop)
    assert np.isnan(other[468:]).all()
    assert np.linalg.norm(astronaut.mesh[:468, :2] - other[:468, :2], axis=1).mean() < 2


def test_a_place_goes_through_a_crop_and_back() -> None:
    crop = Crop(np.array([[30.0, 5, 100], [-4, 50, 20]]))
    points = np.random.default_rng(0).uniform(size=(5, 2)).astype(np.float32)
    np.testing.assert_allclose(crop.inverse(crop.place(points)), points, atol=1e-5)


@pytest.mark.parametrize("scale", [0.5, 3.0, 7.3])
def test_a_cut_shows_the_same_places_at_every_scale(scale: float) -> None:
    """A picture of its own coordinates: a pixel of the cut shows the place that lies under its middle."""
    rows, columns = np.mgrid[:600, :600]
    picture = np.stack([columns * 255 / 600, rows * 255 / 600, columns * 0], axis=-1).round().astype(np.uint8)
    crop = Crop(np.array([[64.0 * scale, 0, 80], [0, 64.0 * scale, 60]]))
    shown = crop.cut(picture, 64)[..., :2] / 255.0 * 600
    middles = crop.place((np.mgrid[:64, :64][::-1].transpose(1, 2, 0) + 0.5) / 64) - 0.5
    assert np.abs(shown - middles).mean() < 1.3


def test_the_crop_of_a_mesh_is_turned_with_its_eyes() -> None:
    mesh = np.zeros((478, 3), np.float32)
    mesh[:468, :2] = np.random.default_rng(0).uniform(100, 200, (468, 2))
    mesh[33, :2], mesh[263, :2] = (120, 140), (180, 200)
    across = crop_of_mesh(mesh).matrix[:, 0]
    assert np.degrees(np.arctan2(across[1], across[0])) == pytest.approx(45)


def test_detections_of_one_face_become_one_weighted_by_score() -> None:
    keys = np.zeros((6, 2), np.float32)
    boxes = [np.array(box, np.float32) for box in ([0, 0, 10, 10], [1, 0, 11, 10], [50, 50, 60, 60])]
    merged = merge([Detection(boxes[0], keys, 0.9), Detection(boxes[1], keys, 0.3), Detection(boxes[2], keys, 0.6)])
    assert [found.score for found in merged] == [0.9, 0.6]
    np.testing.assert_allclose(merged[0].box, [0.25, 0, 10.25, 10], atol=1e-5)


def test_boxes_apart_do_not_overlap() -> None:
    assert overlap(np.array([0, 0, 10, 10]), np.array([10, 0, 20, 10])) == 0
    assert overlap(np.array([0, 0, 10, 10]), np.array([5, 0, 15, 10])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("size", [(720, 1280), (1280, 720), (64, 64), (33, 500)])
@pytest.mark.parametrize("parts", [2, 3])
def test_tiles_cover_the_picture(size: tuple[int, int], parts: int) -> None:
    covered = np.zeros(size, bool)
    for x, y, tile in tiles(np.zeros((*size, 3), np.uint8), parts):
        covered[y : y + tile.shape[0], x : x + tile.shape[1]] = True
    assert covered.all()


@with_media
@pytest.mark.parametrize("path", sorted(MEDIA.glob("img_*")), ids=lambda path: path.stem)
def test_each_picture_of_a_person_has_one_face_and_the_cat_has_none(find: Find, path: Path) -> None:
    picture = np.ascontiguousarray(cv2.imread(str(path))[:, :, ::-1])
    assert len(find(picture)) == (0 if "noface" in path.name else 1)
