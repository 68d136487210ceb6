"""The picture of the upper teeth: the best frames' own, and what none of them shows. docs/decisions/0059."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep
from enhance.geometry.planes import Colours, from_rgb
from enhance.render.subject import Subject
from enhance.render.teeth.arch import TURN, UPPER, arch, at_height, draw

from .aligned import teeth_of
from .layers import FEWEST, SEEN, SURE, Frame, Grid, Layer, Palette, carried, eroded, laid, matched

ENOUGH = 60
"""Pixels of upper teeth, from which they are the subject's; fewer, and they are drawn."""

FILLERS = 12  # frames that it is made of, at most
HIDDEN, HIDDEN_HIGH = 0.007, 0.035
"""Square S without a tooth above the edge, and S of their mean height, from which the upper lip hides the teeth: a lower strip
says too little of a row that is .1 S high (docs/decisions/0223)."""
GUMS = 0.5  # redness, from a tooth's, 0, to the lips', 1, from which what is seen over teeth is their gums
ALIKE = 0.5  # of the height of the row's other half, from which a column counts as seen
PEAK = 0.06  # S: the widest peak of gum between two teeth
BETWEEN = 0.1  # S: the widest gap in a row, a missing tooth
BELOW = 0.012  # S below the edge that are still taken
FEATHER = 0.012  # S: at the border of what a frame shows lies the shade of its lips
CARRIED_UP = 0.05  # S by which what is seen is continued upwards
GUM = 0.3  # share of its light that a tooth loses towards the gum
ROOT, ASIDE_SOFT = 0.015, 0.005  # S of a tooth from which it is continued upwards, and sigma in S across it
ASIDE = 0.03  # S beside the last tooth seen, from which they are drawn
DRAWN_LIGHT = 0.8
OUTERMOST = 0.04  # S at either side of the row seen, whose light the drawn row gets there
GAINS = (0.6, 1.8)  # limits of the factor for a drawn row's light
TIP_SHADE = 0.75  # of a drawn tooth's colour, in which it goes on under its tip


def upper_row(
    frames: list[Frame], edge: Array, person: Subject, grid: Grid, of: Palette, colours: Colours
) -> tuple[Floats, Floats, float]:
    """The picture (h x w x 3 Y, U, V), how far each of its pixels was seen, 0..1, and the width in S of what is seen of the
    subject's own teeth. frames: aligned."""
    within = smoothstep(edge + BELOW - grid.y[:, None], 0.0, 0.006).astype(np.float32)
    worths = [frame.known * frame.lender.belief * teeth_of(frame, edge, grid, of) for frame in frames]
    best = [frames[i] for i in np.argsort(-np.array(worths), kind="stable")[:FILLERS] if worths[i] > 0]
    shown = [Layer(frame.upper.yuv, eroded(frame.upper.shown) * within) for frame in best]
    made, seen = _joined([_teeth_in(layer, grid, of) for layer in shown], grid, of)
    drawn, opaque = _drawn_row(person, grid, colours)
    own = float((seen > SEEN).any(axis=0).sum()) / grid.density
    if _tooth(Layer(made / np.maximum(seen, 1e-3)[..., None], seen), of).sum() < ENOUGH:
        own = 0.0
        # Little of the dark over lower teeth does not say that there are no others, nor what may be lip.
        made, seen = _joined(shown, grid, of)
        dark = seen > SEEN
        least = max(HIDDEN * grid.density, HIDDEN_HIGH * dark.any(axis=0).sum()) * grid.density
        if not of.coloured or dark.sum() < least:
            return np.asarray(of.cavity + opaque[..., None] * (drawn - of.cavity), np.float32), np.zeros_like(seen), own
    made, seen = laid([Layer(made, seen), _missing(Layer(made[:, ::-1], seen[:, ::-1]), seen, grid)], of, lit=True)
    both = (seen > SURE) & (opaque > SURE)
    if both.sum() >= FEWEST:
        drawn = matched(drawn, made[both] / seen[both, None], drawn[both], of.black)
        drawn = _lit_on(drawn, opaque, Layer(made / np.maximum(seen, 1e-3)[..., None], seen), grid, of)
    beside = grown_up(made, seen, of.cavity, grid.density)
    columns = ((seen > SEEN).sum(axis=0) > 2).astype(np.uint8)
    away = cv2.distanceTransform(np.repeat(1 - columns[None], 3, axis=0), cv2.DIST_L2, 3)[1]
    share = np.minimum(away / (ASIDE * grid.density), 1)[None, :, None]
    teeth = of.cavity + (DRAWN_LIGHT * opaque)[..., None] * (drawn - of.cavity)
    return np.asarray(made + (1 - seen)[..., None] * (beside + share * (teeth - beside)), np.float32), seen, own


