"""How a sound is heard by the speech network and, after it, by the others: its voice, its pace, and what counts in its mean."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .beside import loud_beside_speech
from .features import Floats, normalise
from .network import Posteriors
from .pace import pace_of
from .voice import in_usual_voice


@dataclass(frozen=True)
class Hearing:
    """Of a sound of T frames, of which n count as heard.

    usual: normalised log-mel [T, 40], by speech alone and in a usual voice. posteriors: [n, 20], the network's answer to it.
    pace: [n], pace_of() it. beside: [T], what is loud beside speech.
    """

    usual: Floats
    posteriors: Floats
    pace: Floats
    beside: npt.NDArray[np.bool_]


def hear(mel: Floats, heard: npt.NDArray[np.bool_], network: Posteriors, go_on: Callable[[], None] = lambda: None) -> Hearing:
    """What a network hears in log-mel [T, 40], asked once for each form of it.

    heard: [T], without the middle of held sounds. network: the one for speech near the microphone. go_on is called between
    blocks and may raise.
    """
    normal = normalise(mel, heard)
    posteriors = network(normal[heard], go_on)
    beside = loud_beside_speech(mel, heard, posteriors)
    if beside.any():
        normal = normalise(mel, heard, beside)
        posteriors = network(normal[heard], go_on)
    usual = in_usual_voice(normal, heard, posteriors, network, go_on)
    if usual is not normal:
        posteriors = network(usual[heard], go_on)
    return Hearing(usual, posteriors, pace_of(usual[heard], posteriors, network, go_on), beside)
