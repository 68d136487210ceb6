"""python -m training.upscale: pictures in, inference/weights/realtime_x2*.onnx and their figures out. See README.md."""

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import onnx
import torch

from .arguments import recipe
from .export import export
from .fit import Fit, Settings, loss_of
from .judge import LINEAR, Enlarge
from .network import UpscaleNetwork
from .pairs import Pairs
from .pause import wait_while
from .plain import Plain
from .pool import Pool
from .quantise import ranges_of
from .report import report
from .served import opened
from .sources import Source, read_pairs, sources, split

_SIDE, _COUNT = 48, 8  # of a batch: the side of its squares, and how many there are
_STEADY = 0.1  # weight of the distance between twins, which becomes flicker
_RANGED = 24  # pairs whose clean plane tells the ranges of 8 bits


def main() -> None:
    """Makes the pairs, trains, exports and judges the network."""
    asked = _arguments()
    torch.set_num_threads(asked.threads)
    cv2.setNumThreads(asked.threads)
    asked.work.mkdir(parents=True, exist_ok=True)
    learnt, held_out = split(sources(asked.learn, asked.pages), asked.hold_out)
    pairs = list(_pairs(learnt, asked))
    print(f"{len(pairs)} pairs of {len(learnt)} sources", flush=True)
    torch.manual_seed(asked.seed)
    kept = asked.work / f"fit-{_run(asked.seed, learnt)}.pt"
    fit = Fit(UpscaleNetwork(), partial(loss_of, steady=_STEADY), replace(Settings(), steps=asked.steps), kept)
    network = fit.run(Pool(pairs, _SIDE, _COUNT, asked.seed), asked.pause)
    models = _models(network.folded(), pairs, {"seed": f"{asked.seed}", "steps": f"{fit.step}", "pairs": f"{len(pairs)}"})
    asked.out.mkdir(parents=True, exist_ok=True)
    for name, model in models.items():
        (asked.out / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    figures = report(held_out, asked.judge_clips, {**LINEAR, **_ways(models)})
    (asked.work / "figures.md").write_text(figures)
    print(figures)


def _arguments() -> argparse.Namespace:
    about = "Make the realtime upscaler anew; pictures that are held out judge it."
    parser = recipe("python -m training.upscale", about, learn="pictures and clips", pages=12, steps=Settings.steps)
    parser.add_argument("--judge-clips", type=Path, nargs="*", default=[], help="clips in which something stands still")
    parser.add_argument("--out", type=Path, required=True, help="folder for the ONNX files")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def _pairs(learnt: Sequence[Source], asked: argparse.Namespace) -> Iterator[Pairs]:
    for source in learnt:
        wait_while(asked.pause)
        yield from read_pairs(source, asked.work)


def _run(seed: int, learnt: Sequence[Source]) -> str:
    """Names what must be the same for a run to go on."""
    return hashlib.sha256(repr((seed, _SIDE, _COUNT, [source.name for source in learnt])).encode()).hexdigest()[:12]


def _models(plain: Plain, pairs: Sequence[Pairs], notes: dict[str, str]) -> dict[str, onnx.ModelProto]:
    """The four files by their names: planes of 8 and of 16 bits, convolutions of floats and of 8 bits."""
    floats = export(plain, 8, notes)
    apart = max(1, len(pairs) // _RANGED)
    ranges = ranges_of(floats, (pair.small[pair.kinds.index("clean")] for pair in pairs[::apart]))
    return {
        "realtime_x2": floats,
        "realtime_x2_int8": export(plain, 8, notes, ranges),
        "realtime_x2_deep": export(plain, 16, notes),
        "realtime_x2_deep_int8": export(plain, 16, notes, ranges),
    }


def _ways(models: dict[str, onnx.ModelProto]) -> dict[str, Enlarge]:
    return {
        "floats, f32": opened(models["realtime_x2"], "f32"),
        "floats, bf16": opened(models["realtime_x2"], "bf16"),
        "8 bits": opened(models["realtime_x2_int8"], "f32"),
    }


if __name__ == "__main__":
    main()
