"""The realtime network over frames of video, as the service runs it."""

import os
from threading import Barrier

import cv2
import numpy as np
import pytest
from PIL import Image
from skimage import data
from skimage.metrics import peak_signal_noise_ratio

from enhance.engine import choose_engine
from enhance.picture import BadPictureError
from enhance.upscale import realtime
from enhance.upscale.chroma import Plane, double_chroma, interpolate_chroma
from enhance.upscale.realtime import Double, Frames, Realtime, frame_bytes, open_doubles, planes_of
from enhance.upscale.upscaler import Upscaler, realtime_upscaler
from tests.pictures import pattern


@pytest.fixture(scope="module")
def doubles() -> list[Double]:
    return open_doubles(choose_engine(os.environ))


@pytest.fixture(scope="module")
def video(doubles: list[Double]) -> Realtime:
    return Realtime(doubles)


@pytest.fixture(scope="module")
def pictures(doubles: list[Double]) -> Upscaler:
    return realtime_upscaler("photo_realtime", choose_engine(os.environ), doubles[0])


def frames_of(count: int, width: int, height: int) -> Frames:
    """Moving patterns in all three planes."""
    large = pattern(height + 2 * count, width + 2 * count)
    frames = np.empty((count, frame_bytes(width, height)), np.uint8)
    for number, frame in enumerate(frames):
        shifted = large[number : number + height, 2 * number : 2 * number + width]
        luma, *chroma = planes_of(frame, width, height)
        luma[:] = shifted[:, :, 0]
        for channel, plane in enumerate(chroma, 1):
            plane[:] = shifted[::2, ::2, channel]
    return frames


def enlarged(video: Realtime, frames: Frames, size: tuple[int, int], scale: int) -> Frames:
    return video.run(frames, size, scale, lambda: None)


