"""How the light falls off in a mouth: learnt where frames show it, by how far the mouth is open and where between the lips.

docs/decisions/0194.
"""

from dataclasses import dataclass
from math import log

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep

GAPS = (0.04, 0.09, 0.18)  # S between the lips at which it is known
DOWN, ACROSS = 4, 7  # places where it is known, from the upper lip to the lower one, and from corner to corner
SIZE = (len(GAPS), DOWN, ACROSS, 3)
"""Of a shade: what luma is multiplied by, and what is added to U and V."""
UNCHANGED = np.broadcast_to([1.0, 0.0, 0.0], SIZE)
PRIOR = 1.0
"""Mouths: how much it weighs that there is no more light than in a wider mouth, and that in the widest nothing be changed."""
DARKEST, LIGHTEST = 0.35, 1.6
CORNER_SHADE, CORNERS = 0.6, (0.5, 1.0)
"""Share of light that is lost at the corners where nothing else is known, and over which part of half the width."""
EQUAL = np.ones(len(GAPS))
"""Contrast that is as great as it is seen."""
LIGHTEST_SHARE = 0.15
"""Of a mouth's pixels: those whose luma says how far its teeth stand out from the mean."""
UNSURE, MOST_CONTRAST = 0.5, 1.25
"""Mouths: how much it weighs that the contrast be left; and by how much it is changed at most, more or less. What stands out
may lie elsewhere in the next frame: more of it is more error (docs/decisions/0279)."""
DIM = 8.0  # grey levels that are added to contrasts which are compared
FEWEST = 20  # pixels between the lips of a mouth whose contrast counts


@dataclass(frozen=True)
class Places:
    """Where pixels lie in a mouth."""

    opened: float
    """0..len(GAPS) - 1: how far it is open."""
    down: Floats
    """0..DOWN - 1, h x w: from the upper lip to the lower one."""
    across: Floats
    """0..ACROSS - 1, h x w: from the left corner to the right one."""

    @property
    def aside(self) -> Floats:
        """0 in the middle, 1 at the corners."""
        return np.asarray(np.abs(self.across * np.float32(2 / (ACROSS - 1)) - 1))

    @classmethod
    def of(cls, gap: float, down: Array, across: Array) -> "Places":
        """gap: S. down: 0..1 between the lips. across: -1..1 between the corners."""
        opened = float(np.interp(gap, GAPS, range(len(GAPS))))
        rows, columns = down * (DOWN - 1), (across + 1) * ((ACROSS - 1) / 2)
        return cls(opened, rows.astype(np.float32, copy=False), columns.astype(np.float32, copy=False))

    @classmethod
    def between(cls, gap: float, corners: tuple[float, float], at: tuple[Array, Array], lips: tuple[Array, Array]) -> "Places":
        """Of pixels at x, y between the upper lip and the lower one over and under them (y of each, h x w). corners: x."""
        (left, right), (x, y), (top, bottom) = corners, at, lips
        across = (2 * x - left - right) / max(float(right - left), 1e-3)
        return cls.of(gap, (y - top) / np.maximum(bottom - top, 1e-3), across)


@dataclass(frozen=True)
class Shown:
    """What one mouth shows, `seen`, and what is drawn in its place without a shade, `made`: h x w x 3, Y above black, U and V
    from grey. counts: h x w, 0..1, how far each pixel counts."""

    seen: Floats
    made: Floats
    counts: Floats
    places: Places


