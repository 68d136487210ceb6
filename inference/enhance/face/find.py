"""Faces in a still picture: found, confirmed, and given a mesh."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from enhance.geometry.landmarks import OUTER_RING, eye_distance, face_box, features
from enhance.picture import LUMA
from enhance.style import skin_roughness, style_of

from .anime import Anchors, open_anime
from .confirm import STAYS, goes_with_crop, is_seen, is_upside_down, seen_again
from .crop import UPRIGHT, Crop, Points, crop_of_box, crop_of_features, crop_of_mesh, turned_square
from .detect import SAME_FACE, SURE_IN_TILE, Detection, Detector, merge, overlap
from .drawn_mouth import fit_mouth
from .frame import Frame, as_rgb, resized
from .mesh import SURE_OF_MESH, open_mesh

ANIME_SURE = 0.9  # likelihood from which AnimeFace's finds count
ROUND_MOUTH = 0.2  # distances of the outer eye corners round the lips in which skin is looked at
ROUND_POINT = (0.1, 0.2, 0.4, 0.8)  # sides of the squares looked at round a point, in longer sides of the picture
ANIME_SIDE = 160  # pixels of a view in which a drawn face is looked for
ANIME_WHOLE = 320  # longer side of a whole picture searched for drawn faces
# Crops round a face box in which anchors are looked for: side, shift to the right and down, in sides of the box. AnimeFace
# finds anchors in steps of an eighth of a face; the median over several views is finer.
VIEWS = ((2.1, 0.0, 0.0), (1.9, 0.03, 0.02), (2.3, -0.03, 0.03), (2.0, 0.02, -0.04), (2.2, -0.02, -0.02))
AGREE = 3  # views that must find anchors
SCATTER = 0.045  # sides: largest standard deviation over the views; 0.02 is usual on drawn faces
STAYS_ON_PEOPLE = 0.06
"""Share of the crop's movement above which anchors are tried too: photographs and renderings reach 0.03, the drawn faces of
tests/test_face_find.py 0.03 to 0.24. AnimeFace alone takes many people for drawings."""
OTHER_MOUTH = 0.15
"""Distances of the outer eye corners between the mouth of the anchors and that of a mesh that stays, above which the mesh is
right: AnimeFace takes the arc of a nose for the mouth at 0.26; at the same mouth the two are 0.06 apart at most."""
STAYS_ON_POSTERISED, ROUGH = 0.03, 0.5
"""The same for photographs in few colours, at most, which style_of() calls flat as well, and how rough the skin round their
mouth is at least, in grey levels. Of six that AnimeFace takes for drawings all have at most 0.025, and five 0.7 to 1.9; its
anchors lay up to 0.35 S from their mouths. A drawn face may stay as well, at 0.001, but its skin is smooth: 0 to 0.4."""


@dataclass(frozen=True)
class Face:
    """A face in a picture. mesh: 478 x 3, pixels. crop: what the mesh network was shown. score: 0..1.

    drawn: a flat drawing, shown through an oblique crop, which is kept while the face is followed.
    """

    mesh: Points
    crop: Crop
    score: float
    drawn: bool

    @property
    def box(self) -> Points:
        """x1, y1, x2, y2 round the mesh."""
        return face_box(self.mesh)

    @property
    def side(self) -> float:
        """The longer side of the box, in pixels."""
        return float((self.box[2:] - self.box[:2]).max())


class Finder:
    """The networks that find faces in a picture. For one thread at a time."""

    def __init__(self, weights: Path) -> None:
        self.detector = Detector(weights)
        self.network = open_mesh(weights)
        self.anime = open_anime(weights)
        self._ahead: tuple[Frame, Future[list[Detection]]] | None = None

    @contextmanager
    def looking_ahead(self, picture: Frame) -> Iterator[None]:
        """Has a thread look for the candidates in a picture that will be asked for: the other networks need not wait for that.

        The thread has ended when this is left, so the picture's memory may go then.
        """
        with ThreadPoolExecutor(1) as thread:
            self._ahead = picture, thread.submit(self.detector.whole, picture)
            try:
                yield
            finally:
                self._ahead = None

    def candidates(self, picture: Frame, thorough: bool) -> list[Detection]:
        """Where faces may be. thorough: small and drawn ones too, at about ten times the work."""
        if not thorough:
            ahead = self._ahead
            return ahead[1].result() if ahead and ahead[0] is picture else self.detector.whole(picture)
        return merge(self.detector.thorough(picture) + self._drawn_candidates(picture))

    def faces(self, picture: Frame, candidates: list[Detection], hints: Points, known: list[Points]) -> list[Face]:
        """The faces among candidates and at hints (k x 4) that are at none of the `known` boxes, largest first.

        A hint is a box that a face fills, or a point on a face (a box of no extent).
        """
        points = [hint[:2] for hint in hints if is_point(hint)]
        boxes = [box_candidate(hint) for hint in hints if not is_point(hint)]
        tried = [(each, False) for each in [*candidates, *(found for at in points for found in self._round(picture, at))]]
        tried += [(each, True) for each in boxes]
        found: list[Face] = []
        for candidate, hinted in sorted(tried, key=lambda each: -each[0].side):
            taken = [*known, *(face.box for face in found)]
            if not any(_is_part(candidate.box, box) for box in taken):
                face = self.confirmed(picture, candidate, hinted)
                if face is None or any(_is_part(face.box, box) for box in taken):
                    continue
                if hinted or not self._is_mixed(picture, face, candidates, known):
                    found.append(face)
        return sorted(found, key=lambda face: -face.side)

    def confirmed(self, picture: Frame, candidate: Detection, hinted: bool) -> Face | None:
        """The face at a candidate, None when there is none, or it is upside down. hinted: the caller says so, so a lower score
        is enough."""
        face = self._face_at(picture, candidate, hinted)
        if face is None or is_upside_down(picture, face.crop, face.mesh, self.network, self.detector):
            return None
        return face

    def _is_mixed(self, picture: Frame, face: Face, candidates: list[Detection], known: list[Points]) -> bool:
        """Whether a face that is seen better lies within the face: at a candidate, or in a `known` box.

        In many vertical videos a wide picture lies before its larger, blurred copy: the eyes of the copy above the picture, and
        the face in the picture where the mouth of the copy would be, are taken for one face.
        """
        smaller = (self.confirmed(picture, each, False) for each in candidates if _is_within(each.box, face.box))
        within = [*(box for box in known if _is_within(box, face.box)), *(each.box for each in smaller if each is not None)]
        if not within:
            return False
        seen = seen_again(picture, face.box, self.detector)
        return any(seen_again(picture, box, self.detector) > seen for box in within)

    def _face_at(self, picture: Frame, candidate: Detection, hinted: bool) -> Face | None:
        mesh, _ = self.network(picture, crop_of_box(candidate.box, candidate.keys[0], candidate.keys[1]))
        crop = crop_of_mesh(mesh)
        mesh, score = self.network(picture, crop)
        goes = goes_with_crop(picture, crop, mesh, self.network)
        is_face = score > SURE_OF_MESH and goes < STAYS and is_seen(picture, face_box(mesh), self.detector, hinted)
        if not is_face or goes > STAYS_ON_PEOPLE or _is_drawn(picture, candidate.box, mesh, goes):
            anchors = self.anchors(picture, candidate.box)
            sure = is_face and goes <= STAYS_ON_PEOPLE
            if anchors is not None and not (sure and _mouths_apart(anchors, mesh) > OTHER_MOUTH):
                crop = crop_of_features(anchors)
                read, _ = self.network(picture, crop)
                if is_seen(picture, face_box(read), self.detector, hinted):
                    fitted = fit_mouth(picture, read)
                    return Face(read if fitted is None else fitted, crop, 1.0, drawn=True)
        return Face(mesh, crop, score, drawn=False) if is_face else None

    def anchors(self, picture: Frame, box: Points) -> Points | None:
        """The eyes and the mouth (3 x 2: right eye, left eye, mouth) of a drawn face; None when it is no drawn face."""
        centre, side = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
        found = []
        for number, (zoom, right, down) in enumerate(VIEWS):
            view = turned_square(centre + np.array([right, down]) * side, side * zoom, UPRIGHT)
            anchors = _middle_one(self.anime(view.cut(picture, ANIME_SIDE)))
            if anchors is not None:
                found.append(view.place(anchors.points / ANIME_SIDE))
            elif number == 0:
                return None  # the first view alone rules out most of what is no drawn face
        if len(found) < AGREE or float(np.std(found, axis=0).max()) > SCATTER * side:
            return None
        return np.asarray(np.median(found, axis=0), np.float32)

    def _round(self, picture: Frame, point: Points) -> list[Detection]:
        """Where a face may be that a point lies on, however small it is."""
        found = []
        for share in ROUND_POINT:
            side = share * max(picture.shape[:2])
            x, y = np.maximum(np.round(point - side / 2), 0).astype(int)
            tile = as_rgb(picture)[y : y + round(side), x : x + round(side)]
            if min(tile.shape[:2], default=0) > 0:
                found += [each.moved(x, y) for each in self.detector.full(tile, SURE_IN_TILE)]
        return [each for each in merge(found) if (each.box[:2] <= point).all() and (point <= each.box[2:]).all()]

    def _drawn_candidates(self, picture: Frame) -> list[Detection]:
        scale = min(ANIME_WHOLE / max(picture.shape[:2]), 1)
        height, width = picture.shape[:2]
        found = self.anime(resized(picture, (round(width * scale), round(height * scale)), cv2.INTER_AREA))
        return [_candidate(each, scale) for each in found if each.likelihood > ANIME_SURE]


def is_point(hint: Points) -> bool:
    """Whether a hint (x1, y1, x2, y2) is a point: a box of no extent."""
    return bool((hint[:2] == hint[2:]).all())


def box_candidate(box: Points) -> Detection:
    """A candidate from a box alone: an upright face that fills it."""
    corner, size = box[:2], box[2:] - box[:2]
    usual = [[0.3, 0.35], [0.7, 0.35], [0.5, 0.55], [0.5, 0.75], [0.0, 0.4], [1.0, 0.4]]
    return Detection(np.asarray(box, np.float32), np.asarray(corner + size * usual, np.float32), 0.0)


def _is_part(box: Points, other: Points) -> bool:
    """Whether two boxes are of the same face, or one of a part of the other's."""
    return _is_within(box, other) or overlap(box, other) > SAME_FACE


