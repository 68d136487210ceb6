"""The build as set-up runs it."""

import shutil
import subprocess
import sys
from pathlib import Path

from inference.build import manifest
from inference.build.sources import WAIFU2X

ROOT = Path(__file__).parents[2]


def build(wheels: Path, weights: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inference.build", "--wheels", str(wheels), "--weights", str(weights)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_weights_that_match_their_manifest_are_not_built_again(weights: Path, tmp_path: Path) -> None:
    assert manifest.up_to_date(weights)
    done = build(tmp_path, weights)
    assert (done.returncode, done.stdout) == (0, "weights: up to date\n")
    assert list(tmp_path.iterdir()) == []


def test_a_changed_weight_file_does_not_match(weights: Path, tmp_path: Path) -> None:
    copied = tmp_path / "weights"
    shutil.copytree(weights, copied)
    (copied / "photo_x2.onnx").write_bytes(b"something else")
    assert not manifest.up_to_date(copied)
    (copied / "photo_x2.onnx").unlink()
    assert not manifest.up_to_date(copied)


def test_a_wheel_with_a_wrong_hash_is_named_and_nothing_is_built(tmp_path: Path) -> None:
    (tmp_path / WAIFU2X.file_name).write_bytes(b"not the wheel")
    done = build(tmp_path, tmp_path / "weights")
    assert done.returncode == 1
    assert WAIFU2X.file_name in done.stderr
    assert f"expected sha256 {WAIFU2X.sha256}, found " in done.stderr
    assert list((tmp_path / "weights").iterdir()) == []
