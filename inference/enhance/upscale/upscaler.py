"""The three models: which networks, in which order, for which scale."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Protocol

import numpy as np

from enhance.engine import Engine, choose_engine
from enhance.picture import AnyPicture, FloatPlanes, check

from . import realtime
from .alpha import upscale_alpha
from .cascade import Cascade, Pass
from .mosaic import Mosaic, Recent
from .resample import box, enlarge

Run = Callable[[FloatPlanes], FloatPlanes]
Load = Callable[[str], Run]


class Recipe(Protocol):
    """How one scale is made."""

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) enlarged, of the same depth. before_tile may raise to stop the work."""
        ...


Recipes = Mapping[int, Recipe]
"""By scale."""


@dataclass(frozen=True)
class Upscaler:
    """A model with its networks loaded. deep_recipes: for pictures of 16 bits, their networks opened at the first."""

    model: str
    engine: str
    recipes: Recipes
    deep_recipes: Callable[[], Recipes]

    def run(self, picture: AnyPicture, scale: int, before_tile: Callable[[], None] = lambda: None) -> AnyPicture:
        """A picture (h x w x 3 or 4, RGB or RGBA) exactly `scale` times as large, with as many channels and bits.

        before_tile is called before each tile and may raise. Raises BadPictureError for another picture or scale.
        """
        check(picture, scale)
        recipes = self.recipes if picture.dtype == np.uint8 else self.deep_recipes()
        colours = recipes[scale].upscale(picture, before_tile)
        if picture.shape[2] == 3:
            return colours
        return np.concatenate([colours, upscale_alpha(picture[:, :, 3], scale)[:, :, None]], axis=2)


def open_upscaler(model: str, weights: Path, engine: Engine | None = None) -> Upscaler:
    """A model, its networks loaded from the folder that inference.build wrote, and run once so that the first request is fast.

    Raises ValueError for an unknown model, FileNotFoundError where a network has not been built.
    """
    if model not in MODELS:
        raise ValueError(f"expected one of the models {', '.join(MODELS)}, got {model}")
    engine = engine or choose_engine(os.environ)

    @cache
    def load(open_network: Callable[[Path], Run], name: str) -> Run:
        path = weights / f"{name}.onnx"
        if not path.exists():
            raise FileNotFoundError(f"no weights at {path}: build them with python -m inference.build")
        return open_network(path)

    @cache
    def deep_recipes() -> Recipes:
        return MODELS[model](partial(load, engine.open_exact))

    upscaler = Upscaler(model, engine.name, MODELS[model](partial(load, engine.open)), deep_recipes)
    for scale in upscaler.recipes:
        upscaler.run(np.zeros((16, 16, 3), np.uint8), scale)
    return upscaler


def realtime_upscaler(model: str, engine: Engine, double: realtime.Double) -> Upscaler:
    """The realtime network for pictures of 8 bits, run once for each scale so that the first request is fast."""
    recipes = realtime.recipes(double)
    upscaler = Upscaler(model, engine.name, recipes, lambda: recipes)
    for scale in recipes:
        upscaler.run(np.zeros((16, 16, 3), np.uint8), scale)
    return upscaler


WAIFU2X_BORDER = 7  # its convolutions have no padding: six of 3x3, and one pixel of the deconvolution
PHOTO_TILE = 1 << 18  # input pixels: 0.4 GB of activations, 0.8 GB in the second pass


def photo(load: Load) -> dict[int, Recipe]:
    """waifu2x upconv_7_photo, the most faithful: twice for 4; for 8 then Lanczos, as good as a third pass at a quarter of its
    time."""
    double = Pass(load("photo_x2"), scale=2, eats=WAIFU2X_BORDER, context=WAIFU2X_BORDER)
    lanczos = Pass(partial(enlarge, scale=2, kernel="lanczos"), scale=2, eats=3, context=3)
    return {
        2: Cascade([double], edge=None, tile_pixels=PHOTO_TILE),
        4: Cascade([double, double], edge=None, tile_pixels=PHOTO_TILE // 2),
        8: Cascade([double, double, lanczos], edge=None, tile_pixels=PHOTO_TILE // 2),
    }


ANIMATION_CONTEXT = 20  # 18 convolutions of 3x3 and the half's bicubic: tests/test_upscaler.py finds tiles equal to the whole
ANIMATION_EDGE = 2  # without any mirror image at the edge, flat colours there are up to 30 of 255 off; with 2, as in the middle
ANIMATION_TILE = 1 << 20  # input pixels: 0.5 GB of activations, and a 720p frame in one piece


def animation(load: Load) -> dict[int, Recipe]:
    """realesr-animevideov3: one network of 4x, whose own half is its 2x."""
    double = Pass(load("animation_x2"), scale=2, eats=0, context=ANIMATION_CONTEXT)
    quadruple = Pass(load("animation_x4"), scale=4, eats=0, context=ANIMATION_CONTEXT)
    return {
        2: Cascade([double], ANIMATION_EDGE, ANIMATION_TILE),
        4: Cascade([quadruple], ANIMATION_EDGE, ANIMATION_TILE // 2),
        8: Cascade([quadruple, double], ANIMATION_EDGE, ANIMATION_TILE // 8),
    }


DETAIL_STEP = 208
DETAIL_OVERLAP = 48
DETAIL_EDGE = 4  # as ANIMATION_EDGE; here colours at the edge are up to 40 of 255 off without it
RECENT_BYTES = 512 << 20  # two rows of tiles of the widest picture, on which two bands meet


def detail(load: Load) -> dict[int, Recipe]:
    """RealESRGAN_x4plus, which invents texture; for 8 the faithful photo network doubles first, so that less is invented."""
    quadruple = partial(_quadruple, load("detail_x4"))
    double = load("photo_x2")
    recent = Recent(RECENT_BYTES)
    return {
        2: Mosaic(lambda planes: box(quadruple(planes), 2), 2, DETAIL_STEP, DETAIL_OVERLAP, recent),
        4: Mosaic(quadruple, 4, DETAIL_STEP, DETAIL_OVERLAP, recent),
        # Tiles of half the size, as they are doubled first: the large network takes the same memory.
        8: Mosaic(lambda planes: quadruple(_double(double, planes)), 8, DETAIL_STEP // 2, DETAIL_OVERLAP // 2, recent),
    }


def _quadruple(network: Run, planes: FloatPlanes) -> FloatPlanes:
    border = 4 * DETAIL_EDGE
    return network(mirrored(planes, DETAIL_EDGE))[:, border:-border, border:-border]


def _double(network: Run, planes: FloatPlanes) -> FloatPlanes:
    return network(mirrored(planes, WAIFU2X_BORDER))


def mirrored(planes: FloatPlanes, border: int) -> FloatPlanes:
    """Planes with `border` pixels of their mirror image around them."""
    return np.pad(planes, ((0, 0), (border, border), (border, border)), mode="reflect")


MODELS: dict[str, Callable[[Load], dict[int, Recipe]]] = {"photo": photo, "animation": animation, "detail": detail}
