"""The speech network: from normalised log-mel to posteriors over the articulatory classes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from enhance.engine import open_small_network

from .features import Floats

LOOK_AHEAD = 20  # frames: the output for a frame comes 200 ms later
CONTEXT = 46  # frames before a frame that the network looks at
_BLOCK = 3000  # frames run at once: bounds memory

Posteriors = Callable[[Floats, Callable[[], None]], Floats]


def open_speech_network(path: Path) -> Posteriors:
    """A function from normalised log-mel [T, 40] to posteriors [T, 20]. It calls its second argument between blocks.

    Before and after the file its quietest frame is repeated. The result does not depend on the blocks.
    """
    run = open_small_network(path)

    def posteriors(mel: Floats, go_on: Callable[[], None]) -> Floats:
        if len(mel) == 0:
            return np.zeros((0, 20), np.float32)
        quiet = mel[[mel.mean(1).argmin()]]
        padded = np.concatenate([np.repeat(quiet, CONTEXT, 0), mel, np.repeat(quiet, LOOK_AHEAD, 0)])
        parts = []
        for start in range(0, len(mel), _BLOCK):
            go_on()
            end = min(start + _BLOCK, len(mel))
            (answer,) = run(padded[None, start : end + CONTEXT + LOOK_AHEAD])
            parts.append(answer[0, CONTEXT + LOOK_AHEAD :])
        return np.concatenate(parts)

    return posteriors
