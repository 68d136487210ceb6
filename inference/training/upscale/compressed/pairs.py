"""What it learns from: photos, half as large ones, and what those became in videos. JPEGs are made as they are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from enhance.picture import Picture

from .. import codecs
from ..codecs import X264, X264_FAST, colours_through_video
from ..pages import page
from ..pairs import MOVING, evened, moving
from ..planes import AREA, BICUBIC
from ..sources import MOST_ROWS, Source, read_picture, stored

_CRFS = ((18, 24), (23, 29), (26, 34), (22, 32))  # of the videos that are made of each picture: from, below

Rng = np.random.Generator


@dataclass(frozen=True)
class Pairs:
    """large: 2h x 2w x 3 RGB. small: 2 x h x w x 3, made smaller in two ways. videos: n x h x w x 3, what encoders left."""

    large: Picture
    small: npt.NDArray[np.uint8]
    videos: npt.NDArray[np.uint8]


def read_pairs(source: Source, kept: Path) -> Pairs:
    """The pairs of a picture, from `kept` if the same code made them before."""

    def make(rng: Rng) -> dict[str, npt.NDArray[np.uint8]]:
        return vars(_made(source, rng))

    code = b"".join(Path(str(name)).read_bytes() for name in (__file__, codecs.__file__))
    with np.load(stored(source, kept, code, make)) as found:
        return Pairs(found["large"], found["small"], found["videos"])


def _made(source: Source, rng: Rng) -> Pairs:
    picture = page(source.number) if source.path is None else read_picture(source.path)
    large = evened(picture[:MOST_ROWS])
    frames = [half(frame, BICUBIC) for frame in moving(large, rng, MOVING - 1)[0]]
    videos = [_video(frames, crfs, rng) for crfs in _CRFS]
    return Pairs(large, np.stack([frames[-1], half(large, AREA)]), np.stack(videos))


def half(picture: Picture, way: Image.Resampling) -> Picture:
    """The picture (h x w x 3, even sides) made half as large; bicubic and Lanczos are antialiased."""
    height, width, _ = picture.shape
    return np.asarray(Image.fromarray(picture).resize((width // 2, height // 2), way))


def _video(frames: Sequence[Picture], crfs: tuple[int, int], rng: Rng) -> Picture:
    codec = (X264, X264, X264_FAST)[rng.integers(3)]
    return colours_through_video(frames, codec, int(rng.integers(*crfs)))[-1]


def through_jpeg(picture: Picture, quality: int, full_colour: bool) -> Picture:
    """The picture as a JPEG of this quality (1 to 100) shows it, its chroma of half the size or, full_colour, not."""
    return _through(picture, "JPEG", quality=quality, subsampling=0 if full_colour else 2)


def through_format(picture: Picture, name: str, quality: int) -> Picture:
    """The picture as a file of this format and quality (1 to 100) shows it, by Pillow."""
    return _through(picture, name, quality=quality)


def _through(picture: Picture, name: str, **settings: int) -> Picture:
    stored = BytesIO()
    Image.fromarray(picture).save(stored, name, **settings)
    return np.asarray(Image.open(stored))
