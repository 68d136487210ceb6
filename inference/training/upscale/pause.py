"""Lets others measure on the same machine."""

import time
from pathlib import Path


def wait_while(pause: Path | None) -> None:
    """Returns once this file does not exist; it is looked for every second."""
    while pause and pause.exists():
        time.sleep(1)
