"""Imports in enhance go one way: a folder or module imports only those of lower layers, so no two import each other."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ENHANCE = Path(__file__).parents[1] / "enhance"
ROOMS = (
    ("picture", "record", "runs"),
    ("geometry",),
    ("engine", "masks", "membrane", "softness"),
    ("style",),
    ("face", "speech", "upscale"),
    ("plan",),
    ("render.quality", "render.patch", "render.mask", "render.light", "render.lips", "render.still"),
    ("render.teeth", "render.cover", "render.window"),
    ("render.finish", "render.drawn", "portrait"),
    ("render.subject", "render.warp"),
    ("render.measure", "render.inside", "render.veil"),
    ("render.compose",),
    ("neural",),
)
"""Layers of folders and modules (rooms), the lowest first. A room imports only rooms of earlier rows."""
ROW = {room: row for row, rooms in enumerate(ROOMS) for room in rooms}


def name_of(path: Path) -> str:
    """`render.lips.field` for enhance/render/lips/field.py, `render.lips` for its __init__.py."""
    parts = path.relative_to(ENHANCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(ENHANCE.rglob("*.py")) if name_of(path)}


@cache
def imports_of(name: str) -> frozenset[str]:
    """The modules of enhance that a module imports, wherever in it the import stands."""
    return frozenset(_imports(name, MODULES[name]))


def _imports(name: str, path: Path) -> Iterator[str]:
    package = ["enhance", *name.split(".")]
    package = package if path.name == "__init__.py" else package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *filter(None, [node.module])])
            found = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for full in found:
            parts = full.split(".")[1:]
            if full.startswith("enhance."):
                yield next(m for n in range(len(parts), 0, -1) if (m := ".".join(parts[:n])) in MODULES)


def room_of(module: str) -> str | None:
    """None for a package that only holds rooms."""
    return next((room for room in ROW if module == room or module.startswith(f"{room}.")), None)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_its_own_room_and_those_below(module: str) -> None:
    room = room_of(module)
    imported = [(other, room_of(other)) for other in imports_of(module)]
    if room is None:
        assert module == "render"
        assert not imported
        return
    above = [other for other, its in imported if its is None or (its != room and ROW[its] >= ROW[room])]
    assert not above, f"{module} of the room {room} imports {above}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: imports_of(module) for module in MODULES}
    while free := [module for module, others in graph.items() if not others & graph.keys()]:
        for module in free:
            del graph[module]
    assert not graph, f"in a circle, or importing one: {sorted(graph)}"
