"""All numbers as markdown: clips, then portraits."""

import numpy as np

from .judge import KINDS
from .measure import FEWEST, Numbers, speaks
from .run import Run
from .table import ASKED, MORE, PORTRAITS, Measured, clip_by_clip, run_by_run, side_by_side

COUNTS = ("changed_outside", "frames_passed_through", "no_face", "inner_frames", "shut", "bilabials")


def report(models: list[str], found: list[tuple[Run, Numbers]], speeds: dict[str, float]) -> str:
    """Markdown tables of all figures. speeds: by model, seconds of output for each second of work."""
    clips: Measured = {}
    for run, _ in found:
        of_clip = [(other, numbers) for other, numbers in found if (other.model, other.clip) == (run.model, run.clip)]
        if run.role != "portrait" and (run.model, run.clip) not in clips:
            clips[run.model, run.clip] = {**_of_clip(of_clip), "speed": speeds.get(run.model)}
    spoken = {key: numbers for key, numbers in clips.items() if "r_attention" in numbers}
    portraits: Measured = {(run.model, run.clip): numbers for run, numbers in found if run.role == "portrait"}
    parts = []
    for title, rows in (("Asked for", ASKED), ("What else was measured", MORE)):
        # A clip without speech of its own, or not run with it, has only some of the figures.
        chosen = spoken or clips
        parts += [f"### {title}", "", side_by_side(models, rows, chosen), clip_by_clip(models, rows, clips)]
    runs = [(run.name, run.model, numbers) for run, numbers in found]
    parts += [f"### The inside of each run; no figures below {FEWEST} pairs", "", run_by_run(runs)]
    if portraits:
        parts += ["### Portraits", "", clip_by_clip(models, PORTRAITS, portraits)]
    return "\n".join(parts)


def _of_clip(found: list[tuple[Run, Numbers]]) -> Numbers:
    """One clip's figures: means over the halves with its own sound where these have them, else of the run with another sound.
    Counts and the figures of closing and resting are of all runs."""
    own = [numbers for run, numbers in found if run.role == "self" and speaks(run)]
    foreign = [numbers for run, numbers in found if run.role == "foreign"]
    whole: Numbers = {}
    for key in dict.fromkeys(key for _, numbers in found for key in numbers):
        counted = key.removesuffix("_attention").removesuffix("_plain") in COUNTS
        chosen = own + foreign if counted or key.startswith(("asked_r", "stillness")) or not own else own
        values = np.array([_number(numbers.get(key)) for numbers in chosen])
        if np.isfinite(values).any():
            whole[key] = int(np.nansum(values)) if counted else float(np.nanmean(values))
    for kind in KINDS:
        whole[f"leftover_foreign_{kind}"] = foreign[0][f"leftover_{kind}"] if foreign else None
    return whole


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")
