"""`face_track` as a Triton model; its contract is models/face_track/config.pbtxt."""

from typing import Any

import cv2
import numpy.typing as npt

from enhance.face.clip import TrackingRequest, track_frames
from enhance.face.find import Finder
from enhance.face.frame import CodedFrame, coded_frames
from enhance.face.mesh import MeshKind
from enhance.face.steady import FPS
from enhance.face.track import Tracker
from enhance.geometry.planes import check_colours

from .shell import Inputs, Shell, parameter, weights_folder


class FaceTrackModel(Shell):
    """Faces of consecutive frames. The trackers of both mesh networks are opened when they are first needed."""

    def initialize(self, args: dict[str, str]) -> None:
        """Opens the usual networks."""
        cv2.setNumThreads(1)  # the other models have the other cores
        self.most = int(parameter(args, "max_faces"))
        self.trackers = {"attention": self._open("attention")}

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        """The faces, and the STATE for the frames that follow."""
        kind: MeshKind = "plain" if _is_set(inputs, "PLAIN") else "attention"
        if kind not in self.trackers:
            self.trackers[kind] = self._open(kind)
        faces, state = track_frames(
            self.trackers[kind],
            _frames(inputs),
            inputs["STATE"],
            _request(inputs),
            inputs.stop_if_cancelled,
        )
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

    def _open(self, kind: MeshKind) -> Tracker:
        return Tracker(Finder(weights_folder(), kind), self.most)


def _frames(inputs: Inputs) -> npt.NDArray[Any] | list[CodedFrame]:
    planes = inputs.get("PLANES")
    if planes is None:
        return inputs["FRAMES"]
    if inputs.get("FRAMES") is not None:
        raise ValueError("expected FRAMES, or PLANES, SIZE and COLOUR, got FRAMES and PLANES")
    return coded_frames(planes, inputs["SIZE"], check_colours(inputs["COLOUR"]))


def _request(inputs: Inputs) -> TrackingRequest:
    fps = FPS if inputs.get("FPS") is None else inputs.number("FPS")
    raw, thorough = _is_set(inputs, "RAW"), _is_set(inputs, "THOROUGH", otherwise=True)
    return TrackingRequest(inputs["HINTS"], inputs.get("HINTED"), fps, raw, thorough)


def _is_set(inputs: Inputs, name: str, *, otherwise: bool = False) -> bool:
    if inputs.get(name) is None:
        return otherwise
    value = inputs.number(name)
    if value not in (0, 1):
        raise ValueError(f"expected {name} 0 or 1, got {value}")
    return value == 1
