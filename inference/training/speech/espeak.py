"""Labelled speech of espeak-ng, through its C library: the command does not tell when each phone begins."""

import ctypes
from functools import cache
from typing import Any

import numpy as np

from enhance.speech.features import Floats

from .phones import Segment, parts_of_ipa

_RETRIEVAL, _PHONEMES_AS_IPA, _UTF8 = 2, 3, 1
_RATE, _PITCH, _RANGE = 1, 3, 4
_SENTENCE_END, _UTTERANCE_END, _PHONEME = 5, 6, 7
_STILL = 1.5e-3  # RMS of a closure
_LONGEST_CLOSURE = 16  # of 5 ms


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user", ctypes.c_void_p),
        ("id", _Id),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


class Espeak:
    """espeak-ng of this process. One only: its library keeps global state."""

    def __init__(self) -> None:
        self._sound: list[Any] = []
        self._events: list[tuple[int, str]] = []
        self._library = ctypes.CDLL("libespeak-ng.so.1")
        self._rate = self._library.espeak_Initialize(_RETRIEVAL, 0, None, _PHONEMES_AS_IPA)
        self._callback = _Callback(self._take)  # kept: the library calls it after this line
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, voice: str, rate: int, pitch: int, pitch_range: int) -> tuple[Floats, int, list[Segment]]:
        """Samples, their rate, and the segments; no samples where the voice cannot say the text.

        Raises ValueError when there is no such voice.
        """
        self._sound.clear()
        self._events.clear()
        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"expected a voice of espeak-ng, got {voice}")
        for parameter, value in ((_RATE, rate), (_PITCH, pitch), (_RANGE, pitch_range)):
            self._library.espeak_SetParameter(parameter, value, 0)
        spoken = text.encode()
        self._library.espeak_Synth(spoken, len(spoken) + 1, 0, 1, 0, _UTF8, None, None)
        self._library.espeak_Synchronize()
        pcm = np.concatenate([np.zeros(0, np.int16), *self._sound]).astype(np.float32) / 32768
        return pcm, self._rate, _segments(pcm, self._rate, self._events)

    def _take(self, samples: Any, count: int, events: Any) -> int:
        if count > 0 and samples:
            self._sound.append(np.ctypeslib.as_array(samples, (count,)).copy())
        index = 0
        while events[index].type != 0:
            event = events[index]
            if event.type == _PHONEME:
                self._events.append((event.sample, bytes(event.id.string).split(b"\0")[0].decode("utf8", "ignore")))
            elif event.type in (_SENTENCE_END, _UTTERANCE_END):
                self._events.append((event.sample, ""))
            index += 1
        return 0


@cache
def espeak() -> Espeak:
    """The one instance of the library, which holds global state."""
    return Espeak()


def _segments(pcm: Floats, rate: int, events: list[tuple[int, str]]) -> list[Segment]:
    block = rate // 200
    blocks = pcm[: len(pcm) // block * block].reshape(-1, block)
    loudness = np.sqrt((blocks**2).mean(1))
    named = [event for event in events if not event[1].startswith("(")]  # a switch of language
    segments: list[Segment] = []
    for (start, phone), (end, _) in zip(named, [*named[1:], (len(pcm), "")], strict=True):
        parts = parts_of_ipa(phone) if end > start else []
        if not parts:
            continue
        begin = _closure_start(loudness, start // block) * block if parts[0][0] in ("P", "T", "K") else start
        if segments and segments[-1].end > begin / rate:
            segments[-1] = segments[-1]._replace(end=begin / rate)
        segments.append(Segment(begin / rate, end / rate, parts))
    return segments


def _closure_start(loudness: Any, block: int) -> int:
    """The closure of a voiceless stop is the silence before its event; a longer silence is a pause, and is left."""
    first = block
    while first > 0 and first - 1 < len(loudness) and loudness[first - 1] < _STILL and block - first < _LONGEST_CLOSURE:
        first -= 1
    return first if block - first < _LONGEST_CLOSURE else block
