"""Masks made wider and narrower, by whole pixels."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import Mask


def widened(mask: npt.NDArray[Any], pixels: int) -> Mask:
    """A mask (h x w, not 0 in it), and what lies so near to it, across and down."""
    return _changed(cv2.dilate, mask, cv2.MORPH_RECT, pixels)


def widened_round(mask: npt.NDArray[Any], pixels: int) -> Mask:
    """The same of what lies so near to it in any direction."""
    return _changed(cv2.dilate, mask, cv2.MORPH_ELLIPSE, pixels)


def narrowed(mask: npt.NDArray[Any], pixels: int) -> Mask:
    """A mask (h x w, not 0 in it) without what lies so near to its edge, across and down. The border is no edge."""
    return _changed(cv2.erode, mask, cv2.MORPH_RECT, pixels)


def _changed(how: Any, mask: npt.NDArray[Any], shape: int, pixels: int) -> Mask:
    kernel = cv2.getStructuringElement(shape, (2 * pixels + 1, 2 * pixels + 1))
    return np.asarray(how(mask.astype(np.uint8), kernel) > 0)
