"""The drawn mouth of a frame: what may be one is looked for in turn, the usual first. docs/decisions/0163.

Cel animation draws a closed mouth as a stroke and an open one as a filled outline; there is no flesh of lips. What differs
from the skin above and below it is the mouth.
"""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.head import Array, Pose
from enhance.geometry.landmarks import LEFT_CHEEK, LEFT_CORNER, RIGHT_CHEEK, RIGHT_CORNER
from enhance.geometry.planes import Planes
from enhance.masks import widened

from .mouth import LIKE_MESH, STROKE, Drawn, is_as_wide, is_there, raster
from .trace import HIGHEST, INK, Search, middle_of, trace

LIGHTER = 70.0  # percent of places on cheeks that are not lighter
WIDE = 0.85, (1.0, 1.4)  # S of the window to either side, and the widths of a mouth that is wider than S
BESIDE_MOUTH, PATCH_OF_BEARD, BEARD_DARK = 0.1, 0.03, 0.65
"""S from the corners where a beard is looked for; half the side in S of what is looked at there; and of the
cheeks' luma that a beard has at most."""
RED, RED_LINE, ROUND_LINE = 2.0, 0.05, 0.3
"""Levels of luma that a V code counts by which a line is redder than skin; S that such a line is thick, at most: lips are
thicker; and S round the mouth in which most is skin."""
DARK_GROUND, LIGHT_LINE = 100.0, 80.0
"""Luma of the ground at most, and levels by which lines on it are lighter at least, to be chalk's on a blackboard."""
NEARLY, UNLIKE_SKIN, LARGER = 0.8, 0.7, 1.06
"""Of HIGHEST that a side of a higher mouth has at least; of the skin's luma, what lies round its upper line at most; and of the
area of such a part, the whole mouth's at least: the same mouth found twice differs by .03."""
BELOW_EDGE, UNEVEN = (0.02, 0.06), 0.25
"""S below the lower edge of a mouth, from and to, where there is skin; and of its luma, by how much it varies there at most."""
SMALL_WIDE, SMALL_HIGH, OFF_MIDDLE = 0.25, 0.1, 0.12
"""S across and down of a small mouth at most, and from its middle to that of the mesh's, across."""
ALONE, MOST_INK = 0.08, 0.7  # S round a small mouth; and of the ink within, what it takes at least
AT_MESH = 0.05  # S above and below the corners of the mesh's mouth, where another than a small mouth would lie
LEAST_TEETH, WHITE = 0.15, 15.0  # of a mouth in a beard that its teeth take, at least; and chroma codes that they have, at most


def find(
    planes: Planes, head: Array, pose: Pose, *, white: bool = False, shaded: bool = False, no_darker: bool = False
) -> Drawn | None:
    """The drawn mouth nearest to the mesh's; None where nothing of a mouth's size stands out from the skin.

    white: also a mouth of nothing but teeth, without a line, where the mesh has a mouth and nothing is dark; and one that shows
    teeth in a dark beard.
    shaded: with teeth and a tongue that are told by the skin round the mouth alone, as where the face is shaded.
    no_darker: also a closed mouth that is a line redder than the skin and as light, where nothing is dark; and one in light
    lines on dark ground, as of chalk. And an open one that is higher than mouths usually are.
    """
    skin = _skin(planes, head, pose)
    plain = Search(skin, shaded=shaded)
    usual = replace(plain, white=white)
    drawn = _in_beard(planes, head, pose, skin) if white else None
    drawn = drawn or trace(planes, head, pose, usual)
    drawn = drawn or trace(planes, head, pose, replace(usual, aside=WIDE[0], widths=WIDE[1]))
    drawn = drawn or trace(planes, head, pose, replace(usual, hangs=True))
    drawn = drawn or _high(planes, head, pose, plain)
    if not no_darker:
        return drawn
    if drawn is None or _may_be_part(drawn, skin):
        drawn = _tall(planes, head, pose, plain, drawn) or drawn
    drawn = drawn or _smile(planes, head, pose, plain)
    drawn = drawn or _small(planes, head, pose, skin)
    light = _light(planes, head, pose, skin) if drawn is None or drawn.of_teeth else None
    return light or drawn or _red(planes, head, pose, skin)


