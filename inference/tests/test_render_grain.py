"""What is rendered is as sharp and as grainy as the picture round it; and no larger than the motion."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from enhance.geometry.area import Area
from enhance.geometry.head import Pose
from enhance.geometry.planes import Planes, moved
from enhance.render.compose import MouthRequest, render
from enhance.render.finish.grain import bands, noise_of, sharpened
from enhance.render.finish.streaks import evened
from enhance.render.finish.tone import GRID, Ring, Tone, retone
from enhance.render.lips.colours import COLUMNS
from enhance.render.lips.field import seen_alone
from enhance.render.lips.outline import ALONG
from enhance.render.measure import measure
from enhance.render.quality import QUALITIES
from tests.test_render import BT601, astronaut, target

Floats = npt.NDArray[Any]
HERE = Area(100, 120, 228, 184)


def noise(height: int, width: int, deviation: float, soft: float = 0.0, seed: int = 0) -> Floats:
    grain = np.random.default_rng(seed).normal(size=(height, width)).astype(np.float32)
    if soft:
        grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), soft))
    return np.asarray(grain / grain.std() * deviation, np.float32)


def grey(luma: Floats) -> Planes:
    half = np.full((luma.shape[0] // 2, luma.shape[1] // 2), 128, np.uint8)
    return Planes(np.clip(luma + 0.5, 0, 255).astype(np.uint8), half, half.copy())


def deviations(luma: Floats, where: tuple[slice, slice]) -> list[float]:
    return [float(band[where].std()) for band in bands(luma.astype(np.float32))]


@pytest.mark.parametrize("deviation", [2.0, 5.0, 10.0])
@pytest.mark.parametrize("soft", [0.0, 0.8])
@pytest.mark.parametrize(("shift", "within"), [(0.25, 0.1), (0.5, 0.25)])
def test_grain_that_was_moved_by_half_a_pixel_is_the_grain_it_was(
    deviation: float, soft: float, shift: float, within: float
) -> None:
    planes = grey(120 + noise(160, 160, deviation, soft))
    by = (np.full((120, 120), shift, np.float32),) * 2
    area, all_of_it = Area(20, 20, 140, 140), np.ones((120, 120), np.bool_)
    out = moved(planes, by, area, all_of_it)
    inside = (slice(40, 120), slice(40, 120))
    source = deviations(planes.y, inside)
    lost = deviations(out.y, inside)[0] / source[0]
    sharpened(out.y, planes.y, by, area, all_of_it)
    assert deviations(out.y, inside) == pytest.approx(source, rel=within)
    assert deviations(out.y, inside)[0] / source[0] >= lost - 0.02


def test_the_borders_of_blocks_are_not_made_stronger() -> None:
    planes = grey(noise(160, 160, 8.0, 2.0) + 120)
    coded = cv2.imdecode(cv2.imencode(".jpg", planes.y, [cv2.IMWRITE_JPEG_QUALITY, 12])[1], cv2.IMREAD_GRAYSCALE)
    blocky = Planes(np.asarray(coded, np.uint8), planes.u, planes.v)

    def steps(luma: Floats, by: int) -> float:
        across = np.abs(np.diff(luma[40:120, 40:120].astype(np.float32), axis=1))
        return float(across[:, (np.arange(79) + 41 - by) % 8 == 0].mean())

    by = np.full((120, 120), 0.5, np.float32), np.zeros((120, 120), np.float32)
    area, all_of_it = Area(20, 20, 140, 140), np.ones((120, 120), np.bool_)
    out = moved(blocky, by, area, all_of_it)
    sharpened(out.y, blocky.y, by, area, all_of_it)
    assert steps(out.y, 0) <= 1.02 * steps(blocky.y, 0)


@pytest.mark.parametrize("deviation", [0.0, 2.0, 6.0])
@pytest.mark.parametrize("level", [30, 110, 200])
def test_new_picture_gets_the_grain_of_its_surroundings(deviation: float, level: int) -> None:
    flat = grey(level + noise(384, 384, deviation) if deviation else np.full((384, 384), level, np.float32))
    new: Floats = np.full((64, 128), level, np.float32)
    grain = noise_of(flat.y).missing(new, np.ones_like(new), HERE)
    middle = (slice(8, 56), slice(8, 120))
    assert deviations(new + grain, middle) == pytest.approx(
        deviations(flat.y, (slice(60, 320), slice(60, 320))), rel=0.2, abs=0.1
    )


def test_what_is_grainy_enough_gets_no_more() -> None:
    flat = grey(110 + noise(384, 384, 5.0))
    own: Floats = noise(64, 128, 5.0, seed=3) + np.float32(110)
    assert noise_of(flat.y).missing(own, np.ones_like(own), HERE).std() < 1.5


def wrinkled(seed: int = 0) -> Planes:
    """Skin of many wrinkles before something smooth, with a little noise."""
    x = np.arange(384, dtype=np.float32)
    skin = 130 + 25 * np.sin((x + 20 * np.sin(x / 30)[:, None]) * 1.3)
    skin[:, 300:] = 120
    return grey(skin + noise(384, 384, 1.5, seed=seed))


def test_wrinkles_are_no_grain() -> None:
    new: Floats = np.full((64, 128), 60, np.float32)
    grain = noise_of(wrinkled().y).missing(new, np.ones_like(new), HERE)
    assert 0.3 < grain.std() < 1.7
    # No line: no direction and no place has more of it than another.
    assert grain.mean(axis=0).std() < 0.25
    assert grain.mean(axis=1).std() < 0.25


def test_grain_stays_where_it_is_while_the_picture_does() -> None:
    new: Floats = np.full((64, 128), 110, np.float32)
    seen = np.ones_like(new)
    still = noise_of(wrinkled().y).missing(new, seen, HERE)
    moved_on = noise_of(wrinkled().y).missing(new[6:, 10:], seen[6:, 10:], Area(110, 126, 228, 184))
    assert np.allclose(still[6:, 10:], moved_on, atol=1e-4)
    other = noise_of(wrinkled(seed=1).y).missing(new, seen, HERE)
    assert abs(float(np.corrcoef(still.ravel(), other.ravel())[0, 1])) < 0.1


def test_detail_gets_no_grain() -> None:
    teeth: Floats = np.full((64, 128), 110, np.float32)
    teeth[:, 60:] = 110 + 20 * np.sin(np.arange(68) * 1.5)
    grain = noise_of(grey(110 + noise(384, 384, 3.0)).y).missing(teeth, np.ones_like(teeth), HERE)
    assert grain[:, :48].std() > 2
    assert grain[:, 72:].std() < 0.2


def test_what_is_drawn_out_in_any_direction_gets_no_detail() -> None:
    """Lips that part beside a head that is tilted."""
    planes = grey(120 + noise(160, 160, 6.0))
    y, x = np.mgrid[0:120, 0:120].astype(np.float32) - 60
    along = (x + y) / 2 * -0.6
    by = along, along
    area, all_of_it = Area(20, 20, 140, 140), np.ones((120, 120), np.bool_)
    out = moved(planes, by, area, all_of_it)
    before = out.y.copy()
    sharpened(out.y, planes.y, by, area, all_of_it)
    assert np.array_equal(out.y[40:120, 40:120], before[40:120, 40:120])


def test_a_noisy_frame_is_as_grainy_where_the_skin_moved() -> None:
    planes, mesh = astronaut()
    size = 4 * (planes.y.shape[0] // 4 * 2)
    large = np.asarray(cv2.resize(planes.y, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)
    noisy = Planes(
        np.clip(large + noise(size, size, 5.0) + 0.5, 0, 255).astype(np.uint8),
        *(cv2.resize(p, (size // 2, size // 2), interpolation=cv2.INTER_CUBIC).astype(np.uint8) for p in (planes.u, planes.v)),
    )
    scaled = mesh * np.float32(size / planes.y.shape[0])
    subject = measure(noisy, BT601, scaled)
    wanted = target(0.2, 0.45)
    detail: dict[str, list[float]] = {}
    moving = np.zeros(noisy.y.shape, np.bool_)
    for name in ("fast", "studio"):
        done = render(noisy, BT601, scaled, MouthRequest(wanted, subject, quality=QUALITIES[name]))
        if name == "fast":
            moving = (done.mask == 255) & (np.arange(size)[:, None] > scaled[17, 1] + 20)
        detail[name] = [float(band[moving].std()) for band in bands(done.planes.y.astype(np.float32))]
    source = [float(band[moving].std()) for band in bands(noisy.y.astype(np.float32))]
    assert detail["studio"] == pytest.approx(source, rel=0.1)
    assert abs(detail["studio"][0] - source[0]) < abs(detail["fast"][0] - source[0])


def test_what_hardly_moves_is_not_touched() -> None:
    across, down = np.tile(np.linspace(0, 2, 200, dtype=np.float32), (10, 1)), np.zeros((10, 200), np.float32)
    kept, level = seen_alone((across, down), 100.0)
    assert not kept[:, :10].any() and not level.any()
    assert np.array_equal(kept[:, 100:], across[:, 100:])
    assert (np.diff(kept[0]) >= 0).all()


def test_studio_changes_fewer_pixels_for_the_same_mouth() -> None:
    planes, mesh = astronaut()
    subject = measure(planes, BT601, mesh)
    masks = [
        render(planes, BT601, mesh, MouthRequest(target(0.1, 0.5), subject, quality=QUALITIES[name])).mask > 0
        for name in ("fast", "studio")
    ]
    assert masks[1].sum() < 0.85 * masks[0].sum()
    assert not (masks[1] & ~masks[0]).any()


@pytest.mark.parametrize("turn", [0.0, 0.6, 1.5])
def test_what_is_stretched_one_way_shows_no_hairs(turn: float) -> None:
    planes, area = grey(120 + noise(160, 160, 8.0, 0.7)), Area(20, 20, 140, 140)
    x = np.arange(-60, 60, dtype=np.float32)
    along, across = np.array([-np.sin(turn), np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])

    def stretched(share: float) -> tuple[Planes, tuple[Floats, Floats]]:
        by = (share - 1) * (along[0] * x + along[1] * x[:, None])
        moves = np.asarray(along[0] * by, np.float32), np.asarray(along[1] * by, np.float32)
        return moved(planes, moves, area, np.ones((120, 120), np.bool_)), moves

    def hair(out: Planes) -> float:
        """How much faster luma changes across what is stretched than along it."""
        down, right = np.gradient(cv2.GaussianBlur(out.y[40:120, 40:120].astype(np.float32), (0, 0), 0.7))
        return float((across[0] * right + across[1] * down).std() / (along[0] * right + along[1] * down).std())

    out, moves = stretched(0.35)
    assert hair(out) > 1.75
    evened(out, moves, area)
    assert hair(out) < 1.25
    little, moves = stretched(0.7)
    before = little.y.copy()
    evened(little, moves, area)
    np.testing.assert_array_equal(little.y, before)


def test_lips_that_part_are_not_mixed_where_they_meet() -> None:
    planes = grey(np.where(np.arange(160)[:, None] < 80, 60, 180) + np.zeros((160, 160)))
    x, below = np.arange(-60, 60, dtype=np.float32), np.arange(120)[:, None] >= 60
    # From side to side all is stretched, and what lies below comes from 30 pixels farther down.
    moves = np.broadcast_to(-0.65 * x, (120, 120)).copy(), np.broadcast_to(30 * below, (120, 120)).astype(np.float32)
    out = planes.copy()
    evened(out, moves, Area(20, 20, 140, 140))
    np.testing.assert_array_equal(out.y, planes.y)


def test_the_colour_of_a_lip_ends_no_harder_at_its_steep_sides() -> None:
    pose = Pose(120.0, np.eye(3), np.array([100.0, 40.0, 0.0]))
    x = 0.25 * ALONG
    inner = np.stack([x, 0.2 * (1 - ALONG**4), 0 * x], axis=1)
    outer = np.stack([x, 0.45 * (1 - ALONG**4), 0 * x], axis=1)
    top = np.stack([x, 0 * x - 0.05, 0 * x], axis=1)
    planes = grey(np.full((160, 200), 80, np.float32))
    line = top + np.array([0, 0.05, 0])
    ring = Ring.of(pose, (line, top), (inner, outer), planes.area)
    light = np.broadcast_to([80.0, 128.0, 128.0], (len(COLUMNS), 3))
    relative = np.zeros((*GRID, 3))
    relative[..., 0] = np.log(126 / 96)
    retone(planes, light, ring, Tone(relative, np.zeros((2, 2))), 1.0, 16)
    luma = cv2.GaussianBlur(planes.y.astype(np.float32), (0, 0), 0.7)
    middle, side = np.abs(np.diff(luma[70:110, 100])).max(), np.abs(np.diff(luma[72, 100:140])).max()
    assert side < 1.5 * middle
