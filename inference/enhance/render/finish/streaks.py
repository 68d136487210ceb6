"""What the warp stretches far more in one direction than across it: pores, noise and the jags of an outline become hairs.

There the result is smoothed across the hairs, until what is seen is about as long as it is wide.
docs/decisions/0216.
"""

import cv2
import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.planes import Plane, Planes
from enhance.masks import widened

STRETCHED = (0.45, 0.65)
"""Source pixels for one pixel of the result in the direction that is stretched most: up to the first it is smoothed wholly,
from the second not at all."""
GRAIN = 0.7
"""Sigma in source pixels of the finest that a source shows."""
TORN = 2.5
"""Source pixels for one of the result in the other direction, from which the lips part there: their sides are not mixed."""
BESIDE = 2
"""Pairs of pixels beside that which are kept too."""
NARROWEST = 0.25
"""Source pixels for one of the result: what is stretched more is taken for that."""
EVEN = 1.0
"""Pairs of pixels by which sigma is evened."""
LEAST = 0.3
"""Sigma in pixels below which nothing is smoothed."""
TAPS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0], np.float32)
"""Where the smoothing looks, in sigmas."""


def evened(out: Planes, by: tuple[Floats, Floats], area: Area) -> None:
    """Smooths the hairs in `area` (even origin) of `out`, which is warped. by: as in planes.moved()."""
    hair = hairs(by)
    left, top, width, height = cv2.boundingRect((hair[..., 0] > LEAST).astype(np.uint8))
    if not width:
        return
    of_chroma = Area(left, top, left + width, top + height)
    hair = np.ascontiguousarray(hair[of_chroma.slices])
    for plane in (out.u, out.v):
        _smoothed(plane, of_chroma.moved(area.x // 2, area.y // 2), hair, 0.5)
    x, y = 2 * left + area.x, 2 * top + area.y
    luma = Area(x, y, x + 2 * width, y + 2 * height).clipped(out.area)
    _smoothed(out.y, luma, hair.repeat(2, axis=0).repeat(2, axis=1)[: luma.height, : luma.width], 1)


def hairs(by: tuple[Floats, Floats]) -> Floats:
    """For every second pixel: sigma by which it is to be smoothed, and the direction times that, across and down, in pixels.

    by: as in planes.moved(). h/2 x w/2 x 3.
    """
    coarse = [np.ascontiguousarray(v[::2, ::2]) for v in by]
    if min(coarse[0].shape) < 2:
        return np.zeros((*coarse[0].shape, 3), np.float32)
    (down_x, along_x), (down_y, along_y) = (np.gradient(v, np.float32(2)) for v in coarse)
    along_x, down_y = along_x + 1, down_y + 1
    turned, skewed = cv2.magnitude(along_x + down_y, along_y - down_x), cv2.magnitude(along_x - down_y, along_y + down_x)
    least, most = np.maximum(turned - skewed, 0) / 2, (turned + skewed) / 2
    torn = widened(most > TORN, BESIDE)
    low, high = STRETCHED
    share = np.clip((high - least) / (high - low), 0, 1) * ~torn
    if not share.any():
        return np.zeros((*share.shape, 3), np.float32)
    # Of a Gaussian of GRAIN that is stretched: how much wider it is along the hairs than across them.
    wider = 1 / np.maximum(least, NARROWEST) ** 2 - 1 / np.maximum(most, NARROWEST) ** 2
    sigma = cv2.GaussianBlur(share * GRAIN * np.sqrt(np.maximum(wider, 0)), (0, 0), EVEN) * ~torn
    # The direction that is stretched least: the eigenvector of J^T J, of the map's Jacobian J, that has the larger value.
    angle = np.arctan2(2 * (along_x * down_x + along_y * down_y), along_x**2 + along_y**2 - down_x**2 - down_y**2) / 2
    return np.asarray(np.stack([sigma, sigma * np.cos(angle), sigma * np.sin(angle)], axis=-1), np.float32)


def _smoothed(plane: Plane, area: Area, hair: Floats, scale: float) -> None:
    """Smooths a part of a plane. hair: as from hairs(), for each of its samples. scale: samples of the plane to a pixel."""
    x = np.arange(area.x, area.right, dtype=np.float32)
    y = np.arange(area.y, area.bottom, dtype=np.float32)[:, None]
    step_x, step_y = (hair[..., i] * np.float32(scale) for i in (1, 2))
    weights = np.exp(-(TAPS**2) / 2)
    weights /= weights.sum()
    source = plane.astype(np.float32)
    mean = np.zeros(hair.shape[:2], np.float32)
    for tap, weight in zip(TAPS, weights, strict=True):
        mean += weight * cv2.remap(
            source, x + tap * step_x, y + tap * step_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    cv2.copyTo((mean + 0.5).astype(np.uint8), (hair[..., 0] > LEAST).astype(np.uint8), plane[area.slices])
