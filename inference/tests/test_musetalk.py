"""The networks that inference.build.musetalk writes, against what diffusers and transformers answer: golden/musetalk.npz."""

import json
import pickle
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from inference.build.musetalk import unet, vae, whisper
from inference.build.musetalk.__main__ import main
from inference.build.musetalk.network_config import NetworkConfig
from inference.build.musetalk.published import PUBLISHED, UNET, UNET_CONFIG, VAE, VAE_CONFIG, WHISPER, WHISPER_CONFIG
from inference.build.musetalk.torch_file import BadWeightsError, StateDict

from enhance.engine import choose_engine
from enhance.neural.sound import log_mel
from tests.musetalk import (
    CONFIGS,
    GOLDEN,
    filled,
    latents,
    pictures,
    random_value,
    sound,
    speaking,
    speech,
    write,
    write_sums,
    write_torch,
)
from tests.shells import NAN

ROOT = Path(__file__).parents[2]
Array = npt.NDArray[Any]


def build(weights: Path, out: Path, sums: Path | None = None) -> int:
    return main(["--weights", str(weights), "--out", str(out), *(["--sha256", str(sums)] if sums else [])])


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    write(folder, filled(random_value))
    return folder


@pytest.fixture(scope="module")
def release(weights: Path) -> Path:
    out = weights.parent / "release"
    command = [sys.executable, "-m", "inference.build.musetalk", "--weights", str(weights), "--out", str(out)]
    sums = ["--sha256", str(weights / "SHA256SUMS")]
    subprocess.run([*command, *sums], cwd=ROOT, check=True)
    return out


@pytest.mark.parametrize("kind", ["openvino", "onnxruntime"])
def test_the_networks_answer_as_their_originals(release: Path, kind: str) -> None:
    engine, golden = choose_engine({"ENHANCE_ENGINE": kind, "ENHANCE_THREADS": "1"}), np.load(GOLDEN)

    def answer(name: str, *inputs: Array) -> Array:
        return engine.open_graph(release / f"mouth_render_studio/1/{name}.onnx")(*inputs)

    # The largest values are 0.4, 3, 4 and 7.
    np.testing.assert_allclose(answer("encoder", pictures()), golden["encoded"], atol=5e-5)
    painted = answer("unet", latents(), speech())
    np.testing.assert_allclose(painted, golden["painted"], atol=5e-4)
    np.testing.assert_allclose(answer("decoder", painted)[..., ::8, ::8], golden["decoded"], atol=1e-3)
    np.testing.assert_allclose(answer("speech", golden["mel"])[::10], golden["states"], atol=1e-3)


def test_sound_is_heard_as_whisper_hears_it() -> None:
    np.testing.assert_allclose(log_mel(sound(), 200), np.load(GOLDEN)["mel"][0], atol=1e-5)


def test_a_release_names_its_licences_and_what_it_was_made_from(release: Path) -> None:
    assert (release / "LICENSE").read_text().startswith("MIT\n")
    sources = [line.split("  ")[1] for line in (release / "SOURCES.sha256").read_text().splitlines()]
    assert sources == list(PUBLISHED)
    assert len((release / "mouth_render_studio/1/model.py").read_text().splitlines()) < 40


def test_the_published_files_are_asked_for_by_their_hashes(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(weights, tmp_path / "out") == 1
    assert f"wrong content in {UNET}: expected sha256 {PUBLISHED[UNET]}, found " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "name", "value", "message"),
    [
        (UNET, "conv_in.bias", None, "expected weights conv_in.bias [8], found none"),
        (UNET, "conv_in.bias", np.zeros(9), "expected weights conv_in.bias [8], got [9]"),
        (VAE, "decoder.conv_out.bias", np.full(3, NAN), "expected finite numbers in decoder.conv_out.bias"),
        (VAE, "encoder.more", np.zeros(1), "expected no further weights, got 1, such as encoder.more"),
        (WHISPER, "model.encoder.more", np.zeros(1), "expected no further weights, got 1, such as model.encoder.more"),
    ],
)
def test_weights_of_another_network_are_refused(
    path: str, name: str, value: Array | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = speaking()
    if value is None:
        del found[path][name]
    else:
        found[path][name] = value
    write(tmp_path / "weights", found)
    assert build(tmp_path / "weights", tmp_path / "out", tmp_path / "weights/SHA256SUMS") == 1
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def config_of(folder: Path, path: str, text: str) -> NetworkConfig:
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)
    return NetworkConfig(folder, path)