def learnt(mouths: list[Shown]) -> Array:
    """SIZE: the shade with which what is made looks as what is seen."""
    seen, made, weight = np.zeros(SIZE), np.zeros(SIZE), np.zeros((*SIZE[:3], 1))
    for mouth in mouths:
        at, counts = mouth.places, mouth.counts.ravel()
        near = (_near(at.down.ravel(), DOWN)[:, None] * _near(at.across.ravel(), ACROSS)).reshape(DOWN * ACROSS, -1) * counts
        values = np.concatenate([mouth.seen.reshape(-1, 3), mouth.made.reshape(-1, 3), np.ones((counts.size, 1))], axis=1)
        sums = (near @ values).reshape(1, DOWN, ACROSS, 7) / (_ROOM[..., None] * max(float(counts.sum()), 1.0))
        of_mouth = _near(np.array([at.opened]), len(GAPS))[..., None, None] * sums
        seen, made, weight = seen + of_mouth[..., :3], made + of_mouth[..., 3:6], weight + of_mouth[..., 6:]
    supposed = PRIOR * max(float(made[..., 0].sum() / max(weight.sum(), 1.0)), 1.0)
    shade, wider = np.empty(SIZE), UNCHANGED[-1]
    for gap in reversed(range(len(GAPS))):
        gain = (seen[gap, ..., :1] + supposed * np.minimum(wider[..., :1], 1)) / (made[gap, ..., :1] + supposed)
        gain = np.clip(gain, DARKEST, LIGHTEST)
        tint = (seen[gap] - gain * made[gap])[..., 1:] / (weight[gap] + PRIOR)
        shade[gap] = wider = np.concatenate([_falling_off(gain), tint], axis=-1)
    return shade


def contrast_of(mouths: list[Shown], shade: Array) -> Array:
    """[GAPS]: by how much farther what is lighter than the mean stands out in the mouths than in what is made in this shade.

    What is mixed of several frames is a haze where some show teeth and others the dark. It is right in the mean, but teeth are
    dull. The dark is left grey: four times as much more would change from frame to frame.
    """
    near = _near(np.array([mouth.places.opened for mouth in mouths]), len(GAPS))
    gains = near @ np.array([_contrast_gain(mouth, shade) for mouth in mouths]) / (near.sum(axis=1) + UNSURE)
    return np.asarray(np.exp(np.clip(gains, -log(MOST_CONTRAST), log(MOST_CONTRAST))))


def contrast_at(contrast: Array, gap: float) -> float:
    """The factor between lips that are `gap` (S) apart."""
    return float(np.interp(gap, GAPS, contrast))


def _contrast_gain(mouth: Shown, shade: Array) -> float:
    """Logarithm of the contrast that is seen over that which is made in this shade."""
    between = mouth.counts > 0.5
    if between.sum() < FEWEST:
        return 0.0
    made = mouth.made[..., 0] * at_places(shade, mouth.places)[..., 0]
    seen, drawn = (_standing_out(luma[between]) + DIM for luma in (mouth.seen[..., 0], made))
    return log(seen / drawn)


def _standing_out(luma: Array) -> float:
    """By how many grey levels the lightest are lighter than the mean."""
    return float(np.sort(luma)[-round(LIGHTEST_SHARE * luma.size) :].mean() - luma.mean())


def _falling_off(gain: Array) -> Array:
    """The gain (DOWN x ACROSS x 1), limited so that with corner_light() no place has more light than one nearer to the middle.

    A mouth gets darker towards its corners; where lips that are seen beside its dark make more of it, that would make teeth
    bright which come to lie there.
    """
    middle = ACROSS // 2
    usual = corner_light(np.abs(np.arange(ACROSS) / middle - 1))[:, None]
    light = gain * usual
    left, right = (np.minimum.accumulate(side, axis=1) for side in (light[:, middle::-1], light[:, middle:]))
    return np.asarray(np.concatenate([left[:, :0:-1], right], axis=1) / usual)


def corner_light(aside: Array) -> Array:
    """The share of light that is left where nothing else is known, from 0, the middle of a mouth, to 1, its corners."""
    return np.asarray(1 - CORNER_SHADE * smoothstep(aside, *CORNERS))


def at_places(shade: Array, places: Places) -> Floats:
    """The shade (SIZE) of pixels, h x w x 3; of those outside of the mouth, that of its border."""
    shares = _near(np.array([places.opened]), len(GAPS))[:, 0]
    field = (shares @ shade.reshape(len(GAPS), -1)).reshape(SIZE[1:]).astype(np.float32)
    shaded = cv2.remap(field, places.across, places.down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shaded, np.float32)


def _room(count: int) -> Array:
    """Of a line, the share that is near each of its places."""
    return np.asarray(np.pad(np.ones(count - 2), 1, constant_values=0.5) / (count - 1))


_ROOM = np.outer(_room(DOWN), _room(ACROSS))


def _near(at: Array, count: int) -> Array:
    """count x n: how near each of n places is to 0, 1 .. count - 1; of each, the shares make 1."""
    return np.maximum(1 - np.abs(at - np.arange(count)[:, None]), 0)
