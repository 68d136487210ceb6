"""A mouth that a network paints: tests/musetalk.py's `speaking` networks, whose answer is known, in the astronaut's face."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from inference.build.musetalk.__main__ import main
from skimage import data

from enhance.geometry.area import Floats
from enhance.geometry.landmarks import CHIN, LEFT_EYE, RIGHT_EYE
from enhance.geometry.planes import to_rgb
from enhance.neural.crop import SIDE, crop_of, place
from enhance.neural.render import NeuralRequest, paint_mouth
from enhance.picture import LUMA, Picture
from enhance.render.still import STILL_COLOURS, planes_of_rgb
from enhance.style import Style
from serving.neural_render import MuseTalkModel
from tests.musetalk import speaking, write
from tests.shells import NAN, answer, configured, floats, refusal

Values = npt.NDArray[Any]
MESH: Values = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy").astype(np.float32)
LEFT, TOP, WIDTH, HEIGHT = 140, 36, 172, 172
FRAME, STILL = ("Y", "U", "V", "MASK"), ("RGB", "MASK")
FULL = np.array([0.2126, 0.0722, 1], np.float32)
RATE = 16000


def still() -> npt.NDArray[np.uint8]:
    """The face, its hair and its chin."""
    return np.ascontiguousarray(data.astronaut()[TOP : TOP + HEIGHT, LEFT : LEFT + WIDTH])


def mesh() -> Values:
    return MESH - np.array([LEFT, TOP, 0], np.float32)


def noise(start: float, end: float) -> Values:
    """2 s of silence with noise between two times, in seconds."""
    values = 0.1 * np.random.default_rng(0).standard_normal(2 * RATE)
    values[: round(start * RATE)] = 0
    values[round(end * RATE) :] = 0
    return values.astype(np.float32)


def allowed() -> npt.NDArray[np.uint8]:
    """An ellipse round the mouth."""
    x, y = mesh()[[13, 14], :2].mean(axis=0)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    return np.asarray(((columns - x) / 30) ** 2 + ((rows - y) / 22) ** 2 < 1, np.uint8) * np.uint8(255)


def planes(picture: npt.NDArray[np.uint8], whose: str = "") -> dict[str, Values]:
    made = planes_of_rgb(picture)
    return {f"{whose}Y": made.y, f"{whose}U": made.u, f"{whose}V": made.v}


def inputs(speech: Values, reference: npt.NDArray[np.uint8] | None = None) -> dict[str, Values]:
    """All that a request for a frame holds."""
    return {
        **planes(still()),
        **planes(still() if reference is None else reference, "REFERENCE_"),
        **{"COLOUR": FULL, "MESH": mesh(), "REFERENCE_MESH": mesh(), "STYLE": np.array([0], np.int32)},
        **{"SPEECH": speech, "MASK": allowed()},
    }


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> MuseTalkModel:
    folder = tmp_path_factory.mktemp("speaking")
    write(folder / "weights", speaking())
    words = {"--weights": folder / "weights", "--out": folder / "out", "--sha256": folder / "weights/SHA256SUMS"}
    assert main([str(word) for pair in words.items() for word in pair]) == 0
    opened = MuseTalkModel()
    places = {"model_repository": str(folder / "out/mouth_render_studio"), "model_version": "1"}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ENHANCE_ENGINE", "onnxruntime")  # opens networks in a fifth of OpenVINO's time
        opened.initialize({**configured(release="musetalk-test"), **places})
    return opened


def rendered(model: MuseTalkModel, sent: dict[str, Values]) -> dict[str, Values]:
    response = answer(model, FRAME, sent)
    assert response.error is None, response.error
    return {tensor.name: tensor.values for tensor in response.output_tensors}


def likeness(out: dict[str, Values], reference: npt.NDArray[np.uint8]) -> float:
    """How the mouth of the result goes with that of the reference: a correlation, -1 for its negative."""
    whole = out["MASK"] == 255
    return float(np.corrcoef(out["Y"][whole], (reference @ LUMA)[whole])[0, 1])


@pytest.mark.parametrize(("start", "end"), [(0.93, 1.1), (0.5, 1.5)])
def test_it_hears_the_sound_in_the_middle_of_the_window(model: MuseTalkModel, start: float, end: float) -> None:
    assert likeness(rendered(model, inputs(noise(start, end))), still()) > 0.5


@pytest.mark.parametrize(("start", "end"), [(0, 0), (0, 0.88), (1.15, 2)])
def test_it_does_not_hear_what_is_far_from_the_middle(model: MuseTalkModel, start: float, end: float) -> None:
    assert likeness(rendered(model, inputs(noise(start, end))), still()) < -0.3


def test_it_paints_the_reference_and_not_the_frame(model: MuseTalkModel) -> None:
    turned = np.ascontiguousarray(still()[:, ::-1])
    out = rendered(model, inputs(noise(0, 2), turned))
    assert likeness(out, turned) > 0.5 > likeness(out, still())


def test_nothing_changes_outside_the_mask_and_all_of_its_middle_does(model: MuseTalkModel) -> None:
    out, before = rendered(model, inputs(noise(0, 2))), planes(still())
    assert not out["MASK"][allowed() == 0].any()
    assert (out["MASK"] == 255).any()
    np.testing.assert_array_equal(out["Y"][out["MASK"] == 0], before["Y"][out["MASK"] == 0])
    some = out["MASK"].reshape(HEIGHT // 2, 2, WIDTH // 2, 2).any(axis=(1, 3))
    for plane in ("U", "V"):
        np.testing.assert_array_equal(out[plane][~some], before[plane][~some])
    assert np.abs(out["Y"].astype(int) - before["Y"])[out["MASK"] == 255].mean() > 5


def test_there_is_no_seam(model: MuseTalkModel) -> None:
    """Across the border of what may change a pixel differs from the next hardly more than it did."""
    out, before = rendered(model, inputs(noise(0, 2))), planes(still())
    rim = cv2.morphologyEx(allowed(), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    steps = [np.abs(np.diff(picture["Y"].astype(int), axis=1))[rim[:, 1:]].mean() for picture in (out, before)]
    assert steps[0] < steps[1] + 1.5, steps


def test_where_nothing_may_change_nothing_does(model: MuseTalkModel) -> None:
    out = rendered(model, {**inputs(noise(0, 2)), "MASK": np.zeros((HEIGHT, WIDTH), np.uint8)})
    assert not out["MASK"].any()
    np.testing.assert_array_equal(out["Y"], planes(still())["Y"])


def test_a_still_comes_back_in_rgb_with_every_pixel_beside_the_mask(model: MuseTalkModel) -> None:
    coded = {"COLOUR", *planes(still()), *planes(still(), "REFERENCE_")}
    sent = {key: values for key, values in inputs(noise(0, 2)).items() if key not in coded}
    response = answer(model, STILL, {**sent, "RGB": still(), "REFERENCE_RGB": still()})
    rgb, mask = (tensor.values for tensor in response.output_tensors)
    np.testing.assert_array_equal(rgb[mask == 0], still()[mask == 0])
    assert likeness({"Y": rgb @ LUMA, "MASK": mask}, still()) > 0.5


def test_subject_and_style_need_nothing_that_is_wanted(model: MuseTalkModel) -> None:
    face = {"FACE": np.asarray(data.astronaut()), "BOX": np.array([150, 40, 300, 200], np.float32)}
    sent = {**planes(still()), "COLOUR": FULL, "MESH": mesh(), **face}
    subject, style = (tensor.values.tolist() for tensor in answer(model, ("SUBJECT", "STYLE"), sent).output_tensors)
    assert (subject, style) == ([0.0], [0])


def test_a_face_from_the_side_stays_as_it_is(model: MuseTalkModel) -> None:
    flat = mesh()
    flat[:, 0] = flat[0, 0]
    flat[LEFT_EYE, 2] = flat[RIGHT_EYE, 2] + 60
    assert not rendered(model, {**inputs(noise(0, 2)), "MESH": flat})["MASK"].any()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SPEECH": noise(0, 2)[:3000]}, "expected SPEECH of 3840 to 32000 samples, got 3000"),
        ({"SPEECH": floats(40000)}, "expected SPEECH of 3840 to 32000 samples, got 40000"),
        ({"SPEECH": floats(32000, value=2.0)}, "expected SPEECH of finite numbers from -1 to 1"),
        ({"SPEECH": floats(32000, value=NAN)}, "expected SPEECH of finite numbers from -1 to 1"),
        ({"SPEECH": np.zeros(32000)}, "expected SPEECH float32 [samples], got float64 [32000]"),
        ({"MASK": np.zeros((4, 4), np.uint8)}, "expected MASK uint8 [172, 172], got uint8 [4, 4]"),
        ({"REFERENCE_U": np.zeros((4, 4), np.uint8)}, "expected U [86, 86] beside Y [172, 172], got [4, 4]"),
        ({"REFERENCE_MESH": MESH[:4]}, "expected MESH [478, 3], got [4, 3]"),
        ({"MESH": MESH * NAN}, "expected MESH of finite numbers, got NaN or infinity"),
        ({"STYLE": np.array([5], np.int32)}, "expected STYLE 0 (photo) or 1 (flat drawing), got 5"),
    ],
)
def test_a_wrong_request_is_told_what_was_expected(model: MuseTalkModel, changed: dict[str, Values], message: str) -> None:
    assert refusal(model, FRAME, inputs(noise(0, 2)) | changed).startswith(message)


@pytest.mark.parametrize("name", ["SPEECH", "MASK", "REFERENCE_Y", "REFERENCE_MESH"])
def test_a_request_without_what_is_wanted_is_refused(model: MuseTalkModel, name: str) -> None:
    sent = {key: values for key, values in inputs(noise(0, 2)).items() if key != name}
    assert refusal(model, FRAME, sent) == f"expected the input {name}, got none"


def test_it_lends_nothing(model: MuseTalkModel) -> None:
    assert refusal(model, ("LENDER",), inputs(noise(0, 2))) == "expected no LENDER and no INSIDE: this model takes no inside"


class Tinted:
    """A perfect network but for its colours: it paints the face itself, too blue by 20 of 255."""

    def paint(self, face: Picture, reference: Picture, speech: Values) -> Floats:  # noqa: ARG002
        """The face in the wrong colours."""
        return np.asarray(face + np.array([-15, 10, 20]), np.float32)


def test_the_colours_of_a_network_give_way_to_those_of_the_frame() -> None:
    request = NeuralRequest(noise(0, 2), (planes_of_rgb(still()), mesh()), allowed())
    done = paint_mouth(planes_of_rgb(still()), STILL_COLOURS, mesh(), request, Tinted())
    before, after = (to_rgb(planes, STILL_COLOURS) for planes in (planes_of_rgb(still()), done.planes))
    change = np.abs((after - before)[done.mask == 255].mean(axis=0))
    assert (change < 2).all(), change


class Torn:
    """A network whose weights are damaged in one place."""

    def paint(self, face: Picture, reference: Picture, speech: Values) -> Floats:  # noqa: ARG002
        """The face, and NaN in one pixel."""
        painted = face.astype(np.float32)
        painted[200, 128] = NAN
        return painted


def test_nan_is_never_a_mouth() -> None:
    request = NeuralRequest(noise(0, 2), (planes_of_rgb(still()), mesh()), allowed())
    with pytest.raises(RuntimeError, match="the network painted NaN or infinity"):
        paint_mouth(planes_of_rgb(still()), STILL_COLOURS, mesh(), request, Torn())


class Grey:
    """A network that paints no texture."""

    def paint(self, face: Picture, reference: Picture, speech: Values) -> Floats:  # noqa: ARG002
        """All of one grey."""
        return np.full(face.shape, 128, np.float32)


def test_a_photograph_gets_the_noise_of_its_frame_and_a_drawing_none() -> None:
    noisy = still() + np.random.default_rng(0).normal(0, 8, (HEIGHT, WIDTH, 1))
    frame = planes_of_rgb(np.clip(noisy, 0, 255).astype(np.uint8))

    def rough(style: Style) -> float:
        request = NeuralRequest(noise(0, 2), (frame, mesh()), allowed(), style)
        done = paint_mouth(frame, STILL_COLOURS, mesh(), request, Grey())
        luma = done.planes.y.astype(np.float32)
        return float((luma - cv2.GaussianBlur(luma, (0, 0), 2))[done.mask == 255].std())

    assert rough("photo") > 3
    assert rough("flat") < 1


@pytest.mark.parametrize("value", [0, 255])
def test_a_mask_without_a_border_is_taken_as_it_is(value: int) -> None:
    """Where all of a patch may change, and it lies within the painted square, there is no rim to take colours from."""
    left, top, right, bottom = 60, 80, 110, 130
    frame = planes_of_rgb(np.ascontiguousarray(still()[top:bottom, left:right]))
    there: Values = mesh() - np.array([left, top, 0], np.float32)
    mask = np.full((bottom - top, right - left), value, np.uint8)
    done = paint_mouth(frame, STILL_COLOURS, there, NeuralRequest(noise(0, 2), (frame, there), mask, "flat"), Grey())
    assert (done.mask == value).all()
    assert (done.planes.y == 128).all() == (value == 255)


@pytest.mark.parametrize("degrees", [0, 25, -40])
def test_the_crop_is_upright_and_its_inverse_brings_each_pixel_back(degrees: float) -> None:
    turn = cv2.getRotationMatrix2D((256, 256), degrees, 1.0)
    picture = np.asarray(cv2.warpAffine(np.asarray(data.astronaut()), turn, (512, 512)), np.uint8)
    turned = MESH.copy()
    turned[:, :2] = MESH[:, :2] @ turn[:, :2].T + turn[:, 2]
    crop = crop_of(turned)
    eyes = crop.inverse(turned[[RIGHT_EYE, LEFT_EYE]]) * SIDE
    assert abs(eyes[0, 1] - eyes[1, 1]) < 0.01
    assert 0.94 < crop.inverse(turned[CHIN])[1] < 0.99
    back = place(crop.cut(picture, SIDE).astype(np.float32), crop, 512, 512)
    inside = place(np.ones((SIDE, SIDE), np.float32), crop, 512, 512) > 0.999
    change = np.abs(back - picture)[inside].mean()
    apart = np.abs(np.roll(picture, 1, axis=1).astype(int) - picture)[inside].mean()
    assert change < apart / 2, (change, apart)  # half a pixel beside its place it would differ as much


def test_a_small_face_gets_the_mean_of_what_is_painted_finer() -> None:
    stripes = np.zeros((SIDE, SIDE), np.float32)
    stripes[:, ::2] = 255
    crop = crop_of(MESH / 4)
    assert crop.scale < SIDE / 8
    placed = place(stripes, crop, 128, 128)
    inside = place(np.ones((SIDE, SIDE), np.float32), crop, 128, 128) > 0.999
    assert np.abs(placed[inside] - 127.5).max() < 40  # single pixels of it would be 0 or 255
