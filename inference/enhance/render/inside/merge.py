"""INSIDE from LENDERS: the frames that show a mouth best, merged into one.

Their upper teeth are laid over each other first. What is sharp comes from the best frame; the others fill only what it does
not show, in its light. Where none shows anything, a seen tooth goes on up to the gum, the row's other half is taken for a
missing one, and the rest is drawn.
"""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, smoothstep
from enhance.geometry.planes import Colours, from_rgb
from enhance.masks import widened
from enhance.render.finish import opened_lips
from enhance.render.lips import fullness
from enhance.render.lips.shape import UNCHANGED_FULLNESS
from enhance.render.subject import Subject

from .aligned import aligned
from .edge import bite_of, edge_in, edge_of
from .interior import SLIT
from .layers import FEWEST, ROW, SEEN, SURE, Frame, Grid, Layer, Palette, carried, laid, layer, on_grid, with_beside
from .lender import Lender
from .lent_teeth import with_teeth
from .lip_shade import NONE
from .lower_only import hidden_bite, show_lower_teeth
from .lower_row import lower_row, with_gaps
from .merged import (
    ABOVE,
    DEEP,
    GAPS,
    LEVELS,
    MIDDLE,
    POINTS,
    REACH,
    Bytes,
    Merged,
    pack,
    shapes_of,
)
from .narrow import NONE as NOT_NARROWED
from .narrow import narrowing_of, usual_width
from .shade import EQUAL, UNCHANGED, contrast_of, learnt
from .slits import between_lips, light_beside, shown_in, slit_end
from .under_lip import lip_shades, without
from .upper import upper_row

WORTH = 0.5  # belief from which a lender counts
LEAST_DENSITY = 120.0  # pixels per S: of a smaller face the borders would take all
UNDER_TEETH = (0.008, 0.014)  # S under the upper teeth's edge: up to the first nothing is taken, from the second everything
FILLED = 0.35  # share of a picture's middle that frames must show
UNLIKE = 0.25  # of a tooth's light: a frame that differs so much from others as far open counts 1 / e
FILLERS = 6  # frames that a picture of what lies under them is made of, at most
LOWEST = 0.045  # S: least height of the highest picture; close under the teeth lies the shine of the lower lip
MARKS = (0.03, 0.08, 0.15, 0.23)  # S under the upper teeth, of which pictures are made
APART = 0.015  # S by which two pictures' openings differ, at least
FLOOR, TONGUE_SIDES, TONGUE_LIT = (0.01, 0.10), (0.05, 0.19), 0.5  # S over the lip and aside: tongue, dark; its light
ISLAND = 0.15  # of the largest area that a frame shows under its upper teeth: one apart that is less is no part of it
SPOT = 0.035  # S across: what is bright and narrower is no tooth, but a wet shine
SHINE = 0.1  # of a tooth's light, by which such a spot may be lighter than what is round it
CARRIED = 0.06  # S by which what is seen is continued beyond its border
DIMMEST, BRIGHTEST = 0.85, 1.1  # of the upper teeth's light at other openings
LEAST_ROW = 0.28
"""S of the row of upper teeth that must be seen where frames show nothing under them: mouths that hardly open show two teeth or
three in their lip's shade, which would go on up and aside as a slab without teeth."""
HARDLY_APART = 0.12  # S between them, up to which it shows that also where only lips are seen
NEAR_GAP = 0.04  # S: sigma, within which openings share their light


def merge(lenders: list[Lender], person: Subject, colours: Colours, most: float) -> Bytes:
    """INSIDE of the lenders, size_of(most) bytes, without pictures where they show too little. most: pixels per S."""
    person = with_teeth(person, lenders, colours)
    believed = [lender for lender in lenders if lender.belief > WORTH]
    if not believed:
        return pack(_nothing(most), most)
    merged = _merged(believed, person, colours, most)
    merged = _shaded(merged, lenders, person, colours) if merged else _nothing(most)
    # Open lips are the subject's own, whatever is seen between them.
    lips = opened_lips.learnt([(lender.lips.gap, lender.tone) for lender in believed], person.lip_tone)
    full = fullness.learnt([lender.lips for lender in lenders if lender.seen > WORTH], person.rest)
    return pack(replace(merged, lips=lips, fullness=full), most)


