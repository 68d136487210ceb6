"""The lips as they are in the picture: four contours, with the dark line between closed lips found in the pixels."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, median, ramp, smoothstep
from enhance.geometry.landmarks import (
    LEFT_CORNER,
    LOWER_INNER,
    LOWER_LIP,
    LOWER_OUTER,
    RIGHT_CORNER,
    UPPER_INNER,
    UPPER_LIP,
    UPPER_OUTER,
)
from enhance.geometry.planes import Plane, Planes
from enhance.record import Shape

from .column import AROUND, column
from .redness import LipsAndSkin, redness

SAMPLES = 21
"""Points on each contour, from the corner at the picture's left (61) to that at its right (291)."""

Contour = Annotated[Array, Shape(SAMPLES, 3)]

MIDPOINT = SAMPLES // 2
"""The index of a contour's middle point."""
ALONG = np.linspace(-1, 1, SAMPLES)
HELD = 1 - ALONG**8  # contours stay together at the corners

CLOSED, OPEN = 0.012, 0.032  # inner gaps, in S, at which lips are wholly taken as closed, as open
REACH = 0.035  # how far from the mesh the lips are looked for
STEPS = 21
STIFFNESS = 0.12  # of what is found, against what the pixels say
TEMPERATURE = 0.06
LOWER = 0.010
"""S that a lower lip which is apart from the upper one lies below where the mesh has it (means of eight people: .010 its inner
edge, .011 its outer one), in a picture without colour, where redness does not find it (docs/decisions/0177)."""
NOISE = 6.0  # grey levels of evidence that count little
LEAST_THICK = 0.8
"""Of the mesh's thickness of an upper lip, what is left of it below its outer edge: where it is too dark for redness, its inner
edge is not found."""
BESIDE = 0.025  # how much of what lies beside a lip is compared with it, in S

MIDDLE = 0.5  # of the half width, where teeth are looked for between lips that the mesh takes for closed
TOOTH_LUMA = 0.6  # luma of the lips', from which it may be a tooth
LESS_RED, LEAST_LESS = 0.28, 12.0  # how much less V - U a tooth has than the lips, of theirs and in grey levels
TEETH = (0.1, 0.3)  # share of the middle in which teeth are seen, of lips that are closed, and open

STEP, FARTHEST = 0.004, 0.036
BESIDE_CORNERS = STEP * np.arange(-20, 20)
"""S outwards from a corner, along the chord between both: dark that goes on to FARTHEST at most, and beyond it the skin."""
DARK = (0.25, 0.75)  # how far below the skin, of what the mouth's inside is: from the first it may be the inside, above it is
CONTRAST = (20.0, 50.0)  # grey levels between skin and inside, from which this begins to count, and counts in full
TO_CORNERS = np.stack([np.clip(-ALONG, 0, 1), np.clip(ALONG, 0, 1)], axis=1) ** 4
"""SAMPLES x 2: how far each point of a contour goes along with either corner."""

OFFSETS = np.linspace(-REACH, REACH, STEPS)
SCALED = 5  # points after which beliefs are scaled to 1: of all twenty the product could be too small for a number
LEVEL = 0.3 * (OFFSETS / REACH) ** 2  # what it costs to be away from the mesh
BOND = np.exp(-STIFFNESS * np.abs(np.subtract.outer(np.arange(STEPS), np.arange(STEPS))) ** 1.5)
FIRST, RED_STEP = -(REACH + BESIDE), 0.006  # S: where the reds above and below a point begin, and between them
BESIDES = np.clip(np.add.outer(np.arange(SAMPLES), np.arange(-2, 3)), 0, SAMPLES - 1)
"""SAMPLES x 5: of each point of a contour, itself and the two to either side."""


def _curve(count: int) -> Array:
    """SAMPLES x count: a Catmull-Rom curve through `count` points."""
    points = np.eye(count)
    at = np.linspace(0, count - 1, SAMPLES)
    i = np.clip(at.astype(int), 0, count - 2)
    f = (at - i)[:, None]
    ends = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    a, b, c, d = ends[i], ends[i + 1], ends[i + 2], ends[i + 3]
    return np.asarray(0.5 * (2 * b + (c - a) * f + (2 * a - 5 * b + 4 * c - d) * f**2 + (3 * b - a - 3 * c + d) * f**3))


CURVE = _curve(len(UPPER_INNER))


