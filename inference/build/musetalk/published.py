"""Which files the weights are, and what they must hash to.

The files and folders are those of `download_weights.sh` of https://github.com/TMElyralab/MuseTalk. The hashes were not computed
here, where none of these files can be downloaded: they are those on which several independent public projects agree that pin
them. With --sha256 an operator names others, for weights of their own.
"""

import hashlib
from pathlib import Path

from .torch_file import BadWeightsError

UNET, UNET_CONFIG = "musetalkV15/unet.pth", "musetalkV15/musetalk.json"
VAE, VAE_CONFIG = "sd-vae/diffusion_pytorch_model.bin", "sd-vae/config.json"
WHISPER, WHISPER_CONFIG = "whisper/pytorch_model.bin", "whisper/config.json"

PUBLISHED = {
    UNET: "7ebf6c98c181e20838e4c0054e96e944ac60d5d692cc01db42839fe11b787007",
    UNET_CONFIG: "5b6923aee04d71692e0e9846c471e0a4ea07a4f686d39545e472bd4ba17e1b47",
    VAE: "1b4889b6b1d4ce7ae320a02dedaeff1780ad77d415ea0d744b476155c6377ddc",
    VAE_CONFIG: "92d3dfb746fca211a2c9e019e285f8597412211728dce3c5bcf4eda0f2d62e7e",
    WHISPER: "9607f98a2b22d9e229ae43c52ecea79dcede9e0c5cfae67e8da6eda86d8aac1d",
    WHISPER_CONFIG: "ffdccec4f3211f4c63310f2b7098f309fe70f3952cedc5e4d11e43f5b2379b98",
}
"""SHA-256 by path. MuseTalk 1.5, stabilityai/sd-vae-ft-mse at 31f26fd, openai/whisper-tiny."""

BLOCK = 1 << 20


def read_sums(path: Path) -> dict[str, str]:
    """The hashes in a file in the format of `sha256sum`, by path."""
    lines = [line.split(maxsplit=1) for line in path.read_text().splitlines() if line.strip()]
    if any(len(line) != 2 for line in lines):
        raise BadWeightsError(f"{path.name}: expected lines of a hash and a path, as sha256sum writes them")
    return {name.lstrip("*").removeprefix("./").strip(): value.lower() for value, name in lines}


def check_files(weights: Path, sums: dict[str, str]) -> dict[str, str]:
    """The hashes of all files that are needed. Raises BadWeightsError for one that is missing, unknown or another."""
    for name in PUBLISHED:
        if not (weights / name).is_file():
            raise BadWeightsError(f"expected {name} in {weights}, found no such file")
        if name not in sums:
            raise BadWeightsError(f"expected a SHA-256 of {name}, found none in the list")
        found = sha256(weights / name)
        if found != sums[name]:
            raise BadWeightsError(f"wrong content in {name}: expected sha256 {sums[name]}, found {found}")
    return {name: sums[name] for name in PUBLISHED}


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as data:
        while block := data.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
