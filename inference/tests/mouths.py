"""Drawn faces for the tests of the mouth plan: mesh points with a mouth as asked, turned and placed in a picture."""

import numpy as np

from enhance.geometry.heads import MEAN_FACE, Array
from enhance.geometry.landmarks import LIP_RINGS
from enhance.plan.hearing import Speech
from enhance.speech.classes import INDEX
from enhance.speech.features import HOP, RATE

_MOUTH = np.array([0.0, 0.47, -0.38])  # S: where lips meet in the head's frame
_RING = 20


def face(opening: float, width: float = 0.5, chin: float = 0.5) -> Array:
    """len(PLAN_POINTS) x 3 in S, frontal. chin: of the opening, what the chin has fallen."""
    lips = np.empty((len(LIP_RINGS), 3))
    for ring, thickness in ((0, 0.08), (1, 0.0)):
        angles = np.pi * np.arange(_RING) / 10  # from the left corner along the lower lip to the right one and back above
        heights = np.sin(angles) * (opening / 2 + thickness)
        lips[ring * _RING : (ring + 1) * _RING] = np.stack([-np.cos(angles) * width / 2, heights, np.zeros(_RING)], 1)
    return np.concatenate([lips + _MOUTH, MEAN_FACE, [(0.0, 0.85 + chin * opening, -0.25)]])


def turned(points: Array, yaw: float, pitch: float, size: float, place: tuple[float, float] = (300, 200)) -> Array:
    """The points in pixels of a picture: turned (degrees), S `size` pixels long, the head's middle at `place`."""
    y, p = np.radians([yaw, pitch])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
    return np.asarray(points @ (about_x @ about_y).T * size + [*place, 0])


def speech(spoken: str, each: float = 0.12, seed: int = 0) -> Speech:
    """Sounds by the names of their classes, each so many seconds long: noise that is loud in vowels, and posteriors."""
    names = spoken.split()
    frames = round(each * 100)
    classes = np.repeat([INDEX[name] for name in names], frames)
    posteriors = np.full((len(classes), 20), 0.002, np.float32)
    posteriors[np.arange(len(classes)), classes] = 0.962
    loud = {"SIL": 0.0, "P": 0.02, "F": 0.05, "T": 0.03, "S": 0.1}
    level = np.repeat([loud.get(name, 0.4) for name in names], frames * HOP)
    pcm = level * np.random.default_rng(seed).standard_normal(len(level))
    assert len(pcm) == len(classes) * HOP, RATE
    return Speech(pcm.astype(np.float32), posteriors, 1 - posteriors[:, INDEX["SIL"]])
