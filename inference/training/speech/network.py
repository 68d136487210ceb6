"""The speech network: a causal temporal convolutional network, 194,864 parameters, left context 46 frames."""

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from enhance.speech.classes import CLASSES
from enhance.speech.features import MELS

LOOK_AHEADS = (0, 5, 10, 20)  # frames of 10 ms that each head may hear beyond the frame it names
SERVED = (1, 2, 3)  # heads whose mean is served: 1 to 2 % more accurate than any one
WIDTH = 96
DILATIONS = (1, 2, 4, 8, 2, 4)


class Block(nn.Module):  # type: ignore[misc]
    """A residual block: a causal dilated convolution over time, [B, 96, T] to the same shape."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.past = 2 * dilation
        self.conv = nn.Conv1d(WIDTH, WIDTH, 3, dilation=dilation)
        self.norm = nn.BatchNorm1d(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """The block's output for x [B, 96, T]."""
        return x + functional.relu(self.norm(self.conv(functional.pad(x, (self.past, 0)))))


class SpeechNetwork(nn.Module):  # type: ignore[misc]
    """Normalised log-mel [B, T, 40] to logits [B, T, heads, 20]; head k at time t names frame t - LOOK_AHEADS[k]."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(MELS, WIDTH, 5)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.blocks = nn.Sequential(*[Block(dilation) for dilation in DILATIONS])
        self.heads = nn.Conv1d(WIDTH, len(LOOK_AHEADS) * len(CLASSES), 1)

    def hidden(self, mel: Tensor) -> Tensor:
        """[B, T, 96]: the last activations before the heads, by the time of the newest frame heard."""
        x = functional.pad(mel.transpose(1, 2), (4, 0))
        return self.blocks(functional.relu(self.norm(self.first(x)))).transpose(1, 2)

    def forward(self, mel: Tensor) -> Tensor:
        """Logits [B, T, heads, 20] of mel [B, T, 40]."""
        logits = self.heads(self.hidden(mel).transpose(1, 2)).transpose(1, 2)
        return logits.unflatten(2, (len(LOOK_AHEADS), len(CLASSES)))


def read_weights(path: Path) -> SpeechNetwork:
    """The network of a speech.onnx. Its normalisation is part of its convolutions there, so it has none of its own."""
    tensors = [(each.name, torch.from_numpy(numpy_helper.to_array(each).copy())) for each in onnx.load(path).graph.initializer]
    named = dict(tensors)
    network = SpeechNetwork()
    network.heads.weight.data, network.heads.bias.data = named["network.heads.weight"], named["network.heads.bias"]
    folded = iter([tensor for name, tensor in tensors if name.startswith("onnx::Conv")])
    network.first.weight.data, network.first.bias.data = next(folded), next(folded)
    network.norm = nn.Identity()
    for block in network.blocks:
        block.conv.weight.data, block.conv.bias.data = next(folded), next(folded)
        block.norm = nn.Identity()
    network.eval()
    return network


class Served(nn.Module):  # type: ignore[misc]
    """What is exported: log-mel [1, T, 40] to posteriors [1, T, 20] of the frames 200 ms earlier."""

    def __init__(self, network: SpeechNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, mel: Tensor) -> Tensor:
        """Posteriors [1, T, 20], the mean of the SERVED heads, of mel [1, T, 40]."""
        told = torch.softmax(self.network(mel), -1)
        # A head that looks less far has named the frame earlier.
        late = [LOOK_AHEADS[SERVED[-1]] - LOOK_AHEADS[head] for head in SERVED]
        aligned = [functional.pad(told[:, :, head], (0, 0, by, -by)) for head, by in zip(SERVED, late, strict=True)]
        return torch.stack(aligned).mean(0)
