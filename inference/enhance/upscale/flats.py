"""Flat colours of drawings, freed of what a JPEG left there before a network that redraws: it makes outlines of it.

docs/decisions/0272.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import AnyPicture, FloatPlanes, white

from .cascade import Cascade
from .faithful import Faithful, reduced
from .hues import between

EDGE = 16  # levels of 255 by which a channel changes within 3 x 3 pixels: what a JPEG leaves in flat colours changes less
CROWDED = 0.55, 0.7  # of the 9 x 9 pixels around, the share at such an edge: one edge takes .5, tones and text take all
THIN = 12, 24  # levels by which lines that are thinner than 5 pixels stand out: cleaning makes these softer
STRONG, NEAR = 48, 8  # levels, and pixels around: beside weaker edges, and beyond its block, a JPEG leaves nothing like a line
REACH = 11
"""How far flats_of() depends on the pixels around: 9 by strong edges, 2 by being spread."""


@dataclass(frozen=True)
class OfJpeg:
    """A recipe that gets single edges and the flat colours beside them as they are after blocks are taken away.

    clean: by 2, what takes them away. A picture with alpha was no JPEG, and goes to the recipe as it is.
    """

    recipe: Faithful
    clean: Cascade

    def on(self, threads: int) -> "OfJpeg":
        """The same with so many threads."""
        return replace(self, recipe=self.recipe.on(threads), clean=self.clean.on(threads))

    def upscale(self, picture: AnyPicture, before_tile: Callable[[], None]) -> AnyPicture:
        """The RGB of a picture (h x w x 3 or 4) enlarged. before_tile may raise to stop."""
        if picture.shape[2] == 3:
            clean = reduced(self.clean.upscale(picture, before_tile), self.clean.scale)
            share = flats_of(clean)[:, :, None]
            picture = (picture + (clean.astype(np.float32) - picture) * share + np.float32(0.5)).astype(picture.dtype)
        return self.recipe.upscale(picture, before_tile)


def flats_of(picture: AnyPicture) -> FloatPlanes:
    """h x w: 1 at single edges of a picture (h x w x 3 RGB, without blocks) and in flat colours beside, 0 at lines and text."""
    levels = (picture // np.asarray(white(picture) // 255, picture.dtype)).astype(np.uint8)
    changes = cv2.morphologyEx(levels, cv2.MORPH_GRADIENT, _square(3)).max(axis=2)
    crowds = cv2.blur((changes > EDGE).astype(np.float32), (9, 9))
    strong = cv2.dilate((changes > STRONG).astype(np.float32), _square(2 * NEAR + 1))
    thin = np.maximum(*(cv2.absdiff(levels, cv2.morphologyEx(levels, each, _square(5))) for each in _WITHOUT_THIN)).max(axis=2)
    share = np.min([strong, 1 - between(crowds, CROWDED), cv2.erode(1 - between(thin, THIN), _square(5))], axis=0)
    return np.asarray(cv2.blur(share, (5, 5)), np.float32)


def _square(side: int) -> npt.NDArray[np.uint8]:
    return np.ones((side, side), np.uint8)


_WITHOUT_THIN = cv2.MORPH_OPEN, cv2.MORPH_CLOSE
