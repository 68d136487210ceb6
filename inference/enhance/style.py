"""Whether a face is photographed or drawn flat. The two are followed, rendered and blinked in different ways."""

from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from enhance.masks import widened
from enhance.picture import LUMA

Style = Literal["photo", "flat"]
STYLES: tuple[Style, ...] = ("photo", "flat")
"""In the order of their numbers in STYLE tensors."""

SIDE = 160
"""Points along each side at which a face is sampled, so that its size in pixels does not count."""
MARGIN = 1.2
"""Side of the sampled square, in longer sides of the face's box."""
STILL, CONTRAST = 3.0, 140.0
"""Grey levels of 255 below which a change is compression noise, in a face of that contrast (95th less 5th percentile); in a
face of less contrast the limit is lower in proportion, down to 1."""
FLAT = 0.45
"""Flatness above which a face is a drawing: tests/test_style.py holds photographs below 0.33 and drawings above 0.58."""
FLAT_SOFTENED = 0.5
"""The same of a softened picture, for drawings with grain (docs/decisions/0206): these have 0.51 and more, photographs
0.42 and less unless the picture itself is flat."""
SOFTENED, FINEST = 1.2, 4
"""Sigma, in points of SIDE, of the blur that takes grain away; and samples averaged along each side of a point, at most."""
SHADED, WIDELY, SLOPE = 0.14, 4.0, 1.0
"""Flatness of a widely softened picture below which the shades of a flat face go on everywhere, as in a smoothed photograph:
most drawings keep areas of one tone and have .15 and more. Sigma of that blur, in points of SIDE, and STILL for it
(docs/decisions/0266)."""
WHITE = 250
"""Level of all channels from which a point is as light as the picture's scale goes: flat because its light is cut off there."""
LEAST_LEFT = 1 / 3
"""Of a face's points, those below WHITE, at least, to be judged by them alone: of over-exposed photographs that this
tells from drawings .42 and more; white skin of drawings leaves .02 in a close picture."""
LEAST_SKIN = 1 / 4
"""Of what lies round a mouth, skin without lines and hair, at least, to be measured alone."""
PRINTED = 17.0
"""Grey levels by which skin differs from its mean within 0.02 S, from which it is a photograph printed in dots or lines: such
have 19 and more, drawings with tones of dots 14 at most (docs/decisions/0243)."""


def flatness(
    picture: npt.NDArray[np.uint8],
    box: npt.NDArray[Any],
    *,
    softened: float = 0.0,
    still: float = STILL,
    white: bool = True,
) -> float:
    """The share of a face, 0..1, where brightness is the same from one point to all eight around it.

    picture: h x w x 3 RGB, or h x w luma. box: x1, y1, x2, y2 of the face, pixels. Beyond its border a picture goes on as it
    ends there. softened: sigma, in points of SIDE, of a blur without which grain counts. still: grey levels, as STILL. white:
    whether points from WHITE on count; where less than LEAST_LEFT would be left, all do. Raises ValueError for a box with NaN
    or infinity.
    """
    if not np.isfinite(box).all():
        raise ValueError(f"expected the box of a face in finite numbers, got {np.asarray(box).tolist()}")
    centre, side = (box[:2] + box[2:]) / 2, MARGIN * float((box[2:] - box[:2]).max())
    count = SIDE * int(np.clip(np.ceil(side / SIDE), 1, FINEST)) if softened else SIDE
    at = (np.arange(count) + 0.5) / count - 0.5
    places = (centre[:, None] + side * at).astype(np.float32)
    columns, rows = np.meshgrid(places[0], places[1])
    sampled = cv2.remap(picture, columns, rows, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    grey = np.asarray(sampled @ LUMA if sampled.ndim == 3 else sampled, np.float32)
    counts = np.asarray(sampled if sampled.ndim == 2 else sampled.min(axis=-1)) < (256 if white else WHITE)
    if softened:
        counts = cv2.resize(counts.astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_AREA) > 0.5
        points = cv2.resize(grey, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        grey = np.asarray(cv2.GaussianBlur(points, (0, 0), softened), np.float32)
    kernel = np.ones((3, 3), np.uint8)
    dark, light = np.percentile(grey, (5, 95))
    least = 0.0 if softened else 1.0  # levels are whole numbers, averages of them are not
    still = max(least, still * min(1.0, float(light - dark) / CONTRAST))
    flat = cv2.dilate(grey, kernel) - cv2.erode(grey, kernel) < still
    return float(flat[counts].mean() if counts.mean() > LEAST_LEFT else flat.mean())


def style_of(picture: npt.NDArray[np.uint8], box: npt.NDArray[Any]) -> Style:
    """`flat` where most of the face is the same as what is next to it, as in flat drawings; else `photo`. As flatness()."""
    return "flat" if flatness(picture, box) > FLAT or is_plain(picture, box) else "photo"


def is_plain(picture: npt.NDArray[np.uint8], box: npt.NDArray[Any]) -> bool:
    """Whether most of a face stays the same as what is next to it in a softened picture. As flatness()."""
    return flatness(picture, box, softened=SOFTENED) > FLAT_SOFTENED


def is_shaded(picture: npt.NDArray[np.uint8], box: npt.NDArray[Any]) -> bool:
    """Whether a flat face has hardly an area of one tone: a smoothed photograph, or a drawing in shades. As flatness().

    White areas do not count: photographs that are over-exposed have them as well (docs/decisions/0278).
    """
    return flatness(picture, box, softened=WIDELY, still=SLOPE, white=False) < SHADED


def skin_roughness(
    luma: npt.NDArray[np.float32], mouth: npt.NDArray[Any], unit: float, others: npt.NDArray[Any] | None = None
) -> float:
    """How much skin round a mouth varies from place to place, in grey levels. Tones made of dots do not count, unless they are
    as coarse and strong as those of a printed photograph.

    luma: h x w. mouth: h x w, true in it. unit: pixels of the outer eye distance. others: h x w, true where something else is
    drawn, which is left out as long as enough skin is left. 0 where the picture shows no skin there.
    """
    inner, outer = (widened(mouth, round(reach * unit)) for reach in (0.03, 0.1))
    ring = outer & ~inner
    if not ring.any():
        return 0.0
    if others is not None and (ring & ~others).sum() > LEAST_SKIN * ring.sum():
        ring &= ~others
    paper = cv2.morphologyEx(luma, cv2.MORPH_CLOSE, np.ones((2 * round(0.025 * unit) + 1,) * 2, np.uint8))
    with_dots, varies = (
        float(np.median(np.abs(each - cv2.GaussianBlur(each, (0, 0), 0.02 * unit))[ring])) for each in (luma, paper)
    )
    return with_dots if with_dots > PRINTED else varies


def style_numbered(number: float) -> Style:
    """The style of a STYLE tensor's number. Raises ValueError for a number that stands for none."""
    if number not in range(len(STYLES)):
        raise ValueError(f"expected STYLE 0 (photo) or 1 (flat drawing), got {number}")
    return STYLES[int(number)]
