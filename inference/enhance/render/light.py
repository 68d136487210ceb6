"""The light on a face, measured on its cheeks, and the colours that things have in it. docs/decisions/0188."""

import cv2
import numpy as np

from enhance.geometry.head import Array, smoothstep
from enhance.geometry.planes import Colours, Planes
from enhance.picture import LUMA

DIM = 8.0
"""Grey levels below which colours are noise: added before one light is divided by another."""
DARKEST = 0.004
"""Quantile of a picture's luma that is taken for its black."""
LIGHTS = (0.1, 2.0)
"""A frame's light against the reference's, at least and at most."""
CUT_OFF = (240.0, 250.0)
"""Levels of R, G or B of cheeks from which, and at which, it is white's: over-exposed skin has more of it than is seen."""
ONE_TINT = 0.03
"""Chroma of a skin's colour over its lips', below which both have one tint: 17 of 18 portraits in sepia have .026 at most, all
in grey 0, 61 pictures in colour .05 to .41."""


def chroma(colour: Array) -> float:
    """How coloured RGB 0..255 is: the difference of its largest and smallest channel, of the largest; 0..1."""
    return float(colour.max() - colour.min()) / max(float(colour.max()), 1.0)


def rgb_of(yuv: Array, colours: Colours) -> Array:
    """RGB of one colour Y, U, V, not rounded and not limited to 0..255."""
    return np.asarray(colours.inverse @ (yuv - colours.offset))


def black_of(planes: Planes, colours: Colours) -> float:
    """The picture's own black, in RGB levels; below 0 where its luma goes below that of black."""
    low = float(np.quantile(planes.y[::2, ::2], DARKEST)) - colours.black
    return low / float(colours.matrix[0].sum())


def light_of(yuv: Array, black: float) -> Array:
    """... x 1: the light on skin of these colours (... x 3: Y, U, V), in grey levels. In less light all chroma is less."""
    return np.asarray(np.maximum(yuv[..., :1] - black, 0) + DIM)


def light_between(lit: Array, other: Array) -> Array:
    """[3]: R, G, B of the light on skin that looks like `lit` against the light on the same skin that looks like `other`."""
    return np.asarray(np.clip((lit + DIM) / (other + DIM), *LIGHTS), np.float64)


def of_one_tint(skin: Array, lip: Array) -> bool:
    """Whether skin and lips (RGB) differ in light alone, as in grey and in sepia: then colour does not separate them."""
    return chroma(light_between(skin, lip)) < ONE_TINT


def light_on(cheeks: Array, colours: Colours, skin: Array) -> Array:
    """[3]: R, G, B of the light on cheeks (Y, U, V) against that on the reference's `skin` (RGB 0..255)."""
    return light_between(rgb_of(cheeks, colours), skin)


def sides_of(across: Array, colours: Colours) -> Array:
    """2 x 3: R, G, B of the light at the first and at the last of n places on a face (n x 3: Y, U, V of its skin), against that
    half way between both."""
    first, last = rgb_of(across[0], colours), rgb_of(across[-1], colours)
    middle = (first + last) / 2
    return np.stack([light_between(first, middle), light_between(last, middle)])


def not_cut_off(cheeks: Array, colours: Colours, skin: Array) -> Array:
    """Y, U, V of over-exposed cheeks (Y, U, V) as they would be if no channel ended at white; others as they are.

    Red ends first in skin: by what is left of it, the light would be cyan, and lips and teeth grey. So a channel that ends has
    as much more light than `skin` (RGB 0..255, the reference's) as the others, where that is more than is seen of it.
    """
    seen = rgb_of(cheeks, colours)
    cut = smoothstep(seen, *CUT_OFF)
    if not cut.any():
        return cheeks
    light = (seen + DIM) / (skin + DIM)
    least = float((cut * light).max())
    left = 1 - cut
    whole = max(least, float(left @ light / left.sum())) if left.any() else least
    raised = np.maximum(whole * (skin + DIM) - DIM - seen, 0)
    return np.asarray(cheeks + colours.matrix @ (cut * raised))


def tint_on(cheeks: Array, colours: Colours, skin: Array) -> Array:
    """[3]: light_on(), divided by how much lighter or darker it makes the skin: 1 in light of the reference's colour."""
    light = light_on(cheeks, colours, skin)
    return np.asarray(light * float(LUMA @ skin) / max(float(LUMA @ (skin * light)), 1.0))


def tinted(yuv: Array, tint: Array, colours: Colours) -> Array:
    """Y, U, V (... x 3) of things in light whose R, G, B are `tint` times those of the light they are in."""
    change = colours.matrix * tint @ colours.inverse
    by = np.column_stack([change, colours.offset - change @ colours.offset])
    return np.asarray(cv2.transform(yuv.reshape(-1, 1, 3), by).reshape(yuv.shape))
