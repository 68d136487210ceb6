"""Starts Triton with the flags of the keeper, and stays with it until it ends."""

import os
import re
import signal
import subprocess
import tempfile
import threading
import urllib.parse
from pathlib import Path

from keeper.flags import guarded, traced
from keeper.instances import spread_first
from keeper.keeper import Keeper
from keeper.regions import close_regions
from keeper.say import say
from keeper.times import LOOK_SECONDS, NUMBER
from keeper.triton import Triton

SETTINGS = {
    "ENHANCE_ENGINE": (r"auto|openvino|cuda|tensorrt|onnxruntime", "auto, openvino, cuda, tensorrt or onnxruntime"),
    "ENHANCE_THREADS": (r"[1-9][0-9]*", "a whole number of at least 1"),
    "KEEPER_PATIENCE": (NUMBER, "a number above 0, such as 2 or 0.5"),
}
"""What the models and `times.py` read: a wrong value is told here, and not by their tracebacks. Empty is as unset."""


def main(command: list[str]) -> int:
    secret, headers = given("TRITON_ADMIN_SECRET"), given("OTEL_EXPORTER_OTLP_HEADERS")
    if secret is None or headers is None:
        return 2
    if not re.fullmatch(r"[\w-]{16,}", secret, re.ASCII):
        say("TRITON_ADMIN_SECRET: expected at least 16 letters, digits, - or _")
        return 2
    for name, (form, expected) in SETTINGS.items():
        value = os.environ.get(name)
        if value and not re.fullmatch(form, value):
            say(f'{name}: expected {expected}; got "{value}"')
            return 2
    flags = dict(word[2:].split("=", 1) for word in command if word.startswith("--") and "=" in word)
    regions = re.search(r"shm-region-prefix-name=(\w+)", " ".join(command))
    os.umask(0o077)
    if headers:
        # Percent-encoded here, while Triton's exporter sends them as they stand.
        os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = urllib.parse.unquote(headers)
    tracing = traced(os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", ""))
    if regions:
        threading.Thread(target=close_regions, args=(regions[1],), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="enhance-models-") as folder:
        child = subprocess.Popen([*guarded(spread_first(command, Path(folder)), secret), *tracing])
        try:
            return stay_with(child, Keeper(child.pid, Triton(flags["http-port"], secret)))
        finally:
            # Nobody would watch over it, and it would hold the ports of the next one.
            child.kill()
            child.wait()


def stay_with(child: subprocess.Popen[bytes], keeper: Keeper) -> int:
    """The status to exit with, once Triton has ended or has to be started anew."""
    told_to_end = threading.Event()

    def end(*_: object) -> None:
        told_to_end.set()
        child.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    # subprocess's own wait with a timeout looks 20 times a second.
    waiting = threading.Thread(target=child.wait, daemon=True)
    waiting.start()
    while True:
        waiting.join(LOOK_SECONDS)
        status: int | None = child.returncode
        if status is not None:
            return abs(status)
        if told_to_end.is_set():
            continue
        if fault := keeper.look():
            say(f"{fault}; Triton is ended, to be started again")
            return 1


def given(name: str) -> str | None:
    """A variable, or what the file of NAME_FILE holds; None when that cannot be told. Triton's environment loses both."""
    value, path = (os.environ.pop(each, "") for each in (name, f"{name}_FILE"))
    if not path:
        return value
    if value:
        say(f"expected {name} or {name}_FILE, not both")
        return None
    try:
        return Path(path).read_text().removesuffix("\n").removesuffix("\r")
    except OSError as fault:
        say(f"{name}_FILE: {fault}")
        return None
