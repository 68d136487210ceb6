"""How pictures are cut and joined, with stand-ins for networks whose answer is known."""

from collections.abc import Callable
from dataclasses import replace
from threading import get_ident
from time import sleep

import numpy as np
import pytest

from enhance.picture import FloatPlanes, Picture
from enhance.upscale.cascade import Cascade, Pass, spans, split
from enhance.upscale.mosaic import Mosaic, Recent, starts
from enhance.upscale.threads import side_by_side
from tests.pictures import pattern


def blur_double(planes: FloatPlanes) -> FloatPlanes:
    """A 2x that looks 3 pixels far and, like a network with zero padding, is wrong nearer than that to the border."""
    padded = np.pad(planes, ((0, 0), (3, 3), (3, 3)))
    rows = np.mean([padded[:, i : i + planes.shape[1]] for i in range(7)], axis=0)
    both = np.mean([rows[:, :, i : i + planes.shape[2]] for i in range(7)], axis=0)
    return double(np.asarray(both, np.float32))


def nothing() -> None: ...


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (3, 2), (17, 31), (100, 90)])
@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("edge", [0, 2])
def test_any_tile_size_gives_the_same_pixels(size: tuple[int, int], passes: int, edge: int) -> None:
    picture = pattern(*size)
    step = Pass(blur_double, scale=2, eats=0, context=3)
    whole = Cascade([step] * passes, edge, 1 << 30).upscale(picture, nothing)
    assert whole.shape == (size[0] * 2**passes, size[1] * 2**passes, 3)
    for tile_pixels in (1, 700, 3000):
        tiled = Cascade([step] * passes, edge, tile_pixels).upscale(picture, nothing)
        np.testing.assert_array_equal(tiled, whole)


@pytest.mark.parametrize("size", [(3, 2), (400, 500)])
def test_tiles_computed_side_by_side_give_the_same_pixels(size: tuple[int, int]) -> None:
    picture = pattern(*size)
    threads: set[int] = set()

    def shown(planes: FloatPlanes) -> FloatPlanes:
        threads.add(get_ident())
        return blur_double(planes)

    whole = Cascade([Pass(blur_double, scale=2, eats=0, context=3)], 0, 1 << 30).upscale(picture, nothing)
    cascade = Cascade([Pass(shown, scale=2, eats=0, context=3)], 0, 1 << 30).on(3)
    np.testing.assert_array_equal(cascade.upscale(picture, nothing), whole)
    assert get_ident() not in threads
    np.testing.assert_array_equal(mosaic().on(3).upscale(picture, nothing), mosaic().upscale(picture, nothing))


@pytest.mark.parametrize("threads", [1, 3])
def test_work_on_tiles_is_stopped(threads: int) -> None:
    done: list[int] = []

    def stop_at_the_third() -> None:
        if len(asked) == 2:
            raise TimeoutError
        asked.append(True)

    asked: list[bool] = []
    with pytest.raises(TimeoutError):
        side_by_side(slowly(done), range(100), threads, stop_at_the_third)
    assert len(done) < 20


def slowly(done: list[int]) -> Callable[[int], None]:
    def compute(tile: int) -> None:
        sleep(0.01)
        done.append(tile)

    return compute


def test_the_halo_is_what_all_passes_and_the_colours_look_at() -> None:
    double = Pass(blur_double, 2, eats=7, context=7)
    assert Cascade([double], None, 1).halo == 4 + 7
    assert Cascade([double, double], None, 1).halo == 4 + 4 + 7


def test_a_shift_of_colours_is_taken_back() -> None:
    shifted = Pass(lambda planes: double(planes * np.float32(0.97)), scale=2, eats=0, context=0)
    large = Cascade([shifted], 0, 1 << 20).upscale(np.full((9, 11, 3), (255, 128, 3), np.uint8), nothing)
    assert (large == (255, 128, 3)).all()


