"""A run's file decoded again and looked at: by both mesh networks, unfiltered, and by its pixels beside the source's."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from enhance.face.crop import crop_of_mesh
from enhance.face.find import open_finder
from enhance.face.mesh import Kind, open_mesh

from .metrics import Floats
from .pixels import Picture, mouth_box, psnr, seam, sharpness, ssim
from .run import Run

KINDS: tuple[Kind, ...] = ("attention", "plain")


@dataclass
class Seen:
    """Per frame of a run. source and output: what each network saw, F x 478 x 3."""

    source: dict[str, Floats]
    output: dict[str, Floats]
    psnr: Floats
    ssim: Floats
    sharpness: Floats  # output over source
    seam: Floats
    kept: dict[int, tuple[Picture, Picture]] = field(default_factory=dict)  # source and output of the frames asked for


class Judge:
    def __init__(self, weights: Path) -> None:
        self.networks = {kind: open_mesh(weights, kind) for kind in KINDS}
        self.find = open_finder(weights)

    def look(self, run: Run, keep: set[int]) -> Seen:
        """Reads the source and the output side by side, a frame of each at a time; a still is its own source throughout."""
        count = len(run.times)
        seen = _unseen(count)
        sources = _still(run.told["source"]) if run.role == "portrait" else frames_of(Path(run.told["source"]))
        last: Floats | None = None
        for index, (source, output) in enumerate(zip(sources, frames_of(run.output), strict=False)):
            if index >= count:
                break
            shape = source.shape
            output = output[: shape[0], : shape[1]]  # noqa: PLW2901 an odd size has grown by one
            if index in keep:
                seen.kept[index] = (source, output)
            guide = self._guide(run, index, output, last)
            if guide is None or not np.isfinite(guide).all():
                continue
            crop = crop_of_mesh(guide.astype(np.float32))
            for kind, network in self.networks.items():
                seen.output[kind][index] = network(output, crop)[0]
                if run.role != "portrait":
                    seen.source[kind][index] = network(source, crop)[0]
            last = seen.output["attention"][index]
            if run.role != "portrait":
                self._compare(run, index, source, output, seen)
        return seen

    def _guide(self, run: Run, index: int, output: Picture, last: Floats | None) -> Floats | None:
        """Where the face is, roughly: the pipeline's mesh of a clip; of a portrait, which moves, our own."""
        if run.role != "portrait":
            return run.meshes[index] if index < len(run.meshes) else None
        return last if last is not None else self.find(output)

    def _compare(self, run: Run, index: int, source: Picture, output: Picture, seen: Seen) -> None:
        box = mouth_box(seen.source["attention"][index], source.shape)
        if min(source[box].shape[:2]) < 8:
            return
        seen.psnr[index] = psnr(source[box], output[box])
        seen.ssim[index] = ssim(source[box], output[box])
        seen.sharpness[index] = sharpness(output[box]) / max(sharpness(source[box]), 1e-6)
        mask = run.mask(index, source.shape)
        if mask is not None:
            seen.seam[index] = seam(source, output, mask)


def frames_of(path: Path) -> Iterator[Picture]:
    """RGB, turned as the header says. Raises OSError where nothing can be read."""
    clip = cv2.VideoCapture(str(path))
    if not clip.isOpened():
        raise OSError(f"{path} cannot be read as a clip")
    try:
        while True:
            read, frame = clip.read()
            if not read:
                return
            yield np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB), np.uint8)
    finally:
        clip.release()


def _still(path: str) -> Iterator[Picture]:
    picture = cv2.imread(path, cv2.IMREAD_COLOR)
    if picture is None:
        raise OSError(f"{path} cannot be read as a picture")
    rgb = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
    while True:
        yield rgb


def _unseen(count: int) -> Seen:
    psnr_db, likeness, sharp, edge = np.full((4, count), np.nan)
    return Seen(_no_meshes(count), _no_meshes(count), psnr_db, likeness, sharp, edge)


def _no_meshes(count: int) -> dict[str, Floats]:
    return {kind: np.full((count, 478, 3), np.nan) for kind in KINDS}
