"""Reads state dicts that torch.save wrote (its zip format, since torch 1.6), without torch and without running code in them.

Such a file is a zip archive: `<name>/data.pkl` describes the tensors in Python's pickle format, `<name>/data/<key>` holds their
numbers. A pickle can call any function of Python; here it can name only those of ALLOWED, which build plain values.
"""

import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BFLOAT16 = "bfloat16"
NUMBERS = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "BFloat16Storage": BFLOAT16,
    "LongStorage": "<i8",
    "IntStorage": "<i4",
}
"""How torch's classes of numbers lie in a file."""


class BadWeightsError(ValueError):
    """A file of weights that is not as it should be; the message says what was expected and what came."""


@dataclass(frozen=True)
class _Storage:
    """A row of numbers in the archive, under `key`."""

    key: str
    numbers: str


@dataclass(frozen=True)
class _Stored:
    """A tensor as a view of a storage: its first number, shape and strides, counted in numbers."""

    storage: _Storage
    first: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def end(self) -> int:
        """How many numbers its storage needs at least."""
        steps = sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))
        return self.first + steps + 1 if 0 not in self.shape else 0


class StateDict(Mapping[str, Array]):
    """The tensors of a file by name. Each is read when it is asked for: a file may be larger than memory."""

    def __init__(self, path: Path) -> None:
        """Raises BadWeightsError for a file that is no state dict."""
        self._path = path
        try:
            self._archive = zipfile.ZipFile(path)
            (described,) = (name for name in self._archive.namelist() if name.endswith("/data.pkl"))
        except (zipfile.BadZipFile, ValueError) as fault:
            raise BadWeightsError(f"{path.name}: expected a file that torch.save wrote, as a zip archive") from fault
        self._folder = described.removesuffix("/data.pkl")
        if self._read("byteorder", b"little") != b"little":
            raise BadWeightsError(f"{path.name}: expected little-endian numbers")
        with self._archive.open(described) as data:
            found = _Reader(data, path.name).read()
        if not isinstance(found, dict) or not all(isinstance(value, _Stored) for value in found.values()):
            raise BadWeightsError(f"{path.name}: expected tensors by name and nothing else")
        self._tensors: dict[str, _Stored] = {str(name): value for name, value in found.items()}

    def __getitem__(self, name: str) -> Array:
        """A tensor as float32, or as integers where it holds those."""
        tensor = self._tensors[name]
        numbers = tensor.storage.numbers
        data = self._read(f"data/{tensor.storage.key}")
        values = np.frombuffer(data, "<u2" if numbers == BFLOAT16 else numbers)
        if tensor.end > len(values):
            raise BadWeightsError(f"{self._path.name}: {name} reaches beyond its {len(values)} numbers")
        if numbers == BFLOAT16:
            values = (values.astype("<u4") << 16).view("<f4")
        strides = [step * values.itemsize for step in tensor.strides]
        view = np.lib.stride_tricks.as_strided(values[tensor.first :], tensor.shape, strides)
        return np.ascontiguousarray(view, np.float32) if values.dtype.kind == "f" else np.ascontiguousarray(view)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def _read(self, name: str, absent: bytes | None = None) -> bytes:
        try:
            return self._archive.read(f"{self._folder}/{name}")
        except KeyError as fault:
            if absent is not None:
                return absent
            raise BadWeightsError(f"{self._path.name} has no {name}") from fault


def _tensor(storage: _Storage, first: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: Any) -> _Stored:
    if min((first, *shape, *strides)) < 0 or len(shape) != len(strides):
        raise BadWeightsError(f"expected a tensor within its numbers, got first {first}, shape {shape}, strides {strides}")
    return _Stored(storage, first, tuple(shape), tuple(strides))


ALLOWED: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
}
"""All that a pickle may call, by module and name."""


class _Reader(pickle.Unpickler):
    """A pickle reader that calls nothing but ALLOWED."""

    def __init__(self, data: Any, name: str) -> None:
        super().__init__(data)
        self._name = name

    def read(self) -> Any:
        """What the pickle describes. Raises BadWeightsError where it is none, or calls for more than ALLOWED."""
        try:
            return self.load()
        except BadWeightsError:
            raise
        except Exception as fault:  # a torn pickle may raise nearly anything
            raise BadWeightsError(f"{self._name}: expected tensors by name, but cannot read it: {fault!r}") from fault

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in NUMBERS:
            return partial(str, name)
        if (module, name) not in ALLOWED:
            raise BadWeightsError(f"{self._name}: expected tensors only, and it wants to call {module}.{name}")
        return ALLOWED[module, name]

    def persistent_load(self, described: Any) -> _Storage:
        """described: ("storage", class of its numbers, key, device, count)."""
        _, numbers, key, *_ = described
        return _Storage(str(key), NUMBERS[numbers()])
