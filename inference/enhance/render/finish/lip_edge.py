"""The inner edge of a lower lip that touched the upper one in the frame and is now apart."""

import cv2
import numpy as np

from enhance.geometry.area import Area
from enhance.geometry.head import Pose, ramp, smoothstep
from enhance.geometry.planes import Plane, Planes, even
from enhance.render.light import DIM
from enhance.render.lips.outline import ALONG, SAMPLES, Lips
from enhance.render.lips.shape import Asked
from enhance.render.mask import mark

from .tone import smoothed

STEP = 0.006
"""S between the depths in the lip, from its edge on, at which its light is looked at."""
USUAL = np.array([0.96, 0.94, 0.96, 0.975, 0.985, 0.995, 1.0])
"""Luma there, of that at the last depth: after the inside of the mouth is laid over the edge, which is soft, it is what 24
people have whose lips are .07 to .16 S apart (medians .91, .92, .95, .97, .98, .99, 1)."""
MOST = 1.35
"""What the light is multiplied by at most."""
THICK = 0.07
"""S: in a thinner lip these depths lie as much closer together."""
APART, OPEN = (0.01, 0.06), (0.03, 0.07)
"""S between the lips: as they are asked for, from which the edge is lit, and wholly; and as the frame has them, from which it
is lit less, and not at all."""
ENDING = (0.55, 0.90)
"""Of the way from the middle to a corner, over which the light ends."""
BESIDE = 5
"""Points of the contour that share their light."""
ABOVE = 2.0
"""Depths above the edge, up to which it is lit: the inside is laid over it."""
LEAST = 0.004
"""Of the light: a smaller change is none."""


def light_edge(out: Planes, mask: Plane, pose: Pose, lips: tuple[Lips, Asked], belief: float, black: float) -> None:
    """Takes the shade of the line on which lips met off the lower one, and marks that in `mask`. A mouth that opens would be
    edged with it, as if drawn.

    lips: as the frame has them, and as they are asked for and lie in `out`. belief: 0..1, how far the frame's mouth is
    replaced. black: its Y.
    """
    own, asked = lips
    amount = belief * ramp(asked.gap, *APART) * (1 - ramp(own.gap, *OPEN) * (1 - own.closed))
    edge, outer = pose.to_plane(asked.lower_inner), pose.to_plane(asked.lower_outer)
    area = even(Area.around(pose.to_pixels(np.vstack([edge, outer])), 2), out.area)
    if not amount or area.is_empty:
        return
    luma = out.y[area.slices]
    thick = np.interp(edge[:, 0], outer[:, 0], outer[:, 1]) - edge[:, 1]
    step = STEP * np.clip(thick / THICK, 0.1, 1)
    down = step[:, None] * np.arange(len(USUAL))
    at = pose.to_pixels(np.stack([np.broadcast_to(edge[:, :1], down.shape), edge[:, 1:] + down], axis=-1))
    column, row = np.moveaxis((at - [area.x, area.y]).astype(np.float32), -1, 0)
    level = cv2.remap(smoothed(luma, STEP * pose.scale), column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    level = cv2.blur(level - np.float32(black), (1, BESIDE), borderType=cv2.BORDER_REPLICATE) + DIM
    share = amount * (1 - smoothstep(np.abs(ALONG), *ENDING))[:, None]
    more = np.asarray(share * (np.clip(USUAL * level[:, -1:] / level, 1, MOST) - 1), np.float32)

    x, y = np.moveaxis(pose.plane_of(area), -1, 0)
    point = np.interp(x, edge[:, 0], np.arange(SAMPLES)).astype(np.float32)
    top, unit = (np.interp(x, edge[:, 0], values) for values in (edge[:, 1], step))
    depth = ((y - top) / unit).astype(np.float32)
    light = cv2.remap(more, depth, point, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.asarray(light * smoothstep(depth, -ABOVE, -ABOVE / 2), np.float32)
    light[light < LEAST] = 0
    luma[...] = np.clip(luma + (luma - np.float32(black)) * light + 0.5, 0, 255).astype(np.uint8)
    mark(mask, area, (light > 0).astype(np.float32))
