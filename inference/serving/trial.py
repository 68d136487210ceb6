"""A model of a release is loaded in a process of its own first. Triton 24.10 waits for ever for a model's process that dies or
hangs while it loads: what does so ends here, and Triton is told why. docs/decisions/0021.
"""

import ctypes
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

FILE = "released.py"
"""Beside model.py: what the release brought as its own model.py."""
LONGEST_SECONDS = 600.0
"""The service gives up sooner (MODEL_LOAD_SECONDS); this is for one that has gone itself."""
LOOK_SECONDS = 0.1


class TriedModel:
    """The model of FILE, once it has been loaded elsewhere without harm. Raises RuntimeError, saying what happened there."""

    def initialize(self, args: dict[str, str]) -> None:
        """args: as Triton gives them."""
        folder = Path(args["model_repository"]) / args["model_version"]
        try_out(folder, args)
        self.model = load(folder, args)

    def execute(self, requests: list[Any]) -> list[Any]:
        """As the model does."""
        responses: list[Any] = self.model.execute(requests)
        return responses

    def finalize(self) -> None:
        """As the model does, if it does."""
        if hasattr(self.model, "finalize"):
            self.model.finalize()


def load(folder: Path, args: dict[str, str]) -> Any:
    """A TritonPythonModel of FILE in `folder`, initialized."""
    sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location("released", folder / FILE)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"there is no {FILE}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.TritonPythonModel()
    if hasattr(model, "initialize"):
        model.initialize(args)
    return model


def try_out(folder: Path, args: dict[str, str]) -> None:
    """Loads the model in another process. Ends that one too when the release is taken back, its folder deleted."""
    code = "from serving.trial import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    end = time.monotonic() + LONGEST_SECONDS
    with subprocess.Popen(
        ["python3", "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(args))
        child.stdin.close()
        while child.poll() is None:
            if not folder.exists() or time.monotonic() > end:
                child.kill()
                raise RuntimeError("it was given up while it was loading")
            time.sleep(LOOK_SECONDS)
        said = child.stdout.read().strip()
    if child.returncode < 0:
        raise RuntimeError(f"its process was ended by {signal.Signals(-child.returncode).name} while it was loading")
    if said:
        raise RuntimeError(said)
    if child.returncode:
        raise RuntimeError(f"its process ended with status {child.returncode} while it was loading")


def main() -> None:
    """Of the other process: loads the model of the folder that it is given, and prints why that failed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it ends with who started it
    answer = os.dup(1)
    os.dup2(2, 1)  # what the model prints goes to Triton's log
    sys.modules["triton_python_backend_utils"] = Anything("triton_python_backend_utils")
    args = json.loads(sys.stdin.read())
    try:
        load(Path(sys.argv[1]), args)
    except BaseException as fault:
        os.write(answer, f"{type(fault).__name__}: {fault}"[:2000].encode())
        os._exit(1)
    os._exit(0)


class Anything(types.ModuleType):
    """In place of Triton's own module, which exists inside of Triton only: whatever is asked of it, it has and does nothing."""

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *_: object, **__: object) -> "Anything":
        return self
