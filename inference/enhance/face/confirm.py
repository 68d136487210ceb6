"""Whether there is a face where a network says so. docs/decisions/0211.

The score of the mesh does not tell: it is 1.0 on hands and on most animals. Two measures do (tests/test_face_find.py):
- How far the mesh moves with its crop. On a face it stays where the face is; on anything else it moves with the crop. As a
  share of the crop's movement: at most 0.05 on people's faces (0.10 in profile) and 0.15 on drawn ones; at least 0.24 on hands,
  cloth, eyes, noise and animals.
- The mean score of the full-range detector, shown the place again at two sizes, as it is and mirrored: at least 0.49 on faces,
  photographed, painted, rendered or drawn; at most 0.31 on dogs, cats, flowers and machines (docs/decisions/0045). The best of
  the scores reaches 0.76 on a dog, but an animal is not seen each time. In a few pixels much looks like a face: a loudspeaker
  of 39 pixels has 0.49, where people's faces of 26 to 63 pixels have 0.67 to 0.91 (docs/decisions/0058).

Which way up it lies, that score tells too, of views in which the eyes of the mesh lie above its mouth.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import LEFT_EYE, RIGHT_EYE, SKIN_POINTS, face_box

from .crop import UPRIGHT, Crop, Points, crop_of_mesh, turned_square, upside_down
from .detect import SAME_FACE, Detector, overlap
from .frame import Frame
from .mesh import SURE_OF_MESH, MeshNetwork

STAYS = 0.2  # share of the crop's movement below which a mesh is on a face
SEEN = 0.38  # mean score above which the detector has seen a face
SEEN_SMALL, SMALL = 0.6, 48.0  # the same for a face whose longer side is shorter than SMALL pixels
SEEN_WHERE_SAID = 0.2  # where the caller says that a face is: people's faces of 16 pixels reach 0.88, a cat's 0.0
SURELY_UPRIGHT = 0.87  # the same, above which the other way up is not tried: faces upside down had at most 0.78
TURNED_BETTER = 0.04
"""How much more a face that is upside down is seen when it is turned: most had 0.05 to 0.19; 722 upright ones at most -0.02."""
SURELY_BETTER, STEADY = 0.3, 0.1
"""How much better it must be seen turned where the mesh moves with its crop by that share at most: faces upside down move by
0.14 to 0.20, or are seen better by 0.5; drawn foxes move by 0.09 at most and are seen better by up to 0.24."""
SETTLES, SETTLED = 3, 0.06
"""How often a mesh is laid again on what it shows, and the share of its crop's movement with which it then moves on a face, at
most: a face upside down that had been read as steady by 0.00, turned foxes by 0.14 and more (docs/decisions/0310)."""
VIEW = 192  # pixels of a view's side
SHIFT = 0.08  # sides of the crop
ZOOMS = (2.2, 3.2)  # sides of the square shown, in sides of the face
LEFT_RIGHT = ((SHIFT, 0.0), (-SHIFT, 0.0))
ALL_WAYS = (*LEFT_RIGHT, (0.0, SHIFT), (0.0, -SHIFT))


def goes_with_crop(
    picture: Frame, crop: Crop, mesh: Points, network: MeshNetwork, ways: tuple[tuple[float, float], ...] = ALL_WAYS
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


def is_seen(picture: Frame, box: Points, detector: Detector, hinted: bool) -> bool:
    """Whether the detector's second look sees a face at the box. hinted: the caller says that one is there."""
    usual = SEEN if float((box[2:] - box[:2]).max()) >= SMALL else SEEN_SMALL
    return seen_again(picture, box, detector) > (SEEN_WHERE_SAID if hinted else usual)


def is_upside_down(picture: Frame, crop: Crop, mesh: Points, network: MeshNetwork, detector: Detector) -> bool:
    """Whether the face of a mesh (478 x 3) and its crop lies the other way up: now and then a chin is taken for a forehead."""
    upright = seen_upright(picture, mesh, detector)
    if upright > SURELY_UPRIGHT:
        return False
    turned, _ = network(picture, upside_down(crop))
    turned, score = network(picture, crop_of_mesh(turned))
    better = seen_upright(picture, turned, detector) - upright
    if score <= SURE_OF_MESH or better <= TURNED_BETTER:
        return False
    if better > SURELY_BETTER or goes_with_crop(picture, crop, mesh, network) > STEADY:
        return True
    return _settles_on_face(picture, turned, network)


def seen_again(picture: Frame, box: Points, detector: Detector) -> float:
    """The mean score, 0..1, of the full-range detector for a face at the box (x1, y1, x2, y2), shown at ZOOMS and mirrored."""
    return _seen(picture, box, UPRIGHT, detector, lambda view: view.inverse(box.reshape(2, 2)).reshape(4))


def seen_upright(picture: Frame, mesh: Points, detector: Detector) -> float:
    """The same for the face of a mesh (478 x 3), with its eyes beside each other and its mouth below them."""
    along = mesh[LEFT_EYE, :2] - mesh[RIGHT_EYE, :2]
    return _seen(picture, face_box(mesh), along, detector, lambda view: face_box(view.inverse(mesh)))


def _settles_on_face(picture: Frame, mesh: Points, network: MeshNetwork) -> bool:
    """Whether a mesh (478 x 3), laid again on what it shows, ends where it stays: a first one may lie half beside its face."""
    for _ in range(SETTLES):
        crop = crop_of_mesh(mesh)
        mesh, score = network(picture, crop)
    return score > SURE_OF_MESH and goes_with_crop(picture, crop, mesh, network) < SETTLED


def _seen(picture: Frame, box: Points, along: npt.NDArray[Any], detector: Detector, place: Callable[[Crop], Points]) -> float:
    """along: the direction of a view's upper edge. place: the face's box in the unit square of a view."""
    centre, side = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
    scores = []
    for zoom in ZOOMS:
        square = turned_square(centre, side * zoom, along)
        shown = square.cut(picture, VIEW)
        # The box lies in the middle of the view, so it is the same in the mirror.
        inner = place(square) * VIEW
        for view in (shown, np.ascontiguousarray(shown[:, ::-1])):
            found = detector.full(view, 0.05)
            scores.append(max((each.score for each in found if overlap(each.box, inner) > SAME_FACE), default=0.0))
    return float(np.mean(scores))
