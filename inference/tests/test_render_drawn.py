"""A mouth of ink that speaks, and drawn eyes that shut: flat faces of which every pixel is known."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.frame import head_frame
from enhance.geometry.head import pose_of
from enhance.geometry.landmarks import (
    LEFT_CHEEK,
    LEFT_LIDS,
    LOWER_INNER,
    LOWER_OUTER,
    NOSE_BASE,
    RIGHT_CHEEK,
    RIGHT_LIDS,
    UPPER_INNER,
    UPPER_OUTER,
    face_box,
)
from enhance.geometry.planes import Colours, Planes, any_of_four, check_planes, from_rgb
from enhance.portrait import lids
from enhance.portrait.animate import Animator
from enhance.portrait.drawn_lids import DrawnLid, make_drawn_lids
from enhance.portrait.edges import Edges
from enhance.portrait.eye_outline import find_outlines
from enhance.portrait.lids import make_lids
from enhance.portrait.raster import SIDE as EDGES_SIDE
from enhance.render.compose import MouthRequest, Rendered, render
from enhance.render.drawn.erase import erase, has_band, pixels_from, with_shade
from enhance.render.drawn.found import find
from enhance.render.drawn.lips import on_drawn_lips
from enhance.render.drawn.looks import NEXT_INK, lip_shade
from enhance.render.drawn.mouth import Drawn
from enhance.render.drawn.parts import with_dark_across_white
from enhance.render.drawn.shut import shut
from enhance.render.measure import measure
from enhance.render.patch import PATCH_DROP, PATCH_SPAN, patch_of
from enhance.render.subject import SUBJECT
from enhance.style import style_of
from tests.test_render import measured

Floats = npt.NDArray[Any]
MESH: Floats = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)
BT601 = Colours(0.299, 0.114, False)
SKIN, DARK, INK, LIP, FILL = (255, 226, 205), (126, 82, 58), (60, 35, 40), (200, 80, 90), (150, 50, 60)
DARK_FILL = (50, 10, 15)
SIZE, FINE = 320, 4
WIDTH = 0.34  # S


def placed(size: int = SIZE) -> Floats:
    """The mesh as a patch holds it, upright, its mouth closed and level."""
    mesh = MESH - MESH[[61, 291]].mean(axis=0)
    across = MESH[263] - MESH[33]
    turn = -np.arctan2(across[1], across[0])
    mesh[:, :2] = mesh[:, :2] @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    scale = size / PATCH_SPAN / float(np.linalg.norm(across))
    mesh = np.asarray(mesh * scale, np.float32)
    mesh[:, :2] += [size / 2, size / 2 - PATCH_DROP * size / PATCH_SPAN]
    lips = np.array([*mouth_points()])
    mesh[lips, 1] = size / 2 - PATCH_DROP * size / PATCH_SPAN
    unit = scale * float(np.linalg.norm(across))
    mesh[lips, 0] = size / 2 + (mesh[lips, 0] - size / 2) * WIDTH * unit / float(mesh[291, 0] - mesh[61, 0])
    return mesh


def mouth_points() -> list[int]:
    outer = [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 146, 91, 181, 84, 17, 314, 405, 321, 375]
    return [*outer, 78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 95, 88, 178, 87, 14, 317, 402, 318, 324]


def drawing(
    kind: str = "stroke",
    skin: tuple[int, int, int] = SKIN,
    chin: float = 0.4,
    size: int = SIZE,
    fill: tuple[int, int, int] | None = None,
    thick: float = 0.016,
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """RGB and mesh of a face whose mouth is a stroke, an open shape, or a pair of lips, with the outline of a chin below."""
    mesh = placed(size)
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    x, y = mesh[[61, 291], :2].mean(axis=0)
    canvas = np.empty((size * FINE, size * FINE, 3), np.uint8)
    canvas[:] = skin

    def at(points: Floats) -> Floats:
        return np.asarray(np.round((points * unit + [x, y]) * FINE).astype(np.int32))

    t = np.linspace(-1, 1, 41)
    half = WIDTH / 2
    arch = np.sqrt(1 - t**2)
    line = max(1, round(thick * unit * FINE))
    if kind == "stroke":
        cv2.polylines(canvas, [at(np.stack([half * t, 0.03 * (1 - t * t)], 1))], False, INK, line, cv2.LINE_AA)
    elif kind == "open":
        shape = np.vstack([np.stack([half * t, 0 * t], 1), np.stack([half * t, 0.16 * arch], 1)[::-1]])
        cv2.fillPoly(canvas, [at(shape)], fill or (FILL if skin == SKIN else DARK_FILL), cv2.LINE_AA)
        cv2.polylines(canvas, [at(shape)], True, INK, line, cv2.LINE_AA)
    elif kind == "outlined":
        above, below = (np.stack([half * t, high * (1 - t * t)], 1) for high in (-0.08, 0.1))
        cv2.fillPoly(canvas, [at(np.vstack([above, below[::-1]]))], fill or skin, cv2.LINE_AA)
        for curve in (above, below, np.stack([half * t, 0 * t], 1)):
            cv2.polylines(canvas, [at(curve)], False, INK, line, cv2.LINE_AA)
    else:
        shape = np.vstack([np.stack([half * t, -0.06 * arch], 1), np.stack([half * t, 0.08 * arch], 1)[::-1]])
        cv2.fillPoly(canvas, [at(shape)], LIP, cv2.LINE_AA)
        cv2.polylines(canvas, [at(np.stack([half * t, 0 * t], 1))], False, INK, line, cv2.LINE_AA)
    cv2.polylines(canvas, [at(np.stack([0.6 * t, chin - 0.3 * t * t], 1))], False, INK, line, cv2.LINE_AA)
    return np.asarray(cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA), np.uint8), mesh


def planes_of(rgb: npt.NDArray[np.uint8]) -> Planes:
    yuv = from_rgb(rgb.astype(np.float32), BT601)
    half = cv2.resize(yuv, (rgb.shape[1] // 2, rgb.shape[0] // 2), interpolation=cv2.INTER_AREA)
    y, u, v = (np.clip(p + 0.5, 0, 255).astype(np.uint8) for p in (yuv[..., 0], half[..., 1], half[..., 2]))
    return check_planes(y, u, v)


def target(opening: float = 0.0, width: float = WIDTH, **others: float) -> Floats:
    names = ("opening", "width", "rounding", "upper", "corners", "press", "labiodental", "tongue", "jaw", "chin")
    values = {"opening": opening, "jaw": opening, "chin": 0.5, "width": width, **others}
    return np.array([values.get(name, 0.0) for name in names], np.float32)


def spoken(picture: npt.NDArray[np.uint8], mesh: Floats, asked: Floats, subject: Floats | None = None) -> Rendered:
    planes = planes_of(picture)
    person = measured(planes, mesh) if subject is None else subject
    return render(planes, BT601, mesh, MouthRequest(target=asked, subject=person, style="flat"))


def ink_rows(rendered: Rendered, mesh: Floats, skin: tuple[int, int, int] = SKIN) -> float:
    """Height in S from the first to the last that is darker than skin in the middle of the mouth, to 0.3 S below it."""
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    column = rendered.planes.y[round(y - 0.2 * unit) : round(y + 0.3 * unit), round(x)]
    level = float(from_rgb(np.array([[skin]], np.float32), BT601)[0, 0, 0])
    rows = np.flatnonzero(column < level - 25)
    return float((np.ptp(rows) + 1) / unit) if len(rows) else 0.0


def has_ink(picture: npt.NDArray[np.uint8], mesh: Floats) -> bool:
    return SUBJECT.unpack(measured(planes_of(picture), mesh)).ink is not None


@pytest.mark.parametrize("skin", [SKIN, DARK])
@pytest.mark.parametrize("kind", ["stroke", "open"])
def test_a_stroke_and_an_open_shape_are_ink(kind: str, skin: tuple[int, int, int]) -> None:
    assert has_ink(*drawing(kind, skin))


def test_a_tongue_that_takes_most_of_a_mouth_is_not_its_dark() -> None:
    picture, mesh = drawing("open")
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    near = np.abs(picture.astype(int) - FILL).max(axis=2) < 8
    tongue = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(tongue, (round(x), round(y + 0.13 * unit)), (round(0.14 * unit), round(0.09 * unit)), 0, 0, 360, (1,), -1)
    picture[near & (tongue > 0)] = (235, 120, 120)
    assert (near & (tongue > 0)).sum() > 0.5 * near.sum()
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and np.abs(ink.fill - FILL).max() < 15


def test_a_stroke_with_a_broad_brush_stays_as_broad() -> None:
    picture, mesh = drawing("stroke", size=480, thick=0.08)
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and abs(ink.thickness - 0.08) < 0.01


@pytest.mark.parametrize("thick", [0.016, 0.03])
def test_the_line_round_a_grin_is_as_thick_when_it_shuts(thick: float) -> None:
    picture, mesh = drawing("open", size=640, fill=(255, 255, 255), thick=thick)
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and abs(float(np.median(ink.thick)) - thick) < 0.004


def test_a_mouth_wider_than_the_distance_of_the_eyes_is_found() -> None:
    picture, mesh = drawing(chin=0.9)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[:] = SKIN
    cv2.ellipse(picture, (x, y), (round(0.6 * unit), round(0.1 * unit)), 0, 20, 160, INK, 3, cv2.LINE_AA)
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and 1.05 < ink.width < 1.25


@pytest.mark.parametrize("thick", [0.016, 0.03])
def test_the_line_round_a_grin_that_is_about_as_dark_is_told_by_its_teeth_and_its_tint(thick: float) -> None:
    picture, mesh = drawing("open", size=640, fill=(96, 24, 32), thick=thick)
    unit = pose_of(mesh).scale
    inside = np.abs(picture.astype(int) - (96, 24, 32)).max(axis=2) < 8
    inside[round(mesh[[61, 291], 1].mean() + 0.06 * unit) :] = False
    picture[inside] = 255
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and ink.teeth and abs(float(np.median(ink.thick)) - thick) < 0.007
    assert ink.stroke[0] - ink.stroke[1:].mean() < 30  # that of the fill: 68


def test_teeth_on_dark_skin_do_not_hide_the_mouth_round_them() -> None:
    picture, mesh = drawing("open", DARK, size=480)
    unit = pose_of(mesh).scale
    y = mesh[[61, 291], 1].mean()
    inside = np.abs(picture.astype(int) - DARK_FILL).max(axis=2) < 8
    inside[: round(y)] = inside[round(y + 0.06 * unit) :] = False
    picture[inside] = 255
    assert inside.sum() > 500
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and ink.teeth and abs(ink.width - WIDTH) < 0.05


@pytest.mark.parametrize("light", [1.0, 0.7])
def test_teeth_are_as_light_as_the_drawing_has_them(light: float) -> None:
    picture, mesh = drawing("open", DARK, size=480, fill=(240, 235, 220))
    ink = SUBJECT.unpack(measure(planes_of((picture * light).astype(np.uint8)), BT601, mesh)).ink
    assert ink is not None and ink.teeth
    np.testing.assert_allclose(ink.tooth, np.multiply((240, 235, 220), light), atol=6)


@pytest.mark.parametrize(("fill", "teeth"), [((196, 192, 184), True), ((200, 168, 139), False)])
def test_teeth_in_shade_are_told_from_other_things_as_dark_by_their_colour(fill: tuple[int, int, int], teeth: bool) -> None:
    picture, mesh = drawing("open", (245, 205, 170), size=640, fill=fill, thick=0.02)
    ink = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert ink is not None and ink.teeth == teeth
    if teeth:
        np.testing.assert_allclose(ink.tooth, fill, atol=8)


@pytest.mark.parametrize("parts", [("teeth",), ("tongue",), ("teeth", "tongue")])
@pytest.mark.parametrize("skin", [(245, 205, 170), DARK])
def test_teeth_and_tongue_without_an_outline_go_when_the_mouth_shuts(
    skin: tuple[int, int, int], parts: tuple[str, ...]
) -> None:
    picture, mesh = drawing("stroke", skin, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = skin
    mouth, tongue = np.zeros(picture.shape[:2], np.uint8), np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(mouth, (x, y), (round(0.2 * unit), round(0.17 * unit)), 0, 0, 180, (1,), -1)
    cv2.ellipse(tongue, (x, y + round(0.19 * unit)), (round(0.1 * unit), round(0.07 * unit)), 0, 0, 360, (1,), -1)
    picture[mouth > 0] = DARK_FILL
    if "tongue" in parts:
        picture[(mouth & tongue) > 0] = (235, 110, 115)
    if "teeth" in parts:
        picture[y : y + round(0.05 * unit)][mouth[y : y + round(0.05 * unit)] > 0] = 255
    subject = measured(planes_of(picture), mesh)
    ink = SUBJECT.unpack(subject).ink
    assert ink is not None and ink.teeth == ("teeth" in parts)
    shut = spoken(picture, mesh, target(), subject).planes.y[mouth > 0].astype(int)
    bare = planes_of(np.full_like(picture, skin)).y[0, 0]
    assert (np.abs(shut - bare) < 6).mean() > 0.8
    assert shut.max() < bare + 6


def test_teeth_and_a_tongue_as_light_as_dark_skin_are_no_lit_lips() -> None:
    picture, mesh = drawing("stroke", DARK, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    mouth, tongue = np.zeros((2, *picture.shape[:2]), np.uint8)
    cv2.ellipse(mouth, (x, y), (round(0.2 * unit), round(0.26 * unit)), 0, 0, 180, (1,), -1)
    cv2.ellipse(tongue, (x, y + round(0.25 * unit)), (round(0.16 * unit), round(0.14 * unit)), 0, 0, 360, (1,), -1)
    picture[mouth > 0] = (100, 30, 40)
    picture[(mouth & tongue) > 0] = (230, 110, 110)
    picture[y : y + round(0.07 * unit)][mouth[y : y + round(0.07 * unit)] > 0] = 250
    assert has_ink(picture, mesh)


def test_teeth_and_a_tongue_that_part_the_dark_of_a_mouth_go_when_it_shuts() -> None:
    picture, mesh = drawing("stroke", DARK, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = DARK
    mouth, teeth, tongue = np.zeros((3, *picture.shape[:2]), np.uint8)
    cv2.ellipse(mouth, (x, y), (round(0.2 * unit), round(0.16 * unit)), 0, 0, 180, (1,), -1)
    cv2.ellipse(teeth, (x, y), (round(0.18 * unit), round(0.08 * unit)), 0, 0, 180, (1,), -1)
    cv2.ellipse(tongue, (x, y + round(0.16 * unit)), (round(0.11 * unit), round(0.1 * unit)), 0, 0, 360, (1,), -1)
    picture[mouth > 0] = DARK_FILL
    picture[(mouth & tongue) > 0] = (230, 110, 115)
    picture[(mouth & teeth) > 0] = 250
    shut = spoken(picture, mesh, target()).planes.y[mouth > 0]
    assert shut.max() < planes_of(np.full_like(picture, DARK)).y[0, 0] + 6


@pytest.mark.parametrize(("high", "of_mouth"), [((40, 60), True), ((5, 95), False)])
def test_white_between_two_dark_places_is_teeth_unless_it_goes_on(high: tuple[int, int], of_mouth: bool) -> None:
    ink, white = np.zeros((2, 100, 160), bool)
    white[slice(*high), 50:110] = True
    ink[35:65, 40:50] = ink[35:65, 110:120] = True
    side = ink.astype(np.uint8)
    side[:, 80:] = 0
    assert bool(with_dark_across_white(side, ink, white)[50, 115]) == of_mouth


def test_a_white_grin_with_dimples_at_its_corners_is_found() -> None:
    picture, mesh = drawing("stroke", (190, 130, 95), size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = 190, 130, 95
    for side in (-1, 1):
        at = (x + side * round(0.24 * unit), y + round(0.02 * unit))
        cv2.ellipse(picture, at, (round(0.05 * unit), round(0.05 * unit)), 0, 0, 360, (178, 118, 83), -1)
    cv2.ellipse(picture, (x, y - round(0.03 * unit)), (round(0.2 * unit), round(0.12 * unit)), 0, 0, 180, WHITE, -1)
    patch = patch_of(planes_of(picture), BT601, mesh)
    drawn = find(patch.planes, patch.head, patch.pose, white=True, shaded=True, no_darker=True)
    assert drawn is not None and abs(drawn.width - 0.4) < 0.06


def test_teeth_and_tongue_of_a_shaded_face_go_when_the_mouth_shuts() -> None:
    """Lit from above on one side, as 3D animation is: the teeth are no lighter than the cheeks, the tongue no darker than the
    chin."""
    skin = (245, 200, 175)
    bare, mesh = drawing("stroke", skin, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    bare[y - round(0.1 * unit) : y + round(0.1 * unit)] = skin
    rows, columns = (np.indices(bare.shape[:2]) - np.array([y, x])[:, None, None]) / unit
    light = 0.8 - 0.3 * rows - 0.12 * columns
    bare = np.clip(bare * light[..., None], 0, 255).astype(np.uint8)
    picture = bare.copy()
    mouth, tongue = np.zeros(picture.shape[:2], np.uint8), np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(mouth, (x, y), (round(0.2 * unit), round(0.17 * unit)), 0, 0, 180, (1,), -1)
    cv2.ellipse(tongue, (x, y + round(0.18 * unit)), (round(0.13 * unit), round(0.08 * unit)), 0, 0, 360, (1,), -1)
    picture[mouth > 0] = DARK_FILL
    picture[(mouth & tongue) > 0] = (205, 85, 95)
    teeth = (mouth > 0) & (rows < 0.05) & (np.abs(columns) < 0.17)
    picture[teeth] = (215, 212, 205)
    shut = spoken(picture, mesh, target()).planes
    wanted = planes_of(bare)
    for seen, skin_there in (
        (shut.y[mouth > 0], wanted.y[mouth > 0]),
        (shut.v[mouth[::2, ::2] > 0], wanted.v[mouth[::2, ::2] > 0]),
    ):
        assert (np.abs(seen.astype(int) - skin_there) < 10).mean() > 0.8
    # The line of the mouth is not counted.
    assert np.percentile(shut.y[teeth].astype(int) - wanted.y[teeth], 98) < 12


def test_a_mouth_that_reaches_above_the_nose_of_the_mesh_is_found() -> None:
    picture, mesh = in_one_tone((-0.12 * np.sqrt(1 - ACROSS**2), 0.12 * np.sqrt(1 - ACROSS**2)), SKIN, FILL, line=True)
    mesh[NOSE_BASE, 1] = mesh[[61, 291], 1].mean() - 0.08 * pose_of(mesh).scale
    assert has_ink(picture, mesh)


@pytest.mark.parametrize("rounded", [False, True])
def test_a_mouth_as_high_as_half_the_distance_of_the_eyes_goes_when_it_shuts(rounded: bool) -> None:
    picture, mesh = drawing("stroke", chin=0.8)
    unit = pose_of(mesh).scale
    half = np.array([0.2, 0.27]) * unit
    middle = mesh[[61, 291], :2].mean(axis=0) + np.array([0, 0.2 * unit])
    left, top, right, bottom = np.round([*(middle - half), *(middle + half)]).astype(int).tolist()
    for colour, line in ((FILL, cv2.FILLED), (INK, 3)):
        if rounded:
            cv2.ellipse(picture, (middle.tolist(), (2 * half).tolist(), 0), colour, line, cv2.LINE_AA)
        else:
            cv2.rectangle(picture, (left, top), (right, bottom), colour, line, cv2.LINE_AA)
    shut = spoken(picture, mesh, target()).planes.y[top - 9 : bottom + 9, left - 9 : right + 9].astype(int)
    assert (np.abs(shut - int(shut[0, 0])) < 8).mean() > 0.9


def test_a_chin_in_shade_before_a_white_wall_is_no_part_of_an_open_mouth() -> None:
    picture, mesh = drawing("stroke", DARK, chin=3)
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    picture[round(y + 0.3 * unit) :] = 255
    chin = np.round([x - 0.21 * unit, y + 0.24 * unit, 0.42 * unit, 0.36 * unit]).astype(int)
    cv2.rectangle(picture, chin.tolist(), (np.array(DARK) * 0.6).tolist(), cv2.FILLED)
    box = np.round([x - 0.2 * unit, y - 0.06 * unit, 0.4 * unit, 0.31 * unit]).astype(int)
    cv2.rectangle(picture, box.tolist(), DARK_FILL, cv2.FILLED)
    cv2.rectangle(picture, (*box[:3].tolist(), round(0.1 * unit)), (255, 255, 255), cv2.FILLED)
    patch = patch_of(planes_of(picture), BT601, mesh)
    drawn = find(patch.planes, patch.head, patch.pose, no_darker=True)
    assert drawn is not None
    assert drawn.height < 0.4


def test_a_smile_whose_corners_are_as_high_as_the_nose_of_the_mesh_is_found() -> None:
    picture, mesh = drawing()
    mesh[NOSE_BASE, 1] = mesh[[61, 291], 1].mean()
    assert has_ink(picture, mesh)


def test_one_tooth_in_an_open_mouth_does_not_make_its_rim_lips() -> None:
    picture, mesh = drawing("open", size=480, thick=0.012)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    half, high = round(0.06 * unit), round(0.07 * unit)
    # The tooth leaves some of the line over it.
    picture[y - 1 : y + high, x - half : x + half] = 255
    assert has_ink(picture, mesh)


def test_a_thick_soft_stroke_on_brown_skin_is_no_pair_of_lips() -> None:
    picture, mesh = drawing("stroke", (150, 100, 70), size=640, thick=0.035)
    soft = cv2.GaussianBlur(picture, (0, 0), 1.5)
    assert has_ink(np.asarray(soft, np.uint8), mesh)


@pytest.mark.parametrize(("high", "down"), [(0.022, 0.0), (0.036, 0.0), (0.022, -0.18)])
def test_a_dot_opens_as_a_round_mouth_with_a_tongue_however_far_above_the_mouth_of_the_mesh(high: float, down: float) -> None:
    picture, mesh = drawing("stroke", size=480)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    chin = y + round(0.08 * unit)
    picture[y - round(0.1 * unit) : chin] = SKIN
    size = round(0.036 * unit), round(high * unit)
    cv2.ellipse(picture, (x, y + round(down * unit)), size, 0, 0, 360, INK, -1, cv2.LINE_AA)
    shut, opened = (spoken(picture, mesh, target(opening)).planes.y for opening in (0.0, 0.2))
    np.testing.assert_array_equal(shut, planes_of(picture).y)
    mouth = opened[:chin] < int(shut[0, 0]) - 25
    wide, tall = (float(np.ptp(np.flatnonzero(mouth.any(axis=axis)))) / unit for axis in (0, 1))
    assert 0.1 < wide < 0.18
    assert 0.8 < tall / wide < 1.3
    assert np.median(opened[:chin][mouth]) > shut[:chin].min() + 8


def test_a_dot_speaks_over_a_chin_that_lies_where_the_mesh_has_its_mouth() -> None:
    picture, mesh = drawing("stroke", size=480)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[:] = SKIN
    dot, head = (x, y - round(0.18 * unit)), (x, y - round(0.73 * unit))
    cv2.ellipse(picture, dot, (round(0.036 * unit), round(0.022 * unit)), 0, 0, 360, INK, -1, cv2.LINE_AA)
    cv2.ellipse(picture, head, (round(unit), round(0.75 * unit)), 0, 0, 360, INK, round(0.018 * unit), cv2.LINE_AA)
    assert has_ink(picture, mesh)


def test_a_nose_over_a_mouth_that_a_straw_goes_on_from_does_not_speak() -> None:
    picture, mesh = drawing("stroke", size=480)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    cv2.line(picture, (x, y), (x + round(0.6 * unit), y + round(0.7 * unit)), INK, round(0.03 * unit), cv2.LINE_AA)
    nose = x, y - round(0.18 * unit)
    cv2.ellipse(picture, nose, (round(0.04 * unit), round(0.015 * unit)), 0, 0, 360, INK, -1, cv2.LINE_AA)
    assert not has_ink(picture, mesh)


def test_a_mouth_of_three_samples_shuts_to_a_line_of_the_usual_thickness() -> None:
    whole = np.zeros((12, 12), bool)
    whole[4:8, 4:7] = True
    lit = np.full(whole.shape, 200, np.float32)
    drawn = Drawn(np.zeros(2), 30.0, lit, 150.0 * whole, whole, slice(4, 7), np.full(3, 4.0), np.full(3, 8.0))
    assert np.isfinite(shut(drawn)[2]).all()


@pytest.mark.parametrize("skin", [(245, 205, 170), (200, 141, 107), DARK])
def test_a_mouth_of_nothing_but_white_teeth_goes_when_it_shuts_and_opens_on_dark(skin: tuple[int, int, int]) -> None:
    picture, mesh = drawing("stroke", skin, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = skin
    mouth = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(mouth, (x, y), (round(0.19 * unit), round(0.14 * unit)), 0, 0, 180, (1,), -1)
    picture[mouth > 0] = 255
    subject = measured(planes_of(picture), mesh)
    ink = SUBJECT.unpack(subject).ink
    assert ink is not None and ink.teeth and ink.tooth.min() > 245
    bare = planes_of(np.full_like(picture, skin)).y[0, 0]
    shut, opened = (spoken(picture, mesh, target(opening), subject).planes.y[mouth > 0].astype(int) for opening in (0.0, 0.14))
    assert shut.max() < bare + 6 and (np.abs(shut - bare) < 6).mean() > 0.8
    assert opened.max() > bare + 20 and (opened < 0.6 * bare).mean() > 0.1


def test_a_grin_has_as_much_room_as_a_mouth_without_teeth() -> None:
    rooms = []
    for fill in (FILL, (255, 255, 255)):
        ink = SUBJECT.unpack(measure(planes_of(drawing("open", size=480, fill=fill)[0]), BT601, placed(480))).ink
        assert ink is not None
        rooms.append(ink.room)
    assert abs(rooms[0] - rooms[1]) < 0.03


def test_a_grin_shuts_to_a_smile_and_a_round_mouth_to_a_line() -> None:
    picture, mesh = drawing("open", size=480)
    grin = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.22 * unit), x - round(0.3 * unit) : x + round(0.3 * unit)] = SKIN
    cv2.ellipse(picture, (x, y), (round(0.1 * unit), round(0.12 * unit)), 0, 0, 360, FILL, -1, cv2.LINE_AA)
    surprise = SUBJECT.unpack(measured(planes_of(picture), mesh)).ink
    assert grin is not None and surprise is not None
    assert grin.bow.max() / grin.width > 0.1 and surprise.bow.max() < 0.035


def test_a_moustache_is_not_the_mouth_under_it() -> None:
    picture, mesh = drawing("stroke", size=480)
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    hair = np.array([[-0.25, -0.03], [-0.1, -0.1], [0.1, -0.1], [0.25, -0.03]]) * unit + [x, y]
    cv2.fillPoly(picture, [np.round(hair).astype(np.int32)], INK, cv2.LINE_AA)
    mesh[mouth_points(), 1] -= 0.05 * unit  # between the two, as meshes have it
    opened = spoken(picture, mesh, target(0.12))
    low = round(y - 0.025 * unit)
    before, after = planes_of(picture).y[low - round(0.12 * unit) : low], opened.planes.y[low - round(0.12 * unit) : low]
    np.testing.assert_array_equal(after, before)
    assert opened.mask[low:].any()


def test_the_line_of_a_near_chin_is_not_the_mouth_under_a_moustache() -> None:
    picture, mesh = drawing("stroke", size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int).tolist()
    low = y + round(0.2 * unit)
    picture[y - round(0.1 * unit) : low + round(0.1 * unit), x - round(0.3 * unit) : x + round(0.3 * unit)] = SKIN
    cv2.ellipse(picture, (x, y), (round(0.12 * unit), round(0.08 * unit)), 0, 0, 360, FILL, -1, cv2.LINE_AA)
    cv2.line(picture, (x - round(0.15 * unit), low), (x + round(0.15 * unit), low), INK, 2, cv2.LINE_AA)
    mesh[152, 1] = low
    opened = spoken(picture, mesh, target(0.12))
    assert opened.mask[y - 2 : y + 3].any()


def test_lips_are_no_ink() -> None:
    assert not has_ink(*drawing("lips"))


@pytest.mark.parametrize("upper", [(120, 30, 45), (150, 50, 60)])
@pytest.mark.parametrize("line", [True, False])
def test_lips_of_which_the_upper_one_is_darker_are_no_open_mouth_with_a_tongue(upper: tuple[int, int, int], line: bool) -> None:
    picture, mesh = drawing("lips", size=480)
    y = round(float(mesh[[61, 291], 1].mean()))
    above = np.zeros(picture.shape[:2], bool)
    above[:y] = np.abs(picture[:y].astype(int) - LIP).max(axis=2) < 8
    picture[above] = upper
    if not line:
        of_lips = slice(y - 8, y + 8)
        dark = picture[of_lips].astype(int).sum(axis=2) < 250
        picture[of_lips][dark & (np.arange(-8, 8) < 0)[:, None]] = upper
        picture[of_lips][dark & (np.arange(-8, 8) >= 0)[:, None]] = LIP
    assert not has_ink(picture, mesh)


def test_on_dark_skin_a_lighter_lower_lip_is_no_tongue() -> None:
    picture, mesh = drawing("lips", (98, 64, 46), size=480)
    y = round(float(mesh[[61, 291], 1].mean()))
    for part, tone in ((picture[:y], (120, 64, 60)), (picture[y:], (150, 80, 75))):
        part[np.abs(part.astype(int) - LIP).max(axis=2) < 8] = tone
    assert not has_ink(picture, mesh)


def test_the_line_below_a_tongue_is_not_between_two_lips() -> None:
    picture, mesh = drawing("open", size=480, fill=(95, 30, 35))
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    inside = np.abs(picture.astype(int) - (95, 30, 35)).max(axis=2) < 8
    tongue = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(tongue, (x, round(y + 0.15 * unit)), (round(0.11 * unit), round(0.06 * unit)), 0, 0, 360, (1,), -1)
    picture[inside & (tongue > 0)] = (225, 100, 105)
    assert has_ink(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8), mesh)


ACROSS = np.linspace(-1, 1, 81)
POINTED = -0.08 * (1 - ACROSS**2), 0.1 * (1 - ACROSS**2)
ROUND = -0.07 * np.sqrt(1 - ACROSS**2), 0.09 * np.sqrt(1 - ACROSS**2)
DIP = 0.05 * np.exp(-((ACROSS / 0.16) ** 2))
SMILING = POINTED[0] - 0.05 * ACROSS**2 + DIP, POINTED[1] - 0.05 * ACROSS**2
BOWED = POINTED[0] + DIP, POINTED[1]
FLAT_BELOW = BOWED[0], 0.1 * (1 - ACROSS**4)
CAT = 0.06 * np.sin(np.pi * np.abs(ACROSS)) - 0.03 * np.exp(-((ACROSS / 0.15) ** 2)), 0.17 * (1 - ACROSS**2)
GRIN = 0.02 * (1 - ACROSS**2), 0.18 * (1 - ACROSS**2)
WITH_TONGUE = POINTED[0], POINTED[1] - 0.05 * np.exp(-((ACROSS / 0.3) ** 2))
UPPER_LIP = POINTED[0] + DIP, 0.0 * ACROSS
BROWN, ROSE, MAROON = (160, 108, 76), (200, 80, 90), (120, 62, 52)


def in_one_tone(
    edges: tuple[Floats, Floats], skin: tuple[int, int, int], tone: tuple[int, int, int], line: bool = False
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """RGB and mesh of a face whose mouth is one area. edges: y of its upper and lower one along ACROSS, in S."""
    picture, mesh = drawing("lips", skin, size=480)
    unit, (x, y) = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0)
    picture[round(y - 0.1 * unit) : round(y + 0.12 * unit)] = skin
    outline = np.vstack([np.stack([WIDTH / 2 * ACROSS, edge], 1)[::way] for edge, way in zip(edges, (1, -1), strict=True)])
    points = np.round((outline * unit + [x, y]) * 16).astype(np.int32)
    cv2.fillPoly(picture, [points], tone, cv2.LINE_AA, 4)
    if line:
        cv2.polylines(picture, [points], True, INK, 3, cv2.LINE_AA, 4)
    return picture, mesh


@pytest.mark.parametrize(
    ("edges", "skin", "tone"),
    [
        (POINTED, SKIN, ROSE),
        (POINTED, BROWN, MAROON),
        (SMILING, SKIN, ROSE),
        (BOWED, SKIN, (80, 20, 36)),
        (FLAT_BELOW, SKIN, ROSE),
        (UPPER_LIP, BROWN, MAROON),
    ],
)
def test_lips_of_one_tone_without_a_line_stay_lips(
    edges: tuple[Floats, Floats], skin: tuple[int, int, int], tone: tuple[int, int, int]
) -> None:
    picture, mesh = in_one_tone(edges, skin, tone)
    assert not has_ink(picture, mesh)
    before = planes_of(picture).y.astype(int)
    assert np.abs(spoken(picture, mesh, target()).planes.y.astype(int) - before).mean() < 0.5
    opened = spoken(picture, mesh, target(0.14)).planes.y
    unit, (x, y) = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0)
    tone_y = int(planes_of(np.full((2, 2, 3), tone, np.uint8)).y[0, 0])
    # Above the dark there is lip.
    column = opened[round(y - 0.1 * unit) : round(y + 0.2 * unit), round(x - 0.1 * unit)].astype(int)
    dark = int(np.flatnonzero(column < 0.7 * tone_y)[0])
    assert (np.abs(column[:dark] - tone_y) < 12).sum() > 0.02 * unit


@pytest.mark.parametrize(("edges", "lips"), [(BOWED, True), (POINTED, False)])
def test_deep_red_lips_with_a_cupids_bow_and_an_upper_one_in_shade_stay_lips(edges: tuple[Floats, Floats], lips: bool) -> None:
    red = 240, 60, 75
    picture, mesh = in_one_tone(edges, SKIN, red)
    unit, (x, y) = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0)
    lip = np.abs(picture.astype(int) - red).max(axis=2) < 8
    rim = cv2.erode(lip.astype(np.uint8), np.ones((2 * round(0.02 * unit) + 1,) * 2, np.uint8)) == 0
    upper = np.arange(len(picture))[:, None] < y
    picture[lip & ~upper & rim] = (175, 20, 40)
    picture[lip & upper] = (135, 15, 30)
    ends = round(x - 0.165 * unit), round(x + 0.165 * unit)
    cv2.line(picture, (ends[0], round(y)), (ends[1], round(y)), (60, 8, 14), round(0.018 * unit), cv2.LINE_AA)
    assert has_ink(picture, mesh) != lips
    if lips:
        # They are not painted over when they shut.
        assert np.abs(spoken(picture, mesh, target()).planes.y.astype(int) - planes_of(picture).y).mean() < 0.5


def test_outlined_lips_of_one_tone_with_a_cupids_bow_stay_lips() -> None:
    picture, mesh = in_one_tone(SMILING, SKIN, ROSE, line=True)
    assert not has_ink(picture, mesh)
    assert np.abs(spoken(picture, mesh, target()).planes.y.astype(int) - planes_of(picture).y).mean() < 0.5


@pytest.mark.parametrize(
    ("edges", "skin", "tone", "line"),
    [
        (ROUND, SKIN, ROSE, False),
        (GRIN, SKIN, ROSE, False),
        (GRIN, BROWN, MAROON, False),
        (CAT, SKIN, ROSE, False),
        (WITH_TONGUE, SKIN, ROSE, False),
        (POINTED, SKIN, (70, 20, 28), False),
        (POINTED, SKIN, (120, 120, 120), False),
        (POINTED, SKIN, ROSE, True),
    ],
)
def test_an_open_mouth_of_one_tone_is_no_pair_of_lips(
    edges: tuple[Floats, Floats], skin: tuple[int, int, int], tone: tuple[int, int, int], line: bool
) -> None:
    assert has_ink(*in_one_tone(edges, skin, tone, line))


def bearded(
    edges: tuple[Floats, Floats], beard: tuple[int, int, int], tone: tuple[int, int, int]
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """As in_one_tone, in a beard between nose and neck."""
    picture, mesh = in_one_tone(edges, beard, tone)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    there = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(there, (x, y - round(0.15 * unit)), (round(0.8 * unit), round(0.55 * unit)), 0, 0, 180, (1,), -1)
    picture[there == 0] = SKIN
    return picture, mesh


@pytest.mark.parametrize("line", [False, True])
def test_lips_round_teeth_shut_as_lips(line: bool) -> None:
    picture, mesh = in_one_tone((0.0 * ACROSS - 0.02, GRIN[1]), SKIN, ROSE, line)
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    for top, lips in ((0.01, True), (-0.03, False)):
        smile = picture.copy()
        cv2.ellipse(smile, (round(x), round(y + top * unit)), (round(0.12 * unit), round(0.09 * unit)), 0, 0, 180, WHITE, -1)
        assert has_ink(smile, mesh) != lips
        if lips:
            shut = spoken(smile, mesh, target()).planes
            assert shut.y[round(y + 0.02 * unit) : round(y + 0.08 * unit), round(x)].max() < 150
            assert (shut.v > 150).sum() > 0.6 * (planes_of(smile).v > 150).sum()


def test_lips_round_teeth_and_red_dark_on_dark_skin_shut_as_lips() -> None:
    arch, bow = np.sqrt(1 - ACROSS**2), 1 - ACROSS**2
    picture, mesh = in_one_tone((-0.07 * bow - 0.036 * arch, 0.1 * bow + 0.09 * arch), (120, 78, 55), (180, 30, 60))
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    for colour, low in (((120, 25, 45), 0.09 * arch), (WHITE, np.minimum(0.02, 0.09 * arch))):
        across = 0.14 * np.concatenate([ACROSS, ACROSS[::-1]])
        edge = np.stack([across, np.concatenate([-0.036 * arch, low[::-1]])], axis=1) * unit + [x, y]
        cv2.fillPoly(picture, [np.round(edge).astype(np.int32)], colour)
    shut = spoken(picture, mesh, target()).planes
    assert shut.y[round(y - 0.03 * unit) : round(y + 0.08 * unit), round(x)].max() < 110


def test_lips_round_teeth_stay_lips_where_the_lower_one_is_shaded() -> None:
    lit = 235, 130, 140
    picture, mesh = in_one_tone((0.0 * ACROSS - 0.02, GRIN[1]), SKIN, lit)
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    lip = np.abs(picture.astype(int) - lit).max(axis=2) < 8
    shade = np.interp(np.arange(len(picture)), [round(y + 0.1 * unit), round(y + 0.18 * unit)], [1.0, 0.55])[:, None, None]
    picture[lip] = (picture * shade)[lip].round()
    cv2.ellipse(picture, (round(x), round(y + 0.01 * unit)), (round(0.12 * unit), round(0.09 * unit)), 0, 0, 180, WHITE, -1)
    assert on_drawn_lips(patch_of(planes_of(picture), BT601, mesh)) is not None


@pytest.mark.parametrize("tongue", [False, True])
def test_lips_round_the_dark_of_an_open_mouth_shut_as_lips(tongue: bool) -> None:
    picture, mesh = in_one_tone((POINTED[0], 0.26 * (1 - ACROSS**4)), SKIN, ROSE)
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    at = round(x), round(y)
    inside = np.zeros(picture.shape[:2], np.uint8)
    cv2.ellipse(inside, at, (round(0.14 * unit), round(0.17 * unit)), 0, 0, 180, (1,), -1)
    picture[inside > 0] = DARK_FILL
    if tongue:
        below = inside.astype(bool) & (np.arange(len(inside))[:, None] > y + 0.1 * unit)
        picture[below] = (225, 105, 110)
    assert not has_ink(picture, mesh)
    shut = spoken(picture, mesh, target()).planes
    mouth = shut.y[round(y - 0.1 * unit) : round(y + 0.25 * unit), round(x)]
    assert (mouth < 60).sum() < 0.03 * unit


def test_lips_round_an_o_meet_in_an_even_bow_when_shut() -> None:
    picture, mesh = drawing(chin=0.9)
    picture[:] = SKIN
    (x, y), unit = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int), pose_of(mesh).scale
    for up, across, down, colour in ((0.0, 0.13, 0.17, ROSE), (0.01, 0.11, 0.105, DARK_FILL)):
        axes = round(across * unit), round(down * unit)
        cv2.ellipse(picture, (x, y - round(up * unit)), axes, 0, 0, 360, colour, -1, cv2.LINE_AA)
    rest = SUBJECT.unpack(measure(planes_of(picture), BT601, mesh)).rest
    along, line = np.linspace(-1, 1, len(rest.line)), rest.line[:, 1]
    assert np.abs(line - np.polyval(np.polyfit(along, line, 2), along)).max() < 0.01
    thick = rest.lower_outer[:, 1] - rest.upper_outer[:, 1]
    assert thick[0] < 0.01 and thick[2] < 0.85 * thick[len(thick) // 2]


@pytest.mark.parametrize("line", [0.006, 0.008, 0.012])
def test_teeth_under_a_faint_line_and_a_tongue_are_no_lips(line: float) -> None:
    picture, mesh = drawing(chin=0.9)
    picture[:] = 225, 170, 135
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale

    def oval(up: float, low: float) -> npt.NDArray[np.bool_]:
        above, below = (np.stack([0.2 * ACROSS, high * np.sqrt(1 - ACROSS**2)], 1) for high in (-up, low))
        mask = np.zeros(picture.shape[:2], np.uint8)
        edges = np.vstack([above, below[::-1]]) * unit + [x, y]
        cv2.fillPoly(mask, [np.round(edges * 16).astype(np.int32)], (1,), cv2.LINE_8, 4)
        return mask > 0

    mouth = oval(0.04, 0.2)
    picture[mouth] = DARK_FILL
    rows, columns = np.indices(mouth.shape)
    tongue = np.hypot((columns - x) / 0.14, (rows - y - 0.2 * unit) / 0.11) < unit
    picture[mouth & tongue] = 200, 110, 105
    picture[oval(0.04 - line, 0.04)] = WHITE
    assert has_ink(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8), mesh)


def test_a_beard_between_lips_and_neck_is_no_mouth() -> None:
    assert not has_ink(*bearded(POINTED, (90, 60, 40), (225, 120, 125)))


@pytest.mark.parametrize("tongue", [False, True])
def test_a_smile_in_a_beard_goes_when_it_shuts(tongue: bool) -> None:
    beard = (50, 34, 28)
    picture, mesh = bearded(GRIN, beard, (255, 255, 255))
    y = round(float(mesh[[61, 291], 1].mean()) + 0.1 * pose_of(mesh).scale)
    if tongue:
        below = picture[y:]
        below[(below == 255).all(axis=2)] = (225, 95, 100)
    x, reach = round(float(mesh[[61, 291], 0].mean())), round(0.3 * pose_of(mesh).scale)
    mouth = slice(y - reach // 3, y + reach // 3), slice(x - reach, x + reach)
    assert spoken(picture, mesh, target()).planes.y[mouth].max() < planes_of(np.full((2, 2, 3), beard, np.uint8)).y[0, 0] + 8


def test_a_tongue_from_corner_to_corner_goes_when_the_mouth_shuts() -> None:
    tan = (214, 158, 120)
    picture, mesh = in_one_tone(GRIN, tan, (228, 105, 112))
    dark, _ = in_one_tone((GRIN[0], 0.6 * GRIN[1]), tan, DARK_FILL)
    x, reach = round(float(mesh[[61, 291], 0].mean())), round(0.13 * pose_of(mesh).scale)
    middle = (np.abs(np.arange(picture.shape[1]) - x) < reach) & (dark == DARK_FILL).all(axis=2)
    picture[middle] = DARK_FILL
    before, after = planes_of(picture), spoken(picture, mesh, target()).planes
    skin = int(before.v[0, 0])
    assert before.v.max() > skin + 20
    assert after.v.max() < skin + 12


@pytest.mark.parametrize("skin", [SKIN, BROWN])
def test_teeth_that_are_wider_than_the_dark_below_them_go_when_a_grin_shuts(skin: tuple[int, int, int]) -> None:
    picture, mesh = in_one_tone(GRIN, skin, (95, 30, 35))
    unit, y = pose_of(mesh).scale, float(mesh[[61, 291], 1].mean())
    inside = np.abs(picture.astype(int) - skin).max(axis=2) > 8
    inside[: round(y - 0.1 * unit)] = inside[round(y + 0.07 * unit) :] = False
    picture[inside] = 255
    shut = spoken(picture, mesh, target()).planes.y
    assert shut.max() < int(planes_of(np.full((2, 2, 3), skin, np.uint8)).y[0, 0]) + 6


def in_stripes(
    skin: tuple[int, int, int], *stripes: tuple[tuple[int, int, int], float]
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """A mouth of stripes of a colour each, as wide as the mouth, from above: their heights in S."""
    picture, mesh = drawing("stroke", skin, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = skin
    top = float(y)
    for colour, high in stripes:
        picture[round(top) : round(top + high * unit), x - round(0.17 * unit) : x + round(0.17 * unit)] = colour
        top += high * unit
    return picture, mesh


@pytest.mark.parametrize("below", [(FILL, 0.12), (INK, 0.016)])
@pytest.mark.parametrize("over", [0.014, 0.03])
@pytest.mark.parametrize("skin", [(255, 232, 220), (150, 100, 72)])
def test_the_line_over_teeth_and_what_is_dark_below_them_go_when_the_mouth_shuts(
    skin: tuple[int, int, int], over: float, below: tuple[tuple[int, int, int], float]
) -> None:
    picture, mesh = in_stripes(skin, (INK, over), ((255, 255, 255), 0.06), below)
    unit = pose_of(mesh).scale
    y = round(float(mesh[[61, 291], 1].mean()))
    shut = spoken(picture, mesh, target()).planes.y[y - round(0.05 * unit) : y + round(0.25 * unit)].astype(int)
    bare = planes_of(np.full_like(picture, skin)).y[0, 0]
    assert (np.abs(shut - bare) < 6).mean() > 0.95
    assert shut.max() < bare + 4


def test_a_moustache_over_teeth_is_no_part_of_the_mouth() -> None:
    skin = (255, 232, 220)
    picture, mesh = in_stripes(skin, (INK, 0.08), ((255, 255, 255), 0.05), (FILL, 0.08))
    patch = patch_of(planes_of(picture), BT601, mesh)
    drawn = find(patch.planes, patch.head, patch.pose)
    assert drawn is not None
    assert drawn.open == pytest.approx(0.13, abs=0.01)


@pytest.mark.parametrize("line", [(255, 60, 60), (60, 255, 255)])
def test_lips_of_light_lines_on_black_are_no_mouth_full_of_teeth(line: tuple[int, int, int]) -> None:
    picture, mesh = drawing("outlined", (255, 255, 255), size=480)
    light = (255 - picture.astype(np.float32)) / 255 * line
    glow = 1.3 * cv2.GaussianBlur(light, (0, 0), 0.04 * pose_of(mesh).scale)
    assert not has_ink(np.clip(light + glow, 10, 255).astype(np.uint8), mesh)


@pytest.mark.parametrize(("skin", "line"), [((128, 86, 60), (190, 62, 66)), ((84, 54, 40), (150, 70, 72))])
def test_a_line_as_light_as_the_skin_and_redder_is_a_mouth(skin: tuple[int, int, int], line: tuple[int, int, int]) -> None:
    drawn, mesh = drawing("stroke", (255, 255, 255), thick=0.03, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    drawn[y + round(0.1 * unit) :] = 255
    share = (255 - drawn[..., :1].astype(np.float64)) / (255 - drawn[..., 0].min())
    picture = ((1 - share) * skin + share * line + 0.5).astype(np.uint8)
    subject = measured(planes_of(picture), mesh)
    ink = SUBJECT.unpack(subject).ink
    assert ink is not None
    np.testing.assert_allclose(ink.stroke, line, atol=25)
    opened = spoken(picture, mesh, target(0.14), subject).planes.y
    assert opened[y + round(0.05 * unit), x] < 0.8 * planes_of(picture).y[0, 0]


@pytest.mark.parametrize("ground", [(0, 0, 0), (35, 80, 170)])
def test_a_mouth_of_light_lines_on_dark_opens_as_light_lines_and_nothing_in_them(ground: tuple[int, int, int]) -> None:
    drawn, mesh = drawing("stroke", (255, 255, 255), thick=0.03, size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture = (ground + (255 - drawn.astype(np.float64)) / 255 * np.subtract(250, ground) + 0.5).astype(np.uint8)
    bare = int(planes_of(picture).y[0, 0])
    column = spoken(picture, mesh, target(0.14)).planes.y[y - round(0.12 * unit) : y + round(0.25 * unit), x].astype(int)
    assert abs(column - bare).min() < 3 and column.min() > bare - 3
    light = np.diff((column > bare + 80).astype(int))
    assert (light > 0).sum() == (light < 0).sum() == 2


def test_ink_is_measured_on_the_picture_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    # Strokes of a pencil pass for letters, and the mouth was looked for where they had been taken off.
    picture, mesh = drawing("open")
    bare = planes_of(np.full_like(picture, SKIN))
    monkeypatch.setattr("enhance.render.measure.without_captions", lambda *_: bare)
    assert SUBJECT.unpack(measure(planes_of(picture), BT601, mesh)).ink is not None


def test_a_thin_line_of_teeth_is_no_stroke_of_ink() -> None:
    assert not has_ink(*in_one_tone((GRIN[0], GRIN[0] + 0.05 * (1 - ACROSS**2)), BROWN, (255, 255, 255)))


def lines(luma: Floats, mesh: Floats) -> list[float]:
    """Where ink begins in the middle of the mouth, in S from the line between the lips."""
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    column = luma[y - round(0.2 * unit) : y + round(0.35 * unit), x].astype(int) < 75
    return [float((row - round(0.2 * unit)) / unit) for row in np.flatnonzero(np.diff(column.astype(int)) > 0)]


@pytest.mark.parametrize("fill", [None, LIP])
def test_lips_drawn_in_outline_stay_lips_and_part_at_the_line_between_them(fill: tuple[int, int, int] | None) -> None:
    picture, mesh = drawing("outlined", size=480, fill=fill)
    assert not has_ink(picture, mesh)
    assert len(lines(planes_of(picture).y, mesh)) == 3
    shut = spoken(picture, mesh, target())
    np.testing.assert_allclose(lines(shut.planes.y, mesh), lines(planes_of(picture).y, mesh), atol=0.015)
    upper, *_, lower = lines(spoken(picture, mesh, target(0.14)).planes.y, mesh)
    assert -0.16 < upper < -0.07 and lower > 0.15


def test_clenched_teeth_are_no_lips_in_outline() -> None:
    picture, mesh = drawing("outlined", size=480, fill=(250, 236, 222))
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    for aside in (-0.06, 0.0, 0.06):
        ends = np.round([[x + aside * unit, y - 0.06 * unit], [x + aside * unit, y + 0.08 * unit]]).astype(int)
        cv2.line(picture, ends[0].tolist(), ends[1].tolist(), INK, 2)
    assert has_ink(picture, mesh)


@pytest.mark.parametrize("by", [0.8, 1.3])
def test_lips_in_outline_are_as_wide_as_drawn_however_wide_the_mesh_has_them(by: float) -> None:
    picture, mesh = drawing("outlined", size=480, fill=LIP)
    x = float(mesh[[61, 291], 0].mean())
    mesh[mouth_points(), 0] = x + by * (mesh[mouth_points(), 0] - x)
    y = round(float(mesh[[61, 291], 1].mean()))

    def ends(luma: Floats) -> Floats:
        return np.flatnonzero((luma[y - 3 : y + 3].astype(int) < 90).any(axis=0))[[0, -1]]

    shut, opened = (spoken(picture, mesh, target(opening, width=by * WIDTH)).planes.y for opening in (0.0, 0.14))
    np.testing.assert_allclose(ends(shut), ends(planes_of(picture).y), atol=3)
    # Nothing of the inside is seen beside the line.
    assert np.ptp(ends(opened)) < np.ptp(ends(shut)) + 3


@pytest.mark.parametrize(("skin", "shaded", "fill"), [(SKIN, (140, 45, 55), LIP), (DARK, (180, 66, 62), (225, 110, 104))])
def test_lips_in_outline_of_which_the_upper_one_is_in_shade_stay_lips(
    skin: tuple[int, int, int], shaded: tuple[int, int, int], fill: tuple[int, int, int]
) -> None:
    picture, mesh = drawing("outlined", skin, size=480, fill=fill)
    y = round(float(mesh[[61, 291], 1].mean()))
    picture[:y][np.abs(picture[:y].astype(int) - fill).max(axis=2) < 8] = shaded
    assert not has_ink(picture, mesh)
    before = planes_of(picture).y
    assert len(lines(before, mesh)) == 3
    np.testing.assert_allclose(lines(spoken(picture, mesh, target()).planes.y, mesh), lines(before, mesh), atol=0.015)


def test_a_tongue_with_a_line_round_it_is_no_lower_lip() -> None:
    picture, mesh = drawing("open", size=480, fill=(150, 70, 75))
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    inside = np.abs(picture.astype(int) - (150, 70, 75)).max(axis=2) < 8
    tongue = np.zeros_like(picture)
    middle, half = (x, round(y + 0.14 * unit)), (round(0.11 * unit), round(0.07 * unit))
    cv2.ellipse(tongue, middle, half, 0, 0, 360, (235, 120, 120), -1)
    cv2.ellipse(tongue, middle, half, 0, 0, 360, INK, 3)
    there = inside & tongue.any(axis=2)
    picture[there] = tongue[there]
    assert has_ink(picture, mesh)


def test_painted_lips_that_the_mesh_takes_for_an_open_mouth_stay_as_they_are() -> None:
    picture, mesh = drawing("lips", size=480)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    for ids, by in ((UPPER_INNER, -0.05), (UPPER_OUTER, -0.06), (LOWER_INNER, 0.07), (LOWER_OUTER, 0.08)):
        mesh[list(ids[1:-1]), 1] += by * unit
    before = planes_of(picture).y.astype(int)
    after = spoken(picture, mesh, target()).planes.y.astype(int)
    part = slice(y - round(0.1 * unit), y + round(0.12 * unit)), slice(x - round(0.1 * unit), x + round(0.1 * unit))
    assert np.abs(after[part] - before[part]).mean() < 4


def test_the_corners_of_drawn_lips_are_moved_once_though_both_lips_end_there() -> None:
    picture, mesh = drawing("lips", size=480)
    lips = mouth_points()
    mesh[lips, 0] += 0.2 * (mesh[lips, 0] - mesh[lips, 0].mean())
    patch = on_drawn_lips(patch_of(planes_of(picture), BT601, mesh))
    assert patch is not None
    width = np.ptp(patch.pose.to_plane(patch.head[[61, 291]])[:, 0])
    np.testing.assert_allclose(width, WIDTH + 0.016, atol=0.01)


@pytest.mark.parametrize("outline", [False, True])
def test_painted_lips_are_shut_as_the_subjects_whatever_mouth_a_frame_of_a_film_has(outline: bool) -> None:
    """Unless they are in outline. A portrait (it has edges) shows the subject's own drawing."""
    picture, mesh = drawing("outlined" if outline else "lips", size=480, fill=LIP if outline else None)
    subject = measured(planes_of(picture), mesh)
    (x, y), unit = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int), pose_of(mesh).scale
    frame = np.full_like(picture, SKIN)
    frame[y + round(0.25 * unit) :] = picture[y + round(0.25 * unit) :]
    for colour, radius in ((LIP, 0.09), (DARK_FILL, 0.06)):
        cv2.circle(frame, (x, y), round(radius * unit), colour, -1, cv2.LINE_AA)
    mesh[mouth_points(), 0] = x + 0.5 * (mesh[mouth_points(), 0] - x)
    request = MouthRequest(target(), subject, "flat")
    shut = render(planes_of(frame), BT601, mesh, request)
    part = slice(y - round(0.15 * unit), y + round(0.15 * unit)), slice(x - round(0.2 * unit), x + round(0.2 * unit))
    away = np.abs(shut.planes.y[part].astype(int) - planes_of(picture).y[part]).mean()
    assert away > 8 if outline else away < 3
    portrait = replace(request, edges=Edges.of(np.full((EDGES_SIDE, EDGES_SIDE), 2.0, np.float32), mesh))
    unpainted = replace(portrait, subject=SUBJECT.pack(replace(SUBJECT.unpack(subject), paint=None)))
    before, after = (render(planes_of(frame), BT601, mesh, each).planes.y for each in (unpainted, portrait))
    np.testing.assert_array_equal(after, before)


