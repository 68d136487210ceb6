"""The whole recipe: `python -m training.speech --out FOLDER [--clips GRID]`. See README.md."""

import argparse
import os
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import torch

from enhance.speech.features import log_mel, normalise
from enhance.speech.network import open_speech_network

from . import shards
from .evaluate import espeak_clips, festival_clips, real_clips, table
from .export import export
from .network import SpeechNetwork
from .train import load, train

SHARDS, UTTERANCES = 10, 400  # about 52 minutes of recordings each
NONSPEECH = 900  # recordings in which nobody speaks, beside those in the shards
STEPS = 3200


def main() -> None:
    """Makes the data, trains, exports and judges the network."""
    parser = argparse.ArgumentParser(prog="python -m training.speech", description="Make the speech network anew.")
    parser.add_argument("--out", type=Path, required=True, help="folder for shards, checkpoint, speech.onnx and figures.md")
    parser.add_argument(
        "--clips", type=Path, help="folder of GRID clips with their own names: real speech beside the synthetic"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--resume", type=Path, help="checkpoint to go on from, for --steps more at a falling rate")
    parser.add_argument("--shards", type=int, default=SHARDS)
    parser.add_argument("--utterances", type=int, default=UTTERANCES, help="in a shard")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    network = _trained(asked)
    export(network, asked.out / "speech.onnx")
    figures = _figures(asked.out / "speech.onnx", asked.clips)
    (asked.out / "figures.md").write_text(figures + "\n")
    print(figures)


def _trained(asked: argparse.Namespace) -> SpeechNetwork:
    paths = _shards(asked.out, asked.shards, asked.utterances, asked.clips)
    checkpoint = asked.out / "checkpoint.pt"
    network = train(*load(paths), asked.steps, asked.seed, checkpoint, asked.resume)
    torch.save(network.state_dict(), checkpoint)
    return network


def _shards(out: Path, count: int, utterances: int, clips: Path | None) -> list[Path]:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        made: list[Future[Path]] = [pool.submit(shards.write_shard, out, number, utterances) for number in range(count)]
        made.append(pool.submit(shards.write_nonspeech_shard, out, NONSPEECH * count // SHARDS))
        if clips:
            made.append(pool.submit(shards.write_real_shard, out, clips))
        return [each.result() for each in made]


def _figures(onnx: Path, clips: Path | None) -> str:
    network = open_speech_network(onnx)
    judged = [*espeak_clips(30), *festival_clips(40), *(real_clips(clips) if clips else ())]
    return table(judged, lambda pcm: network(normalise(log_mel(pcm)), lambda: None))


if __name__ == "__main__":
    main()
