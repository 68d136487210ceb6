"""How well the planned mouth follows a person's own: each clip driven by its own sound, in two halves.

One half of the clip is what the planner may look at, the other is judged, with a gap between; then the other way round.
The mismatched-audio null is the same with other clips' sound.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from enhance.geometry.heads import Array, heads_of
from enhance.plan.hearing import Speech
from enhance.plan.measures import OPENING, WIDTH, measure_lips
from enhance.plan.plan import Footage, Plan, PlanSettings, plan
from enhance.plan.prior import Prior
from enhance.speech.analysis import SpeechAnalyser

from .footage import Recording

GAP = 0.4  # s between what is looked at and what is judged
PLANNERS: Mapping[str, PlanSettings] = {
    "visemes": PlanSettings(visemes=1, residual=False, weigh=False),
    "prior": PlanSettings(visemes=0, residual=False, weigh=False),
    "prior + residual": PlanSettings(visemes=0, weigh=False),
    "shipped": PlanSettings(),
}


@dataclass(frozen=True)
class Take:
    """A clip to judge on: its mesh points and times, its sound with what `speech` says of it."""

    name: str
    points: Array
    times: Array
    speech: Speech


def take_of(name: str, recording: Recording, analyser: SpeechAnalyser) -> Take:
    """A clip with what the speech model hears in it."""
    heard = analyser.analyse(recording.pcm, fuse=True)
    return Take(name, recording.points, recording.times, Speech(recording.pcm, heard.posteriors, heard.activity))


@dataclass(frozen=True)
class Score:
    """r, width: correlation of opening and width at no lag. null: r with others' sound. std, flicker: planned / true.

    best: r at the best lag within 0.2 s. lag: ms, the clip's own as estimated.
    """

    r: float
    best: float
    null: float
    width: float
    std: float
    flicker: float
    lag: float


def judge(take: Take, prior: Prior, settings: PlanSettings, others: list[Take]) -> Score:
    """The mean of both halves."""
    seen = np.isfinite(take.points).all((1, 2))
    truth = measure_lips(heads_of(take.points[seen]).lips)
    middle = (take.times[0] + take.times[-1]) / 2
    halves = [take.times < middle - GAP / 2, take.times > middle + GAP / 2]
    scores = []
    for learn, target in (halves, halves[::-1]):
        footage = Footage(take.points, take.times, learn, take.speech)
        judged = target & seen
        times, true = take.times[judged], truth[judged[seen]]
        ask = partial(_plan, prior, footage, settings)
        planned = ask(take.speech, times)
        shapes = planned.shapes
        nulls = [_null(ask, other, times, true) for other in others if other.name != take.name]
        scores.append(
            Score(
                correlation(shapes[:, 0], true[:, OPENING]),
                _best(shapes[:, 0], true[:, OPENING], times),
                float(np.mean(nulls)) if nulls else float("nan"),
                correlation(shapes[:, 1], true[:, WIDTH]),
                float(shapes[:, 0].std() / true[:, OPENING].std()),
                float(flicker(shapes[:, 0]) / flicker(true[:, OPENING])),
                1000 * planned.lag,
            )
        )
    return mean(scores)


def _plan(prior: Prior, footage: Footage, settings: PlanSettings, speech: Speech, times: Array) -> Plan:
    return plan(prior, speech, times, footage, settings)


def _null(ask: Callable[..., Plan], other: Take, times: Array, true: Array) -> float:
    length = len(other.speech.posteriors) / 100 - 1
    elsewhere = 0.5 + (times - times[0]) % length
    return correlation(ask(other.speech, elsewhere).shapes[:, 0], true[:, OPENING])


def _best(planned: Array, true: Array, times: Array) -> float:
    lags = np.arange(-0.2, 0.201, 0.02)
    return max(correlation(np.interp(times - lag, times, planned), true) for lag in lags)


def correlation(a: Array, b: Array) -> float:
    """Pearson's r of two tracks; 0 where one does not move."""
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 1e-9 and b.std() > 1e-9 else 0.0


def flicker(opening: Array) -> float:
    """The mean size of the second difference of a track."""
    return float(np.abs(np.diff(opening, 2)).mean())


def mean(scores: list[Score]) -> Score:
    """The mean of each figure, NaN left out."""
    return Score(**{each.name: float(np.nanmean([getattr(s, each.name) for s in scores])) for each in fields(Score)})


def line(name: str, score: Score) -> str:
    """A row of the table."""
    return (
        f"{name:32s} r {score.r:5.2f}  best {score.best:5.2f}  null {score.null:5.2f}  width {score.width:5.2f}"
        f"  std {score.std:4.2f}  flicker {score.flicker:4.2f}  lag {score.lag:+4.0f} ms"
    )


def memory(prior: Prior) -> Prior:
    """The prior, with what it said of each sound kept: judging asks for the same sounds many times."""
    kept: dict[int, tuple[Array, Array]] = {}

    def remembered(mel: Array, heard: Array) -> Array:
        found = kept.get(id(mel))
        if found is None or found[0] is not mel:
            found = kept[id(mel)] = (mel, prior(mel, heard))
        return found[1]

    return remembered
