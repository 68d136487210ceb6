"""What the model `speech` answers for a sound: articulatory classes, mouth curves and activity."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .activity import speech_activity
from .allphone import open_allphone
from .background import background_frames
from .beside import no_speech_after_all
from .classes import SIL
from .curves import curves
from .features import Floats, log_mel
from .gaps import without_gaps
from .hearing import hear
from .held import held_sounds
from .hums import hummed_frames
from .network import Posteriors, open_speech_network
from .pace import at_pace
from .rooms import room_share

_SECOND_OPINION = 0.28  # weight of pocketsphinx in the posteriors, where it is believed
_NOT, _FULLY = 0.27, 0.35  # agreement with the network at which it is not believed, and fully: docs/decisions/0189


@dataclass(frozen=True)
class SpeechAnalysis:
    """What is heard in T frames of 10 ms, frame i centred at i * 10 + 5 ms."""

    posteriors: Floats  # [T, 20], classes as in `classes.CLASSES`
    curves: Floats  # [T, 6], as in `classes.CURVES`
    activity: Floats  # [T], 0..1: how sure it is that somebody speaks


class SpeechAnalyser:
    """The networks and the recogniser. For one thread at a time, since they hold buffers of their own."""

    def __init__(self, weights: Path, in_rooms: Path) -> None:
        """weights: the network for speech near the microphone; in_rooms: the one for speech across a room."""
        self._network = open_speech_network(weights)
        self._in_rooms = open_speech_network(in_rooms)
        self._allphone = open_allphone()

    def analyse(self, pcm: npt.NDArray[Any], fuse: bool = True, go_on: Callable[[], None] = lambda: None) -> SpeechAnalysis:
        """What is heard in pcm: [n] float32, 16 kHz, at any level, also above 1. T = n // 160.

        fuse: whether pocketsphinx is asked too. go_on is called between blocks and may raise to stop. Raises ValueError unless
        pcm is [n] and finite.
        """
        if pcm.ndim != 1:
            raise ValueError(f"expected PCM [n], got {list(pcm.shape)}")
        if not np.isfinite(pcm).all():
            raise ValueError("expected finite samples in PCM, got NaN or infinity")
        sound = without_gaps(_within_full_scale(pcm))
        mel = log_mel(sound)
        heard, noise = held_sounds(mel)
        told = hear(mel, heard, self._network, go_on)
        place, normal, pace = np.cumsum(heard) - 1, told.usual[heard], told.pace

        def heard_by(network: Posteriors) -> Floats:
            return np.asarray(at_pace(pace, normal, lambda slowed: network(slowed, go_on))[place])

        posteriors = told.posteriors[place] if (pace == 1).all() else heard_by(self._network)
        activity = speech_activity(posteriors)
        if share := room_share(mel):
            posteriors += share * (heard_by(self._in_rooms) - posteriors)
            # It takes more of what is no speech for speech.
            activity = np.minimum(activity, speech_activity(posteriors))
        activity[background_frames(mel, activity) | noise | no_speech_after_all(told.beside, activity)] = 0
        activity[hummed_frames(mel, posteriors, activity)] = 0
        if fuse and activity.any():
            second = self._allphone(sound, mel, go_on)
            # By activity, since a phone loop hears phones in silence too.
            weight = _SECOND_OPINION * _belief(second, posteriors, activity) * activity[:, None]
            posteriors += weight * (second - posteriors)
        return SpeechAnalysis(posteriors, curves(posteriors), activity)


def _within_full_scale(pcm: npt.NDArray[Any]) -> Floats:
    """pcm turned down to -1..1, not cut off: floats, and several channels mixed into one, may be louder than full scale.

    By its 99.9th percentile, so that one damaged sample does not silence the rest.
    """
    peak = np.percentile(np.abs(pcm), 99.9) if len(pcm) else 0
    return np.asarray(np.clip(pcm / max(1.0, float(peak)), -1, 1).astype(np.float32))


def _belief(second: Floats, posteriors: Floats, activity: Floats) -> float:
    """How far pocketsphinx is believed in a sound, 0..1. second: its classes, one-hot [T, 20].

    Noise, rooms and telephones confuse it far more than the network. Their agreement tells: the mean posterior of the classes
    that it hears, where both hear speech.
    """
    both = (activity > 0.5) & (second[:, SIL] == 0)
    if not both.any():
        return 0.0
    agreement = (posteriors * second).sum(1)[both].mean()
    return float(np.clip((agreement - _NOT) / (_FULLY - _NOT), 0, 1))
