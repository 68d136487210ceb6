"""Tiles computed side by side: a GPU runs one network at a time, and what surrounds it takes longer on one core of the CPU."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Tile = TypeVar("Tile")
Result = TypeVar("Result")


def side_by_side(
    compute: Callable[[Tile], Result], tiles: Iterable[Tile], threads: int, before_tile: Callable[[], None] = lambda: None
) -> list[Result]:
    """What `compute` gives for each tile, in their order. before_tile, called in this thread, may raise to stop the work."""

    def one(tile: Tile) -> Result:
        before_tile()
        return compute(tile)

    if threads == 1:
        return [one(tile) for tile in tiles]
    with ThreadPoolExecutor(threads, thread_name_prefix="tile") as pool:
        return results_of([pool.submit(compute, tile) for tile in tiles], before_tile)


def results_of(jobs: Sequence[Future[Result]], before_each: Callable[[], None] = lambda: None) -> list[Result]:
    """What the jobs give, in their order. Where one fails, or before_each raises, those that have not begun are cancelled."""
    results = []
    try:
        for job in jobs:
            before_each()
            results.append(job.result())
    finally:
        for job in jobs:
            job.cancel()
    return results
