"""Ends a model's process (stub) that Triton has given up, before it answers. docs/decisions/0086.

In each stub a thread of Triton's own says every 0.3 s that the process lives. When it has not for a second, Triton gives up
the request that the stub has, and sends it the next one; the answer to the first is then taken for that of the next, and the
memory of both is freed twice, until Triton crashes. Triton does not tell the stub. But the kernel counts how often that thread
has slept and how long it waited for a processor, so the stub knows when it stood still. A stub that dies is cleared away, and
the keeper loads its model again.
"""

import contextlib
import math
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

BEAT_SECONDS = 0.3
"""How often Triton's thread says that the process lives: `main` of pb_stub.cc."""
GIVEN_UP_SECONDS = 1.0
"""After so long without it Triton gives up: `timeout_miliseconds` of ModelInstanceState::ReceiveMessageFromStub."""
LOOK_SECONDS = 0.2
LEAST_SECONDS = 0.1
"""Shorter times are not told apart from beats that come a little late."""
KNOWN_SECONDS = 1.2
"""For so long it is looked at whether the thread that should beat does: another release of Triton may start others first."""
STATUS_BYTES = 16384
"""More than the kernel tells of a thread, about 1,500."""
NICENESS = 10
"""Of the threads that compute."""
JUST_SECONDS = 0.3
"""A process that stood still so shortly before it gets a request may have kept that request waiting."""


class Beats(NamedTuple):
    """What the kernel has counted of Triton's thread; both only grow."""

    slept: int
    """How often it has slept."""
    waited: float
    """Seconds that it was ready to run and had no processor. Added when it gets one."""


class Pauses:
    """Whether beats stayed away for GIVEN_UP_SECONDS, by looks at what was counted. Pure."""

    def __init__(self, now: float, beats: Beats) -> None:
        """now: seconds of a clock that goes on while the machine sleeps, as Triton's does."""
        self._looked, self._changed, self._beats = now, now, beats
        self.ended, self.why = -math.inf, ""
        """When the latest pause was over, or was seen to go on."""

    def look(self, now: float, beats: Beats) -> None:
        """A look may come late: what happened since the one before is known by what was counted."""
        elapsed, came, waited = now - self._looked, beats.slept - self._beats.slept, beats.waited - self._beats.waited
        if came or elapsed < 0:  # or the clock was set back
            self._changed = now
        # It sleeps for this long at most, so for the rest it stood still: with the whole process, or for want of a processor,
        # which is not known before it has one.
        still = elapsed - waited - BEAT_SECONDS * (came + 1)
        if waited >= GIVEN_UP_SECONDS - BEAT_SECONDS:
            self.ended, self.why = now, f"had no processor for {waited:.1f} s"
        elif still >= (LEAST_SECONDS if came else GIVEN_UP_SECONDS - 2 * BEAT_SECONDS):
            self.ended, self.why = now, f"stood still for {still + BEAT_SECONDS:.1f} s or more"
        elif now - self._changed >= GIVEN_UP_SECONDS - LEAST_SECONDS:
            self.ended, self.why = now, f"has had no processor for {now - self._changed:.1f} s"
        self._looked, self._beats = now, beats


def is_pulse(elapsed: float, before: Beats, after: Beats) -> bool:
    """Whether a thread does sleep for BEAT_SECONDS again and again."""
    beats = (elapsed - (after.waited - before.waited)) / BEAT_SECONDS
    return beats / 2 <= after.slept - before.slept <= beats + 1.5


class Pulse:
    """The beats of this process. One request is under way at a time."""

    def __init__(self) -> None:
        """Raises RuntimeError where there is no thread of Triton's."""
        thread = f"/proc/self/task/{_first_thread()}"
        # Kept open: a look takes 12 us for 126, and there are three in a request.
        self._status, self._waits = (os.open(f"{thread}/{name}", os.O_RDONLY) for name in ("status", "schedstat"))
        self._lock = threading.Lock()
        self._pauses: Pauses | None = None
        """None until the thread is known."""
        self._since = math.inf
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self) -> None:
        """A request is here."""
        self._since = time.time() - JUST_SECONDS
        self.check()

    def check(self) -> None:
        """Before Triton is told or asked anything. Does not return where it may have given up the request."""
        self._look()
        if self._pauses and self._pauses.ended >= self._since:
            tell(f"{self._pauses.why}, so Triton may have given up its request: it ends, to be loaded again")
            os.kill(os.getpid(), signal.SIGKILL)

    def _watch(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # Triton's thread has ended, and so does this process.
            self._look_on()

    def _look_on(self) -> None:
        is_told = False
        while self._pauses is None:
            before, began = self._beats(), time.time()
            time.sleep(KNOWN_SECONDS)
            now, beats = time.time(), self._beats()
            if is_pulse(now - began, before, beats):
                self._pauses = Pauses(now, beats)
            elif not is_told:
                is_told = True
                tell("is not guarded against standing still: no thread beats")
        while True:
            time.sleep(LOOK_SECONDS)
            self._look()

    def _look(self) -> None:
        with self._lock:
            if self._pauses:
                self._pauses.look(time.time(), self._beats())

    def _beats(self) -> Beats:
        slept = os.pread(self._status, STATUS_BYTES, 0).rpartition(b"\nvoluntary_ctxt_switches:")[2].split()[0]
        return Beats(int(slept), int(os.pread(self._waits, STATUS_BYTES, 0).split()[1]) / 1e9)


def pulse_of_this_process() -> Pulse | None:
    """None in a process that is no stub, such as that of a test: nobody gives it up. And where the kernel does not count.

    This thread, and those that it starts from now on, which are all that compute, give way to the threads that beat and look:
    on a busy machine a model is slow, and is not given up.
    """
    if not Path("/proc/self/comm").read_text().startswith("triton_python"):
        return None
    try:
        return Pulse()
    except FileNotFoundError as missing:
        tell(f"is not guarded against standing still: {missing}")
        return None
    finally:
        os.nice(NICENESS)


def tell(what: str) -> None:
    """Into Triton's log."""
    print(f"process {os.getpid()} {what}", file=sys.stderr, flush=True)


def _first_thread() -> int:
    """The thread that was started first, besides the main one: Triton waits for it before it does anything else."""
    threads = [int(thread.name) for thread in Path("/proc/self/task").iterdir() if thread.name != str(os.getpid())]
    if not threads:
        raise RuntimeError("expected the thread by which Triton sees that this process lives; there is none")
    return min(threads, key=lambda thread: (_started(thread), thread))


def _started(thread: int) -> int:
    """In ticks since the machine was started."""
    return int(Path(f"/proc/self/task/{thread}/stat").read_text().rpartition(")")[2].split()[19])
