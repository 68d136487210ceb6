"""A mouth of ink, made to show what is asked for: the drawn one taken off the skin, another drawn in its place."""

from dataclasses import dataclass

import numpy as np

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.landmarks import LEFT_CORNER, RIGHT_CORNER
from enhance.geometry.planes import Colours, Plane, Planes, even, from_rgb, full_yuv, paint
from enhance.masks import widened_round
from enhance.picture import LUMA, Mask
from enhance.render.cover.trust import TURNED
from enhance.render.lips.shape import Shape

from .canvas import Canvas
from .erase import erase, with_shade
from .found import find
from .ink import Ink
from .lip_shade import LipShade
from .mouth import STROKE, Drawn
from .shut import ALONG

AT_REST = (0.020, 0.055)  # openings in S that a mouth at rest still has, from which all counts
USUAL_WIDTH = 0.45  # S of a mouth whose openings are taken as they are asked for; smaller ones open less
NARROWEST, WIDEST = 0.65, 1.3  # of the mouth's own width
TO_CHIN = 0.52  # of the room down to the chin that a mouth may open
UPPER_SHARE = 0.18  # of an opening that the upper edge rises
ROUNDED = 0.35  # of its width that a rounded open mouth loses
UNBENT = 0.35  # of the stroke's bow that an open mouth's upper edge loses
DOT_OPENS_AS, DOT_LINE, DOT_RISES = 0.14, 0.2, 0.4
"""S of a mouth that a dot opens as far as; of the dot's width, the line round it when open; and of the opening, what lies above
the dot's middle."""
LIFTED = 0.5  # of the asked height of the upper lip that a stroke follows
TEETH_HEIGHT, MOST_OPEN_TEETH = 0.030, 0.30  # S, and of an opening
STILL = 0.3  # pixels: a mouth that would move by less is left as it is drawn
SEATED = 0.5  # how much of where an open source mouth sits says where the mouth sits
THIN = 2.5  # pixels across a line that has less than its colour
PALER, RIM, RIM_SETS_IN = 1.1, 0.65, 0.06
"""Of the fill's luma, from which a line is paler than what it encloses; what it has then; and S by which the mouth is open."""
ASTRAY, NARROW = 0.15, 0.65
"""S from the mesh's mouth, beyond which what is found may be a nose, where the mouth goes on into the outline of the chin; and
of the subject's mouth, how wide it is then at most: small mouths of chibi lie as far."""
EDGE = 2.0  # pixels round the drawn mouth that its edge takes, with what is blurred beyond


@dataclass(frozen=True)
class Contours:
    """In plane coordinates, len(ALONG) x 2; thickness in S."""

    upper: Array
    lower: Array
    upper_thick: Array
    lower_thick: Array
    opening: float


def redraw(planes: Planes, colours: Colours, head: Array, pose: Pose, shape: Shape, ink: Ink) -> tuple[Planes, Plane]:
    """The patch with the drawn mouth in `shape`, and its mask; as it is with an empty mask where no mouth is seen."""
    mask = np.zeros(planes.y.shape, np.uint8)
    drawn = find(planes, head, pose, white=True, shaded=True, no_darker=True) if abs(pose.yaw) < TURNED[1] else None
    if drawn is None or _is_other(drawn, ink, head, pose):
        return planes, mask
    contours = _contours(shape, ink, _ends(ink, drawn))
    area = _area(contours, drawn, pose, planes.area)
    hole = _hole(drawn, pose, area, EDGE + 2.5 * ink.soft * pose.scale)
    hole = with_shade(hole, full_yuv(planes, area), pose.scale)
    part = mask[area.slices]
    part[hole] = 255
    if _is_there(contours, ink, drawn, pose):
        return planes, mask
    out = planes.copy()
    shade = LipShade.under(drawn, contours.lower, pose, area)
    _take_off(out, hole if shade is None else hole | shade.hole, area)
    if shade is not None:
        colours_there, opacity = shade.moved(full_yuv(planes, area))
        paint(out, colours_there, opacity, area)
        part[shade.hole | (opacity > 0)] = 255
    for colour, opacity in _layers(contours, shape, ink, pose, area):
        yuv = from_rgb(colour.astype(np.float32), colours)
        paint(out, np.broadcast_to(yuv, (*opacity.shape, 3)), opacity, area)
        np.maximum(part, np.ceil(opacity * 255).astype(np.uint8), out=part)
    return out, mask


def _is_other(drawn: Drawn, ink: Ink, head: Array, pose: Pose) -> bool:
    """Whether what was found is something else than the subject's mouth."""
    corners = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]]).mean(axis=0)
    return bool(drawn.width < NARROW * ink.width and np.linalg.norm(drawn.ends.mean(axis=0) - corners) > ASTRAY)


