"""What a caller of `mouth_render_*` gets: for planes, for a still's RGB, and for a request that is wrong."""

from typing import Any
from unittest.mock import Mock

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.head import pose_of
from enhance.geometry.landmarks import face_box
from enhance.render.compose import see
from enhance.render.drawn.outlines import is_posterised
from enhance.render.patch import patch_of
from enhance.render.still import STILL_COLOURS, planes_of_rgb
from enhance.render.subject import SUBJECT
from enhance.style import style_of
from serving.mouth_render import MouthRenderModel
from tests.drawings import smoothed
from tests.shells import NAN, answer, configured, floats, refusal
from tests.test_render import MESH, astronaut, target
from tests.test_render_drawn import drawing

Values = npt.NDArray[Any]
SIDE = 146
PLANES, STILL = ("Y", "U", "V", "MASK"), ("RGB", "MASK")
NUMBER = np.array([0], np.int32)


def model(quality: str = "fast") -> MouthRenderModel:
    opened = MouthRenderModel()
    opened.initialize(configured(quality=quality))
    return opened


def coded() -> dict[str, Values]:
    planes, _ = astronaut()
    return {"Y": planes.y, "U": planes.u, "V": planes.v, "COLOUR": np.array([0.299, 0.114, 0], np.float32)}


def asked(opening: float = 0.15) -> dict[str, Values]:
    """All that a request holds beside the patch, its SUBJECT measured by the model itself."""
    _, mesh = astronaut()
    rest: dict[str, Values] = {"MESH": mesh, "TARGET": target(opening), "STYLE": NUMBER, "SUBJECT": floats(SUBJECT.size)}
    (subject,) = answer(model(), ("SUBJECT",), {**coded(), **rest}).output_tensors
    return {**rest, "SUBJECT": subject.values}


def still() -> npt.NDArray[np.uint8]:
    """The patch of astronaut(), as the still has it."""
    _, mesh = astronaut()
    left, top = np.round((MESH - mesh)[0, :2]).astype(int)
    return np.asarray(data.astronaut()[top : top + SIDE, left : left + SIDE], np.uint8)


