"""Fits a network: Adam, a rate that falls to nothing at the end. A run that was killed goes on."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from .pause import wait_while
from .pool import Floats

Network = TypeVar("Network", bound=nn.Module)


class Batches(Protocol):
    """What is learnt from."""

    def batch(self, number: int) -> tuple[Floats, Floats]:
        """Inputs, and what shall become of them; the same for the same number."""
        ...


@dataclass(frozen=True)
class Settings:
    """rate: of Adam, at its peak. falling: share of the steps, at the end, in which it falls."""

    steps: int = 90_000
    rate: float = 1e-3
    warm_up: int = 200
    falling: float = 0.4
    mean: float = 0.999  # of the running mean of the weights, which is the result
    keep: int = 500  # steps from one checkpoint to the next


class Fit(Generic[Network]):
    """A network and all that goes on with it from step to step; read from `kept` where a run left it there.

    loss: of what the network made and what it should have made.
    """

    def __init__(self, network: Network, loss: Callable[[Tensor, Tensor], Tensor], settings: Settings, kept: Path) -> None:
        self.loss, self.settings, self.kept = loss, settings, kept
        self.network = network.to(memory_format=torch.channels_last).train()
        self.mean = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(settings.mean))
        self.optimiser = torch.optim.Adam(self.network.parameters(), settings.rate, betas=(0.9, 0.99), fused=True)
        self.step = 0
        if kept.exists():
            self._restore(torch.load(kept, weights_only=True))

    def run(self, batches: Batches, pause: Path | None) -> Network:
        """All steps that are left. pause: while this file exists, nothing is computed."""
        began, first, recent = time.monotonic(), self.step, 0.0
        for inputs, wanted in self._drawn(batches, pause):
            recent += self._learn(inputs, wanted).item() / self.settings.keep
            if self.step % self.settings.keep == 0 or self.step == self.settings.steps:
                self._save()
                each = 1000 * (time.monotonic() - began) / (self.step - first)
                print(f"step {self.step} of {self.settings.steps}: loss {255 * recent:.4f}, {each:.0f} ms each", flush=True)
                recent = 0.0
        trained: Network = self.mean.module.eval()
        return trained

    def _drawn(self, batches: Batches, pause: Path | None) -> Iterator[tuple[Tensor, Tensor]]:
        while self.step < self.settings.steps:
            wait_while(pause)
            inputs, wanted = map(torch.from_numpy, batches.batch(self.step))
            yield inputs.to(memory_format=torch.channels_last), wanted

    def _learn(self, inputs: Tensor, wanted: Tensor) -> Tensor:
        for group in self.optimiser.param_groups:
            group["lr"] = rate_at(self.step, self.settings)
        loss = self.loss(self.network(inputs), wanted)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
        self.optimiser.step()
        self.mean.update_parameters(self.network)
        self.step += 1
        return loss.detach()

    def _save(self) -> None:
        aside = self.kept.with_suffix(".part")
        state = {name: getattr(self, name).state_dict() for name in ("network", "mean", "optimiser")}
        torch.save({**state, "step": self.step}, aside)
        aside.rename(self.kept)

    def _restore(self, state: dict[str, Any]) -> None:
        for name in ("network", "mean", "optimiser"):
            getattr(self, name).load_state_dict(state[name])
        self.step = int(state["step"])


def loss_of(enlarged: Tensor, wanted: Tensor, steady: float) -> Tensor:
    """Mean distance from what is wanted, and of the twins, the last two squares, from each other."""
    return functional.l1_loss(enlarged, wanted) + steady * functional.l1_loss(enlarged[-1], enlarged[-2])


def rate_at(step: int, settings: Settings) -> float:
    """Rises over the warm-up, stays, and falls in a straight line to nothing."""
    left = (settings.steps - step) / (settings.falling * settings.steps)
    return settings.rate * min(1.0, (step + 1) / settings.warm_up, left)
