"""How much of a room is heard in a sound, by how fast its bands fall silent."""

import numpy as np

from .features import Floats

_FALL = 6  # frames over which a fall is measured
_ABOVE = 4.0  # nepers of power over a band's quietest twentieth from which a fall is not cut short by noise
_LOUD = 3.0  # nepers under the band's loudest twentieth that still count as loud
_STEEP = 90  # percentile of the falls: the steepest are ends of sounds, and only the room slows these
_ENOUGH = 50  # falls that tell something
# Nepers in 60 ms. Reverberation of .3 s gives 2.5 to 3.3, of .5 s 1.9 to 2.5; near speech 4.1 and more: docs/decisions/0192
_ROOM, _NEAR = 2.8, 3.4


def room_share(mel: Floats) -> float:
    """0 for speech near the microphone, 1 for speech across a room; the whole file is one. mel: log-mel [T, 40] as heard."""
    if len(mel) <= _FALL + 2:
        return 0.0
    calm = (mel[1:-1] + mel[:-2] + mel[2:]) / 3
    quiet, loud = np.percentile(mel, (5, 95), axis=0)
    before = calm[:-_FALL]
    counted = (before > quiet + _ABOVE) & (before > loud - _LOUD)
    if counted.sum() < _ENOUGH:
        return 0.0
    steep = np.percentile((before - calm[_FALL:])[counted], _STEEP)
    return float(np.clip((_NEAR - steep) / (_NEAR - _ROOM), 0, 1))
