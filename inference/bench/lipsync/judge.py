"""What is seen of finished files, decoded again: by both mesh networks, unfiltered, and by their pixels beside the source's."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from enhance.face.crop import crop_of_mesh
from enhance.face.find import Finder
from enhance.face.mesh import MeshKind, open_mesh

from . import pixels
from .metrics import Floats, openings
from .pixels import Picture, mouth_box
from .run import Run
from .sheet import Sheet

KINDS: tuple[MeshKind, ...] = ("attention", "plain")
OPEN = 0.05  # outer-eye distances: the inside of a mouth less open is not measured

Tracks = dict[str, Floats]  # of each network: F x 478 x 3, NaN in frames that are not judged or have no face


@dataclass
class Seen:
    """Of a run: F values of each kind, NaN where the frame is not judged. The pixels are those round the mouth."""

    source: Tracks
    output: Tracks
    psnr: Floats
    ssim: Floats
    sharpness: Floats  # output over source
    seam: Floats
    rim: Floats  # colour of the skin along the mask's outline
    lip_colour: Floats
    inner_psnr: Floats  # where both are between the lips
    inner_ssim: Floats
    inner_sharpness: Floats  # output over source
    source_luma: Floats  # between the lips
    output_luma: Floats
    source_flat: Floats  # F x ROWS x COLUMNS luma between the lips, laid flat
    output_flat: Floats


class Judge:
    """The face networks by which results are judged: both mesh networks, and the finder for where the first mesh is."""

    def __init__(self, weights: Path) -> None:
        self.networks = {kind: open_mesh(weights, kind) for kind in KINDS}
        self.finder = Finder(weights)

    def look(self, runs: list[Run], sheets: list[Sheet]) -> list[Seen]:
        """All runs of one clip, whatever the model, side by side: its frames are decoded and looked at once, and of each
        run only those that are judged. The sheets take what they want."""
        longest = max(runs, key=lambda run: len(run.times))
        tracks = _no_meshes(len(longest.times))
        seen = [_unseen(len(run.times), tracks) for run in runs]
        source, outputs = open_source(longest), [Reel(run.output) for run in runs]
        for index in range(len(longest.times)):
            wanted = [index < len(run.times) and bool(run.judged[index]) for run in runs]
            before = source.read(any(wanted))
            after = [reel.read(want) for reel, want in zip(outputs, wanted, strict=True)]
            if before is None:
                continue
            if isinstance(source, Reel) or index == 0:
                # A run's own meshes are those of the frames that it judges.
                looking = next(run for run, want in zip(runs, wanted, strict=True) if want)
                self._look(before, self._guide(looking, index, before, tracks), tracks, index)
            else:
                for track in tracks.values():
                    track[index] = track[0]
            for run, of_run, output in zip(runs, seen, after, strict=True):
                if output is None:
                    continue
                same = output[: before.shape[0], : before.shape[1]]  # an odd size has grown by one
                self._look(same, self._guide(run, index, same, of_run.output), of_run.output, index)
                _compare(run, index, before, same, of_run)
                for sheet in sheets:
                    sheet.take(run, index, (before, tracks["attention"][index]), (same, of_run.output["attention"][index]))
        return seen

    def _look(self, picture: Picture, guide: Floats | None, tracks: Tracks, index: int) -> None:
        if guide is None or not np.isfinite(guide[:468]).all():
            return
        crop = crop_of_mesh(guide.astype(np.float32))
        for kind, network in self.networks.items():
            tracks[kind][index] = network(picture, crop)[0]

    def _guide(self, run: Run, index: int, picture: Picture, tracks: Tracks) -> Floats | None:
        """Where the face is, roughly: the pipeline's mesh of a clip; of a portrait, which moves, our own."""
        if run.role != "portrait":
            return run.meshes[index] if index < len(run.meshes) else None
        last = tracks["attention"][index - 1] if index > 0 else None
        return last if last is not None and np.isfinite(last[:468]).all() else self._largest(picture)

    def _largest(self, picture: Picture) -> Floats | None:
        """The mesh (478 x 3, pixels of the picture) of the largest face, None without one."""
        faces = self.finder.faces(picture, self.finder.candidates(picture, thorough=True), np.empty((0, 4), np.float32), [])
        return faces[0].mesh if faces else None


