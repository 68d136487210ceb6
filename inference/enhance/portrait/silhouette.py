"""How much of a portrait's head motion each place takes: all on the head, none on the background and the faces beside it.

docs/decisions/0126, 0260 and 0277.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area
from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import smoothstep
from enhance.geometry.landmarks import SKIN_POINTS
from enhance.picture import BadPictureError, Mask, Picture

from .overlay import written_over
from .raster import FAR, HEAD, SIDE, Raster, bounds, in_pixels, places

Silhouette = Raster
"""0..1, over the places a head may reach: 1 where the head is, 0 where the background is."""

HAIR, BEHIND = 0.9, 1.35  # times HEAD: nearer than the one there is mostly head, farther than the other background
CROWN = 0.8  # outer-eye distances to both sides of the middle: what lies above the eyes between them is hair before all else
WALL = 10  # times as usual behind the head as in the crown: a colour beside the face that is no hair's
SHOULDERS = 0.3  # half face heights below the middle of the face, from where on no colours are learnt
SAMPLES, FEWEST = 400, 30  # places by which colours are learnt at most, and at least
LAB = (0.6, 1.5, 1.5)  # how much lightness counts, and the other two of CIELAB in 8 bits
ALIKE = 8.0  # levels of these, sigma, within which colours are alike
KNOWN = 2e-3  # share of the colours learnt that are like a colour which is known
EDGE, ODDS = (0.7, 1.2), (0.3, 0.7)  # times HEAD: how likely background is there, before colours are looked at
SURE = (0.7, 0.85)  # how likely one of the two has to be to count, and to count fully
NEAR = (0.95, 1.3)  # times HEAD, where what has the head's colours ceases to be the head: hands, wooden walls
SOFT, SMOOTH = 0.08, 0.05  # outer-eye distances, sigmas: less of them, and motion folds at the head's edge
FADE = 0.4  # outer-eye distances within an edge over which motion fades to it
OTHER = 1.1  # half sides of the box of another face, up to where it stays
BOX = 4  # x1, y1, x2, y2
NO_OTHERS: Floats = np.zeros((0, BOX), np.float32)
USUAL = 0.05  # how much the usual head counts beside a sure colour


def silhouette(picture: Picture, frame: HeadFrame, edges: Raster, others: Floats = NO_OTHERS) -> Silhouette:
    """Where the head is. picture: h x w x 3 uint8 RGB, the portrait as it came. frame: its face's. edges: edges.find_edges().
    others: k x BOX, of the other faces in it, in pixels; one round this face is its larger copy or no face: it does not count.

    Where a colour is the head's alone, or the background's, it tells; elsewhere the usual head does. The face is head, and
    so is what lies between it and head farther out. What is written over them, and other people's faces, move as little as the
    background.
    """
    low, high = bounds(frame)
    across, down = places(frame)
    step = (high - low) / (SIDE - 1)
    radius = _radius(frame, across, down)
    face = _face(frame)
    above, crown = down < SHOULDERS * frame.chin, (np.abs(across) < CROWN) & (down < 0)
    head, sure = _told(_colours(picture, frame, across, down), radius, face, above, crown)

    def soft(values: Floats, sigma: float) -> Floats:
        x, y = sigma / step
        return np.asarray(cv2.GaussianBlur(values.astype(np.float32), (0, 0), x, sigmaY=y, borderType=cv2.BORDER_REPLICATE))

    share = (soft(sure * head, SOFT) + USUAL * usual(frame, across, down)) / (soft(sure, SOFT) + USUAL)
    share = _without_holes(np.minimum(share, 1 - smoothstep(radius, BEHIND, FAR)), -low / step)
    x, y = in_pixels(frame, across, down)
    still = _written(picture, frame, x, y) | (_of_others(frame, others, x, y) & ~face)
    if still.any():
        share *= 1 - soft(still, SOFT)
    share = soft(share, SMOOTH) * smoothstep(edges, 0, FADE).astype(np.float32)
    return np.clip(share, 0, 1)


def usual(frame: HeadFrame, across: Floats, down: Floats) -> Floats:
    """How much head there usually is at places in the frame's units, 0..1."""
    return 1 - smoothstep(_radius(frame, across, down), 0.8, FAR)


def check_others(boxes: npt.NDArray[Any]) -> Floats:
    """The same. Raises BadPictureError where values that came from outside are no boxes."""
    if boxes.dtype != np.float32 or boxes.ndim != 2 or boxes.shape[1] != BOX or not np.isfinite(boxes).all():
        raise BadPictureError(f"expected OTHERS [k, {BOX}] of finite float32, got {list(boxes.shape)} of {boxes.dtype}")
    return boxes


def check_silhouette(head: Silhouette) -> None:
    """Raises BadPictureError where values that came from outside are no silhouette."""
    if head.dtype != np.float32 or head.shape != (SIDE, SIDE):
        raise BadPictureError(f"expected HEAD [{SIDE}, {SIDE}] of float32, got {list(head.shape)} of {head.dtype}")
    if not ((head >= 0) & (head <= 1)).all():
        raise BadPictureError("expected HEAD within 0 and 1")


def _radius(frame: HeadFrame, across: Floats, down: Floats) -> Floats:
    """Distance from the middle of the face in times HEAD."""
    width, height = HEAD
    above, below = down / (height * frame.chin), down / (1.5 * frame.chin)
    return np.hypot(across / width, np.where(down < 0, above, below))


