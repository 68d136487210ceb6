"""The network that paints the mouth (`UNet2DConditionModel` of diffusers, as stable-diffusion-v1-4 has it), at time step 0.

MuseTalk takes one step and no noise (Zhang et al. 2024, arXiv 2410.10122), so all that the time adds is constant here.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .layers import convolution, doubled, from_tokens, group_norm, halved, joined, residual, silu, to_tokens
from .network import Array, Network, Value
from .network_config import NetworkConfig

SIDE = 32
"""Of the latents of a picture of 256 x 256."""
TOKENS, WIDTH = 50, 384
"""Speech round a frame: 10 steps of 20 ms with five states of whisper-tiny each."""
CROSS, PLAIN = ["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"], ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3


def check_config(config: NetworkConfig) -> None:
    """Raises BadWeightsError for a network that is built otherwise."""
    config.check(
        {
            "_class_name": "UNet2DConditionModel",
            "act_fn": "silu",
            "center_input_sample": False,
            "cross_attention_dim": WIDTH,
            "down_block_types": CROSS,
            "downsample_padding": 1,
            "flip_sin_to_cos": True,
            "freq_shift": 0,
            "in_channels": 8,
            "mid_block_scale_factor": 1,
            "out_channels": 4,
            "up_block_types": PLAIN,
        }
    )


def write_unet(path: Path, config: NetworkConfig, weights: Mapping[str, Array]) -> None:
    """`latents` 1 x 8 x 32 x 32 (masked, reference) and `speech` 1 x 50 x 384 to `painted` 1 x 4 x 32 x 32."""
    with Network(path, weights) as net:
        painter = _Painter(net, config)
        latents = net.input("latents", 1, 8, SIDE, SIDE)
        speech = net.add(net.input("speech", 1, TOKENS, WIDTH), net.constant(positions(TOKENS, WIDTH)[None]))
        net.output("painted", painter.paint(latents, speech))
        net.save()


def positions(count: int, width: int) -> Array:
    """[count, width]: sines and cosines of each place, by turns (Vaswani et al. 2017)."""
    angles = np.arange(count)[:, None] * np.exp(np.arange(0, width, 2) * (-np.log(10000.0) / width))
    return np.asarray(np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(count, width), np.float32)


class _Painter:
    """The blocks of the network, all of one config."""

    def __init__(self, net: Network, config: NetworkConfig) -> None:
        self.net = net
        self.widths: list[int] = config["block_out_channels"]
        self.layers: int = config["layers_per_block"]
        self.groups: int = config["norm_num_groups"]
        self.epsilon: float = config["norm_eps"]
        self.heads: int = config["attention_head_dim"]  # diffusers' name; what it holds is the number of heads
        self.time = self._time()

    def paint(self, latents: Value, speech: Value) -> Value:
        net, widths, last = self.net, self.widths, len(self.widths) - 1
        x = convolution(net, latents, "conv_in", widths[0])
        skipped = [x]
        for level, width in enumerate(widths):
            for number in range(self.layers):
                x = self._layer(x, f"down_blocks.{level}", number, width, speech if level < last else None)
                skipped.append(x)
            if level < last:
                x = halved(net, x, f"down_blocks.{level}.downsamplers.0", [1] * 4)
                skipped.append(x)
        x = self._residual(x, "mid_block.resnets.0", widths[-1])
        x = self._residual(self._attend(x, "mid_block.attentions.0", speech), "mid_block.resnets.1", widths[-1])
        for level, width in enumerate(reversed(widths)):
            for number in range(self.layers + 1):
                x = joined(net, x, skipped.pop())
                x = self._layer(x, f"up_blocks.{level}", number, width, speech if level > 0 else None)
            if level < last:
                x = doubled(net, x, f"up_blocks.{level}.upsamplers.0")
        x = silu(net, group_norm(net, x, "conv_norm_out", self.groups, self.epsilon))
        return convolution(net, x, "conv_out", 4)

    def _layer(self, x: Value, block: str, number: int, width: int, speech: Value | None) -> Value:
        x = self._residual(x, f"{block}.resnets.{number}", width)
        return x if speech is None else self._attend(x, f"{block}.attentions.{number}", speech)

    def _residual(self, x: Value, name: str, width: int) -> Value:
        stored = self.net.stored
        weight = stored(f"{name}.time_emb_proj.weight", width, len(self.time))
        late = weight @ _silu(self.time) + stored(f"{name}.time_emb_proj.bias", width)
        return residual(self.net, x, name, width, self.groups, self.epsilon, bias=late)

    def _time(self) -> Array:
        """What the network makes of time step 0, whose cosines are all 1 and sines 0."""
        width = self.widths[0]
        stored = self.net.stored
        seen = np.repeat(np.array([1, 0], np.float32), width // 2)
        for number, inputs in ((1, width), (2, 4 * width)):
            name = f"time_embedding.linear_{number}"
            seen = stored(f"{name}.weight", 4 * width, inputs) @ seen + stored(f"{name}.bias", 4 * width)
            seen = _silu(seen) if number == 1 else seen
        return seen

    def _attend(self, x: Value, name: str, speech: Value) -> Value:
        """A Transformer2DModel of one block: pixels look at each other, then at the speech."""
        net, width, block = self.net, x.shape[1], f"{name}.transformer_blocks.0"
        inner = convolution(net, group_norm(net, x, f"{name}.norm", self.groups, 1e-6), f"{name}.proj_in", width, kernel=1)
        tokens = to_tokens(net, inner)
        own = net.layer_norm(tokens, f"{block}.norm1")
        tokens = net.add(tokens, self._look(own, own, f"{block}.attn1"))
        tokens = net.add(tokens, self._look(net.layer_norm(tokens, f"{block}.norm2"), speech, f"{block}.attn2"))
        tokens = net.add(tokens, self._forward(net.layer_norm(tokens, f"{block}.norm3"), f"{block}.ff.net"))
        return net.add(x, convolution(net, from_tokens(net, tokens, x.shape), f"{name}.proj_out", width, kernel=1))

    def _look(self, tokens: Value, at: Value, name: str) -> Value:
        net, width = self.net, tokens.shape[-1]
        query, key, value = (
            net.linear(source, f"{name}.to_{which}", width, bias=False)
            for which, source in (("q", tokens), ("k", at), ("v", at))
        )
        return net.linear(net.attention(query, key, value, self.heads), f"{name}.to_out.0", width)

    def _forward(self, tokens: Value, name: str) -> Value:
        """A gated layer (GEGLU: Shazeer 2020) and one back to the width."""
        net, width = self.net, tokens.shape[-1]
        both = net.linear(tokens, f"{name}.0.proj", 8 * width)
        half = (*tokens.shape[:-1], 4 * width)
        kept, gate = (
            net.node("Slice", [both, *(net.constant(np.array([at], np.int64)) for at in (start, start + 4 * width, 2))], half)
            for start in (0, 4 * width)
        )
        return net.linear(net.multiply(kept, net.gelu(gate)), f"{name}.2", width)


def _silu(values: Array) -> Array:
    return np.asarray(values / (1 + np.exp(-values)), np.float32)
