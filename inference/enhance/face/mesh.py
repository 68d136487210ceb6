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

SIZE = 192
BATCH = 4
"""Pictures that are read in one call. It takes as long as 2.4 calls for one; eight would take no less for each."""


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
        """The same of 1 to BATCH pictures; the numbers do not depend on how many there are."""
        size = 1 if len(pictures) == 1 else BATCH
        pixels: Any = np.zeros((size, SIZE, SIZE, 3), np.float32)
        for place, picture in enumerate(pictures):
            pixels[place] = crop.cut(picture, SIZE)
        pixels *= 1 / 255
        landmarks, scores = (self._one if size == 1 else self._several)(pixels)
        return [(_placed(landmarks[at], crop), float(scores[at, 0])) for at in range(len(pictures))]


def open_mesh(weights: Path, kind: MeshKind = "attention") -> MeshNetwork:
    """One of the mesh networks."""
    return MeshNetwork(weights / f"face_mesh_{kind}.onnx")


def _placed(landmarks: Points, crop: Crop) -> Points:
    mesh = np.full((MESH_POINTS, 3), np.nan, np.float32)
    mesh[: len(landmarks)] = crop.place(landmarks / SIZE)
    return mesh