def test_a_patch_comes_back_as_it_came() -> None:
    in_planes = answer(model(), PLANES, {**coded(), **asked()})
    shapes = [(tensor.name, tensor.values.shape) for tensor in in_planes.output_tensors]
    assert shapes == [("Y", (SIDE, SIDE)), ("U", (SIDE // 2,) * 2), ("V", (SIDE // 2,) * 2), ("MASK", (SIDE, SIDE))]
    in_rgb = answer(model(), STILL, {"RGB": still(), **asked()})
    assert [(tensor.name, tensor.values.shape) for tensor in in_rgb.output_tensors] == [
        ("RGB", (SIDE, SIDE, 3)),
        ("MASK", (SIDE, SIDE)),
    ]


def test_a_still_is_rendered_as_its_planes_are_and_keeps_every_pixel_beside_the_mask() -> None:
    planes = planes_of_rgb(still())
    full: dict[str, Values] = {"Y": planes.y, "U": planes.u, "V": planes.v, "COLOUR": np.array([0.2126, 0.0722, 1], np.float32)}
    *parts, expected = (tensor.values for tensor in answer(model(), PLANES, {**full, **asked()}).output_tensors)
    rgb, mask = (tensor.values for tensor in answer(model(), STILL, {"RGB": still(), **asked()}).output_tensors)
    np.testing.assert_array_equal(mask, expected)
    assert 0 < (mask > 0).mean() < 1
    np.testing.assert_array_equal(rgb[mask == 0], still()[mask == 0])
    # Where neither end of the range was met, luma changed by what it changed in the planes, rounding apart.
    luma = np.array([0.2126, 0.7152, 0.0722])
    inner = (mask > 0) & (rgb.min(axis=2) > 0) & (rgb.max(axis=2) < 255)
    change = (rgb @ luma - still() @ luma)[inner]
    assert np.abs(change - (parts[0].astype(float) - planes.y)[inner]).max() <= 1


def faces() -> dict[str, tuple[dict[str, Values], npt.NDArray[np.uint8], Values]]:
    """Of a photograph and of a drawing: the patch and its mesh, the picture and the box of its face."""
    drawn, mesh = drawing("open", size=384)
    photo = {**coded(), "MESH": asked()["MESH"]}, np.asarray(data.astronaut()), face_box(MESH)
    return {"photo": photo, "flat": ({"RGB": drawn, "MESH": mesh}, drawn, face_box(mesh))}


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("name", "number"), [("photo", 0), ("flat", 1)])
def test_style_is_told_beside_the_subject(name: str, number: int, channels: int) -> None:
    patch, picture, box = faces()[name]
    face = picture if channels == 3 else picture[..., 1:2]
    inputs = {**asked(), **patch, "FACE": face, "BOX": np.asarray(box, np.float32)}
    subject, style = (tensor.values for tensor in answer(model(), ("SUBJECT", "STYLE"), inputs).output_tensors)
    assert style.dtype == np.int32
    assert style.tolist() == [number]
    (alone,) = answer(model(), ("SUBJECT",), {**asked(), **patch}).output_tensors
    np.testing.assert_array_equal(subject, alone.values)


@pytest.mark.parametrize("channels", [1, 3])
def test_a_smoothed_photograph_is_no_drawing(channels: int) -> None:
    picture = smoothed(data.astronaut())
    inputs = {**asked(), "RGB": picture, "MESH": MESH, "FACE": picture[..., 3 - channels :], "BOX": face_box(MESH)}
    assert style_of(picture, face_box(MESH)) == "flat"  # by its skin alone
    (style,) = answer(model(), ("STYLE",), inputs).output_tensors
    assert style.values.tolist() == [0]


def test_a_drawing_in_areas_of_one_tone_is_no_photograph_in_few_colours_where_hair_lies_round_its_mouth() -> None:
    picture, mesh = drawing("open", size=384)
    unit, (x, y) = pose_of(mesh).scale, np.round(mesh[[61, 291], :2].mean(axis=0)).astype(int)
    for away in np.linspace(0.05, 0.2, 4):
        axes = round((0.17 + away) * unit), round((0.12 + away) * unit)
        cv2.ellipse(picture, (x, y + round(0.06 * unit)), axes, 0, 0, 360, (90, 60, 40), 4, cv2.LINE_AA)
    assert is_posterised(patch_of(planes_of_rgb(picture), STILL_COLOURS, mesh))  # by the skin round the mouth alone
    inputs = {**asked(), "RGB": picture, "MESH": mesh, "FACE": picture, "BOX": np.asarray(face_box(mesh), np.float32)}
    (style,) = answer(model(), ("STYLE",), inputs).output_tensors
    assert style.values.tolist() == [1]


FACE = {"FACE": np.zeros((8, 8, 3), np.uint8), "BOX": np.array([0, 0, 8, 8], np.float32)}


def test_a_portrait_is_seen_once_and_its_frames_are_as_if_each_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = Mock(side_effect=see)
    monkeypatch.setattr("serving.mouth_render.see", looks)
    one, first = model(), {"RGB": still(), **asked()}
    darker, other = (np.array(first[name]) for name in ("RGB", "SUBJECT"))
    darker[100, 70] -= 9
    other[-1] += 0.1
    changes: list[dict[str, Values]] = [
        {"TARGET": target(0.3)},
        {"RGB": darker},
        {"MESH": first["MESH"] + 0.5},
        {"SUBJECT": other},
    ]
    for request, more in [(first, 1), *((first | change, int("TARGET" not in change)) for change in changes), (first, 1)]:
        before = looks.call_count
        frame = [tensor.values.copy() for tensor in answer(one, STILL, request).output_tensors]
        assert looks.call_count - before == more
        for values, alone in zip(frame, answer(model(), STILL, request).output_tensors, strict=True):
            np.testing.assert_array_equal(values, alone.values)


@pytest.mark.parametrize(
    ("wanted", "inputs", "message"),
    [
        (PLANES, {}, "expected the input Y, got none"),
        (PLANES, {"RGB": still()}, "expected RGB, MASK asked for, as the patch came, got U, V, Y"),
        (STILL, coded(), "expected Y, U, V, MASK asked for, as the patch came, got RGB"),
        (STILL, {**coded(), "RGB": still()}, "expected RGB, or Y, U, V and COLOUR, got RGB and Y, U, V, COLOUR"),
        (
            STILL,
            {"RGB": np.zeros((5, 4, 3), np.uint8)},
            "expected RGB uint8 [height, width, 3] with even sides, got uint8 [5, 4, 3]",
        ),
        (PLANES, {**coded(), "U": np.zeros((4, 4), np.uint8)}, "expected U [73, 73] beside Y [146, 146], got [4, 4]"),
        (PLANES, {**coded(), "COLOUR": floats(3, value=NAN)}, "expected COLOUR [3] of numbers (kr, kb, full range)"),
        (PLANES, {**coded(), "STYLE": np.array([2], np.int32)}, "expected STYLE 0 (photo) or 1 (flat drawing), got 2"),
        (PLANES, {**coded(), "TARGET": floats(7)}, "expected TARGET [10] of finite numbers"),
        (PLANES, {**coded(), "SUBJECT": floats(9)}, f"expected SUBJECT [{SUBJECT.size}], got [9]"),
        (("STYLE",), coded(), "expected the input FACE, got none"),
        (
            ("STYLE",),
            {**coded(), **FACE, "FACE": np.zeros((8, 8, 2), np.uint8)},
            "expected FACE uint8 [height, width, 1 or 3], got uint8 [8, 8, 2]",
        ),
        (("STYLE",), {**coded(), **FACE, "BOX": floats(4)}, "expected BOX x1, y1, x2, y2 with x1 < x2 and y1 < y2"),
        (("STYLE",), {**coded(), **FACE, "BOX": floats(4, value=NAN)}, "expected BOX x1, y1, x2, y2 with x1 < x2"),
    ],
)
def test_a_wrong_request_is_told_what_was_expected(wanted: tuple[str, ...], inputs: dict[str, Values], message: str) -> None:
    assert refusal(model(), wanted, {**asked(), **inputs}).startswith(message)
