"""python -m bench.lipsync FOLDER WEIGHTS MODEL...: tables of the runs in FOLDER/MODEL/*/run.json, and FOLDER/CLIP.ROLE.png,
a contact sheet for each clip with the models' rows under the source's, and FOLDER/CLIP.ROLE.changes.png, frames in a row where
the inside of a mouth changes most.

Two judges, the attention mesh that also drives the warp, and the plain one that does not; both look at each frame alone.
Prints markdown; FOLDER/numbers.json has every number of every run.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from .clip import Judged, judge_clip
from .judge import KINDS
from .measure import null, speaks
from .report import report
from .run import runs_in
from .sounds import Sounds, sounds_of, table_of_sounds

PROCESSES = 2


def main(folder: Path, weights: Path, models: list[str]) -> None:
    """Measures the runs of these models in a folder, and writes their figures and contact sheets beside them."""
    runs = runs_in(folder, models)
    clips = {run.clip: [other for other in runs if other.clip == run.clip] for run in runs}
    judged: list[Judged] = []
    # A process that was forked with OpenVINO loaded hangs.
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        # The longest first, so that none is left alone at the end.
        order = sorted(clips.values(), key=lambda of_clip: -sum(run.judged.sum() for run in of_clip))
        for done in pool.map(judge_clip, order, [folder] * len(order), [weights] * len(order)):
            judged += done
            print(f"measured {done[0][0].clip}", file=sys.stderr, flush=True)
    _add_nulls(judged)
    numbers = {f"{run.model}/{run.name}": found for run, found, _, _ in judged}
    (folder / "numbers.json").write_text(json.dumps(numbers, indent=1, default=float))
    print(report(models, [(run, found) for run, found, _, _ in judged], _speeds(folder, models)))
    for kind in KINDS if any(run.role == "self" and speaks(run) for run, *_ in judged) else ():
        print(f"### Sounds, by the {kind} mesh\n\n{_sounds(judged, models, kind)}")


def _add_nulls(judged: list[Judged]) -> None:
    """Adds to each run with the clip's own sound its null: against all outputs of the same model with other sounds."""
    for run, numbers, truth, _ in judged:
        if run.role != "self":
            continue
        others = [made for other, _, _, made in judged if other.model == run.model and other.told["sound"] != run.told["sound"]]
        for kind in KINDS:
            numbers[f"null_{kind}"], numbers[f"null_best_{kind}"] = null(truth[kind], [made[kind] for made in others])


def _sounds(judged: list[Judged], models: list[str], kind: str) -> str:
    people: dict[str, Sounds] = {}
    made: dict[str, list[Sounds]] = {f"{model}, {whose} sound": [] for model in models for whose in ("own", "another's")}
    for run, _, truth, output in judged:
        if not speaks(run):
            continue
        if run.role == "self":
            people[run.name] = sounds_of(truth[kind][1], run)
        whose = "own" if run.role == "self" else "another's"
        made[f"{run.model}, {whose} sound"].append(sounds_of(output[kind][1], run))
    return table_of_sounds([*people.values()], {name: found for name, found in made.items() if found})


def _speeds(folder: Path, models: list[str]) -> dict[str, float]:
    files = {model: folder / model / "speed.json" for model in models}
    return {model: float(json.loads(path.read_text())["median"]) for model, path in files.items() if path.exists()}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