def _nothing(density: float) -> Merged:
    """An inside of which nothing is known."""
    (upper, across), _ = shapes_of(density)
    return Merged(
        density=density,
        left=0.0,
        top=0.0,
        teeth=0.0,
        cheeks=np.zeros(3),
        tone=np.ones(len(GAPS)),
        edge=np.zeros(POINTS),
        lip_shade=NONE,
        shade=UNCHANGED,
        contrast=EQUAL,
        beside=1.0,
        slit_end=SLIT[1],
        narrowing=NOT_NARROWED,
        lips=opened_lips.UNCHANGED,
        fullness=UNCHANGED_FULLNESS,
        levels=0,
        opened=np.zeros(LEVELS),
        heights=np.zeros((LEVELS, POINTS)),
        upper=np.zeros((upper, across, 3), np.float32),
        below=(),
    )


def _merged(lenders: list[Lender], person: Subject, colours: Colours, most: float) -> Merged | None:
    density = float(np.clip(np.median([lender.pose.scale for lender in lenders]), LEAST_DENSITY, most))
    grid = Grid.of(person, density)
    cheeks = np.median([lender.cheeks for lender in lenders], axis=0)
    tooth, lip, cavity, tongue = from_rgb(
        np.array([person.tooth, person.lip, person.cavity, person.tongue], np.float32), colours
    )
    of = Palette(cheeks, tooth, lip, cavity, tongue, colours.black)
    shown = [on_grid(lender, person, grid, of) for lender in lenders]
    bite = bite_of(shown, grid, of)
    if bite is None:
        bite = hidden_bite(shown, grid) if show_lower_teeth(shown, grid) else grid.bite
    person = replace(person, bite=np.array([person.bite[0], bite, person.bite[2]]))
    grid = Grid.of(person, density)
    frames = aligned([on_grid(lender, person, grid, of) for lender in lenders], grid, of)
    edge = edge_of(frames, grid, of)
    lies, lip_shade = lip_shades(frames, edge, grid, of)
    frames = [without(frame, lies, grid, of) for frame in frames]
    upper, seen, own = upper_row(frames, edge, person, grid, of, colours)
    edge = edge_in(Layer(upper, seen), edge, grid, of)
    levels = _levels(frames, edge, grid, of) if of.tells_lips else []
    if not levels:
        if own <= (LEAST_ROW if of.tells_lips else 0):
            return None
        levels = [_nothing_under(grid, of)]
    opened, heights, below = zip(*levels, strict=True)
    points = (np.arange(POINTS) + 0.5) / POINTS * len(grid.x) - 0.5

    def at_points(line: Array) -> Array:
        return np.interp(points, np.arange(len(grid.x)), line)

    return replace(
        _nothing(density),
        left=float(grid.midline - REACH),
        top=float(grid.bite - ABOVE),
        teeth=float(person.bite[2]),
        cheeks=cheeks,
        tone=_tone(frames, upper, seen, of),
        edge=at_points(edge),
        lip_shade=lip_shade,
        levels=len(levels),
        opened=np.pad(opened, (0, LEVELS - len(levels))),
        heights=np.pad([at_points(line) for line in heights], ((0, LEVELS - len(levels)), (0, 0))),
        upper=upper,
        below=below,
    )


