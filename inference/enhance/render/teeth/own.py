"""The subject's own upper teeth, where a frame shows them: how far down they reach, and their colour."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.picture import LUMA
from enhance.render.light import chroma, of_one_tint
from enhance.render.lips.outline import Lips, lips_at

from .arch import HIGH, LOW, REACH, TURN, arch

COLUMNS, ROWS = 112, 28
"""Places at which they are looked at: along the arch, and from below the edge to the gum."""

BRIGHT = (0.50, 0.68)  # luma of a tooth against the brightest in the mouth
PALE = (0.62, 0.88)  # its chroma against what lies between skin and lip
LEAST_CHROMA = 0.05
LIGHTER = 1.3
"""Of the skin's light, what the brightest of a mouth of one tint counts as at least: so a lip with less than .65 of the skin's
light is no tooth, and what has .88 is one."""
ENOUGH = (0.20, 0.40)  # share of the open mouth that has to be teeth
FADE = 0.04  # S under the lip, over which teeth are continued
LONGEST = 0.10  # of a tooth below the lip, in S
SMALLEST_GAP = 0.045  # below it too little shows
DIMMED = 0.90  # what the shade of the lips has taken from them, to be given back as ours is laid on
SHOWN = 0.5  # share of a place from which its colour is a tooth's


@dataclass(frozen=True)
class Own:
    """Upper teeth as a frame shows them."""

    edge: float
    """How far the middle teeth reach below the bite that was supposed, in S."""
    colours: Array
    """n x 3, RGB 0..255: of the places that show a tooth."""
    area: float
    """Of the teeth, in places."""


@dataclass(frozen=True)
class Flesh:
    """What teeth differ from. chroma: of 1, between skin and lip. one_tint: whether these differ in light alone. light: luma of
    the skin."""

    chroma: float
    one_tint: bool
    light: float

    @classmethod
    def of(cls, skin: Array, lip: Array, light: float) -> "Flesh":
        """skin, lip: RGB in one light. light: luma of the skin in that of the teeth."""
        return cls(0.5 * (chroma(skin) + chroma(lip)), of_one_tint(skin, lip), light)


def own_teeth(rgb: Floats, pose: Pose, lips: Lips, bite: Array, size: float, flesh: Flesh) -> Own | None:
    """None where the mouth is shut or shows no row of teeth. rgb: the patch, 0..255; bite: where the drawn row would be."""
    if lips.closed or lips.gap < SMALLEST_GAP:
        return None
    colour, tooth, between = _unrolled(rgb, pose, lips, bite, size, flesh)
    belief = ramp(float(tooth.sum() / max(between.sum(), 1.0)), *ENOUGH)
    if not belief:
        return None
    middle = np.abs(_across() / size) < 0.08
    reaches = [float(_heights()[np.flatnonzero(column > 0.5)[0]]) for column in tooth[:, middle].T if (column > 0.5).any()]
    if len(reaches) < 3:
        return None
    edge = -float(np.clip(np.median(reaches), -0.03, 0.06))
    colour, tooth = _grown_up(*_unrolled(rgb, pose, lips, bite + np.array([0.0, edge, 0.0]), size, flesh))
    shown = cv2.GaussianBlur(tooth * belief, (0, 0), 0.8)
    return Own(edge, np.clip(colour[shown > SHOWN] / DIMMED, 0, 252), float(shown.sum()))


def _across() -> Array:
    return np.asarray((np.arange(COLUMNS) + 0.5) / COLUMNS * 2 * REACH - REACH)


def _heights() -> Array:
    return np.asarray((np.arange(ROWS) + 0.5) / ROWS * (HIGH - LOW) + LOW)


def _unrolled(rgb: Floats, pose: Pose, lips: Lips, bite: Array, size: float, flesh: Flesh) -> tuple[Array, Array, Array]:
    """Colours, how far each is an upper tooth, and which lie between the lips: ROWS x COLUMNS (x 3)."""
    s, h = np.meshgrid(_across(), _heights())
    x, depth = arch(s / (TURN * size), size)
    plane = pose.to_plane(np.stack([bite[0] + x, bite[1] - h, bite[2] + depth], axis=-1))
    at = pose.to_pixels(plane.reshape(-1, 2)).reshape(*s.shape, 2).astype(np.float32)
    colour = (
        cv2.remap(rgb, at[..., 0], at[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE).clip(0, 255).astype(np.float64)
    )
    top, bottom = lips_at(pose, lips, plane[..., 0])
    below_lip = plane[..., 1] - top
    between = smoothstep(below_lip, 0.004, 0.012) * smoothstep(bottom - plane[..., 1], 0.004, 0.012)
    luma = colour @ LUMA
    inside = luma[between > 0.5]
    if len(inside) < 20:
        return colour, np.zeros_like(between), between
    least = LIGHTER * flesh.light if flesh.one_tint else 1.0
    tooth = smoothstep(luma / max(float(np.quantile(inside, 0.9)), least), *BRIGHT)
    if not flesh.one_tint:
        coloured = (colour.max(axis=2) - colour.min(axis=2)) / np.maximum(colour.max(axis=2), 1)
        tooth *= 1 - smoothstep(coloured / max(flesh.chroma, LEAST_CHROMA), *PALE)
    # From the lip down, until something dark: what lies below the gap is the lower row.
    from_lip = np.maximum(tooth, 1 - smoothstep(below_lip, 0.02, 0.035))[::-1]
    tooth = np.minimum(tooth, np.minimum.accumulate(from_lip, axis=0)[::-1])
    return colour, tooth * between * (1 - smoothstep(below_lip, LONGEST, LONGEST + 0.02)), between


def _grown_up(colour: Array, tooth: Array, between: Array) -> tuple[Array, Array]:
    """Continues each column a little upwards, where the frame has the lip: its upper end counts more in their colour."""
    colour, tooth = colour.copy(), tooth.copy()
    fade = np.maximum(0, 1 - np.arange(1, ROWS + 1) * (HIGH - LOW) / ROWS / FADE)
    for column in range(COLUMNS):
        seen = np.flatnonzero((tooth[:, column] > 0.5) & (between[:, column] > 0.9))
        if len(seen):
            last = int(seen[-1])
            colour[last + 1 :, column] = colour[last, column] * 0.98
            tooth[last + 1 :, column] = tooth[last, column] * fade[: ROWS - last - 1]
    return colour, tooth
