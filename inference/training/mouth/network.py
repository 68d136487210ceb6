"""The mouth prior: the trunk of the speech network with a head that tells how lips move instead of which sound it is."""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from enhance.plan.measures import MEASURES

from ..speech.network import WIDTH, SpeechNetwork

SILENCE = -3.0  # a feature where nothing is heard: stands before the beginning and after the end
PAST = 46  # frames that the trunk looks back


class MouthNetwork(nn.Module):  # type: ignore[misc]
    """Normalised log-mel [B, T, 40] to standardised measures [B, T - ahead[-1], outputs], and the trunk's phone logits.

    ahead: frames, ascending; the measures of a frame come from what the trunk says so much later.
    """

    def __init__(self, trunk: Path, outputs: int, ahead: tuple[int, ...]) -> None:
        super().__init__()
        self.trunk = SpeechNetwork()
        self.trunk.load_state_dict(torch.load(trunk, weights_only=True))
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(WIDTH * len(ahead), outputs)
        self.ahead = ahead

    def forward(self, mel: Tensor) -> tuple[Tensor, Tensor]:
        """Standardised measures [B, T - ahead[-1], outputs], and the phone logits of the trunk [B, T, heads, 20]."""
        hidden = self.trunk.hidden(mel)
        phones = self.trunk.heads(hidden.transpose(1, 2)).transpose(1, 2).unflatten(2, (-1, 20))
        frames = mel.shape[1] - self.ahead[-1]
        later = torch.cat([hidden[:, by : by + frames] for by in self.ahead], -1)
        return self.head(self.dropout(later)), phones


class Ensemble(nn.Module):  # type: ignore[misc]
    """What is exported: log-mel [1, T, 40] to MEASURES [networks, T, 4], of the same frames."""

    def __init__(self, networks: list[MouthNetwork]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, mel: Tensor) -> Tensor:
        """MEASURES [networks, T, 4] of mel [1, T, 40]."""
        return torch.cat([told_of(network, mel) for network in self.networks])


def told_of(network: MouthNetwork, mel: Tensor) -> Tensor:
    """[1, T, 4]: the MEASURES of every frame of a whole clip, mel [1, T, 40]."""
    padded = functional.pad(mel, (0, 0, PAST, network.ahead[-1]), value=SILENCE)
    told: Tensor = network(padded)[0][:, PAST:, : len(MEASURES)]
    return told
