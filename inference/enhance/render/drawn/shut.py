"""The stroke that a drawn mouth is when it is shut."""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, ramp
from enhance.masks import widened

from .looks import OUTLINE
from .mouth import Drawn

GRIN, ROUND = (0.11, 0.27), (-0.35, -0.1)
"""Of its height, by which an open mouth's stroke bends when shut: of a round one, and of one with a straight upper edge, which
smiles. Between them, how far that edge lies below its ends, of the height."""
USUAL_STROKE = 0.018  # S
WITHIN = 0.85  # of how dark a line is that what it encloses has at most, to be told from it
SAMPLES = 65
BUMP = 9  # of the samples
TEETH_WITHIN = 3  # of a mouth's height from its upper edge, one in so many, where teeth are looked for
THICKER = 1.5  # than usual that a stroke may become
ALONG = np.linspace(-1, 1, SAMPLES)


def stroke_of(drawn: Drawn) -> tuple[Array, Array, Array]:
    """Ends, bow and thickness of a closed mouth, from how dark its columns are."""
    dark = np.where(widened(drawn.whole, 1), np.maximum(drawn.dark, 0), 0)
    # In shade the skin is nearer to the ink.
    inked = float(np.percentile((drawn.lit - dark)[:, drawn.columns].min(axis=0), 20))
    share = np.clip(dark / np.maximum(drawn.lit - inked, 1), 0, 1)
    start, stop = drawn.columns.start - 3, drawn.columns.stop + 3
    amount = share[:, start:stop].sum(axis=0)
    rows = np.arange(len(share))[:, None] + 0.5
    some = np.flatnonzero(amount > 0.2)
    heights = np.interp(
        np.arange(len(amount)), some, ((share * rows)[:, start:stop].sum(axis=0) / np.maximum(amount, 1e-6))[some]
    )
    x = start + np.arange(len(amount)) + 0.5
    # Half a column of ink at an end ends it half way.
    left = start + some[0] + 1 - min(1.0, float(amount[some[0]] / max(np.median(amount[some]), 1e-6)))
    right = start + some[-1] + min(1.0, float(amount[some[-1]] / max(np.median(amount[some]), 1e-6)))
    at = left + (ALONG + 1) / 2 * (right - left)
    # Dots of a tone that touch the stroke do not belong to it.
    y, thick = _without_bumps(np.interp(at, x, heights)), _without_bumps(np.interp(at, x, amount) / drawn.finer)
    thick = np.minimum(thick, THICKER * np.median(thick))
    chord = y[0] + (ALONG + 1) / 2 * (y[-1] - y[0])
    slope = np.gradient(y, at)
    ends = drawn.place(np.array([[left, y[0]], [right, y[-1]]]))
    return ends, (y - chord) / drawn.finer, thick / np.hypot(1, slope)


def _without_bumps(values: Array) -> Array:
    reach = BUMP // 2
    padded = np.pad(values, reach, mode="reflect", reflect_type="odd")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, BUMP), axis=1)
    return np.asarray(cv2.GaussianBlur(middle.reshape(1, -1), (0, 0), 1.0).ravel())


def shut(drawn: Drawn) -> tuple[Array, Array, Array]:
    """The same for a mouth that is open here, shut: its corners, and something of its upper edge."""
    top = np.interp((ALONG + 1) / 2 * (len(drawn.top) - 1), np.arange(len(drawn.top)), drawn.top)
    arch = 1 - ALONG**2
    # The corners themselves belong to the lower edge as well.
    inner = np.abs(ALONG) < 0.85
    level, tilt, rise = np.linalg.lstsq(np.stack([np.ones_like(arch), ALONG, arch], 1)[inner], top[inner], rcond=None)[0]
    columns = drawn.columns
    ends = drawn.place(np.array([[columns.start, level - tilt], [columns.stop, level + tilt]]))
    smiles = ramp(float(rise) / drawn.finer / max(drawn.open, 1e-3), *ROUND)
    bow = float(np.clip(0.6 * rise / drawn.finer, (GRIN[0] + (GRIN[1] - GRIN[0]) * smiles) * drawn.open, 0.08)) * arch
    taper = np.clip(8 * (1 - np.abs(ALONG)), 0.6, 1)
    return ends, bow, _outline(drawn) * taper


def _outline(drawn: Drawn) -> float:
    """Thickness in S of the line round an open mouth, where what it encloses is lighter; else the usual one.

    Of the lower edge in the middle half, since drawn teeth and dark both begin at the upper one. Where the mouth is about as
    dark as the line there, of the upper edge, if that is as dark and has teeth below it.
    """
    if drawn.of_teeth:
        return USUAL_STROKE
    count = len(drawn.top)
    columns = drawn.dark_across[count // 4 : count - count // 4]
    least = WITHIN * drawn.darkest
    for edge, dark in (([c[::-1] for c in columns], 0.0), ([c[: len(c) // TEETH_WITHIN] for c in columns], least)):
        thick = [across for column in edge if (across := _line_across(column, drawn.finer, dark)) is not None]
        if len(thick) >= max(1, count // 4):
            return float(np.clip(np.median(thick) / drawn.finer, 0.5 * USUAL_STROKE, 2.5 * USUAL_STROKE))
    return USUAL_STROKE


def _line_across(column: Floats, finer: float, least: float) -> float | None:
    """Samples across the line with which a column begins; None where that is less dark than `least`, or half of the column is
    about as dark."""
    if not column.size:
        return None
    line, within = float(column[: max(2, round(OUTLINE * finer))].max()), float(np.median(column))
    if line < least or within >= WITHIN * line:
        return None
    inked = column > (line + within) / 2
    return float(np.argmin(inked[int(np.argmax(inked)) :]))
