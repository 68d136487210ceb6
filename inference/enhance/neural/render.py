"""A frame's patch with its mouth painted by a network."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import BadMouthError, SidewaysError, pose_of
from enhance.geometry.planes import Colours, Plane, Planes, to_rgb
from enhance.picture import Picture
from enhance.render.compose import Rendered
from enhance.style import Style

from .crop import SIDE, crop_of
from .paste import Painted, put_back

SOUND = 1.001
"""Loudest sample of a sound, rounding included."""


class Painter(Protocol):
    """A network that paints the lower half of a face."""

    def paint(self, face: Picture, reference: Picture, speech: Floats) -> Floats:
        """256 x 256 x 3 RGB, 0..255, for two crops of that size and the samples whose middle is the frame's time."""
        ...


@dataclass(frozen=True)
class NeuralRequest:
    """What a network needs beside the frame.

    speech: samples of 16 kHz, -1..1, the frame's time in their middle. reference: another frame's patch in the same colours,
    with its mesh (478 x 3, its pixels). allowed: h x w of the frame's patch, 0 where it may not change.
    """

    speech: npt.NDArray[np.generic]
    reference: tuple[Planes, npt.NDArray[np.generic]]
    allowed: npt.NDArray[np.generic]
    style: Style = "photo"


def paint_mouth(
    planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic], request: NeuralRequest, painter: Painter
) -> Rendered:
    """The patch with another mouth; as it is, with an empty mask, where the face is seen from the side. Raises ValueError."""
    allowed, speech = _check_allowed(request.allowed, planes), _check_speech(request.speech)
    reference, its_mesh = request.reference
    try:
        scale = pose_of(mesh).scale
        pose_of(its_mesh)
    except SidewaysError:
        return Rendered(planes, np.zeros(planes.y.shape, np.uint8))
    crop = crop_of(mesh)
    face = crop.cut(_picture(planes, colours), SIDE)
    painted = painter.paint(face, crop_of(its_mesh).cut(_picture(reference, colours), SIDE), speech)
    if not np.isfinite(painted).all():
        raise RuntimeError("the network painted NaN or infinity")
    return put_back(planes, colours, Painted(painted, crop, scale), allowed, grain=request.style == "photo")


def _picture(planes: Planes, colours: Colours) -> Picture:
    return np.asarray(to_rgb(planes, colours) + 0.5, np.uint8)


def _check_allowed(values: npt.NDArray[np.generic], planes: Planes) -> Plane:
    if values.dtype != np.uint8 or values.shape != planes.y.shape:
        raise BadMouthError(f"expected MASK uint8 {list(planes.y.shape)}, got {values.dtype} {list(values.shape)}")
    return np.asarray(values, np.uint8)


def _check_speech(values: npt.NDArray[np.generic]) -> Floats:
    if values.dtype != np.float32 or values.ndim != 1:
        raise BadMouthError(f"expected SPEECH float32 [samples], got {values.dtype} {list(values.shape)}")
    speech = np.asarray(values, np.float32)
    if not np.isfinite(speech).all() or np.abs(speech).max(initial=0) > SOUND:
        raise BadMouthError("expected SPEECH of finite numbers from -1 to 1")
    return speech
