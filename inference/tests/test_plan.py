"""The plan of the mouth: crisp closures, still silence, the subject's own range, any frame rate."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from enhance.geometry.heads import Array, heads_of
from enhance.geometry.landmarks import PLAN_POINTS
from enhance.plan.agreement import belief_in, share_of
from enhance.plan.hearing import Speech
from enhance.plan.measures import WIDTH, measure_lips
from enhance.plan.mouth_range import MouthRange
from enhance.plan.plan import Footage, Plan, PlanSettings, plan
from enhance.plan.prior import Prior, open_prior, open_priors
from enhance.plan.references import references
from enhance.plan.residual import fit_residual, strength_of
from enhance.plan.shapes import LARGEST_OPENING, TARGETS, mouth_shapes
from enhance.plan.stillness import liveliness
from enhance.plan.tracks import at, lengths, smooth
from enhance.speech.classes import CURVES, INDEX, P
from enhance.speech.curves import closures, curves
from enhance.speech.features import HOP
from tests.mouths import face, speech, turned
from tests.sounds import babble, hurried, say

NO_SOUND = Speech(np.zeros(0, np.float32), np.zeros((0, 20), np.float32), np.zeros(0))
TALK = "A P A T E F I S A P O L A K E P I T A P E S A F O L I P A T E K A S O P A T E L I F A P O"
OPENING, UPPER, CORNERS, PRESS, JAW, CHIN = (
    TARGETS.index(name) for name in ("opening", "upper", "corners", "press", "jaw", "chin")
)


@pytest.fixture(scope="module")
def prior() -> Prior:
    return open_prior()


def motion(prior: Prior, pcm: Array) -> Array:
    """What the prior's networks tell from a sound: networks x T x 4 MEASURES."""
    sound = Speech(pcm, np.zeros((0, 20)), np.zeros(0))
    return prior(sound.mel, sound.counts)


def portrait(opening: float = 0.0) -> Footage:
    return Footage(turned(face(opening), 5, 3, 120)[None], np.zeros(1), np.ones(1, bool), NO_SOUND)


def clip(said: Speech, late: float = 0.0, largest: float = 0.16, fps: float = 25) -> Footage:
    """A subject whose jaw follows the visemes of what is said, `late` seconds after the sound."""
    times = np.arange(int(len(said.posteriors) / 100 * fps)) / fps
    jaw = at(curves(said.posteriors), times + 0.5 / fps - late)[:, CURVES.index("jaw")]
    points = np.stack([turned(face(largest * value), 4, 2, 120) for value in jaw])
    return Footage(points, times, np.ones(len(times), bool), said)


def frames(said: Speech, fps: float) -> Array:
    return np.arange(int(len(said.posteriors) / 100 * fps)) / fps


@pytest.mark.parametrize("fps", [12, 24, 29.97, 60])
@pytest.mark.parametrize("footage", ["portrait", "clip"])
def test_lips_touch_in_every_bilabial(prior: Prior, fps: float, footage: str) -> None:
    said = speech(TALK)
    times = frames(said, fps)
    planned = plan(prior, said, times, portrait() if footage == "portrait" else clip(speech(TALK, seed=1)))
    _expect_closed(planned, said, times)


@pytest.mark.parametrize("fps", [12, 25, 60])
def test_only_bilabials_shut_the_mouth(prior: Prior, fps: float) -> None:
    said = speech("SIL SIL A W I L AH R U K W A P A R W L AH U R L SIL SIL")
    times = frames(said, fps)
    opening = plan(prior, said, times, portrait()).shapes[:, OPENING]
    heard = at(said.posteriors, times + 0.5 / fps)
    spoken = (times > 0.4) & (times < times[-1] - 0.4)
    assert opening[spoken & (heard[:, P] > 0.9)].max() < 0.01
    assert opening[spoken & (heard[:, P] < 0.01)].min() > 0.02


def test_the_jaw_follows_the_lips_more_calmly(prior: Prior) -> None:
    said = speech("SIL " * 10 + TALK + " SIL" * 10)
    times = frames(said, 25)
    shapes = plan(prior, said, times, portrait()).shapes
    opening, jaw = shapes[:, OPENING], shapes[:, JAW]
    assert np.corrcoef(opening, jaw)[0, 1] > 0.85
    assert jaw.mean() == pytest.approx(opening.mean(), rel=0.05)
    assert np.diff(jaw, 2).std() < 0.6 * np.diff(opening, 2).std()
    # Lips that meet in speech need no shut jaw; in silence it is shut.
    assert jaw[shapes[:, PRESS] > 0.99].max() > 0.01
    assert jaw[times < 0.4].max() < 0.03