def test_tiny_lips_open_hardly_higher_than_they_are_wide() -> None:
    picture, mesh = drawing("lips", size=480)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.15 * unit)] = SKIN
    cv2.ellipse(picture, (x, y), (round(0.1 * unit), round(0.04 * unit)), 0, 0, 360, LIP, -1, cv2.LINE_AA)
    cv2.line(picture, (x - round(0.1 * unit), y), (x + round(0.1 * unit), y), INK, 2, cv2.LINE_AA)
    mesh[mouth_points(), 0] = x + 0.2 / WIDTH * (mesh[mouth_points(), 0] - x)
    assert 0.15 < ink_rows(spoken(picture, mesh, target(0.2, width=0.2)), mesh) < 0.24


def test_what_drawn_lips_open_on_is_drawn_in_flat_colours() -> None:
    picture, mesh = drawing("lips", size=480)
    out = spoken(picture, mesh, target(0.16))
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    inside = out.planes.y[round(y - 0.02 * unit) : round(y + 0.14 * unit), round(x - 0.08 * unit) : round(x + 0.08 * unit)]
    kernel = np.ones((3, 3), np.uint8)
    assert (cv2.dilate(inside, kernel) - cv2.erode(inside, kernel) < 3).mean() > 0.5
    # Teeth, tongue and dark, in this order of light.
    assert inside.max() > 220 and inside.min() < 60


