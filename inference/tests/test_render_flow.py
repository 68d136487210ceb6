"""Two pictures of one row of teeth, mixed."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from enhance.render.finish.flow import flow_blend

Floats = npt.NDArray[Any]


def teeth(shift: float, height: int = 48, width: int = 120) -> Floats:
    """Pale teeth of unlike widths with dark lines between, `shift` pixels to the right; opacity 1."""
    x = np.arange(width) - shift
    lines_at = np.array([14, 31, 52, 70, 91, 104])
    row = 210 - 150 * np.exp(-(((x[:, None] - lines_at) / 1.6) ** 2)).sum(axis=1)
    y = np.arange(height)[:, None]
    luma = row * (1 / (1 + np.exp(-(30 - y) / 1.5))) + 25
    return np.asarray(np.stack([luma, luma * 0.95, luma * 0.9, np.ones_like(luma)], axis=2), np.float32)


def lines(picture: Floats) -> int:
    """Dark lines in the middle row, in the part that both pictures have."""
    row = picture[18, 8:-8, 0]
    inner = row[1:-1]
    return int(((inner < row[:-2]) & (inner <= row[2:]) & (inner < 200)).sum())


def test_no_line_between_teeth_is_seen_twice() -> None:
    a, b = teeth(0), teeth(5)
    plain = (a + b) / 2
    assert lines(plain) > lines(a)
    mixed = flow_blend(a, b, 0.5)
    assert lines(mixed) == lines(a)
    assert np.abs(mixed - teeth(2.5))[12:24, 12:-12, 0].mean() < 0.25 * np.abs(plain - teeth(2.5))[12:24, 12:-12, 0].mean()


def test_the_ends_of_a_mix_are_the_pictures_themselves() -> None:
    a, b = teeth(0), teeth(5)
    assert np.array_equal(flow_blend(a, b, 0.0), a)
    assert np.array_equal(flow_blend(a, b, 1.0), b)


def test_a_mix_goes_on_steadily_from_one_picture_to_the_other() -> None:
    a, b = teeth(0), teeth(5)
    steps = [flow_blend(a, b, w) for w in np.linspace(0, 1, 11)]
    jumps = [float(np.abs(q - p).mean()) for p, q in pairwise(steps)]
    assert max(jumps) < 2.5 * float(np.median(jumps))


def test_weights_may_differ_from_pixel_to_pixel() -> None:
    a, b = teeth(0), teeth(5)
    weight = np.zeros(a.shape[:2], np.float32)
    weight[:, 60:] = 1
    mixed = flow_blend(a, b, weight)
    assert np.array_equal(mixed[:, :60], a[:, :60])
    assert np.array_equal(mixed[:, 60:], b[:, 60:])


@pytest.mark.parametrize("size", [(3, 5), (23, 90), (24, 24), (200, 61)])
def test_mouths_of_every_size_are_mixed(size: tuple[int, int]) -> None:
    a, b = teeth(0, *size), teeth(3, *size)
    mixed = flow_blend(a, b, 0.3)
    assert mixed.shape == a.shape
    assert np.isfinite(mixed).all()


def test_pictures_that_have_nothing_in_common_are_mixed_as_they_stand() -> None:
    rng = np.random.default_rng(0)
    a, b = teeth(0), np.full((48, 120, 4), 250, np.float32)
    a[..., :3] = rng.uniform(0, 90, (48, 120, 1))
    assert np.abs(flow_blend(a, b, 0.5) - (a + b) / 2).mean() < 2
