"""Faces that are drawn in outline and painted inside it: shades and the grain of paper on skin, and still a mouth of ink."""

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.head import pose_of
from enhance.geometry.landmarks import face_box
from enhance.geometry.planes import Colours
from enhance.picture import LUMA
from enhance.portrait.animate import Animator
from enhance.render.drawn.ink import Ink
from enhance.render.drawn.outlines import JAW, has_lines, in_outline
from enhance.render.patch import patch_of
from enhance.render.subject import SUBJECT
from enhance.style import STYLES, style_of
from serving.mouth_render import MouthRenderModel
from tests.shells import answer, configured
from tests.test_render import measured
from tests.test_render_drawn import FILL, INK, IRIS, LASH, MESH, Floats, blink, drawing, eyes, planes_of, spoken, target

BT601 = Colours(0.299, 0.114, False)
Picture = npt.NDArray[np.uint8]


def with_jaw(picture: Picture, mesh: Floats, ink: tuple[int, int, int] = INK) -> Picture:
    out = picture.copy()
    cv2.polylines(out, [np.round(mesh[list(JAW), :2] * 16).astype(np.int32)], False, ink, 3, cv2.LINE_AA, 4)
    return out


def painted(picture: Picture) -> Picture:
    """In shade to one side, on rough paper."""
    height, width = picture.shape[:2]
    grain = cv2.GaussianBlur(np.random.default_rng(2).normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1.2)
    light = np.linspace(1.0, 0.75, width)[None] * (1 + 0.025 * grain / grain.std())
    return np.asarray(np.clip(picture * light[..., None], 0, 255), np.uint8)


def is_drawn(picture: Picture, mesh: Floats) -> bool:
    return in_outline(patch_of(planes_of(picture), BT601, mesh))


def ink_of(picture: Picture, mesh: Floats) -> Ink | None:
    return SUBJECT.unpack(measured(planes_of(picture), mesh)).ink


@pytest.mark.parametrize("blur", [1, 2, 3])
def test_a_mouth_that_is_a_line_was_drawn_however_soft_and_lips_were_not(blur: int) -> None:
    for kind, lines in (("stroke", True), ("lips", False)):
        picture, mesh = drawing(kind, size=384, chin=0.9)
        soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8)
        assert has_lines(patch_of(planes_of(soft), BT601, mesh)) == lines


def with_moustache(picture: Picture, mesh: Floats) -> Picture:
    """Over the mouth and down beside it."""
    unit, middle, out = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0), picture.copy()
    for left, right, bottom in ((-0.32, 0.32, -0.05), (-0.32, -0.22, 0.12), (0.22, 0.32, 0.12)):
        corners = np.round(middle + unit * np.array([[left, -0.12], [right, bottom]])).astype(int).tolist()
        cv2.rectangle(out, corners[0], corners[1], INK, -1)
    return out


def test_a_line_under_a_moustache_is_a_mouth_on_smooth_skin() -> None:
    picture, mesh = drawing("stroke", size=240)
    hairy = with_moustache(picture, mesh)
    assert ink_of(hairy, mesh) is not None
    assert is_drawn(hairy, mesh)


@pytest.mark.parametrize("kind", ["stroke", "open"])
def test_a_painted_face_with_lines_for_jaw_and_mouth_speaks_with_ink(kind: str) -> None:
    picture, mesh = drawing(kind, size=480)
    picture = painted(with_jaw(picture, mesh))
    assert style_of(picture, face_box(mesh)) == "photo"
    assert is_drawn(picture, mesh) and ink_of(picture, mesh) is not None


def test_such_a_face_is_rendered_as_a_drawing() -> None:
    model = MouthRenderModel()
    model.initialize(configured(quality="fast"))
    picture, mesh = drawing(size=220, chin=0.9)
    for seen, style in ((painted(picture), "photo"), (painted(with_jaw(picture, mesh)), "flat")):
        inputs = {"RGB": seen, "MESH": mesh, "FACE": seen, "BOX": face_box(mesh)}
        (answered,) = answer(model, ("STYLE",), inputs).output_tensors
        assert STYLES[int(answered.values[0])] == style


