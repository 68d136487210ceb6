"""Makes tests/golden/musetalk.npz and torch.pth: what diffusers and transformers answer for the networks of tests/musetalk.py.

They are no part of the service. In an environment of their own, from inference/:
pip install torch==2.13.0 diffusers==0.42.1 transformers==5.23.0 "numpy<2"; PYTHONPATH=.:.. python bench/musetalk_golden.py
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from inference.build.musetalk.published import UNET, UNET_CONFIG, VAE, VAE_CONFIG, WHISPER, WHISPER_CONFIG
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperModel

from tests.musetalk import CONFIGS, latents, pictures, random_value, sound, speech

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
OLD_NAMES = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
"""Parts of an attention as diffusers names them, and as the published autoencoder of 2022 does."""
DECODER = {"decoder_attention_heads": 6, "decoder_ffn_dim": 32, "decoder_layers": 1, "vocab_size": 60}
TOKENS = {"bos_token_id": 1, "decoder_start_token_id": 1, "eos_token_id": 1, "pad_token_id": 1}
"""What is not looked at, as small as can be."""


def old_name(name: str) -> str:
    """As the published autoencoder names it."""
    for new, old in OLD_NAMES.items():
        name = name.replace(f".{new}.", f".{old}.")
    return name


def filled(model: Any, published: Any) -> tuple[Any, dict[str, list[int]]]:
    """The model with the weights of random_value(), and their shapes by their published names."""
    found = {published(name): list(value.shape) for name, value in model.state_dict().items()}
    names = {name: published(name) for name in model.state_dict()}
    model.load_state_dict({name: torch.from_numpy(random_value(at, found[at])) for name, at in names.items()})
    return model.eval(), found


def positions(count: int, width: int) -> torch.Tensor:
    """The positional encoding that MuseTalk adds to what is heard (Vaswani et al. 2017)."""
    angles = torch.arange(float(count))[:, None] / 10000 ** (torch.arange(0.0, width, 2) / width)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(1, count, width)


def main() -> None:
    torch.set_num_threads(1)
    unet, unet_shapes = filled(UNet2DConditionModel(**_arguments(UNET_CONFIG)), str)
    vae, vae_shapes = filled(AutoencoderKL(**_arguments(VAE_CONFIG)), old_name)
    config = WhisperConfig(**_arguments(WHISPER_CONFIG), **DECODER, **TOKENS)
    whisper, whisper_shapes = filled(WhisperModel(config), "model.{}".format)
    heard = torch.from_numpy(speech()) + positions(50, 384)
    with torch.no_grad():
        painted = unet(torch.from_numpy(latents()), torch.tensor([0]), encoder_hidden_states=heard).sample
        mel = WhisperFeatureExtractor(chunk_length=2)(sound(), sampling_rate=16000, return_tensors="pt").input_features
        states = torch.stack(whisper.encoder(mel, output_hidden_states=True).hidden_states, dim=2)[0]
        np.savez_compressed(
            GOLDEN / "musetalk.npz",
            shapes=json.dumps({UNET: unet_shapes, VAE: vae_shapes, WHISPER: whisper_shapes}),
            encoded=vae.encode(torch.from_numpy(pictures())).latent_dist.mean * 0.18215,
            painted=painted,
            decoded=vae.decode(painted / 0.18215).sample[..., ::8, ::8],
            mel=mel,
            states=states[::10],
        )
    numbers = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    torch.save(
        {
            "whole": numbers,
            "turned": numbers[1].T,
            "half": numbers.half(),
            "brain": numbers.bfloat16(),
            "count": torch.tensor(7),
        },
        GOLDEN / "torch.pth",
    )


def _arguments(path: str) -> dict[str, Any]:
    return {key: value for key, value in CONFIGS[path].items() if key not in ("_class_name", "model_type")}


if __name__ == "__main__":
    main()
