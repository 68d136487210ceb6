"""What tells lips from skin and teeth: that they are redder, or, where they are painted, what they differ in from the skin.

docs/decisions/0097.
"""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, median, ramp
from enhance.geometry.planes import Planes

from .column import AROUND, column

OUTER, INNER = (39, 37, 0, 267, 269, 181, 84, 17, 314, 405), (81, 82, 13, 312, 311, 178, 87, 14, 317, 402)
"""Points of both lips' edges; half way between them the lips are, whose colour is to be told."""
MOUTH = (0, 37, 267, 39, 269, 72, 302, 11, 12, 13, 14, 15, 16, 17, 84, 314, 181, 405, 85, 315)
SKIN = (164, 167, 393, 18, 200, 199, 57, 212, 186, 287, 432, 410, 43, 273, 106, 335, 202, 422, 204, 424, 50, 280, 205, 425)
"""Points round the lips; with MOUTH, to measure how well redness separates the two."""
OF_ITS_OWN, LEAST_RED = (0.25, 0.45), 1.0
"""Share of redness that luma does not tell, under a lamp of one colour, and in other light; and the least redness that is taken
for more than noise, in levels."""
OFF_HUE = (0.0045, 0.0058)
"""Deviation of chroma from its commonest hue, of luma: in a picture of a single hue, and in others."""
SAME_CHROMA = 0.03
"""Difference of the chroma of lips and of skin, each over its luma, up to which they differ in light alone: grey, sepia."""
LESS_RED = (12.0, 20.0)
"""Levels of V - U by which lips are less red than the skin round them: bare ones of 40 people up to 11; from 20 on they are
painted, or another being's."""
DARK, REDDER = (0.4, 0.5), (0.0, 10.0)
"""Luma of lips, of the skin's, that are painted, and that are bare (.61 and more); unless they are redder by so many levels of
V - U: then redness tells them as well."""
LUMA_COUNTS = 0.25
"""Of luma, against chroma, in how lips differ from skin: luma differs by shade and shine as well."""


@dataclass(frozen=True)
class LipsAndSkin:
    """Y, U, V of the lips and of the skin round them; points: 3 x n, of MOUTH and SKIN."""

    lips: Array
    skin: Array
    points: Array

    @classmethod
    def of(cls, planes: Planes, pose: Pose, head: Array) -> "LipsAndSkin":
        """As a picture shows them. head: 478 x 3 in head coordinates."""
        lips = (head[list(OUTER)] + head[list(INNER)]) / 2
        points = np.vstack([lips, head[[*MOUTH, *SKIN]]])
        sampled = ((planes.y, 1), (planes.u, 2), (planes.v, 2))
        seen = np.stack([column(plane, coarser, points, AROUND, pose).mean(axis=1) for plane, coarser in sampled])
        lip, skin = (median(part) for part in (seen[:, : len(OUTER)], seen[:, -len(SKIN) :]))
        return cls(lip, skin, seen[:, len(OUTER) :])

    @cached_property
    def hues(self) -> float:
        """0 in a picture of a single hue, 1 in others."""
        luma, u, v = self.points
        off_hue = max(float(np.linalg.eigvalsh(np.cov(u, v))[0]), 0.0) ** 0.5 / max(float(luma.mean()), 1.0)
        return ramp(off_hue, *OFF_HUE)

    @cached_property
    def painted(self) -> float:
        """0..1, how far the lips have a colour that redness does not tell from skin: blue, green, black."""
        redder = float((self.lips - self.skin) @ [0, -1, 1])
        dark = 1 - ramp(float(self.lips[0] / max(self.skin[0], 1.0)), *DARK)
        return self.hues * max(ramp(-redder, *LESS_RED), dark * (1 - ramp(redder, *REDDER)))

    @cached_property
    def towards(self) -> Array:
        """[3]: what Y, U and V count in how far a colour lies from the skin's towards the lips', in levels of V - U."""
        weight = np.array([LUMA_COUNTS, 1, 1])
        towards = weight * (self.lips - self.skin)
        # A difference of chroma is root two times as large in V - U.
        return np.asarray(towards * 2**0.5 * weight / max(float(np.linalg.norm(towards)), 1e-6))

    @property
    def differ_in_light_alone(self) -> bool:
        """Whether lips and skin have the same chroma over luma, as in grey and in sepia."""
        lip, skin = ((colour[1:] - 128) / max(colour[0], 1.0) for colour in (self.lips, self.skin))
        return float(np.abs(lip - skin).max()) < SAME_CHROMA


def redness(planes: Planes, face: LipsAndSkin) -> Floats:
    """V - U of each chroma sample, weighted by how well it separates lips from skin. face: as the planes show it.

    Under a lamp of one colour what is light is redder, the skin more than the lips: what goes with luma is left out. In a
    picture of a single hue, as in sepia, there is none. Painted lips need not be red: then it is how far each sample differs
    from the skin as the lips do, in the same levels.
    """
    if face.painted == 1:
        return _unlike_skin(planes, face)
    red = _of_bare_lips(planes, face)
    return red + np.float32(face.painted) * (_unlike_skin(planes, face) - red) if face.painted else red


def _unlike_skin(planes: Planes, face: LipsAndSkin) -> Floats:
    """Of each chroma sample, how far it lies from the skin's colour towards the lips'."""
    height, width = planes.u.shape
    luma = cv2.resize(planes.y, (width, height), interpolation=cv2.INTER_AREA)
    yuv: Floats = cv2.merge([luma, planes.u, planes.v]).astype(np.float32)
    return np.asarray(cv2.transform(yuv, np.append(face.towards, -face.towards @ face.skin)[None]), np.float32)


def _of_bare_lips(planes: Planes, face: LipsAndSkin) -> Floats:
    red = np.asarray(cv2.subtract(planes.v, planes.u, dtype=cv2.CV_32F), np.float32)
    luma, u, v = face.points
    lit, reds = luma - luma.mean(), v - u - (v - u).mean()
    slope = float(lit @ reds) / max(float(lit @ lit), 1.0)
    of_its_own = float((reds - slope * lit).std()) / max(float(reds.std()), LEAST_RED)
    lamp, hues = 1 - ramp(of_its_own, *OF_ITS_OWN), face.hues
    if lamp and hues:
        height, width = red.shape
        red -= lamp * slope * cv2.resize(planes.y, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    return red if hues == 1 else np.asarray(hues * red, np.float32)
