"""How many instances of each model there are. Triton knows fixed numbers only; a machine with more cores gets more."""

import os
import re
from pathlib import Path

CORES_PER_INSTANCE = re.compile(r'key: "cores_per_instance", value: { string_value: "(\d+)" }')
COUNT = re.compile(r"(?<=instance_group \[ { count: )\d+")
MOST_INSTANCES = 8
"""Of a model, where the machine has cores for more: each takes 60 to 200 MB."""


def spread_first(command: list[str], folder: Path) -> list[str]:
    """Triton's command with `spread` applied to its first repository. Releases come into the second one while Triton runs: they
    have the instances that their configs say."""
    flag = "--model-repository="
    first = next((word for word in command if word.startswith(flag)), None)
    if not first:
        return command
    repository = spread(Path(first.removeprefix(flag)), usable_cores(), folder)
    return [f"{flag}{repository}" if word == first else word for word in command]


def usable_cores() -> int:
    """ENHANCE_THREADS, by which who shares a machine says how much of it the models may use; else all that Triton may use."""
    return int(os.environ.get("ENHANCE_THREADS") or len(os.sched_getaffinity(0)))


def spread(repository: Path, cores: int, folder: Path) -> Path:
    """A repository in the empty `folder` with as many instances of each model as it wants on so many cores.

    It has links to all but the configs that differ. Where none would, the repository itself is returned.
    """
    texts = {config.parent.name: config.read_text() for config in repository.glob("*/config.pbtxt")}
    changed = {model: more for model, text in texts.items() if (more := with_instances(text, cores)) != text}
    if not changed:
        return repository
    for model in repository.iterdir():
        if model.name not in changed:
            (folder / model.name).symlink_to(model.resolve())
            continue
        (folder / model.name).mkdir()
        for part in model.iterdir():
            if part.name != "config.pbtxt":
                (folder / model.name / part.name).symlink_to(part.resolve())
        (folder / model.name / "config.pbtxt").write_text(changed[model.name])
    return folder


def with_instances(config: str, cores: int) -> str:
    """The text of a config.pbtxt with an instance for each `cores_per_instance` cores: its own count or more, MOST_INSTANCES or
    fewer. Without that parameter it stays as it is."""
    wanted = CORES_PER_INSTANCE.search(config)
    if not wanted:
        return config
    count = min(MOST_INSTANCES, cores // int(wanted[1]))
    return COUNT.sub(lambda stated: str(max(int(stated[0]), count)), config)
