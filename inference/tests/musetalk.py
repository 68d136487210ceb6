"""Tiny networks with the names and the outer shapes of the published ones, and files of them as torch.save writes them.

python -m tests.musetalk FOLDER writes the weights of `speaking()` and their hashes, SHA256SUMS.
"""

import hashlib
import json
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from inference.build.musetalk.published import PUBLISHED, UNET, UNET_CONFIG, VAE, VAE_CONFIG, WHISPER, WHISPER_CONFIG

Array = npt.NDArray[Any]
Weights = dict[str, Array]

GOLDEN = Path(__file__).parent / "golden" / "musetalk.npz"
"""Made by bench/musetalk_golden.py: the names and shapes that diffusers and transformers have, and what they answer."""

UNET_SIZES = {"block_out_channels": [8, 16, 16, 24], "norm_num_groups": 4, "attention_head_dim": 4}
VAE_SIZES = {"block_out_channels": [4, 8, 8, 8], "norm_num_groups": 2}
WHISPER_SIZES = {"encoder_ffn_dim": 64, "max_source_positions": 100}
"""What is smaller than published. 100 positions are 2 s of sound; published are 1500, 30 s."""

CONFIGS: dict[str, dict[str, Any]] = {
    UNET_CONFIG: {
        "_class_name": "UNet2DConditionModel",
        "act_fn": "silu",
        "center_input_sample": False,
        "cross_attention_dim": 384,
        "down_block_types": ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"],
        "downsample_padding": 1,
        "flip_sin_to_cos": True,
        "freq_shift": 0,
        "in_channels": 8,
        "layers_per_block": 2,
        "mid_block_scale_factor": 1,
        "norm_eps": 1e-05,
        "out_channels": 4,
        "sample_size": 64,
        "up_block_types": ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3,
        **UNET_SIZES,
    },
    VAE_CONFIG: {
        "_class_name": "AutoencoderKL",
        "act_fn": "silu",
        "down_block_types": ["DownEncoderBlock2D"] * 4,
        "up_block_types": ["UpDecoderBlock2D"] * 4,
        "in_channels": 3,
        "latent_channels": 4,
        "layers_per_block": 2,
        "out_channels": 3,
        "sample_size": 256,
        **VAE_SIZES,
    },
    WHISPER_CONFIG: {
        "model_type": "whisper",
        "activation_function": "gelu",
        "d_model": 384,
        "encoder_attention_heads": 6,
        "encoder_layers": 4,
        "num_mel_bins": 80,
        **WHISPER_SIZES,
    },
}


def shapes(path: str) -> dict[str, list[int]]:
    """Of the weights in one of the published files, under the names that it has."""
    found: dict[str, list[int]] = json.loads(str(np.load(GOLDEN)["shapes"]))[path]
    return found


def random_value(name: str, shape: list[int]) -> Array:
    """The same for the same name, of a size that lets no layer die."""
    values = np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape)
    if name.endswith("norm.weight") or ("norm" in name.split(".")[-2] and name.endswith("weight")):
        return (1 + 0.1 * values).astype(np.float32)
    share = 0.1 if name.endswith("bias") else 1 / np.sqrt(float(np.prod(shape[1:])))
    return (share * values).astype(np.float32)


def pictures() -> Array:
    return np.random.default_rng(1).uniform(-1, 1, (2, 3, 256, 256)).astype(np.float32)


def latents() -> Array:
    return np.random.default_rng(2).standard_normal((1, 8, 32, 32)).astype(np.float32)


def speech() -> Array:
    return np.random.default_rng(3).standard_normal((1, 50, 384)).astype(np.float32)


def sound() -> Array:
    """2 s of noise that grows louder."""
    return (np.random.default_rng(4).standard_normal(32000) * np.linspace(0, 0.3, 32000)).astype(np.float32)


def filled(value: Callable[[str, list[int]], Array]) -> dict[str, Weights]:
    """All weights by file and name."""
    return {path: {name: value(name, shape) for name, shape in shapes(path).items()} for path in (UNET, VAE, WHISPER)}


def write(folder: Path, weights: dict[str, Weights]) -> None:
    """The files with their configs, and SHA256SUMS of all of them."""
    for path, values in weights.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_torch(folder / path, values)
    for path, config in CONFIGS.items():
        (folder / path).write_text(json.dumps(config))
    write_sums(folder)


