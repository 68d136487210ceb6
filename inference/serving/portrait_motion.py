"""Triton's `portrait_motion`: the frames' times and the speech's level in, how the head moves and blinks out."""

from typing import Any

import numpy.typing as npt

from enhance.portrait.track import portrait_motion

from .shell import Inputs, Shell


class PortraitMotionModel(Shell):
    def initialize(self, args: dict[str, str]) -> None:
        pass

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        return {"MOTION": portrait_motion(inputs["TIMES"], inputs["LEVEL"], int(inputs.number("SEED")))}