def _is_within(box: Points, other: Points) -> bool:
    """Whether a box is smaller than the other, and its middle in it."""
    x, y = (box[:2] + box[2:]) / 2
    smaller = float((box[2:] - box[:2]).max()) < 0.75 * float((other[2:] - other[:2]).max())
    return smaller and bool(other[0] < x < other[2] and other[1] < y < other[3])


def _is_drawn(picture: Frame, box: Points, mesh: Points, goes: float) -> bool:
    """Whether a face is flat and not a photograph in few colours. goes: share of the crop's movement that its mesh follows."""
    if style_of(as_rgb(picture), box) != "flat":
        return False
    return goes > STAYS_ON_POSTERISED or _skin_roughness(picture, mesh) <= ROUGH


def _mouths_apart(anchors: Points, mesh: Points) -> float:
    """The distance between the mouths of anchors and of a mesh (478 x 3), in distances of the outer eye corners."""
    return float(np.linalg.norm(anchors[2] - features(mesh)[2])) / max(eye_distance(mesh), 1e-6)


def _skin_roughness(picture: Frame, mesh: Points) -> float:
    """Of the skin round the mouth of a mesh (478 x 3), in grey levels: style.skin_roughness()."""
    lips = mesh[list(OUTER_RING), :2]
    unit = eye_distance(mesh)
    low = np.maximum(np.floor(lips.min(axis=0) - ROUND_MOUTH * unit), 0).astype(int)
    high = np.ceil(lips.max(axis=0) + ROUND_MOUTH * unit).astype(int)
    part = as_rgb(picture)[low[1] : high[1], low[0] : high[0]]
    if not part.size:
        return 0.0
    mouth = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mouth, [np.round(lips - low).astype(np.int32)], (1,))
    return skin_roughness((part @ LUMA).astype(np.float32), mouth, unit)


def _middle_one(found: list[Anchors]) -> Anchors | None:
    """The sure anchors that lie round the middle of the view."""
    middle = ANIME_SIDE / 2
    in_middle = [
        each
        for each in found
        if each.likelihood > ANIME_SURE and (each.box[:2] < middle).all() and (each.box[2:] > middle).all() and _upright(each)
    ]
    return max(in_middle, key=lambda each: each.likelihood, default=None)


def _upright(anchors: Anchors) -> bool:
    right, left, mouth = anchors.points
    apart = left[0] - right[0]
    return bool(apart > 0 and 0.4 * apart < mouth[1] - (right[1] + left[1]) / 2 < 2 * apart)


def _candidate(anchors: Anchors, scale: float) -> Detection:
    """AnimeFace's box is a window round eyes and mouth, about the width of a face."""
    right, left, mouth = anchors.points
    ears = [[anchors.box[0], right[1]], [anchors.box[2], left[1]]]
    keys = np.array([right, left, (right + left + mouth) / 3, mouth, *ears])
    return Detection((anchors.box / scale).astype(np.float32), (keys / scale).astype(np.float32), anchors.likelihood * 0.5)
