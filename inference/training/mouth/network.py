"""The mouth prior: the trunk of the speech network with a head that tells how lips move instead of which sound it is."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from enhance.mouth.geometry import MEASURES

from ..speech.network import WIDTH, SpeechNetwork

SILENCE = -3.0  # a feature where nothing is heard: stands before the beginning and after the end
PAST = 46  # frames that the trunk looks back


class MouthNetwork(nn.Module):  # type: ignore[misc]
    """Normalised log-mel [B, T, 40] to standardised measures [B, T, outputs], and the trunk's phone logits.

    Measures at time t tell of frame t - look_ahead.
    """

    def __init__(self, trunk: Path, outputs: int) -> None:
        super().__init__()
        self.trunk = SpeechNetwork()
        self.trunk.load_state_dict(torch.load(trunk, weights_only=True))
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(WIDTH, outputs)

    def forward(self, mel: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.trunk.hidden(mel)
        phones = self.trunk.heads(hidden.transpose(1, 2)).transpose(1, 2).unflatten(2, (-1, 20))
        return self.head(self.dropout(hidden)), phones


class Ensemble(nn.Module):  # type: ignore[misc]
    """What is exported: log-mel [1, T, 40] to MEASURES [seeds, T, 4], of the same frames."""

    def __init__(self, networks: list[MouthNetwork], look_ahead: int) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.look_ahead = look_ahead

    def forward(self, mel: Tensor) -> Tensor:
        padded = functional.pad(mel, (0, 0, PAST, self.look_ahead), value=SILENCE)
        told = [network(padded)[0][:, PAST + self.look_ahead :, : len(MEASURES)] for network in self.networks]
        return torch.cat(told)