@dataclass(frozen=True)
class Lips:
    """Contours in head coordinates, SAMPLES x 3 each."""

    upper_inner: Contour
    lower_inner: Contour
    upper_outer: Contour
    lower_outer: Contour
    gap: float
    """Distance of the inner lips (13-14)."""
    width: float
    """Distance of the mesh's corners (61-291). Contours of lips that are apart may end farther out: where their dark does."""
    closed: float
    """1 where the lips touch, 0 where they are apart."""

    @property
    def opening(self) -> float:
        """S between the inner lips; 0 where they touch."""
        return self.gap * (1 - self.closed)

    @property
    def middle(self) -> Array:
        """Half way between the inner contours, SAMPLES x 3."""
        return (self.upper_inner + self.lower_inner) / 2

    @property
    def outer_ring(self) -> Array:
        """The outer contour all the way round, 2 SAMPLES x 3."""
        return np.vstack([self.upper_outer, self.lower_outer[::-1]])

    @property
    def inner_ring(self) -> Array:
        """The inner contour all the way round, 2 SAMPLES x 3."""
        return np.vstack([self.upper_inner, self.lower_inner[::-1]])

    @property
    def spread(self) -> float:
        """Distance of the contours' corners."""
        return float(np.linalg.norm(self.upper_outer[-1] - self.upper_outer[0]))


def lips_of(head: Array, pose: Pose, planes: Planes) -> Lips:
    """The lips of a face. head: its mesh in head coordinates."""
    upper, lower, top, bottom = (CURVE @ head[list(i)] for i in (UPPER_INNER, LOWER_INNER, UPPER_OUTER, LOWER_OUTER))
    upper, lower = _towards_corners(upper, head), _towards_corners(lower, head)
    face = LipsAndSkin.of(planes, pose, head)
    red = redness(planes, face)
    gap = float(np.linalg.norm(head[UPPER_LIP] - head[LOWER_LIP]))
    closed = 1 - ramp(gap, CLOSED, OPEN)
    if closed:
        closed *= 1 - _parted((upper + lower) / 2, top, bottom, pose, planes.y, red)
    edge = top.copy()
    edge[:, 1] += HELD * _begins(top, closed, pose, planes, face.towards)
    if closed < 1:
        supposed = upper.copy(), lower.copy()
        thick = (upper - top)[:, 1]
        up, down = _paths(np.stack([_red_band(top, upper, pose, red), _red_band(lower, bottom, pose, red)]))
        for contour, shift in ((upper, up), (lower, down), (bottom, down)):
            contour[:, 1] += (1 - closed) * HELD * shift
        edges = np.stack([_red_edge(contour, into, pose, red) for contour, into in ((upper, -1), (lower, 1))])
        for contour, shift in zip((upper, lower), _paths(edges), strict=True):
            contour[:, 1] += (1 - closed) * HELD * shift
        upper[:, 1] += (1 - closed) * np.maximum(edge[:, 1] + LEAST_THICK * thick - upper[:, 1], 0)
        if not red.any() and face.differ_in_light_alone:
            for contour in (lower, bottom):
                contour[:, 1] += (1 - closed) * HELD * LOWER
        _uncross(upper, lower, *supposed)
        outwards = TO_CORNERS @ ((1 - closed) * _dark_beside(upper, lower, pose, planes.y))
        for contour in (upper, lower, edge, bottom):
            contour[:] += outwards
        gap += (1 - closed) * float((lower - upper)[MIDPOINT, 1] - gap)
    if closed:
        line = _dark_line((upper + lower) / 2, pose, planes.y)
        upper, lower = upper + closed * (line - upper), lower + closed * (line - lower)
    return Lips(upper, lower, edge, bottom, max(gap, 0.0), mouth_width(head), closed)


def mouth_width(head: Array) -> float:
    """Distance of the corners of a mesh (478 x 3, head coordinates)."""
    return float(np.linalg.norm(head[LEFT_CORNER] - head[RIGHT_CORNER]))


def lips_at(pose: Pose, lips: Lips, x: Array) -> tuple[Array, Array]:
    """y of the upper and of the lower lip's inner contour at x, in the frame's plane; beside the mouth, lips that cross."""
    upper, lower = pose.to_plane(lips.upper_inner), pose.to_plane(lips.lower_inner)
    top = np.interp(x, upper[:, 0], upper[:, 1], left=np.inf, right=np.inf)
    return top, np.interp(x, lower[:, 0], lower[:, 1], left=-np.inf, right=-np.inf)


