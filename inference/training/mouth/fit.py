"""Fits the prior: the trunk slowly, the head fast, and the phones that the trunk knew kept in mind."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from enhance.geometry.heads import Array
from enhance.plan.measures import MEASURES
from enhance.speech.features import MELS

from .clips import SHAPES, Basis, Clip, common_basis, targets
from .network import PAST, SILENCE, MouthNetwork, told_of

WINDOW = 300


@dataclass(frozen=True)
class Settings:
    """How one network is trained; rates are those of AdamW, at their peak."""

    steps: int = 200
    windows: int = 12
    trunk_rate: float = 1.5e-4
    head_rate: float = 3e-3
    decay: float = 3e-2
    phones: float = 0.3  # weight of staying with the trunk's own phones
    shapes: float = 0.5  # weight of the lip components beside the measures
    running: float = 0.5  # share of windows cut from running speech
    ahead: tuple[int, ...] = (10,)  # frames: see MouthNetwork
    correlation: float = 0.0


def fit(trunk: Path, clips: Sequence[Clip], settings: Settings, seed: int) -> MouthNetwork:
    """A network trained on the clips, from the trunk of the speech network. The same seed gives the same network."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    basis = common_basis(clips)
    draw = Windows(clips, basis, settings, rng)
    network = MouthNetwork(trunk, len(MEASURES) + SHAPES, settings.ahead)
    before = deepcopy(network.trunk).eval()
    weights = torch.tensor([2.0, 1.0, 1.0, 1.0, *[settings.shapes] * len(basis.vectors)])
    groups = [
        {"params": network.trunk.parameters(), "lr": settings.trunk_rate},
        {"params": network.head.parameters(), "lr": settings.head_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=settings.decay)
    rates = [settings.trunk_rate, settings.head_rate]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=settings.steps)
    network.train()
    for _ in range(settings.steps):
        mel, wanted, known = draw.batch()
        told, phones = network(mel)
        told = told[:, PAST:]
        loss = ((told - wanted) ** 2 * weights).mean(-1)[known > 0].mean()
        if settings.correlation:
            loss = loss + settings.correlation * _decorrelation(told[..., :2], wanted[..., :2], known)
        with torch.no_grad():
            taught = before(mel).softmax(-1)
        loss = loss - settings.phones * (taught * phones.log_softmax(-1)).sum(-1).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    network.eval()
    return network


def read_network(trunk: Path, store: Path, settings: Settings) -> MouthNetwork:
    """A network that fit() made and torch.save() kept."""
    network = MouthNetwork(trunk, len(MEASURES) + SHAPES, settings.ahead)
    network.load_state_dict(torch.load(store, weights_only=True))
    network.eval()
    return network


def code() -> bytes:
    """What a fit depends on beside its data: this file and those of the data and the network."""
    folder = Path(__file__).parent
    return b"".join((folder / name).read_bytes() for name in ("clips.py", "fit.py", "network.py"))


def _decorrelation(told: Tensor, wanted: Tensor, known: Tensor) -> Tensor:
    weights = known[..., None] / known.sum(1)[:, None, None].clamp(min=1)
    a = told - (told * weights).sum(1, keepdim=True)
    b = wanted - (wanted * weights).sum(1, keepdim=True)
    covariance = (a * b * weights).sum(1)
    spread = ((a**2 * weights).sum(1) * (b**2 * weights).sum(1) + 1e-4).sqrt()
    return (1 - covariance / spread).mean()


class Windows:
    """Random stretches of the pool, disturbed: read speech evenly by speaker, running speech by length."""

    def __init__(self, clips: Sequence[Clip], basis: Basis, settings: Settings, rng: np.random.Generator) -> None:
        self.rng, self.settings = rng, settings
        read: dict[str, list[tuple[Array, Array, Array]]] = {}
        running = []
        for clip in clips:
            part = (clip.mel, *targets(clip, basis))
            if clip.running:
                running.append(part)
            else:
                read.setdefault(clip.speaker, []).append(part)
        self.read, self.running = list(read.values()), running
        lengths = np.array([len(part[0]) for part in running], float) ** 0.7
        self.shares = lengths / lengths.sum() if running else lengths

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        """`windows` windows of WINDOW frames: log-mel, wanted outputs, and in which frames these are known."""
        mels, wanted, known = zip(*[self._window() for _ in range(self.settings.windows)], strict=True)
        return tuple(torch.from_numpy(np.stack(each)) for each in (mels, wanted, known))

    def _window(self) -> tuple[Array, Array, Array]:
        if self.running and (not self.read or self.rng.random() < self.settings.running):
            parts = [self.running[self.rng.choice(len(self.running), p=self.shares)]]
        else:  # a command is shorter than a window: two follow each other
            speaker = self.read[self.rng.integers(len(self.read))]
            parts = [speaker[self.rng.integers(len(speaker))] for _ in range(2)]
        mel, wanted, known = (np.concatenate(each) for each in zip(*parts, strict=True))
        ahead = self.settings.ahead[-1]
        start = self.rng.integers(0, max(1, len(mel) - WINDOW))
        mel = np.pad(mel, ((PAST, WINDOW + ahead), (0, 0)), constant_values=SILENCE)[start : start + PAST + WINDOW + ahead]
        wanted = np.pad(wanted, ((0, WINDOW), (0, 0)))[start : start + WINDOW]
        known = np.pad(known, (0, WINDOW))[start : start + WINDOW]
        return disturb(mel, self.rng), wanted, known


def disturb(mel: Array, rng: np.random.Generator) -> Array:
    """Another throat (the mel axis stretched), another microphone (a curve over it), a noise floor."""
    bands = np.arange(MELS)
    if rng.random() < 0.8:
        places = np.clip((bands - 12) * rng.uniform(0.86, 1.16) + 12 + rng.uniform(-1.5, 1.5), 0, MELS - 1.001)
        below = places.astype(int)
        above = places - below
        mel = mel[:, below] * (1 - above) + mel[:, below + 1] * above
    if rng.random() < 0.8:
        mel = mel + np.interp(bands, np.linspace(0, MELS - 1, 6), rng.uniform(-0.6, 0.6, 6))
    if rng.random() < 0.5:
        mel = np.maximum(mel, rng.uniform(-3.5, -1.2) + 0.15 * rng.standard_normal(mel.shape))
    disturbed: Array = np.clip(mel, -4, 3).astype(np.float32)
    return disturbed


def told_by(network: MouthNetwork, mel: Array) -> Array:
    """T x 4 standardised measures of a whole clip."""
    with torch.no_grad():
        told: Array = told_of(network, torch.from_numpy(mel[None]))[0].numpy()
    return told
