"""Real speech with labels: clips of the GRID corpus, whose file names tell the words, aligned by pocketsphinx.

The clips are never part of the product; attribution is in the model card.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pocketsphinx import Decoder

from enhance.speech.features import RATE, Floats

from .phones import TABLES, Segment

HELD_OUT = ("s2", "s23", "vC", "vE", "vF", "vL")  # speakers to judge with
_CODE = re.compile(r"[blps][bgrw][abiw][a-vx-z][z1-9][anps]$")
_WORDS: tuple[dict[str, str], ...] = (
    {"b": "bin", "l": "lay", "p": "place", "s": "set"},
    {"b": "blue", "g": "green", "r": "red", "w": "white"},
    {"a": "at", "b": "by", "i": "in", "w": "with"},
    {},
    dict(zip("z123456789", "zero one two three four five six seven eight nine".split(), strict=True)),
    {"a": "again", "n": "now", "p": "please", "s": "soon"},
)
_PHONE_FRAME = 0.01


def utterances(folder: Path, held_out: bool) -> Iterator[tuple[str, Floats, int, list[Segment]]]:
    """Speaker, samples, rate and segments of each clip that tells its words and can be aligned."""
    for path in sorted(folder.iterdir()):
        code = _CODE.search(path.stem)
        speaker = path.stem.split("_")[0]
        if code and (speaker in HELD_OUT) == held_out:
            pcm = sound(path)
            words = [table.get(letter, letter) for letter, table in zip(code[0], _WORDS, strict=True)]
            segments = _align(pcm, " ".join(words))
            if segments:
                yield speaker, pcm, RATE, segments


def sound(path: Path) -> Floats:
    """The sound of a clip at 16 kHz, mono."""
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, "<i2").astype(np.float32) / 32768


def _align(pcm: Floats, words: str) -> list[Segment]:
    """[] where the words are not heard."""
    decoder = Decoder(lm=None, bestpath=False, loglevel="FATAL", beam=1e-80, wbeam=1e-60, pbeam=1e-80)
    raw = (pcm * 32767).astype("<i2").tobytes()
    try:
        decoder.set_align_text(words)
        _decode(decoder, raw)
        decoder.set_alignment()
        _decode(decoder, raw)
    except RuntimeError:
        return []
    phones = [phone for word in decoder.get_alignment() for phone in word]
    return [
        Segment(phone.start * _PHONE_FRAME, (phone.start + phone.duration) * _PHONE_FRAME, TABLES["en"][phone.name])
        for phone in phones
        if phone.name in TABLES["en"]
    ]


def _decode(decoder: Decoder, raw: bytes) -> None:
    decoder.start_utt()
    decoder.process_raw(raw, full_utt=True)
    decoder.end_utt()
