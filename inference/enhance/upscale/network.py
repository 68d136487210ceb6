"""Any ONNX network from a picture to a larger one. What its graph does not tell is measured once, with small pictures.

Of the graph: one input and one output, 1 x 3 x height x width, RGB, of float or uint8, height and width free.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx

from enhance.engine import Engine
from enhance.picture import FloatPlanes

from .squares import Form, in_squares

Values = npt.NDArray[Any]
Run = Callable[[Values], Values]

TYPES: dict[int, type[np.generic]] = {
    onnx.TensorProto.FLOAT: np.float32,
    onnx.TensorProto.FLOAT16: np.float16,
    onnx.TensorProto.UINT8: np.uint8,
}
FACTORS = (2, 3, 4)
MULTIPLES = (1, 2, 4, 8, 16, 32, 64)
"""Of which a network may need its input's sides to be one, from the usual one on."""
GREYS = (0.25, 0.5, 0.75)
LARGEST_SHIFT = 0.04  # of 0..1: as colours.LARGEST_SHIFT, networks shift flat colours by up to 10 of 255
CONTEXTS = (8, 16, 24, 32)
SAME = 0.05 / 255  # a difference that hardly ever changes a rounded pixel


class BadNetworkError(ValueError):
    """The file is no network that enlarges pictures; the message says what was expected and what came."""


@dataclass(frozen=True)
class Network:
    """An opened network, of which everything is known.

    factor: output pixels for each input pixel, along each side. eats: input pixels of which it gives no output, on each side.
    context: how far an output pixel depends on its surroundings, in input pixels; None where that has no bound below 33.
    multiple: what the sides of its input are padded to. side: of the squares that it gets, in input pixels; None where it gets
    planes as they are.
    """

    graph: "Graph"
    factor: int
    eats: int
    multiple: int
    context: int | None
    ranges: tuple[int, int]
    side: int | None = None

    def run(self, planes: FloatPlanes) -> FloatPlanes:
        """Planes (3 x h x w, 0..1) `factor` times as large, less `eats` input pixels on each side.

        Raises RuntimeError where the network gives NaN or infinity.
        """
        # Where each pixel depends on all of the planes they cannot be cut, only continued.
        if self.side is None or (self.context is None and max(planes.shape[1:]) > self.side):
            return self._run(planes)
        form = Form(self.factor, self.eats, max(self.eats, self.context or 0), self.side)
        return in_squares(self._run, form)(planes)

    def _run(self, planes: FloatPlanes) -> FloatPlanes:
        _, height, width = planes.shape
        more = [-length % self.multiple for length in (height, width)]
        padded = np.pad(planes, ((0, 0), (0, more[0]), (0, more[1])), mode="reflect") if any(more) else planes
        large = self.graph.run(padded, self.ranges)
        rows, columns = (self.factor * (length - 2 * self.eats) for length in (height, width))
        return large[:, :rows, :columns]

    def opened_by(self, open_graph: Callable[[Path], Run], path: Path) -> "Network":
        """The same network, opened from the same file in another way."""
        return replace(self, graph=replace(self.graph, infer=open_graph(path)))


@dataclass(frozen=True)
class Graph:
    """The network as its engine runs it, with the types of its input and its output."""

    infer: Run
    types: tuple[type[np.generic], type[np.generic]]

    def run(self, planes: FloatPlanes, ranges: tuple[int, int]) -> FloatPlanes:
        """ranges: the white of the input and of the output, 1 or 255."""
        values = planes * np.float32(ranges[0])
        if self.types[0] is np.uint8:
            values = np.rint(values.clip(0, 255))
        large = np.asarray(self.infer(values.astype(self.types[0])), np.float32) * np.float32(1 / ranges[1])
        if not np.isfinite(large.sum()):
            raise RuntimeError("the network gave NaN or infinity")
        return large


def open_network(path: Path, engine: Engine) -> Network:
    """Raises BadNetworkError for a file that is no such network."""
    types = _types(path)
    try:
        graph = Graph(engine.open(path), types)
    except RuntimeError as fault:
        raise BadNetworkError(f"{engine.name} cannot run the network: {_first_line(fault)}") from fault
    factor, eats, multiple = _sizes(graph)
    ranges = _ranges(graph, eats, multiple)
    context = _context(graph, factor, eats, multiple, ranges)
    return Network(graph, factor, eats, multiple, context, ranges)