@pytest.mark.parametrize("scale", [2, 4, 8])
@pytest.mark.parametrize("size", [(1, 1), (2, 7), (7, 2), (33, 18), (31, 17)])
def test_every_size_is_enlarged_exactly(video: Realtime, scale: int, size: tuple[int, int]) -> None:
    width, height = size
    large = enlarged(video, frames_of(3, width, height), size, scale)
    assert large.shape == (3, width * scale * height * scale * 3 // 2)


def test_frames_of_one_call_come_in_their_order_and_as_alone(video: Realtime) -> None:
    frames = frames_of(5, 40, 30)
    together = enlarged(video, frames, (40, 30), 2)
    alone = np.concatenate([enlarged(video, frame[None], (40, 30), 2) for frame in frames])
    np.testing.assert_array_equal(together, alone)
    assert len(np.unique(together, axis=0)) == 5


@pytest.mark.parametrize("scale", [2, 4])
def test_strips_of_a_large_plane_give_the_whole(video: Realtime, monkeypatch: pytest.MonkeyPatch, scale: int) -> None:
    frames = frames_of(1, 64, 150)
    whole = enlarged(video, frames, (64, 150), scale)
    monkeypatch.setattr(realtime, "STRIP_PIXELS", 64 * 64)
    np.testing.assert_array_equal(enlarged(video, frames, (64, 150), scale), whole)


@pytest.mark.parametrize(("count", "strips"), [(1, 3), (2, 6), (3, 3), (6, 6)])
def test_all_networks_have_as_much_to_do(count: int, strips: int) -> None:
    networks = open_doubles(choose_engine({"ENHANCE_THREADS": "3"}))
    used: list[int] = []
    all_at_once = Barrier(len(networks), timeout=20)

    def watched(number: int, network: Double) -> Double:
        def double(plane: Plane) -> Plane:
            used.append(number)
            all_at_once.wait()
            return network(plane)

        return double

    frames = frames_of(count, 64, 200)
    large = enlarged(Realtime([watched(*each) for each in enumerate(networks)]), frames, (64, 200), 2)
    np.testing.assert_array_equal(large, enlarged(Realtime(networks[:1]), frames, (64, 200), 2))
    assert sorted(used) == sorted([0, 1, 2] * (strips // 3))


@pytest.mark.parametrize("scale", [2, 4, 8])
def test_a_flat_frame_stays_flat(video: Realtime, scale: int) -> None:
    frames = np.empty((1, frame_bytes(20, 14)), np.uint8)
    for plane, level in zip(planes_of(frames[0], 20, 14), (180, 90, 160), strict=True):
        plane[:] = level
    large = enlarged(video, frames, (20, 14), scale)
    for plane, level in zip(planes_of(large[0], 20 * scale, 14 * scale), (180, 90, 160), strict=True):
        assert np.abs(plane.astype(int) - level).max() <= 1


@pytest.mark.parametrize("scale", [2, 4, 8])
def test_chroma_stays_on_the_left_columns_and_between_rows(scale: int) -> None:
    # Each sample says where it lies, in pixels of luma: across at 0, 2, 4 …, down at 0.5, 2.5 …
    rows, columns = np.mgrid[0:20, 0:30]
    frame = np.full((1, frame_bytes(60, 40)), 90, np.uint8)
    planes = planes_of(frame[0], 60, 40)
    planes[1][:], planes[2][:] = columns * 8, (rows * 2 + 0.5) * 4
    flat = Realtime([lambda plane: plane.repeat(2, axis=0).repeat(2, axis=1)])
    _, across, down = planes_of(enlarged(flat, frame, (60, 40), scale)[0], 60 * scale, 40 * scale)
    for line, first in ((across[15 * scale], 0.0), (down[:, 20 * scale], 0.5)):
        # Luma of the result lies at (i + 0.5) / scale - 0.5 of the source's.
        at = (np.arange(len(line)) * 2 + first + 0.5) / scale - 0.5
        inside = slice(3 * scale, -3 * scale)
        assert np.abs(line[inside] / 4 - at[inside]).max() <= 0.5, f"scale {scale}"


def test_chroma_has_the_edges_of_luma() -> None:
    # Yellow letters on black, twice as large as the luma: each sample of chroma is the mean of four of `true`.
    letters = np.zeros((48, 96), np.uint8)
    cv2.putText(letters, "Yellow", (4, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255,), 1, cv2.LINE_AA)
    luma = (16 + letters * 0.78).astype(np.uint8)
    true: Plane = np.rint(128 - cv2.filter2D(letters, cv2.CV_32F, np.array([[0.25, 0.75, 0]])) * 0.4).astype(np.uint8)
    small = np.rint(cv2.sepFilter2D(128 - letters * 0.4, -1, np.array([1, 2, 1]) / 4, np.array([0, 1, 1]) / 2)[::2, ::2])
    (ours,) = double_chroma([small.astype(np.uint8)], luma)
    gain = peak_signal_noise_ratio(true, ours) - peak_signal_noise_ratio(true, interpolate_chroma(small.astype(np.uint8)))
    assert gain > 3


def test_white_letters_on_skin_do_not_become_green() -> None:
    luma, colours = np.full((48, 96), 120, np.uint8), np.full((48, 96), 158, np.uint8)
    for light, width in ((16, 4), (235, 1)):
        for plane, level in ((luma, light), (colours, 128)):
            cv2.putText(plane, "White", (4, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (level,), width, cv2.LINE_AA)
    small = np.rint(cv2.sepFilter2D(colours, cv2.CV_32F, np.array([1, 2, 1]) / 4, np.array([0, 1, 1]) / 2)[::2, ::2])
    (red,) = double_chroma([small.astype(np.uint8)], luma)
    (green,) = double_chroma([(256 - small).astype(np.uint8)], luma)
    assert red.min() >= 128
    assert green.max() <= 128


def test_chroma_of_a_part_is_that_of_the_whole() -> None:
    luma, *chroma = planes_of(frames_of(1, 96, 70)[0], 96, 70)
    whole = double_chroma(chroma, luma)
    part = double_chroma([plane[10:30, 8:40] for plane in chroma], luma[20:60, 16:80])
    inside = slice(realtime.CONTEXT, -realtime.CONTEXT)
    for large, some in zip(whole, part, strict=True):
        np.testing.assert_array_equal(some[inside, inside], large[20:60, 16:80][inside, inside])


def test_a_photo_is_truer_than_lanczos(video: Realtime) -> None:
    original = cv2.cvtColor(data.astronaut()[40:232, 130:322], cv2.COLOR_RGB2GRAY)
    small = np.asarray(Image.fromarray(original).resize((96, 96), Image.Resampling.BICUBIC))
    frame = np.full((1, frame_bytes(96, 96)), 128, np.uint8)
    frame[0, : 96 * 96] = small.ravel()
    ours = planes_of(enlarged(video, frame, (96, 96), 2)[0], 192, 192)[0]
    lanczos: Plane = np.asarray(cv2.resize(small, (192, 192), interpolation=cv2.INTER_LANCZOS4), np.uint8)
    assert peak_signal_noise_ratio(original, ours) - peak_signal_noise_ratio(original, lanczos) > 1


@pytest.mark.parametrize("scale", [2, 4, 8])
def test_a_picture_is_enlarged_in_colour(pictures: Upscaler, scale: int) -> None:
    small = data.astronaut()[100:148, 190:238]
    large = pictures.run(small, scale)
    assert large.shape == (48 * scale, 48 * scale, 3)
    blocks = large.reshape(6, 8 * scale, 6, 8 * scale, 3).mean(axis=(1, 3))
    assert np.abs(blocks - small.reshape(6, 8, 6, 8, 3).mean(axis=(1, 3))).max() < 4


@pytest.mark.parametrize(
    ("frames", "size", "scale", "says"),
    [
        (np.zeros((1, 24), np.uint8), (4, 4), 3, "expected SCALE 2, 4 or 8, got 3"),
        (np.zeros((1, 23), np.uint8), (4, 4), 2, r"expected FRAMES \[n, 24\] of uint8 for SIZE \[4, 4\], got \[1, 23\]"),
        (np.zeros(24, np.uint8), (4, 4), 2, r"got \[24\]"),
        (np.zeros((1, 0), np.uint8), (0, 4), 2, r"expected SIZE of at least 1x1 pixels, got \[0, 4\]"),
    ],
)
def test_bad_frames_are_refused_with_what_was_expected(
    video: Realtime, frames: Frames, size: tuple[int, int], scale: int, says: str
) -> None:
    with pytest.raises(BadPictureError, match=says):
        enlarged(video, frames, size, scale)


def test_a_call_that_is_not_wanted_any_more_stops(video: Realtime) -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        video.run(frames_of(4, 16, 16), (16, 16), 2, stop)
    assert len(enlarged(video, frames_of(4, 16, 16), (16, 16), 2)) == 4
