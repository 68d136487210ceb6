"""What lenders show between their lips, beside what would be drawn there: how light it is where lips lie on each other.

docs/decisions/0143.
"""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, ramp
from enhance.geometry.planes import Colours, full_yuv
from enhance.render.light import light_on
from enhance.render.lips.shape import Asked, shift_of
from enhance.render.subject import Subject

from .interior import SLIT, SMALL, Hole, beside_of, certain, hole_of, in_slit, slit_of
from .layers import SEEN
from .lender import Lender
from .merged import Merged, Receiver, places_of, show
from .shade import Shown

LIT_GAP = 0.03  # S between the lips of a frame, from which it shows how the light falls
PRIOR = 0.1  # of a mouth's area, that has the usual light
LEAST, MOST = 0.5, 1.2  # of the usual light
ENDS = (SLIT[1], 0.09, 0.08, 0.07, 0.06)  # S between the lips
BRIGHTEST = 0.85  # quantile of the luma between lips at which teeth are, where any are seen


@dataclass(frozen=True, eq=False)
class BetweenLips:
    """A lender's mouth, h x w pixels. seen: h x w x 3, Y above black, U and V from grey. counts: 0..1, how far a pixel lies
    between the lips. beside, slit: beside_of() and Slit.shade. wide: its width, of the clip's usual. skin, lip: RGB 0..255 in
    the lender's light."""

    lender: Lender
    hole: Hole
    asked: Asked
    seen: Floats
    counts: Floats
    beside: Floats
    slit: Floats
    wide: float
    skin: Array
    lip: Array
    colours: Colours

    @property
    def receiver(self) -> Receiver:
        return Receiver(self.hole, self.asked, self.lender.pose, self.lender.cheeks, self.colours)

    def made(self, lit: float) -> Floats:
        """What in_slit() draws, as `seen`."""
        drawn = in_slit(self.hole, self.beside, self.skin, self.lip, self.colours, lit, self.wide)
        return np.asarray(drawn - self.colours.offset, np.float32)


def between_lips(lender: Lender, person: Subject, colours: Colours, usual: float) -> BetweenLips | None:
    """None where the lender's mouth is shut. usual: S between the corners of the clip's open mouths."""
    lips = lender.lips
    asked = Asked(lips.upper_inner, lips.lower_inner, lips.upper_outer, lips.lower_outer, 0.0, shift_of(person.rest, lips))
    hole = hole_of(asked, lender.pose, lender.planes.area)
    if lips.closed or lips.gap < LIT_GAP or hole is None:
        return None
    counts = hole.opacity * (hole.opacity > SEEN)
    seen = full_yuv(lender.planes, hole.area) - colours.offset
    light = light_on(lender.cheeks, colours, person.skin)
    beside = beside_of(hole, asked, person.rest.width)
    wide = certain(lips.width / usual, lender.pose.scale)
    slit = slit_of(hole, asked.gap, beside, wide).shade
    return BetweenLips(lender, hole, asked, seen, counts, beside, slit, wide, person.skin * light, person.lip * light, colours)


def light_beside(mouths: list[BetweenLips]) -> float:
    """The factor of light with which lips that lie on each other beside a little opening look as in these mouths."""
    sums = np.zeros(3)
    for mouth in mouths:
        # Where nothing else is seen, each mouth by the share of its area.
        counts = mouth.counts * mouth.beside * np.maximum(2 * mouth.slit - 1, 0) / max(float(mouth.counts.sum()), 1.0)
        sums += [float((counts * light).sum()) for light in (mouth.seen[..., 0], mouth.made(1.0)[..., 0], np.ones(1))]
    seen, made, area = sums
    if not area:
        return 1.0
    usual = PRIOR * made / area
    return float(np.clip((seen + usual) / max(made + usual, 1e-3), LEAST, MOST))


def shown_in(merged: Merged, mouth: BetweenLips) -> Shown:
    """The lender's mouth beside what is merged, in its lips and light."""
    slit = mouth.slit[..., None]
    # What is seen in a slit is laid over the shaded inside: the shade is of what is left.
    left = mouth.seen - slit * mouth.made(merged.beside)
    made = (1 - slit) * (show(merged, mouth.receiver) - mouth.colours.offset)
    return Shown(left, made, mouth.counts, places_of(mouth.receiver))


def slit_end(merged: Merged, mouths: list[BetweenLips]) -> float:
    """S between the lips from which all of the inside is seen (slit_of()): with it, the brightest of what is drawn in little
    open mouths is as light as in these. Nearer to SLIT, the fewer and the smaller they are. Their mean would not do: teeth in
    one frame and the dark in another make grey teeth (docs/decisions/0215)."""
    little = [mouth for mouth in mouths if mouth.asked.gap < SLIT[1]]
    if not little:
        return SLIT[1]
    shown = [(mouth, show(merged, mouth.receiver)) for mouth in little]

    def error(end: float) -> float:
        return sum(_too_dark(mouth, inside, merged, end) ** 2 for mouth, inside in shown)

    believed = (1 - 1 / len(little)) * ramp(float(np.median([mouth.lender.pose.scale for mouth in little])), *SMALL)
    return SLIT[1] + believed * (min(ENDS, key=error) - SLIT[1])


def _too_dark(mouth: BetweenLips, inside: Floats, merged: Merged, end: float) -> float:
    """By how many codes of luma the brightest of a mouth is brighter than what would be drawn. end: of its slit."""
    middle = (mouth.counts > SEEN) & (mouth.beside < SEEN)
    if not middle.any():
        return 0.0
    slit = slit_of(mouth.hole, mouth.asked.gap, mouth.beside, mouth.wide, end)
    drawn = slit.over(inside - mouth.colours.offset, mouth.made(merged.beside))
    seen, made = (float(np.quantile(yuv[..., 0][middle], BRIGHTEST)) for yuv in (mouth.seen, drawn))
    return seen - made
