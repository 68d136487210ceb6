"""manifest.json beside the weights: what each file was made from. When it matches, there is nothing to build."""

import hashlib
import json
from pathlib import Path
from typing import Any

from .sources import NETWORKS
from .wheels import sha256

NAME = "manifest.json"
Manifest = dict[str, Any]


def describe(built: dict[str, str]) -> Manifest:
    """The manifest of the files, given their hashes by network name."""
    return {
        "recipe": recipe(),
        "networks": {
            network.name: {
                "file": network.file_name,
                "sha256": built[network.name],
                "package": network.wheel.requirement,
                "package_sha256": network.wheel.sha256,
                **{f"{role}_sha256": member.sha256 for role, member in network.members.items()},
                "licence": network.wheel.licence.path,
            }
            for network in NETWORKS
        },
    }


def recipe() -> str:
    """A hash of the code of this package: a change of the converter builds anew."""
    code = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        code.update(path.read_bytes())
    return code.hexdigest()


def up_to_date(weights: Path) -> bool:
    """Whether the folder holds exactly what this code would build."""
    try:
        found = json.loads((weights / NAME).read_text())
        built = {network.name: sha256((weights / network.file_name).read_bytes()) for network in NETWORKS}
    except (OSError, ValueError):
        return False
    return bool(found == describe(built))
