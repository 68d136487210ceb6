"""A finger before the lips: skin where lips should be.

It has the colour of the face, so only the lips tell where it is; from there it is followed as a straight band.
"""

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Planes
from enhance.picture import Mask
from enhance.render.light import light_of
from enhance.render.lips.colours import COLUMNS, light_across, sampled
from enhance.render.lips.outline import Lips

from .expected import CELL, CENTRES, OF_ITSELF, Compared, shrunk

LIKE_SKIN = (0.5, 0.8)  # of the way from the lips' colour to the skin's
ASIDE = (0.5, 0.9)  # and off that way, of its length
TOLD_APART = (2.0, 3.5)  # how far lips differ from skin: too little to notice their absence, enough
ACROSS = 0.55  # of the lips above one another that have to be gone, for a finger to lie there
ENOUGH = (5.0, 10.0)  # cells of lips
WIDEST = 0.30  # S; what is wider is a hand
UPRIGHT = 0.004  # how much a band is held upright, in S squared
ABOVE = 0.08  # S that a fingertip reaches above the lips
EDGE = 0.02  # S
EDGE_CELLS, EDGE_COVERED = 2, (0.1, 0.5)  # cells of the lower lip from above, and how far a finger covers one of them
PALE = 0.02  # square of a contrast between lips and cheeks so low that its absence means nothing


def lips_left(planes: Planes, head: Array, pose: Pose, lips: Lips, relative: Array, black: float) -> float:
    """What is left of the subject's contrast between lips and cheeks, 1: all, in the two columns of lips where it is least.

    A glance: it takes a sixth of what looking for a finger takes. head: 478 x 3 in head coordinates. relative: of the
    subject's finish.tone.Tone. black: Y of black.
    """
    light = light_across(planes, head, pose)
    middles = [(lips.upper_inner + lips.upper_outer) / 2, (lips.lower_inner + lips.lower_outer) / 2]
    seen = sampled(planes, pose, np.vstack([line[COLUMNS] for line in middles])).reshape(2, -1, 3)
    contrast = seen - light
    contrast[..., 0] = np.log((seen[..., 0] + 16) / (light[:, 0] + 16))
    scale = np.array([1, 4, 4]) / np.array([1, *[max(float(light[:, 0].mean()), 32)] * 2])
    usual = relative[:, 1:3].mean(axis=1) * scale
    usual[..., 1:] *= light_of(light, black)
    there = (usual**2).sum(axis=-1)
    left = (contrast * scale * usual).sum(axis=-1) / np.maximum(there, PALE) + np.maximum(1 - there / PALE, 0)
    each = left.max(axis=0)
    return float(np.maximum(each[1:], each[:-1]).min())


def lips_gone(seen: Compared) -> Floats:
    """Of each cell within the lips, how far the colour of the skin round them is there instead; 0 elsewhere, and in a
    picture of a single hue, where lips that are drawn wide are as light as skin."""
    return _gone_of(seen, _within(seen)) * np.float32(seen.hues)


def _gone_of(seen: Compared, within: Mask) -> Floats:
    x, y = CENTRES[..., 0], CENTRES[..., 1]
    around = seen.skin & ~seen.lips & (np.abs(x) < 0.4) & (y > 0.05)
    if not around.any():
        return np.zeros(seen.skin.shape, np.float32)
    here, usual = seen.seen[within], seen.usual[within]
    apart, off = (np.median(seen.seen[around], axis=0) - usual) / OF_ITSELF, (here - usual) / OF_ITSELF
    length = np.maximum((apart**2).sum(axis=1), 1e-3)
    along = (off * apart).sum(axis=1) / length
    aside = np.sqrt(((off - along[:, None] * apart) ** 2).sum(axis=1) / length)
    gone = np.zeros(within.shape, np.float32)
    gone[within] = smoothstep(along, *LIKE_SKIN) * (1 - smoothstep(aside, *ASIDE)) * smoothstep(np.sqrt(length), *TOLD_APART)
    return gone


def gone_share(seen: Compared, gone: Floats) -> float:
    """0..1 of the lips; gone: from lips_gone."""
    return float(gone.sum()) / max(float(_within(seen).sum()), 1.0)


def finger(seen: Compared, gone: Floats) -> Floats:
    """0..1 of each cell: how far a finger that points up at the lips covers it; gone: from lips_gone."""
    lips = _within(seen)
    columns = gone.sum(axis=0) / np.maximum(lips.sum(axis=0), 1)
    gone = gone * smoothstep(columns, ACROSS - 0.2, ACROSS).astype(np.float32)
    if gone.sum() > ENOUGH[0]:
        gone = gone * _at_the_mouth(seen)
    belief = ramp(float(gone.sum()), *ENOUGH)
    if not belief:
        return np.zeros_like(gone)
    x, y = CENTRES[..., 0], CENTRES[..., 1]
    total = float(gone.sum())
    middle = float((gone * x).sum()) / total, float((gone * y).sum()) / total
    tilt = float((gone * (x - middle[0]) * (y - middle[1])).sum()) / (
        float((gone * (y - middle[1]) ** 2).sum()) + UPRIGHT * total
    )
    across = x - middle[0] - tilt * (y - middle[1])
    # The deviation of an even band is its width over the root of 12.
    half = float(np.sqrt(3 * (gone * across**2).sum() / total)) + CELL / 2
    belief *= 1 - ramp(2 * half, WIDEST, WIDEST + 0.1)
    top = float(y[gone > 0.3].min()) if (gone > 0.3).any() else middle[1]
    band = (1 - smoothstep(np.abs(across), half - EDGE / 2, half + EDGE)) * smoothstep(
        y, top - ABOVE - EDGE, top - ABOVE + EDGE
    )
    return np.asarray(belief * band, np.float32)


def corner_left(seen: Compared, band: Floats) -> float:
    """S of the mouth's width that is seen beside a finger, on the side where less of it is; band: from finger()."""
    mouth = np.flatnonzero((seen.lips | seen.hole).any(axis=0))
    covered = np.flatnonzero(((band > 0.5) & (seen.lips | seen.hole)).any(axis=0))
    if not len(covered):
        return float("inf")
    return CELL * float(min(covered[0] - mouth[0], mouth[-1] - covered[-1]))


def _at_the_mouth(seen: Compared) -> Floats:
    """0..1 of each cell: 0 in the lower lip where its upper edge is seen below an open mouth. A finger that points at the mouth
    covers it; a lip that is thinner than the mesh has it ends above skin.
    """
    lips = seen.lips & seen.skin
    up = lips[::-1]
    ended = np.logical_or.accumulate(np.logical_or.accumulate(up, axis=0) & ~up, axis=0)
    lower = (up & ~ended)[::-1]
    above = np.zeros_like(lower)
    above[EDGE_CELLS:] = lower[:-EDGE_CELLS]
    covered = (_gone_of(seen, lips) * (lower & ~above)).max(axis=0)
    is_open = (lips & ~lower).any(axis=0)
    return np.where(lower & is_open, smoothstep(covered, *EDGE_COVERED), 1).astype(np.float32)


def _within(seen: Compared) -> Mask:
    """Cells of the lips whose neighbours are lips: a mesh that is off by a cell changes nothing."""
    return np.asarray(shrunk((seen.lips & seen.skin).astype(np.float32)) > 0)
