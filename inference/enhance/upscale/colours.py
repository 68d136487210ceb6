"""Colours as in the original: networks shift flat ones, draw waves beside edges, darken what is dithered, tint what is grey.

docs/decisions/0185.
"""

from collections.abc import Callable

import cv2
import numpy as np

from enhance.picture import LUMA, FloatPlanes

from .resample import REACH, enlarge

COLOUR_REACH = 4
"""Half the side of the square over which colours are compared, in pixels of the original."""

LARGEST_SHIFT = 0.04  # of 0..1: networks shift flat colours by up to 10 of 255; a larger difference is an edge or a detail
LEAST_WAVE = 1 / 255  # what is rounded away
STRAYS = 6 / 255, 9 / 255
"""Of 0..1: how far the mean brightness of a square may be from the original's, and from where on a network's answer is not used
at all. `photo` is at most 3 of 255 off on photographs, drawings and text, and 9 to 42 where single pixels alternate."""

PLAIN = 0.3  # of colours behind H.264: .2 and .4 are as good in the mean; at .5, clean edges of drawings lose .8 dB of chroma

ROWS = 16  # of the original at a time: what is computed of them stays in the processor's cache


def correct(large: FloatPlanes, small: FloatPlanes, is_redrawn: bool) -> None:
    """keep_colours(), limit_waves() and limit_hues(): what every enlargement of `small` goes through, in place.

    is_redrawn: by a network that redraws. What such a one gets wrong, brightness and tints included, tells faithful.py where to
    replace it by a sharper picture; so these are not corrected before.
    """
    keep_colours(large, small, with_tones=not is_redrawn)
    limit_waves(large, small)
    if not is_redrawn:
        limit_hues(large, small)


def keep_colours(large: FloatPlanes, small: FloatPlanes, with_tones: bool) -> None:
    """Changes `large`, in place, so that its flat colours are those of `small`, which it is an enlargement of.

    Networks shift flat colours: white becomes 252, a grey of 128 becomes 134 after two passes, which shows beside the original.
    Only the mean over a square is corrected, so what the network cleaned or sharpened stays. Back-projection, which corrects
    each pixel, brought noise and JPEG blocks back. docs/decisions/0007.

    with_tones: where the mean brightness is still another, as of dithered pictures, bicubic interpolation takes the network's
    place. docs/decisions/0145.
    """
    channels, height, width = small.shape
    scale = large.shape[1] // height
    rows = large.reshape(channels, height, scale, width * scale)
    mean = _sums(rows.sum(axis=2), scale) * np.float32(1 / scale**2)
    difference = small - mean
    limited = difference.clip(-LARGEST_SHIFT, LARGEST_SHIFT)
    shift = _box(limited, COLOUR_REACH)
    share = _strays(difference - limited) if with_tones else np.zeros(1)
    if share.any():
        reach = REACH["bicubic"]
        plain = enlarge(np.pad(small, ((0, 0), (reach, reach), (reach, reach)), mode="edge"), scale, "bicubic")
        large += (plain - large) * share.repeat(scale, axis=0).repeat(scale, axis=1)
        shift *= 1 - share
    rows += shift.repeat(scale, axis=2)[:, :, None]


def _strays(left: FloatPlanes) -> FloatPlanes:
    """How little of a network's answer is used: 0 to 1 for each pixel. left: by how much its colours differ from the original's
    beyond LARGEST_SHIFT."""
    least, most = STRAYS
    brightness = np.abs(_box(left.mean(axis=0, keepdims=True), COLOUR_REACH)[0])
    return np.asarray(((brightness - least) / (most - least)).clip(0, 1), np.float32)


