"""From the phone names of each synthesiser to the articulatory classes of `enhance.speech.classes`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from enhance.speech.classes import INDEX, SIL
from enhance.speech.features import HOP, RATE

Parts = list[tuple[str, float]]  # classes that follow each other in one phone, with their share of its time


class Segment(NamedTuple):
    """A phone in a sound, by its articulatory classes."""

    start: float  # seconds
    end: float
    parts: Parts


_VOWELS = {"I", "E", "Y", "A", "AH", "O", "U"}

_IPA = {
    "P": "p b m ɓ ɸ β ʙ",
    "F": "f v ʋ ɱ ⱱ",
    "TH": "θ ð",
    "T": "t d n ɾ ʈ ɖ ɳ ɗ ɽ ɲ c ɟ ȵ ʄ",
    "S": "s z",
    "SH": "ʃ ʒ ʂ ʐ ɕ ʑ",
    "K": "k g ɡ ŋ q ɢ ɴ ɠ",
    "H": "h ɦ x ɣ χ ħ ʕ ʔ ç ʁ ʝ",
    "L": "l ɫ ʎ ɭ ʟ ɬ ɮ",
    "R": "ɹ r ɻ ʀ ɺ ɚ ɝ",
    "W": "w ʍ ɥ",
    "J": "j ɰ",
    "I": "i ɪ ᵻ",
    "E": "e ɛ",
    "Y": "y ø œ ʏ ɶ ʉ ɵ",
    "A": "a æ ɐ ɑ",
    "AH": "ə ʌ ɜ ɘ ɞ ɨ ɯ ɤ",
    "O": "o ɔ ɒ",
    "U": "u ʊ",
}
_CMU = {
    "P": "P B M EM",
    "F": "F V",
    "TH": "TH DH",
    "T": "T D N DX EN NX",
    "S": "S Z",
    "SH": "SH ZH",
    "K": "K G NG",
    "H": "HH HV",
    "L": "L EL",
    "R": "R ER AXR",
    "W": "W",
    "J": "Y",
    "I": "IY IH IX",
    "E": "EH",
    "A": "AA AE",
    "AH": "AH AX",
    "O": "AO",
    "U": "UW UH UX",
    "T S": "TS DZ",
    "T SH": "CH JH",
    "E I": "EY",
    "A I": "AY",
    "O I": "OY",
    "A U": "AW",
    "O U": "OW",
}
_RUSSIAN = {
    "P": "p pp b bb m mm",
    "F": "f ff v vv",
    "T": "t tt d dd n nn",
    "S": "s ss z zz",
    "SH": "sh sch zh",
    "K": "k kk g gg",
    "H": "h hh",
    "L": "l ll",
    "R": "r rr",
    "J": "j",
    "I": "ii i",
    "E": "ee e",
    "A": "aa a",
    "AH": "yy y ae ay",
    "O": "oo",
    "U": "uu u ur",
    "T S": "c",
    "T SH": "ch",
}
_ROMANCE = {  # the Italian and Catalan voices
    "P": "p b m",
    "F": "f v nf",
    "T": "t d n J",
    "S": "s z",
    "SH": "S Z",
    "K": "k g ng N",
    "L": "l L",
    "R": "r rr",
    "W": "w",
    "J": "j y",
    "I": "i i1",
    "E": "e e1 E E1",
    "A": "a a1",
    "AH": "ax ax1",
    "O": "o o1 O O1",
    "U": "u u1",
    "T S": "ts dz",
    "T SH": "tS dZ",
}
_FINNISH = {
    "P": "p b m p: b: m:",
    "F": "f v f: v:",
    "TH": "T T:",
    "T": "t d n t: D: n:",
    "S": "s z s: z:",
    "SH": "S S: Z:",
    "K": "k g N k: g: N:",
    "H": "h h:",
    "L": "l l: L:",
    "R": "r r:",
    "W": "w w:",
    "J": "j j:",
    "I": "i i:",
    "E": "e e:",
    "Y": "y y: 7 7:",
    "A": "a a: @ @:",
    "AH": "&",
    "O": "o o:",
    "U": "u u:",
}
_CZECH = {
    "P": "p b m",
    "F": "f v",
    "T": "t d n t~ d~ n~",
    "S": "s z",
    "SH": "s~ z~ r~ r~*",
    "K": "k g n*",
    "H": "h ch",
    "L": "l",
    "R": "r",
    "J": "j",
    "I": "i i:",
    "E": "e e:",
    "A": "a a:",
    "O": "o o:",
    "U": "u u:",
    "T S": "c dz",
    "T SH": "c~ dz~",
}


def _table(rows: dict[str, str]) -> dict[str, Parts]:
    return {name: _shares(classes.split()) for classes, names in rows.items() for name in names.split()}


def _shares(classes: list[str]) -> Parts:
    """A stop lets go into its fricative after 0.4 of an affricate; the first vowel of a diphthong is the longer one."""
    if len(classes) == 2 and classes[0] == "T":
        return [("T", 0.4), (classes[1], 0.6)]
    if len(classes) == 2 and set(classes) <= _VOWELS:
        return [(classes[0], 0.55), (classes[1], 0.45)]
    return [(name, 1 / len(classes)) for name in classes]


_IPA_CLASS = {letter: name for name, letters in _IPA.items() for letter in letters.split()}
TABLES = {
    "en": _table({key: f"{names} {names.lower()}" for key, names in _CMU.items()}),
    "ru": _table(_RUSSIAN),
    "it": _table(_ROMANCE),
    "ca": _table(_ROMANCE),
    "fi": _table(_FINNISH),
    "cs": _table(_CZECH),
}


def parts_of_ipa(phone: str) -> Parts:
    """The classes of one phone as espeak-ng writes it; [] when it names no sound. Marks of length and stress are skipped."""
    plain = phone.replace("s.", "ʂ").replace("z.", "ʐ").replace("i.", "ɨ")
    return _shares([_IPA_CLASS[letter] for letter in plain if letter in _IPA_CLASS])


def label_frames(segments: list[Segment], frames: int) -> npt.NDArray[np.int64]:
    """The class at the centre of each of `frames` frames of 10 ms; SIL where no segment lies."""
    labels = np.full(frames, SIL, np.int64)
    for start, end, parts in segments:
        at = start
        for name, share in parts:
            until = at + (end - start) * share
            first, last = (max(int(np.ceil(t * RATE / HOP - 0.5)), 0) for t in (at, until))
            labels[first:last] = INDEX[name]
            at = until
    return labels