def _shaded(merged: Merged, lenders: list[Lender], person: Subject, colours: Colours) -> Merged:
    """What is merged, with the shade in which the lenders show it."""
    # Where lips are little apart, what looks like lips is what is seen in that mouth.
    shown = [lender for lender in lenders if (lender.seen if lender.lips.gap < HARDLY_APART else lender.belief) > WORTH]
    usual = usual_width([lender.lips.width for lender in shown])
    mouths = [mouth for lender in shown if (mouth := between_lips(lender, person, colours, usual))]
    merged = replace(merged, beside=light_beside(mouths))
    seen = [(shown_in(merged, mouth), mouth.lender.lips.width) for mouth in mouths]
    narrowing = narrowing_of(seen)
    lit = [replace(mouth, made=mouth.made * np.float32(narrowing.light(width))) for mouth, width in seen]
    shade = learnt(lit)
    merged = replace(merged, shade=shade, contrast=contrast_of(lit, shade), narrowing=narrowing)
    return replace(merged, slit_end=slit_end(merged, mouths))


def _levels(frames: list[Frame], edge: Array, grid: Grid, of: Palette) -> list[tuple[float, Array, Floats]]:
    """What lies under the upper teeth, from little to wide open: how high in the middle, how high [columns], the picture."""
    middle = np.abs(grid.aside) < MIDDLE
    heights = [frame.bottom - np.maximum(edge, frame.top) for frame in frames]
    opened = np.array([float(np.median(height[middle])) for height in heights])
    under = [_under(frame, edge, grid, of) for frame in frames]
    shown = np.array([float(each.shown.sum()) for each in under]) / np.maximum(opened, 0.02)
    worth = np.array([frame.lender.belief * frame.sharp**0.3 for frame in frames]) * (0.2 + shown / max(shown.max(), 1e-6))
    apart = np.log(np.maximum(opened, 0.01))
    most = float(np.quantile(opened, 0.95))
    row = lower_row(under, grid, of)
    levels: list[tuple[float, Array, Floats]] = []
    marks = [*(mark for mark in MARKS if mark < most - 0.02), max(most, 0.02)]
    for mark in marks:
        near = np.exp(-(((apart - np.log(mark)) / 0.35) ** 2))
        order = np.argsort(-worth * near * _agreed(under, near, grid, of), kind="stable")[:FILLERS]
        best = int(order[0])
        if levels and opened[best] < levels[-1][0] + APART:
            continue
        made, seen = laid([under[i] for i in order if abs(apart[i] - apart[best]) < 0.6], of, lit=False)
        height = np.clip(heights[best] - 0.006, 0.004, DEEP)
        between = (grid.up[:, None] < height) & (np.abs(grid.aside) < ROW / 2)
        if (seen[between] > SEEN).sum() <= FILLED * between.sum():
            continue
        picture = made + (1 - seen)[..., None] * carried(made, seen, of.cavity, CARRIED * grid.density)
        picture = with_gaps(_without_shine(picture, grid, of), row, grid, of)
        levels.append((float(max(opened[best], 0.0)), height, dark_above(picture, height, grid, of)))
    return levels[:LEVELS] if levels and levels[-1][0] >= LOWEST else []


def _agreed(under: list[Layer], near: Array, grid: Grid, of: Palette) -> Array:
    """0..1 for each of the layers: how much it looks like the others, of which `near` says how far they count. Dark that one
    frame shows where most show teeth would come and go as the mouth opens."""
    middle = np.abs(grid.aside) < ROW
    shown = np.stack([each.shown[:, middle] for each in under])
    level = np.stack([of.level(each.yuv[:, middle]) for each in under])
    weights = near.astype(np.float32)[:, None, None] * shown
    weighted = weights * level
    others = weights.sum(axis=0) - weights
    usual = (weighted.sum(axis=0) - weighted) / np.maximum(others, 1e-6)
    counts = shown * np.minimum(others, 1)
    off = (counts * np.abs(level - usual)).sum(axis=(1, 2)) / np.maximum(counts.sum(axis=(1, 2)), 1e-3)
    return np.asarray(np.exp(-((off / (UNLIKE * of.light_of(of.tooth))) ** 2)))


