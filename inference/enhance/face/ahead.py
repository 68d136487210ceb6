"""Meshes of the frames to come, read in one call with that of now while their crop stays. docs/decisions/0055."""

from collections.abc import Sequence

from .crop import Crop
from .frame import Frame
from .mesh import BATCH, MeshNetwork, Read


class Ahead:
    """The mesh network on consecutive frames: the meshes are the same bytes as read one by one, since what was read for a crop
    that has moved is not used."""

    def __init__(self, network: MeshNetwork, frames: Sequence[Frame]) -> None:
        self._network = network
        self._frames = frames
        self._kept: dict[tuple[int, bytes], Read] = {}

    def read(self, number: int, crop: Crop, stays: int) -> Read:
        """The mesh in a crop of frame `number`. stays: frames from this one on in which the crop is likely to be the same."""
        place = crop.matrix.tobytes()
        if (number, place) not in self._kept:
            together = self._frames[number : number + BATCH]
            if len(together) < BATCH or stays < BATCH:
                together = together[:1]
            for ahead, mesh in enumerate(self._network.read(together, crop)):
                self._kept[number + ahead, place] = mesh
        return self._kept.pop((number, place))
