"""The parts of the recipe of the realtime upscaler that need no torch: pairs, batches, the exported graph, the figures."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from skimage import data

from tests.pictures import pattern
from training.upscale.codecs import VP9, X264, X264_FAST, X265, Codec, lumas, through_video
from training.upscale.compressed import pairs as photos
from training.upscale.compressed.judge import main as judge
from training.upscale.compressed.pool import Pool as PhotoPool
from training.upscale.export import Depth, export
from training.upscale.judge import LINEAR, Enlarge, cascades, flicker, stills
from training.upscale.pairs import MOVING, Pairs, even_planes, halved, moving, pairs_of
from training.upscale.pause import wait_while
from training.upscale.plain import BORDER, CHANNELS, MIDDLE, Plain
from training.upscale.planes import Plane, to_bytes
from training.upscale.pool import SHARES, Pool
from training.upscale.quantise import ranges_of
from training.upscale.report import report
from training.upscale.served import opened
from training.upscale.sources import Source, read_pairs, sources, split

FFMPEG = Path(__file__).parents[2] / ".enhance" / "bin"
Array = npt.NDArray[Any]


@pytest.fixture(autouse=True)
def ffmpeg_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(FFMPEG), prepend=":")


@cache
def random_plain() -> Plain:
    """A network that nobody trained: its answer is some levels off the nearest pixel of its input."""
    rng = np.random.default_rng(0)
    layers = []
    for inputs, outputs in pairwise([1, *[CHANNELS] * (MIDDLE + 1), 4]):
        kernel = rng.normal(0, (2 / (9 * inputs)) ** 0.5, (outputs, inputs, 3, 3)).astype(np.float32)
        layers.append((kernel, rng.normal(0, 0.1, outputs).astype(np.float32)))
    layers[0] = (layers[0][0] / 255, layers[0][1])
    layers[-1] = (8 * layers[-1][0], layers[-1][1])
    anchor = np.zeros((4, 1, 5, 5), np.float32)
    anchor[:, 0, 2, 2] = 1
    return Plain(layers, anchor)


def computed(plain: Plain, plane: Array) -> npt.NDArray[np.float32]:
    """What the network says of a plane, by convolutions written out; not rounded."""
    mirrored = np.pad(plane.astype(np.float64), BORDER, mode="reflect")[None]
    hidden = mirrored
    for number, (kernel, bias) in enumerate(plain.layers):
        hidden = convolved(hidden, kernel) + bias[:, None, None]
        if number < len(plain.layers) - 1:
            hidden = np.maximum(hidden, 0)
    within = BORDER - 2
    cells = hidden + convolved(mirrored[:, within:-within, within:-within], plain.anchor)
    height, width = plane.shape
    return cells.reshape(2, 2, height, width).transpose(2, 0, 3, 1).reshape(2 * height, 2 * width).astype(np.float32)


def convolved(planes: Array, kernel: Array) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(planes, kernel.shape[2:], (1, 2))  # type: ignore[call-overload]
    answer: Array = np.einsum("ihwkl,oikl->ohw", windows, kernel)
    return answer


def run(model: onnx.ModelProto, inputs: Mapping[str, Array]) -> Array:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, dict(inputs))[0])


def plane_of(height: int, width: int) -> Plane:
    return to_bytes(even_planes(pattern(height + 3, width + 3))[0][:height, :width])


@pytest.mark.parametrize(("height", "width"), [(7, 7), (24, 33), (41, 16)])
def test_the_exported_graph_says_what_its_kernels_say_up_to_the_edge_of_a_frame(height: int, width: int) -> None:
    plane = plane_of(height, width)
    enlarged = run(export(random_plain(), 8, {}), {"luma": plane[None, None]})
    assert enlarged.shape == (1, 1, 2 * height, 2 * width)
    assert enlarged.dtype == np.uint8
    assert np.abs(enlarged[0, 0] - computed(random_plain(), plane).clip(0, 255)).max() <= 0.5 + 1e-3


def test_ten_bits_are_enlarged_as_eight_are_and_keep_what_lies_between_the_levels() -> None:
    ten = (4 * plane_of(24, 33).astype(np.uint16) + np.arange(33, dtype=np.uint16) % 4).clip(0, 1023)
    enlarged = run(export(random_plain(), 16, {}), {"luma": ten[None, None], "unit": np.array(4, np.float32)})
    assert enlarged.dtype == np.uint16
    assert np.abs(enlarged[0, 0] / 4 - computed(random_plain(), ten / 4).clip(0, 255.75)).max() <= 0.125 + 1e-3


@pytest.mark.parametrize("depth", [8, 16])
def test_white_and_black_stay_within_the_levels_of_a_plane(depth: Depth) -> None:
    unit = {} if depth == 8 else {"unit": np.array(4, np.float32)}
    most = 255 if depth == 8 else 1023
    checks = (most * (np.indices((16, 16)).sum(0) // 3 % 2)).astype(np.uint8 if depth == 8 else np.uint16)
    enlarged = run(export(random_plain(), depth, {}), {"luma": checks[None, None], **unit})
    assert (enlarged.min(), enlarged.max()) == (0, most)


def test_eight_bit_convolutions_say_nearly_the_same() -> None:
    plane = plane_of(48, 64)
    floats = export(random_plain(), 8, {})
    ranges = ranges_of(floats, [plane])
    small = export(random_plain(), 8, {}, ranges)
    assert len(ranges) == MIDDLE + 1
    assert len(small.SerializeToString()) < 0.5 * len(floats.SerializeToString())
    wanted = computed(random_plain(), plane).clip(0, 255)
    error = np.sqrt(np.mean((run(small, {"luma": plane[None, None]})[0, 0] - wanted) ** 2))
    assert error < 0.05 * np.sqrt(np.mean((wanted - LINEAR["bicubic"](plane)) ** 2)) + 0.3


def test_the_notes_are_kept_in_the_file() -> None:
    assert {each.key: each.value for each in export(random_plain(), 8, {"seed": "1"}).metadata_props} == {"seed": "1"}


@pytest.mark.parametrize("codec", [X264, X264_FAST, X265, VP9])
def test_each_codec_gives_every_frame_back_worse_where_it_is_asked_for_less(codec: Codec) -> None:
    frames = [halved(even_planes(picture)) for picture in moving(pattern(96, 128), np.random.default_rng(0))[0]]
    fine, coarse = (through_video(frames, codec, crf) for crf in (20, 45))
    assert len(fine) == MOVING

    def error(decoded: list[Plane]) -> float:
        return float(np.mean([(each.astype(float) - frame.y) ** 2 for each, frame in zip(decoded, frames, strict=True)]))

    assert 0 < error(fine) < 0.7 * error(coarse)


def test_a_decoder_that_loses_a_frame_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected 2 frames of 4x2"):
        lumas(bytes(12), 2, 2, 4)


@cache
def drawn_pairs() -> Pairs:
    return pairs_of(*moving(pattern(162, 190), np.random.default_rng(2)), np.random.default_rng(3))


def test_every_input_of_a_pair_shows_the_same_moment_at_half_the_size() -> None:
    pairs = drawn_pairs()
    assert pairs.large.shape == (160, 188)
    assert pairs.small.shape == (len(pairs.kinds), 80, 94)
    assert set(pairs.kinds) == set(SHARES)
    small = cv2.resize(pairs.large, (94, 80), interpolation=cv2.INTER_AREA)[8:-8, 8:-8].astype(float)
    for kind, plane in zip(pairs.kinds, pairs.small, strict=True):
        right = np.corrcoef(small.ravel(), plane[8:-8, 8:-8].ravel())[0, 1]
        shifted = np.corrcoef(small.ravel(), plane[9:-7, 8:-8].ravel())[0, 1]
        assert right > 0.8, kind
        assert right > shifted, kind


def test_a_batch_is_a_function_of_its_number_and_what_is_wanted_lies_over_what_is_given() -> None:
    pool = Pool([drawn_pairs()], side=24, count=6, seed=5)
    given, wanted = pool.batch(7)
    assert given.shape == (6, 1, 24 + 2 * BORDER, 24 + 2 * BORDER)
    assert wanted.shape == (6, 1, 48, 48)
    assert 0 <= given.min() < given.max() <= 1
    again, other = pool.batch(7)[0], pool.batch(8)[0]
    assert np.array_equal(given, again)
    assert not np.array_equal(given, other)
    for square, large in zip(given[:, 0], wanted[:, 0], strict=True):
        seen = cv2.resize(large, (24, 24), interpolation=cv2.INTER_AREA)
        assert np.corrcoef(seen.ravel(), square[BORDER:-BORDER, BORDER:-BORDER].ravel())[0, 1] > 0.7


def test_the_last_two_squares_of_a_batch_are_one_place_as_two_encoders_left_it() -> None:
    pool = Pool([drawn_pairs()], side=24, count=4, seed=5)
    for number in range(20):
        given, wanted = pool.batch(number)
        assert np.array_equal(wanted[-1], wanted[-2])
        assert not np.array_equal(wanted[-1], wanted[-3])
        assert not np.array_equal(given[-1], given[-2])
        assert np.corrcoef(given[-1].ravel(), given[-2].ravel())[0, 1] > 0.9


@pytest.mark.parametrize("videos", [0, 1])
def test_what_a_compressed_square_shows_is_what_is_wanted_of_it_wherever_a_jpeg_begins(tmp_path: Path, videos: float) -> None:
    source = Source("drawn", write(tmp_path / "pictures", "drawn.png") / "drawn.png")
    pair = photos.read_pairs(source, tmp_path)
    assert np.array_equal(photos.read_pairs(source, tmp_path).videos, pair.videos)
    pool = PhotoPool([pair], side=24, count=6, videos=videos, quality=(40, 60), seed=5)
    given, wanted = pool.batch(3)
    assert (given.shape, wanted.shape) == ((6, 3, 38, 38), (6, 3, 48, 48))
    assert np.array_equal(pool.batch(3)[0], given)
    for square, large in zip(given, wanted, strict=True):
        seen = cv2.resize(large.mean(0), (24, 24), interpolation=cv2.INTER_AREA)
        right, shifted = (np.corrcoef(seen.ravel(), square.mean(0)[y : y + 24, 7:31].ravel())[0, 1] for y in (7, 8))
        assert right > max(0.7, shifted)


def test_networks_are_judged_on_every_way_of_storing_a_photo_whatever_it_is_called(judged: Callable[[str], list[str]]) -> None:
    header, rule, lanczos, ours = judged("a.png")
    assert header.split(" | ")[1:4] == ["clean", "JPEG 20", "JPEG 30"]
    assert ours.startswith("| photo_x2 | ")
    assert ours.count("|") == lanczos.count("|") == header.count("|")
    # The number of its letters once told how a photo moved in the videos.
    assert judged("a-long-name.png") == [header, rule, lanczos, ours]


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], list[str]]:
    """The lines of the table for one photo of this name."""

    def lines(name: str) -> list[str]:
        path = tmp_path / name
        cv2.imwrite(str(path), pattern(72, 80))  # it is enlarged 34 times
        network = FFMPEG.parent / "weights" / "photo_x2.onnx"
        monkeypatch.setattr("sys.argv", ["judge", "--photos", str(path), "--networks", str(network)])
        judge()
        return capsys.readouterr().out.splitlines()

    return lines


def write(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for number, name in enumerate(names):
        cv2.imwrite(str(folder / name), pattern(136 + 8 * number, 144))
    return folder


def clip(path: Path, still: int, larger: int = 1) -> Path:
    """30 frames of a pattern of which so many rows stand still and the rest moves, while the light grows by a level a frame."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"FFV1"), 25, (176 * larger, 144 * larger))
    for number in range(30):
        seen = cv2.GaussianBlur(pattern(144, 176), (0, 0), 2).astype(np.float32)
        seen[still:] = np.roll(seen[still:], 5 * number, 1)
        writer.write(to_bytes(np.asarray(cv2.resize(seen + number, None, fx=larger, fy=larger), np.float32)))
    writer.release()
    return path


