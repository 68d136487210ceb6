"""An upscaler of one ONNX network of anyone's: 2, 4 and 8 from its own factor."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from enhance.engine import Engine
from enhance.picture import FloatPlanes

from .cascade import Cascade, Pass
from .mosaic import Mosaic, Recent
from .network import Network, open_network
from .resample import REACH, box, enlarge
from .upscaler import RECENT_BYTES, Recipe, Recipes, Upscaler, mirrored, on_threads

Run = Callable[[FloatPlanes], FloatPlanes]

TILE = 1 << 16  # input pixels: the network's memory is not known beforehand
STEP, OVERLAP = 208, 48
"""Tiles of a network whose pixels depend on all of its input, as those of `detail`. Every release of an ONNX file says STEP as
its band_align and its band_halo, which is more than a cascade needs too."""
SIDE = 384  # input pixels of a square, for an engine that plans for each size; of each of network.MULTIPLES it is one
EDGE = 4  # input pixels of mirror image round a tile


def open_onnx_upscaler(name: str, path: Path, engine: Engine) -> Upscaler:
    """The upscaler of an ONNX file, run once at each scale. Raises BadNetworkError for a file that is none."""
    network = open_network(path, engine)
    if engine.plans_each_size:
        network = replace(network, side=SIDE if network.context is not None else STEP + OVERLAP + 2 * (network.eats + EDGE))

    @cache
    def deep_recipes() -> Recipes:
        return on_threads(recipes_of(network.opened_by(engine.open_exact, path)), engine)

    upscaler = Upscaler(name, engine.name, on_threads(recipes_of(network), engine), deep_recipes)
    for scale in upscaler.recipes:
        upscaler.run(np.zeros((16, 16, 3), np.uint8), scale)
    return upscaler


def recipes_of(network: Network) -> dict[int, Recipe]:
    """How each scale is made: by the network at most twice, the rest by resampling."""
    double, quadruple = _double(network), _quadruple(network)
    last = double if network.factor == 4 else _lanczos()
    passes = {2: [double], 4: quadruple, 8: [*quadruple, last]}
    if network.context is not None:
        return {scale: Cascade(steps, edge=None, tile_pixels=TILE) for scale, steps in passes.items()}
    recent = Recent(RECENT_BYTES)
    # Tiles of half the size for 8: its last pass takes four times the memory.
    share = {2: 1, 4: 1, 8: 2}
    return {
        scale: Mosaic(partial(_all, steps), scale, STEP // share[scale], OVERLAP // share[scale], recent)
        for scale, steps in passes.items()
    }


def _double(network: Network) -> Pass:
    """A network of another factor gives its own picture reduced."""
    context = network.context or 0
    if network.factor == 2:
        return Pass(network.run, 2, network.eats, context, network.side)
    if network.factor == 4:
        return Pass(lambda planes: box(network.run(planes), 2), 2, network.eats, context, network.side)
    # Lanczos reads REACH pixels of what is three times as large, which is one pixel of the input.
    more = REACH["lanczos"] // network.factor
    eats = network.eats + more
    return Pass(lambda planes: box(enlarge(network.run(planes), 2, "lanczos"), 3), 2, eats, context + more, network.side)


def _quadruple(network: Network) -> list[Pass]:
    if network.factor == 4:
        return [Pass(network.run, 4, network.eats, network.context or 0, network.side)]
    return [_double(network)] * 2


def _lanczos() -> Pass:
    """As good as a third pass of the network, at a fraction of its time (upscaler.photo)."""
    reach = REACH["lanczos"]
    return Pass(partial(enlarge, scale=2, kernel="lanczos"), 2, eats=reach, context=reach)


def _all(steps: list[Pass], planes: FloatPlanes) -> FloatPlanes:
    """Each pass on the whole tile, which its mirror image surrounds."""
    for step in steps:
        large = step.run(mirrored(planes.clip(0, 1), step.eats + EDGE))
        border = EDGE * step.scale
        planes = large[:, border:-border, border:-border]
    return planes