def in_few_colours() -> Picture:
    """The face of MESH, three times as large, posterised; the rest is black."""
    left, top, right, bottom = (face_box(MESH) + np.array([-30, -30, 30, 30])).astype(int)
    face = cv2.resize(data.astronaut()[top:bottom, left:right], None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    out = np.zeros((1536, 1536, 3), np.uint8)
    few = cv2.medianBlur(cv2.bilateralFilter(face, 9, 40, 9), 7) // 64 * 64 + 32
    out[3 * top : 3 * bottom, 3 * left : 3 * right] = few
    return out


def test_a_photograph_in_few_colours_is_rendered_as_a_photograph_and_a_flat_drawing_is_not() -> None:
    few = in_few_colours()
    model = MouthRenderModel()
    model.initialize(configured(quality="fast"))
    for seen, mesh, style in ((few, MESH * 3, "photo"), (*drawing("open", size=480), "flat")):
        assert style_of(seen, face_box(mesh)) == "flat"
        inputs = {"RGB": seen, "MESH": mesh, "FACE": seen, "BOX": face_box(mesh)}
        (answered,) = answer(model, ("STYLE",), inputs).output_tensors
        assert STYLES[int(answered.values[0])] == style


def test_a_mouth_whose_lower_edge_ends_in_shade_is_no_outline_where_half_of_the_jaw_is_a_line() -> None:
    picture, mesh = drawing("open", size=220, chin=0.9)
    cv2.polylines(picture, [np.round(mesh[list(JAW[: len(JAW) * 5 // 9]), :2]).astype(np.int32)], False, INK, 3, cv2.LINE_AA)
    shaded, lower = picture.copy(), slice(round(float(mesh[[61, 291], 1].mean())) + 2, round(float(mesh[152, 1])) - 10)
    shaded[lower] = cv2.GaussianBlur(picture, (0, 0), 1.5)[lower]
    assert is_drawn(painted(picture), mesh) and not is_drawn(painted(shaded), mesh)


def test_a_large_mouth_that_is_drawn_all_round_needs_no_jaw() -> None:
    for kind in ("stroke", "open"):
        picture, mesh = drawing(kind, size=480, chin=0.9)
        assert is_drawn(painted(picture), mesh)
    picture, mesh = drawing(size=220, chin=0.9)
    assert not is_drawn(painted(picture), mesh)


def test_a_closed_mouth_that_is_a_soft_line_without_lips_is_a_drawings() -> None:
    picture, mesh = drawing("stroke", size=320, chin=0.9)
    soft = np.asarray(cv2.GaussianBlur(painted(picture), (0, 0), 0.9), np.uint8)
    assert is_drawn(soft, mesh)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    shape = np.zeros(soft.shape[:2], np.float32)
    cv2.ellipse(shape, (x, y), (round(0.17 * unit), round(0.07 * unit)), 0, 0, 360, (1.0,), -1)
    lips = np.where(cv2.GaussianBlur(shape, (0, 0), 1)[..., None] > 0.5, 0.9 * soft, soft)  # a little darker than the skin
    lips[..., 1:] = np.where(shape[..., None] > 0, 0.9 * lips[..., 1:], lips[..., 1:])
    assert not is_drawn(np.asarray(lips, np.uint8), mesh)


def test_soft_edges_are_a_drawings_where_a_line_goes_along_the_whole_jaw_and_skin_is_smooth() -> None:
    picture, mesh = drawing("lips", size=320, chin=0.9)
    soft = cv2.GaussianBlur(painted(with_jaw(picture, mesh)), (0, 0), 2)
    assert is_drawn(np.asarray(soft, np.uint8), mesh)
    grain = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, soft.shape[:2]), (0, 0), 2)[..., None]
    rough = soft + 4 * grain / grain.std()
    assert not is_drawn(np.clip(rough, 0, 255).astype(np.uint8), mesh)
    without = cv2.GaussianBlur(painted(picture), (0, 0), 2)
    assert not is_drawn(np.asarray(without, np.uint8), mesh)


def test_skin_that_is_rough_in_light_is_no_drawings_in_the_dark_and_smooth_skin_is() -> None:
    picture, mesh = drawing("open", size=480, chin=0.9)
    grain = cv2.GaussianBlur(np.random.default_rng(2).normal(0, 1, picture.shape[:2]).astype(np.float32), (0, 0), 1.2)
    for amount, smooth in ((0.03, True), (0.1, False)):
        rough = picture * (1 + amount * grain / grain.std())[..., None]
        for light in (0.6, 0.3):
            assert is_drawn(np.clip(light * rough, 0, 255).astype(np.uint8), mesh) == smooth


def test_painted_lips_alone_are_not_in_outline() -> None:
    picture, mesh = drawing("lips", size=480, chin=0.9)
    assert not is_drawn(painted(picture), mesh)
    assert is_drawn(painted(with_jaw(picture, mesh)), mesh)  # but the face may be


@pytest.mark.parametrize("lips", [False, True])
def test_a_large_open_mouth_without_lips_or_a_line_is_a_drawings(lips: bool) -> None:
    picture, mesh = drawing("stroke", (245, 200, 175), size=640, chin=0.9)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = picture[y - round(0.15 * unit), x]
    if lips:
        cv2.ellipse(picture, (x, y - 8), (round(0.22 * unit), round(0.23 * unit)), 0, 0, 180, (205, 120, 120), -1)
    cv2.ellipse(picture, (x, y), (round(0.18 * unit), round(0.16 * unit)), 0, 0, 180, (70, 15, 25), -1)
    cv2.ellipse(picture, (x, y), (round(0.15 * unit), round(0.05 * unit)), 0, 0, 180, (240, 236, 228), -1)
    cv2.ellipse(picture, (x, y + round(0.115 * unit)), (round(0.06 * unit), round(0.045 * unit)), 0, 0, 360, (225, 95, 105), -1)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.5), np.uint8)
    # Shaded from above on one side, as 3D animation is, and a little rough.
    rows, columns = np.indices(picture.shape[:2]) / 640
    grain = cv2.GaussianBlur(np.random.default_rng(2).normal(0, 1, rows.shape).astype(np.float32), (0, 0), 1.2)
    light = (1.1 - 0.6 * rows - 0.15 * columns) * (1 + 0.004 * grain / grain.std())
    picture = np.asarray(np.clip(picture * light[..., None], 0, 255), np.uint8)
    assert is_drawn(picture, mesh) != lips


@pytest.mark.parametrize("light", [(245, 190, 157), (246, 245, 243)])
def test_lit_lips_round_a_dark_line_are_no_open_mouth_with_teeth(light: tuple[int, int, int]) -> None:
    skin = (205, 160, 130)
    picture, mesh = drawing("stroke", skin, size=640, chin=0.9)
    unit = pose_of(mesh).scale
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    picture[y - round(0.1 * unit) : y + round(0.1 * unit)] = skin
    cv2.ellipse(picture, (x, y), (round(0.2 * unit), round(0.09 * unit)), 0, 0, 360, light, -1)
    cv2.ellipse(picture, (x, y), (round(0.19 * unit), round(0.025 * unit)), 0, 0, 360, (110, 70, 60), -1)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.5), np.uint8)
    is_white = min(light) > 240
    assert is_drawn(picture, mesh) == is_white and (ink_of(picture, mesh) is not None) == is_white


@pytest.mark.parametrize("side", [0.5, 1.0, 2.0])
def test_a_photograph_is_not_drawn_in_outline_however_sharp_it_was_made(side: float) -> None:
    how = cv2.INTER_AREA if side < 1 else cv2.INTER_CUBIC
    picture = cv2.resize(data.astronaut(), None, fx=side, fy=side, interpolation=how)
    sharp = np.clip(2 * picture.astype(np.float32) - cv2.GaussianBlur(picture, (0, 0), 1.5), 0, 255).astype(np.uint8)
    hard = np.clip((picture.astype(np.float32) - 128) * 1.9 + 128, 0, 255).astype(np.uint8)
    mesh = MESH * np.float32(side)
    for each in (picture, sharp, hard):
        assert not is_drawn(np.ascontiguousarray(each), mesh)


@pytest.mark.parametrize(("side", "period"), [(1, 5), (2, 6)])
def test_a_photograph_printed_in_dots_is_no_drawing(side: int, period: int) -> None:
    grey = cv2.resize(data.astronaut(), None, fx=side, fy=side, interpolation=cv2.INTER_CUBIC).mean(axis=2) / 255
    down, across = 2 * np.pi / period * np.indices(grey.shape)
    dots = np.cos(across + down) + np.cos(across - down)  # -2..2
    printed = 40 + 180 * np.clip(4 * (grey - dots / 4) - 1.5, 0, 1)
    picture = np.repeat(printed[..., None], 3, axis=2).astype(np.uint8)
    mesh = MESH * np.float32(side)
    assert not in_outline(patch_of(planes_of(picture), BT601, mesh))
    assert ink_of(picture, mesh) is None


def test_the_dark_of_a_grin_is_not_the_grey_of_the_lines_between_its_teeth() -> None:
    picture, mesh = drawing("open", size=480, fill=(250, 245, 235))
    x, y = np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    unit = pose_of(mesh).scale
    inside = np.abs(picture.astype(int) - (250, 245, 235)).max(axis=2) < 8
    lines = np.zeros(inside.shape, bool)
    for at in range(-4, 5):
        lines[:, x + round(at * 0.035 * unit) :][:, :5] = True
    picture[inside & lines & (np.arange(len(picture))[:, None] > y)] = (150, 140, 130)
    ink = ink_of(picture, mesh)
    assert ink is not None and float(LUMA @ ink.fill) < 90
    assert ink.fill[0] > 1.6 * ink.fill[1]  # the red dark of a mouth, as where a drawing shows none


def test_a_thin_black_line_round_a_red_mouth_stays_black() -> None:
    picture, mesh = drawing("open", size=960, thick=0.004)
    ink = ink_of(picture, mesh)
    assert ink is not None and np.abs(ink.fill - FILL).max() < 15
    assert abs(float(LUMA @ ink.stroke) - float(LUMA @ np.array(INK))) < 30


def test_a_line_with_gaps_still_goes_round_the_whole_mouth() -> None:
    picture, mesh = drawing("open", size=480, fill=(255, 255, 255), skin=(255, 240, 215))
    unit, (x, y) = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0)
    gap = slice(round(x - 0.03 * unit), round(x + 0.03 * unit))
    below = slice(round(y + 0.10 * unit), round(y + 0.25 * unit))
    picture[below, gap][picture[below, gap].min(axis=2) < 160] = (255, 240, 215)
    out = spoken(picture, mesh, target(0.0))
    left = out.planes.y[round(y + 0.03 * unit) : round(y + 0.2 * unit), round(x - 0.15 * unit) : round(x + 0.15 * unit)]
    assert left.max() < planes_of(picture).y[4, 4] + 4


