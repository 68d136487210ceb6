"""Strange processes beside the keeper, and what it leaves when it fails. What it does for Triton: tests/attack/stub.test.ts."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from serving.keeper import Triton, stubs_of

FAILING = """
import sys
from serving import keeper

def fail(self):
    raise RuntimeError(f"the server is {self._pid}")

keeper.Keeper.look = fail
sys.exit(keeper.main(sys.argv[1:]))
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
