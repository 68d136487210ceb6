"""Numbers from pixels round the mouth: likeness to the source, sharpness, the seam. Pure; pictures are h x w x 3 uint8."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from skimage.metrics import structural_similarity

from .metrics import CORNERS, LIPS, OUTER_EYES

Floats = npt.NDArray[Any]
Picture = npt.NDArray[np.uint8]
Box = tuple[slice, slice]

MARGIN = 0.22  # outer-eye distances round the lips
RING = 2  # pixels either side of the mask's outline
LUMA = np.array([0.299, 0.587, 0.114], np.float32)


def mouth_box(mesh: Floats, shape: tuple[int, ...], margin: float = MARGIN) -> Box:
    """The rectangle round the lips, cut at the picture's border; empty where there is no face."""
    lips = mesh[list(LIPS), :2]
    if not np.isfinite(lips).all():
        return slice(0, 0), slice(0, 0)
    reach = margin * float(np.linalg.norm(mesh[OUTER_EYES[0]] - mesh[OUTER_EYES[1]]))
    low, high = np.floor(lips.min(axis=0) - reach), np.ceil(lips.max(axis=0) + reach)
    (left, top), (right, bottom) = np.clip([low, high], 0, [shape[1], shape[0]]).astype(int)
    return slice(top, bottom), slice(left, right)


def psnr(source: Picture, output: Picture) -> float:
    """dB, over all three channels; at most 60."""
    error = float(((source.astype(np.float64) - output) ** 2).mean())
    return 60.0 if error < 0.065 else float(10 * np.log10(255**2 / error))


def ssim(source: Picture, output: Picture) -> float:
    """Of the luma; both at least 7 x 7."""
    return float(structural_similarity(source @ LUMA, output @ LUMA, data_range=255))


def sharpness(picture: Picture) -> float:
    """Mean size of the luma's gradient."""
    return float(_gradient(picture @ LUMA).mean())


def seam(source: Picture, output: Picture, mask: npt.NDArray[np.uint8]) -> float:
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


def _gradient(luma: Floats) -> Floats:
    across, down = cv2.Sobel(luma, cv2.CV_32F, 1, 0), cv2.Sobel(luma, cv2.CV_32F, 0, 1)
    return np.asarray(np.hypot(across, down)) / 8


def mouth_middle(mesh: Floats) -> Floats:
    return np.asarray(mesh[list(CORNERS), :2].mean(axis=0))
