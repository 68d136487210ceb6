"""The subject's own upper teeth from several lenders: for the frames that no lender fits, in which they are drawn."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.planes import Colours, to_rgb
from enhance.render.light import chroma, light_between, rgb_of
from enhance.render.lips.shape import shift_of
from enhance.render.subject import SUBJECT, Subject
from enhance.render.teeth.own import NONE, Own, own_teeth

from .lender import LEAST, Lender

WORTH = 0.6  # belief from which a lender's teeth count
SHOWN = 0.5  # opacity from which a pixel's colour is a tooth's
FEWEST = 60  # of them, to tell the teeth's colour


def with_teeth(values: npt.NDArray[np.generic], lenders: list[Lender], colours: Colours) -> Floats:
    """SUBJECT with the teeth that lenders show, the best shown on top; as it was when they show none. Raises ValueError."""
    person = SUBJECT.unpack(values)
    found = [_seen(person, lender, colours) for lender in lenders if lender.belief > WORTH]
    found = sorted((own for own in found if own.texture.any()), key=lambda own: -float(own.texture[..., 3].sum()))
    if not found:
        return np.asarray(values, np.float32)
    texture = found[-1].texture
    for own in reversed(found[:-1]):
        texture = texture * (1 - own.texture[..., 3:]) + own.texture
    best = found[0].texture
    shown = best[best[..., 3] > SHOWN]
    tooth = np.median(shown[:, :3] / shown[:, 3:], axis=0) if len(shown) >= FEWEST else person.tooth
    bite = person.bite + np.array([0.0, found[0].edge, 0.0])
    return SUBJECT.pack(replace(person, teeth=texture.astype(np.float64), tooth=tooth, bite=bite))


def _seen(person: Subject, lender: Lender, colours: Colours) -> Own:
    """A lender's teeth in the light of the subject's reference frame."""
    if min(lender.planes.y.shape) < LEAST:
        return NONE
    rgb = to_rgb(lender.planes, colours)
    bite = person.bite + np.array([0.0, shift_of(person.rest, lender.lips), 0.0])
    flesh = 0.5 * (chroma(person.skin) + chroma(person.lip))
    own = own_teeth(rgb, lender.pose, lender.lips, bite, person.size, flesh)
    texture = own.texture.copy()
    texture[..., :3] *= light_between(person.skin, rgb_of(lender.cheeks, colours))
    return Own(np.minimum(texture, 252).astype(np.float32), own.edge)
