"""A run's numbers from what was seen of it, and the null: how well a mouth goes with a sound that it does not speak."""

from typing import Any

import numpy as np

from enhance.speech.classes import P

from . import metrics
from .judge import KINDS, Seen
from .metrics import Floats
from .run import Run

Numbers = dict[str, Any]
TOLD = ("changed_outside", "frames", "frames_passed_through", "real_time", "peak_mib", "lag")  # by the pipeline itself


def measure(run: Run, seen: Seen) -> Numbers:
    """Of both networks: keys end with the network's name. NaN where a number does not apply."""
    numbers: Numbers = {}
    for kind in KINDS:
        numbers |= {f"{name}_{kind}": value for name, value in _of_tracks(run, seen, kind).items()}
    numbers |= {name: run.told.get(name) for name in TOLD}
    judged = run.judged
    for name in ("psnr", "ssim", "sharpness", "seam"):
        values = getattr(seen, name)[judged]
        numbers[name] = float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
    numbers["no_face"] = int((~np.isfinite(seen.output["attention"][:, 13, 0])).sum())
    return numbers


def _of_tracks(run: Run, seen: Seen, kind: str) -> Numbers:
    judged = run.judged
    opened = metrics.openings(seen.output[kind])
    asked = run.targets[:, 0]
    quiet, spoken = metrics.quiet_and_spoken(run.activity, run.times)
    shut, bilabials = metrics.closure(opened, run.times, metrics.bilabials(run.posteriors, P))
    numbers: Numbers = {
        "asked_r": metrics.correlation(asked[judged], opened[judged]),
        "asked_slope": metrics.slope(asked[judged], opened[judged]),
        "shut": shut,
        "bilabials": bilabials,
        "stillness": metrics.stillness(opened, quiet, spoken),
        "asked_stillness": metrics.stillness(asked, quiet, spoken),
        "flicker": metrics.flicker(opened[judged]),
    }
    if run.role == "portrait":
        return numbers
    truth = metrics.openings(seen.source[kind])
    # Of another sound it is only beside the truth: that mouth says something else.
    numbers["flicker_ratio" if run.role == "self" else "flicker_beside"] = metrics.flicker(opened[judged]) / max(
        metrics.flicker(truth[judged]), 1e-9
    )
    if run.role == "self":
        best, lag = metrics.best_lag(truth[judged], opened[judged], run.fps)
        width = [metrics.distances(meshes[kind], metrics.CORNERS) for meshes in (seen.source, seen.output)]
        numbers |= {
            "r": metrics.correlation(truth[judged], opened[judged]),
            "r_best": best,
            "lag_best": lag,
            "planned_r": metrics.correlation(truth[judged], asked[judged]),
            "width_r": metrics.correlation(width[0][judged], width[1][judged]),
            "std_ratio": metrics.std_ratio(truth[judged], opened[judged]),
            "lmd": metrics.lip_distance(seen.source[kind][judged], seen.output[kind][judged]),
        }
    return numbers


def null(truth: tuple[Floats, Floats], others: list[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Mean r at zero lag and at the best lag of one clip's true track against tracks made from other sounds, each a pair of
    times and openings, compared on the truth's frames as far as both go."""
    times, opened = truth
    fps = float(1 / np.median(np.diff(times)))
    zero, best = [], []
    for other_times, other in others:
        known = np.isfinite(other)
        if known.sum() < 8:
            continue
        common = times <= other_times[known][-1]
        track = np.interp(times[common], other_times[known], other[known])
        zero.append(metrics.correlation(opened[common], track))
        best.append(metrics.best_lag(opened[common], track, fps)[0])
    if not np.isfinite(zero).any():
        return float("nan"), float("nan")
    return float(np.nanmean(zero)), float(np.nanmean(best))
