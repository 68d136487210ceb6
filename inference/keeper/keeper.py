"""One look a second at Triton and its processes. docs/decisions/0014 says what is looked for."""

import contextlib
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from keeper.processes import Effort, effort_seconds, hide, is_busy, kill, stubs_of
from keeper.say import say
from keeper.times import (
    FROZEN_SECONDS,
    IDLE_SECONDS,
    LOAD_SECONDS,
    LONGEST_SECONDS,
    LOOK_SECONDS,
    MISS_SECONDS,
    MISSES,
    PING_SECONDS,
    START_SECONDS,
    STUCK_SECONDS,
)
from keeper.triton import Triton

UNWANTED = ".unwanted"
"""The service puts this file into the folder of a model that it has given up, as src/models/pack/release-folder.ts says."""


class Stub:
    """One Python process of a model."""

    def __init__(self, folder: Path | None, now: float) -> None:
        self.folder, self.model = folder, folder.name if folder else ""
        """Of its model; not known of one that was dead at the first look."""
        self.ran = now
        """When it was last seen not stopped."""
        self.listens: float | None = None
        """When it was first seen to have a second thread. Triton 24.10 waits for that one without looking whether the process
        lives: one that ends or is killed before leaves Triton unable to load anything (`StubLauncher::Launch`)."""
        self.ended: float | None = None
        """When it was first seen dead; of a model that is unloaded Triton clears them away before the next look."""
        self.leaves = False
        """Its model was given up, or was loaded again in other processes: what happens to it is of no model that is served."""

    def is_unwanted(self) -> bool:
        return self.folder is not None and (self.folder / UNWANTED).exists()


class Ping:
    """A tiny inference, sent from a thread of its own: behind real work it waits its turn."""

    def __init__(self, now: float) -> None:
        self.answer: str | None = None
        self.seen = now
        self.effort: dict[int, Effort] = {}
        """When it was last looked at what the model's processes do, and their `effort_seconds` then."""
        self.progressed, self.answered = now, -1
        """When the model was last seen to have answered somebody, and how many it had."""