@pytest.mark.parametrize(
    ("path", "key", "value", "message"),
    [
        (UNET_CONFIG, "in_channels", 4, "musetalk.json: expected in_channels 8, got 4"),
        (VAE_CONFIG, "latent_channels", 16, "sd-vae/config.json: expected latent_channels 4, got 16"),
        (VAE_CONFIG, "block_out_channels", [8], "sd-vae/config.json: expected four block_out_channels, got [8]"),
        (WHISPER_CONFIG, "d_model", 512, "whisper/config.json: expected d_model 384, got 512"),
    ],
)
def test_a_network_that_is_built_otherwise_is_refused(path: str, key: str, value: Any, message: str, tmp_path: Path) -> None:
    check = {UNET_CONFIG: unet.check_config, VAE_CONFIG: vae.check_config, WHISPER_CONFIG: whisper.check_config}[path]
    check(config_of(tmp_path, path, json.dumps(CONFIGS[path])))
    with pytest.raises(BadWeightsError, match=re.escape(message)):
        check(config_of(tmp_path, path, json.dumps({**CONFIGS[path], key: value})))


@pytest.mark.parametrize(
    ("path", "key"),
    [(UNET_CONFIG, "norm_eps"), (VAE_CONFIG, "block_out_channels"), (WHISPER_CONFIG, "num_mel_bins")],
)
def test_an_entry_that_a_description_lacks_is_told(
    path: str, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "weights"
    write(folder, speaking())
    lacking = {name: value for name, value in CONFIGS[path].items() if name != key}
    (folder / path).write_text(json.dumps(lacking))
    write_sums(folder)
    assert build(folder, tmp_path / "out", folder / "SHA256SUMS") == 1
    assert f"{path}: expected {key}, found none" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "\xff"])
def test_a_description_that_is_no_json_object_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadWeightsError, match=r"config\.json: expected (JSON|a JSON object)"):
        config_of(tmp_path, VAE_CONFIG, text)


def test_a_missing_file_a_missing_hash_and_a_list_that_is_none_are_told(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = tmp_path / "sums"
    sums.write_text((weights / "SHA256SUMS").read_text().replace(WHISPER_CONFIG, "another"))
    assert build(weights, tmp_path / "out", sums) == 1
    assert f"expected a SHA-256 of {WHISPER_CONFIG}, found none" in capsys.readouterr().err
    sums.write_text("abc\n")
    assert build(weights, tmp_path / "out", sums) == 1
    assert "expected lines of a hash and a path" in capsys.readouterr().err
    assert build(tmp_path, tmp_path / "out") == 1
    assert f"expected {UNET} in {tmp_path}, found no such file" in capsys.readouterr().err


def test_a_file_of_torch_itself_is_read() -> None:
    found = StateDict(GOLDEN.parent / "torch.pth")
    numbers = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(found["whole"], numbers)
    np.testing.assert_array_equal(found["turned"], numbers[1].T)
    np.testing.assert_array_equal(found["half"], numbers)
    np.testing.assert_array_equal(found["brain"], numbers)
    assert found["count"] == 7
    assert len(found) == len(list(found)) == 5


def archive(path: Path, described: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as written:
        written.writestr("some/data.pkl", described)
    return path


class Harmful:
    """What a pickle of weights must not be able to do."""

    def __reduce__(self) -> Any:
        return print, ("harm",)


@pytest.mark.parametrize(
    ("described", "message"),
    [
        (pickle.dumps({"a": Harmful()}), r"it wants to call (builtins|__builtin__)\.print"),
        (pickle.dumps({"a": 1}), "expected tensors by name and nothing else"),
        (pickle.dumps([1]), "expected tensors by name and nothing else"),
        (pickle.dumps({"a": 1})[:-4], "cannot read it"),
        (b"", "cannot read it"),
    ],
)
def test_a_file_that_is_no_state_dict_is_refused_before_it_does_anything(
    described: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadWeightsError, match=message):
        StateDict(archive(tmp_path / "bad.pth", described))
    assert capsys.readouterr().out == ""


def test_a_tensor_beyond_its_numbers_and_a_file_that_is_no_archive_are_refused(tmp_path: Path) -> None:
    write_torch(tmp_path / "short.pth", {"a": np.zeros(4, np.float32)})
    with zipfile.ZipFile(tmp_path / "short.pth") as whole, zipfile.ZipFile(tmp_path / "cut.pth", "w") as cut:
        for name in whole.namelist():
            cut.writestr(name, whole.read(name)[: 12 if name.endswith("data/0") else None])
    with pytest.raises(BadWeightsError, match="a reaches beyond its 3 numbers"):
        StateDict(tmp_path / "cut.pth")["a"]
    (tmp_path / "none.pth").write_bytes(b"not a zip archive")
    with pytest.raises(BadWeightsError, match=r"expected a file that torch\.save wrote"):
        StateDict(tmp_path / "none.pth")


def test_the_speaking_networks_are_written_under_the_published_names() -> None:
    assert {path: values.keys() for path, values in speaking().items()} == {
        path: values.keys() for path, values in filled(random_value).items()
    }