def test_a_photograph_has_no_ink() -> None:
    picture = data.astronaut()
    assert not has_ink(picture, MESH)


def test_ink_comes_back_from_subject() -> None:
    values = measure(planes_of(drawing()[0]), BT601, drawing()[1])
    subject = SUBJECT.unpack(values)
    ink = subject.ink
    assert ink is not None
    np.testing.assert_array_equal(SUBJECT.pack(subject), values)
    assert abs(ink.width - WIDTH) < 0.03
    np.testing.assert_allclose(ink.stroke, INK, atol=14)


def test_a_mouth_at_rest_stays_as_it_is_drawn_and_counts_as_rendered() -> None:
    picture, mesh = drawing()
    out = spoken(picture, mesh, target())
    np.testing.assert_array_equal(out.planes.y, planes_of(picture).y)
    assert out.mask.any()


@pytest.mark.parametrize("kind", ["stroke", "open"])
@pytest.mark.parametrize("opening", [0.0, 0.05, 0.2])
def test_outside_the_mask_every_sample_is_as_it_was(kind: str, opening: float) -> None:
    picture, mesh = drawing(kind)
    before, out = planes_of(picture), spoken(picture, mesh, target(opening, 0.3))
    same = out.mask == 0
    assert same.mean() > 0.8
    np.testing.assert_array_equal(out.planes.y[same], before.y[same])
    still = ~any_of_four(~same)
    np.testing.assert_array_equal(out.planes.u[still], before.u[still])
    np.testing.assert_array_equal(out.planes.v[still], before.v[still])