def _under(frame: Frame, edge: Array, grid: Grid, of: Palette) -> Layer:
    """What a frame shows under the upper teeth, by its height over the lower lip."""
    y = frame.bottom - grid.up[:, None]
    there = np.stack(np.broadcast_arrays(grid.x + frame.off[0], y + frame.off[1]), axis=-1)
    shown = layer(frame.lender, frame.to, there, of)
    return Layer(shown.yuv, _without_islands(shown.shown * smoothstep(y - edge, *UNDER_TEETH).astype(np.float32)))


def _without_islands(shown: Floats) -> Floats:
    """How far pixels are shown, without those that flesh cuts off from the rest, where they are few: a wet lip or cheek is as
    pale as a tooth where it shines, and would lie in the mouth as a crumb."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats((shown > SEEN).astype(np.uint8))
    areas = stats[1:, cv2.CC_STAT_AREA]
    few = np.append(False, areas < ISLAND * areas.max(initial=0))
    near = widened(few[labels], 1)
    kept = (labels > 0) & ~few[labels]
    return np.where(near & ~kept, np.float32(0), shown)


def _without_shine(picture: Floats, grid: Grid, of: Palette) -> Floats:
    """The picture without the shine of what is wet: on one frame's lip or tongue, it would stay there in all of them."""
    size = round(SPOT * grid.density) | 1
    around = cv2.morphologyEx(picture[..., 0], cv2.MORPH_OPEN, np.ones((1, size), np.uint8))
    most = around + SHINE * of.light_of(of.tooth)
    dull = np.minimum(picture[..., :1], most[..., None])
    return np.asarray(np.concatenate([dull, picture[..., 1:]], axis=-1), np.float32)


def dark_above(picture: Floats, height: Array, grid: Grid, of: Palette) -> Floats:
    """The picture for mouths wider open than it was: higher over the lower lip than `height` [columns] its teeth have ended.
    With what is beside them: their edges, half as pale, would be bright dashes in the dark."""
    over = smoothstep(grid.up[:, None] - height, 0.0, 0.016) * with_beside(of.pale(picture))
    return np.asarray(picture + over[..., None] * (of.cavity - picture), np.float32)


def _nothing_under(grid: Grid, of: Palette) -> tuple[float, Array, Floats]:
    """The picture of what lies under the upper teeth, of frames that show nothing there: a tongue in the dark."""
    lit = (1 - smoothstep(grid.up, *FLOOR))[:, None] * (1 - smoothstep(np.abs(grid.aside), *TONGUE_SIDES))
    picture = of.cavity + TONGUE_LIT * lit[..., None] * (of.tongue - of.cavity)
    return 0.0, np.full(len(grid.x), DEEP), np.asarray(picture, np.float32)


def _tone(frames: list[Frame], upper: Floats, seen: Floats, of: Palette) -> Array:
    """The light on the upper teeth at GAPS, against the picture's: as the frames of like openings have it."""
    teeth = (seen > SURE) & (of.level(upper) > 0.5 * float(np.quantile(of.level(upper), 0.9)))
    gaps, gains = [], []
    for frame in frames:
        both = teeth & (frame.upper.shown > SURE)
        if both.sum() >= FEWEST:
            there, here = (float(np.quantile(of.level(yuv)[both], 0.75)) + 4 for yuv in (frame.upper.yuv, upper))
            gaps.append(frame.lender.lips.gap)
            # Each within the limits: where a lip hides the teeth, the dark in their place has a tenth of their light.
            gains.append(np.log(np.clip(max(there, 1.0) / max(here, 1.0), DIMMEST, BRIGHTEST)))
    near = np.exp(-(((np.array(gaps)[None] - np.array(GAPS)[:, None]) / NEAR_GAP) ** 2))
    return np.asarray(np.exp((near @ np.array(gains)) / (near.sum(axis=1) + 0.5)))
