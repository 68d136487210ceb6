"""How far a frame's mouth is to be believed: 0 leaves the frame as it is. docs/decisions/0193."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from enhance.geometry.area import Area
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.planes import Planes
from enhance.render.lips.colours import means
from enhance.render.lips.outline import MIDPOINT, Lips

from .expected import Face

TURNED = (36.0, 48.0)  # degrees of yaw between full trust and none
INSIDE = (0.0, 0.05)
"""S from the lips to the nearest border of the patch: no trust, full trust. The mesh draws lips that the picture cuts off
into it: nearer than the first they are .06 S off (median) and up to .35, farther than .03 at most .045 S."""
STRANGE = (0.50, 0.75)
"""Distance of a region's look from what is usual up to which a mouth is trusted wholly, and from which not at all."""

COVERED, BOTH_COVERED = (0.0, 0.28), (0.25, 0.48)
"""Shares of the subject's contrast between lips and skin that are left, of the lower lip's and of both lips': covered, not
covered. tests/test_render.py holds skin before the lips to the first."""
PALE_LIPS = (0.15, 0.25)  # contrasts so low that their absence means nothing, and high enough
BURNT_OUT = (224.0, 234.0)
"""Y of skin from which contrasts are lost in it and are not used: white is 235, in full range 255."""

REGIONS = 6
CORNERS = slice(4, 6)
"""Of the regions: LEFT and RIGHT."""
CHEEKS = (50, 280, 205, 425)
ABOVE_CORNERS = ((50, 205), (280, 425))
"""CHEEKS, those above the corner LEFT and those above RIGHT."""
PHILTRUM, CHIN, LEFT, RIGHT = (164, 167, 393), (18, 200, 199), (57, 212, 186), (287, 432, 410)


@dataclass(frozen=True)
class Tells:
    """How well lips can be distinguished from skin, 0..1: 0 where the skin is burnt out, or where all has a single hue."""

    luma: float
    hues: float

    @classmethod
    def of(cls, cheeks: Array, face: Face) -> "Tells":
        """cheeks: Y, U, V of the frame's. face: the reference frame's, of which nothing is covered."""
        return cls(1 - ramp(float(cheeks[0]), *BURNT_OUT), face.hues)


def trust(planes: Planes, head: Array, pose: Pose, lips: Lips, seen: Array, usual: Array, tells: Tells) -> float:
    """0..1. head: 478 x 3 in head coordinates. seen, usual: look() of the frame and of the subject's reference frame."""
    turned = 1 - ramp(abs(pose.yaw), *TURNED)
    inside = ramp(_inside(pose.to_pixels(pose.to_plane(lips.outer_ring)), planes.area) / pose.scale, *INSIDE)
    strange = float(_apart(planes, head, pose, seen, usual).max())
    return turned * inside * (1 - ramp(strange, *STRANGE)) * uncovered(seen, usual, tells)


def look(planes: Planes, head: Array, pose: Pose, lips: Lips) -> Array:
    """Luma (as a logarithm) and chroma of lips, philtrum, chin and mouth corners against the cheeks, REGIONS x 3.

    Against the cheeks, so that light which changes on the whole face changes nothing.
    """
    inner = np.arange(MIDPOINT - 5, MIDPOINT + 6, 2)
    lip = [(lips.upper_inner + lips.upper_outer)[inner] / 2, (lips.lower_inner + lips.lower_outer)[inner] / 2]
    groups = [*lip, *(head[list(points)] for points in (PHILTRUM, CHIN, LEFT, RIGHT, CHEEKS))]
    seen = means(planes, pose, groups)
    return _against(seen[:-1], seen[-1])


def look_under(look: Array, skin: Array, change: Callable[[Array], Array]) -> Array:
    """A look(), in other light. skin: [3], Y, U, V of its cheeks. change: takes Y, U, V (... x 3) to those in that light."""
    luma, chroma = np.exp(look[:, :1]) * (skin[0] + 16) - 16, look[:, 1:] * max(skin[0], 32) / 4 + skin[1:]
    return _against(change(np.hstack([luma, chroma])), change(skin))


def _against(seen: Array, skin: Array) -> Array:
    luma = np.log((np.maximum(seen[:, :1], 0) + 16) / (skin[0] + 16))
    return np.hstack([luma, (seen[:, 1:] - skin[1:]) / max(skin[0], 32) * 4])


def strangeness(seen: Array, usual: Array) -> float:
    """The largest distance in any region between two look()s, each REGIONS x 3."""
    return float(_distances(seen, usual).max())


def _distances(seen: Array, usual: Array) -> Array:
    return np.asarray(np.sqrt(((seen - usual) ** 2).sum(axis=1)))


def _apart(planes: Planes, head: Array, pose: Pose, seen: Array, usual: Array) -> Array:
    """[REGIONS]: the distance of each region's look from what is usual.

    In light from one side a corner of the mouth looks like the cheek above it and unlike the mean of both cheeks: for a
    corner, anything between its usual look and that of its cheek in this frame is usual. docs/decisions/0267.
    """
    apart = _distances(seen, usual)
    cheeks = means(planes, pose, [head[list(points)] for points in ABOVE_CORNERS])
    way, off = _against(cheeks, cheeks.mean(axis=0)) - usual[CORNERS], seen[CORNERS] - usual[CORNERS]
    share = (off * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9)
    apart[CORNERS] = _distances(off, way * np.clip(share, 0, 1)[:, None])
    return apart


def uncovered(seen: Array, usual: Array, tells: Tells) -> float:
    """0..1: 0 where lips no longer differ from the skin as the subject's do, as under a hand.

    By luma alone an upper lip does not tell: it is dark where it hangs, and as light as skin where it is drawn up.
    """
    lower = _left(seen[1], usual[1], COVERED)
    both = _left(seen[:2].ravel(), usual[:2].ravel(), BOTH_COVERED)
    return 1 - tells.luma * (1 - lower * max(both, 1 - tells.hues))


def _left(seen: Array, usual: Array, covered: tuple[float, float]) -> float:
    """0..1: how much of a contrast is left; 1 where it was too low to be noticed."""
    there = float(usual @ usual)
    told = ramp(there**0.5, *PALE_LIPS)
    return 1 - told * (1 - ramp(float(seen @ usual) / max(there, 1e-6), *covered))


def cheeks_of(planes: Planes, head: Array, pose: Pose) -> Array:
    """[3]: Y, U, V of the cheeks, by which the light on a face is measured."""
    return np.asarray(means(planes, pose, [head[list(CHEEKS)]])[0])


def _inside(pixels: Array, area: Area) -> float:
    """How far from the nearest border the point lies that is nearest to one, in pixels; below 0 outside."""
    return float(np.minimum(pixels, np.array([area.right - 1, area.bottom - 1]) - pixels).min())
