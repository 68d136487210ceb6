"""python inference/bench/quality.py: the models against bicubic and Lanczos on the sample photos of scikit-image.

Each photo is made small by an antialiased bicubic, enlarged again and compared with itself: PSNR and SSIM of the luma,
and sharpness, the mean gradient (1 is that of the original). One JSON line for each method and scale, the mean over
the photos. Networks trained for damaged pictures (`animation`, `detail`) lose PSNR here by design.

Then the same, by 2, with the small photo stored as a JPEG: Lanczos against `photo` with `denoise` off and auto.
"""

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from skimage import data
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from enhance.picture import AnyPicture, Picture
from enhance.upscale.damage import damage_of
from enhance.upscale.upscaler import MODELS, Upscaler, open_upscaler

ROOT = Path(__file__).parents[2]
SIDE = 256
PHOTOS: dict[str, Callable[[], Picture]] = {
    "astronaut": lambda: data.astronaut()[40:, 90:],
    "cat": lambda: data.chelsea()[20:, 100:],
    "coffee": lambda: data.coffee()[60:, 160:],
    "rocket": lambda: data.rocket()[100:, 200:],
    "retina": lambda: data.retina()[500:, 500:],
}
Method = Callable[[Picture, int], AnyPicture]
Stored = Callable[[Picture], Picture]


def resized(picture: Picture, side: int, way: Image.Resampling) -> Picture:
    """A square picture of this side."""
    return np.asarray(Image.fromarray(picture).resize((side, side), way))


def luma(picture: AnyPicture) -> npt.NDArray[np.float64]:
    """BT.601 luma (h x w, 0..255) of a picture (h x w x 3 RGB)."""
    plane: npt.NDArray[np.float64] = picture @ np.array([0.299, 0.587, 0.114])
    return plane


def gradient(plane: npt.NDArray[np.float64]) -> float:
    """The mean size of the gradient, in levels a pixel: how sharp a plane is."""
    return float(np.hypot(*np.gradient(plane)).mean())


def classical(way: Image.Resampling) -> Method:
    """Enlarging by a resampling filter of Pillow."""
    return lambda small, scale: resized(small, small.shape[0] * scale, way)


def network(model: str) -> Method:
    """Enlarging by one of our models."""
    upscaler: Upscaler = open_upscaler(model, ROOT / ".enhance" / "weights")
    return upscaler.run


def denoising(model: str) -> Method:
    """The same, with as much of blocks and noise taken away as is measured."""
    upscaler: Upscaler = open_upscaler(model, ROOT / ".enhance" / "weights")

    def enlarge(small: Picture, scale: int) -> AnyPicture:
        damage = damage_of(small)
        return upscaler.run(small, scale, denoise=damage.level, noise=damage.noise, wide_noise=damage.wide_noise)

    return enlarge


def jpeg(quality: int) -> Stored:
    """What a picture is after it was stored as a JPEG of this quality."""

    def stored(picture: Picture) -> Picture:
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "JPEG", quality=quality)
        return np.asarray(Image.open(file))

    return stored


def measure(method: Method, scale: int, stored: Stored = lambda picture: picture) -> dict[str, float]:
    """Means over PHOTOS, made small, stored and enlarged again: PSNR (dB), SSIM, sharpness against the original, seconds."""
    rows = []
    started = time.perf_counter()
    for photo in PHOTOS.values():
        original = np.ascontiguousarray(photo()[:SIDE, :SIDE])
        small = stored(resized(original, SIDE // scale, Image.Resampling.BICUBIC))
        truth, ours = luma(original), luma(method(small, scale))
        psnr = peak_signal_noise_ratio(truth, ours, data_range=255)
        ssim = structural_similarity(truth, ours, data_range=255)
        rows.append((psnr, ssim, gradient(ours) / gradient(truth)))
    psnr, ssim, sharpness = np.mean(rows, axis=0)
    seconds = (time.perf_counter() - started) / len(PHOTOS)
    return {
        "psnr_db": round(float(psnr), 2),
        "ssim": round(float(ssim), 3),
        "sharpness": round(float(sharpness), 2),
        "seconds": round(seconds, 3),
    }


def main() -> None:
    """Prints one JSON line for each scale and method."""
    methods = {
        "bicubic": classical(Image.Resampling.BICUBIC),
        "lanczos": classical(Image.Resampling.LANCZOS),
        **{model: network(model) for model in MODELS},
    }
    for scale in (2, 4, 8):
        for name, method in methods.items():
            print(json.dumps({"scale": scale, "method": name, **measure(method, scale)}), flush=True)
    denoised = {"lanczos": methods["lanczos"], "photo": methods["photo"], "photo, denoise auto": denoising("photo")}
    for quality in (30, 60, 90):
        for name, method in denoised.items():
            print(json.dumps({"jpeg": quality, "method": name, **measure(method, 2, jpeg(quality))}), flush=True)


if __name__ == "__main__":
    main()
