"""Edges where channels do not change together."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from skimage import data
from skimage.metrics import peak_signal_noise_ratio

from enhance.picture import Picture, to_planes
from enhance.upscale.cascade import Cascade
from enhance.upscale.hues import REACH, shares_of
from enhance.upscale.upscaler import Upscaler

Get = Callable[[str], Upscaler]
Colour = tuple[int, int, int]

APART: tuple[tuple[Colour, Colour], ...] = (
    ((220, 40, 40), (0, 200, 60)),
    ((128, 128, 128), (255, 0, 255)),
    ((60, 120, 250), (250, 100, 20)),
    ((0, 0, 0), (0, 0, 220)),
    ((0, 0, 0), (0, 255, 0)),
)


def page(behind: Colour, ink: Colour) -> Picture:
    """Letters, a thin line and a disc, twice as large as they are to be stored."""
    drawn = Image.new("RGB", (168, 96), behind)
    pen = ImageDraw.Draw(drawn)
    for row, words in enumerate(("Sale 50% & {more}", "a !== b >= c <= d")):
        pen.text((4, 4 + 28 * row), words, fill=ink, font=ImageFont.load_default(18))
    pen.line((8, 66, 116, 90), fill=ink, width=3)
    pen.ellipse((124, 56, 160, 92), fill=ink)
    return np.asarray(drawn)


def halved(picture: Picture) -> Picture:
    """Half as large, each pixel the mean of four."""
    height, width, _ = picture.shape
    mean: Picture = picture.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3)).round().astype(np.uint8)
    return mean


def lanczos(picture: Picture) -> Picture:
    """Twice as large."""
    height, width, _ = picture.shape
    return np.asarray(Image.fromarray(picture).resize((width * 2, height * 2), Image.Resampling.LANCZOS))


def shares(picture: Picture) -> float:
    """The mean share of channels that are enlarged alone."""
    return float(shares_of(to_planes(picture)).mean())


@pytest.mark.parametrize(("model", "gain_db"), [("photo", 2.4), ("animation", 1.5), ("detail", 2.4)])
@pytest.mark.parametrize(("behind", "ink"), APART)
def test_letters_whose_channels_do_not_change_together_have_no_notches(
    upscaler: Get, model: str, gain_db: float, behind: Colour, ink: Colour
) -> None:
    original = page(behind, ink)
    if model == "detail":  # the slowest: letters, line and disc of less
        original = original[28:92, 80:]
    small = halved(original)
    usual = peak_signal_noise_ratio(original, lanczos(small))
    assert peak_signal_noise_ratio(original, upscaler(model).run(small, 2)) >= usual + gain_db


@pytest.mark.parametrize(("model", "gain_db"), [("photo", 6.0), ("animation", 2.5)])
@pytest.mark.parametrize("ink", [(255, 255, 255), (255, 255, 0)])
def test_bright_letters_on_black_are_sharp_after_a_second_pass(upscaler: Get, model: str, gain_db: float, ink: Colour) -> None:
    drawn = Image.new("RGB", (320, 64))
    ImageDraw.Draw(drawn).text((8, 2), "Yellow 2026", fill=ink, font=ImageFont.load_default(44))
    original = np.asarray(drawn)
    small = halved(halved(original))
    usual = peak_signal_noise_ratio(original, lanczos(lanczos(small)))
    assert peak_signal_noise_ratio(original, upscaler(model).run(small, 4)) >= usual + gain_db


def test_tiles_of_such_letters_give_the_whole_picture(upscaler: Get) -> None:
    small = halved(page((220, 40, 40), (0, 200, 60)))
    recipe = upscaler("photo").recipes[4]
    assert isinstance(recipe, Cascade)
    tiled = Cascade(recipe.passes, recipe.edge, tile_pixels=85**2).upscale(small, lambda: None)
    assert np.abs(recipe.upscale(small, lambda: None).astype(int) - tiled).max() <= 1


def test_a_share_depends_on_few_pixels_around() -> None:
    small = halved(page((220, 40, 40), (0, 200, 60)))
    inner = slice(REACH, -REACH)
    part = shares_of(to_planes(small[20:40, 30:70]))[:, inner, inner]
    whole = shares_of(to_planes(small))[:, 20:40, 30:70][:, inner, inner]
    np.testing.assert_allclose(part, whole, atol=1e-5)


@pytest.mark.parametrize(("behind", "ink"), [((255, 255, 255), (0, 0, 0)), ((20, 60, 200), (255, 255, 255))])
def test_where_brightness_changes_too_channels_stay_together(behind: Colour, ink: Colour) -> None:
    assert shares(halved(page(behind, ink))) == 0


def test_a_photo_has_next_to_no_such_edges() -> None:
    assert shares(data.astronaut()) <= 0.002


def test_colours_that_a_jpeg_kept_at_half_the_size_stay_together() -> None:
    small = halved(page((220, 40, 40), (0, 200, 60)))
    shared = []
    for subsampling in (0, 2):
        file = io.BytesIO()
        Image.fromarray(small).save(file, "JPEG", quality=95, subsampling=subsampling)
        shared.append(shares(np.asarray(Image.open(file))))
    assert shared[0] >= 0.2
    assert shared[1] <= 0.02
