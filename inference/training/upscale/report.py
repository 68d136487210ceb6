"""The figures of the card, as tables of Markdown."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from .judge import Enlarge, Scores, cascades, flicker, stills
from .served import cpu_ms

_CRFS = (20, 26)


def report(pictures: Mapping[str, Sequence[Path]], clips: Sequence[Path], ways: Mapping[str, Enlarge], rounds: int = 8) -> str:
    """All tables. pictures: those held out, by the name of their folder. clips: to judge flicker on. rounds: of timing."""
    parts = []
    for folder, paths in pictures.items():
        parts += [f"{len(paths)} of {folder}, enlarged by 2: PSNR-Y in dB / SSIM", _table(stills(paths, ways), ways)]
        parts += [f"{len(paths)} of {folder}, by 4 and by 8 in steps of 2", _table(cascades(paths, ways), ways)]
    if clips:
        parts += ["Flicker: energy of change in still areas, in bicubic's", _flicker(clips, ways)]
    parts += ["CPU time for a frame of 640 x 360, one thread, in ms", _speed(ways, rounds)]
    return "\n\n".join(parts) + "\n"


def _table(scores: Scores, ways: Mapping[str, Enlarge]) -> str:
    kinds = list(dict.fromkeys(kind for kind, _ in scores))
    told = {way: [f"{scores[kind, way].psnr:.2f} / {scores[kind, way].ssim:.3f}" for kind in kinds] for way in ways}
    return _markdown(kinds, told)


def _flicker(clips: Sequence[Path], ways: Mapping[str, Enlarge]) -> str:
    columns = {f"{clip.stem} crf {crf}": flicker(clip, crf, ways) for clip in clips for crf in _CRFS}
    return _markdown(list(columns), {way: [f"{each[way]:.2f}" for each in columns.values()] for way in ways})


def _speed(ways: Mapping[str, Enlarge], rounds: int) -> str:
    return _markdown(["ms"], {way: [f"{cpu_ms(enlarge, rounds):.1f}"] for way, enlarge in ways.items()})


def _markdown(columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [["", *columns], ["---"] * (len(columns) + 1), *([name, *cells] for name, cells in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
