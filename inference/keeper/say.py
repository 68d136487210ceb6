"""Lines of the keeper in the log."""

import sys


def say(words: str) -> None:
    print(f"keeper: {words}", file=sys.stderr, flush=True)
