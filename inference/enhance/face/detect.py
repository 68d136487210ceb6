"""Where faces are in a picture, by MediaPipe's two detectors, on the whole of it and on tiles.

The full-range one finds faces from a fifteenth of the side of what it is shown, the short-range one from a quarter of it,
but the latter finds more of the drawn ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.engine import open_small_network
from enhance.picture import Picture

from .crop import Points
from .frame import Frame, as_rgb, resized

SURE = 0.5  # score from which a detection counts
SURE_IN_TILE = 0.6  # in tiles other things are larger, and are taken for faces more often
SAME_FACE = 0.3  # intersection over union from which two boxes are of one face
OVERLAP = 0.25  # of neighbouring tiles


@dataclass(frozen=True)
class Detection:
    """box: x1, y1, x2, y2. keys (6 x 2): right eye, left eye, nose, mouth, right ear, left ear; sides are the subject's."""

    box: Points
    keys: Points
    score: float

    @property
    def side(self) -> float:
        """The longer side of the box, in pixels."""
        return float((self.box[2:] - self.box[:2]).max())

    def moved(self, x: int, y: int) -> "Detection":
        """The detection moved by pixels to the right and down."""
        shift = np.array([x, y], np.float32)
        return Detection(self.box + np.tile(shift, 2), self.keys + shift, self.score)


Detect = Callable[[Frame, float], list[Detection]]


class Detector:
    """Both detectors."""

    def __init__(self, weights: Path) -> None:
        self.full = _open_detector(weights / "face_detect_full.onnx", 192, _grid(48, 1))
        self.short = _open_detector(weights / "face_detect_short.onnx", 128, np.concatenate([_grid(16, 2), _grid(8, 6)]))

    def whole(self, picture: Frame) -> list[Detection]:
        """Faces found in the picture as a whole, the surest first."""
        return merge(self.full(picture, SURE) + self.short(picture, SURE))

    def thorough(self, picture: Frame) -> list[Detection]:
        """As `whole`, and small faces found in tiles of it: about ten times the work."""
        found = self.full(picture, SURE) + self.short(picture, SURE)
        for parts in (2, 3):
            for x, y, tile in tiles(as_rgb(picture), parts):
                found += [each.moved(x, y) for each in self.full(tile, SURE_IN_TILE)]
        return merge(found)


def merge(found: list[Detection]) -> list[Detection]:
    """One detection for each face, the surest first: the mean of those that overlap, weighted by score."""
    left = sorted(found, key=lambda each: -each.score)
    merged = []
    while left:
        group = [each for each in left if overlap(each.box, left[0].box) > SAME_FACE]
        left = [each for each in left if overlap(each.box, left[0].box) <= SAME_FACE]
        merged.append(_mean(group))
    return merged


def overlap(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Intersection over union of two boxes (x1, y1, x2, y2), 0..1."""
    common = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    if (common <= 0).any():
        return 0.0
    shared = common.prod()
    return float(shared / ((one[2:] - one[:2]).prod() + (other[2:] - other[:2]).prod() - shared))


def tiles(picture: Picture, parts: int) -> Iterator[tuple[int, int, Picture]]:
    """Overlapping square-like tiles, `parts` along the shorter side, each with its corner."""
    height, width = picture.shape[:2]
    side = round(min(height, width) / (parts - (parts - 1) * OVERLAP))
    for y in _starts(height, side):
        for x in _starts(width, side):
            yield x, y, picture[y : y + side, x : x + side]


def _starts(length: int, side: int) -> list[int]:
    count = 1 + int(np.ceil((length - side) / (side * (1 - OVERLAP)) - 1e-6)) if length > side else 1
    return [round(start) for start in np.linspace(0, length - side, count)]


def _open_detector(path: Path, size: int, anchors: Points) -> Detect:
    run, one_at_a_time = open_small_network(path), Lock()

    def detect(picture: Frame, sure: float) -> list[Detection]:
        pixels, scale, corner = _letterboxed(picture, size)
        with one_at_a_time:
            boxes, scores = run(pixels)
        kept = np.flatnonzero(scores[0, :, 0] > sure)
        values = boxes[0, kept].reshape(-1, 8, 2)
        centres = anchors[kept] * size
        middle, extent = values[:, 0] + centres, values[:, 1] / 2
        keys = values[:, 2:] + centres[:, None]
        corners = np.concatenate([middle - extent, middle + extent], axis=1).reshape(-1, 2, 2)
        places = (np.concatenate([corners, keys], axis=1) - corner) / scale
        found = [
            Detection(place[:2].reshape(4).astype(np.float32), place[2:].astype(np.float32), float(score))
            for place, score in zip(places, scores[0, kept, 0], strict=True)
        ]
        return merge(found)

    return detect


def _letterboxed(picture: Frame, size: int) -> tuple[npt.NDArray[np.float32], float, npt.NDArray[np.float64]]:
    """The picture in a black square (1 x size x size x 3, -1..1), its scale there and where its corner lies."""
    height, width = picture.shape[:2]
    scale = size / max(height, width)
    inner = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = resized(picture, inner, cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    x, y = (size - inner[0]) // 2, (size - inner[1]) // 2
    square = np.full((1, size, size, 3), -1, np.float32)
    square[0, y : y + inner[1], x : x + inner[0]] = small * np.float32(2 / 255) - 1
    return square, scale, np.array([x, y], np.float64)


def _grid(cells: int, each: int) -> Points:
    """The middles of a grid's cells in rows, 0..1, each several times."""
    middles = (np.arange(cells, dtype=np.float32) + 0.5) / cells
    x, y = np.meshgrid(middles, middles)
    return np.repeat(np.stack([x.ravel(), y.ravel()], axis=1), each, axis=0)


def _mean(group: list[Detection]) -> Detection:
    weights = np.array([each.score for each in group])
    box = np.average([each.box for each in group], axis=0, weights=weights)
    keys = np.average([each.keys for each in group], axis=0, weights=weights)
    return Detection(box.astype(np.float32), keys.astype(np.float32), group[0].score)