@pytest.mark.parametrize("kind", ["stroke", "open"])
@pytest.mark.parametrize("skin", [SKIN, DARK])
def test_a_wider_opening_is_a_higher_shape_and_closed_is_a_stroke(kind: str, skin: tuple[int, int, int]) -> None:
    picture, mesh = drawing(kind, skin)
    heights = [ink_rows(spoken(picture, mesh, target(g)), mesh, skin) for g in (0.0, 0.06, 0.10, 0.16, 0.25)]
    assert heights[0] < 0.04
    assert all(b > a for a, b in pairwise(heights)), heights
    assert ink_rows(spoken(picture, mesh, target(0.1, press=1.0)), mesh, skin) < 0.04


def test_a_small_open_mouth_of_pure_black_opens_with_a_black_line_round_it() -> None:
    picture, mesh = drawing("open", (255, 255, 255), fill=(0, 0, 0))
    picture = np.where(picture > 127, 255, 0).astype(np.uint8)
    heights = [ink_rows(spoken(picture, mesh, target(g)), mesh, (255, 255, 255)) for g in (0.06, 0.16)]
    assert heights[1] > heights[0] + 0.04, heights


def test_a_rounded_mouth_is_narrower() -> None:
    picture, mesh = drawing()
    y = round(float(mesh[[61, 291], 1].mean()))
    wide, round_ = (np.flatnonzero((spoken(picture, mesh, t).planes.y < 120)[y - 8 : y + 12].any(axis=0)) for t in ROUNDINGS)
    assert np.ptp(round_) < 0.8 * np.ptp(wide)