class Reel:
    """The pictures of a clip, RGB, turned as the header says. Raises OSError where nothing can be read."""

    def __init__(self, path: Path) -> None:
        self.clip = cv2.VideoCapture(str(path))
        if not self.clip.isOpened():
            raise OSError(f"{path} cannot be read as a clip")

    def read(self, wanted: bool) -> Picture | None:
        """The next one; None behind the last, or where it is passed over."""
        if not self.clip.grab() or not wanted:
            return None
        return np.asarray(cv2.cvtColor(self.clip.retrieve()[1], cv2.COLOR_BGR2RGB), np.uint8)


class Still:
    """A portrait, which is its own source throughout."""

    def __init__(self, path: Path) -> None:
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if picture is None:
            raise OSError(f"{path} cannot be read as a picture")
        self.picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)

    def read(self, wanted: bool) -> Picture | None:
        """The picture (h x w x 3 uint8 RGB); None where the frame is not wanted."""
        return self.picture if wanted else None


def open_source(run: Run) -> Reel | Still:
    """What the run was made of. Raises OSError where it cannot be read."""
    path = Path(run.told["source"])
    return Still(path) if run.role == "portrait" else Reel(path)


def _compare(run: Run, index: int, source: Picture, output: Picture, seen: Seen) -> None:
    """A portrait's head moves: it has nothing to be compared with."""
    before, after = seen.source["attention"][index], seen.output["attention"][index]
    box = mouth_box(before, source.shape)
    if run.role == "portrait" or min(source[box].shape[:2]) < 8 or not np.isfinite(after[:468]).all():
        return
    one, other = source[box], output[box]
    seen.psnr[index] = pixels.psnr(one, other)
    seen.ssim[index] = pixels.ssim(one, other)
    seen.sharpness[index] = pixels.sharpness(other) / max(pixels.sharpness(one), 1e-6)
    seen.lip_colour[index] = pixels.colour_apart(one, other, pixels.lips(before, box), pixels.lips(after, box))
    _look_inside(index, (source, before), (output, after), box, seen)
    masked = run.mask(index, source.shape)
    if masked is not None:
        place, mask = masked
        seen.seam[index] = pixels.seam(source[place], output[place], mask)
        seen.rim[index] = pixels.rim_colour(source[place], output[place], mask)


def _look_inside(
    index: int, source: tuple[Picture, Floats], output: tuple[Picture, Floats], box: pixels.Box, seen: Seen
) -> None:
    """Teeth, tongue and the dark behind them."""
    whole, (before, after) = zip(source, output, strict=True)
    one, other = (picture[box] for picture in whole)
    inside = [pixels.between_lips(mesh, box) for mesh in (before, after)]
    opened = openings(np.stack([before, after])) > OPEN
    for flat, picture, mesh, wide in zip((seen.source_flat, seen.output_flat), whole, (before, after), opened, strict=True):
        if wide:
            flat[index] = pixels.laid_flat(picture, mesh)
    if opened[0]:
        seen.source_luma[index] = pixels.mean_luma(one, inside[0])
    if opened[1]:
        seen.output_luma[index] = pixels.mean_luma(other, inside[1])
    both = inside[0] & inside[1]
    if opened.all() and both.sum() >= pixels.FEWEST:
        seen.inner_psnr[index] = pixels.psnr(one, other, both)
        seen.inner_ssim[index] = pixels.ssim(one, other, both)
        seen.inner_sharpness[index] = pixels.sharpness(other, both) / max(pixels.sharpness(one, both), 1e-6)


def _unseen(count: int, source: Tracks) -> Seen:
    flat = np.full((2, count, pixels.ROWS, pixels.COLUMNS), np.nan)
    known = {kind: track[:count] for kind, track in source.items()}
    return Seen(known, _no_meshes(count), *np.full((11, count), np.nan), *flat)


def _no_meshes(count: int) -> Tracks:
    return {kind: np.full((count, 478, 3), np.nan) for kind in KINDS}
