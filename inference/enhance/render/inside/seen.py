"""Whether a lender shows the inside of a mouth between its lips at all, or only lip, or a finger."""

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
SKIN = np.array([0.35, 4.0, 4.0])  # of log luma, U, V: what skin differs from the cheeks, at most
SHADES = (0.4, 1.6)  # of luma, between which a shade takes chroma with it
TEETH_APART = (3.0, 3.8)
"""How far teeth differ from skin, in SKIN: too little to distinguish the two, enough. 2.5 where compression left
teeth as red as skin."""
SKIN_OF_LOWER_HALF = 0.7  # of a column, from which it shows a finger: teeth as red as skin hang from above
BEFORE = (0.20, 0.30)
"""Share of the opening's width that shows fingers: .07 at most of teeth that differ enough, .27 to .47 of fingers."""
TO_RED = 0.713 * (np.array([1.0, 0, 0]) - LUMA) - 0.5 * 0.564 * (np.array([0, 0, 1.0]) - LUMA)
"""From RGB to V - U / 2."""


def lips_seen(planes: Planes, pose: Pose, lips: Lips, tooth: Array) -> float:
    """The share of the opening's width where nothing but lip is seen, as its mesh does not fit, 0..1. tooth: RGB."""
    luma, red = _redness(_seen(planes, pose, _between(pose, lips)))
    outside = [
        (inner + outer) / 2 for inner, outer in ((lips.upper_inner, lips.upper_outer), (lips.lower_inner, lips.lower_outer))
    ]
    lip_luma, lip_red = (float(np.median(v)) for v in _redness(_seen(planes, pose, pose.to_plane(np.array(outside)))))
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


def skin_between(planes: Planes, pose: Pose, lips: Lips, cheeks: Array, usual: Array) -> float:
    """How sure it is that a finger is seen between the lips, 0..1: skin, which is neither tooth nor tongue.

    cheeks: [3], Y, U, V of the frame's. usual: 2 x 3, Y, U, V of the subject's skin and teeth: where they are alike, as in a
    picture without colour, skin is not told.
    """
    told = ramp(float(_unlike_skin(usual[1], usual[0])), *TEETH_APART)
    if not told:
        return 0.0
    skin = _unlike_skin(_seen(planes, pose, _between(pose, lips)), cheeks) < 1
    shows = skin[ROWS // 2 :, np.abs(ALONG) < WIDE].mean(axis=0) > SKIN_OF_LOWER_HALF
    return told * ramp(float(shows.mean()), *BEFORE)


def _unlike_skin(yuv: Array, skin: Array) -> Array:
    """How far colours (... x 3: Y, U, V) are from skin ([3]), as light or in a shade: 1 is what skin differs from itself."""
    light = (yuv[..., 0] + DIM) / (skin[0] + DIM)
    chroma = yuv[..., 1:] - 128 - np.clip(light, *SHADES)[..., None] * (skin[1:] - 128)
    return np.asarray(np.sqrt(((np.concatenate([np.log(light)[..., None], chroma], axis=-1) / SKIN) ** 2).sum(axis=-1)))


def _between(pose: Pose, lips: Lips) -> Array:
    """Places between the lips, in the plane, ROWS x SAMPLES x 2."""
    upper, lower = pose.to_plane(lips.upper_inner), pose.to_plane(lips.lower_inner)
    return np.asarray(upper + np.linspace(BORDER, 1 - BORDER, ROWS)[:, None, None] * (lower - upper))


def _redness(yuv: Array) -> tuple[Array, Array]:
    """Luma, and how much redder than grey it is, of its luma."""
    luma, u, v = np.moveaxis(yuv, -1, 0)
    return luma, np.asarray((v - 128 - 0.5 * (u - 128)) / (luma + DIM))


def _seen(planes: Planes, pose: Pose, plane: Array) -> Array:
    """Y, U, V at places of the plane."""
    x, y = np.moveaxis(pose.to_pixels(plane.reshape(-1, 2)).reshape(plane.shape).astype(np.float32), -1, 0)

    def sampled(values: Plane, x: Array, y: Array) -> Array:
        soft = cv2.GaussianBlur(values, (0, 0), 0.8)
        return np.asarray(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64))

    u, v = (sampled(values, (x - 0.5) / 2, (y - 0.5) / 2) for values in (planes.u, planes.v))
    return np.stack([sampled(planes.y, x, y), u, v], axis=-1)
