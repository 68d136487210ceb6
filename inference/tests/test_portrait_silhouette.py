"""What of a portrait moves with its head: heads drawn before a wall, of which every pixel is known."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.frame import HeadFrame, head_frame
from enhance.picture import BadPictureError, Picture
from enhance.portrait.animate import Animator
from enhance.portrait.edges import find_edges
from enhance.portrait.head import head_field
from enhance.portrait.raster import COLLAR, SIDE, Raster, at
from enhance.portrait.silhouette import check_silhouette, silhouette, usual
from enhance.portrait.track import LIMITS
from tests.test_portrait_picture import MESH, SKIN, motion, placed

Floats = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
HAIR, WALL, TILES = (60, 40, 30), (150, 160, 140), (90, 100, 95)


def before_a_wall(hair: tuple[int, int, int] = HAIR) -> tuple[Picture, Floats, Mask, Mask]:
    """A face with hair round it before tiles, its mesh, and which pixels are its head and which are wall."""
    size = 640
    mesh = placed(size)
    mesh[:, :2] = (mesh[:, :2] - size / 2) * 0.7 + size / 2
    mesh[:, 2] *= 0.7
    picture = np.full((size, size, 3), WALL, np.uint8)
    picture[::40] = picture[1::40] = picture[:, ::40] = picture[:, 1::40] = TILES
    middle, unit = tuple(np.round(mesh[[10, 152], :2].mean(axis=0)).astype(int).tolist()), head_frame(mesh).unit
    head, wall = np.zeros((size, size), np.uint8), np.ones((size, size), np.uint8)
    high = (middle[0], int(middle[1] - 0.25 * unit))
    cv2.ellipse(head, high, (int(0.98 * unit), int(1.2 * unit)), 0, 0, 360, (1,), -1)
    picture[head > 0] = hair
    face = cv2.convexHull(np.round(mesh[:468, :2]).astype(np.int32))
    cv2.fillConvexPoly(picture, face, SKIN, cv2.LINE_AA)
    cv2.fillConvexPoly(head, face, (1,))
    wall[head > 0] = 0
    wall[int(middle[1] + 0.6 * unit) :] = 0
    return picture, mesh, head > 0, wall > 0


def head_of(picture: Picture, frame: HeadFrame) -> Raster:
    return silhouette(picture, frame, find_edges(picture, frame))


def told(picture: Picture, mesh: Floats) -> tuple[Floats, HeadFrame, Floats, Floats]:
    """The silhouette for each pixel, its frame, and where the pixels lie in that."""
    frame = head_frame(mesh)
    x, y = np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0]))
    across, down = frame.place(np.stack([x, y], 2))
    return at(head_of(picture, frame), frame, across, down), frame, across, down


def test_the_wall_beside_a_head_stays_where_the_head_moves() -> None:
    picture, mesh, head, wall = before_a_wall()
    share, frame, *_ = told(picture, mesh)
    beside = wall & (cv2.dilate(head.astype(np.uint8), np.ones((3, 3)), iterations=round(0.22 * frame.unit)) == 0)
    assert share[beside].max() < 0.1
    hair = cv2.erode(head.astype(np.uint8), np.ones((3, 3)), iterations=round(0.15 * frame.unit)) > 0
    assert share[hair].min() > 0.9
    moved, as_usual = (
        np.abs(Animator().move(picture, mesh, motion(roll=1.5, dx=0.03), "photo", shape).astype(int) - picture).max(axis=2)
        for shape in (head_of(picture, frame), None)
    )
    assert moved[beside].mean() < 0.25 * as_usual[beside].mean()
    face = np.s_[300:340, 280:360]
    np.testing.assert_array_equal(moved[face], as_usual[face])


def test_the_face_of_somebody_beside_the_head_stays() -> None:
    picture, mesh, *_ = before_a_wall()
    frame = head_frame(mesh)
    middle = frame.origin + 1.25 * frame.unit * frame.right
    box = np.array([[*(middle - 0.4 * frame.unit), *(middle + 0.5 * frame.unit)]], np.float32)
    x, y = np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0]))
    near = 2 * np.hypot(x - box[0, ::2].mean(), y - box[0, 1::2].mean()) / np.ptp(box[0, ::2])
    picture[near < 1] = SKIN
    edges, (across, down) = find_edges(picture, frame), frame.place(np.stack([x, y], 2))
    alone, beside = (at(silhouette(picture, frame, edges, *others), frame, across, down) for others in ((), (box,)))
    assert alone[near < 0.8].max() > 0.9 and beside[near < 0.8].max() < 0.15
    larger_copy = np.array([[*(frame.origin - 3 * frame.unit), *(frame.origin + 3 * frame.unit)]], np.float32)
    np.testing.assert_array_equal(silhouette(picture, frame, edges, larger_copy), silhouette(picture, frame, edges))
    own = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(own, cv2.convexHull(np.round(mesh[:468, :2]).astype(np.int32)), (1,))
    inner = cv2.erode(own, np.ones((3, 3)), iterations=round(0.2 * frame.unit)) > 0
    assert beside[inner].min() > 0.95


def with_short_hair() -> tuple[Picture, Floats, Mask, Floats, Floats]:
    """The face of before_a_wall() with hair above it alone, its mesh, its head, and where its pixels lie in its frame."""
    picture, mesh, head, _ = before_a_wall()
    frame = head_frame(mesh)
    x, y = np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0]))
    across, down = frame.place(np.stack([x, y], 2))
    face = np.zeros(head.shape, np.uint8)
    cv2.fillConvexPoly(face, cv2.convexHull(np.round(mesh[:468, :2]).astype(np.int32)), (1,))
    beside = head & (face == 0) & ((np.abs(across) > 0.75) | (down > -0.3))
    # No tiles: a line across the whole picture beside the head would be taken for the edge of a bar.
    picture[beside | ~head] = WALL
    return picture, mesh, head & ~beside, across, down


def test_the_wall_beside_a_head_with_short_hair_stays() -> None:
    picture, mesh, head, _, down = with_short_hair()
    share, frame, *_ = told(picture, mesh)
    far = cv2.dilate(head.astype(np.uint8), np.ones((3, 3)), iterations=round(0.22 * frame.unit)) == 0
    assert share[far & (down < 0.3 * frame.chin)].max() < 0.1
    hair = cv2.erode(head.astype(np.uint8), np.ones((3, 3)), iterations=round(0.15 * frame.unit)) > 0
    assert share[hair].min() > 0.9


def test_long_hair_of_another_colour_than_above_the_face_moves() -> None:
    picture, mesh, head, across, down = with_short_hair()
    unit = head_frame(mesh).unit
    long = ~head & (np.abs(across) < 1) & (down > -0.5) & (down < 0.9)
    picture[long] = (170, 110, 60)
    share, *_ = told(picture, mesh)
    inner = cv2.erode((head | long).astype(np.uint8), np.ones((3, 3)), iterations=round(0.15 * unit)) > 0
    assert share[inner & (down < 0.6)].min() > 0.9


def test_where_head_and_wall_have_one_colour_the_usual_head_moves() -> None:
    picture, mesh, head, _ = before_a_wall(WALL)
    picture[~head] = WALL
    share, frame, across, down = told(picture, mesh)
    face = np.zeros(head.shape, np.uint8)
    cv2.fillConvexPoly(face, cv2.convexHull(np.round(mesh[:468, :2]).astype(np.int32)), (1,))
    far = cv2.dilate(face, np.ones((3, 3)), iterations=round(0.35 * frame.unit)) == 0
    far &= down < frame.chin + COLLAR
    np.testing.assert_allclose(share[far], usual(frame, across, down)[far], atol=0.05)


def test_hair_of_the_walls_colour_moves_with_hair_farther_out() -> None:
    picture, mesh, *_ = before_a_wall()
    frame = head_frame(mesh)
    x, y = np.round(frame.origin - [0, 1.12 * frame.unit]).astype(int)
    picture[y - 16 : y + 16, x - 30 : x + 30] = WALL
    share, *_ = told(picture, mesh)
    assert share[y, x] > 0.85
    assert (np.diff(share[y - 40 : y + 60, x]) > -0.002).all()


@pytest.mark.parametrize("box", [None, (255, 255, 255), (20, 20, 20)])
def test_a_caption_over_the_hair_and_one_over_the_chin_stay(box: tuple[int, int, int] | None) -> None:
    picture, mesh, *_ = before_a_wall()
    plain, *_ = told(picture, mesh)
    frame = head_frame(mesh)
    caption = np.zeros(picture.shape[:2], np.uint8)
    ink = (0, 0, 0) if box and box[0] > 128 else (255, 255, 255)
    for place in (mesh[10], mesh[152]):
        x, y = (place[:2] - (0.8 * frame.unit, 0)).astype(int).tolist()
        if box:
            corners = (x - 10, y - 36), (x + round(1.6 * frame.unit), y + 16)
            cv2.rectangle(picture, *corners, box, -1)
            cv2.rectangle(caption, *corners, (1,), -1)
        for canvas, colour in ((picture, ink), (caption, (1,))):
            cv2.putText(canvas, "WHAT THEY SAID", (x, y), cv2.FONT_HERSHEY_SIMPLEX, frame.unit / 160, colour, 3, cv2.LINE_AA)
    share, *_ = told(picture, mesh)
    assert share[caption > 0].mean() < 0.1
    assert plain[caption > 0].mean() > 0.5
    nose, brow = np.round(mesh[[4, 9], :2]).astype(int)
    assert min(share[nose[1], nose[0]], share[brow[1], brow[0]]) > 0.8


@pytest.mark.parametrize("across", [True, False])
def test_the_straight_edge_of_a_bar_or_a_tile_stays(across: bool) -> None:
    picture, mesh, *_ = before_a_wall()
    lowest = round(float(mesh[:468, 1 if across else 0].max())) + 20
    edge = (slice(lowest, lowest + 9), slice(None)) if across else (slice(None), slice(lowest, lowest + 9))
    assert told(picture, mesh)[0][edge].max() > (0.25 if across else 0.5)  # below the chin is wall
    picture[edge[0].start if across else 0 :, 0 if across else edge[1].start :] = 0
    share, *_ = told(picture, mesh)
    assert share[edge].max() < 0.02
    nose = np.round(mesh[4, :2]).astype(int)
    assert share[nose[1], nose[0]] > 0.9


@pytest.mark.parametrize("cut", [-20, 60])
def test_a_thin_line_at_the_border_stays(cut: int) -> None:
    """cut: pixels of the face that lie beyond the border."""
    picture, mesh, *_ = before_a_wall()
    first = round(float(mesh[:468, 0].min())) + cut
    picture, mesh = np.ascontiguousarray(picture[:, first:]), mesh - np.array([first, 0, 0], np.float32)
    line = np.s_[int(mesh[4, 1]), :3]
    assert told(picture, mesh)[0][line].min() > 0.9
    picture[:, :3] = 0
    share, *_ = told(picture, mesh)
    assert share[line].max() < 0.02
    nose = np.round(mesh[4, :2]).astype(int)
    assert share[nose[1], nose[0]] > 0.9


@pytest.mark.parametrize("corner", [0.1, 0.3, 1.0])
def test_the_edge_of_a_frame_or_a_round_picture_stays(corner: float) -> None:
    picture, mesh, *_ = before_a_wall()
    middle, half = np.round(mesh[[10, 152], :2].mean(axis=0)).astype(int), round(1.2 * head_frame(mesh).unit)
    y, x = np.abs(np.mgrid[: picture.shape[0], : picture.shape[1]] - middle[::-1, None, None])
    # Pixels outside a square with round corners: a circle, where these are as large as half of its side.
    straight = half * (1 - corner)
    outside = np.hypot(np.maximum(x - straight, 0), np.maximum(y - straight, 0)) - half * corner
    edge = np.abs(outside) < 4
    assert told(picture, mesh)[0][edge].max() > 0.5
    picture[outside > 0] = 255
    share, *_ = told(picture, mesh)
    assert share[outside > -4].max() < 0.03
    nose = np.round(mesh[4, :2]).astype(int)
    assert share[nose[1], nose[0]] > 0.9


def test_the_edge_of_an_avatar_in_a_ring_is_found() -> None:
    picture, mesh, *_ = before_a_wall()
    frame, middle = head_frame(mesh), mesh[[10, 152], :2].mean(axis=0)
    left, top = (round(float(v - 1.5 * frame.unit)) for v in middle)
    away = np.hypot(*(np.mgrid[:640, :640] - middle[::-1, None, None])) / frame.unit - 1.3
    picture[away > 0] = 255
    picture[(away > 0.05) & (away < 0.1)] = 230, 60, 120
    cut = np.s_[top : top + round(3 * frame.unit), left : left + round(3 * frame.unit)]
    frame = head_frame(mesh - np.array([left, top, 0], np.float32))
    x, y = np.meshgrid(*(np.arange(size) for size in picture[cut].shape[1::-1]))
    distances = at(find_edges(np.ascontiguousarray(picture[cut]), frame), frame, *frame.place(np.stack([x, y], 2)))
    assert np.abs(distances[np.abs(away[cut]) < 0.01]).max() < 0.03


def test_a_head_that_fills_its_picture_moves_as_usual() -> None:
    mesh = placed(300)
    picture = np.full((300, 300, 3), SKIN, np.uint8)
    share, frame, across, down = told(picture, mesh)
    assert (share >= usual(frame, across, down) - 0.05).all()


@pytest.mark.parametrize("sign", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_nothing_folds_where_head_meets_wall(sign: tuple[int, int]) -> None:
    photograph = data.astronaut()
    for picture, mesh in (before_a_wall()[:2], (photograph, MESH)):
        frame = head_frame(mesh)
        field = head_field(frame, (picture.shape[0], picture.shape[1]), head_of(picture, frame))
        yaw, pitch, roll = np.array(LIMITS) * (sign[0], sign[1], 1)
        turned = np.array([*np.sin(np.radians([yaw, pitch, roll])), 0.06 * sign[0], 0, 0])
        shift = np.tensordot(turned, field.unit, 1) / field.cell
        (x_down, x_across), (y_down, y_across) = (np.gradient(shift[..., axis]) for axis in (0, 1))
        assert ((1 + x_across) * (1 + y_down) - x_down * y_across).min() > 0.15


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (np.zeros((SIDE, 4), np.float32), "expected HEAD [96, 96] of float32, got [96, 4] of float32"),
        (np.zeros((SIDE, SIDE)), "expected HEAD [96, 96] of float32, got [96, 96] of float64"),
        (np.full((SIDE, SIDE), np.nan, np.float32), "expected HEAD within 0 and 1"),
        (np.full((SIDE, SIDE), 1.1, np.float32), "expected HEAD within 0 and 1"),
    ],
)
def test_what_is_no_silhouette_is_refused(head: Floats, message: str) -> None:
    with pytest.raises(BadPictureError) as fault:
        check_silhouette(head)
    assert str(fault.value) == message
