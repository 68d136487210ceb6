"""The mouth of a flat drawing, measured in its pixels: the mesh network, trained on people, places lips wider than the stroke.

The mouth is what differs from the skin round it: a stroke when closed, a filled shape when open. The lips of the mesh are laid
along it, and are thin, since a flat drawing has no body of lips.
"""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LEFT_EYE, LIPS, RIGHT_EYE, features
from enhance.picture import Mask, Picture

from .crop import Crop, Points, turned_square
from .frame import Frame

Floats = npt.NDArray[np.float32]

SIZE = 96  # pixels of the window, whose side is the distance of the eyes' outer corners
INK = 0.35  # of the strongest difference from the skin near the middle
FAINTEST = 24  # levels of 255: below, nothing differs from the skin enough to be a mouth
REACH = 0.16  # sides: the drawn mouth lies nearer than this to the mesh's
WIDTHS = (0.06, 0.75)  # sides: of a mouth
CLOSED = 0.045  # sides: a shape not higher, column by column, is the stroke of a closed mouth
FLESH = 0.02  # sides from the inner lips to the outer
SPREAD = 0.35  # sides over which the skin round the lips moves with them

# The rings of the lips in LIPS: from the right corner along the lower lip to the left corner, then along the upper lip.
OUTER, INNER, OUTER_MIDDLE, INNER_MIDDLE = (np.array(LIPS[ring * 20 : ring * 20 + 20]) for ring in range(4))
LOWER, UPPER = slice(0, 11), [0, *range(11, 20), 10]


def fit_mouth(picture: Frame, mesh: Points) -> Points | None:
    """The mesh (478 x 3) with its lips on the drawn mouth; None where none is found, or the eyes are under 8 pixels apart."""
    along = mesh[LEFT_EYE, :2] - mesh[RIGHT_EYE, :2]
    side = float(np.hypot(*along))
    if side < 8:
        return None
    window = turned_square(features(mesh)[2], side, along)
    mouth = _mouth(window.cut(picture, SIZE))
    if mouth is None:
        return None
    inner = _inner_lips(mouth, window.inverse(mesh[INNER]))
    middle = inner.mean(axis=0)
    outward = np.where(np.abs(inner - middle) < 1e-6, 0, np.sign(inner - middle)) * [0.5, 1.0]
    outer = inner + outward * FLESH
    return _laid(mesh, window, inner, outer)


def _mouth(pixels: Picture) -> Mask | None:
    """Which pixels of the window are the mouth."""
    third = slice(SIZE // 3, SIZE * 2 // 3)
    skin = np.median(pixels[SIZE // 6 : SIZE * 5 // 6, SIZE // 6 : SIZE * 5 // 6].reshape(-1, 3), axis=0)
    unlike = np.abs(pixels - skin).max(axis=2)
    strongest = float(np.percentile(unlike[third, SIZE // 4 : SIZE * 3 // 4], 99))
    if strongest < FAINTEST:
        return None
    ink = (unlike > INK * strongest).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    best, which = 0.0, 0
    for label, (x, y, width, height, _) in enumerate(stats.tolist()):
        inside = x > 0 and y > 0 and x + width < SIZE and y + height < SIZE
        if label == 0 or not inside or not WIDTHS[0] * SIZE <= width <= WIDTHS[1] * SIZE:
            continue
        away = np.hypot(_gap(x, width), _gap(y, height)) / SIZE
        worth = width * np.exp(-((away / REACH) ** 2)) if away < REACH else 0.0
        if worth > best:
            best, which = worth, label
    return np.asarray(labels == which) if which else None


def _gap(start: int, length: int) -> float:
    """From the middle of the window to a span of pixels; 0 inside of it."""
    return max(start - SIZE / 2, SIZE / 2 - start - length, 0.0)


def _inner_lips(mouth: Mask, usual: Floats) -> Floats:
    """The inner ring (20 x 2, in the unit square) along the upper and lower edge of the mouth.

    usual: the ring as the mesh has it, from which it is taken how far along the lips each point lies.
    """
    columns = np.flatnonzero(mouth.any(axis=0))
    tops = mouth[:, columns].argmax(axis=0).astype(np.float64)
    bottoms = SIZE - mouth[::-1, columns].argmax(axis=0).astype(np.float64)
    tops, bottoms = _smooth(tops), _smooth(bottoms)
    if np.median(bottoms - tops) < CLOSED * SIZE:
        tops = bottoms = (tops + bottoms) / 2
    ends = usual[0, 0], usual[10, 0]
    share = np.clip((usual[:, 0] - ends[0]) / max(ends[1] - ends[0], 1e-6), 0, 1)
    across = columns[0] + share * (columns[-1] + 1 - columns[0])
    ring = np.empty((20, 2))
    ring[:, 0] = across
    ring[LOWER, 1] = np.interp(across[LOWER], columns + 0.5, bottoms)
    ring[UPPER, 1] = np.interp(across[UPPER], columns + 0.5, tops)
    for corner, column in ((0, 0), (10, -1)):
        ring[corner, 1] = (tops[column] + bottoms[column]) / 2
    return np.asarray(ring / SIZE, np.float32)


def _smooth(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if len(values) < 5:
        return values
    return np.convolve(np.pad(values, 2, mode="edge"), np.ones(5) / 5, mode="valid")


def _laid(mesh: Points, window: Crop, inner: Floats, outer: Floats) -> Points:
    """The mesh with these lips (20 x 2 each, in the window). The skin round them moves too, less with the distance."""
    before = window.inverse(mesh)
    fitted = before.copy()
    shift = inner.mean(axis=0) - before[INNER].mean(axis=0)
    away = np.linalg.norm(before - inner.mean(axis=0), axis=1)
    fitted += shift * np.exp(-((away / SPREAD) ** 2))[:, None]
    fitted[INNER], fitted[OUTER] = inner, outer
    fitted[INNER_MIDDLE], fitted[OUTER_MIDDLE] = inner * 2 / 3 + outer / 3, inner / 3 + outer * 2 / 3
    laid = mesh.copy()
    moved = np.isfinite(fitted).all(axis=1) & (away < 3 * SPREAD)
    laid[moved, :2] = window.place(fitted[moved])
    return laid
