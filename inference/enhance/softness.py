"""How soft a picture shows a face: in a blurred photograph, what is drawn with sharp edges stands out."""

from collections.abc import Iterable

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.picture import Mask

FINE, COARSE = 0.010, 0.020  # S (distance of the outer eye corners): sigmas of the two blurs after which slopes are compared
SMALLEST = 50  # pixels of S, below which the finer blur is less than half a pixel and tells nothing
STEEPEST = 0.9  # quantile of the slopes at a place, from which they are those of its edges
SHARP = 0.012
"""S: sigma of edges up to which nothing is blurred. Of 110 eyes of photographs nine in ten have less, all at most .015; blurred
by .02 they have .018 to .027."""


def softening(places: Iterable[tuple[Floats, Mask]], unit: float) -> float:
    """Sigma in pixels of the blur that makes what is drawn as soft as the sharpest of some places: 0 in a sharp picture, and
    where a face has less than SMALLEST pixels.

    places: of each the luma round it, h x w, and where in it the place is. unit: S in pixels.
    """
    if unit < SMALLEST:
        return 0.0
    sigma = min((edge_sigma(luma, place, unit) for luma, place in places if place.any()), default=0.0)
    return unit * float(np.sqrt(max(0.0, sigma**2 - SHARP**2)))


def edge_sigma(luma: Floats, within: Mask, unit: float) -> float:
    """Sigma in S of the blur of the steepest steps of luma (h x w) within a mask. unit: S in pixels.

    The steepest slope of a step blurred by s is in proportion to 1 / s. So two more blurs tell s: the less of the slope the
    second takes, the larger it is.
    """
    fine, coarse = (_slopes(luma, sigma * unit) for sigma in (FINE, COARSE))
    steep = within & (fine >= np.quantile(fine[within], STEEPEST))
    ratio = (float(fine[steep].sum()) / max(float(coarse[steep].sum()), 1e-6)) ** 2
    return float(np.sqrt(max(0.0, COARSE**2 - ratio * FINE**2) / max(ratio - 1, 1e-3)))


def _slopes(luma: Floats, sigma: float) -> Floats:
    soft = cv2.GaussianBlur(luma, (0, 0), sigma)
    return np.hypot(*(cv2.Sobel(soft, cv2.CV_32F, dx, 1 - dx, ksize=1) for dx in (0, 1)))
