"""Frames in a row where the inside of the mouth changes most: whether one set of teeth gives way to another is seen there."""

from pathlib import Path

import cv2
import numpy as np

from . import metrics
from .judge import Reel, Seen, Still, open_source
from .metrics import Floats
from .pixels import Picture
from .run import Run
from .sheet import SOURCE, STRIP_CELL, STRIP_SPAN, cut, labels

ROWS, FRAMES = 3, 12


def write_rows(path: Path, runs: list[Run], found: list[Seen]) -> None:
    """ROWS rows for each run, FRAMES consecutive frames each: the source's mouths over the output's. Nothing where no inside
    was seen. found: of each run what was seen of it.
    """
    parts = [row for run, seen in zip(runs, found, strict=True) for row in _rows_of(run, seen)]
    if parts:
        cv2.imwrite(str(path), cv2.cvtColor(np.vstack(parts), cv2.COLOR_RGB2BGR))


def _rows_of(run: Run, seen: Seen) -> list[Picture]:
    source, output = seen.source["attention"], seen.output["attention"]
    steps = metrics.change_to_next(seen.output_flat, metrics.openings(output), run.targets[:, 0])
    starts = metrics.most_changed(steps, ROWS, FRAMES)
    indices = {index for start in starts for index in range(start, start + FRAMES)}
    before, after = _mouths(open_source(run), source, indices), _mouths(Reel(run.output), output, indices)
    parts = []
    for start in starts:
        row = range(start, start + FRAMES)
        parts.append(labels([f"{SOURCE}, frame {start}", *(str(index) for index in row[1:])], STRIP_CELL))
        parts.append(np.hstack([before[index] for index in row]))
        told = [f"{steps[index - 1]:.2f}" if index > start and np.isfinite(steps[index - 1]) else "" for index in row]
        parts.append(labels([run.model, *told[1:]], STRIP_CELL))
        parts.append(np.hstack([after[index] for index in row]))
    return parts


def _mouths(clip: Reel | Still, meshes: Floats, indices: set[int]) -> dict[int, Picture]:
    """Of each frame wanted, its mouth; black where the clip has ended."""
    found = {}
    for index in range(max(indices, default=-1) + 1):
        picture = clip.read(index in indices)
        if index in indices:
            seen = picture if picture is not None else np.zeros((STRIP_CELL, STRIP_CELL, 3), np.uint8)
            found[index] = cut(seen, meshes[index], STRIP_SPAN, STRIP_CELL)
    return found
