"""Dataclasses as flat float32 vectors: what a model answers so that its caller sends it back with a later request.

A field is an int, a float, a bool, an array with its Shape (`Annotated[Array, Shape(3)]`), another such dataclass, one that may
be None (it takes the same room then, filled with zeros), or a list of such dataclasses (its length goes before it).
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property
from types import NoneType, UnionType
from typing import Any, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints
from zlib import crc32

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

EXACT = 2**24
"""Up to which a float32 holds every whole number."""
HEADER = 1
"""Numbers before the fields: the mark."""


class Shape:
    """The shape and type of an array. The first length may be -1: it differs from value to value, and goes before the array.

    nan: NaN stands for what was not measured; else such an array is refused.
    """

    def __init__(self, *lengths: int, dtype: npt.DTypeLike = np.float64, nan: bool = False) -> None:
        self.lengths, self.dtype, self.nan = lengths, np.dtype(dtype), nan


T = TypeVar("T")


class Record(Generic[T]):
    """How a dataclass travels. name: of its tensor, for messages. version: to be raised when its fields mean something else."""

    def __init__(self, name: str, kind: type[T], version: int) -> None:
        self.name, self.kind, self.version = name, kind, version

    @cached_property
    def _layout(self) -> "_Fields":
        return _Fields(self.kind)

    @cached_property
    def mark(self) -> int:
        """The first number: it differs when the version or any field's name, type or shape does."""
        return crc32(f"{self.name} {self.version} {self._layout.text}".encode()) % EXACT

    @cached_property
    def size(self) -> int:
        """How many numbers a value takes, where that is the same for all. Raises ValueError where it is not."""
        if self._layout.size is None:
            raise ValueError(f"{self.name} has no fixed size")
        return HEADER + self._layout.size

    def pack(self, value: T) -> Floats:
        """The vector of a value. Raises ValueError for a value that is not as its fields say."""
        return np.concatenate([np.array([self.mark], np.float32), *self._layout.write(value)])

    def unpack(self, values: npt.NDArray[np.generic]) -> T:
        """The value of a vector. Raises ValueError when it did not come from pack() of this version."""
        fixed = self._layout.size
        if values.ndim != 1 or (fixed is not None and values.size != HEADER + fixed):
            expected = "n" if fixed is None else HEADER + fixed
            raise ValueError(f"expected {self.name} [{expected}], got {list(values.shape)}")
        reader = _Reader(self.name, np.asarray(values, np.float32))
        mark = float(reader.take(HEADER)[0])
        if mark != self.mark:
            raise ValueError(f"expected {self.name} as this release answers it, marked {self.mark}, got the mark {mark:g}")
        value: T = self._layout.read(reader)
        if reader.left:
            raise ValueError(f"expected {self.name} of {values.size - reader.left} numbers, got {values.size}")
        return value


class _Reader:
    """A vector that is read from its start to its end."""

    def __init__(self, name: str, values: Floats) -> None:
        self.name, self._values, self._at = name, values, 0

    @property
    def left(self) -> int:
        """Numbers not yet read."""
        return self._values.size - self._at

    def take(self, count: int) -> Floats:
        """The next numbers. Raises ValueError when there are fewer."""
        if count > self.left:
            raise ValueError(f"expected {self.name} of at least {self._at + count} numbers, got {self._values.size}")
        self._at += count
        return self._values[self._at - count : self._at]

    def count(self) -> int:
        """A length. Raises ValueError for a number that cannot be one."""
        number = float(self.take(1)[0])
        if not (number.is_integer() and 0 <= number < EXACT):
            raise ValueError(f"expected a length in {self.name}, got {number:g}")
        return int(number)


class _Part(Protocol):
    """A field, or what it consists of. size: numbers that it takes, None where they differ. text: tells layouts apart."""

    size: int | None
    text: str

    def write(self, value: Any) -> Iterator[Floats]: ...

    def read(self, reader: _Reader) -> Any: ...