def test_pairs_of_a_picture_are_made_once_and_the_same_for_the_same_picture(tmp_path: Path) -> None:
    source = Source("one", write(tmp_path / "some", "one.png") / "one.png")
    for kept in ("first", "second"):
        (tmp_path / kept).mkdir()
    made, again = read_pairs(source, tmp_path / "first"), read_pairs(source, tmp_path / "second")
    assert np.array_equal(made[0].small, again[0].small)
    (store,) = (tmp_path / "first").iterdir()
    before = store.stat().st_mtime_ns
    assert np.array_equal(read_pairs(source, tmp_path / "first")[0].large, made[0].large)
    assert store.stat().st_mtime_ns == before


def test_what_is_held_out_is_not_learnt_from_and_must_be_there(tmp_path: Path) -> None:
    found = sources([write(tmp_path / "photos", "a.png", "b.png"), tmp_path / "photos" / "a.png"], 2)
    assert [source.name for source in found] == ["a", "b", "a", "page-0", "page-1"]
    learnt, judged = split(found, ["b"])
    assert [source.name for source in learnt] == ["a", "a", "page-0", "page-1"]
    assert judged == {"photos": [tmp_path / "photos" / "b.png"]}
    with pytest.raises(ValueError, match="c are not"):
        split(found, ["b", "c"])
    with pytest.raises(ValueError, match="nowhere do not"):
        sources([tmp_path / "photos", tmp_path / "nowhere"], 2)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="found none"):
        sources([tmp_path / "empty"], 2)


