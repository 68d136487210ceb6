"""Triton's `head_motion`: a portrait's picture, its mesh and one frame's motion in, the moved picture out."""

from typing import Any

import cv2
import numpy.typing as npt

from enhance.portrait.animate import Animator

from .shell import Inputs, Shell


class HeadMotionModel(Shell):
    def initialize(self, args: dict[str, str]) -> None:  # noqa: ARG002
        cv2.setNumThreads(1)  # the other models have the other cores
        self.animator = Animator()

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        return {"IMAGE": self.animator.move(inputs["IMAGE"], inputs["MESH"], inputs["MOTION"])}
