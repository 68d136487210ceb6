"""Two rows of teeth, drawn once for a subject and unrolled: the upper row belongs to the skull, the lower to the jaw.

An atlas spans the arch from the left cheek to the right and the teeth from below the edge to the gum. Lengths in S
(about 90 mm on a grown head).
"""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep

DENSITY = 420.0  # atlas pixels per S
FINER = 3  # drawn so much finer, then averaged
REACH = 0.37  # of the arch to either side of the midline
LOW, HIGH = -0.03, 0.15  # heights over the edge of the middle teeth, towards the gum

HALF_WIDTH, DEPTH = 0.31, 0.40  # of the ellipse that the arch follows
TURN = 0.33  # arch length per radian of it


UNEVEN = (0.015, -0.04, 0.03, -0.02, 0.04, 0.0)
"""How much wider each tooth is at the picture's right, and narrower at its left: no one's row is the same on both sides."""


@dataclass(frozen=True)
class Row:
    """A row of teeth, from the middle one outwards; lengths in S.

    edges: how far each ends short of the middle one. heights: from its edge to the gum. light: of its colour.
    corner: how much the edge of each curves up at its sides.
    """

    widths: tuple[float, ...]
    edges: tuple[float, ...]
    heights: tuple[float, ...]
    light: tuple[float, ...]
    corner: float


UPPER = Row(
    (0.088, 0.068, 0.076, 0.070, 0.070, 0.09),
    (0.0, 0.007, 0.001, 0.009, 0.013, 0.018),
    (0.112, 0.100, 0.112, 0.092, 0.085, 0.08),
    (1.0, 0.975, 0.95, 0.955, 0.94, 0.92),
    0.007,
)
LOWER = Row(
    (0.056, 0.060, 0.066, 0.068, 0.070, 0.09),
    (0.0, 0.001, -0.003, 0.004, 0.008, 0.014),
    (0.09, 0.092, 0.10, 0.085, 0.08, 0.08),
    (0.98, 1.0, 0.95, 0.95, 0.92, 0.90),
    0.006,
)


def draw(row: Row, size: float, tooth: Array, gum: Array) -> Floats:
    """The atlas of one row, h x w x 4: RGB 0..255 times opacity, opacity. size: of these teeth against the usual."""
    s, h = _raster(DENSITY * FINER)
    colour, opacity = np.zeros((*h.shape, 3)), np.zeros(h.shape)
    for side in (-1, 1):
        start = 0.0
        for j, width in enumerate(row.widths):
            uneven = 1 + side * UNEVEN[j]
            left, right = sorted((side * start, side * (start + width * uneven * size)))
            start += width * uneven * size
            columns = np.flatnonzero((s[0] >= left) & (s[0] < right))
            if len(columns):
                part = slice(columns[0], columns[-1] + 1)
                f = (s[:, part] - (left + right) / 2) / (right - left) * 2 * side
                heights = h[:, part] + side * UNEVEN[-1 - j] * size / 12
                colour[:, part], opacity[:, part] = _tooth(row, j, size, f, heights, tooth * (1 - abs(UNEVEN[j])), gum)
    fall = 1 - 0.6 * np.minimum(1, np.abs(s) / (0.33 * size)) ** 1.7
    rgba = np.concatenate([colour * (fall * opacity)[..., None], opacity[..., None]], axis=2).astype(np.float32)
    return np.asarray(cv2.resize(rgba, _atlas_size(), interpolation=cv2.INTER_AREA), np.float32)


def _atlas_size() -> tuple[int, int]:
    """Width, height."""
    return round(2 * REACH * DENSITY), round((HIGH - LOW) * DENSITY)


def at_height(atlas: Floats, along: Array, height: Array) -> Floats:
    """What an atlas shows at these places along the arch and heights over its edge (S), h x w each: h x w x 4."""
    x, y = ((along + REACH) * DENSITY - 0.5).astype(np.float32), ((height - LOW) * DENSITY - 0.5).astype(np.float32)
    return np.asarray(cv2.remap(atlas, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.float32)


def arch(turn: Array, size: float) -> tuple[Array, Array]:
    """x and depth, in head coordinates from the midline, of points at these angles of the arch."""
    return HALF_WIDTH * size * np.sin(turn), DEPTH * size * (1 - np.cos(turn))


def _tooth(row: Row, j: int, size: float, f: Array, h: Array, tooth: Array, gum: Array) -> tuple[Array, Array]:
    """Colour and opacity of one tooth with the gum above it. f: across it, -1 at the midline's side, to 1; h: height."""
    pixel = 1 / (DENSITY * FINER)
    edge, height, half = row.edges[j] * size, row.heights[j] * size, row.widths[j] * size / 2
    pointed = j == 2
    bite = edge + (1.9 * row.corner * np.abs(f) ** 1.6 if pointed else row.corner * np.abs(f - 0.08) ** 4) * size
    g = np.clip((h - edge) / height, 0, 1)
    # Widest in the contact with its neighbour, narrower to the gum.
    waist = 0.985 - 0.15 * smoothstep(g, 0.35, 1.0) - 0.05 * np.clip(1 - g / 0.2, 0, 1) ** 2
    inside = np.clip((waist - np.abs(f)) * half / (3 * pixel) + 0.5, 0, 1)
    light = row.light[j] * (1 - 0.15 * f * f) * (0.95 + 0.07 * np.sin(np.pi * np.clip(1.4 * g, 0, 1)))
    shine = 0.05 * np.exp(-(((f + 0.2) / 0.35) ** 2) - ((g - 0.5) / 0.25) ** 2)
    glass = np.clip(1 - g / 0.16, 0, 1)[..., None] * np.array([0.08, 0.06, 0.04])
    yellow = g[..., None] * np.array([0.02, 0.05, 0.12])
    enamel = tooth * (light + shine)[..., None] * (1 - glass - yellow)
    # Between two teeth: shade where they touch, nothing at the edge.
    shade = tooth * 0.62 * np.array([1.0, 0.94, 0.9])
    body = shade + inside[..., None] * (enamel - shade)
    touching = smoothstep(g, 0.10, 0.24)
    opacity = np.maximum(inside, touching) * np.clip((h - bite) / (2 * pixel) + 0.5, 0, 1)
    line = edge + height * (1 - 0.25 * np.abs(f) ** 2.5)
    above = smoothstep(h, line - 0.004, line + 0.004)[..., None]
    flesh = gum * (1 - 0.12 * (1 - np.abs(f[..., None])) - 0.5 * np.clip((h - line) / 0.08, 0, 1)[..., None])
    return body + above * (flesh - body), np.maximum(opacity, above[..., 0])


def _raster(density: float) -> tuple[Array, Array]:
    scale = density / DENSITY
    width, height = (round(v * scale) for v in _atlas_size())
    s = (np.arange(width) + 0.5) / density - REACH
    h = (np.arange(height) + 0.5) / density + LOW
    grid = np.meshgrid(s, h)
    return grid[0], grid[1]
