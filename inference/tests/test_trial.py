"""A model that is loaded in another process first: what Triton is told of one that cannot be loaded."""

import threading
import time
from pathlib import Path

import pytest

from serving.trial import FILE, TriedModel

HEAD = "import os, signal, time\nimport triton_python_backend_utils as pb_utils\n\nclass TritonPythonModel:\n"


def args(folder: Path, code: str) -> dict[str, str]:
    (folder / "1").mkdir()
    (folder / "1" / FILE).write_text(HEAD + code)
    return {"model_repository": str(folder), "model_version": "1", "model_name": "photo__r2"}


def test_a_model_that_loads_is_the_one_that_answers(tmp_path: Path) -> None:
    code = """    def initialize(self, args):
        pb_utils.Logger.log_info(args["model_name"])
        print("loaded")
    def execute(self, requests):
        return [2 * request for request in requests]
"""
    model = TriedModel()
    model.initialize(args(tmp_path, code))
    assert model.execute([1, 2]) == [2, 4]
    model.finalize()


@pytest.mark.parametrize(
    ("does", "message"),
    [
        ("os._exit(3)", "its process ended with status 3 while it was loading"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "its process was ended by SIGSEGV while it was loading"),
        ("raise ValueError('the weights are torn')", "ValueError: the weights are torn"),
        ("raise SystemExit", "SystemExit: "),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
@pytest.mark.parametrize("where", ["    {}\n", "    def initialize(self, args):\n        {}\n"])
def test_one_that_does_not_is_refused_with_what_happened(tmp_path: Path, does: str, message: str, where: str) -> None:
    with pytest.raises(RuntimeError) as refused:
        TriedModel().initialize(args(tmp_path, where.format(does)))
    assert str(refused.value) == message.strip()


def test_one_that_hangs_is_ended_when_its_folder_is_deleted(tmp_path: Path) -> None:
    given = args(tmp_path, "    time.sleep(600)\n")

    def take_back() -> None:
        time.sleep(0.5)
        (tmp_path / "1" / FILE).unlink()
        (tmp_path / "1").rmdir()

    threading.Thread(target=take_back).start()
    with pytest.raises(RuntimeError, match="it was given up while it was loading"):
        TriedModel().initialize(given)
