"""python -m training.mouth: clips in, inference/weights/mouth.onnx and its figures out. See README.md."""

import argparse
import hashlib
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import torch

from enhance.geometry.heads import Array
from enhance.plan.measures import OPENING
from enhance.plan.prior import Prior, calm, open_prior
from enhance.speech.analysis import SpeechAnalyser
from enhance.speech.features import normalise

from .clips import Clip, best_lag, read_clip
from .export import export
from .fit import Settings, code, fit, read_network, told_by
from .footage import Source, read_footage, sources
from .judge import PLANNERS, judge, line, mean, memory, take_of
from .network import MouthNetwork

AHEAD = ((10,), (5, 10, 20, 30))  # of the kinds of networks: near, and both near and far


def main() -> None:
    """Trains and judges the networks, and writes mouth.onnx."""
    asked = _arguments()
    torch.set_num_threads(1)
    asked.work.mkdir(parents=True, exist_ok=True)
    read = _clips(asked.read, False, asked)
    running = _clips(asked.running, True, asked)
    kinds = [Settings(steps=asked.steps, ahead=ahead) for ahead in AHEAD]
    left_out = {clip.name: _fits([c for c in read + running if c is not clip], kinds, asked) for clip in running}
    priors = {name: _prior(fitted) for name, fitted in left_out.items()}
    running = [_without_lag(clip, left_out[clip.name]) for clip in running]
    networks = _fits(read + running, kinds, asked)
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "mouth.onnx"
    export(networks, path, {"seeds": ",".join(map(str, asked.seeds)), "clips": str(len(read + running))})
    print(f"{path}: {path.stat().st_size} bytes", flush=True)

    _report(priors, open_prior(path), asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.mouth", description=__doc__)
    parser.add_argument(
        "--read", type=Path, nargs="*", default=[], help="clips or folders: read sentences, drawn evenly by speaker"
    )
    parser.add_argument("--running", type=Path, nargs="*", default=[], help="clips or folders: people talking freely")
    parser.add_argument(
        "--judge", type=Path, nargs="*", default=[], help="clips or folders of people whom the weights do not see"
    )
    parser.add_argument("--trunk", type=Path, required=True, help="checkpoint of training.speech")
    parser.add_argument("--weights", type=Path, default=Path("../.enhance/weights"), help="the face networks")
    parser.add_argument("--speech", type=Path, default=Path("weights/speech.onnx"), help="the speech network, for judging")
    parser.add_argument("--in-rooms", type=Path, default=Path("weights/speech_rooms.onnx"), help="the one for rooms")
    parser.add_argument("--work", type=Path, required=True, help="what was read of the clips is kept here")
    parser.add_argument("--out", type=Path, required=True, help="folder for mouth.onnx")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=Settings.steps)
    return parser.parse_args()


def _sources(paths: Sequence[Path], running: bool = True) -> list[Source]:
    return [source for path in paths for source in sources(path, running)]


def _clips(paths: Sequence[Path], running: bool, asked: argparse.Namespace) -> list[Clip]:
    found = _sources(paths, running)
    return [read_clip(read_footage(each, asked.work, asked.weights), each.name, each.speaker, running) for each in found]


def _without_lag(clip: Clip, networks: list[MouthNetwork]) -> Clip:
    """The clip with its own lag, as told by networks that have not seen it. Read speech is taken to have none."""
    told = np.mean([calm(told_by(network, clip.mel)) for network in networks], 0)
    lag, fits = best_lag(clip, told[:, OPENING])
    print(f"{clip.name}: picture {1000 * lag:+.0f} ms late, r {fits:.2f} then", flush=True)
    return clip.late_by(lag)


def _fits(clips: list[Clip], kinds: list[Settings], asked: argparse.Namespace) -> list[MouthNetwork]:
    """A network of each kind for each seed, from asked.work where the same was fitted before."""
    networks = []
    for settings, seed in product(kinds, asked.seeds):
        made_of = [asked.trunk.read_bytes(), settings, seed, [(clip.name, clip.lag) for clip in clips], code()]
        store = asked.work / f"{hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]}.pt"
        if not store.exists():
            began = time.monotonic()
            aside = store.with_suffix(".part")
            torch.save(fit(asked.trunk, clips, settings, seed).state_dict(), aside)
            aside.rename(store)
            print(f"seed {seed}, ahead {settings.ahead}, on {len(clips)} clips: {time.monotonic() - began:.0f} s", flush=True)
        networks.append(read_network(asked.trunk, store, settings))
    return networks


def _prior(networks: list[MouthNetwork]) -> Prior:
    def prior(mel: Array, _heard: Array) -> Array:
        normal = normalise(mel)
        return np.stack([calm(told_by(network, normal)) for network in networks])

    return prior


def _report(priors: dict[str, Prior], shipped: Prior, asked: argparse.Namespace) -> None:
    """The table: every planner on every clip, each prior having never seen the person."""
    analyser = SpeechAnalyser(asked.speech, asked.in_rooms)
    found = _sources([*asked.running, *asked.judge])
    takes = [take_of(each.name, read_footage(each, asked.work, asked.weights), analyser) for each in found]
    priors, shipped = {name: memory(prior) for name, prior in priors.items()}, memory(shipped)
    unseen = [take for take in takes if take.name not in priors]
    for name, planner in PLANNERS.items():
        scores = {take.name: judge(take, priors.get(take.name, shipped), planner, takes) for take in takes}
        print(f"\n{name}")
        for clip, score in scores.items():
            print(line(clip, score))
        print(line(f"mean of {len(takes)}", mean(list(scores.values()))))
        if unseen:
            print(line(f"mean of {len(unseen)} unseen", mean([scores[take.name] for take in unseen])), flush=True)


if __name__ == "__main__":
    main()
