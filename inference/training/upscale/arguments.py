"""What every recipe here is told on its command line."""

from argparse import ArgumentParser
from pathlib import Path


def recipe(prog: str, description: str, *, learn: str, pages: int, steps: int) -> ArgumentParser:
    """A parser of what recipes share. learn: what they learn from; pages, steps: so many unless it is said."""
    parser = ArgumentParser(prog=prog, description=description)
    parser.add_argument("--learn", type=Path, nargs="+", required=True, help=f"{learn}, or folders of them")
    parser.add_argument("--pages", type=int, default=pages, help="pages of text in this machine's fonts, to learn from")
    parser.add_argument("--hold-out", nargs="*", default=[], help="names without suffix that are not learnt from")
    parser.add_argument("--work", type=Path, required=True, help="keeps pairs and the checkpoint: a run goes on from it")
    parser.add_argument("--steps", type=int, default=steps, help="of a run that goes on, its steps in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=Path, help="while this file exists, no pairs are made and nothing is learnt")
    return parser
