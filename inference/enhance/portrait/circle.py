"""The circle round a face, where a picture was cut out round: avatars, round tiles of a call, badges."""

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.frame import Floats, HeadFrame
from enhance.geometry.landmarks import SKIN_POINTS
from enhance.picture import Picture

from .panel import STEP, shrunk

LARGEST = 80.0  # pixels of an outer-eye distance in which circles are looked for
RADII = (0.9, 3.0)  # outer-eye distances
GRADIENT, PERFECT = 120, 0.6  # of cv2.HOUGH_GRADIENT_ALT: least gradient, and how much of a circle its points make up
SEARCH = (5, 3, 2)  # pixels from a circle within which its edge is looked for, each time from where it was found before
APART = 2  # pixels across the edge
BESIDE = 3  # pixels within and beyond the circle at which it is compared: on one side at least there are fewer edges
ROUND = 0.55  # least share of a circle that is an edge, less the share beside it: round pictures .74 and more, others .30
MARGIN = 5  # pixels added round the picture, so that a circle that touches its border is found
SEEN = 0.5  # least share of a circle that lies in the picture
ANGLES = np.linspace(0, 2 * np.pi, 360, endpoint=False)


def from_circle(picture: Picture, frame: HeadFrame, x: Floats, y: Floats) -> Floats | None:
    """How far within the edge of a round picture with the face in it places lie: pixels, negative beyond the edge. None where
    there is no such edge; of several, the nearest counts.

    picture: h x w x 3 uint8 RGB. x, y: of the places.
    """
    small, shrink = shrunk(picture, frame.unit, LARGEST)
    points = frame.mesh[:SKIN_POINTS, :2] * shrink
    unit = frame.unit * shrink
    within = []
    for found in (*_circles(small, unit), *_centred(small, unit)):
        if np.hypot(*(points - found[:2]).T).max() > found[2] + MARGIN:
            continue
        (centre_x, centre_y, radius), roundness = _fitted(small, found)
        if roundness >= ROUND:
            within.append((radius - np.hypot(x * shrink - centre_x, y * shrink - centre_y)) / shrink)
    return np.min(within, axis=0) if within else None


def _circles(picture: Picture, unit: float) -> Floats:
    """What may be circles, n x 3 pixels: x, y of the middle and the radius."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    wider = cv2.copyMakeBorder(grey, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_REPLICATE)
    low, high = (round(radius * unit) for radius in RADII)
    found = cv2.HoughCircles(
        wider, cv2.HOUGH_GRADIENT_ALT, 1.5, unit / 2, param1=GRADIENT, param2=PERFECT, minRadius=low, maxRadius=high
    )
    return np.zeros((0, 3)) if found is None else found.reshape(-1, found.shape[-1])[:, :3] - (MARGIN, MARGIN, 0)


def _centred(picture: Picture, unit: float) -> Floats:
    """Circles round the middle of a picture, as most avatars are cut, so close that one of them finds any edge between them."""
    height, width = picture.shape[:2]
    radii = np.arange(min(RADII[1] * unit, min(width, height) / 2), RADII[0] * unit, -SEARCH[0])
    return np.stack([np.full_like(radii, (width - 1) / 2), np.full_like(radii, (height - 1) / 2), radii], 1)


def _fitted(picture: Picture, circle: Floats) -> tuple[Floats, float]:
    """The circle (x, y, radius) brought to the edge beside it where that makes it rounder, and its _roundness()."""
    moves = np.stack([np.cos(ANGLES), np.sin(ANGLES), np.ones_like(ANGLES)], 1)
    found = [circle]
    for reach in SEARCH:
        offsets = np.arange(-reach, reach + 0.5, 0.5)
        steps, seen = _steps(picture, found[-1], offsets)
        steps[~seen] = 0
        strong = steps.max(axis=0) > STEP
        if strong.mean() < SEEN / 2:
            break
        change = np.linalg.lstsq(moves[strong], offsets[steps.argmax(axis=0)][strong], rcond=None)[0]
        found.append(found[-1] + change)
    return max(((each, _roundness(picture, each)) for each in found), key=lambda pair: pair[1])


def _roundness(picture: Picture, circle: Floats) -> float:
    """The share of a circle that is an edge, less the share beside it, on the side with fewer edges; -1..1."""
    steps, seen = _steps(picture, circle, np.array([0, -BESIDE, BESIDE]))
    seen = seen.all(axis=0)
    if seen.mean() < SEEN:
        return -1.0
    edge, within, beyond = (steps[:, seen] > STEP).mean(axis=1)
    return float(edge - min(within, beyond))


def _steps(picture: Picture, circle: Floats, offsets: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """By how many levels of R, G or B a picture steps across a circle that is larger by `offsets` (pixels), and whether the
    picture reaches that far: offsets x ANGLES each."""
    x, y, radius = circle
    sides, inside = [], []
    for side in (-APART / 2, APART / 2):
        radii = radius + side + offsets[:, None]
        at = np.stack([x + radii * np.cos(ANGLES), y + radii * np.sin(ANGLES)], 2).astype(np.float32)
        sides.append(cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        inside.append(((at >= 0) & (at <= np.array(picture.shape[1::-1]) - 1)).all(axis=2))
    return cv2.absdiff(*sides).max(axis=2), inside[0] & inside[1]