class _Number:
    size: int | None = 1

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind, self.text = kind, kind.__name__

    def write(self, value: float) -> Iterator[Floats]:
        if not np.isfinite(value) or (self.kind is int and abs(value) > EXACT):
            raise ValueError(f"expected {self.text} that a float32 holds, got {value}")
        yield np.array([value], np.float32)

    def read(self, reader: _Reader) -> float:
        number = float(reader.take(1)[0])
        whole = number in (0, 1) if self.kind is bool else self.kind is float or number.is_integer()
        if not (np.isfinite(number) and whole):
            raise ValueError(f"expected {reader.name} with {self.text}, got {number:g}")
        return self.kind(number)


class _Array:
    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.varies = shape.lengths[0] < 0
        self.row = int(np.prod(shape.lengths[self.varies :]))
        self.size = None if self.varies else self.row
        self.text = f"{shape.dtype}{list(shape.lengths)}"

    def write(self, value: npt.NDArray[Any]) -> Iterator[Floats]:
        fits = value.ndim == len(self.shape.lengths) and value.shape[self.varies :] == self.shape.lengths[self.varies :]
        if not fits:
            raise ValueError(f"expected {self.text}, got {value.dtype}{list(value.shape)}")
        if not (self.shape.nan or np.isfinite(value).all()):
            raise ValueError(f"expected {self.text} of finite numbers, got NaN or infinity")
        if self.varies:
            yield np.array([len(value)], np.float32)
        yield np.asarray(value, np.float32).ravel()

    def read(self, reader: _Reader) -> npt.NDArray[Any]:
        rows = [reader.count()] if self.varies else []
        values = reader.take(int(np.prod(rows)) * self.row)
        if not (self.shape.nan or np.isfinite(values).all()):
            raise ValueError(f"expected {reader.name} of finite numbers, got NaN or infinity")
        return values.reshape(*rows, *self.shape.lengths[self.varies :]).astype(self.shape.dtype)


class _Fields:
    def __init__(self, kind: type[Any]) -> None:
        hints = get_type_hints(kind, include_extras=True)
        self.kind = kind
        self.parts = {field.name: _part(hints[field.name]) for field in fields(kind)}
        sizes = [part.size for part in self.parts.values()]
        self.size = None if None in sizes else sum(size or 0 for size in sizes)
        self.text = f"{{{', '.join(f'{name}: {part.text}' for name, part in self.parts.items())}}}"

    def write(self, value: Any) -> Iterator[Floats]:
        for name, part in self.parts.items():
            yield from part.write(getattr(value, name))

    def read(self, reader: _Reader) -> Any:
        return self.kind(**{name: part.read(reader) for name, part in self.parts.items()})


class _Optional:
    def __init__(self, part: _Part) -> None:
        if part.size is None:
            raise TypeError("a part that may be None needs a fixed size")
        self.part, self.room = part, part.size
        self.size: int | None = 1 + part.size
        self.text = f"{part.text}?"

    def write(self, value: Any) -> Iterator[Floats]:
        yield np.array([value is not None], np.float32)
        if value is None:
            yield np.zeros(self.room, np.float32)
        else:
            yield from self.part.write(value)

    def read(self, reader: _Reader) -> Any:
        there = reader.count()
        if there > 1:
            raise ValueError(f"expected {reader.name} with 0 or 1 where a part may be missing, got {there}")
        if there:
            return self.part.read(reader)
        reader.take(self.room)
        return None


class _List:
    size: int | None = None

    def __init__(self, part: _Part) -> None:
        self.part, self.text = part, f"[{part.text}]"

    def write(self, value: list[Any]) -> Iterator[Floats]:
        yield np.array([len(value)], np.float32)
        for one in value:
            yield from self.part.write(one)

    def read(self, reader: _Reader) -> list[Any]:
        return [self.part.read(reader) for _ in range(reader.count())]


def _part(hint: Any) -> _Part:
    """How a field of this type travels. Raises TypeError for a type that does not."""
    shape = next((extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Shape)), None)
    if shape is not None:
        return _Array(shape)
    if hint in (int, float, bool):
        return _Number(hint)
    if get_origin(hint) is list:
        return _List(_part(get_args(hint)[0]))
    if isinstance(hint, UnionType) and NoneType in get_args(hint):
        return _Optional(_part(next(kind for kind in get_args(hint) if kind is not NoneType)))
    if hasattr(hint, "__dataclass_fields__"):
        return _Fields(hint)
    raise TypeError(f"{hint} does not travel as numbers")