class Keeper:
    def __init__(self, pid: int, triton: Triton) -> None:
        self._pid, self._triton = pid, triton
        self._stubs: dict[int, Stub] = {}
        self._strangers: set[str] = set()
        self._pings: dict[str, Ping] = {}
        self._ready: list[str] = []
        self._misses, self._started = 0, time.monotonic()
        self._was_live, self._checked, self._pinged = False, 0.0, 0.0

    def look(self) -> str | None:
        """One look at everything. A sentence when Triton has to be started anew."""
        now = time.monotonic()
        if now - self._checked >= MISS_SECONDS or not self._was_live:
            self._checked = now
            if fault := self._check_live(now):
                return fault
        if not self._was_live or self._misses:
            return None
        broken = self._dead_models(now) | self._unwell_models(now)
        self._end_unwanted(now)
        if broken and (fault := self._repair(broken)):
            return fault
        if fault := self._stuck(now):
            return fault
        if now - self._pinged >= PING_SECONDS:
            self._pinged = now
            self._ping_all(now)
        return None

    def _check_live(self, now: float) -> str | None:
        if self._triton.live():
            if not self._was_live:
                say("Triton listens")
                hide(self._pid, self._triton.secret.encode())
            self._was_live, self._misses = True, 0
            return None
        if not self._was_live:
            late = now - self._started > START_SECONDS
            return f"Triton did not listen within {START_SECONDS:.0f} s" if late else None
        self._misses += 1
        return f"Triton answered none of {MISSES} health checks" if self._misses >= MISSES else None

    def _dead_models(self, now: float) -> set[str]:
        """The models of stubs that have died. Stubs that were stopped for too long are killed here, and dead next time."""
        dead = set()
        children = stubs_of(self._pid, self._strangers)
        self._stubs = {pid: stub for pid, stub in self._stubs.items() if pid in children}
        for pid, (state, threads, folder) in children.items():
            stub = self._stubs.setdefault(pid, Stub(folder, now))
            if threads > 1:
                stub.listens = stub.listens or now
            if state == "Z" and not stub.leaves:
                # Triton may keep it while another model is loaded under its name.
                stub.leaves = stub.is_unwanted()
                if stub.ended and stub.model and not stub.leaves:
                    dead.add(stub.model)
                stub.ended = stub.ended or now
            elif state != "T":
                stub.ran = now
            elif now - stub.ran > FROZEN_SECONDS:
                say(f"a process of {stub.model} is stopped; it is killed")
                kill(pid)
        return dead

    def _unwell_models(self, now: float) -> set[str]:
        """Models whose ping was answered by Triton in place of their stub, and those that hang."""
        unwell = set()
        for model, ping in list(self._pings.items()):
            if ping.answer is not None:
                del self._pings[model]
                if re.search("stub process", ping.answer, re.IGNORECASE):
                    unwell.add(model)
            elif fault := self._hangs(model, ping, now):
                say(f"{model} {fault}; its processes are killed")
                for pid in self._stubs_of(model):
                    kill(pid)
                unwell.add(model)
        return unwell

    def _hangs(self, model: str, ping: Ping, now: float) -> str | None:
        """A busy model is no hung one: its processes compute, and every now and then somebody gets an answer."""
        if now - ping.seen < IDLE_SECONDS:
            return None
        before, ping.effort = ping.effort, {pid: effort_seconds(pid) for pid in self._stubs_of(model)}
        if not is_busy(before, ping.effort, now - ping.seen):
            return f"answers no ping and has done nothing for {now - ping.seen:.0f} s"
        with contextlib.suppress(OSError):
            answered = self._triton.answered(model)
            if answered != ping.answered:
                ping.answered, ping.progressed = answered, now
        ping.seen = now
        return f"has answered nobody for {LONGEST_SECONDS:.0f} s" if now - ping.progressed > LONGEST_SECONDS else None

    def _stubs_of(self, model: str) -> list[int]:
        return [pid for pid, stub in self._stubs.items() if stub.model == model and not stub.leaves]

    def _end_unwanted(self, now: float) -> None:
        """Kills what still loads a model that was given up. A model that is ready may have work, until it is unloaded."""
        listening = {pid: stub for pid, stub in self._stubs.items() if stub.listens and now - stub.listens >= LOOK_SECONDS}
        unwanted = {
            pid: stub.model for pid, stub in listening.items() if not (stub.ended or stub.leaves) and stub.is_unwanted()
        }
        if not unwanted:
            return
        # The thread of Triton that loads it may be the one that would answer; the next look asks another.
        with contextlib.suppress(OSError):
            loading = self._triton.models("LOADING")
            for pid, model in unwanted.items():
                if model in loading:
                    say(f"{model} was given up while it was loading; its process is killed")
                    self._stubs[pid].leaves = True
                    kill(pid)

    def _stuck(self, now: float) -> str | None:
        """Whether Triton waits for a process that will not listen any more."""
        for stub in self._stubs.values():
            if stub.ended and not stub.listens and now - stub.ended > STUCK_SECONDS:
                return f"Triton waits for a process of {stub.model or 'a model'} that ended before it listened"
        return None

    def _repair(self, models: set[str]) -> str | None:
        try:
            self._ready = self._triton.models("READY")
        except OSError:
            return None  # a thread that loads a model answers nobody: the dead are still there at the next look
        try:
            for model in models.intersection(self._ready):
                say(f"{model} has lost a process; it is unloaded and loaded again")
                self._pings.pop(model, None)
                for pid in self._stubs_of(model):
                    self._stubs[pid].leaves = True
                self._triton.reload(model, self._loads(model))
                say(f"{model} is loaded again")
        except OSError as fault:
            return f"a model could not be loaded again: {fault}"
        return None

    def _loads(self, model: str) -> Callable[[], bool]:
        """Whether the load of a model that begins now is stuck, for who asks again and again."""
        since, before = time.monotonic(), dict[int, Effort]()

        def is_stuck() -> bool:
            nonlocal since, before
            children = stubs_of(self._pid, self._strangers)
            effort = {pid: effort_seconds(pid) for pid, (_, _, folder) in children.items() if folder and folder.name == model}
            now = time.monotonic()
            if is_busy(before, effort, now - since):
                since, before = now, effort
            return now - since > LOAD_SECONDS

        return is_stuck

    def _ping_all(self, now: float) -> None:
        with contextlib.suppress(OSError):
            self._ready = self._triton.models("READY")
            for model in self._ready:
                if model not in self._pings and self._stubs_of(model):
                    self._pings[model] = Ping(now)
                    threading.Thread(target=self._ping, args=(model, self._pings[model]), daemon=True).start()

    def _ping(self, model: str, ping: Ping) -> None:
        ping.answer = self._triton.ping(model)
