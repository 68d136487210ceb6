"""One run as bench/lipsync.ts left it in a folder: run.json, raw little-endian arrays, the file that was made."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from enhance.speech.classes import P

from .metrics import Flags, Floats, bilabials
from .pixels import RING, Box, Picture


@dataclass(frozen=True)
class Run:
    """One run of bench/lipsync/run.ts: what it wrote into its folder. told: run.json."""

    folder: Path
    told: dict[str, Any]

    @property
    def name(self) -> str:
        """The run's name, of its own within the folder."""
        return str(self.told["name"])

    @property
    def model(self) -> str:
        """The lip-sync model: fast, balanced or studio."""
        return str(self.told["model"])

    @property
    def clip(self) -> str:
        """The name of the clip, or of the portrait."""
        return str(self.told["clip"])

    @property
    def role(self) -> str:
        """'self', 'foreign' or 'portrait'."""
        return str(self.told["role"])

    @property
    def output(self) -> Path:
        """The video that was made."""
        return self.folder / "output.mp4"

    @cached_property
    def times(self) -> Floats:
        """Seconds of the output's frames."""
        return np.fromfile(self.folder / "times.f64", "<f8")

    @cached_property
    def targets(self) -> Floats:
        """F x 10: what the plan asked of each frame."""
        return np.fromfile(self.folder / "targets.f32", "<f4").reshape(-1, 10)

    @cached_property
    def meshes(self) -> Floats:
        """F x 478 x 3: where the pipeline saw the face; NaN where it saw none. Only the crops of the judges come from it."""
        return np.fromfile(self.folder / "meshes.f32", "<f4").reshape(-1, 478, 3)

    @cached_property
    def posteriors(self) -> Floats:
        """T x 20 at 100 frames/s, columns as speech.classes.CLASSES, of the sound that was spoken."""
        return np.fromfile(self.folder / "posteriors.f32", "<f4").reshape(-1, 20)

    @cached_property
    def bilabials(self) -> Floats:
        """Seconds at which each p, b, m is to be seen: a clip with its own sound is rendered as late as it was."""
        late = float(self.told["lag"]) if self.role == "self" else 0.0
        return bilabials(self.posteriors, P) + late

    @cached_property
    def activity(self) -> Floats:
        """T, 0..1, how sure it is that somebody speaks, at 100 frames/s."""
        return np.fromfile(self.folder / "activity.f32", "<f4")

    @cached_property
    def fps(self) -> float:
        """Frames a second of the output: by the median time between them."""
        return float(1 / np.median(np.diff(self.times)))

    @cached_property
    def judged(self) -> Flags:
        """The frames that the plan has not learnt from."""
        begin, end = self.told.get("judged") or (-np.inf, np.inf)
        return np.asarray((self.times >= begin) & (self.times < end))

    def mask(self, index: int, shape: tuple[int, ...]) -> tuple[Box, Picture] | None:
        """The frame's mask, if it was kept, and the box of the picture that it fills with a little room round it."""
        kept = self._masks.get(index)
        if kept is None:
            return None
        x, y, width, height, offset = kept
        raw = np.fromfile(self.folder / "masks.u8", np.uint8, width * height, offset=offset).reshape(height, width)
        room = 2 * RING
        top, left = max(0, y - room), max(0, x - room)
        bottom, right = min(shape[0], y + height + room), min(shape[1], x + width + room)
        whole = np.zeros((bottom - top, right - left), np.uint8)
        part = whole[y - top : y - top + height, x - left : x - left + width]
        part[:] = raw[: part.shape[0], : part.shape[1]]
        return (slice(top, bottom), slice(left, right)), whole

    @cached_property
    def _masks(self) -> dict[int, tuple[int, int, int, int, int]]:
        return {m["index"]: (m["x"], m["y"], m["width"], m["height"], m["offset"]) for m in self.told.get("masks", [])}


def runs_in(folder: Path, models: list[str]) -> list[Run]:
    """Of these models, each of which has a folder of its own."""
    found = [path for model in models for path in sorted((folder / model).glob("*/run.json"))]
    if not found:
        raise SystemExit(f"no */run.json in {folder} for {', '.join(models)}")
    return [Run(path.parent, {"model": path.parent.parent.name, **json.loads(path.read_text())}) for path in found]
