"""Teaches a trained network rooms: in a room it is to tell what it told without one.

`python -m training.speech.rooms_tuning --weights speech.onnx --grid FOLDER --running CLIP... --out FOLDER`. Teacher and
pupil begin as the same network (teacher-student learning on parallel recordings, Li et al. 2017).
"""

import argparse
import random
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from enhance.speech.classes import P
from enhance.speech.features import Floats, log_mel, normalise
from enhance.speech.network import CONTEXT

from .export import export
from .network import SpeechNetwork, read_weights
from .pairs import Pair, pairs
from .train import FRAMES, WARM_UP, disturb

STEPS = 2000
_TUNED = 0.6  # share of the tuned weights in what is written: closures are more precise than at the end
_BATCH, _CLEAN = 32, 12  # windows of 3 s; so many of them of the teacher's own recordings, undisturbed
_CLEAN_WEIGHT = 1.5
_LIPS = 1.0  # added to the weight of a frame of a recording, times the teacher's posterior of p, b and m
_RATE, _DECAY, _MEAN = 1e-3, 1e-4, 0.99


class Lesson(NamedTuple):
    """heard: [N, 40] normalised log-mel. taught: [N], the row of `answers` of each frame. answers: [M, heads, 20]."""

    clean: Tensor
    heard: Tensor
    taught: Tensor
    answers: Tensor


def lesson(teacher: SpeechNetwork, said: Iterable[Pair]) -> Lesson:
    """What the teacher tells of each sound, beside its recordings."""
    clean, heard, taught, answers, count = [], [], [], [], 0
    for pcm, recordings in said:
        mel = normalise(log_mel(pcm))
        clean.append(torch.from_numpy(mel))
        answers.append(_told(teacher, mel))
        for each in recordings:
            heard.append(torch.from_numpy(normalise(log_mel(each))))
            taught.append(torch.arange(len(mel)) + count)
        count += len(mel)
    return Lesson(*(torch.cat(parts) for parts in (clean, heard, taught, answers)))


def _told(teacher: SpeechNetwork, mel: Floats) -> Tensor:
    quiet = np.repeat(mel[[mel.mean(1).argmin()]], CONTEXT, 0)
    with torch.no_grad():
        logits = teacher(torch.from_numpy(np.concatenate([quiet, mel]))[None])[0, CONTEXT:]
    return torch.softmax(logits, -1)


def tune(pupil: SpeechNetwork, given: Lesson, steps: int, seed: int) -> SpeechNetwork:
    """The running mean of the pupil's weights after `steps`: the divergence of its answers from the teacher's falls."""
    draw = torch.Generator().manual_seed(seed)
    mean = torch.optim.swa_utils.AveragedModel(pupil, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_MEAN))
    optimiser = torch.optim.AdamW(pupil.parameters(), _RATE, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps, pct_start=0.08)

    def windows(frames: Tensor, count: int) -> Tensor:
        return torch.randint(len(frames) - FRAMES, (count, 1), generator=draw) + torch.arange(FRAMES)

    for step in range(steps):
        own, others = windows(given.clean, _CLEAN), windows(given.heard, _BATCH - _CLEAN)
        mel = torch.cat([given.clean[own], disturb(given.heard[others], draw)])
        true = given.answers[torch.cat([own, given.taught[others]])][:, WARM_UP:]
        weight = 1 + _LIPS * true[..., P]
        weight /= weight.mean()
        weight[:_CLEAN] = _CLEAN_WEIGHT
        told = torch.log_softmax(pupil(mel)[:, WARM_UP:], -1)
        loss = ((true * ((true + 1e-9).log() - told)).sum(-1) * weight).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(pupil.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(pupil)
        if step % 50 == 49:
            print(f"step {step + 1} of {steps}: divergence {loss.item():.3f}", flush=True)
    tuned: SpeechNetwork = mean.module.eval()
    return tuned


def main() -> None:
    """Makes the recordings, tunes and exports. `training.speech.evaluate` judges."""
    parser = argparse.ArgumentParser(prog="python -m training.speech.rooms_tuning", description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="speech.onnx: teacher, and where the pupil begins")
    parser.add_argument("--grid", type=Path, required=True, help="folder of GRID clips with their own names")
    parser.add_argument("--running", type=Path, nargs="*", default=[], help="clips of people who talk freely")
    parser.add_argument("--out", type=Path, required=True, help="the tuned speech.onnx")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=77)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(asked.seed)
    said = pairs(asked.grid, asked.running, np.random.default_rng(asked.seed), random.Random(asked.seed))
    given = lesson(read_weights(asked.weights), said)
    tuned = tune(read_weights(asked.weights).train(), given, asked.steps, asked.seed)
    export(_between(read_weights(asked.weights), tuned), asked.out)


def _between(first: SpeechNetwork, tuned: SpeechNetwork) -> SpeechNetwork:
    """The network whose weights lie _TUNED of the way from the first to the tuned ones."""
    with torch.no_grad():
        for start, end in zip(first.parameters(), tuned.parameters(), strict=True):
            start.lerp_(end, _TUNED)
    return first


if __name__ == "__main__":
    main()
