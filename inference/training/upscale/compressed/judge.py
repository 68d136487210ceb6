"""python -m training.upscale.compressed.judge: how true networks are to compressed photos, as a table of Markdown."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from enhance.engine import choose_engine
from enhance.picture import AnyPicture, Picture
from enhance.upscale.cascade import Pass
from enhance.upscale.upscaler import WAIFU2X_BORDER, Run, photo

from ..codecs import X264, colours_through_video
from ..judge import ROWS, STEP, psnr
from ..pairs import MOVING, evened, moved
from ..planes import BICUBIC, LANCZOS, yuv_planes
from ..sources import read_picture
from .pairs import half, through_format, through_jpeg

_QUALITIES = (20, 30, 45, 60, 75, 90)
_CRFS = (20, 24, 28, 32)
_FORMATS = {"WebP": (50, 75, 90), "AVIF": (50, 70, 85)}

Enlarge = Callable[[Picture], AnyPicture]


def main() -> None:
    """Prints PSNR of luma over Lanczos, in dB, by 2, the mean over the photos, for each network."""
    asked = _arguments()
    open_network = choose_engine(os.environ).open
    networks: dict[str, Enlarge] = {path.stem: _enlarging(open_network(path)) for path in asked.networks}
    rows: dict[str, list[list[float]]] = {"Lanczos": [], **{name: [] for name in networks}}
    kinds: list[str] = []
    for path in asked.photos:
        large = evened(read_picture(path)[:ROWS])
        stored = list(_stored(large))
        kinds = [kind for kind, _ in stored]
        linear = [_psnr(_lanczos(small), large) for _, small in stored]
        rows["Lanczos"].append(linear)
        for name, enlarge in networks.items():
            rows[name].append([_psnr(enlarge(small), large) - base for (_, small), base in zip(stored, linear, strict=True)])
    lines = [["", *kinds], ["---"] * (len(kinds) + 1), *map(_line, rows.items())]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.upscale.compressed.judge", description=main.__doc__)
    parser.add_argument("--photos", type=Path, nargs="+", required=True, help="pictures that were not learnt from")
    parser.add_argument("--networks", type=Path, nargs="+", required=True, help="ONNX files, each of waifu2x's graph")
    return parser.parse_args()


def _enlarging(network: Run) -> Enlarge:
    step = Pass(network, scale=2, eats=WAIFU2X_BORDER, context=WAIFU2X_BORDER)
    return partial(photo(lambda _: step)[2].upscale, before_tile=lambda: None)


def _stored(large: Picture) -> Iterator[tuple[str, Picture]]:
    """What the halved photo is after each way of storing it; as a video, the last frame of one in which it moves."""
    small = half(large, BICUBIC)
    yield "clean", small
    for quality in _QUALITIES:
        yield f"JPEG {quality}", through_jpeg(small, quality, full_colour=False)
    for kind, qualities in _FORMATS.items():
        for quality in qualities:
            yield f"{kind} {quality}", through_format(small, kind, quality)
    # From the photo itself: when it was from its name, crf 28 gave .73, .76 or .77 dB by how twelve photos were called.
    step = np.random.default_rng(int(large.sum())).integers(-STEP, STEP + 1, 2)
    frames = [half(frame, BICUBIC) for frame in moved(large, step, MOVING - 1)]
    for crf in _CRFS:
        yield f"crf {crf}", colours_through_video(frames, X264, crf)[-1]


def _lanczos(small: Picture) -> Picture:
    height, width, _ = small.shape
    return np.asarray(Image.fromarray(small).resize((2 * width, 2 * height), LANCZOS))


def _psnr(enlarged: AnyPicture, large: Picture) -> float:
    ours, true = (yuv_planes(np.asarray(each, np.uint8))[0] for each in (enlarged, large))
    return psnr(ours, true)


def _line(row: tuple[str, Sequence[Sequence[float]]]) -> list[str]:
    name, photos = row
    return [name, *(f"{value:.2f}" for value in np.mean(photos, axis=0))]


if __name__ == "__main__":
    main()
