"""The mesh of the face in a crop, by MediaPipe's mesh networks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from enhance.engine import open_small_network
from enhance.geometry.landmarks import MESH_POINTS

from .crop import Crop, Points
from .frame import Frame

MeshKind = Literal["attention", "plain"]
MeshNetwork = Callable[[Frame, Crop], tuple[Points, float]]

SIZE = 192


def open_mesh(weights: Path, kind: MeshKind = "attention") -> MeshNetwork:
    """A function (picture, crop) -> the mesh (478 x 3, pixels of the picture; NaN where the network has no point), and
    how sure the network is that a face is there, 0..1. It is for one thread at a time.
    """
    run = open_small_network(weights / f"face_mesh_{kind}.onnx")

    def mesh_of(picture: Frame, crop: Crop) -> tuple[Points, float]:
        pixels: Any = crop.cut(picture, SIZE)[None].astype(np.float32)
        pixels *= 1 / 255
        landmarks, score = run(pixels)
        mesh = np.full((MESH_POINTS, 3), np.nan, np.float32)
        mesh[: landmarks.shape[1]] = crop.place(landmarks[0] / SIZE)
        return mesh, float(score[0, 0])

    return mesh_of
