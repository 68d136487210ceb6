"""Figures of a speech network on labelled speech: what espeak-ng says, voices never trained on, and real people."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from enhance.runs import runs
from enhance.speech.classes import CLASSES, SHAPES, SIL, F, P
from enhance.speech.curves import closures
from enhance.speech.features import Floats, log_mel

from . import festival, real, text
from .augment import to_rate
from .espeak import espeak
from .phones import Segment, label_frames

Posteriors = Callable[[Floats], Floats]  # sound at 16 kHz to [T, 20]
Event = tuple[int, int]  # first frame, and the one after the last

# Classes that look alike count as one for the accuracy.
_GROUPS = ("SIL", "P", "F", "TH T L", "S", "SH", "K H", "R", "W U Y", "O", "I J E", "A", "AH")
_GROUP = np.array([next(k for k, names in enumerate(_GROUPS) if name in names.split()) for name in CLASSES])
_TOLERANCE = 4  # frames between the middle of an event told and the nearest true one
_SHORTEST = 2  # frames of an event
_BITES = 0.25  # posterior of F above which the lip is taken to be at the teeth
_SMOOTH = 4.0  # frames: sigma of the tracks that are correlated
ESPEAK = {"en-us": "en", "fr": "fr", "de": "de", "cmn-latn-pinyin": "pinyin", "es": "es", "hi": "hi", "tr": "tr"}
ESPEAK_VARIANTS = "m3 m8 f3 klatt3 Denis belinda norbert iven4 steph3".split()  # none is trained on


class LabelledSound(NamedTuple):
    """A labelled sound. pcm: n samples, 16 kHz. labels: T class indices at 100 frames/s."""

    name: str  # of the set
    pcm: Floats
    labels: Floats


class Figures(NamedTuple):
    """Means over a set's clips: share of frames in the right group, correlation of jaw and width; then event counts."""

    accuracy: float
    jaw: float
    width: float
    bilabial: tuple[float, float, int]  # precision, recall, true events
    labiodental: tuple[float, float, int]


def espeak_clips(each: int) -> Iterator[LabelledSound]:
    """`each` sentences by each espeak-ng voice, in speaker variants that were not trained on."""
    draw = random.Random(1)
    for voice, locale in ESPEAK.items():
        for index in range(each):
            variant = ESPEAK_VARIANTS[index % len(ESPEAK_VARIANTS)]
            said = espeak().say(text.pick(locale, draw, held_out=True), f"{voice}+{variant}", 165, 50, 50)
            yield _clip(f"espeak-ng {voice}", *said)


def festival_clips(each: int) -> Iterator[LabelledSound]:
    """`each` sentences by each festival voice."""
    draw = random.Random(1)
    for name, voice in {**festival.TRAINING, **festival.HELD_OUT}.items():
        texts = [text.pick(voice.language, draw, held_out=True) for _ in range(each)]
        seen = " (voice trained on)" if name in festival.TRAINING else ""
        for said in festival.say_all(voice, texts):
            yield _clip(f"festival {voice.language} {name}{seen}", *said)


def real_clips(folder: Path) -> Iterator[LabelledSound]:
    """GRID's clips of speakers who were not trained on."""
    for _speaker, pcm, rate, segments in real.utterances(folder, held_out=True):
        yield _clip("real en, GRID, speakers not trained on", pcm, rate, segments)


def _clip(name: str, pcm: Floats, rate: int, segments: list[Segment]) -> LabelledSound:
    sound = to_rate(pcm, rate)
    return LabelledSound(name, sound, label_frames(segments, len(log_mel(sound))))


def figures(clips: list[LabelledSound], posteriors: Posteriors) -> Figures:
    """Of one set: posteriors against labels."""
    rows, events = [], {P: np.zeros(4, int), F: np.zeros(4, int)}
    for clip in clips:
        told, true = posteriors(clip.pcm), np.eye(len(CLASSES), dtype=np.float32)[clip.labels]
        spoken = np.flatnonzero(clip.labels != SIL)
        span = slice(max(spoken[0] - 10, 0), spoken[-1] + 10)
        tracks = [_smooth(each @ SHAPES)[span] for each in (told, true)]
        accuracy = (_GROUP[told.argmax(1)] == _GROUP[clip.labels]).mean()
        rows.append((accuracy, *(np.corrcoef(tracks[0][:, k], tracks[1][:, k])[0, 1] for k in (0, 1))))
        events[P] += _matches(runs(clip.labels == P), closures(told))
        events[F] += _matches(runs(clip.labels == F), runs(told[:, F] > _BITES))
    return Figures(*np.mean(rows, 0), *(_rates(events[index]) for index in (P, F)))


def _smooth(track: Floats) -> Floats:
    kernel = np.exp(-0.5 * (np.arange(-12, 13) / _SMOOTH) ** 2)
    return np.stack([np.convolve(column, kernel / kernel.sum(), "same") for column in track.T], 1)


def _matches(true: list[Event], told: list[Event]) -> Floats:
    """Events told that are true, events told, true events that were told, true events."""
    heard = [event for event in told if event[1] - event[0] >= _SHORTEST]

    def near(event: Event, one: Event) -> bool:
        return event[0] - _TOLERANCE <= (sum(one) - 1) / 2 <= event[1] - 1 + _TOLERANCE

    right = sum(any(near(event, one) for event in true) for one in heard)
    found = sum(any(near(event, one) for one in heard) for event in true)
    return np.array([right, len(heard), found, len(true)])


def _rates(counts: Floats) -> tuple[float, float, int]:
    right, told, found, true = counts.tolist()
    return right / max(told, 1), found / max(true, 1), true


def table(clips: list[LabelledSound], posteriors: Posteriors) -> str:
    """One row for each set of clips, as Markdown."""
    lines = [
        "| set | clips | accuracy | jaw r | width r | bilabial P / R (n) | labiodental P / R (n) |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(clip.name for clip in clips):
        chosen = [clip for clip in clips if clip.name == name]
        f = figures(chosen, posteriors)
        events = " | ".join(f"{p:.2f} / {r:.2f} ({n})" for p, r, n in (f.bilabial, f.labiodental))
        lines.append(f"| {name} | {len(chosen)} | {f.accuracy:.3f} | {f.jaw:.3f} | {f.width:.3f} | {events} |")
    return "\n".join(lines)