def _ends(ink: Ink, drawn: Drawn) -> Array:
    """The corners at rest in this frame: moved as a whole to where this frame's mouth is."""
    share = 1 + ramp(drawn.open, STROKE, 2 * STROKE) * (SEATED - 1)
    return np.asarray(ink.ends + share * (drawn.ends.mean(axis=0) - ink.seat))


def opening_of(shape: Shape, ink: Ink) -> float:
    """How far the drawn mouth opens, in S: less on a small mouth, and never down to the chin."""
    asked = shape.opening * ramp(shape.opening, *AT_REST)
    width = max(ink.width, DOT_OPENS_AS) if ink.is_dot else ink.width
    wanted = 1.15 * asked * min(1.0, (width / USUAL_WIDTH) ** 0.5)
    most = TO_CHIN * ink.room
    return float(wanted / (1 + (wanted / max(most, 1e-3)) ** 3) ** (1 / 3))


def _contours(shape: Shape, ink: Ink, ends: Array) -> Contours:
    opening = opening_of(shape, ink)
    if ink.is_dot:
        return _round_contours(shape, ink, ends, opening)
    typical = ink.thickness
    parted = ramp(opening, 0.0, 0.10)
    ratio = _wider(shape, ink) * (1 - ROUNDED * shape.rounding * parted)
    small = min(1.0, ink.width / USUAL_WIDTH)
    middle, half = ends.mean(axis=0), (ends[1] - ends[0]) / 2 * ratio
    line = middle + ALONG[:, None] * half
    arch = 1 - ALONG**2
    line[:, 1] -= small * (shape.corners * ALONG**2 + LIFTED * shape.upper * arch)
    bow = ink.bow * ratio * (1 - UNBENT * parted)
    arched = arch * float(bow @ arch / (arch @ arch))
    rise = UPPER_SHARE * (1 + shape.rounding) * opening
    upper, lower = line.copy(), line.copy()
    upper[:, 1] += bow - rise * arch**0.7
    power = 2.4 - 0.4 * shape.rounding
    # A jaw bends evenly, whatever the stroke was: but a lower edge never lies above the upper one.
    lower[:, 1] += (
        bow + parted * (arched - bow) + (opening - rise) * (1 - np.abs(ALONG) ** power) ** (0.6 - 0.1 * shape.rounding)
    )
    lower[:, 1] = np.maximum(lower[:, 1], upper[:, 1])
    outline = ramp(opening, 0.0, 2 * typical)
    taper = np.clip(5 * (1 - np.abs(ALONG)), 0.5, 1)
    upper_thick = np.maximum(ink.thick, outline * 0.85 * typical * taper)
    return Contours(upper, lower, upper_thick, outline * 0.85 * typical * taper, opening)


def _round_contours(shape: Shape, ink: Ink, ends: Array, opening: float) -> Contours:
    """A dot that opens as a round mouth with a thin line: it gets as wide as it is high."""
    sets_in = ramp(opening, 0.0, 2 * ink.thickness)
    ratio = _wider(shape, ink) * (1 - ROUNDED * shape.rounding * sets_in)
    half = (ends[1] - ends[0]) / 2 * max(1.0, opening / ink.width) * ratio
    line = ends.mean(axis=0) + ALONG[:, None] * half
    line[:, 1] += (1 - sets_in) * ink.bow
    arch = np.sqrt(1 - ALONG**2)
    upper, lower = line.copy(), line.copy()
    upper[:, 1] -= DOT_RISES * opening * arch
    lower[:, 1] += (1 - DOT_RISES) * opening * arch
    thick = (1 - sets_in) * ink.thick + sets_in * DOT_LINE * ink.width
    return Contours(upper, lower, thick, thick, opening)


def _wider(shape: Shape, ink: Ink) -> float:
    """How many times as wide as it is drawn the mouth is asked for."""
    return float(np.clip(1 + (shape.width - ink.wide) / max(ink.wide, 0.25), NARROWEST, WIDEST))


def _area(contours: Contours, drawn: Drawn, pose: Pose, within: Area) -> Area:
    """All that changes, and skin round it to take from; even, as chroma asks."""
    box = np.array([[drawn.columns.start, drawn.top.min()], [drawn.columns.stop, drawn.bottom.max()]])
    (left, top), (right, bottom) = drawn.place(box)
    corners = np.array([[left, top], [right, top], [left, bottom], [right, bottom]])
    spread = np.array([[-0.06, -0.2], [0.06, -0.2], [-0.06, 0.2], [0.06, 0.2]])
    pixels = pose.to_pixels(np.vstack([corners + spread, contours.upper, contours.lower]))
    return even(Area.around(pixels, 6 + round(0.03 * pose.scale)), within)


