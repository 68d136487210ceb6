"""The motion track: limits, rest, smoothness, blinks."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from enhance.portrait.track import LIMITS, MotionTrack, portrait_motion

Floats = npt.NDArray[Any]
SECONDS = 60
TIMES = np.arange(0, SECONDS, 1 / 25, dtype=np.float32)
SPEECH = np.clip(0.5 + 0.5 * np.sin(2 * np.pi * 4 * TIMES) * np.sin(2 * np.pi * 0.3 * TIMES), 0, 1).astype(np.float32)
SILENCE = np.zeros_like(TIMES)
REST = np.array([0, 0, 0, 0, 0, 1, 0, 0], np.float32)


def blinks(track: MotionTrack, from_shut: float = 0) -> list[slice]:
    shut = np.concatenate([[False], track[:, 6] > from_shut, [False]])
    edges = np.flatnonzero(np.diff(shut.astype(int)))
    return [slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize("seed", [0, 1, 7, -3, 2**31 - 1])
def test_stays_within_the_limits_and_starts_at_rest(seed: int) -> None:
    track = portrait_motion(TIMES, SPEECH, seed)
    assert track.shape == (len(TIMES), 8) and track.dtype == np.float32
    assert (np.abs(track[:, :3]) <= LIMITS).all()
    np.testing.assert_array_equal(track[0], REST)
    assert (track[:, 5] == 1).all()


def test_moves_in_speech_and_hardly_in_silence() -> None:
    speaking = np.mean([portrait_motion(TIMES, SPEECH, seed)[:, :3].std(axis=0) for seed in range(8)], axis=0)
    silent = np.mean([portrait_motion(TIMES, SILENCE, seed)[:, :3].std(axis=0) for seed in range(8)], axis=0)
    assert (speaking > [0.6, 0.4, 0.25]).all()
    assert (silent < 0.4 * speaking).all()


def test_is_slow_and_smooth() -> None:
    for seed in range(8):
        angles = portrait_motion(TIMES, SPEECH, seed)[:, :3].astype(np.float64)
        power = np.abs(np.fft.rfft(angles * np.hanning(len(angles))[:, None], axis=0)) ** 2
        hertz = np.fft.rfftfreq(len(angles), 1 / 25)
        assert power[hertz > 4].sum() < 0.01 * power.sum()
        assert np.abs(np.diff(angles, axis=0)).max() < 1.0  # degrees a frame


def test_the_same_seed_gives_the_same_track_and_another_another() -> None:
    first = portrait_motion(TIMES, SPEECH, 5)
    np.testing.assert_array_equal(first, portrait_motion(TIMES, SPEECH, 5))
    assert np.abs(first - portrait_motion(TIMES, SPEECH, 6)).max() > 0.5


@pytest.mark.parametrize("level", [SPEECH, SILENCE])
def test_blinks_every_two_to_six_seconds_as_long_as_people_do(level: Floats) -> None:
    for seed in range(20):
        fine = np.arange(0, SECONDS, 0.005, dtype=np.float32)
        track = portrait_motion(fine, np.interp(fine, TIMES, level).astype(np.float32), seed)
        found = blinks(track)
        starts = np.array([part.start * 0.005 for part in found])
        lengths = np.array([(part.stop - part.start) * 0.005 for part in blinks(track, 0.2)])
        assert ((lengths > 0.15) & (lengths < 0.26)).all(), lengths
        gaps = np.diff(starts)
        assert ((gaps > 1.4) & (gaps < 6.1) | (gaps < 0.6)).all(), gaps
        assert starts[0] > 0.5 and track[-1, 6] == 0
        assert all(track[part, 6].max() > 0.99 for part in found)


def test_every_blink_is_seen_shut_at_25_frames_a_second() -> None:
    for seed in range(10):
        track = portrait_motion(TIMES, SPEECH, seed)
        assert all(track[part, 6].max() > 0.9 for part in blinks(track))
        np.testing.assert_array_equal(track[:, 6], track[:, 7])


def test_lids_open_more_slowly_than_they_shut() -> None:
    fine = np.arange(0, SECONDS, 0.005, dtype=np.float32)
    for seed in range(10):
        track = portrait_motion(fine, np.interp(fine, TIMES, SPEECH).astype(np.float32), seed)
        for part in blinks(track):
            wide = np.flatnonzero(track[part, 6] > 0.95)
            shutting, opening = wide[0], part.stop - part.start - 1 - wide[-1]
            assert opening > 1.5 * shutting


def test_times_need_not_begin_at_nought_nor_be_even() -> None:
    uneven = np.sort(np.random.default_rng(0).uniform(3, 9, 80)).astype(np.float32)
    track = portrait_motion(uneven, np.ones_like(uneven), 1)
    np.testing.assert_array_equal(track[0], REST)
    assert np.isfinite(track).all()


def test_no_frame_and_one_frame() -> None:
    assert portrait_motion(TIMES[:0], SPEECH[:0], 1).shape == (0, 8)
    np.testing.assert_array_equal(portrait_motion(TIMES[:1], SPEECH[:1], 1), REST[None])


@pytest.mark.parametrize(
    ("times", "level", "said"),
    [
        (TIMES, SPEECH[:-1], "TIMES \\[F\\] and LEVEL \\[F\\]"),
        (TIMES[::-1], SPEECH, "rising"),
        (TIMES * np.float32(np.nan), SPEECH, "NaN"),
    ],
)
def test_bad_input_is_told(times: Floats, level: Floats, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        portrait_motion(times, level, 0)
