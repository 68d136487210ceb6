"""Classical resampling."""

from typing import get_args

import numpy as np
import pytest
from PIL import Image

from enhance.picture import FloatPlanes
from enhance.upscale.resample import REACH, Kernel, box, enlarge

SIZES = [(1, 1), (1, 7), (5, 3), (64, 65), (130, 70)]


def enlarge_whole(planes: FloatPlanes, scale: int, kernel: Kernel) -> FloatPlanes:
    border = REACH[kernel]
    return enlarge(np.pad(planes, ((0, 0), (border, border), (border, border)), mode="edge"), scale, kernel)


def smooth(height: int, width: int) -> FloatPlanes:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.asarray(0.5 + 0.3 * np.sin(x / 6 + y / 9), np.float32)[None]


@pytest.mark.parametrize("kernel", get_args(Kernel))
@pytest.mark.parametrize("scale", [2, 4, 8])
@pytest.mark.parametrize("size", SIZES)
def test_a_flat_colour_stays_and_the_size_is_exact(kernel: Kernel, scale: int, size: tuple[int, int]) -> None:
    large = enlarge_whole(np.full((2, *size), 0.25, np.float32), scale, kernel)
    assert large.shape == (2, size[0] * scale, size[1] * scale)
    np.testing.assert_allclose(large, 0.25, atol=1e-6)


@pytest.mark.parametrize(("kernel", "pil"), [("lanczos", Image.Resampling.LANCZOS), ("bicubic", Image.Resampling.BICUBIC)])
@pytest.mark.parametrize("scale", [2, 4, 8])
def test_enlarging_equals_pillow_inside(kernel: Kernel, pil: Image.Resampling, scale: int) -> None:
    small = smooth(70, 131)
    expected = np.asarray(Image.fromarray(small[0]).resize((131 * scale, 70 * scale), pil))
    inside = np.s_[4 * scale : -4 * scale, 4 * scale : -4 * scale]
    np.testing.assert_allclose(enlarge_whole(small, scale, kernel)[0][inside], expected[inside], atol=1e-5)


def test_a_box_of_two_is_the_mean_of_four() -> None:
    planes = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    assert box(planes, 2).tolist() == [[[2.5, 4.5], [10.5, 12.5]]]