def test_lips_that_meet_do_not_frown(prior: Prior) -> None:
    said = speech(TALK)
    shapes = plan(prior, said, frames(said, 25), portrait()).shapes
    assert np.abs(shapes[shapes[:, PRESS] > 0.99, CORNERS]).max() < 0.002
    assert shapes[shapes[:, PRESS] == 0, CORNERS].min() < -0.01


def test_lips_that_may_have_met_stay_ajar(prior: Prior) -> None:
    said = speech("SIL SIL A L U W U L A SIL SIL")
    said.posteriors[60:72, P] = 0.39
    times = frames(said, 50)
    opening = plan(prior, said, times, portrait()).shapes[:, OPENING]
    assert 0.02 < opening[(times > 0.58) & (times < 0.74)].min() < 0.05


def test_lips_touch_at_a_varying_frame_rate(prior: Prior) -> None:
    said = speech(TALK)
    times = np.cumsum(np.random.default_rng(3).uniform(0.016, 0.09, 80))
    times = times[times < len(said.posteriors) / 100 - 0.1]
    _expect_closed(plan(prior, said, times, portrait()), said, times)


def _expect_closed(planned: Plan, said: Speech, times: Array) -> None:
    opening = planned.shapes[:, OPENING]
    found = [(a / 100, b / 100) for a, b in closures(said.posteriors) if b / 100 < times[-1]]
    assert len(found) >= 5
    for start, end in found:
        nearest = int(np.argmin(np.abs(times - (start + end) / 2)))
        assert opening[max(0, nearest - 1) : nearest + 2].min() < 0.15 * np.percentile(opening, 95)


def test_silence_is_still_and_shut(prior: Prior) -> None:
    said = speech("SIL " * 15 + TALK + " SIL" * 15)
    times = frames(said, 25)
    opening = plan(prior, said, times, clip(speech(TALK))).shapes[:, OPENING]
    silent = (times < 1.6) | (times > times[-1] - 1.6)
    assert opening[silent].std() <= 0.15 * opening[~silent].std()
    assert opening[silent].max() < 0.03


@pytest.mark.parametrize("seconds", [0.6, 1.1, 1.7, 2.3])
def test_after_a_sound_that_ends_in_mid_speech_the_mouth_shuts(prior: Prior, seconds: float) -> None:
    said, times = _first(seconds, speech(TALK)), np.arange(0, seconds + 2, 0.04)
    shapes = plan(prior, said, times, clip(speech(TALK, seed=1))).shapes
    opening = shapes[:, OPENING]
    assert opening[times < seconds].max() > 0.08
    after = times > seconds + 0.25
    assert opening[after].max() < 0.02
    assert shapes[after, PRESS].max() == 0
    assert opening[after].std() < 1e-3
    assert np.abs(np.diff(opening[times > seconds])).max() < 0.08


def test_before_its_sound_the_mouth_is_shut(prior: Prior) -> None:
    times = np.arange(-0.8, 2, 0.04)
    opening = plan(prior, speech(TALK), times, portrait()).shapes[:, OPENING]
    assert opening[times < -0.25].max() < 0.02
    assert opening[times > 0.1].max() > 0.08


def test_lips_may_part_before_the_sound_and_close_after_it() -> None:
    activity = np.zeros(300)
    activity[100:200] = 1
    alive = liveliness(activity)
    assert alive[110:190].min() == 1
    assert 0.1 < alive[85] < 0.9 < alive[92]
    assert 0.1 < alive[205] < 0.9
    assert alive[:75].max() < 0.01 > alive[215:].max()
    assert np.abs(np.diff(alive)).max() < 0.15


def test_a_short_pause_does_not_close_the_mouth_and_a_click_does_not_open_it() -> None:
    activity = np.zeros(300)
    activity[50:120] = activity[140:200] = activity[260:271] = 1
    alive = liveliness(activity)
    assert alive[60:190].min() == 1
    assert alive[235:].max() == 0
    activity[260:275] = 1
    assert liveliness(activity)[250:].max() > 0.9


