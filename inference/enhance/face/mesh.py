"""The mesh of the face in a crop, by MediaPipe's mesh networks."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from enhance.engine import open_small_network
from enhance.geometry.landmarks import MESH_POINTS

from .crop import Crop, Points
from .frame import Frame

MeshKind = Literal["attention", "plain"]
Read = tuple[Points, float]
"""The mesh (478 x 3, pixels of the picture; NaN where the network has no point), and how sure the network is that a face is
there, 0..1."""

SURE_OF_MESH = 0.5  # score from which there may be a face
SIZE = 192  # pixels: side of the network's input
BATCH = 2
"""Pictures that are read in one call. It takes as long as one and a half calls for one."""


class MeshNetwork:
    """For one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._one = open_small_network(path)

    @cached_property
    def _several(self) -> Callable[..., list[Any]]:
        """Opened when a clip needs it: that takes half a second."""
        return open_small_network(self._path, BATCH)

    def __call__(self, picture: Frame, crop: Crop) -> Read:
        """The mesh of the face in a crop of a picture."""
        return self.read([picture], crop)[0]

    def read(self, pictures: Sequence[Frame], crop: Crop) -> list[Read]:
        """The same of one picture, or of BATCH; the numbers do not depend on how many there are."""
        pixels: Any = np.stack([crop.cut(picture, SIZE) for picture in pictures]).astype(np.float32)
        pixels *= 1 / 255
        landmarks, scores = (self._one if len(pictures) == 1 else self._several)(pixels)
        return [(_placed(each, crop), float(score)) for each, score in zip(landmarks, scores[:, 0], strict=True)]


def open_mesh(weights: Path, kind: MeshKind = "attention") -> MeshNetwork:
    """One of the mesh networks."""
    return MeshNetwork(weights / f"face_mesh_{kind}.onnx")


def _placed(landmarks: Points, crop: Crop) -> Points:
    mesh = np.full((MESH_POINTS, 3), np.nan, np.float32)
    mesh[: len(landmarks)] = crop.place(landmarks / SIZE)
    return mesh
