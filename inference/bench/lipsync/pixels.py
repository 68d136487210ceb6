"""Numbers from pixels round the mouth: likeness to the source, sharpness, seam, colour, what lies between the lips. Pure;
pictures are h x w x 3 uint8 RGB."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from skimage.metrics import structural_similarity

from .metrics import CORNERS, INNER, LIPS, OUTER, OUTER_EYES

Floats = npt.NDArray[Any]
Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Box = tuple[slice, slice]

MARGIN = 0.22  # outer-eye distances round the lips
RING = 2  # pixels either side of the mask's outline
RIM = 0.08  # of the mask's width: the skin just inside its outline, where no lip reaches
FEWEST = 40  # pixels between the lips, to say anything of them
ROWS, COLUMNS = 12, 18  # of an inside laid flat
ENDS = 0.15  # of the lips' length, at either corner, that an inside laid flat has not
LUMA = np.array([0.299, 0.587, 0.114], np.float32)


def mouth_box(mesh: Floats, shape: tuple[int, ...]) -> Box:
    """The rectangle round the lips, cut at the picture's border; empty where there is no face."""
    lips = mesh[list(LIPS), :2]
    if not np.isfinite(lips).all():
        return slice(0, 0), slice(0, 0)
    reach = MARGIN * float(np.linalg.norm(mesh[OUTER_EYES[0]] - mesh[OUTER_EYES[1]]))
    low, high = np.floor(lips.min(axis=0) - reach), np.ceil(lips.max(axis=0) + reach)
    (left, top), (right, bottom) = np.clip([low, high], 0, [shape[1], shape[0]]).astype(int)
    return slice(top, bottom), slice(left, right)


def psnr(source: Picture, output: Picture, mask: Mask | None = None) -> float:
    """dB, over all three channels, of the masked pixels; at most 60."""
    squares = (source.astype(np.float32) - output) ** 2
    error = float((squares if mask is None else squares[mask]).mean())
    return 60.0 if error < 0.065 else float(10 * np.log10(255**2 / error))


def ssim(source: Picture, output: Picture, mask: Mask | None = None) -> float:
    """Of the luma, mean over the masked pixels; both at least 7 x 7."""
    whole, each = structural_similarity(source @ LUMA, output @ LUMA, data_range=255, full=True)
    return float(whole if mask is None else each[mask].mean())


def sharpness(picture: Picture, mask: Mask | None = None) -> float:
    """Mean size of the luma's gradient."""
    strength = _gradient(picture @ LUMA)
    return float((strength if mask is None else strength[mask]).mean())


def between_lips(mesh: Floats, box: Box) -> Mask:
    """Of a box of the picture: what the inner outline of the lips surrounds, less the pixels that lie on it."""
    outline = _outlined(mesh, INNER, box)
    return np.asarray(cv2.erode(outline, np.ones((3, 3), np.uint8), borderValue=(0,)) > 0)


def lips(mesh: Floats, box: Box) -> Mask:
    """Of a box of the picture: the red of the lips, without what is between them."""
    inner, outer = _outlined(mesh, INNER, box), _outlined(mesh, OUTER, box)
    return np.asarray((outer > 0) & (cv2.dilate(inner, np.ones((3, 3), np.uint8)) == 0))


def seam(source: Picture, output: Picture, mask: Picture) -> float:
    """How much stronger the gradient is along the mask's outline than in the source, as a share of the source's mean: 0 = no
    edge was added. NaN without an outline."""
    inside = (mask > 0).astype(np.uint8)
    kernel = np.ones((2 * RING + 1, 2 * RING + 1), np.uint8)
    grown, shrunk = cv2.dilate(inside, kernel), cv2.erode(inside, kernel, borderValue=(1,))
    ring = (np.asarray(grown) > 0) & (np.asarray(shrunk) == 0)
    if not ring.any():
        return float("nan")
    before, after = _gradient(source @ LUMA), _gradient(output @ LUMA)
    return float(np.maximum(after - before, 0)[ring].mean() / max(float(before[ring].mean()), 1.0))


def rim_colour(source: Picture, output: Picture, mask: Picture) -> float:
    """How far the mean colour of the skin just inside the mask's outline has moved, in CIE 1976 units; NaN without a mask."""
    inside = (mask > 0).astype(np.uint8)
    if not inside.any():
        return float("nan")
    reach = max(1, round(RIM * float(inside.any(axis=0).sum())))
    rim = (inside > 0) & (cv2.erode(inside, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8), borderValue=(1,)) == 0)
    return colour_apart(source, output, rim, rim)


def colour_apart(one: Picture, other: Picture, of_one: Mask, of_other: Mask) -> float:
    """Distance of the mean colours of two masked parts, in CIE 1976 units (2 = just seen side by side)."""
    if of_one.sum() < FEWEST or of_other.sum() < FEWEST:
        return float("nan")
    return float(np.linalg.norm(_lab(one)[of_one].mean(axis=0) - _lab(other)[of_other].mean(axis=0)))


def mean_luma(picture: Picture, mask: Mask) -> float:
    """NaN of too few pixels."""
    return float((picture[mask] @ LUMA).mean()) if mask.sum() >= FEWEST else float("nan")


def mouth_middle(mesh: Floats) -> Floats:
    """x, y in pixels: half way between the corners of the mouth of a mesh (478 x 3)."""
    return np.asarray(mesh[list(CORNERS), :2].mean(axis=0))


def laid_flat(picture: Picture, mesh: Floats) -> Floats:
    """ROWS x COLUMNS luma of what lies between the lips, however they stand: a row is a share of the way from lip to lip."""
    ring = mesh[list(INNER), :2]
    upper, lower = ring[:11], np.concatenate([ring[10:], ring[:1]])[::-1]  # both from one corner to the other
    at = np.linspace(10 * ENDS, 10 * (1 - ENDS), COLUMNS)
    top, bottom = (np.stack([np.interp(at, range(11), line[:, k]) for k in (0, 1)], 1) for line in (upper, lower))
    down = ((np.arange(ROWS) + 0.5) / ROWS)[:, None, None]
    places = (top + down * (bottom - top)).astype(np.float32)
    return np.asarray(cv2.remap(picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR) @ LUMA)


def _gradient(luma: Floats) -> Floats:
    across, down = cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.magnitude(across, down)) / 8


def _lab(picture: Picture) -> Floats:
    return np.asarray(cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_RGB2LAB))


def _outlined(mesh: Floats, outline: tuple[int, ...], box: Box) -> Picture:
    rows, columns = box
    inside = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    points = mesh[list(outline), :2] - [columns.start, rows.start]
    if np.isfinite(points).all():
        cv2.fillPoly(inside, [np.round(points).astype(np.int32)], (1,))
    return inside
