"""Faces in a still picture."""

from collections.abc import Callable
from pathlib import Path

from .crop import Picture, Points, crop_of_box, crop_of_mesh
from .detect import Detector
from .mesh import open_mesh


def open_finder(weights: Path) -> Callable[[Picture], Points | None]:
    """A function picture -> the mesh (478 x 3) of its surest face, None without one."""
    detector = Detector(weights)
    mesh_network = open_mesh(weights)

    def mesh_of(picture: Picture) -> Points | None:
        """The mesh of the surest face."""
        found = detector.whole(picture) or detector.thorough(picture)
        if not found:
            return None
        mesh, _ = mesh_network(picture, crop_of_box(found[0].box, found[0].keys[0], found[0].keys[1]))
        mesh, _ = mesh_network(picture, crop_of_mesh(mesh))
        return mesh

    return mesh_of
