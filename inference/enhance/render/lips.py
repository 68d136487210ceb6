"""The lips as they are in the picture: four contours, with the dark line between closed lips found in the pixels."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from .mesh import LOWER_INNER, LOWER_OUTER, UPPER_INNER, UPPER_OUTER, Array, Pose, ramp

SAMPLES = 21
"""Points on each contour, from the corner at the picture's left (61) to that at its right (291)."""

ALONG = np.linspace(-1, 1, SAMPLES)

CLOSED, OPEN = 0.012, 0.032  # inner gaps, in S, at which lips are wholly taken as closed, as open
REACH = 0.035  # how far from the mesh the line between the lips is looked for
STEPS = 21
STIFFNESS = 0.12  # of that line, against what the pixels say
TEMPERATURE = 0.06


@dataclass(frozen=True)
class Lips:
    """Contours in head coordinates, SAMPLES x 3 each."""

    upper_inner: Array
    lower_inner: Array
    upper_outer: Array
    lower_outer: Array
    gap: float
    """Distance of the inner lips (13-14)."""
    width: float
    """Distance of the corners (61-291)."""
    closed: float
    """1 where the lips touch, 0 where they are apart."""

    @property
    def middle(self) -> Array:
        return (self.upper_inner + self.lower_inner) / 2


def lips_of(head: Array, pose: Pose, luma: npt.NDArray[np.uint8]) -> Lips:
    """The lips of a face. head: its mesh in head coordinates; luma: the picture's, h x w."""
    upper, lower, top, bottom = (_dense(head[list(i)]) for i in (UPPER_INNER, LOWER_INNER, UPPER_OUTER, LOWER_OUTER))
    gap = float(np.linalg.norm(head[13] - head[14]))
    closed = 1 - ramp(gap, CLOSED, OPEN)
    if closed:
        line = _line_between(_towards_corners((upper + lower) / 2, head), pose, luma)
        upper, lower = upper + closed * (line - upper), lower + closed * (line - lower)
    return Lips(upper, lower, top, bottom, gap, float(np.linalg.norm(head[291] - head[61])), closed)


def _dense(points: Array) -> Array:
    """A Catmull-Rom curve through the points."""
    at = np.linspace(0, len(points) - 1, SAMPLES)
    i = np.clip(at.astype(int), 0, len(points) - 2)
    f = (at - i)[:, None]
    ends = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    a, b, c, d = ends[i], ends[i + 1], ends[i + 2], ends[i + 3]
    return np.asarray(0.5 * (2 * b + (c - a) * f + (2 * a - 5 * b + 4 * c - d) * f**2 + (3 * b - a - 3 * c + d) * f**3))


def _towards_corners(line: Array, head: Array) -> Array:
    """Closed lips touch nearly as far as the outer corners, farther than the mesh's inner ones."""
    left, right = head[61] - line[0], head[291] - line[-1]
    weight = 0.75 * np.abs(ALONG[:, None]) ** 1.5
    return np.asarray(line + weight * np.where(ALONG[:, None] < 0, left, right))


def _line_between(line: Array, pose: Pose, luma: npt.NDArray[np.uint8]) -> Array:
    """The dark ridge along `line`: darker than what is above and below, so that a moustache does not draw it up.

    Forward-backward over a chain of offsets, and their mean: unlike the single best path it moves smoothly with its
    input, so noise does not make it jump between frames.
    """
    offsets = np.linspace(-REACH, REACH, STEPS)
    probes = line[:, None, :] + offsets[None, :, None] * np.array([0.0, 1.0, 0.0])
    at = pose.to_pixels(pose.to_plane(probes)).astype(np.float32)
    blur = max(0.6, 0.006 * pose.scale)
    x, y = np.floor(at.reshape(-1, 2).min(axis=0)).astype(int) - 6
    right, bottom = np.ceil(at.reshape(-1, 2).max(axis=0)).astype(int) + 7
    x, y = max(0, x), max(0, y)
    window = luma[y : max(bottom, 0), x : max(right, 0)]
    if window.size == 0:
        return line
    soft = cv2.GaussianBlur(window.astype(np.float32), (0, 0), blur)
    seen = cv2.remap(soft, at[..., 0] - x, at[..., 1] - y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    side = 3
    wide = np.pad(seen, ((0, 0), (side, side)), "edge")
    ridge = np.maximum(0, np.minimum(wide[:, : -2 * side], wide[:, 2 * side :]) - seen).astype(np.float64)
    strength = ridge.max(axis=1, keepdims=True)
    # 6 grey levels of ridge count as seen; without one the mesh's own line stays.
    cost = -ridge / (strength + 6) + 0.3 * (offsets / REACH) ** 2
    bond = np.exp(-STIFFNESS * np.abs(np.subtract.outer(np.arange(STEPS), np.arange(STEPS))) ** 1.5)
    seen_here = np.exp(-(cost - cost.min(axis=1, keepdims=True)) / TEMPERATURE)
    forward, backward = seen_here.copy(), np.ones_like(seen_here)
    for i in range(1, SAMPLES):
        forward[i] *= forward[i - 1] @ bond
        forward[i] /= forward[i].sum()
        backward[-1 - i] = (backward[-i] * seen_here[-i]) @ bond
        backward[-1 - i] /= backward[-1 - i].sum()
    belief = forward * backward
    shift = (belief @ offsets) / belief.sum(axis=1)
    moved = line.copy()
    moved[:, 1] += np.convolve(np.pad(shift, 2, "edge"), np.ones(5) / 5, "valid")
    return moved
