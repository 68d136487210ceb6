"""The files of shared memory through which Triton and its Python processes pass tensors."""

import contextlib
import time
from pathlib import Path

REGIONS_SECONDS = 0.1
SETTLED_SECONDS = 10.0
"""So long after it has made a file of shared memory, Triton has set its mode: it does both at once, and a machine may stall."""


def close_regions(prefix: str) -> None:
    """Triton makes its shared memory readable for everyone, whatever the umask. Never returns."""
    looked = 0.0
    while True:
        # Until a while after the last file was made: Triton may set its mode once more.
        if Path("/dev/shm").stat().st_mtime >= looked - SETTLED_SECONDS:
            looked = time.time()
            for file in Path("/dev/shm").glob(f"{prefix}*"):
                with contextlib.suppress(OSError):
                    file.chmod(0o600)
        time.sleep(REGIONS_SECONDS)
