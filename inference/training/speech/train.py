"""Trains the speech network on shards: cross-entropy over four look-aheads, one learning-rate cycle, or the end of one."""

import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from enhance.speech.classes import CLASSES, F, P
from enhance.speech.features import MELS, normalise

from .network import LOOK_AHEADS, SpeechNetwork

BATCH, FRAMES = 48, 300
WARM_UP = 40  # frames of a window whose past is cut off: heard, not judged
_RATE, _DECAY = 3e-3, 1e-3
_LAST_RATE = 1.5e-3  # from which a run that goes on falls to nothing
_MEAN = 0.99


def load(paths: Iterable[Path]) -> tuple[Tensor, Tensor]:
    """Normalised log-mel [N, 40] float16 and labels [N] int8 of all recordings, end to end."""
    mels, labels = [], []
    for path in paths:
        shard = np.load(path)
        ends = np.cumsum(shard["LENGTHS"])
        mel = shard["MEL"].astype(np.float32)
        mels += [normalise(part).astype(np.float16) for part in np.split(mel, ends[:-1])]
        labels.append(shard["LABELS"])
    return torch.from_numpy(np.concatenate(mels)), torch.from_numpy(np.concatenate(labels))


def train(mel: Tensor, labels: Tensor, steps: int, seed: int, keep: Path, start: Path | None = None) -> SpeechNetwork:
    """A network whose weights are the running mean of about the last hundred steps; also written to `keep` on the way.

    start: a checkpoint to go on from, at a rate that only falls.
    """
    torch.manual_seed(seed)
    network = SpeechNetwork()
    if start:
        network.load_state_dict(torch.load(start, weights_only=True))
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(_MEAN), use_buffers=True)
    draw = torch.Generator().manual_seed(seed)
    counts = torch.bincount(labels.int(), minlength=len(CLASSES)).clamp(min=1).float()
    weights = (counts.mean() / counts) ** 0.35
    weights[[P, F]] *= 1.2  # a missed closure is what viewers see first
    weights /= weights.mean()
    rate, rising = (_LAST_RATE, 0.04) if start else (_RATE, 0.15)
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=rising)
    network.train()
    began, recent = time.monotonic(), 0.0
    for step in range(steps):
        starts = torch.randint(len(mel) - FRAMES, (BATCH, 1), generator=draw)
        index = starts + torch.arange(FRAMES)
        loss = _loss(network(disturb(_throats(mel[index].float(), draw), draw)), labels[index].long(), weights)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(network)
        recent += loss.item() / 50
        if step % 50 == 49:
            print(f"step {step + 1} of {steps}: loss {recent:.3f}, {time.monotonic() - began:.0f} s", flush=True)
            recent = 0.0
            torch.save(mean.module.state_dict(), keep)
    trained: SpeechNetwork = mean.module.eval()
    return trained


def _loss(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    loss = torch.zeros(())
    for head, ahead in enumerate(LOOK_AHEADS):
        told = logits[:, WARM_UP + ahead :, head].flatten(0, 1)
        true = labels[:, WARM_UP : FRAMES - ahead].flatten()
        loss = loss + functional.cross_entropy(told, true, weights, label_smoothing=0.05)
    return loss / len(LOOK_AHEADS)


def disturb(mel: Tensor, draw: torch.Generator) -> Tensor:
    """Another loudness, tilt and microphone; some bands and some frames lost. mel: [B, T, 40], normalised."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw)

    def whole(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=draw))

    tilt = torch.linspace(-0.5, 0.5, MELS)
    mel = mel + 0.15 * normal(len(mel), 1, 1) + 0.12 * normal(len(mel), 1, 1) * tilt + 0.05 * normal(len(mel), 1, MELS)
    for row in mel[::2]:
        band, moment = whole(0, MELS - 6), whole(0, FRAMES - 10)
        row[:, band : band + whole(1, 6)] = 0
        row[moment : moment + whole(1, 8)] = -1
    return mel


def _throats(mel: Tensor, draw: torch.Generator) -> Tensor:
    return _warped(mel, 1 + 0.06 * torch.randn(len(mel), generator=draw).clamp(-2.5, 2.5))


def _warped(mel: Tensor, factors: Tensor) -> Tensor:
    """Formants moved apart from pitch: band b takes what was heard at band b * factor."""
    places = (torch.arange(MELS) * factors[:, None]).clamp(0, MELS - 1.001)
    below = places.long()
    above = (places - below)[:, None]
    index = below[:, None].expand(-1, mel.shape[1], -1)
    return mel.gather(2, index) * (1 - above) + mel.gather(2, index + 1) * above
