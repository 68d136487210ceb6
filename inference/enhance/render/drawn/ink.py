"""A mouth that is drawn with ink, measured once for a clip."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from enhance.geometry.area import Area
from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import CHIN
from enhance.geometry.planes import Colours, Planes, even, full_yuv
from enhance.masks import widened
from enhance.record import Shape
from enhance.render.lips.outline import mouth_width

from .erase import SHADE_REACHES, has_band
from .found import find
from .looks import goes_on, has_lips, inked_round, outline_below, roughness, shows_lit_lips, shows_white_first, softness
from .mouth import Drawn, is_there
from .palette import palette_of
from .shut import SAMPLES, shut, stroke_of

RIM = 3  # pixels round a mouth that its edge takes
DOT = 0.3  # of its width that a dot is thick, at least
EVEN, ROUGHEST = 0.4, 0.5  # skin in flat drawings: 0.0-0.4, in photographs, paintings and shaded illustrations: 0.6-4


@dataclass(frozen=True)
class Ink:
    """The drawn mouth of a subject, closed. Lengths in S, places in plane coordinates, colours RGB 0..255."""

    ends: Annotated[Array, Shape(2, 2)]
    """The corners, left and right."""
    seat: Annotated[Array, Shape(2)]
    """The middle between them as Drawn.ends has them, by which other frames are compared."""
    bow: Annotated[Array, Shape(SAMPLES)]
    """How far the stroke lies below the line between its ends."""
    thick: Annotated[Array, Shape(SAMPLES)]
    """Of the stroke, 0 in its gaps."""
    wide: float
    """Width of the mesh's mouth in the same frame, by which targets are measured."""
    soft: float
    """Sigma of the drawing's edges, less that of an edge that was drawn sharply."""
    room: float
    """From the mouth down to the chin's outline."""
    teeth: bool
    """Whether the frame shows teeth."""
    stroke: Annotated[Array, Shape(3)]
    fill: Annotated[Array, Shape(3)]
    tongue: Annotated[Array, Shape(3)]
    tooth: Annotated[Array, Shape(3)]

    @property
    def width(self) -> float:
        """Between the corners."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    @property
    def thickness(self) -> float:
        """Of the stroke, the median without its gaps."""
        return float(np.median(self.thick[self.thick > 0])) if (self.thick > 0).any() else 0.0

    @property
    def is_dot(self) -> bool:
        """Whether it is too short for its thickness to be a line."""
        return self.thickness > DOT * self.width

    @property
    def hollow(self) -> bool:
        """Whether it is nothing but lines, open as well: see palette_of()."""
        return bool((self.fill == self.tongue).all())


def ink_of(planes: Planes, colours: Colours, head: Array, pose: Pose, *, outlined: bool = False) -> Ink | None:
    """The subject's drawn mouth from one frame; None where the mouth has lips, or there is none that can be read.

    outlined: whether the face is drawn in outline (outlines.py). Its skin may be painted.
    """
    drawn = find(planes, head, pose, white=True, no_darker=True)
    if drawn is None or goes_on(drawn):
        return None
    rough, outlined = roughness(drawn), outlined and is_there(drawn, head, pose)
    if rough > ROUGHEST and not outlined:
        return None
    # Where the skin is painted, so is what the line of a mouth encloses: what is pale at its rim need not be lips.
    if has_lips(drawn) and not (rough > EVEN and outlined and inked_round(drawn)):
        return None
    drawn = find(planes, head, pose, white=True, shaded=True, no_darker=True) or drawn
    if not drawn.shut and ((not outlined and _in_lips(drawn, planes, pose)) or _has_lit_lips(drawn, planes, pose)):
        return None
    if drawn.shut and drawn.of_teeth:
        return None
    if drawn.shut:
        ends, bow, thick = stroke_of(drawn)
    else:
        ends, bow, thick = shut(drawn)
    chin = float(pose.to_plane(head[CHIN])[1]) - float(ends[:, 1].mean())
    colour = palette_of(planes, colours, pose, drawn)
    return Ink(
        ends=ends,
        seat=drawn.ends.mean(axis=0),
        bow=bow,
        thick=thick,
        wide=mouth_width(head),
        soft=softness(drawn),
        room=float(min(max(chin, 0.05), outline_below(drawn))),
        teeth=colour.teeth,
        stroke=colour.stroke,
        fill=colour.fill,
        tongue=colour.tongue,
        tooth=colour.tooth,
    )


def _has_lit_lips(drawn: Drawn, planes: Planes, pose: Pose) -> bool:
    """Whether an open mouth is of lips that are as light as the skin, with neither a line round them nor teeth first."""
    return not inked_round(drawn) and shows_lit_lips(drawn, planes, pose) and not shows_white_first(drawn, planes, pose)


def _in_lips(drawn: Drawn, planes: Planes, pose: Pose) -> bool:
    """Whether lips about as light as the skin surround an open mouth: `find` takes them for skin."""
    corners = np.array([[drawn.columns.start, drawn.top.min()], [drawn.columns.stop, drawn.bottom.max()]])
    margin = RIM + 2 * SHADE_REACHES * pose.scale
    area = even(Area.around(pose.to_pixels(drawn.place(corners)), margin), planes.area)
    hole = widened(drawn.covers(pose, area) > 0.25, RIM)
    return has_band(hole, full_yuv(planes, area), pose.scale)
