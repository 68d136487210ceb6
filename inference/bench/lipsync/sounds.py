"""How far open mouths are in each sound that is heard: those of people who speak, and those that were made."""

from dataclasses import dataclass

import numpy as np

from enhance.speech.classes import CLASSES, SIL, P

from .metrics import LIPS_MEET, Floats
from .run import Run

SURE = 0.45  # posterior of a class, from which a frame shows its sound
OPEN_SOUNDS = ("W", "L", "R", "AH")
"""In these a made mouth is easily shut, and a person's seldom."""


@dataclass(frozen=True)
class Sounds:
    """Of one track of openings. frames, shut: by OPEN_SOUNDS, how many show the sound, and how many of them with lips that
    touch. median: opening in outer-eye distances, over all frames of speech but p, b and m; NaN without any."""

    frames: Floats
    shut: Floats
    median: float


def sounds_of(opened: Floats, run: Run) -> Sounds:
    """Of a run's judged frames, in which the mouth is `opened`."""
    late = float(run.told["lag"]) if run.role == "self" else 0.0
    return by_sound(opened, run.times[run.judged] + 0.5 / run.fps - late, run.posteriors)


def by_sound(opened: Floats, middles: Floats, posteriors: Floats) -> Sounds:
    """opened: f openings, NaN without a face. middles: f seconds on the clock of the posteriors (T x 20, 100 a second)."""
    at = np.floor(middles * 100).astype(int)
    known = np.isfinite(opened) & (at >= 0) & (at < len(posteriors))
    rows, seen = posteriors[at[known]], opened[known]
    said = np.where(rows.max(axis=1) > SURE, rows.argmax(axis=1), SIL)
    of = [seen[said == CLASSES.index(name)] for name in OPEN_SOUNDS]
    spoken = seen[(said != SIL) & (said != P)]
    shut = np.array([(each < LIPS_MEET).sum() for each in of])
    return Sounds(np.array([len(each) for each in of]), shut, float(np.median(spoken)) if len(spoken) else float("nan"))


def table_of_sounds(people: list[Sounds], made: dict[str, list[Sounds]]) -> str:
    """Markdown: the share of the frames of each sound with shut lips, and the median opening in speech, of people and of each
    kind of runs; both also as a multiple of people's."""
    head = ["lips shut in", *OPEN_SOUNDS, "all, ÷ people's", "median opening", "÷ people's"]
    usual = _figures(people)
    lines = [head, ["---"] * len(head)]
    for name, found in {"people": people, **made}.items():
        each, whole, median = _figures(found)
        times = [ours / theirs if theirs else float("nan") for ours, theirs in ((whole, usual[1]), (median, usual[2]))]
        cells = [*(f"{share:.0%}" for share in each), f"{times[0]:.2f}", f"{median:.3f}", f"{times[1]:.2f}"]
        lines.append([name, *(cell if "nan" not in cell else "-" for cell in cells)])
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines] + [""])


def _figures(found: list[Sounds]) -> tuple[Floats, float, float]:
    """Shares of shut frames by sound and of the mean sound, so that no frequent one outweighs the others; mean of medians."""
    frames, shut = (np.sum([getattr(each, name) for each in found], axis=0) for name in ("frames", "shut"))
    shares = np.where(frames > 0, shut / np.maximum(frames, 1), np.nan)
    medians = np.array([each.median for each in found])
    return shares, float(np.nanmean(shares)), float(np.nanmean(medians[np.isfinite(medians)]))