def _parted(line: Array, top: Array, bottom: Array, pose: Pose, luma: Plane, red: Floats) -> float:
    """0..1, how far teeth are seen along the `line` on which lips close: there it is about as light as lips, and less red."""
    middle = np.abs(ALONG) < MIDDLE

    def seen(at: Array) -> tuple[Array, Array]:
        darkest, reds = column(luma, 1, at, AROUND, pose).min(axis=1), column(red, 2, at, AROUND, pose).mean(axis=1)
        return darkest[middle], reds[middle]

    lips = (line + top) / 2, (line + bottom) / 2
    (here, red_here), (above, red_above), (below, red_below) = (seen(at) for at in (line, *lips))
    lip_luma, lip_red = (float(median(np.concatenate(both))) for both in ((above, below), (red_above, red_below)))
    # Lips above and below it are red: what covers them too is no tooth.
    less = np.minimum(red_above, red_below) - red_here > max(LESS_RED * lip_red, LEAST_LESS)
    teeth = (here > TOOTH_LUMA * lip_luma) & less
    return ramp(float(teeth.mean()), *TEETH)


def _dark_beside(upper: Array, lower: Array, pose: Pose, luma: Plane) -> Array:
    """From each corner, 2 x 3, to where the dark of the open mouth ends: the mesh may have the corners inside of it.

    What is left out stays beside lips that shut, as a dark hook.
    """
    middle = (upper + lower) / 2
    chord = middle[-1] - middle[0]
    outwards = np.stack([-chord, chord]) / max(float(np.linalg.norm(chord)), 1e-6)
    probes = middle[[0, -1], None] + BESIDE_CORNERS[:, None] * outwards[:, None]
    seen = column(luma, 1, probes.reshape(-1, 3), AROUND, pose, _blur(pose)).mean(axis=1).reshape(2, -1)
    inside = seen[:, BESIDE_CORNERS < 0].min(axis=1, keepdims=True)
    skin = seen[:, BESIDE_CORNERS > FARTHEST].mean(axis=1, keepdims=True)
    within = seen[:, (BESIDE_CORNERS >= 0) & (BESIDE_CORNERS <= FARTHEST)]
    contrast = np.maximum(skin - inside, 1)
    dark = smoothstep((skin - within) / contrast, *DARK)
    far = STEP * np.cumprod(dark, axis=1).sum(axis=1, keepdims=True) * smoothstep(contrast, *CONTRAST)
    return np.asarray(far * outwards)


def _uncross(upper: Array, lower: Array, supposed_upper: Array, supposed_lower: Array) -> None:
    """Where the inner contours cross, lets them touch, nearer to the one that was found closer to where the mesh has it."""
    at_upper = np.interp(upper[:, 0], lower[:, 0], lower[:, 1])
    crossed = np.maximum(upper[:, 1] - np.minimum(at_upper, lower[:, 1]), 0)
    moved = [np.abs(found - before)[:, 1] + 1e-6 for found, before in ((upper, supposed_upper), (lower, supposed_lower))]
    share = moved[0] / (moved[0] + moved[1])
    upper[:, 1] -= share * crossed
    lower[:, 1] += (1 - share) * crossed


def _towards_corners(line: Array, head: Array) -> Array:
    """Lips part, or touch, nearly as far as the outer corners: farther than the mesh's inner ones."""
    left, right = head[RIGHT_CORNER] - line[0], head[LEFT_CORNER] - line[-1]
    weight = 0.75 * np.abs(ALONG[:, None]) ** 4
    return np.asarray(line + weight * np.where(ALONG[:, None] < 0, left, right))


def _blur(pose: Pose) -> float:
    """Sigma in pixels by which luma is blurred before dark lines are looked for in it."""
    return max(0.6, 0.006 * pose.scale)


def _dark_line(line: Array, pose: Pose, luma: Plane) -> Array:
    """The dark ridge along `line`: darker than what is above and below, so that a moustache does not draw it up."""
    seen = column(luma, 1, line, OFFSETS, pose, _blur(pose))
    side = 3
    wide = np.pad(seen, ((0, 0), (side, side)), "edge")
    ridge = np.maximum(0, np.minimum(wide[:, : -2 * side], wide[:, 2 * side :]) - seen)
    moved = line.copy()
    moved[:, 1] += _paths(ridge[None])[0]
    return moved


