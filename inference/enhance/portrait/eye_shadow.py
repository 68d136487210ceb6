"""Eye shadow on the lids of a portrait: make-up between eye and brow, which is no part of the eye."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.frame import Floats
from enhance.picture import LUMA, tint

TINTED = 0.2
"""Distance of the lids' tint from that of skin or of skin in shade, from which they wear eye shadow. Of 229 frames of
training and test clips none is so far, even and alike in both; drawn ones have .2 to 1.4, weak ones less."""
DARK = 0.5  # luma of the lids, of the skin's, below which they do: deep-set eyes in hard light have one lid so, not both
EVEN = 0.6  # share of that distance by which four fifths of a lid differ from its median at most: not lashes, hair nor rims
EVEN_DARK = 0.3  # the same of luma, of the lids' luma
ALIKE = 0.5  # share of that distance by which the two lids differ at most
DEEPER = 2.5  # times as far from grey as skin's that the tint of skin in shade is at most


@dataclass(frozen=True)
class LidColours:
    """lid: n x 3 RGB of the places between an eye and its brow. skin: RGB [3] under the eye."""

    lid: Floats
    skin: Floats

    @property
    def typical(self) -> Floats:
        return np.asarray(np.median(self.lid, axis=0))


def wear_eye_shadow(right: LidColours, left: LidColours) -> bool:
    """Whether both lids are of another tint than skin has in light or shade, or dark, and evenly so."""
    lids = right, left
    return _are_tinted(lids) or all(_is_dark(each) for each in lids)


def _are_tinted(lids: tuple[LidColours, LidColours]) -> bool:
    far = min(_tint_beyond_shade(each) for each in lids)
    right, left = (tint(each.typical) for each in lids)
    if far < TINTED or float(np.linalg.norm(right - left)) > ALIKE * far:
        return False
    spreads = (_spread(np.linalg.norm(tint(each.lid) - tint(each.typical), axis=-1)) for each in lids)
    return max(spreads) < EVEN * far


def _is_dark(colours: LidColours) -> bool:
    light = float(colours.typical @ LUMA)
    even = _spread(np.abs(colours.lid @ LUMA - light)) < EVEN_DARK * light
    return even and light < DARK * float(colours.skin @ LUMA)


def _tint_beyond_shade(colours: LidColours) -> float:
    """The distance of a lid's tint from those of the skin in light and in shade: the darker, the farther from grey."""
    lid, skin = tint(colours.typical) - 1, tint(colours.skin) - 1
    deeper = np.clip(lid @ skin / max(float(skin @ skin), 1e-6), 1, DEEPER)
    return float(np.linalg.norm(lid - deeper * skin))


def _spread(distances: Floats) -> float:
    return float(np.quantile(distances, 0.8))
