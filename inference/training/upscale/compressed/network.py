"""waifu2x's upconv_7 in torch: read from the ONNX file that inference.build wrote, and written as one again."""

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

HALF = ".half"  # ends the names of constants that are stored in 16 bits
_SLOPE = 0.1


class PhotoNetwork(nn.Module):  # type: ignore[misc]
    """RGB [B, 3, H, W] of 0 to 1, with 7 pixels of surroundings on each side, to [B, 3, 2 (H - 14), ...]."""

    def __init__(self, model: onnx.ModelProto) -> None:
        """Raises ValueError for another network than upconv_7."""
        super().__init__()
        kinds = [node.op_type for node in model.graph.node if "Conv" in node.op_type]
        if kinds != ["Conv"] * 6 + ["ConvTranspose"]:
            raise ValueError(f"expected six convolutions and a transposed one, got {', '.join(kinds)}")
        constants = model.graph.initializer
        stored = {each.name.removesuffix(HALF): numpy_helper.to_array(each).astype(np.float32) for each in constants}
        names = [node.input[1:] for node in model.graph.node if "Conv" in node.op_type]
        self.kernels = nn.ParameterList(torch.from_numpy(stored[kernel].copy()) for kernel, _ in names)
        self.biases = nn.ParameterList(torch.from_numpy(stored[bias].copy()) for _, bias in names)

    def forward(self, picture: Tensor) -> Tensor:
        """The enlarged picture. The wide convolutions run in bf16 while it learns, which takes a third of the time."""
        hidden = functional.leaky_relu(functional.conv2d(picture, self.kernels[0], self.biases[0]), _SLOPE)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.training):
            for kernel, bias in zip(self.kernels[1:-1], self.biases[1:-1], strict=True):
                hidden = functional.leaky_relu(functional.conv2d(hidden, kernel, bias), _SLOPE)
        return functional.conv_transpose2d(hidden.float(), self.kernels[-1], self.biases[-1], stride=2, padding=3)
