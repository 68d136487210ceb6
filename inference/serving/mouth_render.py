"""Triton's `mouth_render_*`: a patch of a frame, its mesh and the shape asked for in, the patch with that mouth out."""

import json
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.head import BadMouthError
from enhance.geometry.planes import check_colours, check_planes
from enhance.render.compose import measure, render
from enhance.render.inside.lender import Bytes, lend, lender_from, size_of
from enhance.render.inside.lent_teeth import with_teeth
from enhance.render.quality import quality_named
from enhance.render.subject import unpack

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
            lenders = [lender_from(values.tobytes(), self._side()) for values, _ in self._lenders(inputs)]
            seen = with_teeth(inputs["SUBJECT"], lenders, colours) if lenders else measure(planes, colours, inputs["MESH"])
            outputs["SUBJECT"] = seen
        if "LENDER" in wanted:
            outputs["LENDER"] = lend(planes, inputs["MESH"], unpack(inputs["SUBJECT"]), self._side())
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
                lenders=self._lenders(inputs),
            )
            values = (done.planes.y, done.planes.u, done.planes.v, done.mask)
            outputs.update({name: np.ascontiguousarray(plane) for name, plane in zip(FRAME, values, strict=True)})
        return outputs

    def _lenders(self, inputs: Inputs) -> list[tuple[Bytes, float]]:
        """LENDERs with how much each lends; none where none were sent."""
        lenders, shares = inputs.get("LENDERS"), inputs.get("LEND")
        if lenders is None and shares is None:
            return []
        if lenders is None or shares is None:
            raise BadMouthError("expected LENDERS and LEND together, got one of them")
        if not len(lenders) and not len(shares):
            return []
        size = size_of(self._side())
        if lenders.ndim != 2 or lenders.shape[1] != size or shares.shape != (len(lenders),):
            raise BadMouthError(
                f"expected LENDERS [k, {size}] and LEND [k], got {list(lenders.shape)} and {list(shares.shape)}"
            )
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() <= 1.001):
            raise BadMouthError(f"expected LEND of shares that come to 1 at most, got {shares.tolist()}")
        return [(values, float(share)) for values, share in zip(lenders, shares, strict=True) if share > 0]

    def _side(self) -> int:
        if not self.quality.lending:
            raise BadMouthError("expected no LENDERS and no LENDER asked for: this model lends nothing")
        return self.quality.lender
