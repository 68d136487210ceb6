"""Where the subject's teeth end and what colour they have, and the colours behind them, as several lenders show them.

docs/decisions/0186.
"""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.head import Array
from enhance.geometry.planes import Colours, to_rgb
from enhance.masks import narrowed
from enhance.picture import LUMA
from enhance.render.light import light_between, rgb_of
from enhance.render.lips.shape import shift_of
from enhance.render.subject import Subject
from enhance.render.teeth.own import Flesh, Own, own_teeth

from .lender import LEAST, Lender

WORTH = 0.6  # belief above which a lender's teeth count
FEWEST = 60  # pixels of teeth, to measure their colour, and of what is behind, to measure that
NO_TOOTH = 0.6  # luma, of a tooth's
PARTED = 0.13  # S between the lips from which the dark behind the teeth is seen; a narrower mouth shows the lips' shade
BEHIND = 0.25
"""Share of what is between the lips that is darker than teeth, from which it is what lies behind them. Where rows of teeth meet
it is .24 at most, and is the gaps between teeth and the shade of the lips: three times as light as a hole."""
TONGUE_LIGHT = 0.75  # of the tongue's colour, at which it is drawn where it is lightest


def with_teeth(person: Subject, lenders: list[Lender], colours: Colours) -> Subject:
    """The subject with the teeth of the lender that shows most of them, and with the colours that lenders show behind them; as
    it was when they show none."""
    person = _coloured(person, lenders, colours)
    found = [own for lender in lenders if lender.belief > WORTH and (own := _seen(person, lender, colours))]
    if not found:
        return person
    best = max(found, key=lambda own: own.area)
    tooth = np.median(best.colours, axis=0) if len(best.colours) >= FEWEST else person.tooth
    return replace(person, tooth=tooth, bite=person.bite + np.array([0.0, best.edge, 0.0]))


def _coloured(person: Subject, lenders: list[Lender], colours: Colours) -> Subject:
    """The subject with the cavity and the tongue as its lenders show them."""
    seen = [_behind(person, lender, colours) for lender in lenders if lender.belief > WORTH]
    shown = [colour for colour in seen if colour is not None]
    if not shown:
        return person
    cavity, tongue = np.median(np.array(shown), axis=0)
    return replace(person, cavity=cavity, tongue=np.minimum(tongue / TONGUE_LIGHT, person.lip))


def _behind(person: Subject, lender: Lender, colours: Colours) -> Array | None:
    """RGB of the darkest quarter and of the middle half of what a lender shows behind its teeth, 2 x 3, in the light of the
    reference; None where it shows little. The less of the mouth it is, the more the subject's usual colours count."""
    if lender.lips.gap < PARTED:
        return None
    rgb = to_rgb(lender.planes, colours)
    hole = np.zeros(rgb.shape[:2], np.uint8)
    contour = lender.pose.to_pixels(lender.pose.to_plane(lender.lips.inner_ring))
    cv2.fillPoly(hole, [np.round(contour).astype(np.int32)], (1,))
    inside = narrowed(hole, 1)
    pixels = np.maximum(rgb[inside], 0) * light_between(person.skin, rgb_of(lender.cheeks, colours))
    luma = pixels @ LUMA
    pixels = pixels[np.argsort(luma)][: int((luma < NO_TOOTH * float(LUMA @ person.tooth)).sum())]
    if len(pixels) < FEWEST:
        return None
    dark, middle = np.split(pixels, [len(pixels) // 4, 3 * len(pixels) // 4])[:2]
    usual, seen = np.array([person.cavity, person.tongue * TONGUE_LIGHT]), np.array([dark.mean(axis=0), middle.mean(axis=0)])
    return np.asarray(usual + min(1.0, len(pixels) / (BEHIND * len(luma))) * (seen - usual))


def _seen(person: Subject, lender: Lender, colours: Colours) -> Own | None:
    """A lender's teeth, in the light of the subject's reference frame."""
    if min(lender.planes.y.shape) < LEAST:
        return None
    rgb = to_rgb(lender.planes, colours)
    bite = person.bite + np.array([0.0, shift_of(person.rest, lender.lips), 0.0])
    cheeks = rgb_of(lender.cheeks, colours)
    flesh = Flesh.of(person.skin, person.lip, float(LUMA @ cheeks))
    own = own_teeth(rgb, lender.pose, lender.lips, bite, person.size, flesh)
    return own and replace(own, colours=np.minimum(own.colours * light_between(person.skin, cheeks), 252))
