"""A contact sheet: what a person judges by. Rows are moments; source, output, and both mouths enlarged."""

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from enhance.speech.classes import P

from . import metrics
from .judge import Seen
from .pixels import Picture, mouth_middle
from .run import Run

FACE, MOUTH, STRIP = 300, 300, 10  # pixels, pixels, frames
FACE_SPAN, MOUTH_SPAN, STRIP_SPAN = 2.9, 1.15, 1.0  # outer-eye distances that a cell shows
LABEL = 22


def moments(run: Run) -> dict[str, int]:
    """Frames worth looking at, by what the plan and the sound say; not by how the output looks."""
    times, targets = run.times, run.targets
    quiet, spoken = metrics.quiet_and_spoken(run.activity, times)
    found: dict[str, int] = {}
    told = metrics.bilabials(run.posteriors, P)
    told = told[(told >= times[0]) & (told <= times[-1])]
    if len(told):
        sure = run.posteriors[(told * 100).astype(int), P]
        found["p b m"] = int(np.argmin(np.abs(times - told[np.argmax(sure)])))
    opening = np.where(spoken, targets[:, 0], -1)
    found["open vowel"] = int(np.argmax(opening))
    found["half open"] = int(np.argmin(np.abs(targets[:, 0] - 0.5 * targets[:, 0].max()) + ~spoken))
    found["round"] = int(np.argmax(targets[:, 2]))
    found["widest"] = int(np.argmax(np.where(spoken, targets[:, 1], -1)))
    if quiet.any():
        silent = np.flatnonzero(quiet)
        found["silence"] = int(silent[len(silent) // 2])
    return found


def strip_start(run: Run) -> int:
    """Where the planned mouth moves most within STRIP frames."""
    moved = np.convolve(np.abs(np.diff(run.targets[:, 0])), np.ones(STRIP - 1), mode="valid")
    return int(np.argmax(moved)) if len(moved) else 0


def wanted(run: Run) -> set[int]:
    start = strip_start(run)
    return {*moments(run).values(), *range(start, min(start + STRIP, len(run.times)))}


def write_sheet(run: Run, seen: Seen, path: Path) -> None:
    rows = []
    for name, index in moments(run).items():
        if index not in seen.kept:
            continue
        source, output = seen.kept[index]
        before, after = _mesh(run, seen, index, source=True), _mesh(run, seen, index, source=False)
        opened = metrics.openings(seen.output["attention"][index][None])[0]
        cells = [
            _cut(source, before, FACE_SPAN, FACE, whole=True),
            _cut(output, after, FACE_SPAN, FACE, whole=True),
            _cut(source, before, MOUTH_SPAN, MOUTH),
            _cut(output, after, MOUTH_SPAN, MOUTH),
        ]
        text = f"{name}   {run.times[index]:.2f} s   opening asked {run.targets[index, 0]:.3f} seen {opened:.3f}"
        rows.append(_labelled(_beside(cells), text))
    rows += [_strip(run, seen, source) for source in (True, False)]
    width = max((row.shape[1] for row in rows), default=600)
    rows = [np.pad(row, ((0, 0), (0, width - row.shape[1]), (0, 0))) for row in rows]
    title = _labelled(np.zeros((0, width, 3), np.uint8), f"{run.name}:  source | output | source's mouth | output's mouth")
    cv2.imwrite(str(path), cv2.cvtColor(np.vstack([title, *rows]), cv2.COLOR_RGB2BGR))


def _strip(run: Run, seen: Seen, source: bool) -> Picture:
    start, size = strip_start(run), 2 * (FACE + MOUTH) // STRIP
    cells = []
    for index in range(start, start + STRIP):
        if index in seen.kept:
            picture = seen.kept[index][0 if source else 1]
            cells.append(_cut(picture, _mesh(run, seen, index, source), STRIP_SPAN, size))
    whose = "source" if source else "output"
    return _labelled(
        _beside(cells or [np.zeros((size, size, 3), np.uint8)]), f"{whose}: frames in a row from {run.times[start]:.2f} s"
    )


def _beside(cells: list[Picture]) -> Picture:
    return np.asarray(np.hstack(cells), np.uint8)


def _mesh(run: Run, seen: Seen, index: int, source: bool) -> npt.NDArray[np.float64]:
    """Of the frame that is shown; a portrait's still is looked at where its first frame has the face."""
    if run.role == "portrait" and source:
        index = 0
    meshes = seen.output if run.role == "portrait" or not source else seen.source
    return np.asarray(meshes["attention"][index])


def _cut(picture: Picture, mesh: npt.NDArray[np.float64], span: float, size: int, whole: bool = False) -> Picture:
    """A square of `span` outer-eye distances round the mouth or the whole face; the whole picture where no face was seen."""
    if not np.isfinite(mesh[:468]).all():
        return np.asarray(cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), np.uint8)
    unit = float(np.linalg.norm(mesh[metrics.OUTER_EYES[0]] - mesh[metrics.OUTER_EYES[1]]))
    middle = mesh[[10, 152], :2].mean(axis=0) if whole else mouth_middle(mesh)
    scale = size / (span * unit)
    place = np.array([[scale, 0, size / 2 - scale * middle[0]], [0, scale, size / 2 - scale * middle[1]]])
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.warpAffine(picture, place, (size, size), flags=how), np.uint8)


def _labelled(row: Picture, text: str) -> Picture:
    label = np.full((LABEL, row.shape[1], 3), 32, np.uint8)
    cv2.putText(label, text, (6, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (235, 235, 235), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([label, row]), np.uint8)