def _types(path: Path) -> tuple[type[np.generic], type[np.generic]]:
    try:
        graph = onnx.load(str(path), load_external_data=False).graph
    except Exception as fault:  # protobuf's own errors have no common class
        raise BadNetworkError(f"expected an ONNX file, got one that cannot be read: {_first_line(fault)}") from fault
    outside = [tensor.name for tensor in graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    if outside:
        raise BadNetworkError(f"expected the weights inside the file, got some in another file: {outside[0]}")
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [value for value in graph.input if value.name not in constants]
    if (len(inputs), len(graph.output)) != (1, 1):
        raise BadNetworkError(f"expected one input and one output, got {len(inputs)} and {len(graph.output)}")
    return _type_of(inputs[0], "input"), _type_of(graph.output[0], "output")


def _type_of(value: onnx.ValueInfoProto, role: str) -> type[np.generic]:
    tensor = value.type.tensor_type
    kind = TYPES.get(tensor.elem_type)
    if kind is None:
        came = onnx.helper.tensor_dtype_to_string(tensor.elem_type)
        raise BadNetworkError(f"expected an {role} of float or uint8, got {came}")
    if role == "input":
        _check_sides([one.dim_value or one.dim_param or "?" for one in tensor.shape.dim])
    return kind


def _check_sides(sides: list[int | str]) -> None:
    """sides: a number where it is fixed, a name where it is free."""
    fits = len(sides) == 4 and (sides[0] == 1 or isinstance(sides[0], str)) and sides[1] in (3, "?")
    if not fits:
        raise BadNetworkError(f"expected an input of 1 x 3 x height x width, got {sides}")
    if any(isinstance(side, int) for side in sides[2:]):
        raise BadNetworkError(f"expected an input of free height and width, got {sides}: export it with dynamic axes")


def _sizes(graph: Graph) -> tuple[int, int, int]:
    """factor, eats and multiple: from two sides at once, both odd multiples."""
    seen = ""
    for multiple in MULTIPLES:
        sides = [multiple * (-(-least // multiple) | 1) for least in (53, 67)]
        if sides[0] == sides[1]:
            sides[1] += 2 * multiple
        try:
            large = graph.infer(np.zeros((3, *sides), graph.types[0]))
        except Exception as fault:  # what the engines raise has no common class
            seen = seen or f"failed: {_first_line(fault)}"
            continue
        seen = f"gave {list(large.shape)}"
        found = _factor_of(sides, large.shape)
        if found:
            return *found, multiple
    raise BadNetworkError(f"expected an output 2, 3 or 4 times its input; a picture of {sides[0]} x {sides[1]} {seen}")


def _factor_of(sides: list[int], shape: tuple[int, ...]) -> tuple[int, int] | None:
    """factor and eats, where one pair of them explains both sides."""
    if len(shape) != 3 or shape[0] != 3:
        return None
    for factor in FACTORS:
        lost = [side * factor - length for side, length in zip(sides, shape[1:], strict=True)]
        if lost[0] == lost[1] >= 0 and lost[0] % (2 * factor) == 0:
            return factor, lost[0] // (2 * factor)
    return None


def _ranges(graph: Graph, eats: int, multiple: int) -> tuple[int, int]:
    """The white of input and output, by which flat greys stay what they are: 1 before 255, where both make sense."""
    side = multiple * -(-(2 * eats + 48) // multiple)
    whites = [(255,) if kind is np.uint8 else (1, 255) for kind in graph.types]
    told = []
    for white in whites[0]:
        flat = [graph.run(np.full((3, side, side), grey, np.float32), (white, 1)) for grey in GREYS]
        means = np.array([_middle(planes).mean(axis=(1, 2)) for planes in flat])
        for other in whites[1]:
            if np.abs(means / other - np.array(GREYS)[:, None]).max() <= LARGEST_SHIFT:
                return white, other
        told.append(f"as 0..{white} they came out as {means.mean(axis=1).round(3).tolist()}")
    raise BadNetworkError(f"expected flat greys of {list(GREYS)} to stay so, within {LARGEST_SHIFT}; sent {', '.join(told)}")


def _middle(planes: FloatPlanes) -> FloatPlanes:
    """The middle third: at their edges networks darken."""
    _, height, width = planes.shape
    return planes[:, height // 3 : height - height // 3, width // 3 : width - width // 3]


def _context(graph: Graph, factor: int, eats: int, multiple: int, ranges: tuple[int, int]) -> int | None:
    """The least of CONTEXTS beyond which another picture changes nothing in the middle."""
    side = multiple * -(-(2 * (CONTEXTS[-1] + eats) + multiple + 16) // multiple)
    noise = np.random.default_rng(12)
    picture = noise.random((3, side, side), np.float32)
    first, last = side // 2, side // 2 + multiple
    block = slice(factor * (first - eats), factor * (last - eats))
    expected = graph.run(picture, ranges)[:, block, block].copy()
    found = None
    for context in reversed(CONTEXTS):
        other = noise.random((3, side, side), np.float32)
        near = slice(first - context, last + context)
        other[:, near, near] = picture[:, near, near]
        if context < eats or np.abs(graph.run(other, ranges)[:, block, block] - expected).max() > SAME:
            break
        found = context
    return found


def _first_line(fault: Exception) -> str:
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    return lines[-1] if lines else type(fault).__name__
