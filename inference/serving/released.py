"""What stands before the model of an added release, so that Triton notices when it dies while it loads. docs/decisions/0021.

Triton 24.10 notices the death of a model's process from `initialize` on, and waits for ever when it dies before, while model.py
is read. So model.py only names ReleasedModel, and what the release brought is read here.
"""

import importlib.util
import sys
from pathlib import Path
from typing import Any

FILE = "released.py"
"""Beside model.py: what the release brought as its own model.py."""


class ReleasedModel:
    """The TritonPythonModel of FILE."""

    def initialize(self, args: dict[str, str]) -> None:
        """args: as Triton gives them. Raises what the model does."""
        folder = Path(args["model_repository"]) / args["model_version"]
        sys.path.append(str(folder))
        spec = importlib.util.spec_from_file_location("released", folder / FILE)
        if spec is None or spec.loader is None:
            raise RuntimeError(f"there is no {FILE}")
        module = importlib.util.module_from_spec(spec)
        # dataclasses and pickle look a class's module up by its name.
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self.model = module.TritonPythonModel()
        if hasattr(self.model, "initialize"):
            self.model.initialize(args)

    def execute(self, requests: list[Any]) -> list[Any]:
        """As the model does."""
        responses: list[Any] = self.model.execute(requests)
        return responses

    def finalize(self) -> None:
        """As the model does, if it does."""
        if hasattr(self.model, "finalize"):
            self.model.finalize()