def _face(frame: HeadFrame) -> Mask:
    """The places that the mesh covers."""
    low, high = bounds(frame)
    points = (np.stack(frame.place(frame.mesh[:SKIN_POINTS, :2]), 1) - low) / (high - low) * (SIDE - 1)
    face = np.zeros((SIDE, SIDE), np.uint8)
    cv2.fillConvexPoly(face, np.round(cv2.convexHull(points.astype(np.float32))).astype(np.int32), (1,))
    return face > 0


def _colours(picture: Picture, frame: HeadFrame, across: Floats, down: Floats) -> Floats:
    """CIELAB by LAB at places in the frame's units, each the mean of what lies nearer to it than to others; NaN outside."""
    x, y = (each.astype(np.float32) for each in in_pixels(frame, across, down))
    rows, columns = picture.shape[:2]
    size = max(1, round(float(np.ptp(across)) / (SIDE - 1) * frame.unit))
    lab = cv2.cvtColor(cv2.blur(picture, (size, size)), cv2.COLOR_RGB2LAB)
    seen = cv2.remap(lab, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) * np.array(LAB, np.float32)
    seen[(x < 0) | (y < 0) | (x > columns - 1) | (y > rows - 1)] = np.nan
    return seen


def _written(picture: Picture, frame: HeadFrame, x: Floats, y: Floats) -> Mask:
    """Which places (pixels) have letters, or the box or banner on which they stand."""
    reach = Area.around(np.stack([x.ravel(), y.ravel()], 1), 0).clipped(Area(0, 0, picture.shape[1], picture.shape[0]))
    if reach.is_empty:
        return np.zeros(x.shape, np.bool_)
    written = written_over(picture, frame, reach).astype(np.uint8)
    x, y = ((each - start).astype(np.float32) for each, start in ((x, reach.x), (y, reach.y)))
    return np.asarray(cv2.remap(written, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT) > 0)


def _of_others(frame: HeadFrame, boxes: Floats, x: Floats, y: Floats) -> Mask:
    """Which places (pixels) lie on faces in these boxes, which are about as round as an ellipse."""
    found = np.zeros(x.shape, np.bool_)
    own = frame.origin[:2]
    boxes = boxes[((own < boxes[:, :2]) | (own > boxes[:, 2:])).any(1)]
    for x1, y1, x2, y2 in boxes.astype(np.float64):
        across, down = (2 * x - x1 - x2) / max(x2 - x1, 1), (2 * y - y1 - y2) / max(y2 - y1, 1)
        found |= np.hypot(across, down) < OTHER
    return found


def _told(colours: Floats, radius: Floats, face: Mask, above: Mask, crown: Mask) -> tuple[Floats, Floats]:
    """Whether a place's colour makes it head, 0..1, and how sure that is, 0..1. above: the shoulders. crown: CROWN."""
    known = ~np.isnan(colours[..., 0])
    learnt = known & above
    skin, hair, others = learnt & face, learnt & (radius < HAIR) & ~face, learnt & (radius > BEHIND)
    if min(part.sum() for part in (skin, hair, others)) < FEWEST:
        return np.ones_like(radius), face.astype(np.float64)
    as_skin, as_others = (_alike(colours, colours[part]) for part in (skin, others))
    if (hair & crown).sum() >= FEWEST:
        # Beside a head with short hair there is as much wall.
        hair &= crown | (as_others < WALL * _alike(colours, colours[hair & crown]))
    as_hair = _alike(colours, colours[hair])
    odds = ODDS[0] + (ODDS[1] - ODDS[0]) * smoothstep(radius, *EDGE)
    here, behind = (1 - odds) * np.maximum(as_skin, as_hair), odds * as_others
    either = here + behind
    back = behind / np.maximum(either, 1e-9)
    held, led = (smoothstep(share, *SURE) for share in (back, 1 - back))
    led *= 1 - smoothstep(radius, *NEAR)
    sure = np.where(known, (held + led) * either / (either + KNOWN), 0)
    return np.where(face, 1, led / np.maximum(led + held, 1e-9)), np.where(face, 1, sure)


def _alike(colours: Floats, learnt: Floats) -> Floats:
    """How many of the colours that were learnt (n x 3) are like each of `colours` (h x w x 3), 0..1."""
    some = learnt[:: max(1, len(learnt) // SAMPLES)]
    flat = np.nan_to_num(colours.reshape(-1, 3))
    far = (flat**2).sum(1)[:, None] + (some**2).sum(1)[None] - 2 * flat @ some.T
    return np.asarray(np.exp(-far / (2 * ALIKE**2)).mean(1).reshape(colours.shape[:2]))


def _without_holes(share: Floats, middle: Floats) -> Floats:
    """The same, but no place is less of the head than one farther out. middle: of the face, x, y in the raster."""
    reach = float(np.hypot(SIDE, SIDE))
    size, at_middle = (2 * SIDE, 6 * SIDE), (float(middle[0]), float(middle[1]))
    rays = cv2.warpPolar(share.astype(np.float32), size, at_middle, reach, cv2.WARP_FILL_OUTLIERS)
    full = np.maximum.accumulate(rays[:, ::-1], axis=1)[:, ::-1]
    back = cv2.warpPolar(full, (SIDE, SIDE), at_middle, reach, cv2.WARP_FILL_OUTLIERS | cv2.WARP_INVERSE_MAP)
    return np.maximum(share, back)
