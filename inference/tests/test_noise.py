"""How noisy a picture is: what sensors and film leave is found, what sand and cloth look like is not."""

import cv2
import numpy as np
import pytest
from PIL import Image
from skimage import data

from enhance.picture import LUMA, AnyPicture, Picture
from enhance.upscale import noise
from enhance.upscale.alike import REACH, WIDE_REACH, without_noise, without_wide_noise
from enhance.upscale.blotches import with_even_colours
from enhance.upscale.damage import damage_of
from tests.pictures import as_jpeg, pattern

ASTRONAUT: Picture = np.asarray(data.astronaut())


def noisy(picture: Picture, sigma: float, blur: float = 0.0) -> Picture:
    """As white noise of that many levels, or as grain that is `blur` pixels wide."""
    grains = np.random.default_rng(5).normal(0, 1, picture.shape).astype(np.float32)
    if blur:
        grains = np.asarray(cv2.GaussianBlur(grains, (0, 0), blur))
    return np.asarray(np.rint(picture + grains * (sigma / grains.std())).clip(0, 255), np.uint8)


def noise_of(picture: Picture) -> float:
    return noise.noise_of(np.asarray(picture @ LUMA, np.float32), np.asarray(picture, np.float32)).strength


def denoise_level(picture: AnyPicture) -> int:
    return damage_of(picture).level


def reduced(picture: Picture, factor: int) -> Picture:
    return np.asarray(Image.fromarray(picture).reduce(factor))


@pytest.mark.parametrize(("sigma", "level"), [(4, 1), (8, 3), (16, 3)])
@pytest.mark.parametrize("to_gray", [False, True])
def test_noise_tells_how_much_is_to_be_taken_away(sigma: float, level: int, to_gray: bool) -> None:
    picture = noisy(ASTRONAUT, sigma)
    if to_gray:
        picture = np.repeat(noisy(ASTRONAUT[:, :, 1:2], 0.67 * sigma), 3, axis=2)
    assert denoise_level(picture) == level
    assert denoise_level(picture.astype(np.uint16) * np.uint16(257)) == level
    assert denoise_level(picture[3:300, 5:300]) == level


def test_grain_is_noise() -> None:
    assert denoise_level(noisy(ASTRONAUT, 12, blur=0.7)) == 3


@pytest.mark.parametrize(("name", "factor"), [("astronaut", 3), ("coffee", 2), ("rocket", 4)])
def test_a_small_picture_has_its_noise_found(name: str, factor: int) -> None:
    small = reduced(np.asarray(getattr(data, name)()), factor)
    assert denoise_level(noisy(small, 8)) == 3


