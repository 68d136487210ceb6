"""Photographed and drawn faces, told apart by how much of them is flat."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from skimage import data

from enhance.geometry.landmarks import face_box
from enhance.picture import LUMA
from enhance.portrait.animate import Animator
from enhance.style import FLAT, SOFTENED, flatness, is_plain, is_shaded, skin_roughness, style_numbered, style_of
from tests.drawings import Anime, anime, smoothed
from tests.test_render_drawn import eyes

MESH = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)
BOX = face_box(MESH)
SIZE, WIDTH = 384, 0.42
CHARACTERS = [Anime(), Anime(mouth=0.16), Anime(eye=0.32, eyes_apart=0.5, mouth=0.1), Anime(eye=0.2), Anime(chin=0.78)]


def drawn_box(size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of a character's face: from the brows to the chin."""
    return size / 2 + size * WIDTH * np.array([-0.5, -0.4, 0.5, 0.6])


@pytest.mark.parametrize("light", [1.0, 0.6, 0.3])
@pytest.mark.parametrize("size", [1.0, 0.5])
def test_a_photograph_is_not_flat_however_dark(light: float, size: float) -> None:
    picture = (cv2.resize(data.astronaut(), None, fx=size, fy=size, interpolation=cv2.INTER_AREA) * light).astype(np.uint8)
    assert flatness(picture, BOX * size) < 0.33
    assert style_of(picture, BOX * size) == "photo"


@pytest.mark.parametrize("who", CHARACTERS)
@pytest.mark.parametrize("size", [SIZE, 2 * SIZE])
def test_a_flat_drawing_is_flat(who: Anime, size: int) -> None:
    picture, _ = anime(who, size, WIDTH)
    assert flatness(picture, drawn_box(size)) > 0.58
    assert style_of(picture, drawn_box(size)) == "flat"


def test_grain_makes_a_drawing_no_photograph_nor_a_photograph_a_drawing() -> None:
    drawing, photograph = (
        np.clip(picture + np.random.default_rng(1).normal(0, 4, picture.shape[:2])[..., None], 0, 255).astype(np.uint8)
        for picture in (anime(CHARACTERS[0], 2 * SIZE, WIDTH)[0], data.astronaut())
    )
    assert flatness(drawing, drawn_box(2 * SIZE)) < 0.1
    assert style_of(drawing, drawn_box(2 * SIZE)) == "flat"
    assert style_of(photograph, BOX) == "photo"
    assert flatness(photograph, BOX, softened=SOFTENED) < 0.3


@pytest.mark.parametrize("who", CHARACTERS)
def test_a_drawing_has_areas_of_one_tone_where_a_smoothed_photograph_has_hardly_any(who: Anime) -> None:
    photograph = smoothed(data.astronaut())
    assert style_of(photograph, BOX) == "flat" and is_shaded(photograph, BOX)
    picture = anime(who, SIZE, WIDTH)[0]
    assert not is_shaded(picture, drawn_box(SIZE))
    lit = np.clip(picture * np.linspace(0.75, 1.05, SIZE)[:, None], 0, 255).astype(np.uint8)
    assert not is_shaded(lit, drawn_box(SIZE))


@pytest.mark.parametrize("light", [1.9, 2.1])
def test_a_photograph_that_is_burnt_out_is_shaded_and_a_drawing_on_white_is_not(light: float) -> None:
    photograph = np.clip(data.astronaut() * light, 0, 255).astype(np.uint8)
    assert style_of(photograph, BOX) == "flat" and not is_plain(photograph, BOX)
    assert is_shaded(photograph, BOX) and is_shaded(np.round(photograph @ LUMA).astype(np.uint8), BOX)
    assert flatness(photograph, BOX, white=False) < 0.15
    drawing, box = anime(CHARACTERS[0], SIZE, WIDTH)[0], drawn_box(SIZE)
    # White skin, and ink on paper, of which hardly a point is left.
    for paper in (drawing[..., 0] == drawing[..., 0].max(), drawing @ LUMA > 55):
        on_white = np.where(paper[..., None], np.uint8(255), drawing)
        assert style_of(on_white, box) == "flat" and not is_shaded(on_white, box)


def test_a_picture_of_one_colour_is_flat_and_noise_is_not() -> None:
    box = np.array([20.0, 20.0, 180.0, 180.0])
    assert flatness(np.full((200, 200, 3), 200, np.uint8), box) == 1.0
    assert flatness(np.full((200, 200, 3), 255, np.uint8), box, white=False) == 1.0
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3)).astype(np.uint8)
    assert flatness(noise, box) < 0.01


def test_the_luma_of_a_picture_is_as_flat_as_the_picture() -> None:
    luma = np.round(data.astronaut() @ [0.299, 0.587, 0.114]).astype(np.uint8)
    assert abs(flatness(luma, BOX) - flatness(data.astronaut(), BOX)) < 0.1
    assert flatness(luma, BOX) < FLAT


def test_a_face_beyond_the_picture_is_judged_by_the_border() -> None:
    assert flatness(data.astronaut(), np.array([-900.0, -900.0, -700.0, -700.0])) == 1.0


def test_the_box_of_no_face_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the box of a face in finite numbers, got"):
        flatness(data.astronaut(), np.array([0.0, 0.0, np.nan, 10.0]))


def test_a_caller_that_knows_the_style_decides_how_lids_are_made() -> None:
    blink = np.array([0, 0, 0, 0, 0, 1, 1, 1], np.float32)
    # White eyes are found as a cartoon's where the face is no drawing, too (decision 224); these are blue.
    picture, mesh = eyes(white=(200, 220, 255))
    as_photo = Animator().move(picture, mesh, blink, "photo")
    animator = Animator()
    as_flat = animator.move(picture, mesh, blink, "flat")
    assert (as_flat != picture).any() and (as_flat != as_photo).any()
    np.testing.assert_array_equal(animator.move(picture, mesh, blink, "photo"), as_photo)


def test_a_number_stands_for_a_style() -> None:
    assert [style_numbered(number) for number in (0, 1)] == ["photo", "flat"]


@pytest.mark.parametrize("number", [2, -1, 0.5, float("nan")])
def test_a_number_of_no_style_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match=f"STYLE 0 .* or 1 .*, got {number}"):
        style_numbered(number)


def test_skin_between_a_moustache_and_a_chin_is_measured_alone() -> None:
    luma = np.full((400, 400), 200, np.float32)
    mouth, others = np.zeros((2, 400, 400), bool)
    mouth[180:220, 140:260] = True
    others[:164] = others[232:] = True
    luma[others] = np.random.default_rng(0).uniform(0, 200, int(others.sum())).astype(np.float32)
    assert skin_roughness(luma, mouth, 400, others) < 5 < skin_roughness(luma, mouth, 400)
