"""The closed lips of a drawing that shows them round an open mouth. docs/decisions/0269.

The sides of a drawn "o" are steep: what is left of them when it is shut are hooks at its corners.
"""

from dataclasses import replace

import numpy as np

from enhance.geometry.head import Array, ramp
from enhance.render.lips.outline import ALONG
from enhance.render.lips.shape import MIDDLE, Rest

APART = 0.05, 0.12  # S between the lips, from which their rest is told less by its sides, and not at all
SIDES = 0.85  # of the way from the middle to the corners: beyond are the sides

ARCH = 1 - ALONG**2


def evened(rest: Rest, opening: float) -> Rest:
    """Closed lips that meet in an even bow, no thicker beside the middle than there, as far as they were apart (S)."""
    share = ramp(opening, *APART)
    even = _even(rest.line[:, 1])
    line = rest.line + share * np.column_stack([np.zeros_like(even), even - rest.line[:, 1]])
    upper, lower = (line + _tapered(edge - rest.line, share) for edge in (rest.upper_outer, rest.lower_outer))
    return replace(rest, line=line, upper_outer=upper, lower_outer=lower)


def _even(y: Array) -> Array:
    """The bow between the ends of a line that fits it best."""
    straight = y[0] + (ALONG + 1) / 2 * (y[-1] - y[0])
    within = np.abs(ALONG) < SIDES
    bow = (y - straight)[within] @ ARCH[within] / (ARCH[within] @ ARCH[within])
    return np.asarray(straight + float(bow) * ARCH)


def _tapered(lip: Array, share: float) -> Array:
    """The outer edge of a lip, from the line between the lips, held within an arch over its middle."""
    most = float(np.abs(lip[MIDDLE, 1]).mean()) * np.sqrt(ARCH)
    return lip + share * np.column_stack([np.zeros_like(most), np.clip(lip[:, 1], -most, most) - lip[:, 1]])
