"""When the mouth may move: during speech, and a little before and after it. In silence it rests."""

import numpy as np

from enhance.geometry.heads import Array
from enhance.runs import runs

from .tracks import FRAME, smooth

_SPEECH = 0.5  # activity from which a frame is speech
_PAUSE = 0.25  # s: shorter gaps are part of speech
_SHORTEST = 0.12  # s: less is a click, or where a cut left a piece of a word; words that stand alone take twice as long
_BEFORE, _AFTER = 0.15, 0.05  # s before and after the sound at which lips are half as far open as in speech


def liveliness(activity: Array) -> Array:
    """How far the mouth may move, T values 0..1 at 100 frames/s: 0 at rest, 1 during speech. activity: T, 0..1."""
    speaking = _close(np.asarray(activity) > _SPEECH, round(_PAUSE / FRAME))
    speaking = ~_close(~speaking, round(_SHORTEST / FRAME))
    early, late = round(_BEFORE / FRAME), round(_AFTER / FRAME)
    wide = speaking.copy()
    for start, end in runs(speaking):
        wide[max(0, start - early) : end + late] = True
    return np.clip(smooth(wide.astype(np.float64), 0.03), 0, 1)


def _close(flags: Array, shortest: int) -> Array:
    """Runs of False shorter than `shortest` filled, but not at the ends."""
    filled = flags.copy()
    for start, end in runs(~flags):
        if end - start < shortest and start > 0 and end < len(flags):
            filled[start:end] = True
    return filled
