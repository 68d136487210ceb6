"""The ONNX files against ncnn itself: golden/networks.npz holds what ncnn 1.0 answers to its `input`."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from enhance.engine import Engine, choose_engine, in_half
from enhance.picture import FloatPlanes, to_planes

GOLDEN = np.load(Path(__file__).parent / "golden" / "networks.npz")
NETWORKS = {"photo_x2": 7, "animation_x2": 0, "animation_x4": 0, "detail_x4": 0}


def question(border: int) -> FloatPlanes:
    return to_planes(np.pad(GOLDEN["input"], ((border, border), (border, border), (0, 0)), mode="reflect"))


@pytest.mark.parametrize("name", NETWORKS)
def test_onnxruntime_answers_as_ncnn(name: str, weights: Path) -> None:
    run = choose_engine({"ENHANCE_ENGINE": "onnxruntime", "ENHANCE_THREADS": "1"}).open(weights / f"{name}.onnx")
    np.testing.assert_allclose(run(question(NETWORKS[name])), GOLDEN[name], atol=1e-3)


@pytest.mark.parametrize("name", NETWORKS)
def test_half_floats_are_enough(name: str, weights: Path) -> None:
    options = onnxruntime.SessionOptions()
    # All optimizations take detail_x4 2 s more to open than its 90 pixels take to compute.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(in_half(weights / f"{name}.onnx"), options, providers=["CPUExecutionProvider"])
    answer = session.run(None, {"input": question(NETWORKS[name])[None]})[0][0]
    assert answer.dtype == np.float32
    np.testing.assert_allclose(answer, GOLDEN[name], atol=4e-3)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_engine_of_this_machine_answers_as_ncnn(name: str, weights: Path, engine: Engine) -> None:
    difference = engine.open(weights / f"{name}.onnx")(question(NETWORKS[name])) - GOLDEN[name].astype(np.float32)
    exact = "f32" in engine.name or "cpu" in engine.name
    assert np.abs(difference).mean() < (2e-4 if exact else 5e-3)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(RuntimeError, match="expected ENHANCE_ENGINE auto, openvino, cuda, tensorrt, onnxruntime, got abacus"):
        choose_engine({"ENHANCE_ENGINE": "abacus"})


def test_openvino_tells_nobody_that_it_runs(tmp_path: Path) -> None:
    code = "from enhance.engine import choose_engine; choose_engine({'ENHANCE_ENGINE': 'openvino'}); import openvino.tools.ovc"
    # Without CI, in which OpenVINO is silent by itself.
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert not (tmp_path / "intel").exists(), "the id under which it reports"
