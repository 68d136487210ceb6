"""How much less light falls into a mouth that is made narrower, as in an o: lips that come forward shade its inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from enhance.geometry.head import Array

from .shade import Shown, at_places, learnt

USUAL = 1.2
"""Logarithm of light for a width that is once more as large, in people: of 25 half have .9 to 1.7 (docs/decisions/0114)."""
PRIOR = 0.1
"""How much it weighs, in squares of relative width: as 24 frames whose widths are .065 from their mean."""
SHARE = 0.35
"""Of what is learnt: the width that is asked for is only partly that which the person would have (r .4), and the light with it.
With .7 the men with glasses and in a suit lost half a dB inside."""
DARKEST, LIGHTEST = 0.55, 1.2
DIM = 4.0
"""Grey levels by which the light of a dark mouth is raised before it is compared."""


@dataclass(frozen=True)
class Narrowing:
    """usual: S between the corners of the clip's open mouths, 0 where none is known. loss: logarithm of the light that is lost
    at no width at all."""

    usual: float
    loss: float

    def light(self, width: float) -> float:
        """A factor of the light in a mouth whose corners are `width` (S) apart."""
        return float(np.clip(exp(self.loss * (self.wide(width) - 1)), DARKEST, LIGHTEST))

    def wide(self, width: float) -> float:
        """`width` (S) of the usual one; 1 where that is not known."""
        return width / self.usual if self.usual else 1.0


NONE = Narrowing(0.0, 0.0)


def usual_width(widths: Sequence[float]) -> float:
    """S between the corners of a clip's open mouths, from those of single ones; 0 without any."""
    return float(np.median(widths)) if widths else 0.0


def narrowing_of(seen: Sequence[tuple[Shown, float]]) -> Narrowing:
    """From mouths and S between their corners: what of their light their openings do not explain."""
    if not seen:
        return NONE
    mouths, widths = [mouth for mouth, _ in seen], [width for _, width in seen]
    shade, usual = learnt(mouths), usual_width(widths)
    off = np.array(widths) / usual - 1
    off -= off.mean()
    loss = (off @ [_gain(mouth, shade) for mouth in mouths] + PRIOR * USUAL) / (off @ off + PRIOR)
    return Narrowing(usual, SHARE * max(float(loss), 0.0))


def _gain(mouth: Shown, shade: Array) -> float:
    """Logarithm of the light that is seen over that which is made in this shade."""
    made = mouth.made[..., 0] * at_places(shade, mouth.places)[..., 0]
    room = max(float(mouth.counts.sum()), 1.0)
    of_seen, of_made = (max(float((mouth.counts * luma).sum()) / room, 0.0) + DIM for luma in (mouth.seen[..., 0], made))
    return log(of_seen / of_made)