def _in_beard(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """A mouth that shows teeth in a dark beard, on a face of that luma."""
    beard = _beard(planes, head, pose, skin)
    if beard is None:
        return None
    drawn = trace(planes, head, pose, Search(beard, white=True, shaded=True, shut=False))
    if drawn is None or not is_there(drawn, head, pose) or not _shows_teeth(drawn, planes, pose, skin):
        return None
    return drawn


def _high(planes: Planes, head: Array, pose: Pose, usual: Search) -> Drawn | None:
    """A wide open mouth that reaches above where the mesh has the base of the nose: that of a shout, on a nose drawn higher."""
    drawn = trace(planes, head, pose, replace(usual, high=True))
    return drawn if drawn is not None and _opens_round_middle(drawn, head, pose) and is_there(drawn, head, pose) else None


def _tall(planes: Planes, head: Array, pose: Pose, usual: Search, part: Drawn | None) -> Drawn | None:
    """A wide open mouth higher than HIGHEST, as of a cartoon that shouts: its jaw drops, and the mouth of the mesh does not.

    The usual search takes some of it for skin, and found at most `part`. So it does with a beard, which is left to that search.
    """
    if _beard(planes, head, pose, usual.skin) is not None:
        return None
    drawn = trace(planes, head, pose, replace(usual, tall=True))
    if drawn is None or drawn.height < HIGHEST:
        return None
    if not (_opens_round_middle(drawn, head, pose) and is_as_wide(drawn, head, pose) and _skin_below(drawn, usual.skin)):
        return None
    return drawn if part is None or drawn.whole.sum() > LARGER * part.whole.sum() else None


def _skin_below(drawn: Drawn, skin: float) -> bool:
    """Whether the mouth ends on skin (luma), and not at the outline of a chin before what is lighter than dark skin."""
    first, last = (round(float(drawn.bottom.max()) + far * drawn.finer) for far in BELOW_EDGE)
    quarter = len(drawn.top) // 4
    below = drawn.luma[first:last, drawn.columns.start + quarter : drawn.columns.stop - quarter]
    return bool(below.size and abs(np.median(below) - skin) < UNEVEN * skin)


def _smile(planes: Planes, head: Array, pose: Pose, usual: Search) -> Drawn | None:
    """A mouth whose corners may be as high as the mesh has the nose; neither a muzzle nor a moustache, which are wider."""
    drawn = trace(planes, head, pose, replace(usual, skin_above=True))
    right, left = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    return drawn if drawn is not None and drawn.width <= LIKE_MESH[1] * np.linalg.norm(left - right) else None


def _may_be_part(drawn: Drawn, skin: float) -> bool:
    """Whether a mouth may be part of one higher than HIGHEST: a side, or a line round which it is darker than skin (luma)."""
    return drawn.height > NEARLY * HIGHEST or bool(np.median(drawn.lit[drawn.whole]) < UNLIKE_SKIN * skin)


def _opens_round_middle(drawn: Drawn, head: Array, pose: Pose) -> bool:
    """Whether it is an open mouth round the middle of the mesh's."""
    column, row = np.round((middle_of(head, pose) - drawn.origin) * drawn.finer).astype(int)
    return drawn.open >= STROKE and bool(drawn.whole[row, column])


def _small(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """A closed mouth that is a dot or a short line, as of chibi and mascots: alone, and in the middle of the face.

    The mesh has it lower and several times as wide, and may have the nose there.
    """
    drawn = trace(planes, head, pose, Search(skin, small=True))
    drawn = drawn or trace(planes, head, pose, Search(skin, small=True, high=True))
    if drawn is None or drawn.open > SMALL_HIGH or drawn.width > SMALL_WIDE:
        return None
    middle = drawn.ends.mean(axis=0)
    if abs(middle[0] - middle_of(head, pose)[0]) > OFF_MIDDLE:
        return None
    ink = drawn.dark > INK * drawn.darkest
    near = ink & widened(drawn.whole, round(ALONE * drawn.finer))
    if (near & drawn.whole).sum() <= MOST_INK * near.sum():
        return None
    # A nose over a mouth that a straw or a cigarette goes on from, so that none is found there.
    (left, top), (right, bottom) = np.maximum(0, _mesh_mouth(head, pose) - drawn.origin) * drawn.finer
    _, parts = cv2.connectedComponents((ink & ~drawn.whole).astype(np.uint8), connectivity=8)
    sides = np.intersect1d(parts[:, 0], parts[:, -1])  # what goes from side to side is the chin's outline; 0 is no ink
    there = parts[round(top) : round(bottom), round(left) : round(right)]
    return drawn if (~np.isin(there, [0, *sides])).sum() < drawn.whole.sum() else None


def _mesh_mouth(head: Array, pose: Pose) -> Array:
    """The mesh's mouth and what lies AT_MESH above and below it: its upper left and its lower right, plane coordinates."""
    corners = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]])
    return np.asarray(np.stack([corners.min(axis=0), corners.max(axis=0)]) + AT_MESH * np.array([[0, -1], [0, 1]]))


