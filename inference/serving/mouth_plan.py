"""`mouth_plan` as a Triton model; its contract is models/mouth_plan/config.pbtxt."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.landmarks import PLAN_POINTS
from enhance.plan.choice import choose
from enhance.plan.hearing import Speech
from enhance.plan.plan import Footage, PlanSettings, plan
from enhance.plan.prior import open_priors
from enhance.plan.references import references
from enhance.speech.activity import speech_activity
from enhance.speech.classes import CLASSES
from enhance.speech.features import HOP

from .shell import Inputs, Shell

Array = npt.NDArray[Any]


class MouthPlanModel(Shell):
    """Mouth shapes for a whole clip, and which frames lend their mouths."""

    def initialize(self, _args: dict[str, str]) -> None:
        """Opens the networks that predict lips from sound."""
        self.priors = open_priors()

    def run(self, inputs: Inputs, wanted: list[str]) -> dict[str, Array]:
        """What is wanted: TARGETS and LAG, the plan; REFERENCES and BANK, which tell frames apart and need no sound."""
        speech = Speech(*_sound(inputs, ""), inputs["ACTIVITY"])
        _expect("ACTIVITY", speech.activity, len(speech.posteriors))
        pcm, posteriors = _sound(inputs, "CLIP_")
        own = Speech(pcm, posteriors, speech_activity(posteriors))
        times = inputs["TIMES"]
        _expect("TIMES", times, None)
        keep_lag = inputs.get("KEEP_LAG")
        footage, quality = _footage(inputs, own), _quality(inputs)
        settings = PlanSettings(_share(inputs, "EXPRESSIVENESS"), keep_lag is None or bool(keep_lag.all()))
        outputs: dict[str, Array] = {}
        if "TARGETS" in wanted or "LAG" in wanted:
            prior = partial(self.priors[quality], go_on=inputs.stop_if_cancelled)
            planned = plan(prior, speech, times.astype(np.float64), footage, settings)
            outputs.update({"TARGETS": planned.shapes, "LAG": np.array([planned.lag], np.float32)})
            inputs.stop_if_cancelled()
        if "REFERENCES" in wanted:
            outputs["REFERENCES"] = references(footage.points, footage.times, footage.learn)
        if "BANK" in wanted:
            outputs["BANK"] = choose(footage.points, footage.times, footage.learn)
        return outputs


def _quality(inputs: Inputs) -> int:
    if inputs.get("QUALITY") is None:
        return 0
    quality = int(inputs.number("QUALITY"))
    if quality not in (0, 1, 2):
        raise ValueError(f"expected QUALITY 0, 1 or 2, got {quality}")
    return quality


def _sound(inputs: Inputs, whose: str) -> tuple[Array, Array]:
    pcm, posteriors = inputs[f"{whose}PCM"], inputs[f"{whose}POSTERIORS"]
    _expect(f"{whose}PCM", pcm, None)
    _expect(f"{whose}POSTERIORS", posteriors, len(pcm) // HOP, len(CLASSES))
    return pcm, posteriors


def _footage(inputs: Inputs, own: Speech) -> Footage:
    points, times, learn = inputs["POINTS"], inputs["POINT_TIMES"], inputs["LEARN"]
    _expect("POINT_TIMES", times, None)
    if points.shape != (len(times), len(PLAN_POINTS), 3):
        raise ValueError(f"expected POINTS {[len(times), len(PLAN_POINTS), 3]}, got {list(points.shape)}")
    _expect("LEARN", learn, len(times))
    return Footage(points.astype(np.float64), times.astype(np.float64), learn != 0, own)


def _expect(name: str, values: Array, length: int | None, *rest: int) -> None:
    """Raises ValueError unless the values are finite and [length, *rest]; any length where that is None."""
    if values.ndim != 1 + len(rest) or values.shape[1:] != rest or length not in (None, len(values)):
        raise ValueError(f"expected {name} {['n' if length is None else length, *rest]}, got {list(values.shape)}")
    if not np.isfinite(values).all():
        raise ValueError(f"expected finite numbers in {name}, got NaN or infinity")


def _share(inputs: Inputs, name: str) -> float:
    value = float(inputs.number(name))
    if not 0 <= value <= 1:
        raise ValueError(f"expected {name} 0 to 1, got {value}")
    return value
