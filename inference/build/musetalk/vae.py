"""The image autoencoder (`AutoencoderKL` of diffusers): a picture of 256 x 256 as 4 channels of 32 x 32, and back."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from .layers import convolution, doubled, from_tokens, group_norm, halved, residual, silu, to_tokens
from .network import Array, Network, Value
from .network_config import NetworkConfig
from .published import VAE_CONFIG
from .torch_file import BadWeightsError

SIDE = 256
LEVELS = 4
"""Of halving and doubling, the first of which keeps the size."""
EPSILON = 1e-6
SCALING = 0.18215
"""What latents are multiplied with: `scaling_factor` of diffusers where the config names none."""
OLD_NAMES = {"query": "to_q", "key": "to_k", "value": "to_v", "proj_attn": "to_out.0"}
"""How the published file, of 2022, names the parts of an attention, and how diffusers does since."""


def with_new_names(weights: Mapping[str, Array]) -> Mapping[str, Array]:
    """The weights under today's names."""
    return _Renamed(weights, {_renamed(name): name for name in weights})


def _renamed(name: str) -> str:
    return ".".join(OLD_NAMES.get(part, part) for part in name.split("."))


class _Renamed(Mapping[str, Array]):
    """Weights that are read by other names than they are stored under. names: the stored ones by the others."""

    def __init__(self, weights: Mapping[str, Array], names: dict[str, str]) -> None:
        self._weights, self._names = weights, names

    def __getitem__(self, name: str) -> Array:
        return self._weights[self._names[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def check_config(config: NetworkConfig) -> None:
    """Raises BadWeightsError for an autoencoder that is built otherwise."""
    config.check(
        {
            "_class_name": "AutoencoderKL",
            "act_fn": "silu",
            "down_block_types": ["DownEncoderBlock2D"] * LEVELS,
            "up_block_types": ["UpDecoderBlock2D"] * LEVELS,
            "in_channels": 3,
            "out_channels": 3,
            "latent_channels": 4,
        }
    )
    if len(config["block_out_channels"]) != LEVELS:
        raise BadWeightsError(f"{VAE_CONFIG}: expected four block_out_channels, got {config['block_out_channels']}")


def write_encoder(path: Path, config: NetworkConfig, weights: Mapping[str, Array]) -> None:
    """`pictures` 2 x 3 x 256 x 256 RGB, -1..1, to `latents` 2 x 4 x 32 x 32: the mean of the distribution, scaled."""
    with Network(path, _part(weights, "encoder.", "quant_conv.")) as net:
        widths, groups = config["block_out_channels"], config["norm_num_groups"]
        x = convolution(net, net.input("pictures", 2, 3, SIDE, SIDE), "encoder.conv_in", widths[0])
        for level, width in enumerate(widths):
            name = f"encoder.down_blocks.{level}"
            for number in range(config["layers_per_block"]):
                x = residual(net, x, f"{name}.resnets.{number}", width, groups, EPSILON)
            if level < len(widths) - 1:
                x = halved(net, x, f"{name}.downsamplers.0", [0, 0, 1, 1])
        x = _end(net, _middle(net, x, "encoder", groups), "encoder", 8, groups)
        moments = convolution(net, x, "quant_conv", 8, kernel=1)
        ends = [net.constant(np.array([at], np.int64)) for at in (0, 4, 1)]
        mean = net.node("Slice", [moments, *ends], (2, 4, *moments.shape[2:]))
        net.output("latents", net.scaled(mean, config.get("scaling_factor", SCALING)))
        net.save()


def write_decoder(path: Path, config: NetworkConfig, weights: Mapping[str, Array]) -> None:
    """`latents` 1 x 4 x 32 x 32 to `picture` 1 x 3 x 256 x 256 RGB, -1..1."""
    with Network(path, _part(weights, "decoder.", "post_quant_conv.")) as net:
        widths, groups = config["block_out_channels"], config["norm_num_groups"]
        latents = net.scaled(net.input("latents", 1, 4, SIDE // 8, SIDE // 8), 1 / config.get("scaling_factor", SCALING))
        x = convolution(net, convolution(net, latents, "post_quant_conv", 4, kernel=1), "decoder.conv_in", widths[-1])
        x = _middle(net, x, "decoder", groups)
        for level, width in enumerate(reversed(widths)):
            name = f"decoder.up_blocks.{level}"
            for number in range(config["layers_per_block"] + 1):
                x = residual(net, x, f"{name}.resnets.{number}", width, groups, EPSILON)
            if level < len(widths) - 1:
                x = doubled(net, x, f"{name}.upsamplers.0")
        net.output("picture", _end(net, x, "decoder", 3, groups))
        net.save()


def _part(weights: Mapping[str, Array], *starts: str) -> Mapping[str, Array]:
    return _Renamed(weights, {name: name for name in weights if name.startswith(starts)})


def _middle(net: Network, x: Value, part: str, groups: int) -> Value:
    width, name = x.shape[1], f"{part}.mid_block"
    x = residual(net, x, f"{name}.resnets.0", width, groups, EPSILON)
    tokens = to_tokens(net, group_norm(net, x, f"{name}.attentions.0.group_norm", groups, EPSILON))
    query, key, value = (net.linear(tokens, f"{name}.attentions.0.to_{which}", width) for which in "qkv")
    seen = net.linear(net.attention(query, key, value, heads=1), f"{name}.attentions.0.to_out.0", width)
    return residual(net, net.add(x, from_tokens(net, seen, x.shape)), f"{name}.resnets.1", width, groups, EPSILON)


def _end(net: Network, x: Value, part: str, outputs: int, groups: int) -> Value:
    normal = group_norm(net, x, f"{part}.conv_norm_out", groups, EPSILON)
    return convolution(net, silu(net, normal), f"{part}.conv_out", outputs)
