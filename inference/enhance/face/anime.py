"""Eyes and mouths of flat drawn faces, by the AnimeFace library (nagadomi, libnvxs), called through ctypes.

Its wrapper reads Pillow's private memory and finds nothing from Pillow 12 on, so the library is called directly. The
declarations are those of its headers nv_core_matrix.h, nv_face_detect.h and nv_ml_mlp.h.
"""

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_char, c_float, c_int, c_uint, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.picture import Picture

from .crop import Points

LUMA = np.array([0.30, 0.59, 0.11], np.float32)
EDGE_LEVEL = 4.0
STEP = 4.0  # of the search, in 32nds of the window
SCALE_STEP = 1.095  # times the size, from one size of face looked for to the next
SMALLEST = 42.592  # pixels: the smallest face looked for
MOST = 64  # faces of a picture


@dataclass(frozen=True)
class Anchors:
    """A drawn face. box: x1, y1, x2, y2, of a window round eyes and mouth. likelihood: 0..1.

    points (3 x 2, pixels): the middles of the right eye (left in the picture), of the left eye and of the mouth.
    """

    box: Points
    points: Points
    likelihood: float


class _Matrix(Structure):
    _fields_ = (
        ("list", c_int),
        ("list_step", c_uint),
        ("n", c_int),
        ("m", c_int),
        ("rows", c_int),
        ("cols", c_int),
        ("step", c_int),
        ("alias", c_int),
        ("v", POINTER(c_float)),
    )


class _Rectangle(Structure):
    _fields_ = tuple((name, c_int) for name in ("x", "y", "width", "height"))


class _Face(Structure):
    _parts = ("face", "left_eye", "right_eye", "nose", "mouth", "chin")
    _fields_ = (("likelihood", c_float), *((part, _Rectangle) for part in _parts))


def open_anime(weights: Path) -> Callable[[Picture], list[Anchors]]:
    """A function from a picture to its drawn faces, upright and from the front, from 43 pixels across.

    It takes 20 ms for 160 x 160 pixels, and grows with their number. Raises OSError where `weights` has no animeface.so.
    """
    library = ctypes.CDLL(str(weights / "animeface.so"))
    matrix = POINTER(_Matrix)
    library.nv_gaussian5x5.argtypes = [matrix, c_int, matrix, c_int]
    library.nv_laplacian1.argtypes = [matrix, matrix, c_float]
    library.nv_integral.argtypes = [matrix, matrix, c_int]
    pictures = (POINTER(_Face), c_int, matrix, matrix, POINTER(_Rectangle))
    networks = (c_void_p, c_void_p, POINTER(c_void_p), c_int, c_void_p)
    library.nv_face_detect.argtypes = (*pictures, *networks, c_float, c_float, c_float)

    def network(name: str) -> int:
        return ctypes.addressof(c_char.in_dll(library, f"nv_face_mlp_{name}"))

    direction, first, parts = network("dir"), network("face_00"), network("parts")
    judges = (c_void_p * 3)(network("face_01"), network("face_02"), None)

    def find(picture: Picture) -> list[Anchors]:
        grey = np.ascontiguousarray(picture @ LUMA)
        smooth, edges = np.zeros_like(grey), np.zeros_like(grey)
        height, width = grey.shape
        grey_sum, edge_sum = np.zeros((2, height + 1, width + 1), np.float32)
        library.nv_gaussian5x5(_matrix(smooth), 0, _matrix(grey), 0)
        library.nv_laplacian1(_matrix(edges), _matrix(smooth), EDGE_LEVEL)
        library.nv_integral(_matrix(grey_sum), _matrix(grey), 0)
        library.nv_integral(_matrix(edge_sum), _matrix(edges), 0)
        found = (_Face * MOST)()
        whole = _Rectangle(0, 0, width, height)
        search = (STEP, SCALE_STEP, SMALLEST)
        sums = (_matrix(grey_sum), _matrix(edge_sum), byref(whole))
        count = library.nv_face_detect(found, MOST, *sums, direction, first, judges, 2, parts, *search)
        return [_anchors(face) for face in found[:count]]

    return find


def _matrix(values: npt.NDArray[np.float32]) -> Any:
    """The library's view of an array (rows x columns), which must outlive the call."""
    rows, columns = values.shape
    pixels = values.ctypes.data_as(POINTER(c_float))
    return byref(_Matrix(1, values.size, 1, values.size, rows, columns, 1, 0, pixels))


def _anchors(face: Any) -> Anchors:
    def middle(part: Any) -> tuple[float, float]:
        return part.x + part.width / 2, part.y + part.height / 2

    where = face.face
    box = np.array([where.x, where.y, where.x + where.width, where.y + where.height], np.float32)
    points = np.array([middle(face.right_eye), middle(face.left_eye), middle(face.mouth)], np.float32)
    return Anchors(box, points, float(face.likelihood))