def test_the_line_round_an_open_mouth_is_darker_than_what_it_encloses() -> None:
    picture, mesh = drawing(size=160, thick=0.012)
    unit, (x, y) = pose_of(mesh).scale, mesh[[61, 291], :2].mean(axis=0)
    ink = ink_of(picture, mesh)
    assert ink is not None and float(LUMA @ ink.stroke) > float(LUMA @ ink.fill)  # less than a pixel across
    column = spoken(picture, mesh, target(0.25)).planes.y[round(y - 0.1 * unit) : round(y + 0.25 * unit), round(x)].astype(int)
    dark = np.flatnonzero(column < column.min() + 12)
    middle = column[len(column) // 2]
    assert column.min() < middle and dark.size


@pytest.mark.parametrize("side", [1, 3])
def test_where_drawn_eyes_cannot_be_read_a_painted_face_blinks_as_a_painting(side: int) -> None:
    picture, mesh = (in_few_colours() if side == 3 else data.astronaut()), MESH * np.float32(side)
    flat, photo = (Animator().move(picture, mesh, blink(1.0), style) for style in ("flat", "photo"))
    assert (photo != picture).any()
    np.testing.assert_array_equal(flat, photo)


def test_drawn_eyes_on_shaded_and_grainy_skin_shut() -> None:
    picture, mesh = eyes()
    light = np.linspace(1.1, 0.6, len(picture))[:, None, None]
    picture = np.clip(painted(picture) * light, 0, 255).astype(np.uint8)
    out = Animator().move(picture, mesh, blink(1.0), "flat")
    assert not (np.abs(out.astype(int) - IRIS).max(axis=2) < 60).any()
    half = out.shape[1] // 2
    lashes = [(np.abs(part.astype(int) - LASH).max(axis=2) < 40).sum() for part in (out[:, :half], out[:, half:])]
    assert min(lashes) > 100
