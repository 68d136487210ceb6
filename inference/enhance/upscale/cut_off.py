"""How coarse a JPEG was of which white or black cuts off what tells it, as in a page of text.

Stored again at the same quality, a JPEG stays what it is; at any other it changes. What lies beyond white is not known, so it
is filled with what a quality makes of the rest, a few times. With the right quality the rest then comes out as it is.
docs/decisions/0093.
"""

import numpy as np

from enhance.picture import AnyPicture, Mask, white

from .blocks import BLOCK, USUAL, Floats, blocks_of, distinct, wave

_QUALITIES = np.arange(15, 94)
_MIDDLE = 128  # what a JPEG takes off before it looks at frequencies
_LEAST_RANGE = 8  # levels between a block's darkest and brightest pixel: flat ones fit any quality
_LEAST_SEEN = 16  # of a block's 64 pixels that are not cut off
_LEAST_BLOCKS, _MOST_BLOCKS = 30, 120
_LEAST_CUT = 0.25  # of the blocks, in which anything is: else their multiples tell more
_ROUNDS = 4
_NEAR = range(3, 9)  # qualities to both sides with which one is compared: those next to it fit nearly as well
_LEAST_CHANGED = 0.25  # of the blocks: colours that are cut off in one channel leave few that can be filled
_MOST_LEFT = 0.6  # of what the best of those changes, each for its steps: .73 and more in pictures that were no JPEGs


def coarseness(colours: AnyPicture, luma: Floats) -> float:
    """The steps of the JPEG that a picture (h x w x 3; its luma, 0..255) was, 1 for those of quality 50; 0 where it was none.

    Its first row and column must be those of a block. Looks only at pictures in which white or black cuts off much.
    """
    blocks, seen = _looked_at(luma, (colours.min(axis=2) > 0) & (colours.max(axis=2) < white(colours)))
    if len(blocks) < _LEAST_BLOCKS or (~seen.all(axis=1)).mean() < _LEAST_CUT:
        return 0.0
    changes = np.array([_change(blocks, seen, table) for table in _TABLES]) / _PERCENTS
    shares = [
        change / min(changes[at + way * far] for far in _NEAR for way in (-1, 1) if 0 <= at + way * far < len(changes))
        for at, change in enumerate(changes)
    ]
    found = int(np.argmin(shares))
    return float(_PERCENTS[found]) / 100 if shares[found] < _MOST_LEFT else 0.0


def _looked_at(luma: Floats, inside: Mask) -> tuple[Floats, Mask]:
    """Blocks with something in them, n x 64, and which of their pixels are not cut off."""
    blocks, seen = np.asarray(blocks_of(luma), np.float32), np.asarray(blocks_of(inside), np.bool_)
    once = distinct(blocks)
    blocks, seen = blocks[once], seen[once]
    telling = (np.ptp(blocks, axis=1) > _LEAST_RANGE) & (seen.sum(axis=1) >= _LEAST_SEEN)
    blocks, seen = blocks[telling], seen[telling]
    some = np.linspace(0, len(blocks) - 1, min(len(blocks), _MOST_BLOCKS)).astype(int)
    return blocks[some], seen[some]


def _change(blocks: Floats, seen: Mask, table: Floats) -> float:
    """By how many levels a table changes the pixels that are not cut off, in the blocks that it changes least."""
    given = blocks - np.float32(_MIDDLE)
    # White and black bound what lies beyond them; a colour may be cut off on either side.
    least = np.where(seen | (blocks > 254.5), given, -np.inf)
    most = np.where(seen | (blocks < 0.5), given, np.inf)
    filled = given
    for _ in range(_ROUNDS):
        filled = np.clip(_stored(filled, table), least, most)
    changes = np.abs(_stored(filled, table) - given).sum(axis=1, where=seen) / seen.sum(axis=1)
    return float(np.quantile(changes, _LEAST_CHANGED))


def _stored(blocks: Floats, table: Floats) -> Floats:
    return np.asarray((np.rint(blocks @ _WAVES.T / table) * table) @ _WAVES, np.float32)


# As libjpeg makes its tables.
_PERCENTS = np.where(_QUALITIES < 50, 5000 // _QUALITIES, 200 - 2 * _QUALITIES)
_TABLES = ((USUAL.ravel() * _PERCENTS[:, None] + 50) // 100).clip(1, 255).astype(np.float32)
_WAVES = np.array([wave(down, across) for down in range(BLOCK) for across in range(BLOCK)], np.float32)