ROUNDINGS = (target(0.12, 0.36), target(0.12, 0.28, rounding=0.9))


@pytest.mark.parametrize("chin", [0.16, 0.25, 0.4])
def test_no_opening_reaches_the_outline_of_the_chin(chin: float) -> None:
    picture, mesh = drawing(chin=chin)
    unit = pose_of(mesh).scale
    x, y = mesh[[61, 291], :2].mean(axis=0)
    rows = slice(round(y + (chin - 0.03) * unit), round(y + (chin + 0.05) * unit))
    columns = slice(round(x - 0.1 * unit), round(x + 0.1 * unit))
    out = spoken(picture, mesh, target(0.36))
    np.testing.assert_array_equal(out.planes.y[rows, columns], planes_of(picture).y[rows, columns])


def test_a_line_under_the_lower_lip_goes_with_it_and_is_no_chin() -> None:
    picture, mesh = drawing("stroke", size=480)
    plain = spoken(picture, mesh, target(0.2))
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    under = y + round(0.13 * unit)
    cv2.ellipse(picture, (x, under - 8), (round(0.07 * unit), 8), 0, 20, 160, INK, 2, cv2.LINE_AA)
    shut, opened = (spoken(picture, mesh, target(opening)) for opening in (0.0, 0.2))
    np.testing.assert_array_equal(shut.planes.y, planes_of(picture).y)
    column = opened.planes.y[y : y + round(0.33 * unit), x].astype(int)
    dark = np.flatnonzero(np.diff(np.pad(column < 90, 1).astype(int)))
    mouth, line = dark[-4:-2], dark[-2:]
    wide = np.flatnonzero(plain.planes.y[y : y + round(0.3 * unit), x] < 90).max()
    assert mouth[1] == pytest.approx(wide, abs=4)
    assert 0.06 * unit < line[0] - mouth[1] < 0.14 * unit and line[1] - line[0] < 0.04 * unit


