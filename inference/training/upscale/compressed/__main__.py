"""python -m training.upscale.compressed: photos and waifu2x's network in, a network for compressed pictures out."""

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import onnx
import torch

from ..arguments import recipe
from ..fit import Fit
from ..pause import wait_while
from ..sources import CLIPS, Source, sources, split
from .export import export
from .fit import SETTINGS, distance
from .network import PhotoNetwork
from .pairs import Pairs, read_pairs
from .pool import Pool

_SIDE, _COUNT = 48, 6  # of a batch: the side of its squares, and how many there are


def main() -> None:
    """Makes the pairs, trains and exports the network."""
    asked = _arguments()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    asked.work.mkdir(parents=True, exist_ok=True)
    learnt, _ = split(sources(asked.learn, asked.pages), asked.hold_out)
    pictures = [each for each in learnt if each.path is None or each.path.suffix.lower() not in CLIPS]
    pairs = list(_pairs(pictures, asked))
    print(f"{len(pairs)} pictures", flush=True)
    like = onnx.load(asked.start)
    kept = asked.work / f"fit-{_run(asked, pictures)}.pt"
    fit = Fit(PhotoNetwork(like), distance, replace(SETTINGS, steps=asked.steps, rate=asked.rate), kept)
    network = fit.run(Pool(pairs, _SIDE, _COUNT, asked.videos, tuple(asked.quality), asked.seed), asked.pause)
    model = export(network, like, {"steps": f"{fit.step}", "pictures": f"{len(pairs)}", "started_from": asked.start.stem})
    asked.out.write_bytes(model.SerializeToString(deterministic=True))


def _arguments() -> argparse.Namespace:
    name, about = "python -m training.upscale.compressed", "photo for compressed pictures."
    parser = recipe(name, about, learn="pictures", pages=6, steps=SETTINGS.steps)
    parser.add_argument("--start", type=Path, required=True, help="ONNX file of the network that is trained on")
    parser.add_argument("--videos", type=float, default=0.45, help="share of the squares from videos; the others are JPEGs")
    parser.add_argument("--quality", type=int, nargs=2, default=(20, 84), help="of the JPEGs, from and below")
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file to be written")
    parser.add_argument("--rate", type=float, default=SETTINGS.rate)
    return parser.parse_args()


def _pairs(pictures: Sequence[Source], asked: argparse.Namespace) -> Iterator[Pairs]:
    for source in pictures:
        wait_while(asked.pause)
        yield read_pairs(source, asked.work)


def _run(asked: argparse.Namespace, pictures: Sequence[Source]) -> str:
    """Names what must be the same for a run to go on."""
    names = [source.name for source in pictures]
    return hashlib.sha256(
        repr((asked.seed, asked.start.stem, asked.videos, tuple(asked.quality), asked.rate, names)).encode()
    ).hexdigest()[:12]


if __name__ == "__main__":
    main()
