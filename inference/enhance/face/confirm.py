"""Whether there is a face where a network says so.

The score of the mesh is no such test: it is 1.0 on hands, and on most animals. Two that hold:
- A mesh that sits on a face stays there when the crop is moved; one that sits on nothing goes with the crop. Measured as the
  share of the crop's movement that the mesh makes: at most 0.05 for faces of people (0.10 in profile), 0.15 for drawn ones;
  at least 0.24 for hands, cloth, eyes taken for faces, noise, a cheetah.
- The full-range detector, shown the place again at two sizes, finds a face there: at least 0.72 for faces of people, painted
  and rendered ones, at most 0.6 for the rest. Of twelve animals it took one for a person; the mesh took eight.
"""

import numpy as np

from enhance.geometry.landmarks import SKIN_POINTS

from .crop import Crop, Picture, Points, turned_square
from .detect import SAME_FACE, Detector, overlap
from .mesh import MeshNetwork

STAYS = 0.2
SEEN = 0.6
SEEN_WHERE_SAID = 0.2  # in a box that the caller names: people's faces of 16 pixels reach 0.88, a cat 0.0
SHIFT = 0.08  # sides of the crop
ZOOMS = (2.2, 4.5)  # sides of the square shown, in sides of the face
LEFT_RIGHT = ((SHIFT, 0.0), (-SHIFT, 0.0))
ALL_WAYS = (*LEFT_RIGHT, (0.0, SHIFT), (0.0, -SHIFT))


def goes_with_crop(
    picture: Picture, crop: Crop, mesh: Points, network: MeshNetwork, ways: tuple[tuple[float, float], ...] = ALL_WAYS
) -> float:
    """The share of the crop's movement that the mesh makes: 0 on a face, 1 on nothing."""
    shares = []
    for way in ways:
        shift = crop.matrix[:, :2] @ np.array(way)
        moved, _ = network(picture, Crop(np.column_stack([crop.matrix[:, :2], crop.matrix[:, 2] + shift])))
        gone = (moved[:SKIN_POINTS, :2] - mesh[:SKIN_POINTS, :2]).mean(axis=0)
        shares.append(float(gone @ shift / (shift @ shift)))
    return float(np.mean(shares))


def seen_again(picture: Picture, box: Points, detector: Detector) -> float:
    """The best score of the full-range detector for a face at the box, shown at two sizes."""
    centre, side = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
    best = 0.0
    for zoom in ZOOMS:
        square = turned_square(centre, side * zoom, np.array([1.0, 0.0]))
        inner = square.inverse(box.reshape(2, 2)).reshape(4)
        found = detector.full(square.cut(picture, 192), 0.1)
        best = max([best, *(each.score for each in found if overlap(each.box / 192, inner) > SAME_FACE)])
    return best