def _red(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """The line of a closed mouth that only its redness tells from skin (luma); its `luma` and `dark` stand for that."""
    middle = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]]).mean(axis=0)
    size = (max(1, round(2 * ROUND_LINE * pose.scale)),) * 2
    tint = float(np.median(raster(planes.v, 2, pose, middle - ROUND_LINE, pose.scale, size)))
    redder = cv2.resize(planes.v, planes.y.shape[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32) - tint
    y = np.clip(np.minimum(planes.y, skin) - RED * np.maximum(redder, 0), 0, 255).astype(np.uint8)
    drawn = trace(replace(planes, y=y), head, pose, Search(skin))
    if drawn is None or drawn.open > RED_LINE or not is_there(drawn, head, pose):
        return None
    return replace(drawn, red=True)


def _light(planes: Planes, head: Array, pose: Pose, skin: float) -> Drawn | None:
    """A mouth in lines much lighter than the ground (luma), as of chalk on a blackboard: its `luma` is that of the negative."""
    if skin > DARK_GROUND:
        return None
    negative = replace(planes, y=np.asarray(255 - planes.y, np.uint8))
    drawn = trace(negative, head, pose, Search(255 - skin))
    if drawn is None or not is_there(drawn, head, pose):
        return None
    within, lines = np.percentile(drawn.dark[drawn.whole], (50, 95))
    if lines < LIGHT_LINE or (drawn.open >= STROKE and within > INK * lines):
        return None
    return replace(drawn, light=True)


def _beard(planes: Planes, head: Array, pose: Pose, skin: float) -> float | None:
    """The luma of a beard that is dark on both sides of the mesh's mouth; None where there is none."""
    places = pose.to_plane(head[[RIGHT_CORNER, LEFT_CORNER]]) + BESIDE_MOUTH * np.array([[-1, 0], [1, 0]])
    reach = PATCH_OF_BEARD * np.array([1, 1])
    size = (max(1, round(2 * PATCH_OF_BEARD * pose.scale)),) * 2
    seen = [float(np.median(raster(planes.y, 1, pose, place - reach, pose.scale, size))) for place in places]
    return sum(seen) / 2 if max(seen) < BEARD_DARK * skin else None


def _shows_teeth(drawn: Drawn, planes: Planes, pose: Pose, skin: float) -> bool:
    """Whether what is light in a mouth in a beard is white: as light as the skin (luma) at least, and of little colour."""
    light = drawn.whole & (drawn.luma > skin)
    if light.sum() < LEAST_TEETH * drawn.whole.sum():
        return False
    size = light.shape[1], light.shape[0]
    u, v = (raster(plane, 2, pose, drawn.origin, drawn.finer, size)[light] for plane in (planes.u, planes.v))
    return bool(np.hypot(np.median(u) - 128, np.median(v) - 128) < WHITE)


def _skin(planes: Planes, head: Array, pose: Pose) -> float:
    """Luma of the cheeks; of the lighter one, where one lies in shade."""
    at = np.round(pose.to_pixels(pose.to_plane(head[[*RIGHT_CHEEK, *LEFT_CHEEK]]))).astype(int)
    x, y = np.clip(at, 0, [planes.y.shape[1] - 1, planes.y.shape[0] - 1]).T
    return float(np.percentile(planes.y[y, x], LIGHTER))
