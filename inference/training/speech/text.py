"""Sentences to be spoken: the translated messages that a Debian system carries, and pinyin put together by rule."""

import gettext
import random
import re
from functools import cache
from pathlib import Path

LOCALES = Path("/usr/share/locale")
_NOT_PROSE = re.compile(r"[%<>&_{}\\$=@#|/\[\]*0-9~^`+\-]")
_INITIALS = {
    "b p m": "a o i u ai ei ao an en ang eng ie iao ian in ing",
    "f": "a o u ei ou an en ang eng",
    "d t n l": "a e i u ai ao ou an ang eng ong ie iao ian ing uo uan un",
    "g k h": "a e u ai ei ao ou an en ang eng ong ua uo uai ui uan un uang",
    "j q x": "i u ia ie iao iu ian in iang ing",
    "zh ch sh": "a e i u ai ao ou an en ang eng ua uo uai ui uan un uang",
    "r z c s": "e i u ao ou an en ang eng ong uo ui uan un",
}
_FINALS = {initial: finals.split() for initials, finals in _INITIALS.items() for initial in initials.split()}


@cache
def sentences(locale: str) -> list[str]:
    """18 to 110 letters long each, in an order that does not change. `en`: the originals of the French catalogues."""
    english = locale == "en"
    found: set[str] = set()
    for path in sorted((LOCALES / ("fr" if english else locale) / "LC_MESSAGES").glob("*.mo")):
        try:
            with path.open("rb") as file:
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
        except (OSError, UnicodeDecodeError, ValueError):
            continue  # some catalogues of Debian are damaged
        for original, translation in catalogue.items():
            text = original if english else translation
            if isinstance(original, str) and isinstance(text, str) and original:
                lines = (line.strip() for line in text.split("\n"))
                found.update(line for line in lines if 18 <= len(line) <= 110 and not _NOT_PROSE.search(line))
    ordered = sorted(found)
    random.Random(1).shuffle(ordered)
    return ordered


def pick(locale: str, rng: random.Random, held_out: bool = False) -> str:
    """One sentence; the last tenth of each language is kept for judging."""
    if locale == "pinyin":
        return _pinyin(rng)
    every = sentences(locale)
    cut = int(len(every) * 0.9)
    return rng.choice(every[cut:] if held_out else every[:cut])


def _pinyin(rng: random.Random) -> str:
    syllables = []
    for _ in range(rng.randint(5, 12)):
        initial = rng.choice(list(_FINALS))
        syllables.append(f"{initial}{rng.choice(_FINALS[initial])}{rng.randint(1, 4)}")
    return " ".join(syllables) + "."