def test_all_of_a_line_under_the_lower_lip_goes_with_it_however_near() -> None:
    picture, mesh = drawing("stroke", size=480)
    patch = patch_of(planes_of(picture), BT601, mesh)
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    bare = find(patch.planes, patch.head, patch.pose)
    assert bare is not None
    border = bare.place(np.array([0.0, bare.bottom.max() + NEXT_INK * bare.finer]))
    row = round(y + (border[1] - bare.ends[:, 1].mean()) * patch.pose.scale)
    half = round(0.07 * patch.pose.scale)
    cv2.line(picture, (x - half, row - 4), (x + half, row + 4), INK, 3, cv2.LINE_AA)
    drawn = find(planes_of(picture), patch.head, patch.pose)
    assert drawn is not None
    line = lip_shade(drawn)
    assert line is not None and np.ptp(np.flatnonzero(line.any(axis=0))) > 0.13 * drawn.finer
    # Above a neck in shade it is a chin's.
    picture[row + 6 :] = 0.85 * np.array(SKIN)
    drawn = find(planes_of(picture), patch.head, patch.pose)
    assert drawn is not None
    assert lip_shade(drawn) is None


def test_a_frame_whose_mouth_is_hidden_is_left_alone() -> None:
    picture, mesh = drawing()
    subject = measured(planes_of(picture), mesh)
    hidden = np.full_like(picture, SKIN)
    out = spoken(hidden, mesh, target(0.2), subject)
    assert not out.mask.any()
    np.testing.assert_array_equal(out.planes.y, planes_of(hidden).y)


