"""The numbers as tables of markdown: the models side by side, against what was to be reached; then clip by clip."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .judge import KINDS

Numbers = dict[str, Any]
Measured = dict[tuple[str, str], Numbers]  # by model and clip

# inference/weights/mouth.md: the networks were trained on these clips, so they count in no mean.
TRAINED_ON = ("kitchen", "garden", "mandarin")


@dataclass(frozen=True)
class Row:
    """meshes: measured by both networks, shown as attention / plain. reach: for fast, balanced, studio; least, most."""

    key: str
    label: str
    meshes: bool = False
    reach: tuple[tuple[float, float], ...] = ()


def _least(*values: float) -> tuple[tuple[float, float], ...]:
    return tuple((value, np.inf) for value in values)


def _most(*values: float) -> tuple[tuple[float, float], ...]:
    return tuple((-np.inf, value) for value in values)


MODELS = ("fast", "balanced", "studio")
ASKED = (
    Row("r", "opening r", True, _least(0.38, 0.43, 0.45)),
    Row("null", "null", True, _most(0.10, 0.10, 0.10)),
    Row("asked_r", "asked against seen r", True, _least(0.93, 0.95, 0.95)),
    Row("std_ratio", "std / truth", True, ((0.8, 1.2), (0.85, 1.15), (0.85, 1.15))),
    Row("flicker_ratio", "flicker / truth", True, _most(1.1, 1.0, 1.0)),
    Row("closure", "shut at p b m", True, _least(0.90, 0.90, 0.95)),
    Row("stillness", "std silence / speech", True, _most(0.15, 0.15, 0.10)),
    Row("sharpness", "sharpness / source", False, _least(0.8, 0.9, 0.95)),
    Row("speed", "speed / real time", False, _least(1.0, 0.6, 0.25)),
)
MORE = (
    Row("inner_psnr", "inside, PSNR dB"),
    Row("inner_ssim", "inside, SSIM"),
    Row("inner_frames", "inside, frames"),
    Row("inner_sharpness", "inside, sharpness / source"),
    Row("identity", "inside, change from frame to frame / source", False, _most(1.1, 1.1, 1.0)),
    Row("jumps", "inside, jumps above 3 sigma of the source's own a minute", False, _most(2, 1, 0)),
    Row("own_jumps", "the same of the source itself"),
    Row("shimmer_ratio", "inside, luma flicker / source"),
    Row("corner_ratio", "corner jitter / source", True),
    Row("leftover_foreign", "leftover of the source", True),
    Row("lip_thickness", "thickness of shut lips / source", True),
    Row("corners_off", "corners of shut lips off their rest", True, _most(0.02, 0.015, 0.01)),
    Row("shut_area", "area of lips while shutting / at rest", True, _most(1.25, 1.15, 1.1)),
    Row("lip_colour", "lip colour apart"),
    Row("rim", "rim colour apart"),
    Row("seam", "seam"),
    Row("changed_outside", "changed outside", False, _most(0, 0, 0)),
    Row("psnr", "mouth, PSNR dB"),
    Row("ssim", "mouth, SSIM"),
    Row("lmd", "LMD", True),
    Row("width_r", "width r", True),
    Row("r_best", "r at the best lag", True),
    Row("lag_best", "that lag, s", True),
    Row("null_best", "null at the best lag", True),
    Row("planned_r", "r as planned", True),
    Row("asked_slope", "seen / asked, slope", True),
    Row("lag", "clip's own lag, s"),
    Row("frames_passed_through", "frames passed through"),
    Row("no_face", "frames without a face"),
)
PAIRS = (
    Row("pairs", "pairs of frames as far open"),
    Row("own_pairs", "those of the source"),
    *(row for row in MORE if row.key in ("identity", "jumps", "own_jumps")),
)
PORTRAITS = (
    *(Row("asked_r", "asked-seen r", True), Row("closure", "shut at p b m", True)),
    *(Row("stillness", "std, silence / speech", True), Row("flicker", "flicker", True), Row("shimmer", "luma flicker inside")),
)


def side_by_side(models: list[str], rows: tuple[Row, ...], measured: Measured) -> str:
    """Figures down, models across: the mean over the clips that the weights have not seen. What misses is marked."""
    head = ["mean of the unseen clips; attention / plain mesh", *(cell for model in models for cell in (model, "to reach"))]
    lines = []
    for row in rows:
        cells = [row.label]
        for model in models:
            unseen = [numbers for (of, clip), numbers in measured.items() if of == model and not trained_on(clip)]
            cells += [_cell(row, model, _mean(row, unseen)), _reach(row, model)]
        lines.append(cells)
    return _table(head, lines)


def clip_by_clip(models: list[str], rows: tuple[Row, ...], measured: Measured) -> str:
    """A line for each clip and model; the clips that the weights were trained on have a star."""
    lines = []
    for clip in dict.fromkeys(clip for _, clip in measured):
        for model in models:
            numbers = measured.get((model, clip))
            if numbers:
                star = " *" if trained_on(clip) else ""
                lines.append([clip + star, model, *(_cell(row, model, _mean(row, [numbers])) for row in rows)])
    return _table(["", "", *(row.label for row in rows)], lines)


def run_by_run(found: list[tuple[str, str, Numbers]]) -> str:
    """Of each run, by its name and model, how many pairs of frames its figures of the inside are of: few decide by one pair."""
    head = ["", "", *(row.label for row in PAIRS)]
    lines = [
        [name, model, *(_cell(row, model, _mean(row, [numbers])) for row in PAIRS)]
        for name, model, numbers in found
        if "pairs" in numbers
    ]
    return _table(head, lines)


def trained_on(clip: str) -> bool:
    """Whether the mouth prior was trained on a clip of this name."""
    return any(name in clip for name in TRAINED_ON)


def _mean(row: Row, all_numbers: list[Numbers]) -> list[float]:
    """By each mesh, or one value."""
    return [_mean_of(key, all_numbers) for key in ([f"{row.key}_{kind}" for kind in KINDS] if row.meshes else [row.key])]


def _mean_of(key: str, all_numbers: list[Numbers]) -> float:
    if key.startswith("closure"):
        kind = key.removeprefix("closure_")
        asked = sum(numbers.get(f"bilabials_{kind}", 0) for numbers in all_numbers)
        return sum(numbers.get(f"shut_{kind}", 0) for numbers in all_numbers) / asked if asked else float("nan")
    values = np.array([_number(numbers.get(key)) for numbers in all_numbers])
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _cell(row: Row, model: str, values: list[float]) -> str:
    missed = [_misses(row, model, value) for value in values]
    return " / ".join(f"**{_shown(value)}**" if miss else _shown(value) for value, miss in zip(values, missed, strict=True))


def _misses(row: Row, model: str, value: float) -> bool:
    if model not in MODELS or not row.reach or not np.isfinite(value):
        return False
    low, high = row.reach[MODELS.index(model)]
    return not low <= round(value, 2) <= high


def _reach(row: Row, model: str) -> str:
    if model not in MODELS or not row.reach:
        return ""
    low, high = row.reach[MODELS.index(model)]
    if low == -np.inf:
        return f"<= {high:g}"
    return f">= {low:g}" if high == np.inf else f"{low:g}-{high:g}"


def _table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(["| " + " | ".join(row) + " |" for row in rows] + [""])


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _shown(value: float) -> str:
    if not np.isfinite(value):
        return "-"
    if value.is_integer():
        return str(int(value))
    return f"{value:.3f}" if abs(value) < 0.1 else f"{value:.2f}"
