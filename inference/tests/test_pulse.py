"""What is concluded from what the kernel counts of Triton's thread. tests/attack/stalled.test.ts has the real one."""

import itertools
import math
import random
import threading

import pytest

from serving import pulse
from serving.pulse import Beats, Pauses, is_pulse, pulse_of_this_process


def ended(*looks: tuple[float, int, float]) -> float:
    """When the latest pause was over. looks: the time, the beats and the seconds waited so far; the first one was at 0 s."""
    pauses = Pauses(0.0, Beats(0, 0.0))
    for now, count, waited in looks:
        pauses.look(now, Beats(count, waited))
    return pauses.ended


def test_beats_that_come_in_time_are_no_pause() -> None:
    assert ended(*((0.2 * look, int(0.2 * look / 0.3), 0.0) for look in range(1, 100))) == -math.inf


def test_a_process_that_was_stopped_had_a_pause_whether_its_thread_or_the_look_comes_first_after_it() -> None:
    assert ended((0.2, 1, 0.0), (1.7, 1, 0.0)) == 1.7
    assert ended((0.2, 1, 0.0), (1.7, 2, 0.0), (1.9, 3, 0.0)) == 1.7


def test_a_thread_that_waited_for_a_processor_had_a_pause_when_it_has_one_and_while_it_has_none() -> None:
    assert ended((0.2, 1, 0.0), (0.4, 1, 0.0), (0.6, 1, 0.0), (0.8, 1, 0.0), (1.3, 2, 0.8)) == 1.3
    assert ended((0.2, 1, 0.0), (0.4, 1, 0.0), (0.6, 1, 0.0), (0.8, 1, 0.0), (1.1, 1, 0.0)) == 1.1


def test_looks_that_come_late_make_none_where_the_beats_were_in_time() -> None:
    """As where other Python code has kept the lock of the interpreter for 6 s, on a machine that is busy."""
    assert ended((0.2, 1, 0.0), (6.2, 19, 0.5), (6.4, 20, 0.5), (6.6, 20, 0.5)) == -math.inf
    assert ended((0.9, 2, 0.3), (1.35, 3, 0.4), (1.9, 4, 0.6)) == -math.inf


def test_a_pause_between_two_late_looks_is_found() -> None:
    assert ended((0.2, 1, 0.0), (6.2, 16, 0.0)) == 6.2


def test_a_clock_that_is_set_back_is_no_pause_and_one_that_is_set_forward_is() -> None:
    """Triton's own wait goes by the same clock."""
    assert ended((0.2, 1, 0.0), (-5.0, 1, 0.0), (-4.8, 2, 0.0), (-4.6, 3, 0.0)) == -math.inf
    assert ended((0.2, 1, 0.0), (9.2, 1, 0.0), (9.4, 2, 0.0)) == 9.2


def test_a_thread_that_waits_now_and_then_is_given_up_when_it_has_waited_for_long_and_not_before() -> None:
    """Looks at any time, at beats of any delay; what was waited is known when the wait is over."""
    chance = random.Random(7)
    for most in (0.5, 2.0):
        found = 0
        for _ in range(300):
            waits = [chance.choice([0.0, 0.01, 0.1, most]) * chance.random() ** 4 for _ in range(40)]
            beats = list(itertools.accumulate(0.3 + wait for wait in waits))
            now, pauses = 0.0, Pauses(0.0, Beats(0, 0.0))
            while now < beats[-1]:
                now += chance.choice([0.02, 0.2, 0.2, 0.5])
                count = sum(beat <= now for beat in beats)
                pauses.look(now, Beats(count, sum(waits[:count])))
            if max(waits) >= 0.7:
                assert pauses.ended > 0
            found += pauses.ended > 0
        assert found == 0 or most > 0.7


def test_a_thread_that_sleeps_for_other_times_is_no_pulse() -> None:
    assert is_pulse(1.2, Beats(5, 0.0), Beats(9, 0.0))
    assert is_pulse(2.0, Beats(5, 1.0), Beats(8, 2.0))
    assert not is_pulse(1.2, Beats(5, 0.0), Beats(5, 0.0))
    assert not is_pulse(1.2, Beats(5, 0.0), Beats(40, 0.0))


def test_a_process_whose_first_thread_ends_as_it_stops_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    told: list[threading.ExceptHookArgs] = []
    first = threading.Thread(target=stop.wait)
    first.start()
    monkeypatch.setattr(pulse, "_first_thread", lambda: first.native_id)
    monkeypatch.setattr(threading, "excepthook", told.append)
    before = set(threading.enumerate())
    pulse.Pulse()
    (watch,) = set(threading.enumerate()) - before
    stop.set()
    watch.join(10 * pulse.KNOWN_SECONDS)
    assert not watch.is_alive()
    assert told == []


def test_a_process_that_is_no_stub_has_none() -> None:
    assert pulse_of_this_process() is None
