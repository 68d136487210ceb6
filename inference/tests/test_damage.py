"""What a JPEG did to a picture, measured in its pixels."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from skimage import data

from enhance.picture import Picture
from enhance.upscale.damage import damage_of, jpeg_step
from tests.pictures import as_jpeg, pattern

ASTRONAUT: Picture = np.asarray(Image.fromarray(data.astronaut()).resize((256, 256), Image.Resampling.BICUBIC))


@pytest.mark.parametrize(("quality", "step", "level"), [(15, 44, 4), (30, 22, 4), (60, 10.6, 3), (75, 6.6, 2), (90, 2.6, 1)])
def test_a_jpeg_tells_the_steps_of_its_quality(quality: int, step: float, level: int) -> None:
    stored = as_jpeg(ASTRONAUT, quality)
    assert jpeg_step(stored) == pytest.approx(step, rel=0.2)
    assert damage_of(stored).level == level


def test_what_was_a_jpeg_tells_it_in_16_bits() -> None:
    stored = as_jpeg(ASTRONAUT, 40)
    assert jpeg_step(stored.astype(np.uint16) * np.uint16(257)) == pytest.approx(16.5, rel=0.2)


@pytest.mark.parametrize(("quality", "step"), [(40, 16.5), (75, 6.6), (90, 2.6)])
def test_what_was_cut_out_of_a_jpeg_tells_its_steps_also_where_it_was_stored_as_a_finer_one(quality: int, step: float) -> None:
    cut = as_jpeg(ASTRONAUT, quality)[3:, 5:]
    assert jpeg_step(cut) == pytest.approx(step, rel=0.2)
    if quality < 90:
        assert jpeg_step(as_jpeg(cut, 95)) == pytest.approx(step, rel=0.2)


def test_enlarged_pixels_have_no_grid_of_a_jpeg() -> None:
    assert jpeg_step((ASTRONAUT[:64, :64] // np.uint8(85) * np.uint8(85)).repeat(4, axis=0).repeat(4, axis=1)[3:, 1:]) == 0


@pytest.mark.parametrize("picture", [ASTRONAUT, pattern(64, 80), pattern(20, 40), np.full((64, 64, 3), 7, np.uint8)])
def test_what_was_no_jpeg_or_is_too_small_to_tell_has_no_level(picture: Picture) -> None:
    assert damage_of(picture).level == 0


def test_the_few_blocks_that_a_drawing_repeats_are_no_jpeg() -> None:
    chart: Picture = np.full((256, 256, 3), 255, np.uint8)
    chart[::40] = 136
    for left in range(20, 240, 50):
        chart[250 - left // 2 :, left : left + 30] = (44, 160, 44)
    assert damage_of(chart).level == 0


@pytest.mark.parametrize("width", [2, 3, 5, 6])
def test_pixels_of_two_shades_that_were_enlarged_are_no_jpeg(width: int) -> None:
    modules = np.random.default_rng(2).integers(0, 2, (45, 45, 1), np.uint8) * np.uint8(255)
    assert damage_of(modules.repeat(width, axis=0).repeat(width, axis=1).repeat(3, axis=2)).level == 0


def page(colour: tuple[int, int, int] = (20, 20, 20)) -> Picture:
    drawn = Image.new("RGB", (320, 240), "white")
    pen = ImageDraw.Draw(drawn)
    for line in range(12):
        pen.text((8, 6 + 19 * line), f"{line} The quick brown fox jumps over", colour, ImageFont.load_default(10 + line % 3))
    return np.asarray(drawn)


@pytest.mark.parametrize(("quality", "step"), [(20, 33), (30, 21.9), (60, 10.6), (75, 6.6), (90, 2.6)])
def test_a_page_on_white_that_was_a_jpeg_tells_its_steps(quality: int, step: float) -> None:
    stored = as_jpeg(page(), quality)
    assert jpeg_step(stored) == pytest.approx(step, rel=0.1)
    assert jpeg_step(np.uint8(255) - stored) == pytest.approx(step, rel=0.1)
    assert jpeg_step(stored.astype(np.uint16) * np.uint16(257)) == pytest.approx(step, rel=0.1)


@pytest.mark.parametrize("colour", [(0, 0, 0), (90, 90, 90), (200, 30, 30), (20, 80, 200)])
def test_a_page_that_was_no_jpeg_has_no_level(colour: tuple[int, int, int]) -> None:
    assert damage_of(page(colour)).level == 0
    assert damage_of(np.uint8(255) - page(colour)).level == 0
