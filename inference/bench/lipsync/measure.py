"""A run's numbers from what was seen of it, and the null: how well a mouth goes with a sound that it does not speak."""

from typing import Any

import numpy as np

from . import metrics
from .judge import KINDS, Seen
from .metrics import Floats
from .run import Run

Numbers = dict[str, Any]
TOLD = ("changed_outside", "frames", "frames_passed_through", "real_time", "peak_mib", "lag")  # measured by the pipeline itself
LIKE = 0.15  # of the source's range: where openings differ by less, the inside of the mouth is compared
FEWEST = 25  # frames with speech, or pairs of frames that are as far open, from which a run's figures say something of them


def measure(run: Run, seen: Seen) -> Numbers:
    """Of both networks: keys end with the network's name. NaN where a number does not apply."""
    numbers: Numbers = {}
    for kind in KINDS:
        numbers |= {f"{name}_{kind}": value for name, value in _of_tracks(run, seen, kind).items()}
    numbers |= {name: run.told.get(name) for name in TOLD}
    for name in ("psnr", "ssim", "sharpness", "seam", "rim", "lip_colour"):
        numbers[name] = mean(getattr(seen, name))
    numbers |= _inside(run, seen)
    judged = run.judged
    numbers["no_face"] = int((~np.isfinite(seen.output["attention"][judged, 13, 0])).sum())
    return numbers


def speaks(run: Run) -> bool:
    """Whether enough is said for its numbers to be of speech."""
    return int(metrics.quiet_and_spoken(run.activity, run.times)[1].sum()) >= FEWEST


def mean(values: Floats) -> float:
    """The mean of the values that are finite; NaN where none is."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _inside(run: Run, seen: Seen) -> Numbers:
    """Of the teeth and what is round them. They can be compared only in a run with the clip's own sound, and there in
    frames where the mouth is as far open as it was."""
    truth, opened = metrics.openings(seen.source["attention"]), metrics.openings(seen.output["attention"])
    numbers: Numbers = {"shimmer": metrics.flicker(seen.output_luma)}
    if run.role == "portrait":
        return numbers
    numbers["shimmer_ratio"] = numbers["shimmer"] / max(metrics.flicker(seen.source_luma), 1e-9)
    numbers["inner_sharpness"] = mean(seen.inner_sharpness)
    own, made = metrics.changes(seen.source_flat, truth), metrics.changes(seen.output_flat, opened, run.targets[:, 0])
    numbers["pairs"], numbers["own_pairs"] = len(made), len(own)
    if min(len(own), len(made)) >= FEWEST:
        numbers["identity"] = float(made.mean() / own.mean())
        large, minutes = own.mean() + 3 * own.std(), run.judged.sum() / run.fps / 60
        numbers["jumps"], numbers["own_jumps"] = (float((steps > large).sum() / minutes) for steps in (made, own))
    if run.role == "self":
        low, high = metrics.opening_range(truth[run.judged])
        alike = np.abs(truth - opened) <= LIKE * (high - low)
        numbers |= {name: mean(getattr(seen, name)[alike]) for name in ("inner_psnr", "inner_ssim")}
        numbers["inner_frames"] = int(np.isfinite(seen.inner_psnr[alike]).sum())
    return numbers


def _of_tracks(run: Run, seen: Seen, kind: str) -> Numbers:
    judged = run.judged
    meshes = seen.output[kind][judged]
    opened = metrics.openings(meshes)
    asked, times = run.targets[judged, 0], run.times[judged]
    quiet, spoken = metrics.quiet_and_spoken(run.activity, run.times)
    shut, bilabials = metrics.closure(opened, times, run.bilabials)
    numbers: Numbers = {
        "asked_r": metrics.correlation(asked, opened),
        "asked_slope": metrics.slope(asked, opened),
        "shut": shut,
        "bilabials": bilabials,
        "stillness": metrics.stillness(opened, quiet[judged], spoken[judged]),
        "asked_stillness": metrics.stillness(asked, quiet[judged], spoken[judged]),
        "flicker": metrics.flicker(opened),
    }
    if run.role == "portrait":
        return numbers
    before = seen.source[kind][judged]
    truth = metrics.openings(before)
    # Not with another sound: the source's mouth then says something else.
    whose = "ratio" if run.role == "self" else "beside"
    corners_off, area = metrics.lips_shut(meshes, before)
    thickness = [metrics.lip_thickness(track, opening) for track, opening in ((before, truth), (meshes, opened))]
    numbers |= {
        f"flicker_{whose}": metrics.flicker(opened) / max(metrics.flicker(truth), 1e-9),
        f"corner_{whose}": metrics.corner_jitter(meshes) / max(metrics.corner_jitter(before), 1e-9),
        "leftover": metrics.leftover(truth, opened, asked),
        "lip_thickness": thickness[1] / thickness[0],
        "corners_off": corners_off,
        "shut_area": area,
    }
    if run.role == "self":
        best, lag = metrics.best_lag(truth, opened, run.fps)
        widths = [metrics.distances(track, metrics.CORNERS) for track in (before, meshes)]
        numbers |= {
            "r": metrics.correlation(truth, opened),
            "r_best": best,
            "lag_best": lag,
            "planned_r": metrics.correlation(truth, asked),
            "width_r": metrics.correlation(*widths),
            "std_ratio": metrics.std_ratio(truth, opened),
            "lmd": metrics.lip_distance(before, meshes),
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