def test_a_nose_over_a_mouth_that_goes_on_into_the_chin_does_not_speak() -> None:
    picture, mesh = drawing("stroke", size=480)
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    subject = measured(planes_of(picture), mesh)
    shout = (round(x - 0.17 * unit), round(y)), (round(x + 0.17 * unit), round(y + 0.45 * unit))
    cv2.rectangle(picture, *shout, FILL, cv2.FILLED)
    cv2.ellipse(picture, (round(x), round(y - 0.2 * unit)), (round(0.05 * unit), round(0.02 * unit)), 0, 0, 360, INK, -1)
    assert not spoken(picture, mesh, target(0.12), subject).mask.any()


def test_a_muzzle_lighter_than_the_fur_is_no_mouth() -> None:
    picture, mesh = drawing("stroke", size=480)
    (x, y), unit = mesh[[61, 291], :2].mean(axis=0), pose_of(mesh).scale
    picture[:] = 170, 120, 80
    centre, radii = (round(x), round(y - 0.05 * unit)), (round(0.45 * unit), round(0.3 * unit))
    for colour, line in ((WHITE, -1), (INK, 4)):
        cv2.ellipse(picture, centre, radii, 0, 0, 360, colour, line, cv2.LINE_AA)
    low = round(y + 0.05 * unit)
    cv2.ellipse(picture, (round(x), low), (round(0.2 * unit),) * 2, 0, 0, 180, FILL, -1)
    for side in (-0.12, 0.12):
        lip = (round(x + side * unit), low), (round(0.12 * unit), round(0.08 * unit))
        cv2.ellipse(picture, *lip, 0, 0, 180, INK, 4, cv2.LINE_AA)
    cv2.line(picture, (round(x), round(y - 0.3 * unit)), (round(x), low), INK, 4)
    patch = patch_of(planes_of(picture), BT601, mesh)
    drawn = find(patch.planes, patch.head, patch.pose, white=True, shaded=True, no_darker=True)
    assert drawn is None or drawn.width < 0.6


def test_the_same_frame_is_drawn_alike_and_a_moved_one_moves_the_mouth() -> None:
    picture, mesh = drawing()
    subject = measured(planes_of(picture), mesh)
    one = spoken(picture, mesh, target(0.12), subject)
    moved = mesh.copy()
    moved[:, :2] += [6, 4]
    other = spoken(np.roll(picture, (4, 6), (0, 1)), moved, target(0.12), subject)
    part = slice(60, 260)
    shifted = np.roll(one.planes.y, (4, 6), (0, 1))[part, part].astype(int)
    assert np.abs(shifted - other.planes.y[part, part]).max() < 12


def hole() -> npt.NDArray[np.bool_]:
    mask = np.zeros((160, 200), bool)
    mask[76:86, 60:140] = True
    return mask


def test_skin_goes_on_where_ink_was() -> None:
    y, x = np.mgrid[0:160, 0:200]
    picture = np.stack([200 - 0.2 * y - 0.1 * x, 110 + 0.05 * x, np.full(x.shape, 140.0)], axis=-1).astype(np.float32)
    inked = np.where(hole()[..., None], np.float32(20), picture)
    np.testing.assert_allclose(erase(inked, hole()), picture, atol=2)


def test_rings_round_what_is_erased_are_whole_pixels_wide_in_every_call() -> None:
    hole = np.zeros((150, 202), bool)
    hole[60:90, 70:130] = True
    assert (pixels_from(hole)[90:, 70:130] == np.arange(1, 61)[:, None]).all()


def test_what_is_drawn_beside_a_mouth_does_not_run_out_over_the_skin_where_it_was() -> None:
    picture = lit_skin(np.zeros((160, 200)))
    picture[60:76, 50:150] = 30, 128, 128  # a moustache
    assert np.abs(erase(picture, hole()) - lit_skin(np.zeros((160, 200))))[hole()].max() < 3


def test_a_line_that_ends_at_a_mouth_brings_no_other_line_to_where_it_was() -> None:
    skin = lit_skin(np.zeros((160, 200)))
    picture = skin.copy()
    for rows, columns in ((slice(20, 76), slice(98, 102)), (slice(50, 58), slice(30, 170)), (slice(104, 112), slice(30, 170))):
        picture[rows, columns] = 30, 128, 128
    assert np.abs(erase(picture, hole()) - skin)[hole()].max() < 3


def test_a_tone_of_dots_goes_on_where_ink_was() -> None:
    y, x = np.mgrid[0:160, 0:200]
    dots = np.where(((x + y) % 6 < 3) & ((x - y) % 6 < 3), 40, 235).astype(np.float32)
    picture = np.stack([dots, np.full_like(dots, 128), np.full_like(dots, 128)], axis=-1)
    inked = np.where(hole()[..., None], np.float32(20), picture)
    assert (np.abs(erase(inked, hole()) - picture)[..., 0] > 20).mean() < 0.005


def test_skin_that_is_lit_from_the_side_is_not_taken_for_what_is_drawn_beside_a_hole() -> None:
    y, x = np.mgrid[0:160, 0:200]
    mouth = np.hypot((x - 100) / 50, (y - 80) / 20) < 1
    skin = lit_skin(0.75 * (100.0 - x))
    picture = skin.copy()
    picture[(y % 10 < 2) & (np.abs(y - 80) > 28)] = 20, 128, 128  # lines: no piece of skin fits
    picture[mouth] = 20, 128, 128
    assert np.abs(erase(picture, mouth) - skin)[mouth].max() < 4


def lit_skin(shade: Floats) -> Floats:
    """Skin in an even light from one side, `shade` levels darker (160 x 200)."""
    y, x = np.mgrid[0:160, 0:200]
    planes = [200 - 0.2 * y - 0.1 * x - shade, np.full(x.shape, 110.0), np.full(x.shape, 140.0)]
    return np.asarray(np.stack(planes, axis=-1), np.float32)


def test_the_soft_shade_round_a_mouth_is_erased_with_it_and_lips_are_told_from_it() -> None:
    far = cv2.distanceTransform((~hole()).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    unshaded, shaded = lit_skin(np.zeros_like(far)), lit_skin(10 * np.exp(-far / 4))
    shaded[60:140, 170] = 20  # a line that goes on
    grown = with_shade(hole(), shaded, 300)
    erased = erase(shaded, grown)
    assert np.abs(erased - unshaded)[:, :160].max() < 2.5 < np.abs(erase(shaded, hole()) - unshaded)[:, :160].max()
    assert not grown[60:140, 170].any()
    tipped = unshaded.copy()
    tip = np.s_[78:82, hole().any(axis=0).argmax() - 4 : hole().any(axis=0).argmax()]
    tipped[tip] += [-8, 0, 14]
    assert with_shade(hole(), tipped, 300)[tip].all()
    lips = lit_skin(np.where(far < 8, 12, 0).astype(np.float32))
    for picture in (unshaded, lips):
        np.testing.assert_array_equal(with_shade(hole(), picture, 300), hole())
    assert [has_band(hole(), picture, 300) for picture in (unshaded, shaded, lips)] == [False, False, True]
    for nowhere in (np.zeros((160, 200), bool), np.ones((160, 200), bool)):
        np.testing.assert_array_equal(with_shade(nowhere, shaded, 300), nowhere)
        assert not has_band(nowhere, shaded, 300)


WHITE, IRIS, LASH = (255, 255, 255), (70, 120, 200), (50, 30, 45)


def eyes(
    size: int = 480,
    skin: tuple[int, int, int] = SKIN,
    shut: tuple[float, int, int] | None = None,
    white: tuple[int, int, int] = WHITE,
    apart: float = 0,
    outline: bool = False,
    lined: bool = True,
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """A flat face with big drawn eyes, or with the arches of shut ones: their height in S, from and to those degrees.

    apart: S from an eye to its lash line. outline: the line goes all the way round. lined: without a line they have a pupil.
    """
    mesh = placed(size)
    mesh[:, :2] += [0, 0.1 * size]
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    canvas = np.empty((size * FINE, size * FINE, 3), np.uint8)
    canvas[:] = skin
    line = round(0.02 * unit * FINE)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = (round(float(v)) for v in mesh[[*eye[0], *eye[1]], :2].mean(axis=0) * FINE)
        a, b = round(0.14 * unit * FINE), round(0.17 * unit * FINE)
        if shut:
            cv2.ellipse(canvas, (x, y), (a, round(shut[0] * unit * FINE)), 0, *shut[1:], LASH, line, cv2.LINE_AA)
            continue
        cv2.ellipse(canvas, (x, y), (a, b), 0, 0, 360, white, -1, cv2.LINE_AA)
        cv2.ellipse(canvas, (x, y), (round(0.6 * a), round((0.9 if lined else 0.7) * b)), 0, 0, 360, IRIS, -1, cv2.LINE_AA)
        out = round(apart * unit * FINE)
        if not lined:
            cv2.ellipse(canvas, (x, y), (round(0.3 * a), round(0.45 * b)), 0, 0, 360, LASH, -1, cv2.LINE_AA)
            continue
        cv2.ellipse(canvas, (x, y), (a + out, b + out), 0, *((0, 360) if outline else (190, 350)), LASH, line, cv2.LINE_AA)
    return np.asarray(cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA), np.uint8), mesh


def blink(amount: float) -> Floats:
    return np.array([0, 0, 0, 0, 0, 1, amount, amount], np.float32)


@pytest.mark.parametrize("skin", [SKIN, DARK])
@pytest.mark.parametrize("lined", [True, False])
def test_a_shut_drawn_eye_is_skin_and_one_line(skin: tuple[int, int, int], lined: bool) -> None:
    picture, mesh = eyes(skin=skin, lined=lined)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    changed = out[(out != picture).any(axis=2)].astype(float)
    assert len(changed) > 1000
    # No other colour than the two and what lies between them.
    share = ((changed - skin) @ np.subtract(LASH, skin)) / float(np.sum(np.subtract(LASH, skin) ** 2))
    between = np.array(skin) + np.clip(share, 0, 1)[:, None] * np.subtract(LASH, skin)
    assert np.quantile(np.linalg.norm(changed - between, axis=1), 0.999) < 20
    assert (share > 0.9).sum() > 100


@pytest.mark.parametrize("skin", [SKIN, DARK])
def test_eyes_over_blushing_cheeks_shut_and_their_lids_do_not_blush(skin: tuple[int, int, int]) -> None:
    bare, mesh = eyes(skin=skin)
    picture, unit = bare.copy(), float(np.linalg.norm(mesh[263] - mesh[33]))
    for cheek in (RIGHT_CHEEK, LEFT_CHEEK):
        x, y = (round(float(v)) for v in mesh[list(cheek), :2].mean(axis=0))
        cv2.ellipse(picture, (x, y), (round(0.17 * unit), round(0.13 * unit)), 0, 0, 360, (240, 130, 130), -1, cv2.LINE_AA)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    x, y = mesh[[*RIGHT_LIDS[0], *RIGHT_LIDS[1]], :2].mean(axis=0).round().astype(int)
    lid = out[y - round(0.05 * unit) : y, x - 8 : x + 8]
    assert np.abs(lid.astype(int) - skin).max() < 12
    assert not (np.abs(out.astype(int) - IRIS).max(axis=2) < 40).any()


def test_eyes_shut_behind_glasses_and_the_glasses_stay() -> None:
    bare, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    behind = np.full_like(bare, SKIN)
    middles = [mesh[[*eye[0], *eye[1]], :2].mean(axis=0).round().astype(int).tolist() for eye in (RIGHT_LIDS, LEFT_LIDS)]
    reach, thick = round(0.26 * unit), round(0.04 * unit)
    for x, y in middles:
        cv2.circle(behind, (x, y), reach, (200, 225, 235), -1, cv2.LINE_AA)
        cv2.circle(behind, (x, y), reach, LASH, thick, cv2.LINE_AA)
    (x1, y1), (x2, y2) = middles
    cv2.line(behind, (x1 + reach, y1), (x2 - reach, y2), LASH, thick, cv2.LINE_AA)
    eye = np.abs(bare.astype(int) - SKIN).max(axis=2) > 10
    picture = np.where(eye[..., None], bare, behind)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    assert not (np.abs(out.astype(int) - IRIS).max(axis=2) < 40).any()
    beyond = cv2.dilate(eye.astype(np.uint8), np.ones((15, 15))) == 0
    np.testing.assert_array_equal(out[beyond], picture[beyond])


@pytest.mark.parametrize("white", [WHITE, SKIN])
def test_a_lash_line_that_does_not_touch_its_eye_comes_down_with_the_lid(white: tuple[int, int, int]) -> None:
    picture, mesh = eyes(white=white, apart=0.05)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    dark = np.abs(out.astype(int) - LASH).max(axis=2) < 40
    was = np.abs(picture.astype(int) - LASH).max(axis=2) < 40
    assert dark.sum() > 300
    assert np.flatnonzero(dark.any(axis=1)).min() > np.flatnonzero(was.any(axis=1)).max()
    assert not (np.abs(out.astype(int) - IRIS).max(axis=2) < 40).any()


def test_an_outlined_eye_whose_white_is_as_pale_as_the_skin_shuts_as_a_whole() -> None:
    picture, mesh = eyes(white=SKIN, apart=0.03, outline=True)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        points = [*eye[0], *eye[1]]
        mesh[points, 0] += 0.3 * (mesh[points, 0].mean() - mesh[points, 0])  # as narrow as meshes see drawn eyes
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    was, left = ((np.abs(p.astype(int) - LASH).max(axis=2) < 40).sum() for p in (picture, out))
    assert 0 < left < 0.6 * was
    assert not (np.abs(out.astype(int) - IRIS).max(axis=2) < 40).any()


@pytest.mark.parametrize("half", [0.075, 0.04])
def test_eyes_that_are_dots_get_lower_until_they_are_a_line(half: float) -> None:
    picture, mesh = eyes()
    picture[:] = SKIN
    unit = pose_of(mesh).scale
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = np.round(mesh[[*eye[0], *eye[1]], :2].mean(axis=0)).astype(int)
        cv2.ellipse(picture, (x, y), (round(half * unit), round(1.2 * half * unit)), 0, 0, 360, LASH, -1, cv2.LINE_AA)
    left, high = slice(None, round(float(mesh[1, 0]))), []
    for amount in (0.0, 0.5, 1.0):
        dark = np.abs(Animator().move(picture, mesh, blink(amount), "flat").astype(int) - LASH).max(axis=2)[:, left] < 60
        rows, columns = (np.flatnonzero(dark.any(axis=axis)) for axis in (1, 0))
        high.append(int(np.ptp(rows)) + 1)
        assert np.ptp(columns) + 1 == pytest.approx(2 * half * unit, abs=4)
    assert 0.4 < high[1] / high[0] < 0.75 and high[2] < 0.3 * high[0]


@pytest.mark.parametrize(("brow", "apart"), [(0.29, 0), (0.22, 0), (0.27, 0.05)])
def test_brows_stay_where_they_are_when_eyes_shut(brow: float, apart: float) -> None:
    picture, mesh = eyes(apart=apart)
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = mesh[[*eye[0], *eye[1]], :2].mean(axis=0).astype(int)
        high = y - round(brow * unit)
        picture[high - 4 : high, x - round(0.16 * unit) : x + round(0.16 * unit)] = LASH
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    np.testing.assert_array_equal(out[:high], picture[:high])
    assert (out != picture).any()


def test_the_lid_comes_down_with_the_blink() -> None:
    picture, mesh = eyes()
    blue = [
        int((np.abs(Animator().move(picture, mesh, blink(a), "flat").astype(int) - IRIS).max(axis=2) < 30).sum())
        for a in AMOUNTS
    ]
    assert all(b < a for a, b in pairwise(blue)), blue
    assert blue[-1] == 0


AMOUNTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize("arch", [(0.085, 20, 160), (0.05, 200, 340)])
def test_drawn_eyes_that_are_shut_do_not_blink(arch: tuple[float, int, int]) -> None:
    picture, mesh = eyes(shut=arch)
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "flat"), picture)


