"""A second estimate of which class is heard: the English phone loop of pocketsphinx, which needs no vocabulary."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pocketsphinx import Decoder, get_model_path

from .classes import CLASSES, INDEX, SIL
from .features import HOP, RATE, Floats

_SPANS = (800, 1200)  # frames: a long file is cut at its quietest frame between them
_LOUDEST = 0.3  # of full scale: the 99.5th percentile of the sound that the recogniser is given
_NAMES = {
    "P": "P B M",
    "F": "F V",
    "TH": "TH DH",
    "T": "T D N",
    "S": "S Z",
    "SH": "SH ZH",
    "K": "K G NG",
    "H": "HH",
    "L": "L",
    "R": "R ER",
    "W": "W",
    "J": "Y",
    "I": "IY IH",
    "E": "EH",
    "A": "AA AE",
    "AH": "AH",
    "O": "AO",
    "U": "UW UH",
    "T SH": "CH JH",
    "E I": "EY",
    "A I": "AY",
    "O I": "OY",
    "A U": "AW",
    "O U": "OW",
}
_CLASSES = {name: classes.split() for classes, names in _NAMES.items() for name in names.split()}
_FIRST_SHARE = {"CH": 0.4, "JH": 0.4}  # of a phone of two classes; 0.55 for diphthongs


def open_allphone() -> Callable[[Floats, Floats, Callable[[], None]], Floats]:
    """A function from samples at 16 kHz and their log-mel [T, 40] to one-hot classes [T, 20].

    It hands the recogniser parts of 8 to 12 s and calls what it is handed between them.
    """
    model = get_model_path("en-us/en-us-phone.lm.bin")
    decoder = Decoder(allphone=model, lm=None, dict=None, loglevel="FATAL", beam=1e-20, pbeam=1e-20, lw=2.0)

    def classes(pcm: Floats, mel: Floats, go_on: Callable[[], None]) -> Floats:
        decoder.reinit_feat()  # it would go on from the noise and the level of the file before
        labels = np.full(len(mel), SIL)
        gain = _LOUDEST / max(float(np.percentile(np.abs(pcm), 99.5)), 1e-6) if len(pcm) else 1.0
        for start, end in _parts(mel.mean(1)):
            go_on()
            raw = (np.clip(pcm[start * HOP : end * HOP] * gain, -1, 1) * 32767).astype("<i2").tobytes()
            for first, last, index in _phones(decoder, raw):
                labels[start + first : min(start + last, end)] = index
        return np.asarray(np.eye(len(CLASSES), dtype=np.float32)[labels])

    return classes


def _parts(level: Floats) -> list[tuple[int, int]]:
    cuts, (shortest, longest) = [0], _SPANS
    while len(level) - cuts[-1] > longest:
        cuts.append(cuts[-1] + shortest + int(level[cuts[-1] + shortest : cuts[-1] + longest].argmin()))
    return list(zip(cuts, [*cuts[1:], len(level)], strict=True))


def _phones(decoder: Any, raw: bytes) -> list[tuple[int, int, int]]:
    """First frame, the one after the last, and the class of what is heard. The recogniser counts 10 ms as we do."""
    if len(raw) < RATE // 5:  # 100 ms of 16-bit samples: nothing to recognise
        return []
    decoder.start_utt()
    decoder.process_raw(raw, full_utt=True)
    decoder.end_utt()
    found = []
    for phone in decoder.seg() or ():
        names = _CLASSES.get(phone.word, ["SIL"])
        first, last = phone.start_frame, phone.end_frame + 1
        middle = last if len(names) == 1 else first + round((last - first) * _FIRST_SHARE.get(phone.word, 0.55))
        found += [(first, middle, INDEX[names[0]]), (middle, last, INDEX[names[-1]])]
    return found
