"""The three models with their real networks."""

import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw, ImageFont
from skimage import data
from skimage.metrics import peak_signal_noise_ratio

from enhance.picture import LUMA, AnyPicture, BadPictureError, FloatPlanes, to_planes, white, write_pixels
from enhance.upscale import blotches, colours, flats
from enhance.upscale.alike import REACH, WIDE_REACH
from enhance.upscale.alpha import EDGE_REACH, upscale_alpha, without_background, without_stairs
from enhance.upscale.blotches import with_even_colours
from enhance.upscale.cascade import Cascade
from enhance.upscale.colours import limit_hues
from enhance.upscale.faithful import DOUBT_REACH, Faithful
from enhance.upscale.layers import REACH as LAYERS_REACH
from enhance.upscale.layers import join_edges
from enhance.upscale.mosaic import Mosaic, Recent
from enhance.upscale.resample import enlarge
from enhance.upscale.upscaler import DETAIL_OVERLAP, DETAIL_STEP, H264, JPEG, MODELS, Recipe, Upscaler
from tests.pictures import as_jpeg, pattern, red_disc

Get = Callable[[str], Upscaler]
EXACT = ("photo", "animation")
NOISE = 1  # of 255: tiles of other shapes take other paths through the engine's kernels


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scale", [2, 4, 8])
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (3, 2), (9, 13)])
@pytest.mark.parametrize("channels", [3, 4])
def test_every_size_is_enlarged_exactly(upscaler: Get, model: str, scale: int, size: tuple[int, int], channels: int) -> None:
    large = upscaler(model).run(pattern(*size, channels), scale)
    assert large.shape == (size[0] * scale, size[1] * scale, channels)
    assert large.dtype == np.uint8


@pytest.mark.parametrize("model", EXACT)
@pytest.mark.parametrize(("scale", "tiles"), [(2, (2, 2)), (4, (2, 2)), (8, (2, 1)), (8, (1, 2))])
def test_tiles_give_the_whole_picture(
    upscaler: Get, monkeypatch: pytest.MonkeyPatch, model: str, scale: int, tiles: tuple[int, int]
) -> None:
    recipe = first_of(upscaler(model).recipes[scale])
    assert isinstance(recipe, Cascade)
    # Along a side that is cut, each tile lacks the last pixels of the other one.
    height, width = (2 * recipe.halo + 4 if count > 1 else 9 for count in tiles)
    picture = pattern(height, width)
    whole = recipe.upscale(picture, lambda: None)
    monkeypatch.setattr(Cascade, "_tiles", lambda *_: tiles)
    assert np.abs(whole.astype(int) - recipe.upscale(picture, lambda: None)).max() <= NOISE


def first_of(recipe: Recipe) -> Recipe:
    """Without what a faithful one draws in its place."""
    return recipe.recipe if isinstance(recipe, Faithful) else recipe


@pytest.mark.parametrize("model", EXACT)
@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("scale", [2, 8])
def test_bands_give_the_whole_picture(upscaler: Get, model: str, channels: int, scale: int) -> None:
    picture = pattern(84, 11, channels)
    halo = int(told(model, "band_halo"))
    whole, bands = in_bands(lambda band: upscaler(model).run(band, scale), picture, scale, rows=40, halo=halo)
    assert np.abs(whole.astype(int) - bands).max() <= NOISE


def test_bands_of_detail_give_the_whole_picture(upscaler: Get) -> None:
    picture = pattern(2 * DETAIL_STEP + 60, 3)
    whole, bands = in_bands(lambda band: upscaler("detail").run(band, 2), picture, 2, rows=DETAIL_STEP, halo=DETAIL_STEP)
    np.testing.assert_array_equal(whole, bands)


