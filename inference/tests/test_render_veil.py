"""Fades and haze over a face: its mouth gets no more contrast than the rest of it."""

import numpy as np
import pytest

from enhance.geometry.planes import Planes, to_rgb
from enhance.render.patch import patch_of
from enhance.render.subject import SUBJECT
from enhance.render.veil import veil_over
from tests.test_render import BT601, astronaut, done, measured, planes_of, target


def under(planes: Planes, share: float, white: float) -> Planes:
    """Of which `share` is left, below so much white (Y)."""
    return Planes(
        *(
            np.asarray(np.clip(rest + (plane - rest) * share + more + 0.5, 0, 255), np.uint8)
            for plane, rest, more in ((planes.y, 16.0, white), (planes.u, 128.0, 0.0), (planes.v, 128.0, 0.0))
        )
    )


@pytest.mark.parametrize(("share", "white"), [(0.6, 88.0), (0.2, 175.0), (0.4, 60.0), (0.15, 0.0)])
def test_a_mouth_in_a_fade_is_the_mouth_in_full_light_as_faded(share: float, white: float) -> None:
    planes, mesh = astronaut()
    person, asked = measured(planes, mesh), target(0.16, 0.5)
    clear = done(planes, mesh, asked, subject=person)
    faded = under(planes, share, white)
    result = done(faded, mesh, asked, subject=person)
    expected = under(clear.planes, share, white)
    changed = clear.mask > 0
    for got, wanted, where, most in (
        (result.planes.y, expected.y, changed, 8),
        (result.planes.v, expected.v, changed[::2, ::2], 3),
    ):
        off = np.abs(got.astype(float) - wanted)
        assert np.quantile(off[where], 0.98) <= 2
        assert off.max() <= most
    np.testing.assert_array_equal(result.planes.y[result.mask == 0], faded.y[result.mask == 0])


@pytest.mark.parametrize("light", [(0.6, 0.6, 0.6), (1, 1, 1), (1.9, 1.9, 1.9), (1, 0.7, 0.5), (0.6, 0.8, 1)])
def test_light_is_no_veil(light: tuple[float, float, float]) -> None:
    """Less of it, so much that skin is burnt out, and coloured light."""
    planes, mesh = astronaut()
    person = SUBJECT.unpack(measured(planes, mesh))
    lit = planes_of(np.asarray(np.clip(to_rgb(planes, BT601) * np.array(light), 0, 255), np.uint8))
    assert veil_over(patch_of(lit, BT601, mesh), person) is None
