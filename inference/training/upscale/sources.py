"""Where pairs come from: pictures, clips and pages of text, each read once and kept."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from enhance.picture import Picture

from . import codecs, pages, pairs, planes
from .pages import page
from .pairs import MOVING, Pairs, moving, pairs_of

PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"}
CLIPS = {".mp4", ".mov", ".mkv", ".webm", ".avi", ".mpg"}
MOST_ROWS = 1000  # of a picture: a poster shall not outweigh ten photos
SMALLEST = 128  # pixels of the shorter side: a batch is cut from half of it
_APART = 30  # frames from one moment of a clip to the next
_MOMENTS = 8  # of a clip at most


@dataclass(frozen=True)
class Source:
    """A picture, a clip, or where there is no path a page of text by its number."""

    name: str
    path: Path | None
    number: int = 0


def sources(places: Sequence[Path], text_pages: int) -> list[Source]:
    """Every picture and clip of these files and folders, in their order, and pages of text.

    Raises ValueError when a place does not exist, or none has a picture or clip.
    """
    absent = [str(place) for place in places if not place.exists()]
    if absent:
        raise ValueError(f"expected files and folders that exist, {', '.join(absent)} do not")
    paths = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*")))]
    found = [Source(path.stem, path) for path in paths if path.suffix.lower() in PICTURES | CLIPS]
    if not found:
        raise ValueError(f"expected pictures or clips in {', '.join(map(str, places))}, found none")
    return found + [Source(f"page-{number}", None, number) for number in range(text_pages)]


def split(found: Sequence[Source], held_out: Collection[str]) -> tuple[list[Source], dict[str, list[Path]]]:
    """What is learnt from, and the pictures to judge on by the name of their folder. held_out: names without the suffix.

    Raises ValueError when a name is none of the sources'.
    """
    absent = set(held_out) - {source.name for source in found}
    if absent:
        raise ValueError(f"expected the files to hold out among the sources, {', '.join(sorted(absent))} are not")
    judged: dict[str, list[Path]] = {}
    for source in found:
        if source.path and source.name in held_out:
            judged.setdefault(source.path.parent.name, []).append(source.path)
    return [source for source in found if source.name not in held_out], judged


def read_pairs(source: Source, kept: Path) -> list[Pairs]:
    """All pairs of a source, from `kept` if they were made before by the same code."""

    def make(rng: np.random.Generator) -> dict[str, Any]:
        made = list(_made(source, rng))
        flat = {f"{name}_{n}": getattr(each, name) for n, each in enumerate(made) for name in ("large", "small", "kinds")}
        return {"count": len(made), **flat}

    with np.load(stored(source, kept, _code(), make)) as found:
        numbers = range(int(found["count"]))
        return [Pairs(found[f"large_{n}"], found[f"small_{n}"], tuple(map(str, found[f"kinds_{n}"]))) for n in numbers]


def stored(source: Source, kept: Path, code: bytes, make: Callable[[np.random.Generator], Mapping[str, Any]]) -> Path:
    """The file with the arrays that `make` makes of a source, which is there already if the same `code` made it before."""
    content = source.path.read_bytes() if source.path else f"page {source.number}".encode()
    key = hashlib.sha256(content + code).hexdigest()[:16]
    store = kept / f"{source.name}-{key}.npz"
    if not store.exists():
        aside = store.with_suffix(".part.npz")
        np.savez(aside, **make(np.random.default_rng(int(key, 16))))
        aside.rename(store)
    return store


def _made(source: Source, rng: np.random.Generator) -> Iterator[Pairs]:
    if source.path is None:
        yield pairs_of(*moving(page(source.number), rng), rng)
    elif source.path.suffix.lower() in PICTURES:
        picture = read_picture(source.path)
        if _large_enough(picture, source):
            yield pairs_of(*moving(picture[:MOST_ROWS], rng), rng)
    else:
        for frames in _moments(source.path):
            if _large_enough(frames[0], source):
                yield pairs_of(frames, int(rng.integers(0, MOVING)), rng)


def _large_enough(picture: Picture, source: Source) -> bool:
    height, width, _ = picture.shape
    if min(height, width) < SMALLEST:
        print(f"left out: {source.name}, {width}x{height}, sides of {SMALLEST} pixels or more are learnt from", flush=True)
    return min(height, width) >= SMALLEST


def read_picture(path: Path) -> Picture:
    """h x w x 3 RGB. Raises ValueError when OpenCV cannot read it."""
    read = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if read is None:
        raise ValueError(f"expected a picture that OpenCV reads, got {path}")
    return np.asarray(cv2.cvtColor(read, cv2.COLOR_BGR2RGB), np.uint8)


def _moments(path: Path) -> Iterator[list[Picture]]:
    """MOVING frames each, halved: what compressed the clip itself is then hardly seen any more."""
    moment: list[Picture] = []
    for number, frame in enumerate(islice(frames_of(path), _APART * _MOMENTS)):
        if number % _APART < MOVING:
            height, width, _ = frame.shape
            moment.append(np.asarray(cv2.resize(frame, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8))
        if len(moment) == MOVING:
            yield moment
            moment = []


def frames_of(path: Path) -> Iterator[Picture]:
    """The frames of a clip, h x w x 3 RGB. Raises ValueError when OpenCV cannot read any."""
    clip = cv2.VideoCapture(str(path))
    try:
        read, frame = clip.read()
        if not read:
            raise ValueError(f"expected a clip that OpenCV reads, got {path}")
        while read:
            yield np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB), np.uint8)
            read, frame = clip.read()
    finally:
        clip.release()


def _code() -> bytes:
    """The modules that the pairs depend on: kept pairs of other code are not taken."""
    return b"".join(Path(str(module.__file__)).read_bytes() for module in (codecs, pages, pairs, planes))
