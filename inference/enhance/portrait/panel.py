"""The part of a picture in which a face is: bars, panels of a meme, tiles of a call, and frames round the face end it."""

from collections.abc import Iterator
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.landmarks import SKIN_POINTS
from enhance.picture import Picture

LARGEST = 160.0  # pixels of an outer-eye distance in which edges are looked for: enlarged ones are soft
APART, STEP = 3, 16  # pixels across an edge, and by how many levels of R, G or B they differ there, at least
ACROSS = 0.95  # least share of a row or a column of the picture that is such an edge
BORDER = 0.1  # outer-eye distances from the picture's border, nearer to which edges across it count even over the face, and
# no others
FRAMED = 0.85  # least share of each side of a frame that is such an edge. Four lines round other faces have .68 at most
BESIDE, PLAIN = 0.08, 0.5  # outer-eye distances from a frame's side, and the most of a line there that is such an edge
SMALLEST = 30  # pixels of an outer-eye distance from which frames are looked for: with fewer, short edges look like a frame
CORNER = 0.4  # outer-eye distances at both ends of a frame's side that do not count: its corners may be round
NEAREST = 4  # lines on each side of the face, the nearest, of which one may be a side of its frame


def from_lines(picture: Picture, frame: HeadFrame, x: Floats, y: Floats) -> Iterator[Floats]:
    """How far within each edge above, below, left and right of the face places lie: pixels, negative beyond the edge.

    picture: h x w x 3 uint8 RGB. x, y: of the places. Edges are those that go across all of the picture, and the sides of a
    frame with the face in it.
    """
    points = frame.mesh[:SKIN_POINTS, :2]
    small, shrink = shrunk(picture, frame.unit, LARGEST)
    steps = _steps(small.transpose(1, 0, 2)), _steps(small)
    size = np.array(small.shape[1::-1])[:, None]
    face = np.clip(np.stack([points.min(axis=0), points.max(axis=0)], 1) * shrink, 0, size).astype(int)
    sides = _frame(steps, face, frame.unit * shrink)
    for axis, places in ((1, y), (0, x)):
        scale = small.shape[1 - axis] / picture.shape[1 - axis]
        across = _middle(np.flatnonzero(steps[axis].mean(axis=1) > ACROSS)) / scale
        edges = np.concatenate([across, _middle(np.array(sides[axis])) / scale])
        for sign, end in ((1, 0), (-1, -picture.shape[1 - axis])):
            face_from = max((sign * points[:, axis]).min(), end + BORDER * frame.unit)  # the border may cut the face
            beyond = sign * edges[sign * edges < face_from]
            if len(beyond):
                yield sign * places - beyond.max()


def shrunk(picture: Picture, unit: float, largest: float) -> tuple[Picture, float]:
    """The picture, made smaller where an outer-eye distance (`unit` pixels) has more than `largest`, and how many times as wide
    it is then."""
    shrink = min(1.0, largest / unit)
    size = (max(1, round(picture.shape[1] * shrink)), max(1, round(picture.shape[0] * shrink)))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8), shrink


def _steps(picture: Picture) -> npt.NDArray[np.bool_]:
    """Where rows have an edge, (h - APART) x w."""
    return np.asarray(cv2.absdiff(picture[APART:], picture[:-APART]).max(axis=2) > STEP)


def _middle(rows: npt.NDArray[np.intp]) -> Floats:
    """Where the edges at `rows` of _steps() lie, pixels."""
    return rows + (APART - 1) / 2


Sides = tuple[list[int], list[int]]
"""Lines of _steps(): left and right, above and below; both empty where there is no frame."""


def _frame(steps: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]], face: npt.NDArray[np.intp], unit: float) -> Sides:
    """The frame round a face. steps: across columns (x), across rows (y). face: [[left, right], [top, bottom]], pixels."""
    if unit < SMALLEST:
        return [], []
    wide = np.ones((3, 1), np.uint8)  # an edge may lean by a pixel
    near = [np.asarray(cv2.dilate(each.astype(np.uint8), wide), np.uint8) for each in steps]
    corner, border, beside = round(CORNER * unit), round(BORDER * unit), max(2 * APART, round(BESIDE * unit))
    lines = []
    for axis in (0, 1):
        start, stop = face[1 - axis]
        share = near[axis][:, start:stop].mean(axis=1) if stop > start else np.zeros(len(near[axis]))
        plain = np.minimum(np.roll(share, beside), np.roll(share, -beside)) <= PLAIN
        found = np.flatnonzero((share >= FRAMED) & plain)
        found = found[np.minimum(found, len(share) - found) > border]
        edges = [int(run.mean()) for run in np.split(found, np.flatnonzero(np.diff(found) > 1) + 1) if len(run)]
        lines.append([edge for edge in edges if edge + APART <= face[axis][0]][-NEAREST:])
        lines.append([edge for edge in edges if edge >= face[axis][1]][:NEAREST])
    for left, right, above, below in product(*lines):
        if all(
            _is_side(near[axis][list(sides)], ends, face[1 - axis], corner, beside)
            for axis, sides, ends in ((0, (left, right), (above, below)), (1, (above, below), (left, right)))
        ):
            return [left, right], [above, below]
    return [], []


def _is_side(lines: npt.NDArray[np.uint8], ends: tuple[int, int], face: npt.NDArray[np.intp], corner: int, beside: int) -> bool:
    """Whether two parallel lines, 2 x length, 1 where they are an edge, are one from corner to corner but do not go on, as
    the lines of a tiled wall do. face: from where to where they lie beside it."""
    start, stop = ends
    beyond = np.hstack([lines[:, max(0, start - corner) : max(0, start - beside)], lines[:, stop + beside : stop + corner]])
    if beyond.size and beyond.mean() > PLAIN:
        return False
    return bool(lines[:, min(start + corner, face[0]) : max(stop - corner, face[1])].mean(axis=1).min() >= FRAMED)
