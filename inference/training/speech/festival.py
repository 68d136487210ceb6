"""Labelled speech of festival's voices: the permissive ones to train on, the others to judge with."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from enhance.speech.features import Floats

from .phones import TABLES, Segment
from .wav import read_wav


@dataclass(frozen=True)
class Voice:
    """A voice of festival, its language, and the encoding in which it takes text."""

    name: str  # festival's, after `voice_`
    language: str
    encoding: str


TRAINING = {
    "kal": Voice("kal_diphone", "en", "ascii"),
    "ked": Voice("ked_diphone", "en", "ascii"),
    "slt_hts": Voice("cmu_us_slt_arctic_hts", "en", "ascii"),
    "nsh": Voice("msu_ru_nsh_clunits", "ru", "utf-8"),
}
HELD_OUT = {
    "cs_ph": Voice("czech_ph", "cs", "iso-8859-2"),
    "cs_dita": Voice("czech_dita", "cs", "iso-8859-2"),
    "cs_krb": Voice("czech_krb", "cs", "iso-8859-2"),
    "cs_machac": Voice("czech_machac", "cs", "iso-8859-2"),
    "it_pc": Voice("pc_diphone", "it", "latin-1"),
    "it_lp": Voice("lp_diphone", "it", "latin-1"),
    "fi_lj": Voice("suo_fi_lj_diphone", "fi", "latin-1"),
    "fi_mv": Voice("hy_fi_mv_diphone", "fi", "latin-1"),
    "ca_ona": Voice("upc_ca_ona_hts", "ca", "latin-1"),
}
_NO_WORDS = re.compile(r"[^\w .,!?]|\d|_")
_HTS_NAME = re.compile(r"-(.*?)\+")


def say_all(voice: Voice, texts: list[str]) -> Iterator[tuple[Floats, int, list[Segment]]]:
    """Samples, their rate, and the segments of each text that the voice can say; festival runs once for all."""
    with tempfile.TemporaryDirectory() as folder:
        commands = [f"(voice_{voice.name})"]
        for index, text in enumerate(texts):
            plain = _NO_WORDS.sub(" ", text).encode(voice.encoding, "ignore").decode(voice.encoding)
            stem = f"{folder}/{index:04d}"
            # An unknown word ends the utterance with an error; the next one is not to suffer.
            commands.append(
                f'(unwind-protect (begin (set! said (utt.synth (Utterance Text "{plain}")))'
                f' (utt.save.segs said "{stem}.lab") (utt.save.wave said "{stem}.wav" \'riff)) nil)'
            )
        script = Path(folder) / "say.scm"
        script.write_text("\n".join(commands), voice.encoding)
        subprocess.run(["festival", "-b", str(script)], capture_output=True, check=False)
        for path in sorted(Path(folder).glob("*.wav")):
            pcm, rate = read_wav(path)
            yield pcm, rate, _segments(path.with_suffix(".lab"), TABLES[voice.language])


def _segments(path: Path, table: dict[str, list[tuple[str, float]]]) -> list[Segment]:
    segments, start = [], 0.0
    for line in path.read_text("latin-1").splitlines():
        columns = line.split()
        if len(columns) < 3:
            continue
        hts = _HTS_NAME.search(columns[2])
        phone, until = hts.group(1) if hts else columns[2], float(columns[0])
        if phone in table:
            segments.append(Segment(start, until, table[phone]))
        start = until
    return segments
