"""What is drawn on skin, taken away: the skin goes on under it. docs/decisions/0144."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.masks import widened
from enhance.membrane import spread
from enhance.picture import Mask

RING = 3  # pixels round the hole that say what has to fit
PROBES = 160  # of them, at most
SHIFTS = 20  # up, and down
ASIDE = 4  # steps to each side
STRANGE = 10.0  # levels that the patch may go beyond what surrounds the hole
SHADED = 2.5  # levels that skin at a hole is darker than skin further out: from here on shade that goes with what is erased
UNSHADED = 1.0  # levels: where the shade ends
FADES = 0.8  # of the shade at the hole is left at half its width, at most: lips have as much up to their edge
SHADE_REACHES = 0.06  # S from the hole
BAND, BAND_WIDTH = 6.0, 0.012  # distance in YUV from the skin, and S across, from which a band round a mouth is lips
REDDER, ONE_GROUND = 6.0, 2.0
"""V codes more than the skin's, from which what touches a mouth belongs to it; and how many times as light as the darkest place
beyond the lightest is: more, and it is skin and a beard, or the background."""
LINE = 25.0  # levels between skin and what is drawn on it: no shade
PATTERN = 0.5
"""Of the variance of what lies round a hole, what the best piece leaves, up to which it goes on with a pattern, as of dots.
Otherwise what is dark there is drawn beside the hole, and not looked for in a piece."""
BESIDE = 50.0  # the same between what lies beside a hole and the median there: light from one side makes skin differ by 40


def erase(picture: Floats, hole: Mask) -> Floats:
    """The picture (h x w x 3) with the hole filled.

    Filled with the piece of the picture that fits best round the hole, tone and shade included, the difference that is left
    at its rim spread over it (Perez et al. 2003, with a membrane by pull and push); where no piece fits, with the membrane
    alone.
    """
    rows = np.flatnonzero(hole.any(axis=1))
    if not len(rows):
        return picture
    ring = widened(hole, RING) & ~hole
    shift, unlike = _best_shift(picture, hole, ring, int(np.ptp(rows)) + 1)
    skin = _skin_of(ring, picture)
    if unlike > PATTERN and skin.sum() < ring.sum():
        shift, _ = _best_shift(picture, hole, skin, int(np.ptp(rows)) + 1)
    if shift is None:
        piece = np.zeros_like(picture)
    else:
        moved = np.array([[1, 0, -shift[1]], [0, 1, -shift[0]]], np.float32)
        flat = cv2.warpAffine(picture, moved, picture.shape[1::-1], flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT_101)
        piece = np.asarray(flat, np.float32)
    filled = picture.copy()
    filled[hole] = (piece + spread(picture - piece, _skin_of(ring, picture - piece)))[hole]
    return filled


def _skin_of(ring: Mask, apart: Floats) -> Mask:
    """The ring without what is drawn beside the hole, as a moustache: its dark would run out over the skin.

    apart: h x w x 3, luma first, the picture, less the piece where there is one.
    """
    skin = ring & (np.abs(apart[..., 0] - np.median(apart[..., 0][ring])) < BESIDE)
    return skin if skin.sum() > ring.sum() / 2 else ring


def with_shade(hole: Mask, picture: Floats, scale: float) -> Mask:
    """The hole with the ends of the mouth that touch it, and the soft shade round it that 3D renderers and airbrushes leave.

    Without the shade, skin spread from the hole's rim is as dark as the rim. Lines that go on beyond the shade are left out.
    picture: h x w x 3, luma first, 0..255. scale: pixels per S.
    """
    far, apart = _from_skin(hole, picture, scale)
    beyond = picture[..., 0][(far > _reach(scale)) & (far <= _reach(scale) + RING)]
    if beyond.size and np.percentile(beyond, 95) < ONE_GROUND * np.percentile(beyond, 5):
        hole = hole | _ends_beside(hole, far <= _reach(scale), apart)
    darker = apart[..., 0]
    shade = _profile(far, darker, scale)
    ends = int(np.argmax(shade < UNSHADED))
    if shade[0] < SHADED or shade[ends // 2] > FADES * shade[0]:
        return hole
    near = far <= ends + 1
    _, parts = cv2.connectedComponents(((np.abs(darker) >= LINE) & ~hole).astype(np.uint8))
    goes_on = np.unique(parts[~near])
    return np.asarray(hole | (near & ((parts == 0) | ~np.isin(parts, goes_on))))


def has_band(hole: Mask, picture: Floats, scale: float) -> bool:
    """Whether a band of another colour than the skin's lies round the hole, as even as lips are; arguments as in with_shade."""
    far, apart = _from_skin(hole, picture, scale)
    band = _profile(far, np.linalg.norm(apart, axis=-1), scale)
    ends = int(np.argmax(band < band[0] / 2))
    return bool(band[0] > BAND and ends > BAND_WIDTH * scale and band[ends // 2] > FADES * band[0])


def _ends_beside(hole: Mask, near: Mask, apart: Floats) -> Mask:
    """What is redder than the skin, touches the hole and ends near it: the tips of the lips of a 3D face."""
    unlike = (apart[..., 2] < -REDDER) & ~hole
    _, parts = cv2.connectedComponents(unlike.astype(np.uint8))
    ends = np.setdiff1d(parts[widened(hole, 1) & unlike], parts[~near & unlike])
    return np.asarray(unlike & np.isin(parts, ends))


def pixels_from(hole: Mask) -> Floats:
    """How far each pixel is from the hole.

    Rounded: OpenCV has 10.000002 for 10 in one call and not in the next, and a ring of 10 pixels would change with it.
    """
    far = cv2.distanceTransform((~hole).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(np.round(far, 3), np.float32)


def _from_skin(hole: Mask, picture: Floats, scale: float) -> tuple[Floats, Floats]:
    """How far each pixel is from the hole, and what it lacks of the skin beyond SHADE_REACHES, spread inward."""
    far = pixels_from(hole)
    reach = _reach(scale)
    beyond = (far > reach) & (far <= reach + RING)
    return far, spread(picture, beyond) - picture if beyond.any() else np.zeros_like(picture)


def _profile(far: Floats, values: Floats, scale: float) -> Floats:
    """The median of each ring of one pixel round the hole, from the inside out, above the least; 0 where there is no ring."""
    reach = _reach(scale)
    within = (far > 0) & (far <= reach)
    if not within.any():
        return np.zeros(1, np.float32)
    ring, found = np.ceil(far[within]).astype(int), values[within]
    steps = np.array([np.median(found[ring == step]) for step in range(1, reach + 1) if (ring == step).any()])
    return np.asarray(steps - steps.min(), np.float32)


def _reach(scale: float) -> int:
    return max(1, round(SHADE_REACHES * scale))


def _best_shift(picture: Floats, hole: Mask, ring: Mask, height: int) -> tuple[tuple[int, int] | None, float]:
    """Rows and columns from the hole to the piece; None when all hold something that is not skin. And the share of the
    variance of what lies on the ring that differs there."""
    h, w = hole.shape
    at = np.argwhere(ring)
    at = at[:: max(1, len(at) // PROBES)]
    inside = np.argwhere(hole)
    inside = inside[:: max(1, len(inside) // PROBES)]
    step = max(1, height // 24)
    first = height + 2 * RING
    down = np.concatenate([sign * (first + step * np.arange(SHIFTS)) for sign in (-1, 1)])
    across = step * np.arange(-ASIDE, ASIDE + 1)
    shifts = np.stack(np.meshgrid(down, across, indexing="ij"), axis=-1).reshape(-1, 2)
    low, high = np.argwhere(hole | ring).min(axis=0), np.argwhere(hole | ring).max(axis=0)
    shifts = shifts[((low + shifts >= 0) & (high + shifts < [h, w])).all(axis=1)]
    if not len(shifts):
        return None, np.inf
    luma = np.ascontiguousarray(picture[..., 0])
    here, there, piece = luma[at[:, 0], at[:, 1]], _seen(luma, at, shifts), _seen(luma, inside, shifts)
    unlike = there - here
    unlike -= unlike.mean(axis=1, keepdims=True)
    misfit = np.square(unlike).mean(axis=1)
    strange = (piece.min(axis=1) < here.min() - STRANGE) | (piece.max(axis=1) > here.max() + STRANGE)
    near = 0.02 * np.abs(shifts).sum(axis=1)
    best = int(np.argmin(np.where(strange, np.inf, misfit + near)))
    if strange[best]:
        return None, np.inf
    return (int(shifts[best, 0]), int(shifts[best, 1])), float(misfit[best] / max(here.var(), 1.0))


def _seen(luma: Floats, places: npt.NDArray[np.int64], shifts: npt.NDArray[np.int64]) -> Floats:
    """shifts x places: what lies there when shifted."""
    width = luma.shape[1]
    return np.asarray(luma.ravel()[(places @ [width, 1])[None] + (shifts @ [width, 1])[:, None]], np.float32)
