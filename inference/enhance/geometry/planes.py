"""8-bit YUV 4:2:0 planes: their checks, their colours, and areas of them moved and painted over."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from .area import Area, Floats
from .head import BadMouthError

Plane = npt.NDArray[np.uint8]

LUMA_OF_WHITE = 219.0  # in limited range; 255 in full
CHROMA_SPAN = 224.0  # levels from the least to the most in limited range; 255 in full


@dataclass(frozen=True)
class Colours:
    """How YUV stands for RGB: kr and kb of the matrix (BT.601: 0.299, 0.114), full or limited range."""

    kr: float
    kb: float
    full: bool

    @cached_property
    def matrix(self) -> Floats:
        """3 x 3: RGB 0..255 to Y, U, V without their offsets."""
        y = np.array([self.kr, 1 - self.kr - self.kb, self.kb])
        u = (np.array([0, 0, 1]) - y) / (2 * (1 - self.kb))
        v = (np.array([1, 0, 0]) - y) / (2 * (1 - self.kr))
        luma, chroma = (1.0, 1.0) if self.full else (LUMA_OF_WHITE / 255, CHROMA_SPAN / 255)
        return np.asarray(np.stack([y * luma, u * chroma, v * chroma]), np.float32)

    @cached_property
    def inverse(self) -> npt.NDArray[np.float64]:
        """3 x 3: Y, U, V without their offsets to RGB 0..255."""
        return np.asarray(np.linalg.inv(self.matrix.astype(np.float64)))

    @property
    def black(self) -> int:
        """Y of black."""
        return 0 if self.full else 16

    @cached_property
    def offset(self) -> Floats:
        """[3]: what Y, U and V are for black."""
        return np.array([self.black, 128, 128], np.float32)


@dataclass(frozen=True)
class Planes:
    """Y h x w; U and V ceil(h/2) x ceil(w/2)."""

    y: Plane
    u: Plane
    v: Plane

    @property
    def area(self) -> Area:
        """All of the luma plane."""
        return Area(0, 0, self.y.shape[1], self.y.shape[0])

    def copy(self) -> "Planes":
        """The same pixels in arrays of their own."""
        return Planes(self.y.copy(), self.u.copy(), self.v.copy())


def check_planes(y: npt.NDArray[np.generic], u: npt.NDArray[np.generic], v: npt.NDArray[np.generic]) -> Planes:
    """Planes of three uint8 arrays. Raises BadMouthError for another dtype or shape, or chroma not half the luma's size."""
    for name, plane in (("Y", y), ("U", u), ("V", v)):
        if plane.dtype != np.uint8 or plane.ndim != 2 or 0 in plane.shape:
            raise BadMouthError(f"expected {name} uint8 [height, width], got {plane.dtype} {list(plane.shape)}")
    half = (-(-y.shape[0] // 2), -(-y.shape[1] // 2))
    for name, plane in (("U", u), ("V", v)):
        if plane.shape != half:
            raise BadMouthError(f"expected {name} {list(half)} beside Y {list(y.shape)}, got {list(plane.shape)}")
    return Planes(np.asarray(y, np.uint8), np.asarray(u, np.uint8), np.asarray(v, np.uint8))


def check_colours(values: npt.NDArray[np.generic]) -> Colours:
    """COLOUR [kr, kb, full range 0 or 1]. Raises BadMouthError."""
    if values.shape != (3,) or not np.isfinite(values.astype(float)).all():
        raise BadMouthError(f"expected COLOUR [3] of numbers (kr, kb, full range), got {values.tolist()}")
    kr, kb, full = (float(v) for v in values)
    if not (0 < kr < 1 and 0 < kb < 1 and kr + kb < 1 and full in (0.0, 1.0)):
        raise BadMouthError(f"expected COLOUR with 0 < kr, kb, kr + kb < 1 and full range 0 or 1, got {[kr, kb, full]}")
    return Colours(kr, kb, full == 1.0)


def to_rgb(planes: Planes, colours: Colours) -> Floats:
    """h x w x 3 RGB, 0..255."""
    yuv = full_yuv(planes, planes.area) - colours.offset
    return np.asarray(np.clip(yuv @ np.linalg.inv(colours.matrix).T, 0, 255), np.float32)


def full_yuv(planes: Planes, area: Area) -> Floats:
    """Y, U, V of each of an area's pixels (even origin), h x w x 3."""
    return np.asarray(np.stack([planes.y[area.slices], *full_chroma(planes, area)], axis=-1), np.float32)


def full_chroma(planes: Planes, area: Area) -> list[Plane]:
    """U and V of each of an area's pixels (even origin), h x w each."""
    half = halved(area)
    size = (2 * half.width, 2 * half.height)
    return [
        np.asarray(cv2.resize(p[half.slices], size, interpolation=cv2.INTER_LINEAR)[: area.height, : area.width], np.uint8)
        for p in (planes.u, planes.v)
    ]


def from_rgb(rgb: Floats, colours: Colours) -> Floats:
    """Colours ... x 3, 0..255, as Y, U, V in the same shape, not rounded."""
    # OpenCV takes a quarter of the time of a product of matrices of three columns.
    yuv = cv2.transform(rgb.reshape(-1, 1, 3), np.column_stack([colours.matrix, colours.offset]))
    return np.asarray(yuv.reshape(rgb.shape), np.float32)


def moved(planes: Planes, by: tuple[Floats, Floats], area: Area, changed: npt.NDArray[np.bool_]) -> Planes:
    """The planes with each pixel of `area` (even origin) fetched from where `by` points, where `changed` says so.

    by: pixels across and down, h x w each.
    """
    out = planes.copy()
    left, top, width, height = cv2.boundingRect(changed.astype(np.uint8))
    if not width:
        return out
    whole, area = area, even(Area(left, top, left + width, top + height).moved(area.x, area.y), area)
    part = area.moved(-whole.x, -whole.y).slices
    changed = changed[part]
    x, y = np.arange(area.x, area.right, dtype=np.float32), np.arange(area.y, area.bottom, dtype=np.float32)
    at_x, at_y = by[0][part] + x, by[1][part] + y[:, None]
    cv2.copyTo(_fetched(planes.y, at_x, at_y), changed.astype(np.uint8), out.y[area.slices])
    half = halved(area)
    some = any_of_four(changed).astype(np.uint8)
    # A chroma sample stands for its 2 x 2 luma pixels: a smooth field is the same for all of them.
    chroma = _fetched(cv2.merge((planes.u, planes.v)), at_x[::2, ::2] * np.float32(0.5), at_y[::2, ::2] * np.float32(0.5))
    for fetched, target in zip(cv2.split(chroma), (out.u, out.v), strict=True):
        cv2.copyTo(fetched, some, target[half.slices])
    return out


def _fetched(picture: npt.NDArray[Any], x: Floats, y: Floats) -> npt.NDArray[Any]:
    """A picture's pixels (uint8) at columns x and rows y, h x w each; beyond its border it is mirrored."""
    # OpenCV is faster between floats than between bytes, which it weighs with whole numbers.
    found = cv2.remap(picture.astype(np.float32), x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)
    return cv2.addWeighted(found, 1, found, 0, 0, dtype=cv2.CV_8U)


def paint(out: Planes, yuv: Floats, opacity: Floats, area: Area) -> None:
    """Lays colours over `out` in `area` (even origin). yuv: h x w x 3; opacity: h x w, 0..1."""
    _blend(out.y[area.slices], yuv[..., 0], opacity)
    half = halved(area)
    weight = mean_of_four(opacity)
    some = np.maximum(weight, 1e-6)
    for channel, plane in ((1, out.u), (2, out.v)):
        _blend(plane[half.slices], mean_of_four(yuv[..., channel] * opacity) / some, weight)


def _blend(target: Plane, colour: Floats, opacity: Floats) -> None:
    under = target.astype(np.float32)
    under += opacity * (colour - under) + 0.5
    np.copyto(target, np.clip(under, 0, 255).astype(np.uint8), where=opacity > 0)


def halved(area: Area) -> Area:
    """The chroma samples of an area whose origin is even."""
    return Area(area.x // 2, area.y // 2, -(-area.right // 2), -(-area.bottom // 2))


def even(area: Area, within: Area) -> Area:
    """The area grown to an even origin and, unless the plane ends there, an even end."""
    return Area(area.x & ~1, area.y & ~1, area.right + (area.right & 1), area.bottom + (area.bottom & 1)).clipped(within)


def any_of_four(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Of a luma mask (h x w) the chroma mask: where any of a sample's 2 x 2 pixels is set."""
    odd = mask.shape[0] & 1, mask.shape[1] & 1
    full = np.pad(mask, ((0, odd[0]), (0, odd[1]))) if any(odd) else mask
    return np.asarray(full[::2, ::2] | full[1::2, ::2] | full[::2, 1::2] | full[1::2, 1::2])


def mean_of_four(values: Floats) -> Floats:
    """Of luma values (h x w) the chroma values: the means of 2 x 2 pixels; an odd last row or column counts twice."""
    odd = values.shape[0] & 1, values.shape[1] & 1
    full = np.pad(values, ((0, odd[0]), (0, odd[1])), "edge") if any(odd) else values
    return np.asarray((full[::2, ::2] + full[1::2, ::2] + full[::2, 1::2] + full[1::2, 1::2]) * np.float32(0.25))