def test_one_eye_that_cannot_be_read_keeps_both_open() -> None:
    picture, mesh = eyes()
    x, y = mesh[[*RIGHT_LIDS[0], *RIGHT_LIDS[1]], :2].mean(axis=0).astype(int)
    picture[: y + 4, x - 8 : x + 8] = LASH  # a strand of hair over it
    assert style_of(picture, face_box(mesh)) == "flat"
    assert make_drawn_lids(picture, head_frame(mesh)) == ()
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "flat"), picture)


def test_eyes_of_which_one_touches_its_brow_stay_open() -> None:
    picture, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    x, y = mesh[[*RIGHT_LIDS[0], *RIGHT_LIDS[1]], :2].mean(axis=0).astype(int)
    high = y - round(0.42 * unit)
    picture[high : high + 5, x - round(0.14 * unit) : x + round(0.14 * unit)] = LASH
    picture[high:y, x - 2 : x + 2] = LASH
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "flat"), picture)


def test_eyes_that_the_tips_of_hair_touch_shut_and_the_hair_stays() -> None:
    picture, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    middles = [mesh[[*eye[0], *eye[1]], :2].mean(axis=0) for eye in (RIGHT_LIDS, LEFT_LIDS)]
    for x, y in middles:
        tip = (x + 0.1 * unit, y - 0.1 * unit)
        strand = np.round([tip, (tip[0] - 0.1 * unit, 0), (tip[0] + 0.2 * unit, 0)]).astype(np.int32)
        cv2.fillPoly(picture, [strand], (60, 40, 120), cv2.LINE_AA)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    for x, y in middles:
        at = (slice(round(y - 0.05 * unit), round(y)), slice(round(x - 0.05 * unit), round(x + 0.05 * unit)))
        assert np.abs(out[at].astype(int) - SKIN).max() < 12
    changed = np.flatnonzero((out != picture).any(axis=(1, 2)))
    assert changed.min() > middles[0][1] - 0.25 * unit


@pytest.mark.parametrize(("hair", "shuts"), [((150, 150, 170), True), (LASH, False)])
def test_eyes_shut_under_a_fringe_that_stays_unless_their_lashes_are_lost_in_it(
    hair: tuple[int, int, int], shuts: bool
) -> None:
    picture, mesh = eyes(640)
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    whole = np.zeros(picture.shape[:2], np.uint8)
    for x, y in (mesh[[*eye[0], *eye[1]], :2].mean(axis=0) for eye in (RIGHT_LIDS, LEFT_LIDS)):
        strand = np.round(np.array([x, y]) + unit * np.array([[-0.03, -0.1], [-0.3, -0.7], [0.2, -0.7]])).astype(np.int32)
        cv2.fillPoly(picture, [strand], hair, cv2.LINE_AA)
        cv2.polylines(picture, [strand], True, LASH, round(0.012 * unit), cv2.LINE_AA)
        cv2.fillPoly(whole, [strand], (1,))
    drawn = make_drawn_lids(picture, head_frame(mesh), under_hair=True)
    assert make_drawn_lids(picture, head_frame(mesh)) == () and len(drawn) == (2 if shuts else 0)
    if shuts:
        out = Animator().move(picture, mesh, blink(1.0), "flat")
        inside = cv2.erode(whole, np.ones((5, 5), np.uint8)) > 0
        np.testing.assert_array_equal(out[inside], picture[inside])
        assert (np.abs(out.astype(int) - IRIS).max(axis=2) < 12).sum() < 30


def test_the_skin_of_a_shut_eye_has_the_light_of_a_shaded_face() -> None:
    picture, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    light = 1.1 - 0.65 * np.abs(np.arange(picture.shape[1]) - mesh[1, 0])[None, :, None] / unit
    shaded, skin = (np.clip(colour * light, 0, 255).astype(np.uint8) for colour in (picture, np.full_like(picture, SKIN)))
    out = Animator().move(shaded, mesh, blink(1.0), "flat")
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = np.round(mesh[[*eye[0], *eye[1]], :2].mean(axis=0)).astype(int)
        at = (slice(round(y - 0.13 * unit), y), slice(round(x - 0.1 * unit), round(x + 0.1 * unit)))
        assert np.abs(out[at].astype(int) - skin[at]).max() < 10


@pytest.mark.parametrize("read", [True, False])
def test_large_eyes_get_no_photographs_lids_but_drawn_ones_where_they_can_be_read(read: bool) -> None:
    picture, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = np.round(mesh[[*eye[0], *eye[1]], :2].mean(axis=0)).astype(int)
        for radius, colour in ((0.22, WHITE), (0.08, IRIS), (0.045, LASH)):
            cv2.circle(picture, (x, y), round(radius * unit), colour, -1, cv2.LINE_AA)
        if not read:
            cv2.line(picture, (0, y), (len(picture), y), LASH, round(0.15 * unit))
    moved = Animator().move(picture, mesh, blink(1.0), "photo")
    assert (moved.min(axis=2) > 250).sum() < 0.01 * (picture.min(axis=2) > 250).sum() if read else (moved == picture).all()


def test_a_flat_face_gets_no_photographs_lids_where_drawn_ones_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    picture, mesh = eyes()
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    middles = [np.round(mesh[[*eye[0], *eye[1]], :2].mean(axis=0)).astype(int) for eye in (RIGHT_LIDS, LEFT_LIDS)]
    picture[:] = SKIN
    picture[: round(max(y for _, y in middles) - 0.15 * unit)] = np.array(SKIN) - 36  # hair that is nearly as light as the skin
    for x, y in middles:
        for half, high, colour in ((0.14, 0.2, WHITE), (0.13, 0.17, (200, 60, 90)), (0.05, 0.08, (40, 10, 25))):
            cv2.ellipse(picture, (x, y), (round(half * unit), round(high * unit)), 0, 0, 360, colour, -1, cv2.LINE_AA)
    outlines = find_outlines(data.astronaut(), head_frame(MESH))
    monkeypatch.setattr(lids, "find_outlines", lambda *_: outlines)
    assert [type(lid) for lid in make_lids(picture, head_frame(mesh), "flat")] == [DrawnLid, DrawnLid]
