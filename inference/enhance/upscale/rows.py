"""Colours cleaned before a network enlarges them, some rows at a time: what alike.py and blotches.py share."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from enhance.picture import LUMA, AnyPicture

from .threads import side_by_side

Floats = npt.NDArray[np.float32]


def by_rows(
    picture: AnyPicture,
    clean: Callable[..., AnyPicture],
    *,
    beside: Sequence[AnyPicture] = (),
    reach: int,
    many: int,
    threads: int,
    before_rows: Callable[[], None],
) -> AnyPicture:
    """A picture (h x w x 3 or 4, RGB or RGBA) whose colours went through `clean`; alpha stays.

    clean gets at most `many` rows of RGB with `reach` pixels more on each side, and the same rows of each picture in `beside`,
    which are of the same size; it answers them without these pixels. before_rows is called before some rows and may raise to
    stop.
    """
    height = len(picture)
    margins = ((reach, reach), (reach, reach), (0, 0))
    around = [np.pad(each[:, :, :3], margins, mode="symmetric") for each in (picture, *beside)]
    result = picture.copy()

    def one(top: int) -> None:
        bottom = min(top + many, height)
        result[top:bottom, :, :3] = clean(*(each[top : bottom + 2 * reach] for each in around))

    side_by_side(one, range(0, height, many), threads, before_rows)
    return result


def joined(luma: Floats, red: Floats, blue: Floats, like: AnyPicture, most: int) -> AnyPicture:
    """RGB (h x w x 3, 0..most, of the dtype of `like`) from luma, R - Y and B - Y."""
    green = luma - (LUMA[0] * red + LUMA[2] * blue) / LUMA[1]
    return np.asarray(np.rint(np.stack([red + luma, green, blue + luma], axis=2)).clip(0, most), like.dtype)


def mean_around(plane: Floats, reach: int) -> Floats:
    """Over the square around each pixel; what is nearer than `reach` to the border is not to be used."""
    box = np.full(2 * reach + 1, 1 / (2 * reach + 1), np.float32)
    return np.asarray(cv2.sepFilter2D(plane, -1, box, box), np.float32)