def _lit_on(drawn: Floats, opaque: Floats, seen: Layer, grid: Grid, of: Palette) -> Floats:
    """The drawn row in the light of the teeth seen, at either side in that of the outermost: it would be grey."""
    teeth = _tooth(seen, of) & (opaque > SURE)
    columns = np.flatnonzero(teeth.any(axis=0))
    if not len(columns):
        return drawn
    width, at, gains = min(round(OUTERMOST * grid.density), int(np.ptp(columns)) + 1), [], []
    for part in (slice(columns[0], columns[0] + width), slice(columns[-1] + 1 - width, columns[-1] + 1)):
        there = teeth[:, part]
        wanted, own = (float(np.quantile(of.level(yuv)[:, part][there], 0.75)) for yuv in (seen.yuv, drawn))
        at.append((part.start + part.stop - 1) / 2)
        gains.append(np.clip((wanted + 8) / (own + 8), *GAINS))
    gain = np.interp(np.arange(len(grid.x)), at, gains)[None, :, None]
    grey = np.array([of.black, 128, 128], np.float32)
    return np.asarray((drawn - grey) * gain + grey, np.float32)


def _tooth(layer: Layer, of: Palette) -> npt.NDArray[np.bool_]:
    """Where a tooth is seen."""
    return (layer.shown > SEEN) & (of.pale(layer.yuv) > SEEN)


def _teeth_in(layer: Layer, grid: Grid, of: Palette) -> Layer:
    """Of what a frame shows, the columns of teeth and the gaps between two, without the gums over them. The dark beside them,
    under the lip, would go on up to the gum as a gap in the row; and gums as stripes."""
    tooth = _tooth(layer, of)
    columns = tooth.sum(axis=0) > 1
    row: Any = cv2.morphologyEx(
        columns.astype(np.float32)[None], cv2.MORPH_CLOSE, np.ones((1, round(BETWEEN * grid.density)), np.uint8)
    )
    shown = layer.shown * cv2.GaussianBlur(row, (0, 0), 1.0)
    if of.coloured and columns.any():
        tops = np.interp(np.arange(len(grid.x)), np.flatnonzero(columns), tooth[:, columns].argmax(axis=0))
        over = np.arange(len(grid.y))[:, None] < tops
        shown = np.where(over & (of.redness(layer.yuv) > GUMS), np.float32(0), shown)
    return Layer(layer.yuv, shown)


def _missing(layer: Layer, seen: Floats, grid: Grid) -> Layer:
    """The row's other half, `layer`, but not over what is seen of the same height, nor over the peaks of gum between: a tooth
    that gums cut off there would get a second one on top, and a peak a bar in the other half's light."""
    there, here = ((shown > SEEN).sum(axis=0) for shown in (layer.shown, seen))
    known = ((here >= ALIKE * there) & (here > 0)).astype(np.uint8)
    known = cv2.morphologyEx(known[None], cv2.MORPH_CLOSE, np.ones((1, round(PEAK * grid.density) | 1), np.uint8))
    over = np.arange(len(seen))[:, None] < (seen > SEEN).argmax(axis=0)
    # Round it as well: where soft edges of both meet, the other half would be seen as a bright rim.
    hidden = cv2.dilate((over & (known > 0)).astype(np.float32), np.ones((5, 5), np.uint8))
    return Layer(layer.yuv, layer.shown * (1 - cv2.GaussianBlur(hidden, (0, 0), 1.0)))