def test_sound_without_speech_leaves_the_mouth_at_rest(prior: Prior) -> None:
    noise = speech("SIL " * 20)
    noise = Speech(0.3 * np.random.default_rng(1).standard_normal(len(noise.pcm)).astype(np.float32), *_still(noise))
    assert plan(prior, noise, frames(noise, 25), portrait()).shapes[:, OPENING].max() < 0.02


def _still(said: Speech) -> tuple[Array, Array]:
    return said.posteriors, np.zeros(len(said.posteriors))


def test_a_portrait_opens_as_people_do(prior: Prior) -> None:
    said = speech(TALK)
    opening = plan(prior, said, frames(said, 25), portrait()).shapes[:, OPENING]
    assert 0.12 < np.percentile(opening, 95) < 0.25


def test_beside_a_held_vowel_speech_opens_as_without_it(prior: Prior) -> None:
    """In the spread of all frames the vowel would count for more than the speech, whose opening fell by a quarter."""
    said = babble()
    both = np.concatenate([said, say([("A", 3), ("_", 0.3)])])
    times = np.arange(len(said) // HOP // 4) / 25

    def opening(pcm: Array) -> float:
        heard = np.eye(20)[np.full(len(pcm) // HOP, INDEX["A"])]
        return float(plan(prior, Speech(pcm, heard, heard.max(1)), times, portrait()).shapes[5:-15, OPENING].mean())

    assert abs(opening(both) / opening(said) - 1) < 0.1


@pytest.mark.parametrize("opening", [0.0, 0.12])
def test_a_clip_without_speech_opens_as_people_do(prior: Prior, opening: float) -> None:
    said, times = speech(TALK), np.arange(75) / 25
    still = np.stack([turned(face(opening), yaw, 0, 120) for yaw in np.linspace(-5, 5, 75)])
    planned = plan(prior, said, frames(said, 25), Footage(still, times, np.ones(75, bool), NO_SOUND))
    assert 0.12 < np.percentile(planned.shapes[:, OPENING], 95) < 0.25
    assert planned.lag == 0


@pytest.mark.parametrize("largest", [0.12, 0.22])
def test_the_subject_keeps_their_range(prior: Prior, largest: float) -> None:
    own, said = speech(TALK), speech(TALK, seed=5)
    times = frames(said, 25)
    footage = clip(own, largest=largest)
    shown = largest * at(curves(own.posteriors), times)[:, CURVES.index("jaw")]
    planned = plan(prior, said, times, footage).shapes[:, OPENING]
    assert 0.75 < planned.std() / shown.std() < 1.25


def test_lips_are_asked_for_a_little_wider_in_speech_than_the_mesh_saw_them_and_rest_as_wide(prior: Prior) -> None:
    own, said = speech(TALK), speech("SIL " * 20 + TALK + " SIL" * 20)
    footage, times = clip(own), frames(said, 25)
    seen = measure_lips(heads_of(footage.points).lips)[:, WIDTH]
    planned = plan(prior, said, times, footage).shapes[:, WIDTH]
    talks = at(liveliness(said.activity)[:, None], times)[:, 0] > 0.99
    assert talks.any() and not talks.all()
    assert planned[talks].mean() == pytest.approx(1.03 * seen.mean(), rel=0.01)
    assert planned[[0, -1]] == pytest.approx(np.median(seen), rel=0.01)


def test_mouths_that_are_little_open_are_asked_for_a_little_wider_apart_than_others() -> None:
    said = speech("A " * 20)
    rest = np.array([0.0, 0.5, 0.0, 0.0])

    def asked(opening: float) -> float:
        mouth = MouthRange(rest, np.array([opening, 0.5, 0.0, 0.0]), np.full(4, 0.02), 0.001)
        shapes = mouth_shapes(np.zeros((len(said.posteriors), 4)), said, np.array([1.0]), mouth, lag=0, expressiveness=0.5)
        return float(shapes[0, OPENING])

    assert asked(0.06) == pytest.approx(1.07 * 0.06 + 0.005, abs=0.001)
    assert asked(0.15) == pytest.approx(1.07 * 0.15, abs=0.001)
    assert np.diff([asked(opening) for opening in np.linspace(0.02, 0.16, 15)]).min() > 0


def _learnt(prior: Prior, own: Speech, jaw: Array | None) -> tuple[Array, Array]:
    """The openings of a plan that hears the subject's own sound, and of one that does not; jaw: otherwise than it asks for."""
    said = speech(TALK, seed=5)
    footage, times = clip(own), frames(said, 25)
    if jaw is not None:
        footage.points[:] = np.stack([turned(face(value), 4, 2, 120) for value in jaw[: len(footage.points)]])
    with_own, without = (
        plan(prior, said, times, replace(footage, speech=sound), PlanSettings(keep_lag=False)) for sound in (own, NO_SOUND)
    )
    return with_own.shapes[:, OPENING], without.shapes[:, OPENING]


def _first(seconds: float, said: Speech) -> Speech:
    length = round(seconds * 100)
    return Speech(said.pcm[: length * HOP], said.posteriors[:length], said.activity[:length])


@pytest.mark.parametrize("seconds", [1, 1.5, 2])
def test_a_little_speech_of_the_subject_changes_little(prior: Prior, seconds: float) -> None:
    taught, alone = _learnt(prior, _first(seconds, speech(TALK)), None)
    assert np.corrcoef(taught, alone)[0, 1] > 0.95
    assert 0.8 < taught.std() / alone.std() < 1.25


@pytest.mark.parametrize("seconds", [1, 2, 3, 5.1])
@pytest.mark.parametrize("seed", [0, 4, 5])
def test_a_sound_that_does_not_go_with_the_lips_changes_next_to_nothing(prior: Prior, seconds: float, seed: int) -> None:
    jaw = smooth(np.random.default_rng(seed).normal(size=130), 0.03)
    taught, alone = _learnt(prior, _first(seconds, speech(TALK)), 0.1 * np.abs(jaw) / jaw.std())
    assert np.corrcoef(taught, alone)[0, 1] > 0.97
    assert 0.9 < taught.std() / alone.std() < 1.1


@pytest.mark.parametrize("late", [-0.1, 0.0, 0.12])
def test_the_clips_own_lag_is_told(prior: Prior, late: float) -> None:
    own = speech(TALK)
    assert abs(plan(prior, own, frames(own, 25), clip(own, late)).lag - late) <= 0.04


def test_a_lag_that_the_lips_hardly_tell_of_comes_out_small(prior: Prior) -> None:
    own = speech(TALK)
    mumbled = clip(own, 0.18, largest=0.02)
    shaken = np.random.default_rng(4).uniform(0, 0.1, len(mumbled.points))
    mumbled.points[:] += np.stack([turned(face(more), 4, 2, 120) - turned(face(0), 4, 2, 120) for more in shaken])
    assert abs(plan(prior, own, frames(own, 25), mumbled).lag) < 0.1


def test_lips_never_hang_nor_rise_as_no_lips_do(prior: Prior) -> None:
    own = speech(TALK)
    nodding = clip(own)
    nodding.points[:, :40, 1] += 25 * np.sin(np.arange(len(nodding.points)) / 3)[:, None]
    shapes = plan(prior, own, frames(own, 25), nodding, PlanSettings(expressiveness=1)).shapes
    assert -0.07 <= shapes[:, UPPER].min() <= shapes[:, UPPER].max() <= 0.12
    assert -0.07 <= shapes[:, CORNERS].min() <= shapes[:, CORNERS].max() <= 0.09


def test_frames_that_are_shown_for_longer_count_for_longer() -> None:
    np.testing.assert_allclose(lengths(np.array([0, 0.03, 0.06, 0.14, 2])), [0.03, 0.03, 0.08, 0.1, 0.055], atol=1e-9)
    assert not len(lengths(np.zeros(0)))


def test_the_lag_is_kept_or_left_out(prior: Prior) -> None:
    own = speech(TALK)
    times = frames(own, 25)
    late, on_time = (plan(prior, own, times, clip(own, 0.12), PlanSettings(keep_lag=keep)) for keep in (True, False))
    np.testing.assert_allclose(plan(prior, own, times + late.lag, clip(own, 0.12)).shapes, on_time.shapes, atol=1e-5)
    assert np.abs(late.shapes - on_time.shapes).max() > 0.01


def test_frames_that_may_not_be_learnt_from_change_nothing(prior: Prior) -> None:
    own = speech(TALK)
    footage, times = clip(own), frames(own, 25)
    learn = times < times[-1] / 2
    scrambled = footage.points.copy()
    scrambled[~learn] = turned(face(0.3), 30, 0, 50)
    plans = [plan(prior, own, times, Footage(points, times, learn, own)) for points in (footage.points, scrambled)]
    np.testing.assert_array_equal(plans[0].shapes, plans[1].shapes)


def test_expressiveness_scales_the_motion(prior: Prior) -> None:
    said, own = speech("A E T A E S A K E A " * 4), clip(speech(TALK), largest=0.1)
    spreads = [
        plan(prior, said, frames(said, 25), own, PlanSettings(expressiveness=e)).shapes[10:-10, 1].std() for e in (0, 0.5, 1)
    ]
    np.testing.assert_allclose(np.array(spreads) / spreads[1], [0.5, 1, 1.5], atol=0.05)


def test_no_mouth_opens_too_far(prior: Prior) -> None:
    said = speech(TALK)
    shapes = plan(prior, said, frames(said, 25), clip(speech(TALK), largest=0.5), PlanSettings(expressiveness=1)).shapes
    assert shapes[:, OPENING].max() <= LARGEST_OPENING


def test_nothing_jumps(prior: Prior) -> None:
    said = speech("SIL SIL SIL " + TALK)
    shapes = plan(prior, said, frames(said, 100), clip(speech(TALK))).shapes
    assert np.abs(np.diff(shapes[:, OPENING])).max() < 0.06


def test_frames_without_a_face_are_left_out(prior: Prior) -> None:
    own = speech(TALK)
    footage = clip(own)
    footage.points[::3] = np.nan
    planned = plan(prior, own, frames(own, 25), footage)
    assert np.isfinite(planned.shapes).all()
    assert all(index % 3 for index in references(footage.points, footage.times, footage.learn) if index >= 0)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_references_are_steady_frontal_closed_frames(count: int) -> None:
    footage = clip(speech(TALK))
    footage.points[:] = turned(face(0.15), 30, 0, 120)
    wanted = [10 + 20 * place for place in range(count)]
    for index in wanted:
        footage.points[index - 1 : index + 2] = turned(face(0.01), 0, 0, 120)
    found = references(footage.points, footage.times, footage.learn)
    assert found.dtype == np.int32
    assert found.shape == (4,)
    assert sorted(found[:count]) == wanted


@pytest.mark.parametrize(("falls", "least", "most"), [(0.0, 0.0, 0.1), (0.3, 0.3, 0.45), (0.8, 0.6, 0.61)])
def test_the_chin_falls_as_the_subjects_own(prior: Prior, falls: float, least: float, most: float) -> None:
    said = speech(TALK)
    openings = 0.08 + 0.08 * np.sin(np.arange(75) / 2)
    points = np.stack([turned(face(opening, chin=falls), 4, 2, 120) for opening in openings])
    # A mesh moves the chin of a head that nods: slowly, and not with the openings.
    points[:, -1, 1] += 3 * np.sin(np.arange(75) / 20)
    footage = Footage(points, np.arange(75) / 25, np.ones(75, bool), NO_SOUND)
    (chin,) = set(plan(prior, said, frames(said, 25), footage).shapes[:, CHIN])
    assert least <= chin <= most


def test_a_clip_that_shows_no_mouth_moving_has_a_usual_chin(prior: Prior) -> None:
    said = speech(TALK)
    assert plan(prior, said, frames(said, 25), portrait()).shapes[:, CHIN] == pytest.approx(0.5)


@pytest.mark.parametrize("seen", [0, 1])
@pytest.mark.parametrize("seconds", [0, 0.005, 0.03])
def test_the_shortest_sounds_and_clips_are_planned(prior: Prior, seen: int, seconds: float) -> None:
    frames_heard = int(seconds * 100)
    short = Speech(np.zeros(int(seconds * 16000), np.float32), np.full((frames_heard, 20), 0.05), np.zeros(frames_heard))
    footage = Footage(np.full((seen, len(PLAN_POINTS), 3), np.nan), np.zeros(seen), np.ones(seen, bool), NO_SOUND)
    planned = plan(prior, short, np.array([0.0, 0.04]), footage)
    assert planned.shapes.shape == (2, len(TARGETS))
    assert np.isfinite(planned.shapes).all()
    assert planned.shapes[0, PRESS] == 0
    assert set(references(footage.points, footage.times, footage.learn)) == {-1}


def test_a_subject_who_is_seen_for_minutes_does_not_fill_the_memory() -> None:
    tracks, wanted = np.random.default_rng(0).normal(size=(2, 18_000, 4))
    tracemalloc.start()
    missing = fit_residual(tracks, np.arange(18_000) / 60, wanted, 30.0)(tracks)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert missing.shape == (18_000, 4)
    assert most < 64e6


def test_a_long_sound_is_heard_as_in_one_piece() -> None:
    pcm = np.random.default_rng(0).standard_normal(16000 * 14).astype(np.float32)
    pcm *= np.repeat(np.random.default_rng(1).uniform(0.01, 0.3, 140), 1600)
    whole, parts = motion(open_prior(), pcm), motion(open_prior(chunk=600), pcm)
    np.testing.assert_allclose(whole, parts, atol=1e-4)


def test_lost_packets_hardly_move_the_prior(prior: Prior) -> None:
    pcm = babble(12)
    lost = pcm.copy()
    for start in range(79, 79 + 10 * 25, 25):
        lost[start * 160 : start * 160 + 480] = 0
    assert np.abs(motion(prior, lost) - motion(prior, pcm))[..., OPENING].mean() < 0.09


def test_a_better_quality_listens_more_often_to_the_same() -> None:
    pcm = np.random.default_rng(0).standard_normal(16000 * 4).astype(np.float32)
    pcm *= np.repeat(np.random.default_rng(1).uniform(0.01, 0.3, 40), 1600)
    fast, balanced, studio = (motion(prior, pcm) for prior in open_priors())
    assert (len(balanced), len(studio)) == (3 * len(fast), 5 * len(fast))
    for other in (balanced, studio):
        assert np.corrcoef(fast.mean(0)[:, 0], other.mean(0)[:, 0])[0, 1] > 0.9


@pytest.mark.parametrize(("pitch", "higher"), [(300, 1.8), (70, 0.6)])
def test_lips_move_alike_with_any_voice(prior: Prior, pitch: float, higher: float) -> None:
    usual, other = (motion(prior, babble(12, *voice)).mean(0)[50:-50, 0] for voice in ((120, 1), (pitch, higher)))
    assert np.corrcoef(usual, other)[0, 1] > 0.85


def test_lips_follow_fast_speech(prior: Prior) -> None:
    syllables = 30
    opening = motion(prior, hurried(syllables)).mean(0)[:, 0]
    true = np.zeros(len(opening))
    for syllable in range(syllables):
        start = 40 + 12 * syllable
        true[start + 4 : start + 12] = {"A": 1, "I": 0.3, "U": 0.25}["AIUAUI"[syllable % 6]]
    assert np.corrcoef(opening[40:-40], smooth(true, 0.02)[40:-40])[0, 1] > 0.5


def test_between_listens_the_prior_can_be_stopped() -> None:
    *_, studio = open_priors()
    listens = 0

    def go_on() -> None:
        nonlocal listens
        listens += 1
        if listens > 12:  # nine of them tell the voice
            raise InterruptedError

    with pytest.raises(InterruptedError):
        studio(np.zeros((100, 40), np.float32), np.ones(100, bool), go_on=go_on)
    assert listens == 13


def test_what_the_clip_shows_of_its_subject_decides_whose_opinion_counts() -> None:
    right, wrong = np.random.default_rng(0).normal(size=(2, 1000, 4))
    times = np.arange(200) / 25
    shown = at(right, times)

    def of(opinion: Array, other: Array) -> float:
        return share_of(lambda share: share * opinion + (1 - share) * other, 0.15, shown, times)

    assert of(right, wrong) > 0.4
    assert of(wrong, right) < 0.1
    assert abs(share_of(lambda _: wrong, 0.15, shown, times) - 0.15) < 0.1


def test_lips_tell_whether_the_sound_is_theirs() -> None:
    times = np.arange(100) / 25
    tracks = [smooth(np.random.default_rng(seed).normal(size=(400, 4)), 0.05) for seed in range(20)]
    beliefs = np.array([[belief_in(other, at(own, times), times) for other in tracks] for own in tracks])
    own = np.eye(len(tracks), dtype=bool)
    assert beliefs[own].min() > 0.99
    assert beliefs[~own].mean() < 0.35
    assert beliefs.min() >= 0


def test_the_subjects_own_way_counts_as_far_as_it_can_be_foretold() -> None:
    rng = np.random.default_rng(2)
    tracks = smooth(rng.normal(size=(1000, 4)), 0.05) * 3
    times = np.arange(250) / 25
    heard = at(tracks, times)
    assert strength_of(tracks, times, heard + rng.normal(size=heard.shape)) >= 100
    assert strength_of(tracks, times, 3 * heard[:, ::-1]) <= 30
    assert strength_of(tracks, times[:5], heard[:5]) >= 300
