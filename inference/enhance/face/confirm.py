"""Whether there is a face where a network says so.

The score of the mesh does not tell: it is 1.0 on hands and on most animals. Two measures do (tests/test_face_find.py):
- How far the mesh moves with its crop. On a face it stays where the face is; on anything else it moves with the crop. As a
  share of the crop's movement: at most 0.05 on people's faces (0.10 in profile) and 0.15 on drawn ones; at least 0.24 on hands,
  cloth, eyes, noise and animals.
- The score of the full-range detector, shown the place again at two sizes: at least 0.72 on people's faces, photographed,
  painted or rendered; at most 0.6 on what is no face.
"""

import numpy as np

from enhance.geometry.landmarks import SKIN_POINTS
from enhance.picture import Picture

from .crop import Crop, Points, turned_square
from .detect import SAME_FACE, Detector, overlap
from .mesh import MeshNetwork

STAYS = 0.2  # share of the crop's movement below which a mesh is on a face
SEEN = 0.6  # score above which the detector has seen a face
SEEN_WHERE_SAID = 0.2  # where the caller says that a face is: people's faces of 16 pixels reach 0.88, a cat's 0.0
SHIFT = 0.08  # sides of the crop
ZOOMS = (2.2, 4.5)  # sides of the square shown, in sides of the face
LEFT_RIGHT = ((SHIFT, 0.0), (-SHIFT, 0.0))
ALL_WAYS = (*LEFT_RIGHT, (0.0, SHIFT), (0.0, -SHIFT))


def goes_with_crop(
    picture: Picture, crop: Crop, mesh: Points, network: MeshNetwork, ways: tuple[tuple[float, float], ...] = ALL_WAYS
) -> float:
    """The share of the crop's movement with which its mesh (478 x 3) moves: about 0 on a face, 1 where there is none.

    ways: the shifts tried, in sides of the crop.
    """
    shares = []
    for way in ways:
        shift = crop.matrix[:, :2] @ np.array(way)
        moved, _ = network(picture, Crop(np.column_stack([crop.matrix[:, :2], crop.matrix[:, 2] + shift])))
        gone = (moved[:SKIN_POINTS, :2] - mesh[:SKIN_POINTS, :2]).mean(axis=0)
        shares.append(float(gone @ shift / (shift @ shift)))
    return float(np.mean(shares))


def seen_again(picture: Picture, box: Points, detector: Detector) -> float:
    """The best score, 0..1, of the full-range detector for a face at the box (x1, y1, x2, y2), shown at ZOOMS."""
    centre, side = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
    best = 0.0
    for zoom in ZOOMS:
        square = turned_square(centre, side * zoom, np.array([1.0, 0.0]))
        inner = square.inverse(box.reshape(2, 2)).reshape(4)
        found = detector.full(square.cut(picture, 192), 0.1)
        best = max([best, *(each.score for each in found if overlap(each.box / 192, inner) > SAME_FACE)])
    return best
