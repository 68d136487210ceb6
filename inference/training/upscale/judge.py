"""How well planes are enlarged: against pictures that were made small, and how still they hold what stands still."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from skimage.metrics import structural_similarity

from .codecs import X264, through_jpeg, through_video
from .pairs import MOVING, even_planes, halved, moved
from .planes import BICUBIC, LANCZOS, FloatPlane, Plane, resized, to_bytes, yuv_planes
from .sources import frames_of, read_picture

Enlarge = Callable[[Plane], Plane]
LINEAR: Mapping[str, Enlarge] = {
    "bicubic": lambda plane: to_bytes(resized(plane, 2, BICUBIC)),
    "Lanczos": lambda plane: to_bytes(resized(plane, 2, LANCZOS)),
}
_RIM = 6  # pixels at the edge of a picture that are not judged
ROWS = 640  # of a picture at most
STEP = 4  # pixels of the large picture by which it moves from frame to frame at most
_STILL = 4  # levels by which a pixel and its surroundings may change and yet count as still
_AROUND = np.ones((15, 15), np.uint8)
_MOMENTS = (0, 14, 28)  # frames of a clip that are compared with their next one


@dataclass(frozen=True)
class Score:
    """psnr: dB. ssim: 0 to 1. Both of the luma."""

    psnr: float
    ssim: float


Scores = dict[tuple[str, str], Score]  # by what the small picture went through, and by the way in which it was enlarged


def stills(paths: Sequence[Path], ways: Mapping[str, Enlarge]) -> Scores:
    """Enlarging by 2, mean over the pictures."""
    return _mean(_each(_stored(path), ways) for path in paths)


def cascades(paths: Sequence[Path], ways: Mapping[str, Enlarge]) -> Scores:
    """Enlarging by 4 and by 8, in steps of 2, of pictures that were not compressed; mean over the pictures."""
    return _mean(_each(_shrunk(path), ways) for path in paths)


def flicker(path: Path, crf: int, ways: Mapping[str, Enlarge]) -> dict[str, float]:
    """Mean squared change from frame to frame, in bicubic's, of what stands still in a clip that was halved and compressed.

    Raises ValueError when nothing stands still there, or the clip is too short.
    """
    whole = [even_planes(frame) for frame in islice(frames_of(path), _MOMENTS[-1] + 2)]
    if len(whole) < _MOMENTS[-1] + 2:
        raise ValueError(f"expected a clip of {_MOMENTS[-1] + 2} frames or more, {path} has {len(whole)}")
    small = through_video([halved(planes) for planes in whole], X264, crf)
    energy = dict.fromkeys(ways, 0.0)
    for at in _MOMENTS:
        still = cv2.dilate(np.abs(whole[at + 1][0] - whole[at][0]), _AROUND) <= _STILL
        for name, enlarge in ways.items():
            change = enlarge(small[at + 1]).astype(np.float32) - enlarge(small[at])
            energy[name] += float((change[still] ** 2).sum())
    if not energy["bicubic"]:
        raise ValueError(f"expected a clip of which something stands still, in {path} nothing does")
    return {name: each / energy["bicubic"] for name, each in energy.items()}


Input = tuple[str, Plane, int, Plane]  # what it went through, the small plane, how often it is doubled, the plane that it was


def _stored(path: Path) -> Iterator[Input]:
    picture = read_picture(path)[:ROWS]
    large = even_planes(picture)
    small, whole = halved(large).y, to_bytes(large[0])
    yield "clean", small, 1, whole
    for quality in (60, 90):
        yield f"JPEG {quality}", through_jpeg(small, quality), 1, whole
    step = np.random.default_rng(len(path.name)).integers(-STEP, STEP + 1, 2)
    frames = [halved(even_planes(frame)) for frame in moved(picture, step, MOVING - 1)]
    for crf in (20, 26, 30):
        yield f"H.264 crf {crf}", through_video(frames, X264, crf)[-1], 1, whole


def _shrunk(path: Path) -> Iterator[Input]:
    picture = read_picture(path)[:ROWS]
    height, width, _ = picture.shape
    for times in (2, 3):
        scale = 2**times
        y = yuv_planes(picture[: height // scale * scale, : width // scale * scale])[0]
        yield f"{scale} times", to_bytes(resized(y, 1 / scale, BICUBIC)), times, to_bytes(y)


def _each(inputs: Iterator[Input], ways: Mapping[str, Enlarge]) -> Iterator[tuple[tuple[str, str], Score]]:
    for kind, small, times, whole in inputs:
        for name, enlarge in ways.items():
            plane = small
            for _ in range(times):
                plane = enlarge(plane)
            yield (kind, name), _score(plane, whole)


def _score(plane: Plane, whole: Plane) -> Score:
    ours, true = _inner(plane), _inner(whole)
    like = structural_similarity(ours, true, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False)
    return Score(psnr(plane, whole), float(like))


def psnr(plane: Plane | FloatPlane, whole: Plane | FloatPlane) -> float:
    """In dB, of values of 0 to 255, without a rim."""
    return float(10 * np.log10(255**2 / np.mean((_inner(plane) - _inner(whole)) ** 2)))


def _inner(plane: Plane | FloatPlane) -> npt.NDArray[np.float64]:
    return plane[_RIM:-_RIM, _RIM:-_RIM].astype(np.float64)


def _mean(pictures: Iterator[Iterator[tuple[tuple[str, str], Score]]]) -> Scores:
    found: dict[tuple[str, str], list[Score]] = {}
    for picture in pictures:
        for key, score in picture:
            found.setdefault(key, []).append(score)
    return {key: Score(_of(each, "psnr"), _of(each, "ssim")) for key, each in found.items()}


def _of(scores: Sequence[Score], figure: str) -> float:
    return float(np.mean([getattr(score, figure) for score in scores]))