def write_sums(folder: Path) -> None:
    """SHA256SUMS of all files."""
    sums = [f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" for path in PUBLISHED]
    (folder / "SHA256SUMS").write_text("".join(sums))


def write_torch(path: Path, values: Weights) -> None:
    """A state dict of float32 as torch.save writes it: opcodes of pickle's protocol 2, and the numbers of each tensor."""
    entries = []
    with zipfile.ZipFile(path, "w") as archive:
        for key, (name, value) in enumerate(values.items()):
            numbers = _text("storage") + b"ctorch\nFloatStorage\n" + _text(str(key)) + _text("cpu") + _int(value.size)
            strides = [step // value.itemsize for step in value.strides]
            view = _int(0) + _tuple(value.shape) + _tuple(strides) + b"\x89ccollections\nOrderedDict\n)R"
            entries.append(_text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + numbers + b"tQ" + view + b"tR")
            archive.writestr(f"{path.stem}/data/{key}", value.astype("<f4").tobytes())
        archive.writestr(f"{path.stem}/data.pkl", b"\x80\x02}(" + b"".join(entries) + b"u.")
        archive.writestr(f"{path.stem}/byteorder", b"little")


def _text(value: str) -> bytes:
    return b"X" + len(value.encode()).to_bytes(4, "little") + value.encode()


def _int(value: int) -> bytes:
    return b"J" + value.to_bytes(4, "little", signed=True)


def _tuple(values: Any) -> bytes:
    return b"(" + b"".join(_int(value) for value in values) + b"t"


def speaking() -> dict[str, Weights]:
    """Networks whose answer is known: they paint the reference, as it is where the sound is loud and as a negative in silence.

    Nearly all weights are 0, so that residual blocks pass on what they get; one channel carries each of the quantities named
    below. GroupNorm would divide a quantity by its own size; beside a constant of LARGE in its group it only divides by that.
    """
    weights = filled(lambda name, shape: np.full(shape, float(name.endswith("weight") and "norm" in name), np.float32))
    _hearing(weights[WHISPER])
    _seeing(weights[VAE])
    _painting(weights[UNET])
    return weights


LARGE, LIFT = 20.0, 6.0
"""LIFT keeps SiLU, which cuts what is below 0, in its linear part."""


def _hearing(w: Weights) -> None:
    """Channel 0 of a state: the mean of the log-mel bands and 4."""
    w["model.encoder.conv1.weight"][0, :, 1] = 1 / 80
    w["model.encoder.conv1.bias"][0] = 4
    w["model.encoder.conv2.weight"][0, 0, 1] = 1
    w["model.encoder.layer_norm.weight"][:] = 0


def _seeing(w: Weights) -> None:
    """Latent 0: the picture's luma, coarsely; and back from latent 0 to a grey picture."""
    w["encoder.conv_in.weight"][0, :, 1, 1] = (0.3, 0.6, 0.1)
    for level in range(3):
        w[f"encoder.down_blocks.{level}.downsamplers.0.conv.weight"][0, 0] = 1 / 9
        w[f"decoder.up_blocks.{level}.upsamplers.0.conv.weight"][0, 0, 1, 1] = 1
    w["encoder.down_blocks.1.resnets.0.conv_shortcut.weight"][0, 0] = 1
    w["encoder.conv_norm_out.bias"][0] = LIFT
    w["encoder.conv_out.weight"][0, 0, 1, 1] = 1
    w["quant_conv.weight"][0, 0] = w["post_quant_conv.weight"][0, 0] = 1
    w["decoder.conv_in.weight"][0, 0, 1, 1] = 0.18215
    w["decoder.up_blocks.3.resnets.0.conv_shortcut.weight"][0, 0] = 1
    w["decoder.up_blocks.3.resnets.0.conv_shortcut.bias"][1] = LARGE
    _linear(w, "decoder.conv_norm_out")
    w["decoder.conv_out.weight"][:, 0, 1, 1] = 0.5
    w["decoder.conv_out.bias"][:] = -0.2 - 0.5 * LIFT


def _painting(w: Weights) -> None:
    """Channel 0 hears, channel 1 sees the reference, their product goes to channel 5 and from there to latent 0."""
    first = "down_blocks.0.attentions.0"
    block = f"{first}.transformer_blocks.0"
    w["conv_in.weight"][1, 4, 1, 1] = 1
    w["conv_in.bias"][2:4] = (1, -1)  # keeps LayerNorm from dividing the others by their own size
    for channel in (1, 2, 3):
        w[f"{first}.proj_in.weight"][channel, channel] = 1
    w[f"{block}.attn2.to_v.weight"][0, 0] = 1
    w[f"{block}.attn2.to_out.0.weight"][0, 0] = 1
    w[f"{block}.attn2.to_out.0.bias"][0] = -2.6  # 2 is heard in silence, 3.7 in noise
    w[f"{block}.ff.net.0.proj.weight"][0, 0] = 1
    w[f"{block}.ff.net.0.proj.weight"][32, 1] = 3
    w[f"{block}.ff.net.2.weight"][4, 0] = 1
    w[f"{first}.proj_out.weight"][5, 4] = 1
    w["up_blocks.3.resnets.0.conv_shortcut.weight"][0, 16 + 5] = 1
    w["up_blocks.3.resnets.1.conv_shortcut.weight"][0, 0] = 1
    w["up_blocks.3.resnets.2.conv_shortcut.weight"][0, 0] = 1
    w["up_blocks.3.resnets.2.conv_shortcut.bias"][1] = LARGE
    _linear(w, "conv_norm_out")
    w["conv_out.weight"][0, 0, 1, 1] = 1
    w["conv_out.bias"][0] = -LIFT


def _linear(w: Weights, norm: str) -> None:
    """Channel 0 comes out of the norm as it went in, and LIFT higher. In its group it is alone with zeros and a LARGE."""
    members = len(w[f"{norm}.weight"]) // (4 if norm == "conv_norm_out" else 2)
    mean, deviation = LARGE / members, LARGE * np.sqrt(members - 1) / members
    w[f"{norm}.weight"][0], w[f"{norm}.bias"][0] = deviation, mean + LIFT


if __name__ == "__main__":
    write(Path(sys.argv[1]), speaking())
