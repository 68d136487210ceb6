"""Real networks for the tests, from the weights that inference.build made, and the module that Triton brings its models."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from enhance.engine import Engine, choose_engine
from enhance.face.find import Finder
from enhance.upscale.upscaler import Upscaler, open_upscaler
from tests import triton

sys.modules["triton_python_backend_utils"] = triton


@pytest.fixture(scope="session")
def weights() -> Path:
    folder = Path(os.environ.get("ENHANCE_WEIGHTS") or Path(__file__).parents[2] / ".enhance" / "weights")
    assert (folder / "manifest.json").exists(), f"no weights at {folder}: build them with python -m inference.build"
    return folder


@pytest.fixture(scope="session")
def engine() -> Engine:
    return choose_engine(os.environ)


@pytest.fixture(scope="session")
def finder(weights: Path) -> Finder:
    return Finder(weights)


@pytest.fixture(scope="session")
def upscaler(weights: Path, engine: Engine) -> Callable[[str], Upscaler]:
    opened: dict[str, Upscaler] = {}

    def get(model: str) -> Upscaler:
        if model not in opened:
            opened[model] = open_upscaler(model, weights, engine)
        return opened[model]

    return get
