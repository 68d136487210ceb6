"""Triton's `mouth_render_*`: a patch of a frame, its mesh and the shape asked for in, the patch with that mouth out."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.head import BadMouthError
from enhance.geometry.planes import Colours, Planes, check_colours, check_planes
from enhance.portrait.edges import Edges
from enhance.render.compose import MouthRequest, Rendered, Sight, check_target, see, with_mouth
from enhance.render.cover.marks import check_mark, mark_laid_back, mark_of, without_mark
from enhance.render.drawn.outlines import has_lines, in_outline, is_posterised
from enhance.render.inside.lender import Lender, lend, lender_from, size_of
from enhance.render.inside.merge import merge
from enhance.render.measure import covered_share, measure
from enhance.render.patch import Patch, patch_of
from enhance.render.quality import quality_named
from enhance.render.still import STILL_COLOURS, check_rgb, planes_of_rgb, with_change
from enhance.render.subject import SUBJECT
from enhance.style import STYLES, is_plain, is_shaded, style_numbered, style_of

from .shell import Inputs, Shell, parameter

IN_PLANES, IN_RGB = ("Y", "U", "V", "MASK"), ("RGB", "MASK")
"""What a rendered patch consists of, as the patch came."""

OF_STILL = ("RGB", "MESH", "SUBJECT", "STYLE")
"""The inputs by which a portrait is seen."""

Outputs = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class _Still:
    """What was seen in a portrait's patch. inputs: copies of OF_STILL."""

    inputs: Outputs
    sight: Sight

    def is_of(self, inputs: Inputs) -> bool:
        """Whether a request is of the same portrait."""
        return all(np.array_equal(values, inputs[name]) for name, values in self.inputs.items())


class MouthRenderModel(Shell):
    """One frame's patch a request. Raises ValueError for inputs that are not as config.pbtxt says."""

    def initialize(self, args: dict[str, str]) -> None:
        """Raises ValueError when the config names no quality."""
        cv2.setNumThreads(1)  # the other models have the other cores
        self.quality = quality_named(parameter(args, "quality"))
        self.still: _Still | None = None

    def run(self, inputs: Inputs, wanted: list[str]) -> Outputs:
        """What is asked for: SUBJECT, COVERED, STYLE, LENDER, INSIDE, MARK, or the patch with its mouth in another shape."""
        frame = frame_names(inputs, wanted)
        outputs: Outputs = {}
        if {*wanted} - {*frame}:
            outputs.update(self._measured(inputs, wanted))
        if any(name in wanted for name in frame):
            request = self._request(inputs)
            check_target(request.target)
            sight = self._sight(inputs, request)
            done = with_mouth(sight, request)
            if (mark := inputs.get("MARK")) is not None:
                mark_laid_back(done.planes, mark, read_patch(inputs)[0], sight.planes)
            outputs.update(as_it_came(inputs, sight.planes, done))
        return outputs

    def _measured(self, inputs: Inputs, wanted: list[str]) -> Outputs:
        planes, colours = _bare(inputs)
        outputs: Outputs = {}
        if "MARK" in wanted:
            outputs["MARK"] = mark_of(inputs["FRAMES"], inputs["MESHES"], colours)
        if "STYLE" in wanted:
            outputs["STYLE"] = measured_style(inputs, patch_of(planes, colours, inputs["MESH"]))
        if "SUBJECT" in wanted:
            outputs["SUBJECT"] = measure(planes, colours, inputs["MESH"])
        if "COVERED" in wanted:
            outputs["COVERED"] = np.array([covered_share(planes, colours, inputs["MESH"])], np.float32)
        if "LENDER" in wanted:
            outputs["LENDER"] = lend(planes, colours, inputs["MESH"], SUBJECT.unpack(inputs["SUBJECT"]), self.quality.side)
        if "INSIDE" in wanted:
            person = SUBJECT.unpack(inputs["SUBJECT"])
            outputs["INSIDE"] = merge(self._lenders(inputs), person, colours, self.quality.density)
        return outputs

    def _sight(self, inputs: Inputs, request: MouthRequest) -> Sight:
        """What the patch shows. A portrait's comes again with each of its frames: the last one's is kept."""
        if _rgb(inputs) is None:
            return see(*_bare(inputs), inputs["MESH"], request)
        if self.still is None or not self.still.is_of(inputs):
            self.still = _Still(
                {name: np.array(inputs[name]) for name in OF_STILL}, see(*read_patch(inputs), inputs["MESH"], request)
            )
        return self.still.sight

    def _request(self, inputs: Inputs) -> MouthRequest:
        return MouthRequest(
            target=inputs["TARGET"],
            subject=inputs["SUBJECT"],
            style=style_numbered(inputs.number("STYLE")),
            quality=self.quality,
            inside=inputs.get("INSIDE"),
            edges=None if (edges := inputs.get("EDGES")) is None else Edges.of(edges, inputs["MESH"]),
        )

    def _lenders(self, inputs: Inputs) -> list[Lender]:
        lenders, size = inputs["LENDERS"], size_of(self.quality.side)
        if lenders.dtype != np.uint8 or lenders.ndim != 2 or lenders.shape[1] != size:
            raise BadMouthError(f"expected LENDERS uint8 [k, {size}], got {lenders.dtype} {list(lenders.shape)}")
        return [lender_from(values.tobytes(), self.quality.side) for values in lenders]


