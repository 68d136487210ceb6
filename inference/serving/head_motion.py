"""Triton's `head_motion`: a portrait's picture, its mesh and one frame's motion in, the moved picture out.

Or its head and edges, told once from the portrait as it came, which each later request brings.
"""

from typing import Any

import cv2
import numpy.typing as npt

from enhance.portrait.animate import Animator, check_picture, portrait_frame
from enhance.portrait.edges import find_edges
from enhance.portrait.silhouette import NO_OTHERS, check_others, silhouette
from enhance.style import style_numbered

from .shell import Inputs, Shell


class HeadMotionModel(Shell):
    """One frame of one portrait a request; the last pictures' maps are remembered."""

    def initialize(self, args: dict[str, str]) -> None:  # noqa: ARG002
        """Opens what is remembered between requests."""
        cv2.setNumThreads(1)  # the other models have the other cores
        self.animator = Animator()

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        """What is asked for: HEAD and EDGES, or IMAGE with its head moved and its eyes shut as MOTION says.

        Raises ValueError for wrong inputs.
        """
        picture, mesh, head = inputs["IMAGE"], inputs["MESH"], inputs.get("HEAD")
        outputs: dict[str, npt.NDArray[Any]] = {}
        if {"HEAD", "EDGES"} & {*wanted}:
            frame = portrait_frame(mesh)
            edges = find_edges(check_picture(picture), frame)
            outputs["EDGES"] = edges
            if "HEAD" in wanted:
                others = inputs.get("OTHERS")
                outputs["HEAD"] = silhouette(picture, frame, edges, NO_OTHERS if others is None else check_others(others))
        if "IMAGE" in wanted:
            style = style_numbered(inputs.number("STYLE"))
            outputs["IMAGE"] = self.animator.move(picture, mesh, inputs["MOTION"], style, head)
        return outputs
