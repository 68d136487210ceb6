"""The bench's numbers on tracks and pictures of which the answer is known."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from bench.lipsync import metrics, pixels
from bench.lipsync.measure import null
from bench.lipsync.sounds import by_sound, table_of_sounds
from bench.lipsync.table import ASKED, clip_by_clip, run_by_run, side_by_side
from enhance.speech.classes import CLASSES

Floats = npt.NDArray[Any]
FPS = 25.0
TIMES: Floats = np.arange(200) / FPS
SPEECH: Floats = 0.08 + 0.05 * np.sin(2 * np.pi * 2.3 * TIMES) + 0.03 * np.sin(2 * np.pi * 3.7 * TIMES + 1)


def mesh(opening: float = 0.1) -> Floats:
    """Points at random, but those that are measured where they belong."""
    points = np.random.default_rng(0).normal(size=(478, 3)) * 50 + 300
    points[[33, 263]] = [[250, 200, 0], [350, 200, 0]]
    points[[13, 14]] = [[300, 280, -5], [300, 280 + 100 * opening, -5]]
    points[[61, 291]] = [[270, 285, 0], [330, 285, 0]]
    return points


def test_opening_and_width_are_in_outer_eye_distances() -> None:
    meshes = np.stack([mesh(0.0), mesh(0.25)])
    np.testing.assert_allclose(metrics.openings(meshes), [0, 0.25])
    np.testing.assert_allclose(metrics.distances(meshes, metrics.CORNERS), [0.6, 0.6])


def test_a_track_goes_with_itself_and_not_with_another() -> None:
    assert metrics.correlation(SPEECH, 3 * SPEECH + 1) == pytest.approx(1)
    assert metrics.correlation(SPEECH, -SPEECH) == pytest.approx(-1)
    noise = np.random.default_rng(1).normal(size=(50, len(SPEECH)))
    assert abs(np.mean([metrics.correlation(SPEECH, each) for each in noise])) < 0.05
    assert np.isnan(metrics.correlation(SPEECH, np.full_like(SPEECH, 0.1)))
    assert np.isnan(metrics.correlation(SPEECH[:5], SPEECH[:5]))


def test_frames_without_a_face_do_not_count() -> None:
    holed = SPEECH.copy()
    holed[::3] = np.nan
    assert metrics.correlation(SPEECH, holed) == pytest.approx(1)
    assert metrics.std_ratio(SPEECH, holed) == pytest.approx(1)


@pytest.mark.parametrize("frames", [-6, -1, 0, 1, 9])
def test_the_lag_of_a_late_track_is_found(frames: int) -> None:
    r, lag = metrics.best_lag(SPEECH[20:-20], np.roll(SPEECH, frames)[20:-20], FPS)
    assert r == pytest.approx(1)
    assert lag == pytest.approx(frames / FPS)


def test_std_ratio_and_slope_tell_a_small_mouth() -> None:
    assert metrics.std_ratio(SPEECH, 0.5 * SPEECH) == pytest.approx(0.5)
    assert metrics.slope(SPEECH, 0.5 * SPEECH + 0.02) == pytest.approx(0.5)


def test_flicker_is_of_trembling_and_not_of_motion() -> None:
    assert metrics.flicker(np.linspace(0, 1, 50)) == pytest.approx(0, abs=1e-9)
    assert metrics.flicker(np.tile([0.0, 0.1], 50)) == pytest.approx(0.2)


def test_lip_distance_is_blind_to_the_head_and_sees_the_lips() -> None:
    truth = mesh()
    turned = cv2.Rodrigues(np.array([0.1, -0.2, 0.3]))[0]
    assert metrics.lip_distance(truth[None], (1.3 * truth @ turned.T + [5, -9, 2])[None]) == pytest.approx(0, abs=1e-6)
    moved = truth.copy()
    moved[list(metrics.LIPS), 1] += 4
    assert metrics.lip_distance(truth[None], moved[None]) == pytest.approx(0.04)
    assert np.isnan(metrics.lip_distance(truth[None], np.full((1, 478, 3), np.nan)))


def test_a_bilabial_is_one_moment_however_long_it_is() -> None:
    posteriors = np.zeros((300, 20))
    posteriors[50:58, 1] = [0.6, 0.7, 0.8, 0.99, 0.8, 0.7, 0.6, 0.55]
    posteriors[200, 1] = 0.9
    posteriors[250, 1] = 0.4
    np.testing.assert_allclose(metrics.bilabials(posteriors, 1), [0.535, 2.005])


def test_a_closure_may_be_a_frame_off_but_not_two() -> None:
    track = np.full(100, 0.1)
    track[[30, 60]] = 0.01
    times = np.arange(100) / FPS
    assert metrics.closure(track, times, np.array([29, 61, 30]) / FPS) == (3, 3)
    assert metrics.closure(track, times, np.array([28, 62, 90]) / FPS) == (0, 3)
    assert metrics.closure(track, times, np.array([-0.5, 7.0])) == (0, 0)


def test_a_mouth_that_never_shuts_has_no_closures() -> None:
    track = 0.1 + 0.03 * np.sin(np.arange(100))
    assert metrics.closure(track, np.arange(100) / FPS, np.arange(100) / FPS)[0] == 0


def test_silence_is_what_no_speech_is_near() -> None:
    activity = np.zeros(800)
    activity[200:400] = 1
    quiet, spoken = metrics.quiet_and_spoken(activity, TIMES)
    assert spoken.sum() == 49  # the first lies half way up the step
    assert not quiet[(TIMES > 1.75) & (TIMES < 4.25)].any() and quiet[TIMES < 1.7].all()
    still = np.where(quiet, 0.01, SPEECH)
    assert metrics.stillness(still, quiet, spoken) == pytest.approx(0, abs=1e-9)
    assert metrics.stillness(SPEECH, quiet, spoken) > 0.7
    assert np.isnan(metrics.stillness(still, np.zeros(200, bool), spoken))


def test_the_null_is_small_at_zero_lag_and_larger_where_a_lag_is_searched() -> None:
    random = np.random.default_rng(3)
    kernel = np.hanning(7)

    def other() -> tuple[Floats, Floats]:
        times = np.arange(0, 7, 1 / 30)
        return times, np.convolve(random.normal(size=len(times)), kernel, mode="same")

    zero, best = null((TIMES, SPEECH), [other() for _ in range(20)])
    assert abs(zero) < 0.1 < best < 0.6
    assert null((TIMES, SPEECH), [(TIMES, SPEECH)])[0] == pytest.approx(1)
    assert np.isnan(null((TIMES, SPEECH), [])[0])


def photo(seed: int = 0) -> npt.NDArray[np.uint8]:
    smooth = cv2.GaussianBlur(np.random.default_rng(seed).uniform(0, 255, (80, 100, 3)), (0, 0), 2)
    return np.asarray(np.clip((smooth - 127) * 4 + 127, 0, 255), np.uint8)


def test_likeness_falls_as_pictures_part() -> None:
    picture = photo()
    near, far = np.clip(picture.astype(int) + 3, 0, 255).astype(np.uint8), photo(1)
    assert pixels.psnr(picture, picture) == 60
    assert pixels.psnr(picture, near) > 35 and pixels.psnr(picture, far) < 15
    assert pixels.ssim(picture, picture) == pytest.approx(1)
    assert pixels.ssim(picture, near) > 0.95 and pixels.ssim(picture, far) < 0.3


def test_a_blurred_mouth_is_less_sharp() -> None:
    picture = photo()
    assert pixels.sharpness(np.asarray(cv2.GaussianBlur(picture, (0, 0), 3), np.uint8)) < 0.7 * pixels.sharpness(picture)


def test_a_step_along_the_mask_is_a_seam_and_one_inside_it_is_none() -> None:
    picture, mask = photo(), np.zeros((80, 100), np.uint8)
    mask[20:60, 30:70] = 255
    boxed, inner = picture.copy(), picture.copy()
    boxed[20:60, 30:70] = np.clip(boxed[20:60, 30:70].astype(int) + 60, 0, 255)
    inner[35:45, 45:55] = 0
    assert pixels.seam(picture, picture, mask) == 0
    assert pixels.seam(picture, boxed, mask) > 0.25
    assert pixels.seam(picture, inner, mask) == 0
    assert np.isnan(pixels.seam(picture, boxed, np.zeros_like(mask)))


def test_the_mouth_box_is_cut_at_the_border_and_empty_without_a_face() -> None:
    points = mesh()
    points[list(metrics.LIPS), :2] = np.random.default_rng(0).uniform(-50, 40, (len(metrics.LIPS), 2))
    rows, columns = pixels.mouth_box(points, (480, 640, 3))
    assert rows.start == columns.start == 0 < rows.stop < 480
    empty = pixels.mouth_box(np.full((478, 3), np.nan), (480, 640, 3))
    assert not photo()[empty].size


def test_what_is_left_of_the_source_is_what_was_not_asked_for() -> None:
    random = np.random.default_rng(5)
    source, asked, noise = random.normal(size=(3, 500))
    asked = asked + source  # a plan may go with the source: only what it did not ask for is a leak
    assert abs(metrics.leftover(source, asked + 0.1 * noise, asked)) < 0.1
    assert metrics.leftover(source, asked + 0.3 * source + 0.1 * noise, asked) > 0.9
    assert np.isnan(metrics.leftover(source[:5], asked[:5], asked[:5]))


def test_corners_that_tremble_are_told_from_a_head_that_moves() -> None:
    moving = np.stack([mesh() + np.array([3 * at, 2 * at, 0]) for at in range(20)])
    assert metrics.corner_jitter(moving) == pytest.approx(0, abs=1e-6)
    trembling = moving.copy()
    trembling[::2, 61, 0] += 2
    assert metrics.corner_jitter(trembling) == pytest.approx(0.02, abs=0.002)  # one of two corners, by 0.04
    assert np.isnan(metrics.corner_jitter(np.full((9, 478, 3), np.nan)))


def test_lips_are_measured_where_they_are_shut() -> None:
    meshes = np.stack([mesh(opening) for opening in (0.0, 0.01, 0.0, 0.2, 0.3)])
    meshes[:, 0], meshes[:, 17] = meshes[:, 13] - [0, 8, 0], meshes[:, 14] + [0, 10, 0]
    meshes[3:, 17] += 30  # stretched lips are thinner or thicker; they do not count
    opening = metrics.openings(meshes)
    assert metrics.lip_thickness(meshes, opening) == pytest.approx(0.18)
    assert np.isnan(metrics.lip_thickness(meshes[2:], opening[2:]))


def mouthed(opening: float = 0.3) -> Floats:
    """A mesh whose lips are ellipses round (50, 40)."""
    points = np.zeros((478, 3))
    points[[33, 263]] = [[20, 10, 0], [80, 10, 0]]
    for outline, width, height in ((metrics.INNER, 18, 60 * opening / 2), (metrics.OUTER, 24, 60 * opening / 2 + 8)):
        turns = np.linspace(np.pi, 3 * np.pi, len(outline), endpoint=False)
        points[list(outline), :2] = np.stack([50 + width * np.cos(turns), 40 + height * np.sin(turns)], axis=1)
    return points


def test_shut_lips_are_held_against_the_persons_own() -> None:
    before = np.stack([mouthed(0.0), mouthed(0.0), mouthed(0.0), mouthed(0.3), mouthed(0.3), mouthed(0.3)])
    made = np.stack([mouthed(0.0)] * 6)
    assert metrics.lips_shut(made, before) == pytest.approx((0, 1))
    frown = made.copy()
    frown[:, [61, 291], 1] += 3
    corners, area = metrics.lips_shut(frown, before)
    assert corners == pytest.approx(0.05)
    assert 0.9 < area < 1.1
    swollen = made.copy()
    swollen[:, list(metrics.OUTER), 1] = 40 + 1.5 * (swollen[:, list(metrics.OUTER), 1] - 40)
    assert metrics.lips_shut(swollen, before) == pytest.approx((0, 1.5))
    assert np.isnan(metrics.lips_shut(made[3:], before[3:])).all()


def test_what_is_between_the_lips_is_not_the_lips() -> None:
    whole = (slice(0, 80), slice(0, 100))
    inside, red = pixels.between_lips(mouthed(), whole), pixels.lips(mouthed(), whole)
    assert inside[40, 50] and not red[40, 50]
    assert red[27, 50] and not inside[27, 50]
    assert not (inside & red).any() and not inside[10, 10] and not red[10, 10]
    assert not pixels.between_lips(np.full((478, 3), np.nan), whole).any()


def test_an_inside_that_changes_is_told_from_lips_that_move() -> None:
    mouths = [mouthed(opening) for opening in (0.3, 0.31, 0.32, 0.6)]
    pictures = [np.full((80, 100, 3), 90, np.uint8) for _ in mouths]
    for picture, points, teeth in zip(pictures, mouths, (200, 200, 120, 120), strict=True):
        top, bottom = points[13, 1], points[14, 1]
        picture[: int(top + 0.5 * (bottom - top))] = teeth
    flat = np.stack([pixels.laid_flat(picture, points) for picture, points in zip(pictures, mouths, strict=True)])
    assert flat[0, 1].min() > 190 and flat[0, -2].max() < 100
    opened = metrics.openings(np.stack(mouths))
    kept, changed = metrics.changes(flat, opened)
    assert kept < 0.1
    assert changed > 0.2
    # A mouth that was asked to open, and that the mesh sees as it was.
    (kept,) = metrics.changes(flat, opened, np.array([0.3, 0.31, 0.4, 0.6]))
    assert kept < 0.1
    assert not len(metrics.changes(np.full((2, 12, 18), np.nan), np.full(2, np.nan)))


def test_rows_begin_before_the_largest_changes_and_share_no_frame() -> None:
    steps = np.full(99, 0.1)
    steps[[30, 33, 60, 98]] = [3, 2, 1, 4]
    steps[70:80] = np.nan
    starts = metrics.most_changed(steps, 3, 12)
    assert starts == [25, 55, 88]
    assert metrics.most_changed(steps[:8], 3, 12) == []


def test_only_masked_pixels_are_compared() -> None:
    picture, other, mask = photo(), photo(), np.zeros((80, 100), bool)
    other[:, 60:] = 0
    mask[20:60, 10:40] = True
    assert pixels.psnr(picture, other, mask) == 60 and pixels.psnr(picture, other) < 20
    assert pixels.ssim(picture, other, mask) == pytest.approx(1)
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 3), np.uint8)
    assert pixels.sharpness(blurred, mask) < 0.7 * pixels.sharpness(picture, mask)


def test_a_colour_cast_under_the_mask_is_found_at_its_rim() -> None:
    picture, mask = photo(), np.zeros((80, 100), np.uint8)
    mask[10:70, 20:80] = 255
    cast, inner = picture.copy(), picture.copy()
    cast[10:70, 20:80, 0] = np.clip(cast[10:70, 20:80, 0].astype(int) + 25, 0, 255)
    inner[30:50, 40:60] = 0  # a mouth may change as it likes
    assert pixels.rim_colour(picture, picture, mask) == pytest.approx(0)
    assert pixels.rim_colour(picture, cast, mask) > 4
    assert pixels.rim_colour(picture, inner, mask) == pytest.approx(0)
    assert np.isnan(pixels.rim_colour(picture, cast, np.zeros_like(mask)))


def test_the_table_has_the_mean_of_the_unseen_clips_and_marks_what_misses() -> None:
    row = tuple(row for row in ASKED if row.key in ("r", "closure", "sharpness"))
    measured = {
        ("fast", "one"): {"r_attention": 0.4, "r_plain": 0.5, "sharpness": float("nan"), "shut_plain": 1, "bilabials_plain": 1},
        ("fast", "two"): {"r_attention": 0.3, "r_plain": 0.4, "shut_plain": 8, "bilabials_plain": 9},
        ("fast", "kitchen"): {"r_attention": 0.9, "r_plain": 0.9},
        ("studio", "one"): {"r_attention": 0.4, "r_plain": 0.5, "sharpness": 0.97},
    }
    whole = side_by_side(["fast", "studio"], row, measured)
    assert "| opening r | **0.35** / 0.45 | >= 0.38 | **0.40** / 0.50 | >= 0.45 |" in whole
    assert "| shut at p b m | - / 0.90 | >= 0.9 | - / - | >= 0.95 |" in whole
    assert "| sharpness / source | - | >= 0.8 | 0.97 | >= 0.95 |" in whole
    each = clip_by_clip(["fast", "studio"], row, measured)
    assert "| kitchen * | fast | 0.90 / 0.90 |" in each and "| one | studio | **0.40** / 0.50 |" in each
    for text in (whole, each):
        assert len({line.count("|") for line in text.splitlines()}) == 1


def test_each_run_tells_how_many_pairs_of_frames_its_inside_is_judged_by() -> None:
    table = run_by_run(
        [
            ("one-first", "fast", {"pairs": 26, "own_pairs": 31, "identity": 1.02, "jumps": 4.5, "own_jumps": 0.0}),
            ("one-second", "fast", {"pairs": 12, "own_pairs": 40}),
            ("portrait", "fast", {"shimmer": 0.1}),
        ]
    )
    assert "| one-first | fast | 26 | 31 | 1.02 | **4.50** | 0 |" in table
    assert "| one-second | fast | 12 | 40 | - | - | - |" in table
    assert "portrait" not in table


def test_shut_lips_are_counted_in_the_sounds_that_part_them() -> None:
    posteriors = np.full((400, 20), 0.01)
    for at, name in enumerate(("W", "L", "P", "SIL")):
        posteriors[100 * at : 100 * (at + 1), CLASSES.index(name)] = 0.8
    middles = (np.arange(100) + 0.5) / FPS
    opened = np.full(100, 0.1)
    opened[:5] = opened[50:75] = 0.0
    opened[30:35] = np.nan
    people = by_sound(np.full(100, 0.2), middles, posteriors)
    made = by_sound(opened, middles, posteriors)
    assert made.frames.tolist() == [25, 20, 0, 0] and made.shut.tolist() == [5, 0, 0, 0]
    assert made.median == pytest.approx(0.1)
    assert by_sound(opened, middles - 2, posteriors).frames.tolist() == [25, 25, 0, 0]
    people.shut[:2] = [5, 0]
    table = table_of_sounds([people], {"fast": [made, made]})
    assert "| fast | 20% | 0% | - | - | 1.00 | 0.100 | 0.50 |" in table
    people.shut[:2] = 0
    assert "| fast | 20% | 0% | - | - | - | 0.100 | 0.50 |" in table_of_sounds([people], {"fast": [made, made]})
