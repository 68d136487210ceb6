"""The network as it is served: plain kernels, with the shapes that all parts of the recipe share."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHANNELS, MIDDLE = 16, 4
BORDER = MIDDLE + 2  # pixels round an input pixel that its output depends on: one for each 3 x 3 kernel

Weights = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Plain:
    """Luma of 0 to 255 in and out. layers: kernel (outputs x inputs x 3 x 3) and bias of each convolution, with ReLU between
    them. anchor: 4 x 1 x 5 x 5, what is added from the input itself. The four outputs are a square of 2 x 2 pixels, by rows."""

    layers: list[tuple[Weights, Weights]]
    anchor: Weights

    @property
    def parameters(self) -> int:
        """How many numbers it has."""
        return sum(kernel.size + bias.size for kernel, bias in self.layers) + self.anchor.size
