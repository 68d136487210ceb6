"""Triton's `mouth_render_*`: a patch of a frame, its mesh and the shape asked for in, the patch with that mouth out."""

import json
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.render.mouth import measure, render
from enhance.render.planes import check_colours, check_planes
from enhance.render.quality import quality_named

from .shell import Inputs, Shell

FRAME = ("Y", "U", "V", "MASK")


class MouthRenderModel(Shell):
    def initialize(self, args: dict[str, str]) -> None:
        cv2.setNumThreads(1)  # the other models have the other cores
        self.quality = quality_named(json.loads(args["model_config"])["parameters"]["quality"]["string_value"])

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        planes = check_planes(inputs["Y"], inputs["U"], inputs["V"])
        colours = check_colours(inputs["COLOUR"])
        outputs: dict[str, npt.NDArray[Any]] = {}
        if "SUBJECT" in wanted:
            outputs["SUBJECT"] = measure(planes, colours, inputs["MESH"])
        if any(name in wanted for name in FRAME):
            style = int(inputs.number("STYLE"))
            done = render(
                planes,
                colours,
                inputs["MESH"],
                target=inputs["TARGET"],
                subject=inputs["SUBJECT"],
                style=style,
                quality=self.quality,
            )
            values = (done.planes.y, done.planes.u, done.planes.v, done.mask)
            outputs.update({name: np.ascontiguousarray(plane) for name, plane in zip(FRAME, values, strict=True)})
        return outputs