def test_a_picture_too_small_to_learn_from_is_left_out_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "icon.png"), pattern(64, 200))
    assert read_pairs(Source("icon", tmp_path / "icon.png"), tmp_path) == []
    assert "left out: icon, 200x64" in capsys.readouterr().out


def test_a_clip_gives_moments_of_half_its_size_whose_frames_follow_each_other(tmp_path: Path) -> None:
    pairs = read_pairs(Source("clip", clip(tmp_path / "clip.avi", 100, larger=2)), tmp_path)
    assert [pair.large.shape for pair in pairs] == [(144, 176)]
    assert pairs[0].small.shape[1:] == (72, 88)


def test_psnr_is_judged_against_the_picture_itself_and_steps_of_two_make_four_and_eight(tmp_path: Path) -> None:
    folder = write(tmp_path / "photos", "a.png", "b.png")
    ways = {**LINEAR, "nothing": lambda plane: np.zeros((2 * plane.shape[0], 2 * plane.shape[1]), np.uint8)}
    scores = stills([folder / "a.png"], ways)
    assert next(kind for kind, _ in scores) == "clean"
    assert scores["clean", "Lanczos"].psnr > scores["clean", "bicubic"].psnr > scores["H.264 crf 30", "bicubic"].psnr
    assert scores["clean", "nothing"].psnr < 8
    larger = cascades(sorted(folder.iterdir()), ways)
    assert larger["4 times", "bicubic"].psnr > larger["8 times", "bicubic"].psnr > larger["8 times", "nothing"].psnr


