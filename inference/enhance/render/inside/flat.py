"""What an open mouth with lips shows in a flat drawing: the dark, the tongue and the teeth, each in one colour, edges sharp."""

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.render.drawn.palette import tooth_drawn
from enhance.render.lips.outline import MIDPOINT
from enhance.render.lips.shape import Asked, Shape
from enhance.render.subject import Subject

from .interior import Hole, bite_of, met_lips

DARK = 0.3  # times the light of the lips
FEATHER = 0.0  # S: an edge is as sharp as pixels are
MOST_TEETH = 0.5  # of what is open at a place: above a dark that is as high at least
CORNERS = (0.75, 0.95)  # of half the mouth's width, between which teeth end: in the corners it is dark
ROUND = (0.1, 0.6)  # rounding between which no teeth are left
TONGUE = (0.62, 0.42)  # half its width, of the mouth's; its height, of the opening
LOW = (0.08, 0.16)  # S: openings between which the tongue comes up


def flat_interior(hole: Hole, shape: Shape, asked: Asked, pose: Pose, person: Subject) -> Floats:
    """RGB 0..255 for the hole's area, h x w x 3."""
    upper, lower = pose.to_plane(asked.upper_inner), pose.to_plane(asked.lower_inner)
    centre, half = float(upper[MIDPOINT, 0]), max(0.02, float(upper[-1, 0] - upper[0, 0]) / 2)
    floor, opening = float(lower[MIDPOINT, 1]), float((lower - upper)[:, 1].max())
    colour = np.broadcast_to(DARK * met_lips(person.skin, person.lip), (*hole.x.shape, 3))

    high = opening * max(TONGUE[1] * ramp(opening, *LOW), 0.7 * shape.tongue)
    if high * pose.scale > 1:
        away = np.hypot((hole.x - centre) / (TONGUE[0] * half), (hole.y - floor) / high)
        colour = _over(colour, person.tongue, (1 - away) * high, pose)
    bite = float(pose.to_plane(bite_of(person, asked)[None])[0, 1])
    share = MOST_TEETH * (1 - ramp(shape.rounding, *ROUND))
    shares = share * (1 - smoothstep(np.abs(hole.x - centre) / half, *CORNERS))
    teeth = np.minimum(bite, hole.top + shares * (hole.bottom - hole.top)) - hole.y
    teeth = np.where(shares > 0, teeth, -np.inf)
    return _over(colour, tooth_drawn(person.skin), teeth, pose)


def _over(under: Array, colour: Array, inside: Array, pose: Pose) -> Floats:
    """A colour laid over others. inside: S from its edge, h x w, above 0 within it."""
    opacity = np.clip(inside * pose.scale + 0.5, 0, 1)[..., None]
    return np.asarray(under + opacity * (colour - under), np.float32)
