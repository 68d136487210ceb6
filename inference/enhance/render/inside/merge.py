"""INSIDE from LENDERS: the frames that show a mouth best, merged into one.

What is sharp comes from one frame, the best; the others only fill what it does not show, in its light. Where none shows
anything, a seen tooth goes on up to the gum, the row's other half is taken for a missing one, and the rest is drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep
from enhance.geometry.planes import Colours, from_rgb
from enhance.membrane import spread
from enhance.render.lips.shape import shift_of
from enhance.render.subject import Subject
from enhance.render.teeth.arch import TURN, UPPER, arch, at_height, draw
from enhance.render.teeth.own import laid_over

from .lender import Lender
from .lent_teeth import with_teeth
from .merged import (
    ABOVE,
    DEEP,
    GAPS,
    LEVELS,
    MIDDLE,
    POINTS,
    REACH,
    Bytes,
    Inside,
    Merged,
    pack,
    relit,
    shapes_of,
)
from .skull import FRONT, Skull

WORTH = 0.5  # belief from which a lender counts
LEAST_DENSITY = 120.0  # pixels per S: of a smaller face the borders would take all
INSET = (0.004, 0.016)  # S inside the lender's lips from which nothing, and everything is taken
UNDER_TEETH = (0.004, 0.012)  # S under the upper teeth's edge, likewise
RED, LIT = (0.55, 0.80), (0.55, 0.75)  # redness from a tooth's, 0, to the lips', 1, and luma of the lips': not lip, lip
BRIGHT, PALE, DARKER = 0.6, 0.5, 0.8  # luma of the brightest, redness, and luma of its own under which it ends: of a tooth
SURE, SEEN = 0.6, 0.5  # how far a pixel is shown from which it counts, and from which it is known
ENOUGH = 60  # pixels of upper teeth, from which they are the subject's; fewer, and they are drawn
FEWEST = 20  # pixels that two pictures share, to be matched in their light
STRAY = 0.045  # S from where they are supposed to end, beyond which it is something else
WAVE = 0.01  # S that teeth end above or below a smooth line
BEND = 0.010  # S that a row rises to its sides
ROW = 0.22  # S to either side of the midline, where the row is looked at
FILLERS, MIRRORED, BELOW_FILLERS = 12, 4, 6  # frames that a picture is made of, at most
MARKS = (0.03, 0.08, 0.15, 0.23)  # S under the upper teeth, of which pictures are made
APART = 0.015  # S between two pictures
WIDEST = 0.17  # S from which a mouth counts as seen wide open
CARRIED_UP, CARRIED = 0.05, 0.04  # S that what is seen goes on beyond its border
ASIDE = 0.03  # S beside the last tooth seen, from which they are drawn
DRAWN_LIGHT = 0.8
GUM = 0.3  # of a tooth's light, that is lost towards the gum
DIMMEST, BRIGHTEST = 0.85, 1.1  # of the upper teeth's light at other openings
NEAR_GAP = 0.04  # S: how far apart openings tell of each other's light


@dataclass(frozen=True)
class _Grid:
    """The pixels of the picture of the upper teeth: x [columns] and y [rows] in S, and the midline of the teeth."""

    density: float
    x: Array
    y: Array
    up: Array
    """[rows of a picture of what lies under them]: heights over the lower lip."""
    midline: float
    bite: float
    """y at which the upper teeth are supposed to end."""

    @classmethod
    def of(cls, person: Subject, density: float) -> "_Grid":
        (rows, columns), (below, _) = shapes_of(density)
        midline, bite = float(person.bite[0]), float(person.bite[1])
        x, y, up = ((np.arange(count) + 0.5) / density for count in (columns, rows, below))
        return cls(density, x + midline - REACH, y + bite - ABOVE, up, midline, bite)

    @property
    def aside(self) -> Array:
        return np.asarray(self.x - self.midline)


@dataclass(frozen=True)
class _Colours:
    """Colours as Y, U, V; of the cheeks, in whose light all is."""

    cheeks: Array
    tooth: Array
    lip: Array
    cavity: Array
    tongue: Array
    black: float

    def redness(self, yuv: Floats) -> Array:
        """0 like the teeth, 1 like the lips."""
        seen, pale, red = (
            (c[..., 2] - 128 - 0.5 * (c[..., 1] - 128)) / (np.maximum(c[..., 0] - self.black, 0) + 16)
            for c in (yuv, self.tooth, self.lip)
        )
        return np.asarray((seen - pale) / max(float(red - pale), 0.05))

    def level(self, yuv: Floats) -> Array:
        """Luma over black."""
        return np.asarray(yuv[..., 0] - self.black)

    def flesh(self, yuv: Floats) -> Floats:
        """0..1, how far each pixel is of the lips, with those beside it."""
        lit = smoothstep(self.level(yuv) / max(float(self.level(self.lip)), 16.0), *LIT)
        flesh = (smoothstep(self.redness(yuv), *RED) * lit).astype(np.float32)
        return np.asarray(cv2.GaussianBlur(cv2.dilate(flesh, np.ones((3, 3), np.uint8)), (0, 0), 1.0), np.float32)


@dataclass(frozen=True)
class _Layer:
    """What a frame shows: h x w x 3 Y, U, V, and how far each pixel is shown, h x w, 0..1."""

    yuv: Floats
    shown: Floats


@dataclass(frozen=True)
class _Frame:
    """A lender on the grid."""

    lender: Lender
    upper: _Layer
    to: Skull
    bottom: Array
    """[columns]: y of its lower lip, and of its upper one."""
    top: Array
    sharp: float


def merge(lenders: list[Lender], person: Subject, colours: Colours, most: float) -> Bytes:
    """INSIDE of the lenders, size_of(most) bytes; one that knows nothing where none of them is believed. most: pixels per S."""
    person = with_teeth(person, lenders, colours)
    lenders = [lender for lender in lenders if lender.belief > WORTH]
    merged = _merged(lenders, person, colours, most) if lenders else None
    return pack(merged or _nothing(most), most)


def _nothing(most: float) -> Merged:
    point = np.zeros(POINTS)
    (upper, across), _ = shapes_of(most)
    inside = Inside(most, 0, 0, 0, np.zeros(3), np.ones(len(GAPS)), point, 0, np.zeros(LEVELS), np.zeros((LEVELS, POINTS)))
    return Merged(**vars(inside), upper=np.zeros((upper, across, 3), np.float32), below=())


def _merged(lenders: list[Lender], person: Subject, colours: Colours, most: float) -> Merged | None:
    density = float(np.clip(np.median([lender.pose.scale for lender in lenders]), LEAST_DENSITY, most))
    grid = _Grid.of(person, density)
    cheeks = np.median([lender.cheeks for lender in lenders], axis=0)
    tooth, lip, cavity, tongue = from_rgb(
        np.array([person.tooth, person.lip, person.cavity, person.tongue], np.float32), colours
    )
    of = _Colours(cheeks, tooth, lip, cavity, tongue, float(colours.offset[0]))
    frames = [_on_grid(lender, person, grid, of) for lender in lenders]
    edge = _edge_of(frames, grid, of)
    upper, seen = _upper_row(frames, edge, person, grid, of, colours)
    levels = _levels(frames, edge, grid, of)
    if not levels and (seen > SEEN).sum() < ENOUGH:
        return None
    if not levels or levels[-1][0] < WIDEST:
        nothing = np.zeros(len(grid.x))
        last = levels[-1] if levels else (0.0, nothing, np.zeros((len(grid.up), len(grid.x), 3), np.float32))
        levels = [*levels[: LEVELS - 1], _wide_open(last, grid, of)]
    opened, heights, below = zip(*levels, strict=True)
    points = (np.arange(POINTS) + 0.5) / POINTS * len(grid.x) - 0.5

    def at_points(line: Array) -> Array:
        return np.interp(points, np.arange(len(grid.x)), line)

    inside = Inside(
        density,
        float(grid.midline - REACH),
        float(grid.bite - ABOVE),
        float(person.bite[2]),
        cheeks,
        _tone(frames, upper, seen, of),
        at_points(edge),
        len(levels),
        np.pad(opened, (0, LEVELS - len(levels))),
        np.pad([at_points(line) for line in heights], ((0, LEVELS - len(levels)), (0, 0))),
    )
    return Merged(**vars(inside), upper=upper, below=below)


def _on_grid(lender: Lender, person: Subject, grid: _Grid, of: _Colours) -> _Frame:
    shift, teeth = shift_of(person.rest, lender.lips), float(person.bite[2])
    to, back = Skull.between(FRONT, lender.pose, teeth, shift), Skull.between(lender.pose, FRONT, teeth, -shift)
    layer = _layer(lender, to, np.stack(np.meshgrid(grid.x, grid.y), axis=-1), of)
    top, bottom = (back.of(lender.pose.to_plane(line)) for line in (lender.lips.upper_inner, lender.lips.lower_inner))
    fine = np.abs(cv2.Laplacian(layer.yuv[..., 0], cv2.CV_32F))
    return _Frame(
        lender,
        layer,
        to,
        np.interp(grid.x, bottom[:, 0], bottom[:, 1], left=-9.0, right=-9.0),
        np.interp(grid.x, top[:, 0], top[:, 1], left=9.0, right=9.0),
        float((fine * layer.shown).sum() / max(float(layer.shown.sum()), 1.0)),
    )


def _layer(lender: Lender, to: Skull, places: Array, of: _Colours) -> _Layer:
    """What the lender shows at places (h x w x 2) of the front's plane, without lips."""
    there = to.of(places)
    column, row = np.moveaxis(lender.pose.to_pixels(there.reshape(-1, 2)).reshape(there.shape).astype(np.float32), -1, 0)
    planes = lender.planes
    luma = cv2.remap(planes.y, column, row, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    chroma = [
        cv2.remap(p, (column - 0.5) / 2, (row - 0.5) / 2, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for p in (planes.u, planes.v)
    ]
    yuv = relit(np.stack([luma, *chroma], axis=-1).astype(np.float32), lender.cheeks, of.cheeks, of.black)
    upper, lower = (lender.pose.to_plane(line) for line in (lender.lips.upper_inner, lender.lips.lower_inner))
    top = np.interp(there[..., 0], upper[:, 0], upper[:, 1], left=np.inf, right=np.inf)
    bottom = np.interp(there[..., 0], lower[:, 0], lower[:, 1], left=-np.inf, right=-np.inf)
    shown = smoothstep(there[..., 1] - top, *INSET) * smoothstep(bottom - there[..., 1], *INSET) * (1 - of.flesh(yuv))
    return _Layer(yuv, shown.astype(np.float32))


def _edge_of(frames: list[_Frame], grid: _Grid, of: _Colours) -> Array:
    """[columns]: y where the upper teeth end: in most frames, the first dark under what is bright and pale."""
    ends = np.array([_ends(frame.upper, grid, of) for frame in frames])
    ends[np.abs(ends - grid.bite) > STRAY] = np.nan
    found = np.isfinite(ends).any(axis=0)
    edge = np.full(len(grid.x), grid.bite)
    edge[found] = np.nanmedian(ends[:, found], axis=0)
    across = np.stack([np.ones(len(grid.x)), (grid.aside / 0.25) ** 2], axis=1)
    # Fitted with what rows of teeth are usually like, so that few columns do not say much.
    usual, weight = np.array([grid.bite, -BEND]), np.array([2.0, 6.0])
    rows, values = np.vstack([across[found], np.diag(weight)]), np.append(edge[found], usual * weight)
    line = np.clip(across @ np.linalg.lstsq(rows, values, rcond=None)[0], grid.bite - STRAY, grid.bite + STRAY)
    edge = np.where(found, np.clip(edge, line - WAVE, line + WAVE), line)
    return np.asarray(cv2.GaussianBlur(edge[None], (0, 0), 0.012 * grid.density)[0])


def _ends(upper: _Layer, grid: _Grid, of: _Colours) -> Array:
    """[columns]: y where a frame's upper teeth end, NaN where it shows no end of them."""
    level, shown = of.level(upper.yuv), upper.shown > SEEN
    if shown.sum() < FEWEST:
        return np.full(len(grid.x), np.nan)
    brightest = max(float(np.quantile(level[shown], 0.9)), 16.0)
    pale = of.redness(upper.yuv) < PALE
    tooth = np.maximum.accumulate(np.where(shown & pale, level, 0), axis=0)
    dark = shown & (tooth > BRIGHT * brightest) & (level < DARKER * tooth)
    first = np.argmax(dark, axis=0)
    return np.where(dark.any(axis=0), grid.y[first] - 0.5 / grid.density, np.nan)


def _upper_row(
    frames: list[_Frame], edge: Array, person: Subject, grid: _Grid, of: _Colours, colours: Colours
) -> tuple[Floats, Floats]:
    """The picture of the upper teeth, and how far each of its pixels was seen."""
    within = smoothstep(edge + 0.012 - grid.y[:, None], 0.0, 0.006).astype(np.float32)
    row = within * (np.abs(grid.aside) < ROW)
    brightest = max(float(np.quantile(of.level(frame.upper.yuv), 0.98)) for frame in frames)

    def worth(frame: _Frame) -> float:
        shown = frame.upper.shown * row
        teeth = of.level(frame.upper.yuv)[shown > SEEN]
        light = float(np.median(teeth)) / max(brightest, 16.0) if len(teeth) > FEWEST else 0.1
        cover = float(shown.sum() / max(float(row.sum()), 1.0))
        return float(frame.lender.belief * cover**0.7 * frame.sharp**0.5 * np.clip(light, 0.1, 1.0))

    best = sorted(frames, key=worth, reverse=True)[:FILLERS]
    layers = [_Layer(frame.upper.yuv, _eroded(frame.upper.shown) * within) for frame in best]
    layers += [_Layer(layer.yuv[:, ::-1], layer.shown[:, ::-1]) for layer in layers[:MIRRORED]]
    made, seen = _laid(layers, of, matched=True)
    drawn, opaque = _drawn_row(person, grid, colours)
    if (seen > SEEN).sum() < ENOUGH:
        return made + (1 - seen)[..., None] * drawn, seen
    both = (seen > SURE) & (opaque > SURE)
    if both.sum() >= FEWEST:
        drawn = _matched(drawn, made[both] / seen[both, None], drawn[both], of.black)
    beside = _grown(made, seen, of.cavity, CARRIED_UP * grid.density)
    columns = ((seen > SEEN).sum(axis=0) > 2).astype(np.uint8)
    away = cv2.distanceTransform(np.repeat(1 - columns[None], 3, axis=0), cv2.DIST_L2, 3)[1]
    share = np.minimum(away / (ASIDE * grid.density), 1)[None, :, None]
    teeth = of.cavity + (DRAWN_LIGHT * opaque)[..., None] * (drawn - of.cavity)
    return np.asarray(made + (1 - seen)[..., None] * (beside + share * (teeth - beside)), np.float32), seen


def _drawn_row(person: Subject, grid: _Grid, colours: Colours) -> tuple[Floats, Floats]:
    """The drawn upper teeth on the grid, with their opacity."""
    atlas = laid_over(draw(UPPER, person.size, person.tooth, person.gum), person.teeth.astype(np.float32))
    turn = np.linspace(-1.25, 1.25, 101)
    along = np.interp(grid.aside, arch(turn, person.size)[0], turn * TURN * person.size, left=-1.0, right=1.0)
    rgba = at_height(atlas, *np.meshgrid(along, grid.bite - grid.y))
    opacity = np.clip(rgba[..., 3], 0, 1)
    return from_rgb(rgba[..., :3] / np.maximum(opacity, 1e-3)[..., None], colours), opacity


def _levels(frames: list[_Frame], edge: Array, grid: _Grid, of: _Colours) -> list[tuple[float, Array, Floats]]:
    """What lies under the upper teeth, from little to wide open: how high in the middle, how high [columns], the picture."""
    middle = np.abs(grid.aside) < MIDDLE
    heights = [frame.bottom - np.maximum(edge, frame.top) for frame in frames]
    opened = np.array([float(np.median(height[middle])) for height in heights])
    layers = [_under(frame, edge, grid, of) for frame in frames]
    shown = np.array([float(layer.shown.sum()) for layer in layers]) / np.maximum(opened, 0.02)
    worth = np.array([frame.lender.belief * frame.sharp**0.3 for frame in frames]) * (0.2 + shown / max(shown.max(), 1e-6))
    apart = np.log(np.maximum(opened, 0.01))
    most = float(np.quantile(opened, 0.95))
    levels: list[tuple[float, Array, Floats]] = []
    for mark in [*(mark for mark in MARKS if mark < most - 0.02), max(most, 0.02)]:
        order = np.argsort(-worth * np.exp(-(((apart - np.log(mark)) / 0.35) ** 2)), kind="stable")[:BELOW_FILLERS]
        best = int(order[0])
        if levels and opened[best] < levels[-1][0] + APART:
            continue
        made, seen = _laid([layers[i] for i in order if abs(apart[i] - apart[best]) < 0.6], of, matched=False)
        if not (seen > SEEN).any():
            continue
        picture = made + (1 - seen)[..., None] * _carried(made, seen, of.cavity, CARRIED * grid.density)
        levels.append((float(max(opened[best], 0.0)), np.clip(heights[best] - 0.006, 0.004, DEEP), picture))
    return levels[:LEVELS]


def _under(frame: _Frame, edge: Array, grid: _Grid, of: _Colours) -> _Layer:
    """What a frame shows under the upper teeth, by its height over the lower lip."""
    y = frame.bottom - grid.up[:, None]
    layer = _layer(frame.lender, frame.to, np.stack(np.broadcast_arrays(grid.x, y), axis=-1), of)
    return _Layer(layer.yuv, _eroded(layer.shown * smoothstep(y - edge, *UNDER_TEETH).astype(np.float32)))


def _wide_open(level: tuple[float, Array, Floats], grid: _Grid, of: _Colours) -> tuple[float, Array, Floats]:
    """A mouth that was never seen so wide open: the lower teeth stay on the jaw, and over them it is dark."""
    opened, height, picture = level
    floor = of.cavity + 0.4 * (of.tongue - of.cavity)
    dark = floor + smoothstep(grid.up / DEEP, 0.2, 0.8)[:, None, None] * (of.cavity - floor)
    held = (1 - smoothstep(grid.up[:, None] - height, -0.012, 0.008)) * (opened > 0)
    return DEEP, np.full(len(grid.x), DEEP), np.asarray(dark + held[..., None] * (picture - dark), np.float32)


def _tone(frames: list[_Frame], upper: Floats, seen: Floats, of: _Colours) -> Array:
    """The light on the upper teeth at GAPS, against the picture's: as the frames of like openings have it."""
    teeth = (seen > SURE) & (of.level(upper) > 0.5 * float(np.quantile(of.level(upper), 0.9)))
    gaps, gains = [], []
    for frame in frames:
        both = teeth & (frame.upper.shown > SURE)
        if both.sum() >= FEWEST:
            there, here = (float(np.quantile(of.level(yuv)[both], 0.75)) + 4 for yuv in (frame.upper.yuv, upper))
            gaps.append(frame.lender.lips.gap)
            gains.append(np.log(max(there, 1.0) / max(here, 1.0)))
    near = np.exp(-(((np.array(gaps)[None] - np.array(GAPS)[:, None]) / NEAR_GAP) ** 2))
    return np.asarray(np.clip(np.exp((near @ np.array(gains)) / (near.sum(axis=1) + 0.5)), DIMMEST, BRIGHTEST))


def _laid(layers: Iterable[_Layer], of: _Colours, *, matched: bool) -> tuple[Floats, Floats]:
    """The first layer, and where it shows nothing the next ones: colours times how far they are seen, how far they are seen.

    matched: in the light of the first.
    """
    made: Floats | None = None
    for layer in layers:
        yuv, shown = layer.yuv, layer.shown
        if made is None:
            made, seen = np.zeros_like(yuv), np.zeros_like(shown)
        elif matched and seen.any():
            both = (seen > SURE) & (shown > SURE)
            if both.sum() < FEWEST:
                continue
            yuv = _matched(yuv, made[both] / seen[both, None], yuv[both], of.black)
        part = (1 - seen) * cv2.GaussianBlur(shown, (0, 0), 1.0) * (shown > 0)
        made += part[..., None] * yuv
        seen += part
    if made is None:
        raise ValueError("expected a layer at least")
    return made, seen


def _matched(yuv: Floats, wanted: Floats, own: Floats, black: float) -> Floats:
    """`yuv` in the light in which `own` pixels of it look like the `wanted` ones."""
    gain = float(np.clip((np.median(wanted[:, 0]) - black + 8) / (np.median(own[:, 0]) - black + 8), 0.5, 2.0))
    out = np.empty_like(yuv)
    out[..., 0] = (yuv[..., 0] - black) * gain + black
    out[..., 1:] = 128 + (yuv[..., 1:] - 128) * gain + np.median(wanted[:, 1:] - (128 + (own[:, 1:] - 128) * gain), axis=0)
    return out


def _carried(made: Floats, seen: Floats, dark: Array, reach: float) -> Floats:
    """What is seen goes on over its border for about so many pixels; beyond, it is dark."""
    known = seen > SEEN
    values = (made / np.maximum(seen, 1e-3)[..., None] - dark).astype(np.float32)
    away = cv2.distanceTransform((~known).astype(np.uint8), cv2.DIST_L2, 3) / reach
    return np.asarray(dark + np.exp(-(away**2))[..., None] * spread(values, known), np.float32)


def _grown(made: Floats, seen: Floats, dark: Array, reach: float) -> Floats:
    """Each column goes on up as it is where it is seen highest, then as _carried()."""
    known = seen > SEEN
    values = made / np.maximum(seen, 1e-3)[..., None]
    filled, has = values.copy(), known.copy()
    for column in np.flatnonzero(known.sum(axis=0) > 4):
        first = int(np.argmax(known[:, column]))
        up = np.arange(first, 0, -1)[:, None] / reach
        filled[:first, column] = dark + (1 - GUM * np.minimum(up, 1)) * (
            values[first + 1 : first + 4, column].mean(axis=0) - dark
        )
        has[:first, column] = True
    weight = has.astype(np.float32)
    soft = (
        cv2.GaussianBlur(filled * weight[..., None], (5, 1), 0)
        / np.maximum(cv2.GaussianBlur(weight, (5, 1), 0), 1e-3)[..., None]
    )
    filled = np.where(known[..., None], values, soft)
    return _carried(filled * weight[..., None], weight, dark, reach)


def _eroded(shown: Floats) -> Floats:
    return np.asarray(cv2.erode(shown, np.ones((3, 3), np.uint8)), np.float32)
