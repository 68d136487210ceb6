"""Real networks for the tests, from the weights that inference.build made, and the module that Triton brings its models."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest

from enhance.engine import Engine, choose_engine
from enhance.face.find import Finder
from enhance.picture import FloatPlanes
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
    """The models. A network is not asked twice for small planes: by 2 and by 4 `detail` enlarges the same ones."""
    opened: dict[str, Upscaler] = {}
    half = replace(engine, open_half=lambda path: asked_once(engine.open_half(path)))

    def get(model: str) -> Upscaler:
        if model not in opened:
            opened[model] = open_upscaler(model, weights, half)
        return opened[model]

    return get


def asked_once(run: Callable[[FloatPlanes], FloatPlanes]) -> Callable[[FloatPlanes], FloatPlanes]:
    """A network that keeps its answers to planes of up to 64 x 64 pixels."""
    answers: dict[tuple[tuple[int, ...], bytes], FloatPlanes] = {}

    def ask(planes: FloatPlanes) -> FloatPlanes:
        if planes[0].size > 64 * 64:
            return run(planes)
        key = planes.shape, blake2b(planes.tobytes()).digest()
        if key not in answers:
            answers[key] = run(planes).copy()
        return answers[key].copy()

    return ask