@pytest.mark.parametrize(
    ("scale", "step", "overlap"), [(2, DETAIL_STEP, DETAIL_OVERLAP), (8, DETAIL_STEP // 2, DETAIL_OVERLAP // 2)]
)
def test_pieces_of_a_mosaic_give_the_whole_picture_and_compute_each_tile_once(scale: int, step: int, overlap: int) -> None:
    tiles: list[tuple[int, ...]] = []

    def network(planes: FloatPlanes) -> FloatPlanes:
        tiles.append(planes.shape)
        large: FloatPlanes = planes.repeat(scale, 1).repeat(scale, 2) + planes.mean()  # every pixel depends on all of its tile
        return large

    def mosaic() -> Mosaic:
        return Mosaic(network, scale, step, overlap, Recent(1 << 30))

    picture = pattern(2 * DETAIL_STEP + 60, DETAIL_STEP + 70)
    whole = mosaic().upscale(picture, lambda: None)
    expected = sorted(tiles)
    tiles.clear()
    after = {2: 48, 8: 24}[scale]
    in_pieces = mosaic()
    for top in range(0, picture.shape[0], DETAIL_STEP):
        for left in range(0, picture.shape[1], DETAIL_STEP):
            above, before = min(top, DETAIL_STEP), min(left, DETAIL_STEP)
            piece = picture[top - above : top + DETAIL_STEP + after, left - before : left + DETAIL_STEP + after]
            large = in_pieces.upscale(piece, lambda: None)[above * scale :, before * scale :]
            own = whole[top * scale : (top + DETAIL_STEP) * scale, left * scale : (left + DETAIL_STEP) * scale]
            np.testing.assert_array_equal(large[: own.shape[0], : own.shape[1]], own)
    assert sorted(tiles) == expected


def told(model: str, parameter: str) -> str:
    """What models/<model>/config.pbtxt tells the service."""
    config = (Path(__file__).parents[2] / "models" / model / "config.pbtxt").read_text()
    found = re.search(rf'key: "{parameter}", value: {{ string_value: "([\d,]+)" }}', config)
    assert found, f"no {parameter} in the config of {model}"
    return found[1]


@pytest.mark.parametrize("model", EXACT)
def test_the_config_tells_the_largest_halo(upscaler: Get, model: str) -> None:
    recipes = list(upscaler(model).recipes.values())
    halos = [recipe.halo for recipe in map(first_of, recipes) if isinstance(recipe, Cascade)]
    more = [DOUBT_REACH if isinstance(recipe, Faithful) else 0 for recipe in recipes]
    reaches = [halo + beyond for halo, beyond in zip(halos, more, strict=True)]
    assert told(model, "reach") == ",".join(str(reach) for reach in reaches)
    # A visible pixel depends on hidden ones, whose colours are taken from up to a halo away.
    of_noise, of_wide_noise = (REACH, WIDE_REACH) if model == "photo" else (0, 0)
    hidden = max(reaches) + max(halos) + EDGE_REACH + of_noise
    # Colours are evened, and wide noise is taken away, where nothing is hidden.
    clean = upscaler("photo").recipes[2]
    assert isinstance(clean, Cascade)
    of_jpeg = blotches.REACH if model == "photo" else flats.REACH + clean.halo
    opaque = max(reaches) + of_jpeg + of_wide_noise
    align = int(told(model, "band_align"))
    assert int(told(model, "band_halo")) == -(-max(hidden, opaque) // align) * align
    assert of_wide_noise == 0 or align == 2


def test_the_config_of_detail_tells_its_grid() -> None:
    grid = [told("detail", f"band_{name}") for name in ("align", "halo", "rows", "columns")]
    assert grid == [str(DETAIL_STEP)] * 4
    assert told("detail", "band_after") == f"{DETAIL_OVERLAP},{DETAIL_OVERLAP},{DETAIL_OVERLAP // 2}"


def in_bands(
    run: Callable[[AnyPicture], AnyPicture], picture: AnyPicture, scale: int, rows: int, halo: int
) -> tuple[AnyPicture, AnyPicture]:
    """The picture enlarged as a whole, and as the service sends a large one: bands with `halo` rows more on both sides, cropped
    from the answers. A band that is the whole picture with them is not computed again; one at least is less."""
    whole, parts = run(picture), []
    lengths = set()
    for start in range(0, picture.shape[0], rows):
        stop = min(start + rows, picture.shape[0])
        first, last = max(start - halo, 0), min(stop + halo, picture.shape[0])
        large = whole if last - first == len(picture) else run(picture[first:last])
        parts.append(large[(start - first) * scale : (stop - first) * scale])
        lengths.add(last - first)
    assert min(lengths) < len(picture), "no band was cut"
    return whole, np.concatenate(parts)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scale", [2, 4])
@pytest.mark.parametrize("hidden", [(0, 0, 0), (255, 255, 255), (0, 255, 0)])
def test_no_hidden_colour_reaches_a_visible_edge(upscaler: Get, model: str, scale: int, hidden: tuple[int, int, int]) -> None:
    large = upscaler(model).run(red_disc(28, hidden), scale)
    visible = large[large[:, :, 3] > 0][:, :3].astype(int)
    assert np.abs(visible - (220, 30, 30)).max() <= {"photo": 3, "animation": 12, "detail": 12}[model]
    assert large[0, 0, 3] == 0
    assert large[14 * scale, 14 * scale, 3] == 255


@pytest.mark.parametrize(("model", "tolerance"), [("photo", 1), ("animation", 3), ("detail", 6)])
@pytest.mark.parametrize("scale", [2, 4, 8])
@pytest.mark.parametrize("colour", [(0, 0, 0), (255, 255, 255), (200, 60, 40), (128, 128, 128)])
def test_a_flat_colour_stays_flat(upscaler: Get, model: str, tolerance: int, scale: int, colour: tuple[int, int, int]) -> None:
    large = upscaler(model).run(np.full((12, 15, 3), colour, np.uint8), scale)
    assert np.abs(large.astype(int) - colour).max() <= tolerance


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scale", [2, 4])
@pytest.mark.parametrize("behind", [(255, 255, 255), (128, 128, 128), (32, 33, 36)])
def test_thin_blue_lines_draw_no_others_beside_them(
    upscaler: Get, model: str, scale: int, behind: tuple[int, int, int]
) -> None:
    drawn = Image.new("RGB", (28, 28), behind)
    pen = ImageDraw.Draw(drawn)
    pen.rectangle((4, 4, 14, 14), outline=(0, 0, 255))
    pen.line((8, 19, 24, 25), fill=(0, 0, 255))
    picture = np.asarray(drawn)
    lines = (picture != behind).any(axis=2).astype(np.uint8)
    flat = cv2.dilate(lines, np.ones((3, 3), np.uint8)).repeat(scale, axis=0).repeat(scale, axis=1) == 0
    large = upscaler(model).run(picture, scale).astype(int)
    assert np.abs(large - behind)[flat].max() <= 2
    if behind == (255, 255, 255):
        assert large[:, :, 2].min() >= 253, "blue was drawn nearly navy"


@pytest.mark.parametrize("model", MODELS)
def test_where_black_and_white_alternate_the_brightness_stays(upscaler: Get, model: str) -> None:
    rows, columns = np.indices((32, 32))
    picture = np.where((rows + columns) % 2 == 0, 255, 0).astype(np.uint8)[:, :, None].repeat(3, axis=2)
    large = upscaler(model).run(picture, 4)
    assert abs(float(large.mean()) - 127.5) <= 3  # photo's network alone: 40


def test_a_photo_is_two_decibels_truer_than_bicubic(upscaler: Get) -> None:
    original = data.astronaut()[40:232, 130:322]
    small = np.asarray(Image.fromarray(original).resize((96, 96), Image.Resampling.BICUBIC))
    bicubic = np.asarray(Image.fromarray(small).resize((192, 192), Image.Resampling.BICUBIC))
    ours = upscaler("photo").run(small, 2)
    gain = peak_signal_noise_ratio(original, ours) - peak_signal_noise_ratio(original, bicubic)
    assert gain >= 2


@pytest.mark.parametrize(
    ("model", "denoise", "noise"), [("photo", JPEG, 0.0), ("photo", 3, 0.0), ("photo", 3, 6.0), ("animation", 3, 0.0)]
)
def test_bands_of_a_coarse_jpeg_and_of_a_noisy_picture_give_the_whole(
    upscaler: Get, model: str, denoise: int, noise: float
) -> None:
    picture, halo = pattern(120, 11), int(told(model, "band_halo"))
    if model == "animation":
        picture = as_jpeg(np.asarray(flat_shapes().resize((160, 160)))[20:, 60:76], 60)
    upscale = partial(upscaler(model).run, scale=8, denoise=denoise, noise=noise)
    whole, bands = in_bands(upscale, picture, 8, rows=40, halo=halo)
    assert np.abs(whole.astype(int) - bands).max() <= NOISE


@pytest.mark.parametrize("levels", [1, 257])
def test_colours_of_coarse_jpegs_are_evened_and_edges_stay(levels: int) -> None:
    blotches_of = np.kron(np.random.default_rng(3).choice([-2, 2], (8, 6)), np.ones((16, 16)))
    face = np.full((128, 96, 3), (200.0, 160.0, 140.0))
    face[:, 48:] = (40, 120, 60)
    blotched = face + blotches_of[:, :, None] * (1, -0.3, -1)
    kind = np.uint8 if levels == 1 else np.uint16
    even = with_even_colours((blotched * levels).astype(kind), 1, lambda: None).astype(float) / levels
    assert even.shape == face.shape
    from_edge = np.abs(np.arange(96) - 47.5)
    flat, edge = from_edge > blotches.REACH, from_edge < 3
    assert np.abs(np.diff(blotched, axis=0))[:, flat].max() == 4
    assert np.abs(np.diff(even, axis=0))[:, flat].max() <= 2, "a step between blocks"
    assert np.abs(even - blotched)[:, edge].max() <= 6, "the edge moved"


def test_a_sky_of_a_medium_jpeg_has_no_blocks_of_colour(upscaler: Get) -> None:
    across, down = np.meshgrid(np.arange(96), np.arange(96))
    sky = np.stack([120 + across / 6, np.full((96, 96), 160), 195 + down / 4.5], axis=2)
    stored = io.BytesIO()
    Image.fromarray(np.rint(sky).astype(np.uint8)).save(stored, "JPEG", quality=55)
    picture = np.asarray(Image.open(stored))
    large = upscaler("photo").run(picture, 2, denoise=3)
    colours = np.stack([large[:, :, channel] - large @ LUMA for channel in (0, 2)])
    assert np.abs(np.diff(colours, axis=1)).max() < 2, "a step between blocks"


@pytest.mark.parametrize(("quality", "denoise", "gain_db"), [(20, 4, 1.2), (60, 3, 1.2), (90, 1, 0.1)])
def test_a_jpeg_comes_out_truer_where_blocks_are_taken_away(upscaler: Get, quality: int, denoise: int, gain_db: float) -> None:
    original = data.astronaut()[40:296, 130:386]
    small = Image.fromarray(original).resize((128, 128), Image.Resampling.BICUBIC)
    stored = io.BytesIO()
    small.save(stored, "JPEG", quality=quality)
    picture = np.asarray(Image.open(stored))
    plain, cleaned = (upscaler("photo").run(picture, 2, denoise=level) for level in (0, denoise))
    assert peak_signal_noise_ratio(original, cleaned) - peak_signal_noise_ratio(original, plain) >= gain_db


@pytest.mark.parametrize(("model", "says"), [("photo", "expected DENOISE of 0 to 5, got 6"), ("detail", "of 0, got 6")])
def test_a_level_that_the_model_does_not_have_is_refused(upscaler: Get, model: str, says: str) -> None:
    with pytest.raises(BadPictureError, match=says):
        upscaler(model).run(pattern(8, 8), 2, denoise=6)


@pytest.mark.parametrize("model", MODELS)
def test_the_colours_of_a_photo_are_kept(upscaler: Get, model: str) -> None:
    small = data.astronaut()[100:148, 190:238]
    large = upscaler(model).run(small, 4).reshape(48 // 8, 32, 48 // 8, 32, 3)
    means = small.reshape(48 // 8, 8, 48 // 8, 8, 3).mean(axis=(1, 3))
    assert np.abs(large.mean(axis=(1, 3)) - means).max() < 4


def test_a_picture_without_transparency_is_the_same_with_alpha(upscaler: Get) -> None:
    picture = pattern(20, 20)
    opaque = np.dstack([picture, np.full((20, 20), 255, np.uint8)])
    large = upscaler("photo").run(opaque, 2)
    np.testing.assert_array_equal(large[:, :, :3], upscaler("photo").run(picture, 2))
    assert large[:, :, 3].min() == 255


@pytest.mark.parametrize(
    ("picture", "scale", "says"),
    [
        (np.zeros((4, 4, 3), np.uint8), 3, "expected SCALE 2, 4 or 8, got 3"),
        (np.zeros((4, 4, 1), np.uint8), 2, r"expected IMAGE \[height, width, 3 or 4\], got \[4, 4, 1\]"),
        (np.zeros((4, 4), np.uint8), 2, r"expected IMAGE \[height, width, 3 or 4\], got \[4, 4\]"),
        (np.zeros((0, 4, 3), np.uint8), 2, r"at least 1x1 pixels, got \[0, 4, 3\]"),
        (np.zeros((4, 4, 3), np.float32), 2, "expected IMAGE of uint8 or uint16, got float32"),
    ],
)
def test_a_bad_picture_is_refused_with_what_was_expected(upscaler: Get, picture: AnyPicture, scale: int, says: str) -> None:
    with pytest.raises(BadPictureError, match=says):
        upscaler("photo").run(picture, scale)


@pytest.mark.parametrize(("model", "gain_db"), [("photo", 9), ("animation", 9), ("detail", 5)])
def test_sixteen_bits_stay_sixteen_bits(upscaler: Get, model: str, gain_db: float) -> None:
    """A ramp over a tenth of the range, for which 8 bits have 26 steps. In bf16 the gain is 5, 2 and 2 dB."""
    ramp = np.linspace(0.3, 0.4, 64)
    picture = np.rint(np.broadcast_to(ramp[None, :, None], (40, 64, 3)) * 65535).astype(np.uint16)
    truth = np.interp((np.arange(128) + 0.5) / 2 - 0.5, np.arange(64), ramp)
    deep = upscaler(model).run(picture, 2)
    assert deep.dtype == np.uint16
    shallow = upscaler(model).run(np.rint(picture / 257).astype(np.uint8), 2)
    # The networks draw other things at the edge of a picture.
    errors = [((large / white(large) - truth[:, None])[16:-16, 16:-16] ** 2).mean() for large in (deep, shallow)]
    assert 10 * np.log10(errors[1] / errors[0]) >= gain_db
    assert len(np.unique(deep[40, :, 1])) >= 0.9 * 128


@pytest.mark.parametrize("model", EXACT)
def test_sixteen_bits_that_say_no_more_than_eight_give_the_same_picture(upscaler: Get, model: str) -> None:
    picture = pattern(40, 33, 4)
    large = upscaler(model).run(picture, 2).astype(int)
    deep = upscaler(model).run((picture.astype(np.uint16) * 257).astype(np.uint16), 2) / 257
    # bf16 is what the difference comes from.
    assert np.abs(deep - large)[:, :, :3].mean() <= 1
    assert np.abs(deep - large)[:, :, 3].mean() <= 1


def test_work_stops_before_the_next_tile(upscaler: Get) -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        upscaler("photo").run(pattern(8, 8), 2, stop)


def test_a_hard_edge_of_alpha_does_not_ring() -> None:
    row = upscale_alpha(np.repeat(np.array([[0] * 4 + [255] * 4], np.uint8), 5, axis=0), 4)[10]
    assert (np.diff(row.astype(int)) >= -1).all()  # of 255; without clipping bicubic interpolation falls by 10 and more
    assert (row[0], row[-1]) == (0, 255)


def coverage(side: int, inside: Callable[[Any, Any], Any]) -> npt.NDArray[np.float64]:
    """How much of each pixel of a square picture lies inside a shape whose coordinates go from -1 to 1."""
    at = (np.arange(side * 8) + 0.5) / (side * 4) - 1
    fine: npt.NDArray[np.float64] = inside(at[:, None], at[None, :]).reshape(side, 8, side, 8).mean(axis=(1, 3))
    return fine


def wave(y: Any, x: Any) -> Any:
    """A blob with five bulges."""
    return np.hypot(x, y) < 0.6 + 0.15 * np.sin(5 * np.arctan2(y, x))


def truth_of_alpha(large: AnyPicture) -> float:
    """dB against the shape drawn in the larger size."""
    return float(peak_signal_noise_ratio(coverage(large.shape[0], wave) * 255, large.astype(float), data_range=255))


@pytest.mark.parametrize("model", MODELS)
def test_the_contour_of_alpha_is_as_sharp_as_one_drawn_larger(upscaler: Get, model: str) -> None:
    picture = np.full((48, 48, 4), 200, np.uint8)
    picture[:, :, 3] = np.rint(coverage(48, wave) * 255)
    assert truth_of_alpha(upscaler(model).run(picture, 2)[:, :, 3]) >= truth_of_alpha(upscale_alpha(picture[:, :, 3], 2)) + 6


def with_shadow(side: int) -> npt.NDArray[np.float64]:
    """A white shape on half-clear black, which fades from right to left: RGBA, 0 to 255."""
    alpha = coverage(side, wave)
    shadow = np.linspace(0, 0.5, side) * (1 - alpha)
    whole = alpha + shadow
    grey = 255 * alpha / np.maximum(whole, 1e-9)
    return np.dstack([grey, grey, grey, 255 * whole])


def on_white(picture: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Its luma."""
    alpha = picture[:, :, 3] / white(picture)
    return np.asarray(picture[:, :, 1] / white(picture) * alpha + 1 - alpha)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_a_shape_and_its_shadow_have_one_edge(upscaler: Get, kind: type[np.uint8]) -> None:
    """39 dB where colours and alpha are enlarged on their own: docs/decisions/0168."""
    scale, whole = 2, np.iinfo(kind).max
    small = np.rint(with_shadow(64) * (whole / 255)).astype(kind)
    large = upscaler("photo").run(small, scale)
    truth = on_white(np.rint(with_shadow(64 * scale)).astype(np.uint8))
    assert peak_signal_noise_ratio(truth, on_white(large), data_range=1) >= 44
    part = np.s_[20 - LAYERS_REACH : 44 + LAYERS_REACH]
    wide = slice(part.start * scale, part.stop * scale)
    plain = small.repeat(scale, axis=0).repeat(scale, axis=1)
    joined, cut = plain.copy(), plain[wide, wide].copy()
    join_edges(joined, small, threads=2)
    join_edges(cut, np.ascontiguousarray(small[part, part]))
    assert (joined != plain).any()
    inner = slice(LAYERS_REACH * scale, -LAYERS_REACH * scale)
    np.testing.assert_array_equal(cut[inner, inner], joined[wide, wide][inner, inner])


def test_a_shape_that_the_border_cuts_ends_there_in_one_contour(upscaler: Get) -> None:
    """As of a logo that was cut to what is visible: its outermost row is half-clear."""
    picture = np.full((24, 24, 4), 255, np.uint8)
    picture[0, :, 3] = 64
    rows = upscaler("photo").run(picture, 4)[:16, 48, 3].astype(int)
    assert rows[0] <= 8 and np.diff(rows[:5]).min() >= -2


@pytest.mark.parametrize("model", ["photo", "animation"])
def test_a_line_along_the_border_stays_one(upscaler: Get, model: str) -> None:
    picture = np.full((24, 24, 3), 244, np.uint8)
    picture[0] = 119
    assert np.abs(upscaler(model).run(picture, 4)[:2, 48].astype(int) - 119).max() <= 8


@pytest.mark.parametrize("slope", [0.2, 0.35, 0.5, 0.8])
def test_the_stairs_of_a_hard_contour_do_not_grow(slope: float) -> None:
    hard = np.where(coverage(64, lambda y, x: y > slope * x + 0.03) > 0.5, 255, 0).astype(np.uint8)
    interpolated = np.clip(enlarge(np.pad(hard, 2, mode="edge")[None].astype(np.float32), 4, "bicubic")[0], 0, 255)
    assert unevenness(upscale_alpha(hard, 4)) <= 0.5 * unevenness(interpolated)


def unevenness(large: npt.NDArray[Any]) -> float:
    """How far the contour of what lies below a slanted line is from a line, as standard deviation in pixels."""
    height = large.sum(axis=0, dtype=float)[16:-16] / 255
    at = np.arange(len(height))
    return float(np.std(height - np.polyval(np.polyfit(at, height, 1), at)))


@pytest.mark.parametrize("thin", [np.eye(12, dtype=bool), np.arange(12)[:, None].repeat(12, axis=1) == 5])
def test_what_is_a_pixel_wide_stays_opaque(thin: npt.NDArray[np.bool_]) -> None:
    alpha = np.where(thin, 255, 0).astype(np.uint8)
    np.testing.assert_array_equal(without_stairs(alpha), alpha)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("behind", [(0, 200, 0), (255, 255, 255), (0, 0, 0)])
def test_what_a_cut_out_kept_of_its_background_leaves_it(kind: type[np.uint8], behind: tuple[int, int, int]) -> None:
    """A grey thing with a shade, cut out of a background of one colour, by a program that left its edge mixed with it."""
    whole = np.iinfo(kind).max
    alpha = coverage(64, wave)[:, :, None]
    thing = np.linspace(90, 170, 64)[:, None, None] / 255 * np.ones(3)
    mixed = np.where(alpha > 0, thing * alpha + np.array(behind) / 255 * (1 - alpha), np.array(behind) / 255)
    before, right = (np.rint(np.dstack([rgb * np.ones((64, 64, 1)), alpha]) * whole).astype(kind) for rgb in (mixed, thing))
    errors = [np.abs(cut.astype(float) - right)[:, :, :3] * alpha / whole for cut in (before, without_background(before))]
    assert errors[1].sum() <= 0.25 * errors[0].sum()
    assert np.abs(without_background(right) / whole - right / whole).max() <= 0.01


def test_an_outline_is_no_rest_of_a_background() -> None:
    """Black round yellow, its outer half clear; what hides in clear pixels is white, or the outline's own black."""
    alpha = coverage(64, wave)
    outline = coverage(64, lambda y, x: wave(y * 1.08, x * 1.08))[:, :, None]
    for hidden in ((255, 255, 255), (0, 0, 0)):
        rgb = np.where(alpha[:, :, None] > 0, outline * (240, 220, 60) + (1 - outline) * 20, np.array(hidden))
        sticker = np.rint(np.dstack([rgb, alpha * 255])).astype(np.uint8)
        change = np.abs(without_background(sticker).astype(float) - sticker)[:, :, :3] * alpha[:, :, None]
        assert change.sum() / (alpha * (1 - outline[:, :, 0])).sum() <= 20, hidden


def text(mode: str = "L") -> Image.Image:
    """Two lines of code, twice as large as they are to be stored."""
    image = Image.new(mode, (168, 64), "white")
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(("a !== b >= c <= d", "== => e.g #%&$ {8@")):
        draw.text((4, 4 + 28 * row), line, fill="black", font=ImageFont.load_default(18))
    return image


@pytest.mark.parametrize(("model", "gain_db"), [("animation", 0.5), ("detail", 0.1)])
def test_small_text_is_the_faithful_networks(upscaler: Get, model: str, gain_db: float) -> None:
    original = np.asarray(text("RGB"))
    small = original.reshape(32, 2, 84, 2, 3).mean(axis=(1, 3)).round().astype(np.uint8)
    recipe = upscaler(model).recipes[2]
    drawn, ours = (each.upscale(small, lambda: None) for each in (first_of(recipe), recipe))
    assert peak_signal_noise_ratio(original, ours) >= peak_signal_noise_ratio(original, drawn) + gain_db
    assert np.ptp(ours, axis=2).max() <= 1, "black text was tinted"


@pytest.mark.parametrize(
    ("model", "ground", "ink", "gain_db"),  # with the limits as they are in the light: .3, 1.1, -2.3, -3.7, -1.4, -7.4
    [
        ("animation", 10, 50, 1.2),
        ("animation", 12, 90, 2.2),
        ("animation", 128, 160, 0.0),
        ("detail", 10, 50, 1.0),
        ("detail", 12, 90, 2.2),
        ("detail", 128, 160, 0.2),
    ],
)
def test_letters_in_the_dark_or_of_little_contrast_stay_what_they_are(
    upscaler: Get, model: str, ground: int, ink: int, gain_db: float
) -> None:
    width = 112 if model == "detail" else 200  # the words are cut for the slowest
    image = Image.new("RGB", (width, 64), (ground,) * 3)
    for row, line in enumerate(("ONE WAY Bleecker St", "No parking 8am-6pm")):
        ImageDraw.Draw(image).text((4, 4 + 28 * row), line, fill=(ink,) * 3, font=ImageFont.load_default(20))
    original, small = np.asarray(image), image.resize((width // 2, 32), Image.Resampling.BOX)
    usual = peak_signal_noise_ratio(original, np.asarray(small.resize(image.size, Image.Resampling.LANCZOS)))
    assert peak_signal_noise_ratio(original, upscaler(model).run(np.asarray(small), 2)) >= usual + gain_db


def test_noise_of_a_dark_drawing_stays_away(upscaler: Get) -> None:
    clean = np.full((96, 96, 3), 60, np.uint8)
    cv2.circle(clean, (48, 48), 30, (110, 90, 70), -1)
    noisy = (clean + np.random.default_rng(1).normal(0, 7, clean.shape)).clip(0, 255).round().astype(np.uint8)
    flat = upscaler("animation").run(noisy, 2)[84:108, 84:108]
    assert flat.astype(float).std(axis=(0, 1)).max() <= 4  # levels; 7 where all that is of little contrast is doubted


def test_colours_behind_h264_are_a_third_plain(upscaler: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    original = data.coffee()[60:188, 160:288]
    small = as_jpeg(original.reshape(64, 2, 64, 2, 3).mean(axis=(1, 3)).round().astype(np.uint8), 90)
    errors = []
    for plain in (0, colours.PLAIN):
        monkeypatch.setattr(colours, "PLAIN", plain)
        wrong = upscaler("photo").run(small, 2, denoise=H264).astype(float) - original
        errors.append(np.square(wrong - (wrong @ LUMA)[..., None]).mean())
    assert errors[1] <= 0.8 * errors[0]  # 1.6 dB of chroma less


def test_faint_lines_of_a_drawing_stay(upscaler: Get) -> None:
    image = Image.new("RGB", (192, 64), (242, 239, 233))
    ImageDraw.Draw(image).line((0, 21, 192, 25), fill="white", width=4)  # a road of a map
    large = upscaler("animation").run(np.asarray(image.resize((96, 32), Image.Resampling.BOX)), 2)
    assert (large[4:-4, 16:-16, 2].max(axis=0) - 233).min() >= 13  # levels, of 22; 3 where what went is taken for noise


def flat_shapes() -> Image.Image:
    """A logo in flat colours that meet without a line."""
    image = Image.new("RGB", (1024, 1024), (148, 158, 204))
    draw = ImageDraw.Draw(image)
    draw.ellipse((60, 60, 620, 500), fill=(70, 154, 204))
    draw.rounded_rectangle((560, 100, 960, 480), 90, fill=(118, 164, 122))
    draw.ellipse((330, 520, 960, 1150), fill=(38, 66, 214))
    draw.polygon([(60, 600), (300, 980), (90, 960)], fill=(232, 122, 30))
    return image


def test_flat_colours_of_a_jpeg_get_no_outlines(upscaler: Get) -> None:
    original, small = (np.asarray(flat_shapes().resize((side, side), Image.Resampling.LANCZOS)) for side in (256, 128))
    outlined, ours = (upscaler("animation").run(as_jpeg(small, 60), 2, denoise=level) for level in (0, 3))
    before, now = ((large.astype(float) - original) @ LUMA for large in (outlined, ours))
    assert np.square(now).mean() <= 0.6 * np.square(before).mean()
    assert np.percentile(now, 1) >= -6  # levels; outlines are 9 below the shapes without it


@pytest.mark.parametrize("quality", [60, 85])
def test_text_of_a_jpeg_stays_what_animation_makes_of_it(upscaler: Get, quality: int) -> None:
    small = as_jpeg(np.asarray(text("RGB").resize((84, 32), Image.Resampling.BOX)), quality)
    plain, ours = (upscaler("animation").run(small, 2, denoise=level).astype(int) for level in (0, 2))
    assert np.abs(ours - plain)[8:-8, 8:-8].mean() <= 1


def test_animation_takes_away_what_a_jpeg_left_and_no_noise(upscaler: Get) -> None:
    grain = np.random.default_rng(1).normal(0, 9, (256, 256, 3))
    noisy = (data.astronaut()[:256, :256] + grain).clip(0, 255).astype(np.uint8)
    drawing = np.asarray(flat_shapes().resize((256, 256), Image.Resampling.LANCZOS))
    assert upscaler("photo").measure(noisy).noise > 4
    assert upscaler("animation").measure(noisy) == (0, 0, 0)
    assert upscaler("animation").measure(drawing).level == 0
    assert upscaler("animation").measure(as_jpeg(drawing, 60)).level == 3


def test_detail_by_8_draws_nothing_of_what_a_jpeg_left(upscaler: Get) -> None:
    sky = (150, 160, 175)
    image = Image.new("RGB", (320, 320), sky)
    draw = ImageDraw.Draw(image)
    draw.polygon([(170, 330), (250, 40), (340, 330)], fill=(40, 35, 30))
    draw.line((0, 250, 160, 20), fill=(60, 40, 30), width=18)
    clean = image.resize((40, 40), Image.Resampling.BOX)
    file = io.BytesIO()
    clean.save(file, "JPEG", quality=50)
    large = upscaler("detail").run(np.asarray(Image.open(file)), 8)
    of_sky = cv2.erode((np.asarray(clean) == sky).all(axis=2).astype(np.uint8), np.ones((3, 3), np.uint8))
    strays = np.abs(large.mean(axis=2) - np.mean(sky))[np.kron(of_sky, np.ones((8, 8))) > 0]
    assert strays.max() <= 14  # levels; strokes of up to 36 where the doubling kept what the JPEG left, 6 now


@pytest.mark.parametrize("scale", [2, 4])
def test_black_text_is_not_tinted(upscaler: Get, scale: int) -> None:
    small = np.asarray(text("RGB").resize((84, 32), Image.Resampling.BOX))
    large = upscaler("photo").run(small, scale)
    assert np.ptp(large, axis=2).max() <= 1  # the network alone: 21 and 57


def test_where_nothing_is_redrawn_the_picture_is_the_models_own(upscaler: Get) -> None:
    flat = np.full((48, 48, 3), 90, np.uint8)
    flat[:, 24:] = 160
    recipe = upscaler("animation").recipes[2]
    own = first_of(recipe).upscale(flat, lambda: None)
    planes = to_planes(own)
    limit_hues(planes, to_planes(flat))
    write_pixels(planes, own)
    np.testing.assert_array_equal(recipe.upscale(flat, lambda: None), own)
