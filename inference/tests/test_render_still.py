"""Portraits travel as RGB, and come back changed where the mouth was rendered and nowhere else."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import BadMouthError
from enhance.geometry.planes import Planes
from enhance.render.still import check_rgb, planes_of_rgb, with_change

Values = npt.NDArray[Any]
KR, KB = 0.2126, 0.0722


def pixels(seed: int, height: int = 12, width: int = 16) -> npt.NDArray[np.uint8]:
    """Smooth colours with noise: what a still holds, and colours beyond what 4:2:0 can hold."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def rounded(value: float) -> int:
    return int(min(255, max(0, np.floor(value + 0.5))))


def reference_planes(rgb: npt.NDArray[np.uint8]) -> Planes:
    """One pixel after the other, as it was done before it was Python's: in float64, each chroma sample the mean of four."""
    height, width = rgb.shape[:2]
    y, sums = np.zeros((height, width), np.uint8), np.zeros((2, height // 2, width // 2))
    for row in range(height):
        for column in range(width):
            r, g, b = (float(v) for v in rgb[row, column])
            code = KR * r + (1 - KR - KB) * g + KB * b
            y[row, column] = rounded(code)
            sums[0, row // 2, column // 2] += (b - code) / (1 - KB) / 8
            sums[1, row // 2, column // 2] += (r - code) / (1 - KR) / 8
    u, v = (np.array([[rounded(128 + value) for value in line] for line in plane], np.uint8) for plane in sums)
    return Planes(y, u, v)


def reference_change(rgb: npt.NDArray[np.uint8], before: Planes, after: Planes, mask: Values) -> npt.NDArray[np.uint8]:
    """The change of each pixel's Y, U and V, brought back to it."""
    out = rgb.copy()
    for row, column in np.argwhere(mask):
        half = row // 2, column // 2
        dy, du, dv = (
            float(new) - float(old)
            for new, old in (
                (after.y[row, column], before.y[row, column]),
                (after.u[half], before.u[half]),
                (after.v[half], before.v[half]),
            )
        )
        dr, db = dy + 2 * (1 - KR) * dv, dy + 2 * (1 - KB) * du
        dg = (dy - KR * dr - KB * db) / (1 - KR - KB)
        out[row, column] = [rounded(float(was) + d) for was, d in zip(rgb[row, column], (dr, dg, db), strict=True)]
    return out


@pytest.mark.parametrize("seed", range(4))
def test_planes_are_those_of_pixel_by_pixel_arithmetic_within_one_value(seed: int) -> None:
    rgb = pixels(seed)
    ours, reference = planes_of_rgb(rgb), reference_planes(rgb)
    for plane, expected in ((ours.y, reference.y), (ours.u, reference.u), (ours.v, reference.v)):
        assert np.abs(plane.astype(int) - expected).max() <= 1


@pytest.mark.parametrize("seed", range(4))
def test_a_change_is_brought_back_as_pixel_by_pixel_within_one_value(seed: int) -> None:
    rgb = pixels(seed)
    before, after = reference_planes(rgb), reference_planes(pixels(seed + 100))
    mask = np.random.default_rng(seed).integers(0, 2, rgb.shape[:2], dtype=np.uint8) * np.uint8(255)
    ours = with_change(rgb, before, after, mask)
    assert ours.dtype == np.uint8
    assert np.abs(ours.astype(int) - reference_change(rgb, before, after, mask)).max() <= 1


def test_a_still_is_as_it_was_where_nothing_changed() -> None:
    rgb = pixels(7)
    planes = planes_of_rgb(rgb)
    everywhere = np.full(rgb.shape[:2], 255, np.uint8)
    np.testing.assert_array_equal(with_change(rgb, planes, planes, everywhere), rgb)
    other = planes_of_rgb(pixels(8))
    np.testing.assert_array_equal(with_change(rgb, planes, other, np.zeros_like(everywhere)), rgb)


def test_a_colour_that_is_painted_is_that_colour() -> None:
    grey, red = (np.full((12, 16, 3), colour, np.uint8) for colour in ((90, 90, 90), (200, 60, 40)))
    mask = np.full((12, 16), 255, np.uint8)
    mask[:2] = 0
    out = with_change(grey, planes_of_rgb(grey), planes_of_rgb(red), mask)
    assert np.abs(out[2:].astype(int) - (200, 60, 40)).max() <= 2
    assert (out[:2] == 90).all()


@pytest.mark.parametrize(
    "values",
    [
        np.zeros((4, 4, 3), np.float32),
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 4), np.uint8),
        np.zeros((5, 4, 3), np.uint8),
        np.zeros((4, 5, 3), np.uint8),
        np.zeros((0, 4, 3), np.uint8),
    ],
)
def test_what_is_no_patch_of_a_still_is_refused(values: Values) -> None:
    with pytest.raises(BadMouthError, match=r"expected RGB uint8 \[height, width, 3\] with even sides, got "):
        check_rgb(values)
