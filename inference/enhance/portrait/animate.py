"""A portrait and eight numbers in, the moved portrait out: the lids first, then the head. Maps are kept for the next frame."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import HeadFrame, head_frame
from enhance.geometry.landmarks import EYE_POINTS
from enhance.picture import BadPictureError, Picture
from enhance.style import Style

from .drawn_lids import DrawnLid
from .head import HeadField, head_field
from .lids import Lid, make_lids
from .silhouette import Silhouette, check_silhouette

KEPT = 4  # portraits whose maps are kept
MAX_ANGLE, MAX_SHIFT, MAX_ZOOM = 15.0, 0.3, 0.2  # degrees, S, share: beyond, one picture does not show what appears

Value = TypeVar("Value")


class Animator:
    """Moves portraits, and keeps the maps of the last KEPT. For one thread at a time.

    A head's map is found again by its mesh, a lid's by the pixels round the eyes too: the mouth of a portrait that speaks
    changes with every frame, its eyes do not.
    """

    def __init__(self) -> None:
        self._fields: OrderedDict[bytes, HeadField] = OrderedDict()
        self._lids: OrderedDict[bytes, tuple[Lid | DrawnLid, ...]] = OrderedDict()

    def move(
        self,
        picture: Picture,
        mesh: npt.NDArray[np.float32],
        motion: npt.NDArray[np.float32],
        style: Style,
        head: Silhouette | None = None,
    ) -> Picture:
        """The picture with its head moved and its eyes shut so far. At rest the same bytes come out.

        picture: h x w x 3 uint8 RGB. mesh: 478 x 3, its pixels. motion: yaw, pitch, roll in degrees, dx, dy in outer-eye
        distances, zoom (1 = none), blink left, blink right (0..1). style: by which the lids are made. head: what moves
        (silhouette.py); None: where heads usually are.
        Raises BadPictureError for anything else.
        """
        check_picture(picture)
        _check(motion)
        if head is not None:
            check_silhouette(head)
        frame = portrait_frame(mesh)
        size = picture.shape[0], picture.shape[1]
        key = mesh.tobytes() + np.array(size).tobytes()
        if motion[6:].any():
            picture = self._blinked(picture, frame, motion[6:], style, key)
        key += b"" if head is None else head.tobytes()
        field = _remembered(self._fields, key, lambda: head_field(frame, size, head))
        return field.move(picture, motion)

    def _blinked(
        self, picture: Picture, frame: HeadFrame, amounts: npt.NDArray[np.float32], style: Style, key: bytes
    ) -> Picture:
        """A copy with both eyes shut by `amounts`, 0..1. key: the portrait's; its lids' has the pixels round the eyes too."""
        x, y = frame.mesh[list(EYE_POINTS), :2].T
        reach = 0.35 * frame.unit
        rows = slice(max(0, int(y.min() - reach)), max(0, int(y.max() + reach)))
        columns = slice(max(0, int(x.min() - reach)), max(0, int(x.max() + reach)))
        eyes = picture[rows, columns].tobytes()
        lids = _remembered(self._lids, key + style.encode() + eyes, lambda: make_lids(picture, frame, style))
        blinked = picture.copy()
        for lid, amount in zip(lids, amounts, strict=False):
            if amount > 0:
                lid.close(blinked, float(amount))
        return blinked


def check_picture(picture: npt.NDArray[Any]) -> Picture:
    """The same. Raises BadPictureError for what is no h x w x 3 uint8."""
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise BadPictureError(f"expected IMAGE [height, width, 3] of uint8, got {list(picture.shape)} of {picture.dtype}")
    return picture


def portrait_frame(mesh: npt.NDArray[np.float32]) -> HeadFrame:
    """The frame of a portrait's face (478 x 3 pixels). Raises BadPictureError where it is none."""
    try:
        return head_frame(mesh)
    except ValueError as fault:
        raise BadPictureError(str(fault)) from fault


def _check(motion: npt.NDArray[Any]) -> None:
    if motion.shape != (8,):
        raise BadPictureError(f"expected MOTION [8], got {list(motion.shape)}")
    limits = np.array([MAX_ANGLE] * 3 + [MAX_SHIFT] * 2 + [MAX_ZOOM] + [1, 1])
    if not (np.abs(motion - np.array([0, 0, 0, 0, 0, 1, 0, 0])) <= limits).all() or (motion[6:] < 0).any():
        raise BadPictureError(f"expected MOTION within {limits.tolist()} of rest, got {motion.tolist()}")


def _remembered(kept: OrderedDict[bytes, Value], key: bytes, make: Callable[[], Value]) -> Value:
    if key not in kept:
        kept[key] = make()
        while len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
