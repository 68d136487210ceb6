"""Values known in some pixels, carried smoothly into the others (pull and push: Gortler et al. 1996)."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.picture import Mask


def spread(values: Floats, known: Mask) -> Floats:
    """What is known, smoothly everywhere; far from all of it, its mean. values: h x w x channels. 0 where nothing is known."""
    weight = known.astype(np.float32)
    levels = [(values * weight[..., None], weight)]
    while min(levels[-1][1].shape) > 4:
        size = tuple(-(-n // 2) for n in levels[-1][1].shape[::-1])
        levels.append(tuple(cv2.resize(part, size, interpolation=cv2.INTER_AREA) for part in levels[-1]))  # type: ignore[arg-type]
    mean = values[known].mean(axis=0) if known.any() else 0
    total, weight = levels[-1]
    smooth = np.where(weight[..., None] > 0, total / np.maximum(weight, 1e-6)[..., None], mean)
    for total, weight in reversed(levels[:-1]):
        smooth = cv2.resize(smooth, weight.shape[::-1], interpolation=cv2.INTER_LINEAR)
        share = np.minimum(weight * 4, 1)[..., None]
        smooth = smooth * (1 - share) + share * total / np.maximum(weight, 1e-6)[..., None]
    return np.asarray(smooth, np.float32)
