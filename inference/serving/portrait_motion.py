"""Triton's `portrait_motion`: the frames' times and the speech's level in, how the head moves and blinks out."""

from typing import Any

import numpy.typing as npt

from enhance.portrait.track import portrait_motion

from .shell import Inputs, Shell


class PortraitMotionModel(Shell):
    """One portrait's whole track a request."""

    def initialize(self, args: dict[str, str]) -> None:
        """Nothing is loaded."""

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:  # noqa: ARG002
        """MOTION for each of TIMES. Raises ValueError for wrong inputs."""
        return {"MOTION": portrait_motion(inputs["TIMES"], inputs["LEVEL"], int(inputs.number("SEED")))}
