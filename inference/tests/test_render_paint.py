"""Lips of any colour are lips, and what is painted in a picture of a single tint has that tint."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.head import pose_of
from enhance.geometry.planes import Planes, from_rgb, mean_of_four
from enhance.render.compose import MouthRequest, Rendered, render
from enhance.render.finish.single_tint import follow_luma
from enhance.render.lips.outline import Lips, lips_of
from enhance.render.lips.redness import LipsAndSkin
from enhance.render.measure import covered_share, measure
from enhance.render.subject import SUBJECT
from tests.test_render import BT601, astronaut, drawn, own_width, target

Floats = npt.NDArray[Any]
BLUE, TEAL, BLACK = (40, 110, 200), (30, 120, 115), (30, 22, 24)
PAINTS = [BLUE, TEAL, BLACK]


def lips_on(planes: Planes, mesh: Floats) -> Lips:
    pose = pose_of(mesh)
    return lips_of(pose.to_head(mesh.astype(float)), pose, planes)


def over_lips(planes: Planes, mesh: Floats, lips: Lips) -> Floats:
    """0..1 of each pixel: how far it is lip."""
    pose = pose_of(mesh)
    mask = np.zeros(planes.y.shape, np.uint8)
    for ring, value in ((lips.outer_ring, 255), (lips.inner_ring, 0)):
        if value or lips.closed < 1:
            cv2.fillPoly(mask, [np.round(pose.to_pixels(pose.to_plane(ring))).astype(np.int32)], (value,))
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.8), np.float32) / np.float32(255)


def with_paint(planes: Planes, mesh: Floats, colour: tuple[int, int, int]) -> Planes:
    """The lips in another colour, lit as they were."""
    share = over_lips(planes, mesh, lips_on(planes, mesh))
    light = planes.y.astype(np.float32) / max(float((planes.y * share).sum() / share.sum()), 1.0)
    yuv = from_rgb(light[..., None] * np.array(colour, np.float32), BT601)
    out = planes.copy()
    for plane, channel in ((out.y, 0), (out.u, 1), (out.v, 2)):
        part, paint = (share, yuv[..., 0]) if channel == 0 else (mean_of_four(share), mean_of_four(yuv[..., channel]))
        plane[...] = np.clip(plane + part * (paint - plane) + 0.5, 0, 255).astype(np.uint8)
    return out


def moved(planes: Planes, mesh: Floats, opening: float) -> Rendered:
    return render(planes, BT601, mesh, MouthRequest(target(opening, own_width(mesh)), measure(planes, BT601, mesh)))


@pytest.mark.parametrize("colour", PAINTS)
def test_painted_lips_that_are_apart_lie_where_bare_ones_do(colour: tuple[int, int, int]) -> None:
    planes, mesh = drawn(0.08)
    bare, found = lips_on(planes, mesh), lips_on(with_paint(planes, mesh, colour), mesh)
    for name in ("upper_outer", "upper_inner", "lower_inner", "lower_outer"):
        assert np.abs(getattr(found, name) - getattr(bare, name))[3:-3, 1].max() < 0.02, name


@pytest.mark.parametrize("colour", PAINTS)
def test_painted_lips_cover_no_mouth(colour: tuple[int, int, int]) -> None:
    for planes, mesh in (astronaut(), drawn(), drawn(0.08)):
        assert covered_share(with_paint(planes, mesh, colour), BT601, mesh) < 0.15


@pytest.mark.parametrize("colour", PAINTS)
def test_behind_painted_lips_the_tongue_is_red(colour: tuple[int, int, int]) -> None:
    planes, mesh = drawn(0.08)
    person = SUBJECT.unpack(measure(with_paint(planes, mesh, colour), BT601, mesh))
    assert person.tongue[0] > 1.3 * person.tongue[2]
    assert person.cavity[0] > person.cavity[2]


def test_lips_lighter_than_the_skin_are_not_painted_beside_the_mouth() -> None:
    planes, mesh = drawn(0.08)
    planes.y[...] = 16 + 0.35 * (planes.y.astype(np.float32) - 16)
    before = with_paint(planes, mesh, (80, 190, 250))
    after = moved(before, mesh, 0.0).planes
    pose = pose_of(mesh)
    half = float(np.ptp(pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float)))[:, 0])) / 2
    beside = np.abs(pose.plane_of(planes.area)[::2, ::2, 0]) > half + 0.02
    assert (after.u.astype(float) - before.u)[beside].max() < 4


def test_bare_lips_are_told_by_their_redness() -> None:
    for planes, mesh in (astronaut(), drawn(), drawn(0.08)):
        pose = pose_of(mesh)
        assert LipsAndSkin.of(planes, pose, pose.to_head(mesh.astype(float))).painted == 0


@pytest.mark.parametrize("is_sepia", [True, False])
def test_what_is_painted_has_the_tint_of_a_picture_of_a_single_tint(is_sepia: bool) -> None:
    seen = astronaut()[0]
    if is_sepia:
        of_four = mean_of_four(seen.y.astype(np.float32))
        seen = Planes(seen.y, *((128 + share * of_four).round().astype(np.uint8) for share in (-0.15, 0.1)))
    out, mask = seen.copy(), np.zeros_like(seen.y)
    mask[40:80, 40:80] = 255
    out.y[40:80, 40:80] = 150
    out.u[20:40, 20:40], out.v[20:40, 20:40] = 120, 130
    painted_grey = out.copy()
    follow_luma(out, mask, seen)
    for plane, grey, share in ((out.u, painted_grey.u, -0.15), (out.v, painted_grey.v, 0.1)):
        if is_sepia:
            assert np.abs(plane[20:40, 20:40] - (128 + share * 150)).max() <= 1.5
            grey[20:40, 20:40] = plane[20:40, 20:40]
        np.testing.assert_array_equal(plane, grey)