def test_what_is_dithered_keeps_its_brightness_in_any_tiles() -> None:
    picture = np.random.default_rng(1).choice(np.array([0, 255], np.uint8), (70, 83, 1)).repeat(3, axis=2)
    dark = Pass(lambda planes: double(planes * np.float32(0.6)), scale=2, eats=0, context=0)
    whole = Cascade([dark], 0, 1 << 20)
    large = whole.upscale(picture, nothing)
    assert abs(large.mean() - picture.mean()) <= 2
    assert (replace(whole, tile_pixels=40**2).upscale(picture, nothing) == large).all()
    assert replace(whole, redraws=True).upscale(picture, nothing).mean() < picture.mean() - 30


@pytest.mark.parametrize("size", [(1, 1), (2, 5000), (5000, 2), (360, 640), (1080, 1920), (4096, 4096), (65, 100_000)])
def test_tiles_stay_below_the_limit(size: tuple[int, int]) -> None:
    rows, columns = split(*size, edge=7, halo=12, tile_pixels=1 << 16)
    height = max(bottom - top for top, bottom in spans(size[0], rows)) + 2 * (7 if rows == 1 else 12)
    width = max(right - left for left, right in spans(size[1], columns)) + 2 * (7 if columns == 1 else 12)
    assert height * width <= 1 << 16


def test_a_small_frame_is_one_tile() -> None:
    assert split(360, 640, edge=7, halo=24, tile_pixels=1 << 18) == (1, 1)


def test_spans_cover_everything_once() -> None:
    assert list(spans(10, 3)) == [(0, 3), (3, 6), (6, 10)]


@pytest.mark.parametrize(
    ("length", "expected"), [(1, [0]), (48, [0]), (256, [0]), (257, [0, 208]), (464, [0, 208]), (465, [0, 208, 416])]
)
def test_a_tile_begins_only_where_the_last_one_does_not_reach(length: int, expected: list[int]) -> None:
    assert starts(length, step=208, overlap=48) == expected


def double(planes: FloatPlanes) -> FloatPlanes:
    return planes.repeat(2, axis=1).repeat(2, axis=2)


def mosaic(limit_bytes: int = 0) -> Mosaic:
    return Mosaic(double, 2, step=12, overlap=6, recent=Recent(limit_bytes))


@pytest.mark.parametrize("size", [(1, 1), (12, 13), (18, 19), (5, 90), (61, 77)])
def test_tiles_that_agree_are_joined_without_a_trace(size: tuple[int, int]) -> None:
    picture = pattern(*size)
    np.testing.assert_array_equal(mosaic().upscale(picture, nothing), picture.repeat(2, axis=0).repeat(2, axis=1))


def test_tiles_that_differ_are_joined_by_a_ramp() -> None:
    values = iter([0.0, 1.0])

    def flat(planes: FloatPlanes) -> FloatPlanes:
        return np.full((3, planes.shape[1] * 2, planes.shape[2] * 2), next(values), np.float32)

    # Grey, black and white in turn allow any sample between black and white. Equal tiles would be computed once.
    picture: Picture = np.resize([[128], [11], [244]], (4, 30, 1)).astype(np.uint8).repeat(3, axis=2)
    picture[-1, -1] += 1
    row = Mosaic(flat, 2, step=12, overlap=6, recent=Recent(0)).upscale(picture, nothing)[0, :, 0].astype(int)
    assert len(set(row[: 24 + 4])) == 1
    assert len(set(row[24 + 8 :])) == 1
    assert row[-1] - row[0] > 200
    assert (np.diff(row) >= 0).all()


def test_equal_tiles_are_computed_once_while_they_fit() -> None:
    computed = 0

    def count(planes: FloatPlanes) -> FloatPlanes:
        nonlocal computed
        computed += 1
        return double(planes)

    picture = pattern(10, 10)
    frugal = Mosaic(count, 2, step=12, overlap=6, recent=Recent(1 << 20))
    for _ in range(3):
        frugal.upscale(picture, nothing)
    assert computed == 1
    forgetful = Mosaic(count, 2, step=12, overlap=6, recent=Recent(0))
    for number in (1, 2, 1):
        forgetful.upscale(picture + np.uint8(number), nothing)
    assert computed == 4
