"""What the network is trained on for, and at which rates."""

import torch
from torch import Tensor

from ..fit import Settings

SETTINGS = Settings(steps=1000, rate=5e-5, warm_up=50, falling=0.7, mean=0.99, keep=50)

# Rows: Y, Cb, Cr of R, G, B; what is wrong with colours is seen less.
_TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
_WEIGHTS = torch.tensor([1.0, 0.15, 0.15])
_SMALL = 5 / 255  # differences above count by their size, those below by their square


def distance(enlarged: Tensor, wanted: Tensor) -> Tensor:
    """Mean distance of luma, and a part of that of each chroma."""
    apart = torch.einsum("yc,nchw->nyhw", _TO_YCC, enlarged - wanted)
    return ((apart**2 + _SMALL**2).sqrt().mean((0, 2, 3)) * _WEIGHTS).sum()
