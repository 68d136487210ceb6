"""python -m inference.build.musetalk --weights FOLDER --out FOLDER: MuseTalk's published weights as a release.

Needs what inference/requirements.txt names, and no PyTorch. What to download, and what then: docs/guides/neural-renderer.md.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from .published import PUBLISHED, check_files, read_sums
from .release import write_release
from .torch_file import BadWeightsError

SLOTS = ("fast", "balanced", "studio")


def main(words: list[str] | None = None) -> int:
    """words: the command line's; those of this process unless given."""
    parser = argparse.ArgumentParser(prog="python -m inference.build.musetalk", description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="where the downloaded files are, as MuseTalk lays them out")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the release, which must not be there yet")
    parser.add_argument("--slot", choices=SLOTS, default="studio", help="whose renderer it is to be (default: studio)")
    parser.add_argument("--version", default="musetalk-1.5", help="what callers see in model_version (default: musetalk-1.5)")
    parser.add_argument("--sha256", type=Path, help="hashes of other weights than the published ones, as sha256sum writes them")
    asked = parser.parse_args(words)
    if not re.fullmatch(r"[\w.-]+", asked.version):
        parser.error("expected a --version of letters, digits, '.', '_' and '-'")
    try:
        if asked.out.exists():
            raise BadWeightsError(f"{asked.out} is there already: expected the name of a new folder")
        sums = check_files(asked.weights, read_sums(asked.sha256) if asked.sha256 else PUBLISHED)
        with tempfile.TemporaryDirectory(prefix=f"{asked.out.name}.", dir=asked.out.parent) as aside:
            write_release(asked.weights, Path(aside) / "release", asked.slot, asked.version, sums)
            (Path(aside) / "release").rename(asked.out)
    except (BadWeightsError, OSError) as fault:
        print(f"musetalk: {fault}", file=sys.stderr)
        return 1
    print(f"musetalk: {asked.out} is a release for the slot {asked.slot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
