"""Values that travel as numbers come back as they were, and nothing else is taken for one."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pytest

from enhance.record import EXACT, Record, Shape


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Drawing:
    count: int
    inked: bool
    colour: Annotated[npt.NDArray[np.float64], Shape(3)]
    rows: Annotated[npt.NDArray[np.uint8], Shape(-1, 2, dtype=np.uint8)]
    seen: Annotated[npt.NDArray[np.float32], Shape(2, dtype=np.float32, nan=True)]
    corner: Point | None = None
    points: list[Point] = field(default_factory=list)


DRAWING = Record("DRAWING", Drawing, version=1)
POINT = Record("POINT", Point, version=1)


def drawing(**changed: Any) -> Drawing:
    values: dict[str, Any] = {
        "count": 7,
        "inked": True,
        "colour": np.array([0.25, 128, 255]),
        "rows": np.array([[1, 2], [3, 4], [5, 255]], np.uint8),
        "seen": np.array([np.nan, 1], np.float32),
    }
    return Drawing(**{**values, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"count": EXACT, "inked": False},
        {"rows": np.empty((0, 2), np.uint8)},
        {"corner": Point(1.5, -2)},
        {"points": [Point(0, 0), Point(3, 4)]},
    ],
)
def test_a_value_comes_back_as_it_was(changed: dict[str, Any]) -> None:
    sent = drawing(**changed)
    packed = DRAWING.pack(sent)
    back = DRAWING.unpack(packed)
    assert packed.dtype == np.float32
    assert (back.count, back.inked, back.corner, back.points) == (sent.count, sent.inked, sent.corner, sent.points)
    assert (type(back.count), type(back.inked)) == (int, bool)
    for name in ("colour", "rows", "seen"):
        ours, theirs = getattr(sent, name), getattr(back, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


def test_a_part_that_may_be_missing_takes_the_same_room() -> None:
    assert DRAWING.pack(drawing()).size == DRAWING.pack(drawing(corner=Point(1, 2))).size


def test_only_what_is_always_as_long_has_a_size() -> None:
    assert POINT.size == POINT.pack(Point(1, 2)).size == 3
    with pytest.raises(ValueError, match="DRAWING has no fixed size"):
        _ = DRAWING.size


def test_the_mark_changes_with_the_version_and_with_the_layout() -> None:
    @dataclass(frozen=True)
    class Renamed:
        x: float
        z: float

    marks = {POINT.mark, Record("POINT", Point, version=2).mark, Record("POINT", Renamed, version=1).mark}
    assert len(marks) == 3
    with pytest.raises(ValueError, match=f"expected POINT as this release answers it, marked {POINT.mark}, got the mark"):
        POINT.unpack(Record("POINT", Point, version=2).pack(Point(1, 2)))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"count": EXACT + 1}, "int that a float32 holds, got 16777217"),
        ({"colour": np.zeros(4)}, r"expected float64\[3\], got float64\[4\]"),
        ({"colour": np.array([0, np.nan, 0])}, r"expected float64\[3\] of finite numbers, got NaN"),
        ({"rows": np.zeros((2, 3), np.uint8)}, r"uint8\[-1, 2\], got uint8\[2, 3\]"),
        ({"corner": Point(np.inf, 0)}, "float that a float32 holds, got inf"),
    ],
)
def test_a_value_that_is_not_as_its_fields_say_does_not_travel(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        DRAWING.pack(drawing(**changed))


COUNT, INKED, COLOUR, ROWS, CORNER = 1, 2, 3, 6, 15


@pytest.mark.parametrize(
    ("at", "number", "says"),
    [
        (COUNT, 1.5, "expected DRAWING with int, got 1.5"),
        (INKED, 2, "expected DRAWING with bool, got 2"),
        (COLOUR, np.nan, "expected DRAWING of finite numbers"),
        (ROWS, -1, "expected a length in DRAWING, got -1"),
        (ROWS, np.inf, "expected a length in DRAWING, got inf"),
        (ROWS, 900, "expected DRAWING of at least 1807 numbers, got 19"),
        (CORNER, 3, "expected DRAWING with 0 or 1 where a part may be missing, got 3"),
    ],
)
def test_numbers_that_no_value_has_are_refused(at: int, number: float, says: str) -> None:
    packed = DRAWING.pack(drawing())
    packed[at] = number
    with pytest.raises(ValueError, match=says):
        DRAWING.unpack(packed)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.zeros(2, np.float32), r"expected POINT \[3\], got \[2\]"),
        (np.zeros((1, 3), np.float32), r"expected POINT \[3\], got \[1, 3\]"),
        (np.zeros(3, np.float32), "got the mark 0"),
        (np.full(3, np.nan, np.float32), "got the mark nan"),
    ],
)
def test_a_vector_of_another_length_or_mark_is_refused(values: npt.NDArray[np.float32], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        POINT.unpack(values)


@pytest.mark.parametrize("more", [-1, 1])
def test_a_vector_that_is_cut_short_or_goes_on_is_refused(more: int) -> None:
    packed = DRAWING.pack(drawing(points=[Point(1, 2)]))
    changed = np.append(packed, np.float32(0)) if more > 0 else packed[:more]
    with pytest.raises(ValueError, match=r"expected DRAWING of .* numbers, got"):
        DRAWING.unpack(changed)


def test_a_field_that_does_not_travel_is_told_at_once() -> None:
    @dataclass(frozen=True)
    class Named:
        name: str

    with pytest.raises(TypeError, match="does not travel as numbers"):
        Record("NAMED", Named, version=1).pack(Named("one"))