@pytest.mark.parametrize(("name", "darker", "sigma"), [("rocket", 4, 16), ("coffee", 8, 12)])
def test_noise_is_found_where_black_cuts_some_of_it_off(name: str, darker: int, sigma: float) -> None:
    assert denoise_level(noisy(reduced(np.asarray(getattr(data, name)() // darker, np.uint8), 2), sigma)) == 3


@pytest.mark.parametrize("name", ["gravel", "grass", "chelsea"])
def test_noise_that_each_channel_has_for_itself_is_found_in_texture(name: str) -> None:
    found = np.asarray(getattr(data, name)())
    texture = reduced(found if found.ndim == 3 else np.repeat(found[:, :, None], 3, axis=2), 2)
    assert noise_of(texture) == 0
    assert noise_of(noisy(texture, 8)) >= 4
    in_all_channels = np.repeat(noisy(texture[:, :, :1], 8), 3, axis=2)
    assert noise_of(in_all_channels) == 0


@pytest.mark.parametrize(("brick", "reduction"), [(6, 1.7), (9, 1.7), (15, 2.5)])
def test_a_wall_of_bricks_is_no_noise(brick: int, reduction: float) -> None:
    """Alike all over, and each channel with its own contrast, as noise is; but it repeats, and noise upon it does not."""
    row, column = np.indices((500, 500)).astype(np.float32)
    is_joint = (row % brick < brick / 6) | ((column + row // brick % 2 * brick) % (2 * brick) < brick / 6)
    wall = np.where(is_joint[:, :, None], (210, 126, 105), (140, 84, 70)).astype(np.float32)
    turned = cv2.warpAffine(wall, cv2.getRotationMatrix2D((250, 250), 7.3, 1), (500, 500), borderMode=cv2.BORDER_REFLECT)
    side = round(500 / reduction)
    picture = np.rint(cv2.resize(turned, (side, side), interpolation=cv2.INTER_AREA)).astype(np.uint8)
    assert damage_of(picture) == (0, 0, 0)


def test_noise_is_found_beside_what_a_jpeg_of_medium_quality_left() -> None:
    assert noise_of(as_jpeg(noisy(reduced(ASTRONAUT, 2), 8), 80)) > 0


@pytest.mark.parametrize("quality", [95, 90, 85])
def test_a_jpeg_of_good_quality_hides_no_strong_noise(quality: int) -> None:
    assert denoise_level(as_jpeg(noisy(ASTRONAUT, 12), quality)) == 3


@pytest.mark.parametrize("name", ["astronaut", "brick", "chelsea", "coffee", "grass", "gravel", "moon", "page", "rocket"])
def test_texture_and_what_is_clean_is_no_noise(name: str) -> None:
    found = np.asarray(getattr(data, name)())
    picture = found if found.ndim == 3 else np.repeat(found[:, :, None], 3, axis=2)
    assert noise_of(picture) == 0
    for factor in (2, 3, 4):
        assert noise_of(reduced(picture, factor)) == 0


def test_blocks_that_repeat_are_no_noise() -> None:
    letters = np.random.default_rng(1).normal(128, 8, (8, 8, 8))
    page = letters[np.random.default_rng(2).integers(0, 8, (32, 32))].transpose(0, 2, 1, 3).reshape(256, 256)
    assert noise_of(np.repeat(page[:, :, None], 3, axis=2)) == 0


@pytest.mark.parametrize("picture", [noisy(ASTRONAUT[:112, :112], 12), np.full((512, 512, 3), 90, np.uint8), pattern(512, 512)])
def test_what_is_too_small_to_tell_and_what_is_flat_is_no_noise(picture: Picture) -> None:
    assert noise_of(picture) == 0


@pytest.mark.parametrize(("sigma", "told"), [(8, 5.3), (16, 10.4)])
def test_strong_noise_tells_its_strength_in_luma(sigma: float, told: float) -> None:
    assert damage_of(noisy(ASTRONAUT, sigma)).noise == pytest.approx(told, rel=0.1)
    assert damage_of(as_jpeg(noisy(ASTRONAUT, sigma), 90)).noise == pytest.approx(told, rel=0.2)
    assert damage_of(as_jpeg(ASTRONAUT, 30)).noise == 0


def test_weak_noise_goes_from_colours_and_luma_stays() -> None:
    given = noisy(ASTRONAUT, 4)
    level, weak, _ = damage_of(given)
    assert level == 1
    assert weak == pytest.approx(2.7, rel=0.1)
    alike = without_noise(given, weak, 1, lambda: None, in_luma=False)
    np.testing.assert_allclose(alike @ LUMA, given @ LUMA, atol=2)  # more where a channel is cut off
    off = (ASTRONAUT.astype(float) - each for each in (given, alike))
    before, after = (float(np.sqrt(np.square(each[:, :, 0] - each @ LUMA).mean())) for each in off)
    assert after < 0.8 * before


def grey(sigma: float, blur: float = 0.0) -> Picture:
    return np.repeat(noisy(ASTRONAUT[:, :, 1], sigma, blur)[:, :, None], 3, axis=2)


@pytest.mark.parametrize(
    ("sigma", "blur", "told"),
    [(4, 0, (3, 4, 0)), (6, 0, (3, 6, 0)), (16, 0, (3, 8, 0)), (8, 1.2, (1, 0, 6.4)), (10, 0.8, (3, 0, 8))],
)
def test_strong_noise_of_luma_alone_tells_its_strength_up_to_a_limit(
    sigma: float, blur: float, told: tuple[float, ...]
) -> None:
    assert damage_of(grey(sigma, blur)) == pytest.approx(told, rel=0.1)


@pytest.mark.parametrize(("sigma", "blur"), [(3, 0), (3, 1.2)])
def test_weak_noise_of_luma_alone_may_be_texture(sigma: float, blur: float) -> None:
    _, strength, wide = damage_of(grey(sigma, blur))
    assert (strength, wide) == (0, 0)


@pytest.mark.parametrize("most", [255, 65535])
def test_what_looks_alike_loses_its_noise_and_edges_stay(most: int) -> None:
    clean = np.full((60, 80, 4), 60, np.uint8)
    clean[:, 40:, :3] = 200, 120, 60
    clean[:, :, 3] = np.arange(80)
    given = noisy(clean, 10)
    given[:, :, 3] = clean[:, :, 3]
    deep: AnyPicture = given if most == 255 else given * np.uint16(257)
    result = without_noise(deep, 6.7, 1, lambda: None)
    np.testing.assert_array_equal(result[:, :, 3], deep[:, :, 3])
    off = result[:, :, :3].astype(float) / (most // 255) - clean[:, :, :3]
    assert off.std() < 3.5
    assert np.abs(off[:, 38:42].mean(axis=0)).max() < 6


def test_rows_that_lie_farther_than_the_reach_change_nothing() -> None:
    picture = noisy(ASTRONAUT[100:180, 200:260], 10)
    whole = without_noise(picture, 6.7, 1, lambda: None)
    part = without_noise(picture[20 - REACH : 50 + REACH], 6.7, 1, lambda: None)[REACH:-REACH]
    assert np.abs(whole[20:50].astype(int) - part).max() <= 1
    np.testing.assert_array_equal(whole, without_noise(picture, 6.7, 3, lambda: None))


def test_coarse_noise_of_colour_goes_and_luma_and_colours_without_noise_stay() -> None:
    coarse = np.kron(np.random.default_rng(8).normal(0, 8, (24, 32, 1)), np.ones((3, 3, 1))) * (1, -0.3, -1)
    clean = np.full((72, 96, 3), (150.0, 120.0, 110.0))
    clean[:, 48:] = (60, 90, 130)
    given = np.rint(noisy(clean.astype(np.uint8), 8) + coarse).clip(0, 255).astype(np.uint8)
    alike = without_noise(given, 6.7, 1, lambda: None)
    even = with_even_colours(alike, 1, lambda: None, given)
    np.testing.assert_allclose(even @ LUMA, alike @ LUMA, atol=1)

    def blotches(picture: AnyPicture) -> float:
        return float(((picture[:, :, 0] - picture @ LUMA) - (clean[:, :, 0] - clean @ LUMA)).std())

    assert blotches(even) < 0.6 * blotches(alike) < 0.6 * blotches(given)
    np.testing.assert_allclose(with_even_colours(given, 1, lambda: None, given), given, atol=1)


@pytest.mark.parametrize(("darker", "black", "told"), [(0.25, 20, 4.2), (0.35, 25, 4.6), (0.5, 50, 4.3)])
def test_a_night_has_its_coloured_noise_found_in_the_little_that_black_leaves(darker: float, black: int, told: float) -> None:
    night = np.asarray((reduced(ASTRONAUT, 2) * darker - black).round().clip(0, 255), np.uint8)
    grainy = noisy(night, 8, blur=0.9)
    assert damage_of(as_jpeg(grainy, 88)).wide_noise == pytest.approx(told, abs=0.3)
    assert damage_of(as_jpeg(np.repeat(grainy[:, :, 1:2], 3, axis=2), 88)).wide_noise == 0
    assert damage_of(as_jpeg(night, 88))[1:] == (0, 0)


@pytest.mark.parametrize("quality", [0, 90])
def test_noise_that_is_wider_than_a_pixel_is_found_in_means_of_2_x_2(quality: int) -> None:
    given = noisy(ASTRONAUT, 8, blur=1.2)
    level, noise, wide = damage_of(as_jpeg(given, quality) if quality else given)
    assert (level, noise) == (1, 0)
    assert wide == pytest.approx(4.2, rel=0.2)
    assert damage_of(ASTRONAUT).wide_noise == 0


@pytest.mark.parametrize("most", [255, 65535])
def test_wide_noise_goes_and_edges_stay(most: int) -> None:
    clean = np.full((121, 161, 3), 60, np.uint8)
    clean[:, 80:] = 200, 120, 60
    given = noisy(clean, 8, blur=1.2)
    deep: AnyPicture = given if most == 255 else given * np.uint16(257)
    result = without_wide_noise(deep, 4.2, 1, lambda: None)
    assert (result.shape, result.dtype) == (deep.shape, deep.dtype)
    off = result.astype(float) / (most // 255) - clean
    assert off.std() < 0.65 * (given.astype(float) - clean).std()
    assert np.abs(off[:, 78:82].mean(axis=0)).max() < 4


def test_rows_that_lie_farther_than_the_wide_reach_change_nothing() -> None:
    picture = noisy(ASTRONAUT[100:201, 200:261], 8, blur=1.2)
    whole = without_wide_noise(picture, 4.2, 1, lambda: None)
    first = 40 - WIDE_REACH - 1  # an even one
    part = without_wide_noise(picture[first : 60 + WIDE_REACH + 1], 4.2, 1, lambda: None)
    np.testing.assert_array_equal(whole[40:60], part[40 - first : 60 - first])
