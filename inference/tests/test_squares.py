"""Networks that always get planes of one size."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
import pytest

from enhance.engine import Engine
from enhance.picture import FloatPlanes
from enhance.upscale import upscaler as models
from enhance.upscale.onnx_upscaler import open_onnx_upscaler
from enhance.upscale.squares import Form, in_squares
from enhance.upscale.upscaler import open_upscaler
from tests.networks import Made
from tests.pictures import pattern

VALID = Form(scale=2, eats=3, context=3, side=20)
SAME = Form(scale=3, eats=0, context=3, side=20)
WORKS = [("photo", 2, (50, 60)), ("photo", 4, (32, 36)), ("animation", 2, (100, 120))]
NOISE = 1  # of 255: tiles of other shapes take other paths through the engine's kernels


def blur(planes: FloatPlanes, form: Form) -> FloatPlanes:
    """A stand-in for a network: each output pixel depends on 7 x 7 input pixels; beyond the edge there is black."""
    blurred = np.stack([cv2.blur(plane, (7, 7), borderType=cv2.BORDER_CONSTANT) for plane in planes])
    kept = blurred[:, form.eats : planes.shape[1] - form.eats, form.eats : planes.shape[2] - form.eats]
    return np.asarray(kept.repeat(form.scale, axis=1).repeat(form.scale, axis=2), np.float32)


@pytest.mark.parametrize("form", [VALID, SAME])
@pytest.mark.parametrize("size", [(20, 20), (21, 34), (35, 20), (100, 77)])
def test_squares_give_the_whole(form: Form, size: tuple[int, int]) -> None:
    shapes = set()

    def network(planes: FloatPlanes) -> FloatPlanes:
        shapes.add(planes.shape)
        return blur(planes, form)

    planes = np.random.default_rng(1).random((3, *size), np.float32)
    np.testing.assert_allclose(in_squares(network, form)(planes), blur(planes, form), atol=1e-6)
    assert shapes == {(3, form.side, form.side)}


@pytest.mark.parametrize("size", [(7, 8), (19, 50), (50, 19)])
def test_planes_that_are_smaller_are_continued(size: tuple[int, int]) -> None:
    planes = np.random.default_rng(2).random((3, *size), np.float32)
    large = in_squares(lambda square: blur(square, VALID), VALID)(planes)
    np.testing.assert_allclose(large, blur(planes, VALID), atol=1e-6)
    flat = np.full_like(planes, 0.5)
    np.testing.assert_allclose(in_squares(lambda square: square.repeat(3, 1).repeat(3, 2), SAME)(flat), 0.5)


@pytest.fixture
def small_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that pictures of a test have several."""
    monkeypatch.setattr(models, "WAIFU2X", replace(models.WAIFU2X, side=64))
    names = {"animation_x2": models.ANIMATION_X2, "animation_x4": models.ANIMATION_X4}
    monkeypatch.setattr(models, "FORMS", models.FORMS | {name: replace(form, side=112) for name, form in names.items()})


@pytest.mark.usefixtures("small_squares")
@pytest.mark.parametrize(("model", "scale", "size"), WORKS)
def test_a_model_gives_the_same_picture_in_squares_and_on_threads(
    engine: Engine, weights: Path, model: str, scale: int, size: tuple[int, int]
) -> None:
    picture = pattern(*size)
    cv2.putText(picture, "red", (2, size[0] - 6), cv2.FONT_HERSHEY_SIMPLEX, 1, (220, 30, 30))  # hues_apart
    shapes, lock = set(), Lock()

    def shown(path: Path) -> Callable[[FloatPlanes], FloatPlanes]:
        run = engine.open_exact(path)

        def network(planes: FloatPlanes) -> FloatPlanes:
            shapes.add(planes.shape)
            with lock:
                return run(planes).copy()

        return network

    whole = open_upscaler(model, weights, replace(engine, open_half=engine.open_exact)).run(picture, scale)
    gpu = replace(engine, open_half=shown, plans_each_size=True, callers=3)
    large = open_upscaler(model, weights, gpu).run(picture, scale)
    assert np.abs(large.astype(int) - whole).max() <= NOISE
    assert shapes == {(3, side, side) for side in ((64,) if model == "photo" else (64, 112))}


@pytest.mark.parametrize(("looks", "side"), [(1, 384), (3, 256 + 2 * (36 + 4))])
def test_a_network_of_anyones_gets_squares(engine: Engine, tmp_path: Path, looks: int, side: int) -> None:
    """Also one that looks further than is measured."""
    made = Made()
    for _ in range(looks):
        made.valid_mean(25)
    made.times(2)
    path = made.save(tmp_path / "n.onnx")
    seen: set[tuple[int, ...]] = set()

    def shown(path: Path) -> Callable[[FloatPlanes], FloatPlanes]:
        run = engine.open_exact(path)

        def network(planes: FloatPlanes) -> FloatPlanes:
            seen.add(planes.shape)
            return run(planes)

        return network

    picture = pattern(450, 300)
    whole = open_onnx_upscaler("mine", path, replace(engine, open=engine.open_exact)).run(picture, 2)
    upscaler = open_onnx_upscaler("mine", path, replace(engine, open=shown, plans_each_size=True))
    seen.clear()
    assert np.abs(upscaler.run(picture, 2).astype(int) - whole).max() <= NOISE
    assert seen == {(3, side, side)}