def calmer(run: Callable[[FloatPlanes], FloatPlanes], scale: int, eats: int) -> Callable[[FloatPlanes], FloatPlanes]:
    """A network whose colours are PLAIN parts those of bicubic interpolation; its luma stays.

    What the network for H.264 adds to colours is a quarter too much: it draws blotches in what is even. run: from planes
    (3 x h x w RGB) to planes `scale` times as large, less `eats` input pixels on each side. docs/decisions/0309.
    """
    border = eats - REACH["bicubic"]

    def enlarged(planes: FloatPlanes) -> FloatPlanes:
        large = run(planes)
        change = (enlarge(planes[:, border:-border, border:-border], scale, "bicubic") - large) * np.float32(PLAIN)
        change += large - _luma(change)
        return change

    return enlarged


def limit_waves(large: FloatPlanes, small: FloatPlanes) -> None:
    """Changes `large`, in place, so that it has no waves where `small`, which it is an enlargement of, has none.

    Beside thin lines of strong colours networks draw lines that are not there. A sample may lie beyond the 3 x 3 around it in
    the original as far as these reach from their median, and by LEAST_WAVE: a line stays darker than what was drawn of it, and
    beside an edge a flat colour stays flat. docs/decisions/0092.
    """
    scale = large.shape[1] // small.shape[1]
    around = np.ones((3, 3), np.uint8)
    for plane, target in zip(small, large, strict=True):
        rows = target.reshape(len(plane), scale, -1)
        middle = cv2.medianBlur(plane, 3)
        for limit, bound, least in ((cv2.erode, np.maximum, -LEAST_WAVE), (cv2.dilate, np.minimum, LEAST_WAVE)):
            bound(rows, (2 * limit(plane, around) - middle + least).repeat(scale, axis=1)[:, None], out=rows)


def limit_hues(large: FloatPlanes, small: FloatPlanes) -> None:
    """Changes `large`, in place, so that it has no colours where `small`, which it is an enlargement of, has none.

    Networks tint the edges of black letters. What a sample has more than the luma of its pixel may lie beyond the 3 x 3 around
    it in the original by as much as it varies there: grey stays grey, and where colours meet they may become sharper. Luma
    stays.
    docs/decisions/0153.
    """
    scale = large.shape[1] // small.shape[1]
    around = np.ones((3, 3), np.uint8)
    luma = _luma(small)
    bounds = []
    for plane in small:
        least, most = (limit(plane - luma, around) for limit in (cv2.erode, cv2.dilate))
        bounds.append([bound.repeat(scale, axis=1)[:, None] for bound in (2 * least - most, 2 * most - least)])
    lines = large.reshape(len(large), len(luma), scale, -1)
    for top in range(0, len(luma), ROWS):
        part = lines[:, top : top + ROWS]
        light = _luma(part)
        for target, (least, most) in zip(part, bounds, strict=True):
            colour = target - light
            np.maximum(colour, least[top : top + ROWS], out=colour)
            np.minimum(colour, most[top : top + ROWS], out=colour)
            np.add(colour, light, out=target)


def _luma(planes: FloatPlanes) -> FloatPlanes:
    """Of RGB, without its first axis."""
    red, green, blue = (plane * weight for plane, weight in zip(planes, LUMA.astype(np.float32), strict=True))
    return np.asarray(red + green + blue)


def _sums(planes: FloatPlanes, count: int) -> FloatPlanes:
    """Of every `count` samples of a row. numpy's own sum over so short an axis takes 15 times as long for 2, 7 times for 4."""
    if count > 4:
        return np.asarray(planes.reshape(*planes.shape[:2], -1, count).sum(axis=3))
    return np.asarray(sum(planes[:, :, first::count] for first in range(count)))


def _box(planes: FloatPlanes, reach: int) -> FloatPlanes:
    """The mean over squares round each pixel; beyond its edge the picture's last pixel is repeated."""
    _, height, width = planes.shape
    padded = np.pad(planes, ((0, 0), (reach, reach), (reach, reach)), mode="edge")
    rows = sum(padded[:, shift : shift + height] for shift in range(2 * reach + 1))
    both = sum(np.asarray(rows)[:, :, shift : shift + width] for shift in range(2 * reach + 1))
    return np.asarray(both) * np.float32(1 / (2 * reach + 1) ** 2)
