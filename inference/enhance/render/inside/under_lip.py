"""How a clip's upper lip shades the teeth under it, measured in its frames, and these teeth without that shade: it would stay
on them as a dark and red band, wherever the new lip is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from enhance.geometry.head import Array

from .layers import ROW, SEEN, Frame, Grid, Layer, Palette
from .lip_shade import PLACES, STEP, USUAL, shade_under

CLEAR = (0.042, 0.070)  # S under the lip, between which teeth have their own light
TIPS = 0.012  # S over the teeth's edge, where they are darker
FEWEST = 2  # pixels of a column in the clear, to tell its own light
HALF = 0.005  # square S of teeth, of which the frames are half believed
DARKEST, REDDEST = 0.4, 0.5


def lip_shades(frames: Sequence[Frame], edge: Array, grid: Grid, of: Palette) -> tuple[Array, Array]:
    """SIZE of lip_shade.py each: what lies on the frames' teeth, and what is to lie on them under the new lip: the same, but
    the usual where little of it is seen."""
    sums = np.zeros((PLACES, 7))
    for frame in frames:
        if frame.known:
            sums += _seen(frame, edge, grid, of)
    count = np.maximum(sums[:, :1], 1e-3)
    seen, own = sums[:, 1:4] / count, sums[:, 4:] / count
    dimmed = np.where(own[:, 0] > 0, seen[:, 0] / np.maximum(own[:, 0], 1e-3), 1)
    # Nearer to the lip there is no more light of one's own, and no less of the lip's.
    gain = np.minimum.accumulate(np.clip(dimmed, DARKEST, 1)[::-1])[::-1]
    to_lip = _tint(of.lip, of) - _tint(of.tooth, of)
    given = (seen[:, 1:] - dimmed[:, None] * own[:, 1:]) @ to_lip / max(float(to_lip @ to_lip), 1.0)
    given = np.maximum.accumulate(np.clip(given, 0, REDDEST)[::-1])[::-1]
    gain[-1], given[-1] = 1, 0
    area = float(sums[:, 0].sum()) / grid.density**2
    share = area / (area + HALF)
    light, tint = gain**share, share * given
    lies = np.column_stack([light, tint[:, None] * to_lip])
    tint = tint + (1 - share) * USUAL[1]
    return lies, np.column_stack([light * USUAL[0] ** (1 - share), tint[:, None] * to_lip])


def without(frame: Frame, shade: Array, grid: Grid, of: Palette) -> Frame:
    """The frame with the upper teeth as they are without the shade that lies on them (SIZE of lip_shade.py)."""
    shaded = shade_under(shade, grid.y[:, None] - frame.top)
    grey = np.array([of.black, 128, 128], np.float32)
    level = (frame.upper.yuv[..., 0] - of.black) / shaded[..., 0]
    yuv = frame.upper.yuv - grey
    yuv[..., 1:] -= np.clip(level / of.light_of(of.cheeks), 0, 1)[..., None] * shaded[..., 1:]
    return replace(frame, upper=Layer(np.asarray(yuv / shaded[..., :1] + grey, np.float32), frame.upper.shown))


def _seen(frame: Frame, edge: Array, grid: Grid, of: Palette) -> Array:
    """PLACES x 7: how many pixels of a frame's teeth are seen near each place, the sum of their colours, and that of the
    colours that their columns have in the clear: Y above black, U and V from grey."""
    y, yuv = grid.y[:, None], frame.upper.yuv - np.array([of.black, 128, 128])
    under = y - frame.top
    teeth = (y < edge - TIPS) & (np.abs(grid.aside) < ROW) & (frame.upper.shown > SEEN)
    clear = teeth & (under > CLEAR[0]) & (under < CLEAR[1]) & (of.pale(frame.upper.yuv) > SEEN)
    count = clear.sum(axis=0)
    own = (yuv * clear[..., None]).sum(axis=0) / np.maximum(count, 1)[:, None]
    counted = teeth & (count >= FEWEST)
    values = np.column_stack([np.ones(int(counted.sum())), yuv[counted], np.broadcast_to(own, yuv.shape)[counted]])
    place = np.maximum(under[counted] / STEP - 1, 0)
    return np.asarray(np.maximum(1 - np.abs(place - np.arange(PLACES)[:, None]), 0) @ values)


def _tint(colour: Array, of: Palette) -> Array:
    """U and V from grey of a colour (Y, U, V) that is as light as the cheeks."""
    return np.asarray((colour[1:] - 128) * of.light_of(of.cheeks) / of.light_of(colour))
