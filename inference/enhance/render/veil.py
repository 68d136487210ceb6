"""White or black that lies over the whole face, as in a fade, in haze or in a lens flare.

Light multiplies a face's colours; white adds the same to all of them, so that all contrasts get less. It is taken off before
anything is measured or painted, and laid back over what was rendered. So is a dark that leaves few levels of the face.
"""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.head import Array, ramp
from enhance.geometry.planes import Colours, Plane, Planes
from enhance.picture import LUMA

from .cover.expected import KNOTS, OF_FACE, Face
from .cover.trust import cheeks_of
from .light import black_of, chroma, rgb_of
from .lips.colours import sampled
from .patch import Patch
from .subject import CAVITY_OF_BLACK, Subject

VEILED = (12.0, 24.0)
"""RGB levels of white up to which there is no veil, and from which it is taken off wholly. In 720 frames without one at most
10 are found."""
BORNE_OUT = (0.3, 0.45)
"""Of the white that paler skin tells, what black and contrast have to tell. In 80 frames under .25 and .4 of white it is .45
and more, in 60 that are burnt out by light of 2 to 5 times as much .29 at most, but for one with hardly any."""
DARK = (0.3, 0.5)
"""Luma of skin, of the reference's, up to which black is taken off wholly, and from which none is."""
LEAST_SHARE = 0.1
"""Of a face's contrasts: where less is left, rounding is as large as they are."""
COLOURED = 0.15
"""Chroma of skin below which it does not tell a veil from light: in grey and in sepia."""


@dataclass(frozen=True)
class Veil:
    """share: of the face's contrasts that is left, 0..1. white: what is added to luma, in levels of Y. black: Y of black."""

    share: float
    white: float
    black: int

    def taken_off(self, planes: Planes) -> Planes:
        """The planes without it."""
        luma, chroma = self._tables()
        return Planes(luma[planes.y], chroma[planes.u], chroma[planes.v])

    def laid_back(self, out: Planes, planes: Planes) -> None:
        """Lays it over what was rendered into `out`; what was not changed gets the bytes of `planes`, the patch as it came."""
        luma, chroma = self._tables()
        tables = luma, chroma, chroma
        for made, came, table in zip((out.y, out.u, out.v), (planes.y, planes.u, planes.v), tables, strict=True):
            change = np.subtract(made, table[came], dtype=np.float32)
            made[...] = np.clip(np.rint(came + self.share * change), 0, 255)

    def _tables(self) -> tuple[Plane, Plane]:
        """Of each level of luma and of chroma under it, the level without it."""
        levels = np.arange(256)
        luma = (levels - self.black - self.white) / self.share + self.black
        chroma = (levels - 128) / self.share + 128
        return _rounded(luma), _rounded(chroma)


def veil_over(patch: Patch, person: Subject) -> Veil | None:
    """What lies over a frame that did not over the subject's reference frame; None where nothing does."""
    seen = rgb_of(cheeks_of(patch.planes, patch.head, patch.pose), patch.colours)
    return _white_over(patch, person, seen) or _black_over(patch, person, seen)


def _white_over(patch: Patch, person: Subject, seen: Array) -> Veil | None:
    """How much white there is, the colour of the skin says, which is paler under it.

    That the darkest pixels are lighter too, and the lower face has less contrast, tells it from coloured light, from burnt-out
    skin, and from a picture that loses its colour. seen: RGB of the cheeks.
    """
    if chroma(person.skin) < COLOURED:
        return None
    luma, usual = float(LUMA @ seen), float(LUMA @ person.skin)
    hue = person.skin - usual
    share = float((seen - luma) @ hue) / float(hue @ hue)
    white = luma - share * usual
    if white < VEILED[0]:
        return None
    by_black = black_of(patch.planes, patch.colours) - max(luma / usual, 1.0) * float(LUMA @ person.cavity) / CAVITY_OF_BLACK
    borne_out = min(by_black, luma - _contrast(patch, person.face) * usual)
    amount = ramp(min(white, borne_out), *VEILED) * ramp(borne_out / white, *BORNE_OUT)
    return _veil(patch.colours, amount, share, white) if amount else None


def _black_over(patch: Patch, person: Subject, seen: Array) -> Veil | None:
    """In so little light, what is added to colours before they are divided is as large as they are. seen: RGB of the cheeks."""
    light = float(LUMA @ seen) / max(float(LUMA @ person.skin), 1.0)
    amount = 1 - ramp(light, *DARK)
    return _veil(patch.colours, amount, light, 0.0) if amount else None


def _veil(colours: Colours, amount: float, share: float, white: float) -> Veil:
    left = 1 + amount * (float(np.clip(share, LEAST_SHARE, 1)) - 1)
    return Veil(left, amount * white * float(colours.matrix[0].sum()), colours.black)


def _contrast(patch: Patch, face: Face) -> float:
    """How much the luma of lips and skin varies, of how much it does in the reference frame."""
    points = patch.head[[KNOTS[i] for i in OF_FACE]]
    here, usual = (float(np.std(yuv[:, 0])) for yuv in (sampled(patch.planes, patch.pose, points), face.at(OF_FACE)))
    return here / max(usual, 1.0)


def _rounded(values: Array) -> Plane:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)
