"""The numbers as tables of markdown: one line a clip, the mean last, and what was to be reached."""

from typing import Any

import numpy as np

Rows = dict[str, dict[str, Any]]

SELF = (
    ("r", "r"),
    ("null", "null"),
    ("r_best", "r at best lag"),
    ("lag_best", "that lag, s"),
    ("null_best", "null at best"),
    ("planned_r", "r as planned"),
    ("width_r", "width r"),
    ("std_ratio", "std ratio"),
    ("flicker_ratio", "flicker / truth"),
    ("lmd", "LMD"),
    ("asked_r", "asked-seen r"),
    ("asked_slope", "slope"),
)
PIXELS = (
    ("psnr", "PSNR dB"),
    ("ssim", "SSIM"),
    ("sharpness", "sharpness / source"),
    ("seam", "seam"),
    ("changed_outside", "changed outside"),
    ("frames", "frames"),
    ("frames_passed_through", "passed through"),
    ("no_face", "judge saw none"),
    ("lag", "clip's own lag, s"),
)
FOREIGN = (
    ("shut", "shut"),
    ("bilabials", "of p b m"),
    ("closure", "closure rate"),
    ("stillness", "std silence / speech"),
    ("asked_stillness", "as planned"),
    ("flicker_beside", "flicker beside own speech"),
    ("asked_r", "asked-seen r"),
    ("asked_slope", "slope"),
)
COST = (
    ("real_time", "speed / real time"),
    ("peak_mib", "peak MiB"),
    ("frames", "frames"),
    ("seam", "seam"),
    ("sharpness", "sharpness / source"),
)
TO_REACH = {
    "r": ">= 0.38",
    "null": "<= 0.10",
    "asked_r": ">= 0.93",
    "std_ratio": "0.8-1.2",
    "flicker_ratio": "<= 1.1",
    "closure": ">= 0.90",
    "stillness": "<= 0.15",
    "sharpness": ">= 0.8",
    "real_time": ">= 1.0 at 720p",
    "changed_outside": "0",
}


def table(title: str, columns: tuple[tuple[str, str], ...], rows: Rows) -> str:
    lines = [f"### {title}", "", "| | " + " | ".join(label for _, label in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [_line(name, numbers, columns) for name, numbers in rows.items()]
    if len(rows) > 1:
        lines.append(_line("**mean**", {key: _mean(rows, key) for key, _ in columns}, columns))
    if any(key in TO_REACH for key, _ in columns):
        lines.append(_line("to reach", {key: TO_REACH.get(key, "") for key, _ in columns}, columns))
    return "\n".join([*lines, ""])


def _mean(rows: Rows, key: str) -> float:
    values = [float(numbers[key]) for numbers in rows.values() if isinstance(numbers.get(key), int | float)]
    if key == "closure":
        asked = sum(numbers.get("bilabials", 0) for numbers in rows.values())
        return sum(numbers.get("shut", 0) for numbers in rows.values()) / asked if asked else float("nan")
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def _line(name: str, numbers: dict[str, Any], columns: tuple[tuple[str, str], ...]) -> str:
    return "| " + " | ".join([name, *(_shown(numbers.get(key)) for key, _ in columns)]) + " |"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or not np.isfinite(value):
        return "-"
    if isinstance(value, int) or float(value).is_integer():
        return str(int(value))
    return f"{value:.4f}" if abs(value) < 0.1 else f"{value:.2f}"
