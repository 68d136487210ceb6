"""Networks that always get planes of one size, for engines that plan anew for each other one: docs/decisions/0123."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from enhance.picture import FloatPlanes

Run = Callable[[FloatPlanes], FloatPlanes]


@dataclass(frozen=True)
class Form:
    """What a network makes of its input.

    scale: output pixels for each input pixel, along each side. eats: input pixels of which it gives no output, on each side.
    context: how far an output pixel depends on its surroundings, in input pixels, `eats` at least. side: of the squares that
    in_squares() cuts for it, in input pixels.
    """

    scale: int
    eats: int
    context: int
    side: int


@dataclass(frozen=True)
class _Part:
    """Of an axis: the square that begins at `start` gives the output of the input pixels from `first` to before `last`."""

    start: int
    first: int
    last: int

    def outputs(self, form: Form, origin: int) -> slice:
        """Where these lie in the output of what begins at `origin`."""
        before = origin + form.eats
        return slice((self.first - before) * form.scale, (self.last - before) * form.scale)


def in_squares(run: Run, form: Form) -> Run:
    """A network for planes (channels x h x w) of any size, from one for squares of form.side.

    The squares overlap by what their pixels depend on, so the result is that of the whole. Planes that are smaller than a
    square are continued by their last pixel.
    """

    def enlarge(planes: FloatPlanes) -> FloatPlanes:
        channels, *lengths = planes.shape
        large = np.empty((channels, *(form.scale * (length - 2 * form.eats) for length in lengths)), np.float32)
        for rows in _parts(lengths[0], form):
            for columns in _parts(lengths[1], form):
                square = planes[:, rows.start : rows.start + form.side, columns.start : columns.start + form.side]
                made = run(_filled(square, form.side))
                large[:, rows.outputs(form, 0), columns.outputs(form, 0)] = made[
                    :, rows.outputs(form, rows.start), columns.outputs(form, columns.start)
                ]
        return large

    return enlarge


def _parts(length: int, form: Form) -> Iterator[_Part]:
    """The last square ends where the planes do: there the network sees their edge as it would in the whole."""
    first = form.eats
    for start in range(0, max(length - 2 * form.context, 1), form.side - 2 * form.context):
        if start + form.side >= length:
            yield _Part(max(length - form.side, 0), first, length - form.eats)
            return
        yield _Part(start, first, start + form.side - form.context)
        first = start + form.side - form.context


def _filled(planes: FloatPlanes, side: int) -> FloatPlanes:
    _, height, width = planes.shape
    missing = (0, side - height), (0, side - width)
    return np.pad(planes, ((0, 0), *missing), mode="edge") if height < side or width < side else np.ascontiguousarray(planes)
