"""Pictures (8 or 16 bits a sample, interleaved) and the float planes that networks work on. docs/decisions/0214."""

from typing import Any

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
"""height x width x channels, sRGB, or coded much like it (docs/decisions/0157): 3 (RGB) or 4 (RGB and straight alpha)."""

AnyPicture = npt.NDArray[np.uint8 | np.uint16]
"""A Picture, or one of 16 bits a sample."""

FloatPlanes = npt.NDArray[np.float32]
"""channels x height x width, 0..1; between passes values may lie slightly outside."""

Mask = npt.NDArray[np.bool_]
"""height x width: True for the pixels that are meant."""

LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of R, G and B in luma (BT.601)."""
DARKEST_TINT = 12  # luma below which a colour counts as having that much: its tint is noise

SCALES = (2, 4, 8)  # output pixels per input pixel, on each axis
ROWS_IN_CACHE = 16  # rows of a picture worked on at a time, so that they stay in the processor's cache


class BadPictureError(ValueError):
    """The request is at fault; the message says what was expected and what came."""


def check(picture: npt.NDArray[np.generic], scale: int) -> None:
    """Raises BadPictureError unless `picture` is a picture with pixels in it and `scale` is one of SCALES."""
    if scale not in SCALES:
        raise BadPictureError(f"expected SCALE 2, 4 or 8, got {scale}")
    shape = list(picture.shape)
    if picture.dtype not in (np.uint8, np.uint16):
        raise BadPictureError(f"expected IMAGE of uint8 or uint16, got {picture.dtype}")
    if len(shape) != 3 or shape[2] not in (3, 4):
        raise BadPictureError(f"expected IMAGE [height, width, 3 or 4], got {shape}")
    if 0 in shape:
        raise BadPictureError(f"expected IMAGE of at least 1x1 pixels, got {shape}")


def tint(colours: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Colours (... x 3 RGB, 0..255) divided by their luma: all 1 is grey."""
    return np.asarray(colours / np.maximum(colours @ LUMA, DARKEST_TINT)[..., None])


def white(picture: AnyPicture) -> int:
    """The largest value of a sample: 255 or 65535."""
    return int(np.iinfo(picture.dtype).max)


def to_planes(picture: AnyPicture) -> FloatPlanes:
    """A picture (h x w x channels) as planes (channels x h x w), 0..1."""
    return picture.transpose(2, 0, 1).astype(np.float32, order="C") * np.float32(1 / white(picture))


def write_pixels(planes: FloatPlanes, target: AnyPicture) -> None:
    """Rounds planes into a picture of their size, the one place where values are rounded. The planes' values are destroyed."""
    for top in range(0, planes.shape[1], ROWS_IN_CACHE):
        rows = planes[:, top : top + ROWS_IN_CACHE]
        rows *= np.float32(white(target))
        rows += np.float32(0.5)
        np.clip(rows, 0, white(target), out=rows)
        for channel, values in enumerate(rows.astype(target.dtype)):
            target[top : top + ROWS_IN_CACHE, :, channel] = values


def with_border(picture: AnyPicture, top: int, bottom: int, left: int, right: int) -> AnyPicture:
    """The picture continued by its own mirror image, beginning with its outermost pixels: a line along the border stays one."""
    if not (top or bottom or left or right):
        return picture
    return np.pad(picture, ((top, bottom), (left, right), (0, 0)), mode="symmetric")
