"""A contact sheet of one clip: what a person judges by. The same frames of the source and of each model, row under row:
mouths and faces at telling moments, and ten frames in a row."""

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from . import metrics
from .metrics import Floats
from .pixels import Picture, mouth_middle
from .run import Run

CELL, STRIP = 240, 10  # pixels, frames
FACE_SPAN, MOUTH_SPAN, STRIP_SPAN = 2.9, 1.15, 1.0  # outer-eye distances that a cell shows
LABEL = 22
SOURCE = "source"
STRIP_CELL = 168

Looked = tuple[Picture, Floats]  # a picture, and the mesh in it


class Sheet:
    """Of runs that differ in their model only, or are the two halves of one clip. `take` gets each frame once, in any order."""

    def __init__(self, name: str, runs: list[Run]) -> None:
        self.name = name
        self.models = list(dict.fromkeys(run.model for run in runs))
        halves = [run for run in runs if run.model == runs[0].model]
        self.moments = _shared_out([moments(run) for run in halves])
        start = strip_start(halves[0])
        self.strip = [(halves[0].name, index) for index in range(start, start + STRIP)]
        self.times = {run.name: run.times for run in halves}
        self.cells: dict[tuple[str, str, int, str], Picture] = {}
        self.labels: dict[tuple[str, str, int], str] = {}

    def take(self, run: Run, index: int, source: Looked, output: Looked) -> None:
        """Keeps what the sheet shows of a frame, in the source and in the output."""
        place = (run.name, index)
        for whose, (picture, mesh) in ((SOURCE, source), (run.model, output)):
            if place in self.moments.values():
                self.cells[(whose, *place, "mouth")] = cut(picture, mesh, MOUTH_SPAN, CELL)
                self.cells[(whose, *place, "face")] = cut(picture, mesh, FACE_SPAN, CELL, whole=True)
            if place in self.strip:
                self.cells[(whose, *place, "strip")] = cut(picture, mesh, STRIP_SPAN, STRIP_CELL)
            opened = metrics.openings(mesh[None])[0]
            asked = "" if whose == SOURCE else f" asked {run.targets[index, 0]:.3f}"
            self.labels[(whose, *place)] = f"open {opened:.3f}{asked}"

    def write(self, path: Path) -> None:
        """Nothing where no frame was taken."""
        if not self.cells:
            return
        rows = [_label(self.name, STRIP * STRIP_CELL)]
        for kind in ("mouth", "face"):
            names = [f"{name} {self.times[run][index]:.2f} s" for name, (run, index) in self.moments.items()]
            rows.append(labels(names, CELL))
            rows += self._block(kind, list(self.moments.values()), CELL)
        rows.append(_label(f"frames in a row, from {self.times[self.strip[0][0]][self.strip[0][1]]:.2f} s", STRIP * STRIP_CELL))
        rows += self._block("strip", self.strip, STRIP_CELL)
        wide = max(row.shape[1] for row in rows)
        sheet = np.vstack([np.pad(row, ((0, 0), (0, wide - row.shape[1]), (0, 0))) for row in rows])
        cv2.imwrite(str(path), cv2.cvtColor(sheet, cv2.COLOR_RGB2BGR))

    def _block(self, kind: str, places: list[tuple[str, int]], size: int) -> list[Picture]:
        rows = []
        for whose in (SOURCE, *self.models):
            texts = [self.labels.get((whose, *place), "") if kind == "mouth" else "" for place in places]
            rows.append(labels([f"{whose}   {texts[0]}", *texts[1:]], size))
            nothing = np.zeros((size, size, 3), np.uint8)
            rows.append(np.hstack([self.cells.get((whose, *place, kind), nothing) for place in places]))
        return rows


def moments(run: Run) -> dict[str, tuple[str, int]]:
    """Frames worth looking at, by what the plan and the sound say; not by how the output looks."""
    times, targets, judged = run.times, run.targets, run.judged
    quiet, spoken = metrics.quiet_and_spoken(run.activity, times)
    spoken = spoken & judged if (spoken & judged).any() else judged
    found: dict[str, int] = {}
    told = run.bilabials[(run.bilabials >= times[judged][0]) & (run.bilabials <= times[judged][-1])]
    if len(told):
        found["p b m"] = int(np.argmin(np.abs(times - told[0])))
    opening = np.where(spoken, targets[:, 0], -1)
    found["open vowel"] = int(np.argmax(opening))
    found["half open"] = int(np.argmin(np.abs(targets[:, 0] - 0.5 * opening.max()) + 9 * ~spoken))
    found["round"] = int(np.argmax(np.where(judged, targets[:, 2], -1)))
    found["widest"] = int(np.argmax(np.where(spoken, targets[:, 1], -1)))
    if run.role == "self":
        # Where teeth can be compared: the mouth is as far open as it was, and far.
        truth = metrics.openings(run.meshes)[: len(times)]
        like = judged & (np.abs(truth - targets[:, 0]) <= 0.15 * np.nanmax(truth))
        found["as open as it was"] = int(np.argmax(np.where(like, truth, -1)))
    silent = np.flatnonzero(quiet & judged)
    if len(silent):
        found["silence"] = int(silent[len(silent) // 2])
    return {name: (run.name, index) for name, index in found.items()}


def strip_start(run: Run) -> int:
    """Where the planned mouth moves most within STRIP frames that are judged."""
    judged = np.flatnonzero(run.judged)
    moved = np.convolve(np.abs(np.diff(run.targets[judged, 0])), np.ones(STRIP - 1), mode="valid")
    return int(judged[int(np.argmax(moved))]) if len(moved) else int(judged[0])


def cut(picture: Picture, mesh: npt.NDArray[np.float64], span: float, size: int, whole: bool = False) -> Picture:
    """A square of `span` outer-eye distances round the mouth or the whole face; the whole picture where no face was seen."""
    if not np.isfinite(mesh[:468]).all():
        return np.asarray(cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), np.uint8)
    unit = float(np.linalg.norm(mesh[metrics.OUTER_EYES[0]] - mesh[metrics.OUTER_EYES[1]]))
    middle = mesh[[10, 152], :2].mean(axis=0) if whole else mouth_middle(mesh)
    scale = size / (span * unit)
    place = np.array([[scale, 0, size / 2 - scale * middle[0]], [0, scale, size / 2 - scale * middle[1]]])
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.warpAffine(picture, place, (size, size), flags=how), np.uint8)


def _shared_out(found: list[dict[str, tuple[str, int]]]) -> dict[str, tuple[str, int]]:
    """Of two halves, every other moment of each."""
    shared: dict[str, tuple[str, int]] = {}
    for at, name in enumerate(dict.fromkeys(name for each in found for name in each)):
        turn = at % len(found)
        shared[name] = next(each[name] for each in found[turn:] + found[:turn] if name in each)
    return shared


def _label(text: str, width: int) -> Picture:
    label = np.full((LABEL, width, 3), 32, np.uint8)
    cv2.putText(label, text, (6, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (235, 235, 235), 1, cv2.LINE_AA)
    return label


def labels(texts: list[str], width: int) -> Picture:
    """A bar with a text over each of the cells of a row, which are `width` pixels wide."""
    return np.asarray(np.hstack([_label(text, width) for text in texts]), np.uint8)
