"""Tiles computed side by side: a GPU runs one network at a time, and what surrounds it takes longer on one core of the CPU."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
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
        jobs = [pool.submit(compute, tile) for tile in tiles]
        results = []
        try:
            for job in jobs:
                before_tile()
                results.append(job.result())
        finally:
            for job in jobs:
                job.cancel()
    return results
