"""The last step of the plan: motion becomes mouth shapes in the subject's own measures, at the times of the frames."""

import numpy as np

from enhance.geometry.heads import Array
from enhance.geometry.upper_lip import usual_rise
from enhance.runs import runs
from enhance.speech.classes import CURVES, SIL
from enhance.speech.curves import ALMOST, curves

from .hearing import Speech, as_long
from .measures import AS_WIDE, CORNERS, MEASURES, OPENING, UPPER, WIDTH
from .mouth_range import MouthRange
from .stillness import liveliness
from .tracks import FRAME, at, interval, smooth

TARGETS = ("opening", "width", "rounding", "upper", "corners", "press", "labiodental", "tongue", "jaw", "chin")
LARGEST_OPENING = 0.30  # S
_UPPER_WITHIN, _CORNERS_WITHIN = (-0.07, 0.12), (-0.07, 0.09)  # S from rest: beyond, it is the head that moves
_KNEE = 0.8  # of the least opening in speech: within about so much of it, openings are drawn up
_AS_SEEN = 1.07  # a mesh sees what is rendered less open than it was asked to be, and the openings of people are what it sees
_NARROW, _MORE = (0.0, 0.05, 0.09, 0.13), (0.0, 0.005, 0.005, 0.0)
"""S by which it sees openings of so many S less open than that: their corners are lip, not dark (docs/decisions/0124)."""
_RISE_TOLD = 0.5
"""Of what an upper lip rises more or less than usual, the share that is believed: a mesh has people differ twice as much
as they do (docs/decisions/0135)."""
_BITTEN = 0.05  # S: the opening of f and v
_LONGEST_FRAME = 0.1  # s: after that a frozen picture, not a slow frame
_JAW_LAGS = 0.05  # s: sigma of the Gaussian by which a jaw smooths what the lips do (docs/decisions/0148)
_MET = 0.95  # value of the closure track from which the lips touch
_QUIET = 30  # frames before and after a sound, in which lips come to rest


def mouth_shapes(motion: Array, speech: Speech, times: Array, mouth: MouthRange, *, lag: float, expressiveness: float) -> Array:
    """f x 10 TARGETS at `times`, the f seconds at which frames appear.

    motion: T x 4 MEASURES of mean 0 and spread 1, at 100 frames/s. mouth: the subject's, in S. lag: s by which the picture is
    to be late. expressiveness: 0..1. Lips that meet do so in the frame that shows the moment, however short it is; in
    silence, and before and after the sound, they rest. opening, width, upper, corners and jaw are in S, the rest
    0..1; chin is a share of the jaw.
    """
    if not len(motion):
        motion = np.zeros((1, len(MEASURES)))
    motion = np.pad(motion, ((_QUIET, _QUIET), (0, 0)), "edge")
    frames = len(motion)
    alive = as_long(liveliness(np.pad(speech.activity, _QUIET)), frames)[:, None]
    said = dict(zip(CURVES, as_long(curves(_in_quiet(speech.posteriors)), frames).T, strict=True))
    measures = mouth.rest + (mouth.mean + motion * mouth.spread * (0.5 + expressiveness) - mouth.rest) * alive
    biting = said["labiodental"] * alive[:, 0]
    parted = mouth.parted * alive[:, 0]
    measures[:, OPENING] = _within(_AS_SEEN * _above(measures[:, OPENING], parted), 0, LARGEST_OPENING)
    measures[:, OPENING] += np.interp(measures[:, OPENING], _NARROW, _MORE)
    measures[:, WIDTH] *= 1 + (AS_WIDE - 1) * alive[:, 0]
    measures[:, OPENING] += biting * np.minimum(_BITTEN - measures[:, OPENING], 0)

    starts = times - lag + _QUIET * FRAME
    ends = starts + np.clip(np.diff(times, append=times[-1:] + interval(times)), 0.01, _LONGEST_FRAME)
    middles = (starts + ends) / 2
    press = at(said["closure"][:, None], middles)[:, 0]
    apart = np.where(_meet(said["closure"], starts, ends), 0, 1 - press)
    press = np.maximum(1 - apart - ALMOST, 0) / (1 - ALMOST)
    shape = at(measures, middles)
    rounding, tongue, bite = at(np.stack([said["rounding"], said["tongue"], biting], 1) * alive, middles).T
    raised = _within(shape[:, UPPER] - mouth.rest[UPPER], *_UPPER_WITHIN)
    usual = usual_rise(np.maximum(shape[:, OPENING] - mouth.rest[OPENING], 0))
    # Lips that only come near each other stay as far apart as in other sounds.
    ajar = np.minimum(at(parted[:, None], middles)[:, 0], shape[:, OPENING]) * (1 - press)
    open_jaw = np.minimum(parted, measures[:, OPENING])
    open_jaw += (measures[:, OPENING] - open_jaw) * (1 - said["closure"])
    columns = {
        "opening": ajar + (shape[:, OPENING] - ajar) * apart,
        "width": shape[:, WIDTH],
        "rounding": rounding,
        "upper": (usual + _RISE_TOLD * (raised - usual)) * apart,
        "corners": _within(shape[:, CORNERS] - mouth.rest[CORNERS], *_CORNERS_WITHIN) * apart,
        "press": press,
        "labiodental": bite * apart,
        "tongue": tongue * apart,
        "jaw": at(smooth(open_jaw, _JAW_LAGS)[:, None], middles)[:, 0],
        "chin": np.full(len(times), mouth.chin),
    }
    return np.asarray(np.stack([columns[name] for name in TARGETS], 1), np.float32)


def _in_quiet(posteriors: Array) -> Array:
    """Posteriors (T x 20) with _QUIET frames of silence more at both ends."""
    quiet = np.zeros((_QUIET, posteriors.shape[1]))
    quiet[:, SIL] = 1
    return np.concatenate([quiet, posteriors, quiet])


def _meet(closure: Array, starts: Array, ends: Array) -> Array:
    """Which of the frames from starts to ends (s) show lips that touch: those whose middle lies in a closure, and the one that
    a closure between two middles falls into."""
    meet = np.zeros(len(starts), bool)
    middles = (starts + ends) / 2
    for begin, over in runs(closure > _MET):
        first, past = np.searchsorted(middles, (begin * FRAME, over * FRAME))
        if first == past:
            middle = (begin + over) / 2 * FRAME
            first = max(int(np.searchsorted(starts, middle, "right")) - 1, 0)
            past = first + int(starts[first] <= middle < ends[first])
        meet[first:past] = True
    return meet


def _above(track: Array, least: Array) -> Array:
    """A track held above `least`, 0 or more, which it approaches as softplus does; where that is 0 it is cut off."""
    knee = np.maximum(_KNEE * least, 1e-6)
    over = (track - least) / knee
    return np.asarray(least + knee * np.logaddexp(0, over))


def _within(track: Array, least: float, most: float) -> Array:
    """A track held within least (at most 0) and most: over the last quarter of the way it approaches them by a tanh."""
    bent = track.copy()
    for sign, limit in ((1, most), (-1, -least)):
        room = limit / 4
        if room:
            over = np.maximum(sign * bent - 3 * room, 0)
            bent -= sign * (over - room * np.tanh(over / room))
    return bent
