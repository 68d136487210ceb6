"""The parts of the recipe of the realtime upscaler that need torch: they run where the training's own environment is."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="skipped for want of torch: inference/training/upscale/README.md installs it")

from tests.pictures import pattern  # noqa: E402
from training.upscale.__main__ import main  # noqa: E402
from training.upscale.compressed.__main__ import main as train_on  # noqa: E402
from training.upscale.compressed.network import PhotoNetwork  # noqa: E402
from training.upscale.export import export  # noqa: E402
from training.upscale.fit import Fit, Settings, loss_of, rate_at  # noqa: E402
from training.upscale.judge import LINEAR  # noqa: E402
from training.upscale.network import UpscaleNetwork  # noqa: E402
from training.upscale.pairs import Pairs, even_planes, halved  # noqa: E402
from training.upscale.plain import BORDER  # noqa: E402
from training.upscale.planes import Plane, to_bytes  # noqa: E402
from training.upscale.pool import Floats, Pool  # noqa: E402

FFMPEG = Path(__file__).parents[2] / ".enhance" / "bin"
SETTINGS = Settings(steps=6, warm_up=2, keep=2)


@pytest.fixture(autouse=True)
def alone_with_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", str(FFMPEG), prepend=":")
    # torch looks for a compiler of the name triton, and would find tests/triton.py.
    monkeypatch.setattr(sys, "path", [each for each in sys.path if Path(each) != Path(__file__).parent])
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def one_picture() -> Pairs:
    """Its twins are alike but for a level of brightness."""
    planes = even_planes(pattern(96, 96))
    small = halved(planes).y
    return Pairs(to_bytes(planes[0]), np.stack([small, small, small + 1]), ("clean", "h264", "hevc"))


def any_network() -> UpscaleNetwork:
    """A network whose last layer is not zero any more."""
    torch.manual_seed(3)
    network: UpscaleNetwork = UpscaleNetwork().eval()
    with torch.no_grad():
        for value in network.layers[-1].parameters():
            value.copy_(0.05 * torch.randn(value.shape))
    return network


def told(model: onnx.ModelProto, plane: Plane) -> Floats:
    """What the graph says before it rounds."""
    model.graph.output.append(onnx.helper.make_tensor_value_info("plane", onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["plane"], {"luma": plane[None, None]})[0][0, 0])


def test_the_exported_graph_says_what_the_network_learnt() -> None:
    plane = one_picture().small[0]
    network = any_network()
    mirrored = np.pad(plane.astype(np.float32), BORDER, mode="reflect")[None, None]
    with torch.no_grad():
        learnt = 255 * network(torch.from_numpy(mirrored / 255))[0, 0].numpy()
    assert np.abs(learnt - LINEAR["bicubic"](plane)).mean() > 1
    assert np.abs(told(export(network.folded(), 8, {}), plane) - learnt).max() < 1e-3


def test_a_network_begins_as_bicubic_interpolation() -> None:
    plane = one_picture().small[0]
    begun = told(export(UpscaleNetwork().folded(), 8, {}), plane)
    assert np.abs(begun - LINEAR["bicubic"](plane))[8:-8, 8:-8].max() < 1


def begun(seed: int, kept: Path, settings: Settings = SETTINGS) -> Fit[UpscaleNetwork]:
    """As a run begins, or goes on from what is kept."""
    torch.manual_seed(seed)
    return Fit(UpscaleNetwork(), partial(loss_of, steady=0.1), settings, kept)


def test_a_network_of_one_picture_learns_it_by_heart(tmp_path: Path) -> None:
    pool = Pool([one_picture()], side=20, count=4, seed=1)
    fit = begun(1, tmp_path / "fit.pt", Settings(steps=150, rate=3e-3, warm_up=10, mean=0.9))
    network = fit.run(pool, None)
    given, wanted = map(torch.from_numpy, pool.batch(10_000))
    with torch.no_grad():
        before, after = ((each(given) - wanted).abs().mean().item() for each in (UpscaleNetwork().eval(), network))
    assert after < 0.8 * before


class KilledError(Exception):
    """Stands for the end of a process."""


class Mortal(Pool):
    """A pool at whose fifth batch the process ends."""

    def batch(self, number: int) -> tuple[Floats, Floats]:
        if number == 5:
            raise KilledError
        return super().batch(number)


def test_a_run_that_was_killed_goes_on_to_the_same_network(tmp_path: Path) -> None:
    pairs = [one_picture()]
    pool, mortal = Pool(pairs, 12, 2, 4), Mortal(pairs, 12, 2, 4)
    whole = begun(1, tmp_path / "whole.pt").run(pool, None)
    with pytest.raises(KilledError):
        begun(1, tmp_path / "killed.pt").run(mortal, None)
    again = begun(2, tmp_path / "killed.pt")  # the seed of what a run begins with no longer matters
    assert again.step == 4
    resumed = again.run(pool, None)
    for name, value in whole.state_dict().items():
        assert torch.allclose(value, resumed.state_dict()[name], atol=1e-6), name


def test_the_loss_grows_where_twins_are_told_apart() -> None:
    wanted = torch.zeros(4, 1, 2, 2)
    alike, apart = wanted.clone(), wanted.clone()
    alike[-2:] = 0.5
    apart[-2], apart[-1] = 0.5, -0.5
    assert loss_of(alike, wanted, 0.5).item() == pytest.approx(0.25)
    assert loss_of(apart, wanted, 0.5).item() == pytest.approx(0.25 + 0.5)


def test_the_rate_rises_stays_and_falls_to_nothing() -> None:
    settings = replace(SETTINGS, steps=1000, rate=1.0, warm_up=10, falling=0.5)
    rates = [rate_at(step, settings) for step in (0, 9, 499, 750, 999)]
    assert rates == pytest.approx([0.1, 1, 1, 0.5, 0.002])


def test_the_whole_recipe_runs_and_leaves_four_graphs_and_their_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drawn").mkdir()
    for name in ("a", "b"):
        cv2.imwrite(str(tmp_path / "drawn" / f"{name}.png"), pattern(136, 144))
    folders = {"--learn": "drawn", "--work": "work", "--out": "out"}
    words = [word for option, name in folders.items() for word in (option, str(tmp_path / name))]
    monkeypatch.setattr("sys.argv", ["upscale", *words, "--hold-out", "b", "--pages", "0", "--steps", "2"])
    main()
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "out").iterdir()}
    assert set(sizes) == {f"realtime_x2{kind}.onnx" for kind in ("", "_int8", "_deep", "_deep_int8")}
    assert sum(sizes.values()) < 200_000
    figures = (tmp_path / "work" / "figures.md").read_text()
    assert "1 of drawn, enlarged by 2" in figures
    assert figures in capsys.readouterr().out


def test_a_network_for_compressed_pictures_goes_on_from_waifu2x_and_is_written_in_half_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "photos").mkdir()
    cv2.imwrite(str(tmp_path / "photos" / "a.png"), pattern(160, 176))
    start = FFMPEG.parent / "weights" / "photo_denoise2_x2.onnx"
    given = {"--start": start, "--learn": tmp_path / "photos", "--work": tmp_path, "--out": tmp_path / "made.onnx"}
    words = [word for option, path in given.items() for word in (option, str(path))]
    for steps in ("1", "2"):
        monkeypatch.setattr("sys.argv", ["compressed", *words, "--pages", "0", "--rate", "1e-3", "--steps", steps])
        train_on()
    made = onnx.load(tmp_path / "made.onnx")
    assert {each.key: each.value for each in made.metadata_props}["steps"] == "2"
    assert (tmp_path / "made.onnx").stat().st_size < 0.51 * start.stat().st_size
    picture = pattern(30, 32).transpose(2, 0, 1)[None].astype(np.float32) / 255
    before, after = (
        onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"input": picture})[0]
        for path in (start, tmp_path / "made.onnx")
    )
    with torch.no_grad():
        learnt = PhotoNetwork(made).eval()(torch.from_numpy(picture)).numpy()
    assert np.abs(after - learnt).max() < 1e-4
    assert 1e-4 < np.abs(after - before).max() < 0.2
