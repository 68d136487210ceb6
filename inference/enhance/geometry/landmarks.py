"""The named points of a face mesh: MediaPipe's numbering (its face_mesh_connections.py), 0 to 477.

Sides are the subject's: the right eye is left in the picture. S is the distance of the outer eye corners.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

MESH_POINTS = 478
"""Of a mesh."""
SKIN_POINTS = 468
"""The first of them, without the irises: all that the plain mesh network gives."""

RIGHT_EYE, LEFT_EYE = 33, 263  # outer corners
RIGHT_EAR, LEFT_EAR = 234, 454  # the mesh's border beside them
UPPER_LIP, LOWER_LIP = 13, 14  # inner, in the middle
RIGHT_CORNER, LEFT_CORNER = 61, 291
FOREHEAD, CHIN = 10, 152
NOSE_BASE = 2

# Every point on the lips: the attention mesh refines these 80.
LIPS = (
    *(61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409),
    *(78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415),
    *(76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408),
    *(62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407),
)
# The contours of the lips from the subject's right corner to the left.
UPPER_INNER = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308)
LOWER_INNER = (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308)
UPPER_OUTER = (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291)
LOWER_OUTER = (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291)
OUTER_RING = (*UPPER_OUTER, *LOWER_OUTER[-2:0:-1])
"""The outer contour of the lips, all the way round."""

NOSE = (2, 97, 326, 98, 327, 94, 1, 4, 5, 195)
"""Rigid on the skull. The mean of many points is steadier than any of them."""

RIGHT_EYE_RIM = (33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173)
LEFT_EYE_RIM = (263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398)
# The upper and the lower lid of each eye, from the picture's left to its right.
RIGHT_LIDS = ((33, 246, 161, 160, 159, 158, 157, 173, 133), (33, 7, 163, 144, 145, 153, 154, 155, 133))
LEFT_LIDS = ((362, 398, 384, 385, 386, 387, 388, 466, 263), (362, 382, 381, 380, 374, 373, 390, 249, 263))
EYE_POINTS = (33, 133, 362, 263, 159, 145, 386, 374)
"""Corners of both eyes, and the middles of their lids."""
RIGHT_CHEEK, LEFT_CHEEK = (205, 50, 187, 207, 206), (425, 280, 411, 427, 426)  # below the eyes, beside the mouth
BETWEEN_EYES = 9, 168, 6, 122, 351  # and the brows

# What moves with the skull alone: eye corners, bridge of the nose, forehead, temples and cheekbones.
SKULL = (33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 10, 67, 297, 109, 338, 151, 9, 8, 127, 356, 234, 454, 116, 345)

LIP_RINGS = (
    *(61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185),
    *(78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191),
)
"""The outer and the inner contour of the lips, each all the way round from the right corner along the lower lip."""
STILL_IN_SPEECH = (33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 1, 2, 98, 327, 127, 356, 234, 454, 93, 323)
"""Points of eyes, nose and temples, which speech hardly moves."""
PLAN_POINTS = (*LIP_RINGS, *STILL_IN_SPEECH, CHIN)
"""What the planner needs of a mesh, in this order: `points` of models/mouth_plan/config.pbtxt."""

EYES_AND_NOSE = (33, 133, 362, 263, 2)
"""Both eyes' corners, the right outer and inner, the left inner and outer, and the base of the nose."""

LAYOUT_68: tuple[tuple[int, ...], ...] = (
    # 0-16 the jaw, from the subject's right ear to the left
    *((127,), (234,), (93,), (132, 58), (58, 172), (136,), (150,), (176,), (152,)),
    *((400,), (379,), (365,), (397, 288), (288, 361), (323,), (454,), (356,)),
    # 17-26 the brows
    *((70,), (63,), (105,), (66,), (107,), (336,), (296,), (334,), (293,), (300,)),
    # 27-35 the nose
    *((168,), (197,), (5,), (4,), (75,), (97,), (2,), (326,), (305,)),
    # 36-47 the eyes
    *((33,), (160,), (158,), (133,), (153,), (144,), (362,), (385,), (387,), (263,), (373,), (380,)),
    # 48-67 the outer and the inner lips
    *((61,), (40,), (37,), (0,), (267,), (270,), (291,), (321,), (314,), (17,), (84,), (91,)),
    *((78,), (81,), (13,), (311,), (308,), (402,), (14,), (178,)),
)
"""iBUG's 68 points (300-W, Sagonas et al. 2013), each by its point of the mesh; of a pair the mean.

The jaw is the silhouette of the mesh, which on a turned face is not the visible contour. Output LANDMARKS68 of face_track.
"""
_FIRST = np.array([pair[0] for pair in LAYOUT_68])
_SECOND = np.array([pair[-1] for pair in LAYOUT_68])


def landmarks_68(mesh: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """iBUG's 68 points (... x 68 x 2, pixels) of meshes (... x 478 x 3, pixels): LAYOUT_68. NaN where the mesh is."""
    return np.asarray((mesh[..., _FIRST, :2] + mesh[..., _SECOND, :2]) / 2, np.float32)


def eye_distance(mesh: npt.NDArray[Any]) -> float:
    """S, the unit of lengths on a face: the distance of the outer eye corners, in space, in pixels."""
    return float(np.linalg.norm(mesh[LEFT_EYE] - mesh[RIGHT_EYE]))


def features(mesh: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The middles of the right eye, the left eye and the mouth (3 x 2)."""
    flat = mesh[:, :2]
    mouth = flat[[UPPER_LIP, LOWER_LIP, RIGHT_CORNER, LEFT_CORNER]].mean(axis=0)
    eyes = [flat[list(rim)].mean(axis=0) for rim in (RIGHT_EYE_RIM, LEFT_EYE_RIM)]
    return np.asarray([*eyes, mouth], np.float32)


def face_box(mesh: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """x1, y1, x2, y2 in pixels round a mesh (478 x 3), NaN where the mesh is."""
    flat = mesh[:SKIN_POINTS, :2]
    return np.asarray(np.concatenate([flat.min(axis=0), flat.max(axis=0)]), np.float32)
