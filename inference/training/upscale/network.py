"""The network while it learns: each 3 x 3 kernel is a sum of branches, which are formed on the kernels and folded at the end.

After ECBSR (Zhang, Zeng, Zhang, 2021) and SESR (Bhardwaj et al., 2022).
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from .plain import BORDER, CHANNELS, MIDDLE, Plain

_SOBEL = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]) / 8
_LAPLACE = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]) / 8
_CENTRE = torch.tensor([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


class BranchedKernel(nn.Module):  # type: ignore[misc]
    """A 3 x 3 kernel as the sum of a plain one, one widened 1 x 1 after 3 x 3, both Sobels, Laplace and half the identity.

    gain: 0 for a kernel that starts at zero.
    """

    def __init__(self, inputs: int, outputs: int, gain: float) -> None:
        super().__init__()
        wide = 2 * max(inputs, outputs)
        self.plain = nn.Parameter(gain * 0.5 * nn.init.kaiming_normal_(torch.empty(outputs, inputs, 3, 3)))
        self.widen = nn.Parameter(torch.randn(wide, inputs, 3, 3) * (1 / (9 * inputs)) ** 0.5)
        self.narrow = nn.Parameter(gain * torch.randn(outputs, wide) * (0.5 / wide) ** 0.5)
        self.edges = nn.Parameter(gain * 0.1 * torch.randn(3, outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("shapes", torch.stack([_SOBEL, _SOBEL.T, _LAPLACE]), persistent=False)
        identity = torch.eye(outputs)[:, :, None, None] * _CENTRE if inputs == outputs else torch.zeros(1)
        self.register_buffer("identity", 0.5 * identity, persistent=False)

    def forward(self) -> Tensor:
        """The kernel, outputs x inputs x 3 x 3."""
        widened = torch.einsum("ow,wikl->oikl", self.narrow, self.widen)
        edges = torch.einsum("noi,nkl->oikl", self.edges, self.shapes)
        return self.plain + widened + edges + self.identity


class UpscaleNetwork(nn.Module):  # type: ignore[misc]
    """Luma [B, 1, H, W] of 0 to 1, with BORDER pixels of surroundings on each side, to [B, 1, 2 (H - 2 BORDER), ...]."""

    def __init__(self) -> None:
        super().__init__()
        widths = [1, *[CHANNELS] * (MIDDLE + 1)]
        layers = [BranchedKernel(inputs, outputs, 1) for inputs, outputs in pairwise(widths)]
        self.layers = nn.ModuleList([*layers, BranchedKernel(CHANNELS, 4, 0)])
        self.anchor = nn.Parameter(_bicubic())

    def forward(self, luma: Tensor) -> Tensor:
        """The enlarged luma. While it learns, the convolutions run in bf16, which takes half the time."""
        kernels = [layer() for layer in self.layers]
        within = BORDER - self.anchor.shape[-1] // 2
        linear = functional.conv2d(luma[..., within:-within, within:-within], self.anchor)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):
            hidden = luma
            for kernel, layer in zip(kernels[:-1], self.layers[:-1], strict=True):
                hidden = functional.relu(functional.conv2d(hidden, kernel, layer.bias))
            residual = functional.conv2d(hidden, kernels[-1], self.layers[-1].bias)
        return functional.pixel_shuffle(linear + residual.float(), 2)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def folded(self) -> Plain:
        """The same function as plain kernels for 0 to 255: whole numbers are exact in bf16, 255ths are not."""
        kernels = [layer().clone() for layer in self.layers]
        biases = [layer.bias.clone() for layer in self.layers]
        kernels[0] /= 255
        kernels[-1] *= 255
        biases[-1] *= 255
        layers = [(kernel.numpy(), bias.numpy()) for kernel, bias in zip(kernels, biases, strict=True)]
        return Plain(layers, self.anchor.numpy().copy())


def _bicubic() -> Tensor:
    """The kernel [4, 1, 5, 5] that enlarges by 2 as bicubic interpolation (a = -0.5) does."""
    distance = (torch.tensor([[-0.25], [0.25]]) - torch.arange(-2.0, 3.0)).abs()
    near = 1.5 * distance**3 - 2.5 * distance**2 + 1
    far = -0.5 * distance**3 + 2.5 * distance**2 - 4 * distance + 2
    line = torch.where(distance < 1, near, torch.where(distance < 2, far, 0.0))
    return torch.einsum("ya,xb->yxab", line, line).reshape(4, 1, 5, 5)
