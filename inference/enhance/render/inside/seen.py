"""Whether a lender shows the inside of a mouth between its lips at all, or only lip."""

import cv2
import numpy as np

from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Plane, Planes
from enhance.picture import LUMA
from enhance.render.lips.outline import ALONG, Lips

ROWS = 16
BORDER = 0.1  # of the opening, at each lip, that is not looked at
MIDDLE, WIDE = 0.45, 0.8  # of the half width: where a tooth is looked for, and lips
LIP_RED, LIP_LUMA = (0.65, 0.85), (0.55, 0.75)  # redness, and luma against the lips': not lip, lip
PALEST = 0.15  # quantile of redness that is a tooth, where one is seen
FULL = 0.6  # share of a column that is lip, above which it shows nothing else
TOLD_APART = 0.04  # of luma: how much redder than the palest place between them lips must be for the two to be distinguished
STRIKING = (0.06, 0.12)  # the same, for that to count: not at all, fully
DIM = 16.0  # grey levels
TO_RED = 0.713 * (np.array([1.0, 0, 0]) - LUMA) - 0.5 * 0.564 * (np.array([0, 0, 1.0]) - LUMA)
"""From RGB to V - U / 2."""


def lips_seen(planes: Planes, pose: Pose, lips: Lips, tooth: Array) -> float:
    """The share of the opening's width where nothing but lip is seen, as its mesh does not fit, 0..1. tooth: RGB."""
    upper, lower = pose.to_plane(lips.upper_inner), pose.to_plane(lips.lower_inner)
    down = np.linspace(BORDER, 1 - BORDER, ROWS)[:, None, None]
    at = upper + down * (lower - upper)
    luma, red = _seen(planes, pose, at)
    outside = [
        (inner + outer) / 2 for inner, outer in ((lips.upper_inner, lips.upper_outer), (lips.lower_inner, lips.lower_outer))
    ]
    lip_luma, lip_red = (float(np.median(v)) for v in _seen(planes, pose, pose.to_plane(np.array(outside))))
    across = np.abs(ALONG)
    supposed = float(TO_RED @ tooth) / (float(LUMA @ tooth) + DIM)
    pale = max(supposed, float(np.quantile(red[:, across < MIDDLE], PALEST)))
    if lip_red - pale < TOLD_APART:
        # All of it looks alike: it is lips, or the light shows no difference.
        as_lit = float(np.median(luma[:, across < WIDE])) / max(lip_luma, 16.0)
        return ramp(lip_red - supposed, *STRIKING) * ramp(as_lit, *LIP_LUMA)
    redness = (red - pale) / (lip_red - pale)
    lip = smoothstep(redness, *LIP_RED) * smoothstep(luma / max(lip_luma, 16.0), *LIP_LUMA)
    return float((lip[:, across < WIDE].mean(axis=0) > FULL).mean()) * ramp(lip_red - pale, *STRIKING)


def _seen(planes: Planes, pose: Pose, plane: Array) -> tuple[Array, Array]:
    """Luma, and how much redder than grey it is, of its luma."""
    x, y = np.moveaxis(pose.to_pixels(plane.reshape(-1, 2)).reshape(plane.shape).astype(np.float32), -1, 0)

    def sampled(values: Plane, x: Array, y: Array) -> Array:
        soft = cv2.GaussianBlur(values, (0, 0), 0.8)
        return np.asarray(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64))

    u, v = (sampled(values, (x - 0.5) / 2, (y - 0.5) / 2) - 128 for values in (planes.u, planes.v))
    luma = sampled(planes.y, x, y)
    return luma, np.asarray((v - 0.5 * u) / (luma + DIM))
