"""Pages of text, as screens show them: this machine's fonts in all sizes, dark on light and light on dark."""

import subprocess
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from enhance.picture import Picture

_SIDES = (640, 960)  # rows, columns
_SIZES = (11, 12, 13, 14, 16, 18, 22, 28, 40)  # pixels
_WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "that",
    "it",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "at",
    "be",
    "this",
    "from",
    "have",
    "by",
    "not",
    "but",
    "what",
    "all",
    "were",
    "when",
    "we",
    "there",
    "can",
    "an",
    "your",
    "which",
    "their",
    "said",
    "if",
    "do",
    "will",
    "each",
    "about",
    "how",
    "up",
    "out",
    "them",
    "then",
    "she",
    "many",
    "some",
    "so",
    "these",
    "would",
    "other",
    "into",
    "more",
    "time",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "def",
    "return",
    "if",
    "self",
    "import",
    "class",
    "{}",
    "[]",
    "()",
    "==",
    "!=",
    "3.14",
    "%s",
    "640x360",
    "Save",
    "File",
    "Edit",
    "View",
]


def page(number: int) -> Picture:
    """640 x 960 x 3: the same page for the same number and fonts. Raises ValueError when the machine has no fonts."""
    rng = np.random.default_rng(number)
    dark = rng.random() < 0.5
    paper = rng.integers(0, 60, 3) if dark else rng.integers(200, 256, 3)
    drawn = Image.new("RGB", _SIDES[::-1], tuple(paper.tolist()))
    pen = ImageDraw.Draw(drawn)
    y = 8
    while y < _SIDES[0]:
        ink = rng.integers(170, 256, 3) if dark else rng.integers(0, 90, 3)
        if rng.random() < 0.2:
            ink = rng.integers(0, 256, 3)
        size = int(rng.choice(_SIZES))
        font = ImageFont.truetype(str(rng.choice(_fonts())), size)
        pen.text((int(rng.integers(4, 60)), y), " ".join(rng.choice(_WORDS, 60)), tuple(ink.tolist()), font)
        y += round(1.4 * size) + 1
        if rng.random() < 0.12:
            left, below = int(rng.integers(0, _SIDES[1] // 2)), int(rng.integers(2, 60))
            pen.rectangle(
                (left, y, left + _SIDES[1] // 2, y + below), outline=tuple(ink.tolist()), width=int(rng.integers(1, 4))
            )
    return np.asarray(drawn)


@cache
def _fonts() -> list[str]:
    told = subprocess.run(["fc-list", "-f", "%{file}\n", ":lang=en"], stdout=subprocess.PIPE, check=True, text=True).stdout
    found = sorted(line for line in told.splitlines() if line.endswith((".ttf", ".otf", ".ttc")))
    if not found:
        raise ValueError("expected fonts that fontconfig lists for English, found none")
    return found
