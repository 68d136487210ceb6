"""python -m bench.lipsync FOLDER WEIGHTS: tables of all runs in FOLDER/*/run.json, and a contact sheet of each run beside it.

Two judges, the attention mesh that also drives the warp, and the plain one that does not; both look at each frame alone.
Prints markdown; FOLDER/numbers.json has every number.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .judge import KINDS, Judge, Seen
from .measure import Numbers, measure, null
from .metrics import Floats, openings
from .run import Run, runs_in
from .sheet import wanted, write_sheet
from .table import COST, FOREIGN, PIXELS, SELF, table

Tracks = dict[str, dict[str, tuple[Floats, Floats]]]


def main(folder: Path, weights: Path) -> None:
    judge = Judge(weights)
    runs = runs_in(folder)
    numbers: dict[str, Numbers] = {}
    truths: Tracks = {}
    made: Tracks = {}
    for run in runs:
        seen = judge.look(run, wanted(run))
        numbers[run.name] = measure(run, seen)
        write_sheet(run, seen, folder / f"{run.name}.png")
        for kind in KINDS:
            _remember(run, seen, kind, truths, made)
        print(f"measured {run.name}", file=sys.stderr, flush=True)
    for run in runs:
        if run.role == "self":
            _add_null(run, truths, made, numbers[run.name])
    (folder / "numbers.json").write_text(json.dumps(numbers, indent=1, default=float))
    print(report(runs, numbers))


def _remember(run: Run, seen: Seen, kind: str, truths: Tracks, made: Tracks) -> None:
    if run.role == "self":
        truth = openings(seen.source[kind])[run.judged]
        truths.setdefault(run.name, {})[kind] = (run.times[run.judged] - run.times[run.judged][0], truth)
    made.setdefault(run.name, {})[kind] = (run.times, openings(seen.output[kind]))


def _add_null(run: Run, truths: Tracks, made: Tracks, numbers: Numbers) -> None:
    """Against every output of another sound, whoever speaks it."""
    sound = {name: other.told["sound"] for name, other in ((other.name, other) for other in runs_in(run.folder.parent))}
    for kind in KINDS:
        others = [tracks[kind] for name, tracks in made.items() if sound[name] != run.told["sound"]]
        numbers[f"null_{kind}"], numbers[f"null_best_{kind}"] = null(truths[run.name][kind], others)


def report(runs: list[Run], numbers: dict[str, Numbers]) -> str:
    parts = []
    clips = {run.told["clip"]: [other for other in runs if other.told["clip"] == run.told["clip"]] for run in runs}
    for kind in KINDS:
        own = {clip: _folds(found, numbers, kind) for clip, found in clips.items()}
        own = {clip: values for clip, values in own.items() if values}
        if own:
            parts.append(table(f"Own sound, each half planned from the other: {kind} mesh as judge", SELF, own))
    own = {clip: _folds(found, numbers, "attention") for clip, found in clips.items()}
    own = {clip: values for clip, values in own.items() if values}
    if own:
        parts.append(table("Own sound: pixels", PIXELS, own))
    for role, title in (("foreign", "Another sound"), ("portrait", "Portraits")):
        chosen = [run for run in runs if run.role == role]
        for kind in KINDS:
            rows = {run.name: _of_kind(numbers[run.name], kind) for run in chosen}
            if rows:
                parts.append(table(f"{title}: {kind} mesh as judge", FOREIGN, rows))
        if chosen:
            parts.append(table(f"{title}: cost and pixels", COST, {run.name: numbers[run.name] for run in chosen}))
    return "\n".join(parts)


def _folds(runs: list[Run], numbers: dict[str, Numbers], kind: str) -> Numbers:
    """The mean of a clip's halves; counts are added up."""
    halves = [_of_kind(numbers[run.name], kind) for run in runs if run.role == "self"]
    if not halves:
        return {}
    counts = {"changed_outside", "frames", "frames_passed_through", "shut", "bilabials", "no_face"}
    whole: Numbers = {}
    for key in {key for half in halves for key in half}:
        values = np.array([_number(half.get(key)) for half in halves])
        if np.isfinite(values).any():
            whole[key] = int(np.nansum(values)) if key in counts else float(np.nanmean(values))
    return whole


def _of_kind(numbers: Numbers, kind: str) -> Numbers:
    others = tuple(f"_{other}" for other in KINDS if other != kind)
    chosen = {key.removesuffix(f"_{kind}"): value for key, value in numbers.items() if not key.endswith(others)}
    if chosen.get("bilabials"):
        chosen["closure"] = chosen["shut"] / chosen["bilabials"]
    return chosen


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
