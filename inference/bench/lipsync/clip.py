"""All runs of one clip, of every model: judged side by side, measured, and shown in contact sheets."""

from functools import cache
from pathlib import Path

from .judge import KINDS, Judge, Tracks
from .measure import Numbers, measure
from .metrics import Floats, openings
from .rows import write_rows
from .run import Run
from .sheet import Sheet

# Times and openings, by network.
Paths = dict[str, tuple[Floats, Floats]]
# A run, its numbers, the paths of the clip's own mouth, and those of the one that was made.
Judged = tuple[Run, Numbers, Paths, Paths]


def judge_clip(runs: list[Run], folder: Path, weights: Path) -> list[Judged]:
    """Judges all runs of one clip together, and writes contact sheets, and rows where an inside changes, into the folder."""
    roles = dict.fromkeys(run.role for run in runs)
    sheets = [Sheet(f"{runs[0].clip}.{role}", [run for run in runs if run.role == role]) for role in roles]
    found = _judge(weights).look(runs, sheets)
    for sheet in sheets:
        sheet.write(folder / f"{sheet.name}.png")
    for role in roles:
        of_role = [(run, seen) for run, seen in zip(runs, found, strict=True) if run.role == role]
        write_rows(folder / f"{runs[0].clip}.{role}.changes.png", *(list(each) for each in zip(*of_role, strict=True)))
    return [
        (run, measure(run, seen), _paths(run, seen.source), _paths(run, seen.output))
        for run, seen in zip(runs, found, strict=True)
    ]


def _paths(run: Run, tracks: Tracks) -> Paths:
    times = run.times[run.judged] - run.times[run.judged][0]
    return {kind: (times, openings(tracks[kind][run.judged])) for kind in KINDS}


@cache
def _judge(weights: Path) -> Judge:
    return Judge(weights)