def _hole(drawn: Drawn, pose: Pose, area: Area, blurred: float) -> Mask:
    """The drawn mouth's pixels and those up to `blurred` round it, and a few more in a large picture."""
    return widened_round(drawn.covers(pose, area) > 0.25, round(blurred + 0.004 * pose.scale))


def _is_there(contours: Contours, ink: Ink, drawn: Drawn, pose: Pose) -> bool:
    """Whether the frame shows this mouth already: a stroke, where a stroke is asked for."""
    if contours.opening or not drawn.shut:
        return False
    ends = drawn.ends
    rest = ends.mean(axis=0) + ALONG[:, None] * (ends[1] - ends[0]) / 2
    rest[:, 1] += ink.bow
    # The frame's own ends are read to a sample; where only they differ, nothing was asked to move.
    apart = contours.upper - contours.upper.mean(axis=0) - (rest - rest.mean(axis=0))
    return bool(np.abs(apart).max() * pose.scale < STILL + 0.5)


def _take_off(out: Planes, hole: Mask, area: Area) -> None:
    paint(out, erase(full_yuv(out, area), hole), hole.astype(np.float32), area)


def _layers(contours: Contours, shape: Shape, ink: Ink, pose: Pose, area: Area) -> list[tuple[Array, Floats]]:
    """Colours and how much they cover each pixel of the area, in the order of painting."""
    canvas = Canvas(pose, area, ink.soft * pose.scale)
    upper, lower, opening = contours.upper, contours.lower, contours.opening
    line = np.maximum(canvas.strip(upper, contours.upper_thick), canvas.strip(lower, contours.lower_thick))
    if not opening:
        return [(ink.stroke, canvas.averaged(line))]
    inside = canvas.polygon(np.vstack([upper, lower[::-1]]))
    layers = [(ink.fill, canvas.averaged(inside))]
    if ink.hollow:
        return [*layers, (ink.stroke, canvas.averaged(line))]
    half = len(ALONG) // 2
    middle, bottom = lower[half], float(lower[half, 1])
    wide = float(lower[-1, 0] - lower[0, 0]) / 2
    deep = opening / max(2 * wide, 1e-3)
    high = opening * max(0.42 * ramp(deep, 0.22, 0.5), 0.7 * shape.tongue * ramp(deep, 0.12, 0.3))
    if high * pose.scale > 1:
        turn = np.linspace(0, 2 * np.pi, 48)
        dome = np.array([middle[0], bottom + 0.25 * high]) + np.stack(
            [0.66 * wide * np.cos(turn), 1.25 * high * np.sin(turn)], 1
        )
        layers.append((ink.tongue, canvas.averaged(np.minimum(canvas.polygon(dome), inside))))
    high = _teeth(shape, opening, wide, ink)
    if high * pose.scale > 1:
        edge = upper + np.stack([np.zeros_like(ALONG), high * (1 - ALONG**6) + np.median(contours.upper_thick) / 2], 1)
        layers.append((ink.tooth, canvas.averaged(np.minimum(canvas.polygon(np.vstack([upper, edge[::-1]])), inside))))
    return [*layers, (_rim(ink, opening, pose.scale), canvas.averaged(line))]


def _rim(ink: Ink, opening: float, scale: float) -> Array:
    """The colour of the line round an open mouth. scale: pixels per S. A thin line on skin is seen paler than it was drawn."""
    line, fill = float(LUMA @ ink.stroke), float(LUMA @ ink.fill)
    if line <= PALER * fill or float(np.median(ink.thick)) * scale > THIN:
        return ink.stroke
    return ink.stroke * (1 + ramp(opening, 0.0, RIM_SETS_IN) * (RIM * fill / line - 1))


def _teeth(shape: Shape, opening: float, wide: float, ink: Ink) -> float:
    """Height of the band of teeth in S: a mouth that is spread shows it, a round one does not; F shows it alone."""
    spread = 0.0 if ink.is_dot else max(ramp(2 * wide / max(ink.width, 1e-3), 1.01, 1.09), 0.9 * ink.teeth)
    spread *= 1 - ramp(shape.rounding, 0.1, 0.4)
    band = min(TEETH_HEIGHT * min(1.0, ink.width / USUAL_WIDTH) + 0.006, MOST_OPEN_TEETH * opening)
    return band * max(spread, ramp(shape.labiodental, 0.2, 0.6))
