"""Clips as the recipe needs them: mesh points of every frame, and the sound, kept in a folder so that each is read once."""

import csv
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from enhance.face.clip import TrackingRequest, track_frames
from enhance.face.find import Finder
from enhance.face.track import Tracker
from enhance.geometry.heads import Array
from enhance.geometry.landmarks import PLAN_POINTS
from enhance.picture import Picture
from enhance.speech.features import RATE

KINDS = (".mp4", ".mpg", ".mov", ".avi", ".webm", ".mkv")
_SIDE = 1280  # pixels of the longer side: larger pictures are read smaller


@dataclass(frozen=True)
class Recording:
    """points: g x len(PLAN_POINTS) x 3 pixels, NaN without a face. times: g, s at which frames appear. pcm: n at 16 kHz."""

    points: Array
    times: Array
    pcm: Array


@dataclass(frozen=True)
class Source:
    """One file of a folder of clips."""

    path: Path
    speaker: str
    running: bool

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


def sources(path: Path, running: bool) -> list[Source]:
    """A clip, or every clip of a folder; speakers from a clips.tsv beside them (columns speaker, file), or else one each."""
    if not path.exists():
        raise ValueError(f"expected a clip or a folder of clips, got {path}")
    paths = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.suffix.lower() in KINDS)
    if not paths:
        raise ValueError(f"expected clips ({' '.join(KINDS)}) in {path}, got none")
    speakers: dict[str, str] = {}
    for table in (paths[0].parent / "clips.tsv", paths[0].parent.parent / "clips.tsv"):
        if table.exists():
            with table.open() as rows:
                speakers = {Path(row["file"]).name: row["speaker"] for row in csv.DictReader(rows, delimiter="\t")}
            break
    return [Source(each, speakers.get(each.name, each.stem), running) for each in paths]


def read_footage(source: Source, kept: Path, weights: Path) -> Recording:
    """The footage of a clip, from `kept` if it was read before. weights: the folder of the face networks."""
    store = kept / f"{source.name}.npz"
    if not store.exists():
        print(f"reading {source.name}", flush=True)
        footage = Recording(*_mesh(source.path, weights), _sound(source.path))
        aside = store.with_suffix(".part.npz")
        np.savez(aside, points=footage.points, times=footage.times, pcm=footage.pcm)
        aside.rename(store)
    with np.load(store) as found:
        return Recording(found["points"], found["times"], found["pcm"])


def _mesh(source: Path, weights: Path) -> tuple[Array, Array]:
    tracker, state = _tracker(weights), np.empty(0, np.float32)
    points, times = [], []
    for time, picture in _frames(source):
        faces, state = track_frames(tracker, picture[None], state, TrackingRequest(raw=True))
        times.append(time)
        points.append(faces.mesh[0, 0, list(PLAN_POINTS)])
    return np.array(points, np.float32), np.array(times)


@cache
def _tracker(weights: Path) -> Tracker:
    return Tracker(Finder(weights), most=1)


def _frames(source: Path) -> Iterator[tuple[float, Picture]]:
    asked = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "json"]
    asked += ["-show_entries", "stream=width,height:frame=best_effort_timestamp_time", str(source)]
    told = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    width, height = told["streams"][0]["width"], told["streams"][0]["height"]
    scale = min(1, _SIDE / max(width, height))
    width, height = round(width * scale), round(height * scale)
    command = ["ffmpeg", "-v", "error", "-i", str(source), "-an", "-fps_mode", "passthrough"]
    command += ["-vf", f"scale={width}:{height}:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as decoder:
        assert decoder.stdout is not None
        for frame in told["frames"]:
            pixels = decoder.stdout.read(width * height * 3)
            if len(pixels) < width * height * 3:
                return
            yield float(frame["best_effort_timestamp_time"]), np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


def _sound(source: Path) -> Array:
    command = ["ffmpeg", "-v", "error", "-i", str(source), "-vn", "-af", "aresample=async=1:first_pts=0"]
    command += ["-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.float32)
