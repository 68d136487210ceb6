"""What stands before the model of an added release."""

from pathlib import Path

import pytest

from serving.released import FILE, ReleasedModel


def args(folder: Path, code: str) -> dict[str, str]:
    (folder / "1").mkdir()
    (folder / "1" / "beside.py").write_text("FACTOR = 2\n")
    (folder / "1" / FILE).write_text(code)
    return {"model_repository": str(folder), "model_version": "1", "model_name": "photo__r2"}


def test_the_model_of_the_release_answers_with_what_lies_beside_it(tmp_path: Path) -> None:
    code = """from beside import FACTOR
class TritonPythonModel:
    def initialize(self, args):
        self.name = args["model_name"]
    def execute(self, requests):
        return [self.name, *(FACTOR * request for request in requests)]
"""
    model = ReleasedModel()
    model.initialize(args(tmp_path, code))
    assert model.execute([1, 2]) == ["photo__r2", 2, 4]
    model.finalize()


def test_what_python_looks_up_by_the_name_of_the_module_is_found(tmp_path: Path) -> None:
    code = """from __future__ import annotations
import pickle
from dataclasses import dataclass
@dataclass
class Answer:
    value: int
class TritonPythonModel:
    def execute(self, requests):
        return [pickle.loads(pickle.dumps(Answer(request))).value for request in requests]
"""
    model = ReleasedModel()
    model.initialize(args(tmp_path, code))
    assert model.execute([3]) == [3]


def test_what_the_model_raises_while_it_is_read_is_raised_where_triton_notices(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the weights are torn"):
        ReleasedModel().initialize(args(tmp_path, "raise ValueError('the weights are torn')"))
