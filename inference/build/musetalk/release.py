"""The folder of a release, as `enhance models add FOLDER --slot studio` takes it."""

from pathlib import Path

from . import unet, vae, whisper
from .network_config import NetworkConfig
from .published import UNET, UNET_CONFIG, VAE, VAE_CONFIG, WHISPER, WHISPER_CONFIG
from .torch_file import StateDict

TEXTS = Path(__file__).parent / "texts"


def write_release(weights: Path, out: Path, slot: str, version: str, sums: dict[str, str]) -> None:
    """Writes `out`: LICENSE, the hashes of what it was made from, and the Triton model of the slot's renderer.

    weights: the folder of the checked files. version: what callers will see in model_version. Raises BadWeightsError.
    """
    model = out / f"mouth_render_{slot}"
    (model / "1").mkdir(parents=True)
    painter, autoencoder, hearing = (NetworkConfig(weights, name) for name in (UNET_CONFIG, VAE_CONFIG, WHISPER_CONFIG))
    unet.check_config(painter)
    vae.check_config(autoencoder)
    whisper.check_config(hearing)
    whisper.write_whisper(model / "1/speech.onnx", hearing, StateDict(weights / WHISPER))
    images = vae.with_new_names(StateDict(weights / VAE))
    vae.write_encoder(model / "1/encoder.onnx", autoencoder, images)
    vae.write_decoder(model / "1/decoder.onnx", autoencoder, images)
    unet.write_unet(model / "1/unet.onnx", painter, StateDict(weights / UNET))
    (model / "1/model.py").write_text((TEXTS / "model.py.txt").read_text().replace("SLOT", slot))
    (model / "config.pbtxt").write_text((TEXTS / "config.pbtxt").read_text().replace("VERSION", version))
    (out / "LICENSE").write_text((TEXTS / "LICENSE").read_text())
    (out / "SOURCES.sha256").write_text("".join(f"{value}  {name}\n" for name, value in sums.items()))
