"""The parameters inside a network file of dlib, in the order in which a picture meets them.

dlib writes a network from its input to its output; each layer begins with its name, and behind the names of those that
have learnt something stands a tensor: version, samples, channels, rows, columns, then that many little-endian float32.
Integers are a byte that tells their length, and their sign in its highest bit, then the bytes (dlib/serialize.h).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEARNT = {b"con_4": "con", b"affine_": "affine", b"fc_2": "fc"}
BEFORE_TENSOR = {"con": 0, "affine": 0, "fc": 2}  # integers between the name and the tensor
TENSOR_VERSION = 2


def read_parameters(data: bytes) -> list[tuple[str, Floats]]:
    """(con, affine or fc; its parameters) of each layer that has learnt. Raises ValueError for what is no such file."""
    found = []
    at = 0
    while (place := min((p for name in LEARNT if (p := data.find(_text(name), at)) >= 0), default=-1)) >= 0:
        name = next(name for name in LEARNT if data.startswith(_text(name), place))
        values, at = _layer(data, place + len(_text(name)), LEARNT[name])
        found.append((LEARNT[name], values))
    if not found:
        raise ValueError("expected a network file of dlib, got one without layers")
    return found


def _text(name: bytes) -> bytes:
    """As it lies in the file: its length, an integer of one byte, first."""
    return bytes([1, len(name)]) + name


def _layer(data: bytes, at: int, kind: str) -> tuple[Floats, int]:
    for _ in range(BEFORE_TENSOR[kind]):
        _, at = _integer(data, at)
    version, at = _integer(data, at)
    if version != TENSOR_VERSION:
        raise ValueError(f"expected a dlib tensor of version {TENSOR_VERSION}, got {version}")
    count = 1
    for _ in range(4):
        size, at = _integer(data, at)
        count *= size
    end = at + 4 * count
    if count < 1 or end > len(data):
        raise ValueError(f"expected {4 * count} bytes of a dlib tensor, got {len(data) - at}")
    values: npt.NDArray[Any] = np.frombuffer(data, "<f4", count, at)
    return values.astype(np.float32), end


def _integer(data: bytes, at: int) -> tuple[int, int]:
    if at >= len(data):
        raise ValueError("expected more of a dlib file")
    control = data[at]
    end = at + 1 + (control & 0x0F)
    value = int.from_bytes(data[at + 1 : end], "little")
    return (-value if control & 0x80 else value), end