def test_flicker_is_told_in_that_of_bicubic_and_only_of_what_stands_still(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def restless(plane: Plane) -> Plane:
        noise = rng.normal(0, 9, (144, 176)).astype(np.float32)
        return to_bytes(LINEAR["bicubic"](plane).astype(np.float32) + noise)

    told = flicker(clip(tmp_path / "still.avi", 80), 26, {**LINEAR, "restless": restless})
    assert told["bicubic"] == 1
    assert 0.8 < told["Lanczos"] < 1.3
    assert told["restless"] > 5
    with pytest.raises(ValueError, match="nothing does"):
        flicker(clip(tmp_path / "moving.avi", 0), 26, LINEAR)


def test_the_report_has_a_row_for_each_way_in_each_table(tmp_path: Path) -> None:
    folder = write(tmp_path / "photos", "a.png")
    ways: dict[str, Enlarge] = {**LINEAR, "network": opened(export(random_plain(), 8, {}), "f32")}
    told = report({"photos": sorted(folder.iterdir())}, [clip(tmp_path / "still.avi", 80)], ways, rounds=1)
    assert told.count("| network |") == told.count("| bicubic |") == 4
    assert "| still crf 20 | still crf 26 |" in told


def test_nothing_is_computed_while_the_file_that_asks_for_a_pause_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause, slept = tmp_path / "quiet", []
    pause.touch()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            pause.unlink()

    monkeypatch.setattr("training.upscale.pause.time.sleep", sleep)
    wait_while(pause)
    assert slept == [1, 1, 1]
    wait_while(None)


WEIGHTS = Path(__file__).parents[1] / "weights"


@cache
def held_out_photo() -> tuple[Plane, Plane]:
    """Half of a photo, clean, and the photo: none that the shipped weights learnt from."""
    planes = even_planes(np.asarray(data.astronaut()[:256, 100:356], np.uint8))
    return halved(planes).y, to_bytes(planes[0])


def psnr(plane: Plane, whole: Plane) -> float:
    return float(10 * np.log10(255**2 / np.mean((plane.astype(float) - whole)[6:-6, 6:-6] ** 2)))


@pytest.mark.parametrize("kind", ["", "_int8", "_deep", "_deep_int8"])
def test_the_shipped_weights_are_a_decibel_closer_to_a_photo_than_lanczos(kind: str) -> None:
    small, whole = held_out_photo()
    model = onnx.load(WEIGHTS / f"realtime_x2{kind}.onnx")
    if "deep" in kind:
        words = run(model, {"luma": 4 * small[None, None].astype(np.uint16), "unit": np.array(4, np.float32)})
        enlarged = to_bytes(words[0, 0].astype(np.float32) / 4)
    else:
        enlarged = run(model, {"luma": small[None, None]})[0, 0]
    assert psnr(enlarged, whole) > psnr(LINEAR["Lanczos"](small), whole) + 1


def test_the_shipped_files_are_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.glob("realtime_x2*.onnx")) < 200_000