def _red_band(above: Array, below: Array, pose: Pose, red: Floats) -> Array:
    """Evidence, SAMPLES x STEPS, of how far down one lip, between two contours, is from where the mesh has it.

    A lip is redder than the skin on its one side and the teeth or the dark on its other.
    """
    thick = np.maximum((below - above)[:, 1], 0.01)
    top = np.broadcast_to(OFFSETS, (SAMPLES, STEPS))
    bottom = top + thick[:, None]
    reds = column(red, 2, above, _searched(float(thick.max())), pose)
    skin, lip, teeth = _means(reds, top - BESIDE, top, bottom, bottom + BESIDE)
    contrast = lip - np.maximum(skin, teeth)
    return np.asarray(np.maximum(contrast - contrast.min(axis=1, keepdims=True), 0))


def _begins(top: Array, closed: float, pose: Pose, planes: Planes, towards: Array) -> Array:
    """How far down from `top`, SAMPLES, the upper lip begins: where skin becomes lip by all of its colour.

    Such a lip lies in its own shade. What is dark has little chroma: by redness alone the skin above it would be the lip.
    towards: LipsAndSkin.towards. Of closed lips, one number: towards the corners their line is an edge as well.
    docs/decisions/0263.
    """
    sampled = ((planes.y, 1), (planes.u, 2), (planes.v, 2))
    seen = np.tensordot(towards, [column(plane, coarser, top, EDGE_DEPTHS, pose) for plane, coarser in sampled], 1)
    shifts = _paths(np.maximum(seen @ EDGE, 0)[None])[0]
    return np.asarray(shifts + closed * (median(shifts) - shifts))


def _red_edge(line: Array, into: int, pose: Pose, red: Floats) -> Array:
    """Evidence, SAMPLES x STEPS, of how far down the inner edge of a lip is from `line`: where teeth or the dark become lip.

    into: 1 for the lower lip, -1 for the upper.
    """
    return np.maximum(into * (column(red, 2, line, EDGE_DEPTHS, pose) @ EDGE), 0)


def _searched(thick: float) -> Array:
    """Depths below a line, to `thick` and what is searched around it."""
    return np.arange(FIRST, thick - FIRST + RED_STEP, RED_STEP)


def _means(values: Array, *depths: Array) -> list[Array]:
    """The means of values between depths, each and the next. values: rows x _searched(); depths: rows x n each."""
    total = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=total[:, 1:])
    ends = [(depth - FIRST) / RED_STEP for depth in depths]
    sums = [_at(total, end) for end in ends]
    return [(sums[i + 1] - sums[i]) / (ends[i + 1] - ends[i]) for i in range(len(ends) - 1)]


def _at(rows: Array, index: Array) -> Array:
    """Each row at fractional indices."""
    each, i = np.arange(len(rows))[:, None], np.clip(index.astype(int), 0, rows.shape[1] - 2)
    low, high = rows[each, i], rows[each, i + 1]
    return np.asarray(low + (index - i) * (high - low))


def _paths(evidence: Array) -> Array:
    """Smooth lines of offsets, k x SAMPLES, through what there is most of in `evidence` (k x SAMPLES x STEPS, grey levels).

    Forward-backward over the chain, and its mean: unlike the single best path it moves smoothly with its input, so
    noise does not make it jump between frames. Without evidence the offsets are 0.
    """
    strength = evidence.max(axis=2, keepdims=True)
    cost = -evidence / (strength + NOISE) + LEVEL
    here = np.exp(-(cost - cost.min(axis=2, keepdims=True)) / TEMPERATURE)
    # Forward, and backward as forward over the samples in reverse.
    chains = np.ascontiguousarray(np.concatenate([here, here[:, ::-1]]).swapaxes(0, 1))
    for i in range(1, SAMPLES):
        chains[i] *= chains[i - 1] @ BOND
        if i % SCALED == 0:
            chains[i] /= chains[i].sum(axis=1, keepdims=True)
    forward, backward = chains[:, : len(here)].swapaxes(0, 1), chains[::-1, len(here) :].swapaxes(0, 1)
    belief = forward.copy()
    belief[:, :-1] *= backward[:, 1:] @ BOND
    shifts = (belief @ OFFSETS) / belief.sum(axis=2)
    return np.asarray(shifts[:, BESIDES].mean(axis=2))


def _edge() -> tuple[Array, Array]:
    """Depths round an edge, and what turns the reds there (points x depths) into how much redder it is below than above each
    of OFFSETS (points x STEPS)."""
    depths = _searched(0.0)
    edge = np.broadcast_to(OFFSETS, (len(depths), STEPS))
    above, below = _means(np.eye(len(depths)), edge - BESIDE, edge, edge + BESIDE)
    return depths, below - above


EDGE_DEPTHS, EDGE = _edge()
