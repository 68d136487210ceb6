"""Lost packets of a call, which leave gaps of silence in speech: filled from the sound beside them.

The networks hear a gap as the closure of p, b or m. A mouth does not fall silent and begin again within 1 ms, and noise gates
close where speech is quiet.
"""

import numpy as np

from enhance.runs import runs

from .features import RATE, Floats

_BLOCK = RATE // 500  # samples: 2 ms
_SHORTEST, _LONGEST = 5, 60  # blocks, 10 to 120 ms: a longer gap may be a pause
_SILENT = 0.03  # of the level of speech (-30 dB), below which a block is silent
_EDGE, _LOUD = RATE // 1000, 0.15  # samples right before and after a gap; their least level, of that of speech (-16 dB)
_ENOUGH = 2  # gaps in a sound: a single one is as often a plosive of a synthetic voice
_SPAN, _STEP = 5000, 1000  # blocks: the level of speech is that of 10 s, taken anew every 2 s
_SPEECH = 90  # percentile of the blocks' levels that is the level of speech


def without_gaps(pcm: Floats) -> Floats:
    """pcm ([n], 16 kHz) with its gaps filled; pcm itself where it has none.

    What lies before and after a gap is turned round in time, which keeps its spectrum and joins without a step, and faded from
    the one to the other.
    """
    found = _gaps(pcm)
    if len(found) < _ENOUGH:
        return pcm
    filled = np.array(pcm, np.float32)
    for start, end in found:
        length = end - start
        before, after = filled[max(start - length, 0) : start][::-1], filled[end : end + length][::-1]
        if len(before) == len(after) == length:
            angle = (np.arange(length, dtype=np.float32) + 0.5) * (np.pi / 2 / length)
            filled[start:end] = np.cos(angle) * before + np.sin(angle) * after
    return filled


def _gaps(pcm: Floats) -> list[tuple[int, int]]:
    """The first sample of each gap and the one after its last."""
    count = len(pcm) // _BLOCK
    blocks = np.abs(pcm[: count * _BLOCK].astype(np.float32).reshape(count, _BLOCK))
    level = np.sqrt((blocks**2).mean(1))
    speech = _level_of_speech(level)
    silent = _SILENT * speech
    found = []
    for start, end in runs(level < silent):
        if start > 1 and end < count and _SHORTEST <= end - start <= _LONGEST:
            first = (start - 1) * _BLOCK + int(np.flatnonzero(blocks[start - 1] >= silent[start - 1])[-1]) + 1
            last = end * _BLOCK + int((blocks[end] >= silent[end]).argmax())
            sides = (pcm[first - _EDGE : first], pcm[last : last + _EDGE])
            if all((side**2).mean() > (_LOUD * speech[start]) ** 2 for side in sides):
                found.append((first, last))
    return found


def _level_of_speech(level: Floats) -> Floats:
    speech = np.zeros_like(level)
    for start in range(0, len(level), _STEP):
        first = int(np.clip(start + (_STEP - _SPAN) // 2, 0, max(len(level) - _SPAN, 0)))
        speech[start : start + _STEP] = np.percentile(level[first : first + _SPAN], _SPEECH)
    return speech
