"""The part of a picture in which a face is, where straight edges go across it: bars, panels of a meme, tiles of a call."""

import cv2
import numpy as np

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.head import smoothstep
from enhance.geometry.landmarks import SKIN_POINTS
from enhance.picture import Picture

LARGEST = 160.0  # pixels of an outer-eye distance in which edges are looked for: enlarged ones are soft
APART, STEP = 3, 16  # pixels across an edge, and by how many levels of R, G or B they differ there, at least
ACROSS = 0.95  # least share of a row or a column of the picture that is such an edge
BORDER = 0.1  # outer-eye distances from the picture's border, nearer to which motion fades in any case
FADE = 0.4  # outer-eye distances over which motion fades to an edge


def within_panel(picture: Picture, frame: HeadFrame, x: Floats, y: Floats) -> Floats:
    """How much places (pixels) may move: 0 beyond an edge above, below, left or right of the face, 1 from FADE within them.

    picture: h x w x 3 uint8 RGB.
    """
    points = frame.mesh[:SKIN_POINTS, :2]
    shrink = min(1.0, LARGEST / frame.unit)
    size = (max(1, round(picture.shape[1] * shrink)), max(1, round(picture.shape[0] * shrink)))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    share = np.ones(x.shape, np.float32)
    for axis, places in ((1, y), (0, x)):
        scale = small.shape[1 - axis] / picture.shape[1 - axis]
        edges = _edges(small if axis else small.transpose(1, 0, 2)) / scale
        edges = edges[np.minimum(edges, picture.shape[1 - axis] - edges) > BORDER * frame.unit]
        for sign in (1, -1):
            beyond = sign * edges[sign * edges < (sign * points[:, axis]).min()]
            if len(beyond):
                share *= smoothstep(sign * places - beyond.max(), 0, FADE * frame.unit).astype(np.float32)
    return share


def _edges(picture: Picture) -> Floats:
    """The rows at which an edge goes across a picture."""
    steps = cv2.absdiff(picture[APART:], picture[:-APART]).max(axis=2) > STEP
    return np.flatnonzero(steps.mean(axis=1) > ACROSS) + (APART - 1) / 2
