"""How thick lips are that are apart: as the clip's open lips are, which shut ones do not show."""

from dataclasses import replace

import numpy as np
import pytest

from enhance.geometry.head import Array
from enhance.render.compose import MouthRequest, render
from enhance.render.inside.lender import lend, lender_from
from enhance.render.inside.merge import merge
from enhance.render.inside.merged import inside_from, merged_from
from enhance.render.lips.fullness import LEAST, MOST, learnt
from enhance.render.lips.outline import Lips, lips_of
from enhance.render.lips.shape import UNCHANGED_FULLNESS, Asked, Rest, asked_of, middle_of, shape_of, thinned
from enhance.render.measure import measure
from enhance.render.patch import patch_of
from enhance.render.quality import QUALITIES
from enhance.render.subject import SUBJECT, Subject
from tests.test_render import BT601, drawn, target

BALANCED = QUALITIES["balanced"]
ROLLED_IN = 0.85  # of the thickness of the drawn lips, at rest


def rolled_in() -> tuple[Subject, Lips]:
    """A subject whose lips are thinner at rest than those of the drawn face, and that face's shut lips."""
    planes, mesh = drawn()
    person, patch = SUBJECT.unpack(measure(planes, BT601, mesh)), patch_of(planes, BT601, mesh)
    rest = person.rest
    top, bottom = (rest.line + ROLLED_IN * (outer - rest.line) for outer in (rest.upper_outer, rest.lower_outer))
    return replace(person, rest=replace(rest, upper_outer=top, lower_outer=bottom)), lips_of(patch.head, patch.pose, planes)


def thickness(lips: Lips | Asked) -> Array:
    return np.array([middle_of(lips.upper_outer, lips.upper_inner), middle_of(lips.lower_inner, lips.lower_outer)])


def of_rest(rest: Rest) -> Array:
    return np.array([middle_of(rest.upper_outer, rest.line), middle_of(rest.line, rest.lower_outer)])


def test_lips_that_part_are_as_thick_as_the_clips_open_ones_and_shut_ones_as_at_rest() -> None:
    person, own = rolled_in()
    giver, there = drawn(gap=0.16, teeth=True)
    lender = lender_from(lend(giver, BT601, there, person, BALANCED.side).tobytes(), BALANCED.side)
    inside = merged_from(merge([lender] * 9, person, BT601, BALANCED.density).tobytes(), BALANCED.density)
    assert inside
    open_, shut = (shape_of(target(opening, person.rest.width), person.rest) for opening in (0.16, 0.0))
    asked = asked_of(open_, person.rest, own, inside.fullness)
    assert thickness(asked) / thickness(lender.lips) == pytest.approx(1, abs=0.06)
    assert (thickness(asked_of(open_, person.rest, own)) < 0.9 * thickness(lender.lips)).all()
    assert np.array_equal(
        asked_of(shut, person.rest, own, inside.fullness).upper_outer, asked_of(shut, person.rest, own).upper_outer
    )


def test_so_are_the_lips_of_a_clip_that_shows_too_little_between_them() -> None:
    (person, _), (giver, there) = rolled_in(), drawn(gap=0.07)
    lender = lender_from(lend(giver, BT601, there, person, BALANCED.side).tobytes(), BALANCED.side)
    inside = merge([lender] * 9, person, BT601, BALANCED.density)
    assert merged_from(inside.tobytes(), BALANCED.density) is None
    assert (inside_from(inside.tobytes(), BALANCED.density).fullness > 1.05).all()
    planes, mesh = drawn()
    request = MouthRequest(target(0.16, person.rest.width), SUBJECT.pack(person), "photo", BALANCED, inside)
    with_it, without = (render(planes, BT601, mesh, each).planes for each in (request, replace(request, inside=None)))
    assert not np.array_equal(with_it.y, without.y)


def test_one_frame_counts_half_a_mistaken_one_within_limits_and_shut_ones_nothing() -> None:
    person, own = rolled_in()
    planes, mesh = drawn(gap=0.16, teeth=True)
    patch = patch_of(planes, BT601, mesh)
    lips = lips_of(patch.head, patch.pose, planes)
    seen = thickness(lips) / of_rest(person.rest) / thinned(lips.width / person.rest.width, lips.opening)
    assert learnt([lips], person.rest) == pytest.approx(1 + (seen - 1) / 2)
    swollen = replace(lips, upper_outer=lips.upper_outer - [0, 0.2, 0], lower_outer=lips.lower_inner)
    assert learnt([swollen] * 99, person.rest) == pytest.approx([MOST, LEAST], abs=0.01)
    assert np.array_equal(learnt([own], person.rest), UNCHANGED_FULLNESS)
