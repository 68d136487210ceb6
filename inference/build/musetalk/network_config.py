"""The JSON file beside a network's weights, which says how the network is built."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .torch_file import BadWeightsError


class NetworkConfig(dict[str, Any]):
    """The entries of one file. Raises BadWeightsError for one without a JSON object, and for an entry that is not there."""

    def __init__(self, folder: Path, name: str) -> None:
        self._name = name
        try:
            entries = json.loads((folder / name).read_text())
        except ValueError as fault:
            raise BadWeightsError(f"{name}: expected JSON ({fault})") from fault
        if not isinstance(entries, dict):
            raise BadWeightsError(f"{name}: expected a JSON object, got {type(entries).__name__}")
        super().__init__(entries)

    def __missing__(self, key: str) -> Any:
        raise BadWeightsError(f"{self._name}: expected {key}, found none")

    def check(self, expected: Mapping[str, Any]) -> None:
        """Raises BadWeightsError for an entry with another value, or none."""
        for key, value in expected.items():
            if self[key] != value:
                raise BadWeightsError(f"{self._name}: expected {key} {value}, got {self[key]}")
