"""From posteriors to mouth curves: shapes that blend into each other, and closures that are always complete."""

import numpy as np

from .classes import CLASSES, CURVES, SHAPES, F, P
from .features import Floats

# Dominance of a class (Cohen and Massaro 1993): its strength, and its time constants before and after it in seconds. Rounding
# begins early.
_DOMINANCE = {
    "SIL": (0.25, 0.09, 0.12),
    "P": (1.0, 0.045, 0.045),
    "F": (1.0, 0.05, 0.05),
    "TH": (0.45, 0.06, 0.06),
    "T": (0.25, 0.06, 0.06),
    "S": (0.55, 0.06, 0.06),
    "SH": (0.8, 0.08, 0.08),
    "K": (0.15, 0.06, 0.06),
    "H": (0.08, 0.06, 0.06),
    "L": (0.35, 0.06, 0.06),
    "R": (0.45, 0.07, 0.07),
    "W": (0.9, 0.09, 0.07),
    "J": (0.45, 0.07, 0.06),
    "I": (0.7, 0.08, 0.08),
    "E": (0.7, 0.08, 0.08),
    "Y": (0.85, 0.09, 0.08),
    "A": (0.8, 0.08, 0.08),
    "AH": (0.4, 0.07, 0.07),
    "O": (0.8, 0.09, 0.08),
    "U": (0.85, 0.1, 0.08),
}
_REACH = np.arange(-25, 26) * 0.01  # s round a phone's frame into which its shape reaches
CLOSES, OPENS = 0.4, 0.24  # posterior of P: a closure begins above the first and ends below the second
_DOUBTED = 0.15  # posterior of P from which lips approach each other, up to CLOSES
ALMOST = 0.8  # closure that lips approach without a closure: 1 is shut
_SHORTEST = 2  # frames of a closure
_HELD = 4  # frames for which a closure is held at least: one frame of video at 25 fps
_APPROACH, _RELEASE = 5, 6  # frames in which lips close, and open
_RISE = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, _APPROACH + 1) / (_APPROACH + 1))  # by frames before a closure
_FALL = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, _RELEASE + 1) / (_RELEASE + 1))  # by frames after it
_BITE = 1.3 * np.hanning(7) / np.hanning(7).sum()  # 1.3: so that a short f reaches the lip too
_F_JAW = float(SHAPES[F, 0])
JAW, _WIDTH, _ROUNDING, CLOSURE, LABIODENTAL, _TONGUE = range(len(CURVES))


def curves(posteriors: Floats) -> Floats:
    """[T, 6] at 100 frames a second: the columns and units of classes.CURVES. During a closure the jaw is 0.

    posteriors: [T, 20], columns as classes.CLASSES.
    """
    dominance = np.stack([_spread(column, *_DOMINANCE[name]) for name, column in zip(CLASSES, posteriors.T, strict=True)], 1)
    shape = (dominance @ SHAPES) / (dominance.sum(1, keepdims=True) + 1e-6)
    closed = closure_track(posteriors)
    biting = np.clip(_same(posteriors[:, F], _BITE), 0, 1)
    shape[:, JAW] += biting * (_F_JAW - shape[:, JAW])
    shape[:, JAW] *= 1 - closed
    shape[:, CLOSURE] = closed
    shape[:, LABIODENTAL] = biting * (1 - closed)
    return np.asarray(shape.astype(np.float32))


def _spread(column: Floats, strength: float, before: float, after: float) -> Floats:
    kernel = np.exp(-np.abs(_REACH) / np.where(_REACH < 0, before, after))
    return strength * _same(column, kernel)


def _same(column: Floats, kernel: Floats) -> Floats:
    reach = len(kernel) // 2
    return np.convolve(np.pad(column, reach), kernel)[2 * reach : 2 * reach + len(column)]  # an empty column is none to numpy


def closures(posteriors: Floats) -> list[tuple[int, int]]:
    """Every bilabial closure as its first frame and the one after its last, by hysteresis on the posterior of P.

    posteriors: [T, 20] at 100 frames a second.
    """
    track = posteriors[:, P]
    found = []
    above = np.flatnonzero(track > CLOSES)
    end = 0
    for start in above:
        if start < end:
            continue
        open_again = np.flatnonzero(track[start:] < OPENS)
        end = int(start + open_again[0]) if len(open_again) else len(track)
        if end - start >= _SHORTEST:
            found.append((int(start), end))
    return found


def closure_track(posteriors: Floats) -> Floats:
    """[T], 1 while the lips are pressed, with a raised cosine of 50 ms before and 60 ms after; up to ALMOST where the posterior
    of P lies between _DOUBTED and CLOSES."""
    frames = len(posteriors)
    near = ALMOST * np.clip((posteriors[:, P] - _DOUBTED) / (CLOSES - _DOUBTED), 0, 1)
    for start, end in closures(posteriors):
        missing = max(_HELD - (end - start), 0)
        first = max(start - missing // 2, 0)
        near[first : first + max(end - start, _HELD)] = 1
    track = near.copy()
    for by, share in enumerate(_RISE, 1):
        track[:-by] = np.maximum(track[:-by], share * near[by:])
    for by, share in enumerate(_FALL, 1):
        track[by:] = np.maximum(track[by:], share * near[:-by])
    return track[:frames]
