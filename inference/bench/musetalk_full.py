"""Networks of the published sizes with random weights: saved by torch, converted, their answers compared with the originals'.

In the environment of musetalk_golden.py with onnx and onnxruntime: PYTHONPATH=.:.. python bench/musetalk_full.py FOLDER
It takes 8 GB in the folder and 4 GB of memory, and prints sizes, seconds and the largest differences.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from inference.build.musetalk.published import UNET, UNET_CONFIG, VAE, VAE_CONFIG, WHISPER, WHISPER_CONFIG, sha256
from inference.build.musetalk.release import write_release
from transformers import WhisperConfig, WhisperModel

from bench.musetalk_golden import old_name, positions
from tests.musetalk import CONFIGS, latents, pictures, speech

Array = npt.NDArray[Any]
SIZES: dict[str, dict[str, Any]] = {
    UNET_CONFIG: {"block_out_channels": [320, 640, 1280, 1280], "norm_num_groups": 32, "attention_head_dim": 8},
    VAE_CONFIG: {"block_out_channels": [128, 256, 512, 512], "norm_num_groups": 32},
    WHISPER_CONFIG: {"encoder_ffn_dim": 1536, "max_source_positions": 1500},
}


def main(folder: Path) -> None:
    torch.manual_seed(0)
    for path, sizes in SIZES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps({**CONFIGS[path], **sizes}))
    with torch.no_grad():
        expected = {**_paint(folder), **_see(folder), **_hear(folder)}
    began = time.monotonic()
    sums = {path: sha256(folder / path) for path in (UNET, VAE, WHISPER)}
    write_release(folder, folder / "release", "studio", "full", sums)
    print(f"converted in {time.monotonic() - began:.0f} s")
    for name, (inputs, answer) in expected.items():
        _compare(folder / f"release/mouth_render_studio/1/{name}.onnx", inputs, answer)


Expected = dict[str, tuple[list[Array], Array]]


def _paint(folder: Path) -> Expected:
    unet = UNet2DConditionModel(**_arguments(UNET_CONFIG)).eval()
    _save(folder / UNET, unet, str)
    heard = torch.from_numpy(speech()) + positions(50, 384)
    painted = unet(torch.from_numpy(latents()), torch.tensor([0]), encoder_hidden_states=heard).sample.numpy()
    return {"unet": ([latents(), speech()], painted)}


def _see(folder: Path) -> Expected:
    vae = AutoencoderKL(**_arguments(VAE_CONFIG)).eval()
    _save(folder / VAE, vae, old_name)
    encoded = (vae.encode(torch.from_numpy(pictures())).latent_dist.mean * 0.18215).numpy()
    decoded = vae.decode(torch.from_numpy(encoded[:1]) / 0.18215).sample.numpy()
    return {"encoder": ([pictures()], encoded), "decoder": ([encoded[:1]], decoded)}


def _hear(folder: Path) -> Expected:
    decoder = {"decoder_attention_heads": 6, "decoder_ffn_dim": 1536, "decoder_layers": 4}
    whisper = WhisperModel(WhisperConfig(**_arguments(WHISPER_CONFIG), **decoder)).eval()
    _save(folder / WHISPER, whisper, "model.{}".format)
    mel = np.random.default_rng(0).standard_normal((1, 80, 3000)).astype(np.float32)
    states = whisper.encoder(torch.from_numpy(mel), output_hidden_states=True).hidden_states
    return {"speech": ([mel], torch.stack(states, dim=2)[0].numpy())}


def _arguments(path: str) -> dict[str, Any]:
    return {key: value for key, value in {**CONFIGS[path], **SIZES[path]}.items() if key not in ("_class_name", "model_type")}


def _save(path: Path, model: Any, published: Callable[[str], str]) -> None:
    torch.save({published(name): value for name, value in model.state_dict().items()}, path)
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def _compare(path: Path, inputs: list[Array], expected: Array) -> None:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    began = time.monotonic()
    (answer,) = session.run(None, dict(zip(names, inputs, strict=True)))
    difference, largest = np.abs(answer - expected).max(), np.abs(expected).max()
    print(f"{path.stem}: {time.monotonic() - began:.1f} s, differs by {difference:.1e} of {largest:.1f} at most")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
