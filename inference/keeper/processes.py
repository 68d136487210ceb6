"""Processes by /proc: the Python processes (stubs) of Triton, and what they do."""

import contextlib
import os
import re
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

BUSY_SHARE = 0.003
"""A model that answers no ping for IDLE_SECONDS, and neither uses so much of a processor nor waits for one, waits for what will
not come."""
WAIT_SHARE = 0.2
"""The same for waiting: what computes and gets no processor waits nearly all the time. The main thread of a process that hangs
wakes up once a second and may wait then, too: up to 2 % of 20 s at a load of 25 on two cores."""


class Effort(NamedTuple):
    """Seconds for which a process had a processor, and for which it waited for one."""

    ran: float
    waited: float


def stubs_of(parent: int, strangers: set[str]) -> dict[int, tuple[str, int, Path | None]]:
    """Triton's Python processes by their id: the state's letter, how many threads, and the model's folder, which a dead one no
    longer tells.

    strangers: processes of others, which are not looked at again.
    """
    found = {}
    numbers = {folder.name for folder in os.scandir("/proc") if folder.name.isdigit()}
    strangers &= numbers
    for number in numbers - strangers:
        with contextlib.suppress(OSError):
            name, fields = status_of(number)
            if fields[1] != str(parent):
                strangers.add(number)
            elif name.startswith("triton_python"):
                words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
                folders = [Path(word).parents[1] for word in words if word.endswith("/model.py")]
                found[int(number)] = (fields[0], int(fields[17]), folders[0] if folders else None)
    return found


def status_of(pid: int | str) -> tuple[str, list[str]]:
    """A process's name, which may hold any bytes, and what follows it in /proc/<pid>/stat. Raises OSError when it has gone."""
    name, _, fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").partition("(")[2].rpartition(")")
    return name, fields.split()


def effort_seconds(pid: int) -> Effort:
    """For how long the process had a processor, and for how long its threads that compute were ready for one and had none.

    Those are the nicer ones (serving/pulse.py). The others of a model that hangs go on to wake up and, on a busy machine, wait.
    """
    efforts = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                efforts.append(thread_seconds(thread))
    return total(efforts)


def thread_seconds(thread: Path) -> Effort:
    fields = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()
    try:
        ran, waited, _ = (int(word) for word in (thread / "schedstat").read_text().split())
    except FileNotFoundError:  # a kernel that does not count
        return Effort((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 0.0)
    return Effort(ran / 1e9, waited / 1e9 if int(fields[16]) > 0 else 0.0)


def total(efforts: Iterable[Effort]) -> Effort:
    ran, waited = 0.0, 0.0
    for effort in efforts:
        ran, waited = ran + effort.ran, waited + effort.waited
    return Effort(ran, waited)


def is_busy(before: dict[int, Effort], after: dict[int, Effort], seconds: float) -> bool:
    """Whether processes, by their `effort_seconds`, did something in that time, or are others than before."""
    if before.keys() != after.keys():
        return True
    old, new = total(before.values()), total(after.values())
    return new.ran - old.ran >= BUSY_SHARE * seconds or new.waited - old.waited >= WAIT_SHARE * seconds


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def hide(pid: int, secret: bytes) -> None:
    """Takes the secret out of what `ps` shows to every account: Triton knows its flags by now.

    Where the kernel forbids writing to a child's memory the secret stays to be seen.
    """
    with contextlib.suppress(OSError, ValueError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        start = int(status_of(pid)[1][45])
        with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
            for match in re.finditer(re.escape(secret), words):
                memory.seek(start + match.start())
                memory.write(b"x" * len(secret))
