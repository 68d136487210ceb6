"""The encoder of whisper-tiny (Radford et al. 2022): what MuseTalk hears."""

from collections.abc import Mapping
from pathlib import Path

from .network import Array, Network, Value
from .network_config import NetworkConfig
from .unet import WIDTH

LAYERS = 4
"""With the input of the first these are the five states that the painting network was trained on."""


def check_config(config: NetworkConfig) -> None:
    """Raises BadWeightsError for another network than the painting one was trained on."""
    config.check({"model_type": "whisper", "d_model": WIDTH, "encoder_layers": LAYERS, "activation_function": "gelu"})


def write_whisper(path: Path, config: NetworkConfig, weights: Mapping[str, Array]) -> None:
    """`mel` 1 x bands x 2n, steps of 10 ms, to `states` n x 5 x 384, steps of 20 ms."""
    bands, steps = config["num_mel_bins"], config["max_source_positions"]
    with Network(path, weights) as net:
        # The published file holds the whole model, whose parts begin with "model.".
        name = "model.encoder" if "model.encoder.conv1.weight" in weights else "encoder"
        mel = net.input("mel", 1, bands, 2 * steps)
        x = net.gelu(_convolution(net, net.gelu(_convolution(net, mel, f"{name}.conv1", 1)), f"{name}.conv2", 2))
        x = net.add(net.transpose(x, 0, 2, 1), net.weight(f"{name}.embed_positions.weight", steps, WIDTH))
        states = [x]
        for number in range(LAYERS):
            x = _layer(net, x, f"{name}.layers.{number}", config)
            states.append(x)
        states[-1] = net.layer_norm(x, f"{name}.layer_norm")
        apart = [net.reshape(state, steps, 1, WIDTH) for state in states]
        net.output("states", net.node("Concat", apart, (steps, len(apart), WIDTH), axis=1))
        net.save(but=(name.replace("encoder", "decoder"), "proj_out."))


def _convolution(net: Network, x: Value, name: str, stride: int) -> Value:
    weight, bias = net.weight(f"{name}.weight", WIDTH, x.shape[1], 3), net.weight(f"{name}.bias", WIDTH)
    shape = (1, WIDTH, x.shape[2] // stride)
    return net.node("Conv", [x, weight, bias], shape, kernel_shape=[3], pads=[1, 1], strides=[stride])


def _layer(net: Network, x: Value, name: str, config: NetworkConfig) -> Value:
    seen = net.layer_norm(x, f"{name}.self_attn_layer_norm")
    query, key, value = (
        net.linear(seen, f"{name}.self_attn.{which}_proj", WIDTH, bias=which != "k") for which in ("q", "k", "v")
    )
    mixed = net.attention(query, key, value, config["encoder_attention_heads"])
    x = net.add(x, net.linear(mixed, f"{name}.self_attn.out_proj", WIDTH))
    inner = net.gelu(net.linear(net.layer_norm(x, f"{name}.final_layer_norm"), f"{name}.fc1", config["encoder_ffn_dim"]))
    return net.add(x, net.linear(inner, f"{name}.fc2", WIDTH))
