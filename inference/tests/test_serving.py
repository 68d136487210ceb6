"""What a caller of Triton gets for a request that is wrong: the shells of serving/, called as Triton calls them."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.face.state import STATE
from enhance.geometry.landmarks import PLAN_POINTS
from enhance.portrait.edges import NO_EDGE
from enhance.speech.features import HOP
from serving.face_track import FaceTrackModel
from serving.head_motion import HeadMotionModel
from serving.mouth_plan import MouthPlanModel
from serving.portrait_motion import PortraitMotionModel
from serving.shell import Inputs, Shell
from serving.speech import SpeechModel
from serving.upscaler import UpscalerModel
from tests.shells import NAN, answer, configured, floats, refusal
from tests.sounds import babble
from tests.triton import Logger, Request, TritonError

Values = npt.NDArray[Any]
MESH: Values = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)


class Doubler(Shell):
    """A model for the tests of what all shells have in common."""

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, Values]:  # noqa: ARG002
        if inputs.get("BREAK") is not None:
            raise RuntimeError("something broke")
        inputs.stop_if_cancelled()
        return {"TWICE": np.array([2 * inputs.number("NUMBER")])}


def test_a_request_gets_the_outputs_that_it_asked_for() -> None:
    response = answer(Doubler(), ("TWICE",), {"NUMBER": np.array([4])})
    assert response.error is None
    assert [(tensor.name, tensor.values.tolist()) for tensor in response.output_tensors] == [("TWICE", [8])]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "expected the input NUMBER, got none"),
        ({"NUMBER": np.zeros(2)}, "expected NUMBER [1], got [2]"),
        ({"NUMBER": np.zeros((0,))}, "expected NUMBER [1], got [0]"),
    ],
)
def test_an_input_that_is_missing_or_of_another_shape_is_refused(inputs: dict[str, Values], message: str) -> None:
    assert refusal(Doubler(), ("TWICE",), inputs) == message


def test_one_bad_request_fails_alone() -> None:
    good, bad = Request({"NUMBER": np.array([1])}, ("TWICE",)), Request({}, ("TWICE",))
    errors = [response.error for response in Doubler().execute([good, bad, good])]
    assert [error is None for error in errors] == [True, False, True]


def test_a_caller_that_has_gone_gets_cancelled() -> None:
    (response,) = Doubler().execute([Request({"NUMBER": np.array([1])}, ("TWICE",), cancelled=True)])
    assert (response.error.code, response.error.message) == (TritonError.CANCELLED, "the caller cancelled")


def test_a_fault_of_the_model_is_internal_and_logged() -> None:
    Logger.lines.clear()
    response = answer(Doubler(), ("TWICE",), {"BREAK": np.array([1])})
    assert response.error is not None
    assert (response.error.code, response.error.message) == (TritonError.INTERNAL, "RuntimeError: something broke")
    assert "something broke" in Logger.lines[-1]


def test_a_ping_is_answered_without_outputs() -> None:
    (response,) = Doubler().execute([Request({}, ("TWICE",), sent={"ping": True})])
    assert response.error is None
    assert response.output_tensors == []


def test_a_request_for_memory_is_told_the_most_that_the_process_has_had() -> None:
    (before,) = Doubler().execute([Request({}, ("TWICE",), sent={"memory": True})])
    held = np.ones(64 << 20, np.uint8)
    (after,) = Doubler().execute([Request({}, ("TWICE",), sent={"memory": True})])
    numbers = [int(response.error.message.removeprefix("memory: ").removesuffix(" bytes")) for response in (before, after)]
    assert 10 << 20 < numbers[0] <= numbers[1] < 64 << 30
    assert numbers[1] >= held.nbytes


@pytest.fixture(scope="module")
def face_track() -> FaceTrackModel:
    model = FaceTrackModel()
    model.initialize(configured(max_faces="2"))
    return model


def frames(count: int = 1, height: int = 64, width: int = 64) -> dict[str, Values]:
    return {"FRAMES": np.zeros((count, height, width, 3), np.uint8), "STATE": floats(0), "HINTS": floats(0, 4)}


FACES = ("MESH", "SCORE", "ID", "BOX", "LANDMARKS68", "LIKENESS", "CUT", "STATE")


def test_face_track_answers_with_all_outputs(face_track: FaceTrackModel) -> None:
    response = answer(face_track, FACES, frames(2))
    shapes = {tensor.name: list(tensor.values.shape) for tensor in response.output_tensors}
    state = shapes.pop("STATE")
    assert shapes == {
        **{"MESH": [2, 2, 478, 3], "SCORE": [2, 2], "ID": [2, 2], "BOX": [2, 2, 4]},
        **{"LANDMARKS68": [2, 2, 68, 2], "LIKENESS": [2, 2, 1260], "CUT": [2]},
    }
    assert len(state) == 1


def planes() -> dict[str, Values]:
    colour = np.array([0.3, 0.1, 1], np.float32)
    coded: dict[str, Values] = {"PLANES": np.zeros((2, 6144), np.uint8), "SIZE": np.array([64, 64], np.int32), "COLOUR": colour}
    return coded | {"STATE": floats(0), "HINTS": floats(0, 4)}


def test_face_track_takes_planes(face_track: FaceTrackModel) -> None:
    response = answer(face_track, ("ID",), planes())
    assert response.output_tensors[0].values.tolist() == [[-1, -1]] * 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"PLANES": np.zeros((1, 6144), np.uint8)},
            "expected FRAMES, or PLANES, SIZE and COLOUR, got FRAMES and PLANES",
        ),
        ({"FRAMES": floats(1, 64, 64, 3)}, "expected FRAMES uint8 [frames, height, width, 3], got float32 [1, 64, 64, 3]"),
        (
            {"FRAMES": np.zeros((64, 64, 3), np.uint8)},
            "expected FRAMES uint8 [frames, height, width, 3], got uint8 [64, 64, 3]",
        ),
        ({"FRAMES": np.zeros((0, 64, 64, 3), np.uint8)}, "expected 1 to 16 FRAMES, got 0"),
        ({"FRAMES": np.zeros((17, 64, 64, 3), np.uint8)}, "expected 1 to 16 FRAMES, got 17"),
        ({"FRAMES": np.zeros((1, 8, 64, 3), np.uint8)}, "expected FRAMES of at least 16x16 pixels, got 64x8"),
        ({"HINTS": floats(4)}, "expected HINTS [boxes, 4] of numbers, got [4]"),
        ({"HINTS": floats(1, 4, value=NAN)}, "expected HINTS [boxes, 4] of numbers, got [1, 4]"),
        (
            {"HINTS": np.array([[9, 9, 3, 3]], np.float32)},
            "expected HINTS x1, y1, x2, y2 with x1 < x2 and y1 < y2 by a pixel or more, or a point twice",
        ),
        ({"HINTED": np.array([0], np.int32)}, "expected HINTED [0] of frames 0..0, got [0]"),
        (
            {"HINTS": floats(1, 4), "HINTED": np.array([1], np.int32)},
            "expected HINTED [1] of frames 0..0, got [1]",
        ),
        ({"FPS": floats(1)}, "expected FPS above 0, got 0.0"),
        ({"FPS": floats(1, value=NAN)}, "expected FPS above 0, got nan"),
        ({"FPS": floats(2, value=25)}, "expected FPS [1], got [2]"),
        ({"THOROUGH": np.array([2], np.int32)}, "expected THOROUGH 0 or 1, got 2"),
        ({"STATE": floats(5)}, f"expected STATE as this release answers it, marked {STATE.mark}, got the mark 0"),
        ({"STATE": floats(20_000)}, f"expected STATE as this release answers it, marked {STATE.mark}, got the mark 0"),
    ],
)
def test_face_track_refuses(face_track: FaceTrackModel, changed: dict[str, Values], message: str) -> None:
    assert refusal(face_track, FACES, frames() | changed) == message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SIZE": np.array([64, 63], np.int32)}, "expected PLANES uint8 [frames, 6080] for SIZE [64, 63], got uint8 [2, 6144]"),
        ({"SIZE": np.array([0, 64], np.int32)}, "expected SIZE [2] of a width and a height, got [0, 64]"),
        ({"COLOUR": floats(3)}, "expected COLOUR with 0 < kr, kb, kr + kb < 1 and full range 0 or 1, got [0.0, 0.0, 0.0]"),
    ],
)
def test_face_track_refuses_planes(face_track: FaceTrackModel, changed: dict[str, Values], message: str) -> None:
    assert refusal(face_track, FACES, planes() | changed) == message


def test_face_track_refuses_the_state_of_other_frames(face_track: FaceTrackModel) -> None:
    response = answer(face_track, ("STATE",), frames())
    state = response.output_tensors[0].values
    assert refusal(face_track, FACES, frames(width=80) | {"STATE": state}) == "expected FRAMES of 64x64 as in STATE, got 80x64"
    assert refusal(face_track, FACES, frames() | {"STATE": np.append(state, 0.0)}).startswith("expected STATE of ")
    of_a_track = state.copy()
    of_a_track[-2] = 1  # tracks: the last number but the one of lost faces
    assert refusal(face_track, FACES, frames() | {"STATE": of_a_track}).startswith("expected STATE of at least ")


@pytest.fixture(scope="module")
def mouth_plan() -> MouthPlanModel:
    model = MouthPlanModel()
    model.initialize({})
    return model


SPOKEN = 50  # frames of 10 ms


def planned(shots: int = 4, seen: int = 3) -> dict[str, Values]:
    return {
        **{"PCM": floats(SPOKEN * HOP), "POSTERIORS": floats(SPOKEN, 20), "ACTIVITY": floats(SPOKEN)},
        **{"TIMES": np.arange(shots, dtype=np.float32) / 25, "EXPRESSIVENESS": floats(1, value=0.5)},
        **{"POINTS": floats(seen, len(PLAN_POINTS), 3, value=NAN), "POINT_TIMES": np.arange(seen, dtype=np.float32) / 25},
        **{"LEARN": np.ones(seen, np.uint8), "CLIP_PCM": floats(0), "CLIP_POSTERIORS": floats(0, 20)},
    }


TARGETS = ("TARGETS", "LAG", "REFERENCES", "BANK")


def test_mouth_plan_answers_with_all_outputs(mouth_plan: MouthPlanModel) -> None:
    response = answer(mouth_plan, TARGETS, planned())
    assert response.error is None, response.error.message
    shapes = [(tensor.name, list(tensor.values.shape)) for tensor in response.output_tensors]
    expected = [[4, 10], [1], [4], [24]]
    assert shapes == list(zip(TARGETS, expected, strict=True))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"PCM": floats(SPOKEN, HOP)}, f"expected PCM ['n'], got [{SPOKEN}, {HOP}]"),
        ({"PCM": floats(SPOKEN * HOP, value=NAN)}, "expected finite numbers in PCM, got NaN or infinity"),
        ({"POSTERIORS": floats(SPOKEN - 1, 20)}, "expected POSTERIORS [50, 20], got [49, 20]"),
        ({"POSTERIORS": floats(SPOKEN, 19)}, "expected POSTERIORS [50, 20], got [50, 19]"),
        ({"ACTIVITY": floats(SPOKEN + 1)}, "expected ACTIVITY [50], got [51]"),
        ({"CLIP_PCM": floats(HOP)}, "expected CLIP_POSTERIORS [1, 20], got [0, 20]"),
        ({"TIMES": floats(2, 2)}, "expected TIMES ['n'], got [2, 2]"),
        ({"TIMES": floats(2, value=np.inf)}, "expected finite numbers in TIMES, got NaN or infinity"),
        ({"POINTS": floats(3, 10, 3)}, "expected POINTS [3, 61, 3], got [3, 10, 3]"),
        ({"POINT_TIMES": floats(2)}, "expected POINTS [2, 61, 3], got [3, 61, 3]"),
        ({"LEARN": np.ones(2, np.uint8)}, "expected LEARN [3], got [2]"),
        ({"EXPRESSIVENESS": floats(1, value=1.5)}, "expected EXPRESSIVENESS 0 to 1, got 1.5"),
        ({"EXPRESSIVENESS": floats(1, value=NAN)}, "expected EXPRESSIVENESS 0 to 1, got nan"),
        ({"EXPRESSIVENESS": floats(2)}, "expected EXPRESSIVENESS [1], got [2]"),
        ({"QUALITY": np.array([3], np.int32)}, "expected QUALITY 0, 1 or 2, got 3"),
    ],
)
def test_mouth_plan_refuses(mouth_plan: MouthPlanModel, changed: dict[str, Values], message: str) -> None:
    assert refusal(mouth_plan, TARGETS, planned() | changed) == message


@pytest.fixture(scope="module")
def speech() -> SpeechModel:
    model = SpeechModel()
    model.initialize({})
    return model


HEARD = ("POSTERIORS", "CURVES", "ACTIVITY")


def test_speech_answers_with_a_row_for_every_10_ms(speech: SpeechModel) -> None:
    sound = babble(2)
    response = answer(speech, HEARD, {"PCM": sound, "FUSE": np.array([0], np.int32)})
    count = len(sound) // HOP
    assert [list(tensor.values.shape) for tensor in response.output_tensors] == [[count, 20], [count, 6], [count]]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"PCM": floats(2, 100)}, "expected PCM [n], got [2, 100]"),
        ({"PCM": floats(100, value=NAN)}, "expected finite samples in PCM, got NaN or infinity"),
        ({"FUSE": np.array([2], np.int32)}, "expected FUSE 0 or 1, got 2"),
        ({"FUSE": np.array([0, 1], np.int32)}, "expected FUSE [1], got [2]"),
    ],
)
def test_speech_refuses(speech: SpeechModel, changed: dict[str, Values], message: str) -> None:
    assert refusal(speech, HEARD, {"PCM": floats(100), "FUSE": np.array([0], np.int32)} | changed) == message


class PhotoModel(UpscalerModel):
    """models/photo/1/model.py."""

    model = "photo"


@pytest.fixture(scope="module")
def photo() -> PhotoModel:
    model = PhotoModel()
    model.initialize(configured(release="photo-r0"))
    return model


def test_the_upscaler_answers_with_a_larger_picture_and_its_engine(photo: PhotoModel) -> None:
    inputs: dict[str, Values] = {"IMAGE": np.zeros((5, 7, 4), np.uint8), "SCALE": np.array([2], np.int32)}
    picture, engine = answer(photo, ("IMAGE", "ENGINE"), inputs).output_tensors
    assert picture.values.shape == (10, 14, 4)
    assert engine.values.tolist() == [photo.upscaler.engine]


def test_the_upscaler_answers_sixteen_bits_with_sixteen(photo: PhotoModel) -> None:
    inputs: dict[str, Values] = {"IMAGE16": np.full((5, 7, 3), 40_000, np.uint16), "SCALE": np.array([2], np.int32)}
    (picture,) = answer(photo, ("IMAGE16",), inputs).output_tensors
    assert picture.values.shape == (10, 14, 3)
    assert picture.values.dtype == np.uint16
    assert np.abs(picture.values.astype(int) - 40_000).max() <= 3 * 257
    assert refusal(photo, ("IMAGE",), inputs) == "expected the input IMAGE, got none"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SCALE": np.array([3], np.int32)}, "expected SCALE 2, 4 or 8, got 3"),
        ({"SCALE": np.array([2, 4], np.int32)}, "expected SCALE [1], got [2]"),
        ({"IMAGE": floats(8, 8, 3)}, "expected IMAGE of uint8 or uint16, got float32"),
        ({"IMAGE": np.zeros((8, 8), np.uint8)}, "expected IMAGE [height, width, 3 or 4], got [8, 8]"),
        ({"IMAGE": np.zeros((8, 8, 2), np.uint8)}, "expected IMAGE [height, width, 3 or 4], got [8, 8, 2]"),
        ({"IMAGE": np.zeros((0, 8, 3), np.uint8)}, "expected IMAGE of at least 1x1 pixels, got [0, 8, 3]"),
    ],
)
def test_the_upscaler_refuses(photo: PhotoModel, changed: dict[str, Values], message: str) -> None:
    inputs: dict[str, Values] = {"IMAGE": np.zeros((8, 8, 3), np.uint8), "SCALE": np.array([2], np.int32)}
    assert refusal(photo, ("IMAGE",), inputs | changed) == message


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"TIMES": floats(2, 2)}, "expected TIMES [F] and LEVEL [F], got [2, 2] and [3]"),
        ({"LEVEL": floats(2)}, "expected TIMES [F] and LEVEL [F], got [3] and [2]"),
        ({"LEVEL": floats(3, value=NAN)}, "expected TIMES and LEVEL without NaN or infinity"),
        ({"TIMES": np.array([0.2, 0.1, 0.3], np.float32)}, "expected TIMES in rising order"),
        ({"SEED": np.array([1, 2], np.int32)}, "expected SEED [1], got [2]"),
    ],
)
def test_portrait_motion_refuses(changed: dict[str, Values], message: str) -> None:
    inputs: dict[str, Values] = {"TIMES": np.arange(3, dtype=np.float32), "LEVEL": floats(3), "SEED": np.array([1], np.int32)}
    assert answer(PortraitMotionModel(), ("MOTION",), inputs).output_tensors[0].values.shape == (3, 8)
    assert refusal(PortraitMotionModel(), ("MOTION",), inputs | changed) == message


REST = np.array([0, 0, 0, 0, 0, 1, 0, 0], np.float32)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"IMAGE": floats(8, 8, 3)}, "expected IMAGE [height, width, 3] of uint8, got [8, 8, 3] of float32"),
        ({"IMAGE": np.zeros((8, 8, 4), np.uint8)}, "expected IMAGE [height, width, 3] of uint8, got [8, 8, 4] of uint8"),
        ({"IMAGE": np.zeros((0, 8, 3), np.uint8)}, "expected IMAGE [height, width, 3] of uint8, got [0, 8, 3] of uint8"),
        ({"MESH": MESH[:468]}, "expected MESH [478, 3], got [468, 3]"),
        ({"MESH": MESH * NAN}, "expected MESH without NaN or infinity, got a mesh of no face"),
        ({"MESH": MESH / 100}, "expected a face of at least 4 pixels between the eyes and from forehead to chin, got "),
        ({"STYLE": np.array([2], np.int32)}, "expected STYLE 0 (photo) or 1 (flat drawing), got 2"),
        ({"MOTION": REST[:6]}, "expected MOTION [8], got [6]"),
        ({"MOTION": REST * NAN}, "expected MOTION within "),
        ({"MOTION": REST + np.eye(8, dtype=np.float32)[0] * 16}, "expected MOTION within "),
        ({"MOTION": REST - np.eye(8, dtype=np.float32)[6]}, "expected MOTION within "),
    ],
)
def test_head_motion_refuses(changed: dict[str, Values], message: str) -> None:
    model = HeadMotionModel()
    model.initialize({})
    inputs: dict[str, Values] = {"IMAGE": np.asarray(data.astronaut()), "MESH": MESH, "MOTION": REST}
    inputs["STYLE"] = np.zeros(1, np.int32)
    assert refusal(model, ("IMAGE",), inputs | changed).startswith(message)


def test_a_head_is_told_once_and_moved_by_every_frame() -> None:
    model = HeadMotionModel()
    model.initialize({})
    inputs: dict[str, Values] = {"IMAGE": np.asarray(data.astronaut()), "MESH": MESH, "MOTION": REST.copy()}
    inputs["STYLE"] = np.zeros(1, np.int32)
    head, edges = (tensor.values for tensor in answer(model, ("HEAD", "EDGES"), inputs).output_tensors)
    inputs["MOTION"][2] = 1.5
    usual = answer(model, ("IMAGE",), inputs).output_tensors[0].values
    told = answer(model, ("IMAGE",), inputs | {"HEAD": head}).output_tensors[0].values
    assert (told != usual).any()
    other = np.array([[330, 60, 430, 200]], np.float32)
    beside = answer(model, ("HEAD",), inputs | {"OTHERS": other}).output_tensors[0].values
    assert (beside <= head).all() and (beside < head).any()
    assert refusal(model, ("HEAD",), inputs | {"OTHERS": other[0]}).startswith("expected OTHERS [k, 4] of finite float32")
    assert edges.shape == head.shape and edges.min() == edges.max() == NO_EDGE
    assert refusal(model, ("IMAGE",), inputs | {"HEAD": head[1:]}).startswith("expected HEAD [96, 96] of float32")
    assert refusal(model, ("HEAD",), inputs | {"MESH": MESH * NAN}).startswith("expected MESH without NaN")
