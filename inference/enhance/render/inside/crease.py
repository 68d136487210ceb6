"""The dark line between lips that were apart in the frame and now touch. docs/decisions/0088 and 0227."""

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Plane, Planes, even, from_rgb, paint
from enhance.render.lips.outline import Lips
from enhance.render.lips.shape import Asked, closeness
from enhance.render.mask import mark
from enhance.render.patch import Patch

SOFT = 0.011
"""S from its middle, where the line has 1 / e of its opacity: together with the shade that lips beside it have from
finish/tone.py, as dark as where people shut them (16 people, decision 109)."""
BLUR = 0.9
"""The same in pixels, by which a picture blurs it besides: on small faces it is wider and fainter."""
DARK, CORNER = 0.5, 0.8
"""Of the lips' light, in the middle of the line and at its ends."""
ENDING, ENDED = (0.10, 0.90), (0.9, 1.02)
"""Of the way from the middle to a corner: where DARK turns into CORNER, as in people's mouths, and where the line fades out."""
CORNER_REACH = (0.035, 0.075)
"""From a corner, in S: how far what is darker than the ends of the line is lit wholly, and at all."""
BEYOND, AS_DARK = 0.11, (0.6, 0.9)
"""S from a corner, within which it is looked at what lies beyond it; and the share of the light's luma that has, from which the
corner is lit, and wholly."""
KEPT_OPEN = (0.5, 1.0)
"""Of the frame's own opening: an asked one from which its corners are lit less, and not at all: they stay open, and dark."""
STRONGEST, FAINTEST = 0.85, 0.01
"""Opacity of the line at most, and that below which none is drawn."""


def light_corners(
    out: Planes, mask: Plane, patch: Patch, lips: tuple[Lips, Asked], colours: Array, belief: float, laughs: float
) -> None:
    """Lights the shade inside of an open mouth's corners, and marks that in `mask`. To be done before the new mouth is filled.

    lips: as the frame has them, as they are asked for. colours: RGB 0..255 of the lips in the frame's light at the picture's
    left corner and at the right one, 2 x 3. belief: 0..1, how far the frame's mouth is replaced. laughs: 0..1, how far the
    frame's mouth laughs: then the shade at its corners is the cheeks', and stays.
    """
    own, asked = lips
    opacity = STRONGEST * (1 - own.closed) * (1 - ramp(asked.gap / max(own.gap, 1e-3), *KEPT_OPEN)) * belief * (1 - laughs)
    if opacity < FAINTEST:
        return
    ends = patch.pose.to_plane(asked.upper_outer[[0, -1]])
    lights = from_rgb((CORNER * colours).astype(np.float32), patch.colours)
    for corner, other, light in zip(ends, ends[::-1], lights, strict=True):
        _light_corner(out, mask, patch, (corner, other), light, opacity)


def draw_crease(out: Planes, mask: Plane, patch: Patch, lips: tuple[Lips, Asked], colours: Array, belief: float) -> None:
    """Draws the line into `out` and marks it in `mask`. colours: RGB 0..255 of the lips in the frame's light at the picture's
    left corner, where light falls between them in the middle, and at the right corner: 3 x 3. The other arguments are those of
    light_corners()."""
    own, asked = lips
    opacity = STRONGEST * (1 - own.closed) * closeness(asked.gap, own.gap) * belief
    if opacity < FAINTEST:
        return
    pose = patch.pose
    line = pose.to_plane((asked.upper_inner + asked.lower_inner) / 2)
    soft = float(np.hypot(SOFT, BLUR / pose.scale))
    area = _around(line, 3 * soft, pose, out.area)
    if area.is_empty:
        return
    x, y = np.moveaxis(pose.plane_of(area), -1, 0)
    aside = (2 * x - line[0, 0] - line[-1, 0]) / max(float(line[-1, 0] - line[0, 0]), 1e-6)
    left, middle, right = from_rgb((np.array([[CORNER], [DARK], [CORNER]]) * colours).astype(np.float32), patch.colours)
    ends = np.where(aside[..., None] < 0, left, right)
    aside = np.abs(aside)
    shade = middle + smoothstep(aside, *ENDING)[..., None] * (ends - middle)
    away = (y - np.interp(x, line[:, 0], line[:, 1])) / soft
    weight = (opacity * SOFT / soft * np.exp(-(away**2)) * (1 - smoothstep(aside, *ENDED))).astype(np.float32)
    paint(out, shade.astype(np.float32), weight, area)
    mark(mask, area, weight)


def _around(line: Array, reach: float, pose: Pose, within: Area) -> Area:
    """The pixels up to so far (S) from points (n x 2) in plane coordinates."""
    return even(Area.around(pose.to_pixels(line), reach * pose.scale), within)


def _light_corner(out: Planes, mask: Plane, patch: Patch, corners: tuple[Array, Array], colour: Floats, opacity: float) -> None:
    """Lights what is darker than `colour` (Y, U, V) round a corner of the mouth: the shade inside of the open mouth's corner,
    which the warp leaves beside the lips as a dark hook. Where it is as dark beyond the corner, as in a beard, it stays.

    corners: the one that is lit and the other one, in plane coordinates.
    """
    pose, (corner, other) = patch.pose, corners
    area = _around(corner[None], BEYOND, pose, out.area)
    if area.is_empty:
        return
    luma, away = out.y[area.slices], pose.plane_of(area) - corner
    far = np.linalg.norm(away, axis=-1)
    beyond = luma[(far > CORNER_REACH[1]) & (away @ (corner - other) > 0)]
    if beyond.size:
        opacity *= ramp(float(np.median(beyond)) / max(float(colour[0]), 1.0), *AS_DARK)
    if opacity < FAINTEST:
        return
    near = 1 - smoothstep(far, *CORNER_REACH)
    missing = np.clip((colour[0] - luma) / max(float(colour[0]), 1.0), 0, 1)
    weight = (opacity * near * np.minimum(4 * missing, 1)).astype(np.float32)
    paint(out, np.broadcast_to(colour, (*weight.shape, 3)), weight, area)
    mark(mask, area, weight)