def _joined(layers: list[Layer], grid: Grid, of: Palette) -> tuple[Floats, Floats]:
    """The first layer, and where it shows nothing the next ones, in the light of the first: colours, how far they are seen."""
    rows, columns = len(grid.y), len(grid.x)
    total, weights, seen = np.zeros((rows, columns, 3), np.float32), *np.zeros((2, rows, columns), np.float32)
    for layer in layers:
        yuv, both = layer.yuv, (seen > SURE) & (layer.shown > SURE)
        if seen.any():
            if both.sum() < FEWEST:
                continue
            yuv = matched(yuv, total[both] / weights[both, None], yuv[both], of.black)
        away = cv2.distanceTransform((layer.shown > SEEN).astype(np.uint8), cv2.DIST_L2, 3) / (FEATHER * grid.density)
        part = layer.shown * np.clip(away, 0.02, 1) * np.clip(1 - weights, 0.02, 1)
        total += part[..., None] * yuv
        weights += part
        seen = np.maximum(seen, layer.shown)
    return total / np.maximum(weights, 1e-12)[..., None], seen


def _drawn_row(person: Subject, grid: Grid, colours: Colours) -> tuple[Floats, Floats]:
    """The drawn upper teeth on the grid, with their opacity."""
    atlas = draw(UPPER, person.size, person.tooth, person.gum)
    turn = np.linspace(-1.25, 1.25, 101)
    along = np.interp(grid.aside, arch(turn, person.size)[0], turn * TURN * person.size, left=-1.0, right=1.0)
    rgba = at_height(atlas, *np.meshgrid(along, grid.bite - grid.y))
    opacity = np.clip(rgba[..., 3], 0, 1)
    return _without_notches(rgba[..., :3] / np.maximum(opacity, 1e-3)[..., None], opacity, colours)


def _without_notches(rgb: Floats, opacity: Floats, colours: Colours) -> tuple[Floats, Floats]:
    """Y, U, V and opacity of drawn teeth that go on in shade under their tips, down to where the row is cut off: shorter teeth
    and the corners of their edges are dark saw teeth in a clip that shows nothing so fine."""
    known = opacity > SURE
    last = len(known) - 1 - np.argmax(known[::-1], axis=0)
    under = (np.arange(len(known))[:, None] > last) & known.any(axis=0)
    tips = np.take_along_axis(rgb, last[None, :, None], axis=0)
    filled = np.where(under[..., None], TIP_SHADE * tips, rgb)
    return from_rgb(filled.astype(np.float32), colours), np.where(under, 1, opacity).astype(np.float32)


def grown_up(made: Floats, seen: Floats, dark: Array, density: float) -> Floats:
    """Each column goes on up as it is where it is seen highest, and gets darker, then as carried()."""
    known = seen > SEEN
    values = made / np.maximum(seen, 1e-3)[..., None]
    filled, has = values.copy(), known.copy()
    root, reach = max(3, round(ROOT * density)), CARRIED_UP * density
    for column in np.flatnonzero(known.sum(axis=0) > 4):
        first = int(np.argmax(known[:, column]))
        below = slice(first + 1, first + 1 + root)
        if not known[below, column].any():
            continue  # a stray pixel
        tooth = values[below, column][known[below, column]].mean(axis=0)
        up = np.arange(first, 0, -1)[:, None] / reach
        filled[:first, column] = dark + (1 - GUM * np.minimum(up, 1)) * (tooth - dark)
        has[:first, column] = True
    weight = has.astype(np.float32)
    sigma = ASIDE_SOFT * density
    soft = (
        cv2.GaussianBlur(filled * weight[..., None], (0, 0), sigmaX=sigma, sigmaY=0.5)
        / np.maximum(cv2.GaussianBlur(weight, (0, 0), sigmaX=sigma, sigmaY=0.5), 1e-3)[..., None]
    )
    filled = np.where(known[..., None], values, soft)
    return carried(filled * weight[..., None], weight, dark, reach)
