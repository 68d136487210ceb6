"""What a caller of Triton gets from mouth_render_fast and mouth_render_studio for a request that is wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.frame import head_frame
from enhance.geometry.landmarks import CHIN
from enhance.portrait.edges import NO_EDGE
from enhance.portrait.raster import in_pixels, places
from serving.mouth_render import MouthRenderModel
from tests.shells import NAN, answer, configured, floats, refusal

Values = npt.NDArray[Any]
MESH: Values = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)
LUMA: Values = np.asarray(data.astronaut()[..., 1])
GREY: Values = np.full((256, 256), 128, np.uint8)
FRAME = ("Y", "U", "V", "MASK")
OPEN = np.array([0.2, 0.5, *[0.0] * 6, 0.2, 0.5], np.float32)


def opened(quality: str) -> MouthRenderModel:
    model = MouthRenderModel()
    model.initialize(configured(quality=quality))
    return model


@pytest.fixture(scope="module")
def studio() -> MouthRenderModel:
    return opened("studio")


@pytest.fixture(scope="module")
def patch(studio: MouthRenderModel) -> dict[str, Values]:
    """All that a frame needs, its SUBJECT measured in the same picture."""
    inputs = {"Y": LUMA, "U": GREY, "V": GREY, "COLOUR": np.array([0.299, 0.114, 1], np.float32), "MESH": MESH}
    subject = answer(studio, ("SUBJECT",), inputs).output_tensors[0].values
    return inputs | {"SUBJECT": subject, "TARGET": floats(10), "STYLE": np.array([0], np.int32)}


def test_a_frame_is_answered_in_its_own_size(studio: MouthRenderModel, patch: dict[str, Values]) -> None:
    shapes = [tensor.values.shape for tensor in answer(studio, FRAME, patch).output_tensors]
    assert shapes == [(512, 512), (256, 256), (256, 256), (512, 512)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Y": floats(512, 512)}, "expected Y uint8 [height, width], got float32 [512, 512]"),
        ({"Y": np.zeros((0, 512), np.uint8)}, "expected Y uint8 [height, width], got uint8 [0, 512]"),
        ({"U": GREY[:255]}, "expected U [256, 256] beside Y [512, 512], got [255, 256]"),
        ({"V": np.zeros((256, 256, 1), np.uint8)}, "expected V uint8 [height, width], got uint8 [256, 256, 1]"),
        ({"COLOUR": floats(2)}, "expected COLOUR [3] of numbers (kr, kb, full range), got [0.0, 0.0]"),
        ({"COLOUR": np.array([0.6, 0.6, 0])}, "expected COLOUR with 0 < kr, kb, kr + kb < 1 and full range 0 or 1, got"),
        ({"MESH": MESH[:468]}, "expected MESH [478, 3], got [468, 3]"),
        ({"MESH": MESH * NAN}, "expected MESH of finite numbers, got NaN or infinity"),
        ({"MESH": MESH / 50}, "expected a face of at least 8 pixels between the eyes' corners, got 1."),
        ({"STYLE": np.array([2], np.int32)}, "expected STYLE 0 (photo) or 1 (flat drawing), got 2"),
        ({"STYLE": np.array([0, 1], np.int32)}, "expected STYLE [1], got [2]"),
        ({"TARGET": floats(7)}, "expected TARGET [10] of finite numbers, got"),
        ({"TARGET": floats(10, value=NAN)}, "expected TARGET [10] of finite numbers, got"),
        ({"INSIDE": np.zeros(9, np.uint8), "TARGET": OPEN}, "expected INSIDE of 480432 bytes, got 9"),
        ({"INSIDE": np.zeros(480432, np.uint8), "TARGET": OPEN}, "expected INSIDE as this release answers it, marked "),
        ({"MARK": floats(512, 512)}, "expected MARK uint8 [512, 512], got float32 [512, 512]"),
        ({"EDGES": floats(96, 4)}, "expected EDGES [96, 96] of float32, got [96, 4] of float32"),
        ({"EDGES": floats(96, 96, value=NAN)}, "expected EDGES within -2 and 2"),
    ],
)
def test_mouth_render_refuses(
    studio: MouthRenderModel, patch: dict[str, Values], changed: dict[str, Values], message: str
) -> None:
    assert refusal(studio, FRAME, patch | changed).startswith(message)


@pytest.mark.parametrize("name", ["SUBJECT", "TARGET", "STYLE", "MESH", "Y"])
def test_mouth_render_refuses_a_frame_without(studio: MouthRenderModel, patch: dict[str, Values], name: str) -> None:
    inputs = {key: values for key, values in patch.items() if key != name}
    assert refusal(studio, FRAME, inputs) == f"expected the input {name}, got none"


def test_mouth_render_refuses_a_subject_that_it_did_not_measure(studio: MouthRenderModel, patch: dict[str, Values]) -> None:
    subject = patch["SUBJECT"]
    assert refusal(studio, FRAME, patch | {"SUBJECT": subject[:-1]}).startswith(f"expected SUBJECT [{len(subject)}], got")
    assert refusal(studio, FRAME, patch | {"SUBJECT": subject * 0}).startswith(
        "expected SUBJECT as this release answers it, marked "
    )


def test_mouth_render_refuses_lenders_that_it_did_not_make(studio: MouthRenderModel, patch: dict[str, Values]) -> None:
    (lender,) = (tensor.values for tensor in answer(studio, ("LENDER",), patch).output_tensors)
    for lenders, message in (
        (np.zeros((1, 9), np.uint8), "expected LENDERS uint8 [k, 616368], got uint8 [1, 9]"),
        (floats(1, 616368), "expected LENDERS uint8 [k, 616368], got float32 [1, 616368]"),
        (lender[None] * 0, "expected LENDERS as this release answers it, marked "),
    ):
        assert refusal(studio, ("INSIDE",), patch | {"LENDERS": lenders}).startswith(message)
    assert refusal(studio, ("INSIDE",), patch) == "expected the input LENDERS, got none"


@pytest.mark.parametrize("quality", ["fast", "balanced", "studio"])
def test_an_inside_is_merged_and_shown(quality: str, patch: dict[str, Values]) -> None:
    model = opened(quality)
    (lender,) = (tensor.values for tensor in answer(model, ("LENDER",), patch).output_tensors)
    (inside,) = (tensor.values for tensor in answer(model, ("INSIDE",), patch | {"LENDERS": lender[None]}).output_tensors)
    asked = patch | {"TARGET": OPEN}
    drawn, own = (answer(model, FRAME, sent).output_tensors for sent in (asked, asked | {"INSIDE": inside}))
    assert not np.array_equal(drawn[0].values, own[0].values)


def test_a_mark_is_taken_off_and_laid_back_over_the_new_mouth(studio: MouthRenderModel, patch: dict[str, Values]) -> None:
    asked = patch | {"TARGET": OPEN}
    share = np.zeros((512, 512))
    for x in range(200, 280, 12):
        share[100:170, x : x + 5] = 0.4
    mark = np.rint(128 + 127 * share).astype(np.uint8)
    under = np.rint((1 - share) * LUMA + 255 * share).astype(np.uint8)
    bare, mixed = (answer(studio, FRAME, sent).output_tensors for sent in (asked, asked | {"Y": under, "MARK": mark}))
    expected = (1 - share) * bare[0].values + 255 * share
    assert (bare[3].values[share > 0] > 0).any()
    assert np.abs(mixed[0].values - expected).max() < 12
    np.testing.assert_array_equal(mixed[0].values[mixed[3].values == 0], under[mixed[3].values == 0])


@pytest.mark.parametrize("opening", [0.0, 0.22])
def test_a_round_portrait_keeps_its_edge_when_the_jaw_moves(opening: float) -> None:
    portrait, frame = data.astronaut(), head_frame(MESH)
    radius = 1.3 * frame.unit
    middle = MESH[CHIN, :2] - [0, radius - 0.1 * frame.unit]
    away = np.hypot(*(np.mgrid[:512, :512] - middle[::-1, None, None])) - radius
    portrait[away >= 0] = 255
    model = opened("fast")
    inputs: dict[str, Values] = {"RGB": portrait, "MESH": MESH, "STYLE": np.array([0], np.int32)}
    (subject,) = (tensor.values for tensor in answer(model, ("SUBJECT",), inputs).output_tensors)
    target = np.array([opening, 0.5, *[0.0] * 6, opening, 0.5], np.float32)
    inputs |= {"SUBJECT": subject, "TARGET": target}
    x, y = in_pixels(frame, *places(frame))
    distances = (radius - np.hypot(x - middle[0], y - middle[1])) / frame.unit
    edges = np.clip(distances, -NO_EDGE, NO_EDGE).astype(np.float32)
    bent, held, free = (
        answer(model, ("RGB",), inputs | sent).output_tensors[0].values.astype(int)
        for sent in ({}, {"EDGES": edges}, {"EDGES": np.full_like(edges, NO_EDGE)})
    )
    assert np.abs(bent - portrait)[away > -1].max() > 60
    assert np.abs(held - portrait)[away > -1].max() < 5
    np.testing.assert_array_equal(free, bent)
    lips = np.s_[int(MESH[0, 1]) : int(MESH[17, 1]), int(MESH[61, 0]) : int(MESH[291, 0])]
    np.testing.assert_array_equal(held[lips], bent[lips])
