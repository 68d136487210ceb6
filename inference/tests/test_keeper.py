"""Strange processes beside the keeper, and what it leaves when it fails. What it does for Triton: tests/attack/stub.test.ts."""

import importlib
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from enhance.engine import KINDS
from keeper import keeper, times
from keeper.keeper import Keeper
from keeper.processes import Effort, effort_seconds, is_busy, stubs_of
from keeper.run import SETTINGS, main
from keeper.times import LOOK_SECONDS
from keeper.triton import Triton

FAILING = """
import sys
from keeper import keeper, run

def fail(self):
    raise RuntimeError(f"the server is {self._pid}")

keeper.Keeper.look = fail
sys.exit(run.main(sys.argv[1:]))
"""


def test_a_process_whose_name_is_no_text_is_passed_over(tmp_path: Path) -> None:
    program = os.fsencode(tmp_path) + b"/\xff sleep"
    shutil.copy(b"/bin/sleep", program)
    with subprocess.Popen([program, "600"]) as stranger:
        try:
            strangers: set[str] = set()
            assert stubs_of(stranger.pid, strangers) == {}
            assert str(stranger.pid) in strangers
            assert stubs_of(os.getpid(), set()) == {}
        finally:
            stranger.kill()


def test_a_keeper_that_fails_ends_its_server(tmp_path: Path) -> None:
    server = tmp_path / "tritonserver"
    server.write_text('#!/bin/sh\n[ "$1" = --help ] || exec sleep 600\n')
    server.chmod(0o700)
    command = [sys.executable, "-c", FAILING, str(server), "--http-port=1"]
    environment = {**os.environ, "TRITON_ADMIN_SECRET": "s" * 16}
    folder = Path(__file__).parents[1]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    told = re.search(r"the server is (\d+)", ended.stderr)
    assert ended.returncode == 1
    assert told, ended.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(told[1]), 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("ENHANCE_ENGINE", "cpu"), ("ENHANCE_THREADS", "all"), ("ENHANCE_THREADS", "0")],
        *[("KEEPER_PATIENCE", "x"), ("KEEPER_PATIENCE", "0.0"), ("KEEPER_PATIENCE", "inf")],
    ],
)
def test_a_setting_that_no_model_could_read_is_told_in_a_sentence(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRITON_ADMIN_SECRET", "s" * 16)
    monkeypatch.setenv(name, value)
    # Read when the keeper is started, before it looks at its settings.
    importlib.reload(times)
    assert main(["no-server-is-started"]) == 2
    assert re.fullmatch(rf'keeper: {name}: expected .+; got "{value}"\n', capsys.readouterr().err)


def test_the_engines_that_the_keeper_knows_are_those_of_the_models() -> None:
    assert SETTINGS["ENHANCE_ENGINE"][0].split("|") == ["auto", *KINDS]


def test_a_reload_ends_when_triton_stops_listening() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    asked = []

    def crash() -> None:
        asked.append(listening.accept()[0])
        listening.close()

    crashing = threading.Thread(target=crash)
    crashing.start()
    with pytest.raises(OSError, match="no longer listens"):
        Triton(str(listening.getsockname()[1]), "").reload("model")
    crashing.join()
    asked[0].close()


def test_a_reload_ends_when_its_processes_do_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        said = iter([False, True])
        with pytest.raises(OSError, match="have done nothing"):
            Triton(str(listening.getsockname()[1]), "").reload("model", lambda: next(said))


@contextmanager
def stub_of(folder: Path, code: str) -> Iterator[int]:
    """A process that looks like one of Triton's for the model of this folder; its id."""
    program = folder / "triton_python_backend_stub"
    folder.mkdir()
    program.symlink_to(sys.executable)
    command = [str(program), "-c", f"print('ready', flush=True)\n{code}", str(folder / "1/model.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as stub:
        try:
            assert stub.stdout is not None
            stub.stdout.readline()
            yield stub.pid
        finally:
            stub.kill()


def test_a_load_is_stuck_when_its_processes_do_nothing_and_not_while_they_compute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "LOAD_SECONDS", 1.0)
    with stub_of(tmp_path / "sleeps", "import time; time.sleep(600)"), stub_of(tmp_path / "spins", "while True: pass"):
        looking = Keeper(os.getpid(), Triton("1", ""))
        sleeps, spins = looking._loads("sleeps"), looking._loads("spins")
        assert not sleeps()
        given_up = time.monotonic() + 30
        while not sleeps():
            assert not spins()
            assert time.monotonic() < given_up
            time.sleep(0.1)
        assert not spins()


def test_a_process_that_was_given_up_says_nothing_of_the_next_model_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "photo__r3"
    folder.mkdir()
    seen, killed, triton = {7: ("S", 2, folder)}, list[int](), Triton("1", "")
    monkeypatch.setattr(keeper, "stubs_of", lambda *_: seen)
    monkeypatch.setattr(keeper, "kill", killed.append)
    monkeypatch.setattr(triton, "models", lambda _: ["photo__r3"])
    for is_given_up in (True, False):
        looking, unwanted = Keeper(1, triton), folder / keeper.UNWANTED
        seen[7] = "S", 2, folder
        if is_given_up:
            unwanted.touch()
        assert looking._dead_models(1.0) == set()
        looking._end_unwanted(1 + LOOK_SECONDS)
        assert killed == [7]
        # Triton has not cleared it away, and the next release has its model loaded under the same name.
        unwanted.unlink(missing_ok=True)
        seen[7] = "Z", 2, folder
        looking._dead_models(1 + 2 * LOOK_SECONDS)
        assert looking._dead_models(1 + 3 * LOOK_SECONDS) == (set() if is_given_up else {"photo__r3"})


def test_a_process_that_computes_and_gets_no_processor_does_something_and_one_that_sleeps_does_not(tmp_path: Path) -> None:
    """As a model on a machine that is busy with other things."""
    processors = os.sched_getaffinity(0)
    own = min(processors)
    spin = "while True: pass"
    compute = f"import os; os.nice(10)\n{spin}"
    os.sched_setaffinity(0, {own})  # which the processes inherit
    try:
        with (
            stub_of(tmp_path / "computes", compute) as computes,
            stub_of(tmp_path / "sleeps", "import time; time.sleep(600)") as sleeps,
            stub_of(tmp_path / "other", spin),
        ):
            os.sched_setaffinity(0, processors)
            time.sleep(0.5)
            before = effort_seconds(computes), effort_seconds(sleeps)
            waited = 0.0
            began = time.monotonic()
            # What it has waited is counted when it gets the processor again.
            while waited < 1 and time.monotonic() < began + 60:
                time.sleep(0.5)
                waited = effort_seconds(computes).waited - before[0].waited
            seconds = time.monotonic() - began
            slept = effort_seconds(sleeps)
    finally:
        os.sched_setaffinity(0, processors)
    # The other process has the processor nearly always.
    assert waited > 0.3 * seconds
    assert max(slept.ran - before[1].ran, slept.waited - before[1].waited) < 0.01


def test_who_wakes_up_and_waits_for_a_processor_is_not_busy_by_that() -> None:
    """In 20 s: a process that hung while the load was 25, one that computes and gets no processor, one that runs."""
    hung, starved, runs = Effort(0.016, 0.42), Effort(0.03, 19.0), Effort(0.07, 0.0)
    busy = [is_busy({7: Effort(1.0, 70.0)}, {7: Effort(1 + did.ran, 70 + did.waited)}, 20.0) for did in (hung, starved, runs)]
    assert busy == [False, True, True]
