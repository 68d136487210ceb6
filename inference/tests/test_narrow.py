"""How dark it is in a mouth that is made narrower."""

from dataclasses import replace

import numpy as np
import pytest

from enhance.render.compose import MouthRequest, render
from enhance.render.inside.interior import certain
from enhance.render.inside.merged import merged_from
from enhance.render.inside.narrow import DARKEST, LIGHTEST, NONE, SHARE, USUAL, Narrowing, narrowing_of
from enhance.render.inside.shade import GAPS, Places, Shown
from enhance.render.measure import measure
from tests.test_render import BT601, drawn, target
from tests.test_render_inside import BALANCED, in_shade, inside_of, lent, own_row_of, person, shut


def shown(light: float) -> Shown:
    """A mouth that is as far open as all of these, in so much of the light in which it is made."""
    made = np.full((30, 60, 3), [120, 0, 0], np.float32)
    across, down = np.meshgrid(np.linspace(-1, 1, 60), np.linspace(0, 1, 30))
    return Shown(made * np.float32(light), made, np.ones((30, 60), np.float32), Places.of(GAPS[1], down, across))


def test_what_a_clip_loses_of_its_light_in_narrow_mouths_is_learnt() -> None:
    widths = np.linspace(0.40, 0.60, 24)

    def loss(of_clip: float) -> float:
        return narrowing_of([(shown(np.exp(of_clip * (width / 0.5 - 1))), width) for width in widths]).loss / SHARE

    assert narrowing_of([(shown(1), width) for width in widths]).usual == pytest.approx(0.5)
    assert 2.0 < loss(2.4) < 2.4
    assert 0 < loss(0.0) < 0.5 * USUAL
    assert loss(-2.0) == 0  # narrower mouths are nowhere lighter


def test_a_clip_that_shows_one_width_loses_what_people_usually_lose() -> None:
    alone = narrowing_of([(shown(0.8), 0.5)])
    assert alone.usual == 0.5
    assert alone.loss == pytest.approx(SHARE * USUAL)
    assert narrowing_of([]) == NONE
    assert NONE.light(0.3) == NONE.light(0.8) == 1


def test_the_light_in_a_mouth_falls_with_its_width_within_limits() -> None:
    narrowing = Narrowing(0.5, 1.5)
    light = [narrowing.light(width) for width in (0.1, 0.4, 0.45, 0.5, 0.55, 0.8)]
    assert light == sorted(light)
    assert light[0] == DARKEST
    assert light[3] == 1
    assert light[-1] == LIGHTEST


def test_the_same_opening_is_darker_inside_where_the_mouth_is_narrower() -> None:
    inside = inside_of(*[in_shade(gap, 1) for gap in (0.10, 0.16, 0.22)])
    merged = merged_from(inside.tobytes(), BALANCED.density)
    assert merged
    planes, colours, mesh = shut()
    subject, usual = measure(planes, colours, mesh), person().rest.width

    def teeth(width: float, opening: float = 0.24) -> float:
        asked = MouthRequest(target(opening, width=width), subject, "photo", BALANCED, inside)
        middle, low = int(mesh[13, 0]), int(mesh[13, 1])
        return float(np.median(render(planes, BT601, mesh, asked).planes.y[low - 4 : low + 4, middle - 20 : middle + 20]))

    lost = (teeth(0.7 * usual) - 16) / (teeth(usual) - 16)
    assert lost == pytest.approx(merged.narrowing.light(0.7 * usual) / merged.narrowing.light(usual), abs=0.03)
    assert lost < 0.92
    # Little open, a narrow mouth is a dark hole: its lips come forward.
    assert teeth(0.75 * usual, 0.09) - 16 < 0.6 * (teeth(usual, 0.09) - 16)


def test_in_a_small_face_no_mouth_counts_as_narrow() -> None:
    assert [certain(0.7, scale) for scale in (40, 65, 110, 300)] == pytest.approx([1, 1, 0.7, 0.7])
    assert 0.7 < certain(0.7, 90) < 1


def test_what_a_narrow_mouth_of_the_frame_loses_is_not_taken_from_its_teeth_again() -> None:
    merged = merged_from(inside_of(drawn(gap=0.16, teeth=True)).tobytes(), BALANCED.density)
    assert merged
    of_wider = replace(merged, narrowing=Narrowing(1.2 * merged.narrowing.usual, 1.5))
    dark = lent(*in_shade(0.16, of_wider.narrowing.light(merged.narrowing.usual)))
    assert own_row_of(merged, dark).light < 0.9
    assert own_row_of(of_wider, dark).light == pytest.approx(1, abs=0.05)