def frame_names(inputs: Inputs, wanted: list[str]) -> tuple[str, ...]:
    """What a rendered patch consists of, as the patch came. Raises ValueError where another form is wanted."""
    frame, other = (IN_PLANES, IN_RGB) if inputs.get("RGB") is None else (IN_RGB, IN_PLANES)
    strange = sorted({*wanted} & {*other} - {*frame})
    if strange:
        raise ValueError(f"expected {', '.join(frame)} asked for, as the patch came, got {', '.join(strange)}")
    return frame


def read_patch(inputs: Inputs, whose: str = "") -> tuple[Planes, Colours]:
    """A patch as planes, from RGB or from Y, U, V and COLOUR. whose: what the names of its pixels begin with."""
    rgb = _rgb(inputs, whose)
    if rgb is None:
        planes = check_planes(*(inputs[f"{whose}{plane}"] for plane in "YUV"))
        return planes, check_colours(inputs["COLOUR"])
    return planes_of_rgb(check_rgb(rgb)), STILL_COLOURS


def _bare(inputs: Inputs) -> tuple[Planes, Colours]:
    """A patch without its MARK."""
    planes, colours = read_patch(inputs)
    mark = inputs.get("MARK")
    return (planes if mark is None else without_mark(planes, check_mark(mark, planes), colours)), colours


def _rgb(inputs: Inputs, whose: str = "") -> npt.NDArray[Any] | None:
    """A patch that came as RGB. Raises ValueError where it came as planes, too."""
    rgb = inputs.get(f"{whose}RGB")
    if rgb is None:
        return None
    both = [name for name in (f"{whose}Y", f"{whose}U", f"{whose}V", "COLOUR") if inputs.get(name) is not None]
    if both:
        raise ValueError(f"expected {whose}RGB, or Y, U, V and COLOUR, got {whose}RGB and {', '.join(both)}")
    return rgb


def as_it_came(inputs: Inputs, planes: Planes, done: Rendered) -> Outputs:
    """A rendered patch by the names of its parts, in the form of the patch that was sent, which `planes` are."""
    rgb = inputs.get("RGB")
    frame = IN_PLANES if rgb is None else IN_RGB
    parts = (done.planes.y, done.planes.u, done.planes.v)
    values = parts if rgb is None else (with_change(rgb, planes, done.planes, done.mask),)
    return {name: np.ascontiguousarray(part) for name, part in zip(frame, (*values, done.mask), strict=True)}


def measured_style(inputs: Inputs, patch: Patch | None = None) -> npt.NDArray[np.int32]:
    """[1]: the number of the style of the face in BOX of FACE. patch: of that face; without it outlines are not looked for."""
    face, box = inputs["FACE"], inputs["BOX"]
    if face.dtype != np.uint8 or face.ndim != 3 or face.shape[2] not in (1, 3) or 0 in face.shape:
        raise ValueError(f"expected FACE uint8 [height, width, 1 or 3], got {face.dtype} {list(face.shape)}")
    if box.shape != (4,) or not np.isfinite(box).all() or not (box[2:] > box[:2]).all():
        raise ValueError(f"expected BOX x1, y1, x2, y2 with x1 < x2 and y1 < y2, got {box.tolist()}")
    picture = np.ascontiguousarray(face[..., 0] if face.shape[2] == 1 else face)
    at = box.astype(np.float64)
    style = style_of(picture, at)
    if style == "photo" and patch is not None and in_outline(patch):
        style = "flat"
    elif style == "flat" and patch is not None and _is_photograph(picture, at, patch):
        style = "photo"
    return np.array([STYLES.index(style)], np.int32)


def _is_photograph(picture: npt.NDArray[np.uint8], box: npt.NDArray[np.float64], patch: Patch) -> bool:
    """Whether a flat face is a photograph after all, in few colours or smoothed (docs/decisions/0266 and 0274)."""
    if is_plain(picture, box):
        return False
    return is_posterised(patch) or (is_shaded(picture, box) and not has_lines(patch))
