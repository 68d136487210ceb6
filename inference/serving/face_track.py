"""`face_track` as a Triton model; its contract is models/face_track/config.pbtxt."""

from typing import Any

import cv2
import numpy.typing as npt

from enhance.face.clip import TrackingRequest, track_frames
from enhance.face.find import Finder
from enhance.face.frame import CodedFrame, coded_frames
from enhance.face.steady import FPS
from enhance.face.track import Tracker
from enhance.geometry.planes import check_colours

from .shell import Inputs, Shell, parameter, weights_folder


class FaceTrackModel(Shell):
    """Faces of consecutive frames."""

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the networks."""
        cv2.setNumThreads(1)  # the other models have the other cores
        self.tracker = Tracker(Finder(weights_folder()), most=int(parameter(args, "max_faces")))

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        """The faces, and the STATE for the frames that follow."""
        faces, state = track_frames(self.tracker, _frames(inputs), inputs["STATE"], _request(inputs), inputs.stop_if_cancelled)
        return {
            "MESH": faces.mesh,
            "SCORE": faces.score,
            "ID": faces.identity,
            "BOX": faces.box,
            "LANDMARKS68": faces.landmarks,
            "LIKENESS": faces.likeness,
            "CUT": faces.cut,
            "STATE": state,
        }


def _frames(inputs: Inputs) -> npt.NDArray[Any] | list[CodedFrame]:
    planes = inputs.get("PLANES")
    if planes is None:
        return inputs["FRAMES"]
    if inputs.get("FRAMES") is not None:
        raise ValueError("expected FRAMES, or PLANES, SIZE and COLOUR, got FRAMES and PLANES")
    return coded_frames(planes, inputs["SIZE"], check_colours(inputs["COLOUR"]))


def _request(inputs: Inputs) -> TrackingRequest:
    fps = FPS if inputs.get("FPS") is None else inputs.number("FPS")
    thorough = 1 if inputs.get("THOROUGH") is None else inputs.number("THOROUGH")
    if thorough not in (0, 1):
        raise ValueError(f"expected THOROUGH 0 or 1, got {thorough}")
    return TrackingRequest(inputs["HINTS"], inputs.get("HINTED"), fps, thorough=thorough == 1)
