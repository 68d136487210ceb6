"""Reads ncnn's text graph (.param) and its weights (.bin) into plain values.

The format was read off the files and off ncnn's documentation of it ("param and model file structure"):
.param: a magic number, counts, then `type name inputs outputs input-names output-names key=value...` per layer;
keys at or below -23300 hold arrays, `-233KK=count,value,...`.
.bin: the weights of each layer in the order of the layers. Weights of a convolution begin with a 4-byte tag
(0: float32, 0x01306B47: float16, padded to 4 bytes); biases and slopes have no tag and are float32.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

MAGIC = "7767517"
TAG_FLOAT32 = 0
TAG_FLOAT16 = 0x01306B47
ARRAY_KEYS = -23300

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Layer:
    """One layer: values by key, as integers or floats as written, and arrays of them."""

    kind: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    values: dict[int, float]
    arrays: dict[int, tuple[float, ...]]
    weights: dict[str, Floats] = field(default_factory=dict)

    def whole(self, key: int, default: int = 0) -> int:
        return int(self.values.get(key, default))


def read_network(param: str, weights: bytes) -> list[Layer]:
    """The layers in order, each with its weights.

    Raises ValueError when the graph is not ncnn's or the weights do not end exactly where the graph says.
    """
    reader = _Weights(weights)
    layers = [_with_weights(layer, reader) for layer in read_graph(param)]
    if reader.left:
        raise ValueError(f"the weights have {reader.left} bytes more than the graph reads")
    return layers


def read_graph(param: str) -> list[Layer]:
    """The layers of a .param text, without weights."""
    lines = [line for line in param.splitlines() if line.strip()]
    if not lines or lines[0].strip() != MAGIC:
        raise ValueError(f"not an ncnn graph: expected the first line to be {MAGIC}")
    layers = [_layer(line) for line in lines[2:]]
    declared = int(lines[1].split()[0])
    if len(layers) != declared:
        raise ValueError(f"the graph declares {declared} layers and has {len(layers)}")
    return layers


def _layer(line: str) -> Layer:
    kind, name, n_inputs, n_outputs, *rest = line.split()
    first, last = int(n_inputs), int(n_inputs) + int(n_outputs)
    values: dict[int, float] = {}
    arrays: dict[int, tuple[float, ...]] = {}
    for entry in rest[last:]:
        key, _, text = entry.partition("=")
        if int(key) <= ARRAY_KEYS:
            arrays[ARRAY_KEYS - int(key)] = tuple(float(value) for value in text.split(",")[1:])
        else:
            values[int(key)] = float(text)
    return Layer(kind, name, tuple(rest[:first]), tuple(rest[first:last]), values, arrays)


class _Weights:
    """The .bin file, read front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def tagged(self, count: int) -> Floats:
        tag = int.from_bytes(self._take(4), "little")
        if tag == TAG_FLOAT16:
            return np.frombuffer(self._take((count * 2 + 3) // 4 * 4), np.float16)[:count].astype(np.float32)
        if tag == TAG_FLOAT32:
            return self.plain(count)
        raise ValueError(f"unknown weight format {tag:#010x} at byte {self._at - 4}")

    def plain(self, count: int) -> Floats:
        return np.frombuffer(self._take(count * 4), np.float32)

    def _take(self, size: int) -> bytes:
        if size > self.left:
            raise ValueError(f"the weights end at byte {len(self._data)}, where the graph reads {size - self.left} bytes more")
        self._at += size
        return self._data[self._at - size : self._at]


def _with_weights(layer: Layer, reader: _Weights) -> Layer:
    if layer.kind in ("Convolution", "Deconvolution"):
        outputs, size, kernel = layer.whole(0), layer.whole(6), layer.whole(1)
        layer.weights["kernel"] = reader.tagged(size).reshape(outputs, -1, kernel, kernel)
        if layer.whole(5):
            layer.weights["bias"] = reader.plain(outputs)
    elif layer.kind == "InnerProduct":
        outputs = layer.whole(0)
        layer.weights["kernel"] = reader.tagged(layer.whole(2)).reshape(outputs, -1, 1, 1)
        if layer.whole(1):
            layer.weights["bias"] = reader.plain(outputs)
    elif layer.kind == "PReLU":
        layer.weights["slope"] = reader.plain(layer.whole(0))
    return layer
