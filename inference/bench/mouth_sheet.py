"""python inference/bench/mouth_sheet.py OUT.png FILE... [--flat] [--steps N]: mouths moved to many shapes, to be looked at.

Each FILE is a picture or a clip. A picture gives one row: the mouth as it is, then moved to each shape of SHAPES. A clip
gives a row for each of FRAMES frames spread over it, the source mouth wide open as well as shut. With --steps a clip
gives N consecutive frames instead, source over output, while the opening goes up and down: what swims or flickers is
seen there. Prints one JSON line per file: how long a frame took on this core.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

sys.path.append(str(Path(__file__).parents[1]))

from enhance.face.find import Finder
from enhance.face.state import State
from enhance.face.track import Tracker
from enhance.geometry.head import pose_of
from enhance.geometry.planes import Colours, Planes, check_planes, from_rgb, to_rgb
from enhance.plan.chin import USUAL
from enhance.render.compose import MouthRequest, render
from enhance.render.inside.lender import lend, lender_from
from enhance.render.inside.merge import merge
from enhance.render.measure import measure
from enhance.render.patch import PATCH_DROP, PATCH_SPAN
from enhance.render.quality import QUALITIES, Quality
from enhance.render.subject import SUBJECT
from enhance.style import Style

WEIGHTS = Path(__file__).parents[2] / ".enhance" / "weights"
BT601 = Colours(0.299, 0.114, False)
FRAMES, CELL, REACH = 7, 200, 0.62
LONGEST = 250  # frames of a clip that are looked at
# opening, width against the subject's, rounding, press, labiodental, tongue
SHAPES = (
    *(
        (0.0, 1.0, 0, 0, 0, 0),
        (0.03, 1.0, 0, 0, 0, 0),
        (0.08, 1.0, 0, 0, 0, 0),
        (0.14, 0.97, 0, 0, 0, 0),
        (0.22, 0.93, 0, 0, 0, 0),
    ),
    *(
        (0.08, 0.75, 0.9, 0, 0, 0),
        (0.07, 1.12, 0, 0, 0, 0),
        (0.0, 1.0, 0, 1, 0, 0),
        (0.02, 1.0, 0, 0, 1, 0),
        (0.1, 1.0, 0, 0, 0, 1),
    ),
)

Image = npt.NDArray[np.uint8]
Mesh = npt.NDArray[np.float32]


def frames_of(file: Path) -> Iterator[Image]:
    """RGB frames; a picture has one."""
    picture = cv2.imread(str(file))
    if picture is not None:
        yield np.ascontiguousarray(picture[..., ::-1], np.uint8)
        return
    clip = cv2.VideoCapture(str(file))
    for _ in range(LONGEST):
        read, frame = clip.read()
        if not read:
            return
        yield np.ascontiguousarray(frame[..., ::-1], np.uint8)


def patches_of(file: Path) -> list[tuple[Planes, Mesh]]:
    """The patch round the mouth of each frame with a face, its mesh in the patch's pixels."""
    tracker, state = Tracker(Finder(WEIGHTS), 1), None
    found = []
    for frame in frames_of(file):
        state = state or State(frame.shape[1], frame.shape[0])
        seen = tracker.next(state, frame).faces
        if seen:
            found.append(cut(frame, np.asarray(seen[0].mesh, np.float32)))
    return found


def cut(frame: Image, mesh: Mesh) -> tuple[Planes, Mesh]:
    """The patch round the mouth of a frame (h x w x 3 uint8 RGB), and its mesh (478 x 3) in the patch's pixels."""
    scale = pose_of(mesh).scale
    middle = (mesh[61] + mesh[291])[:2] / 2 + [0, PATCH_DROP * scale]
    left, top = (int(v) & ~1 for v in np.maximum(middle - PATCH_SPAN / 2 * scale, 0))
    right, bottom = (int(v) & ~1 for v in np.minimum(middle + PATCH_SPAN / 2 * scale, [frame.shape[1], frame.shape[0]]))
    yuv = from_rgb(frame[top:bottom, left:right].astype(np.float32), BT601)
    half = cv2.resize(yuv, ((right - left) // 2, (bottom - top) // 2), interpolation=cv2.INTER_AREA)
    y, u, v = (np.clip(p + 0.5, 0, 255).astype(np.uint8) for p in (yuv[..., 0], half[..., 1], half[..., 2]))
    return check_planes(y, u, v), np.asarray(mesh - np.array([left, top, 0]), np.float32)


def zoomed(planes: Planes, mesh: Mesh) -> Image:
    """The lower face as one cell, BGR."""
    scale = pose_of(mesh).scale
    x, y = (mesh[1, :2] + mesh[152, :2]) / 2 - REACH * scale
    k = CELL / (2 * REACH * scale)
    at = np.array([[k, 0, -k * x], [0, k, -k * y]])
    picture = np.clip(to_rgb(planes, BT601) + 0.5, 0, 255).astype(np.uint8)[..., ::-1]
    return np.asarray(cv2.warpAffine(picture, at, (CELL, CELL), flags=cv2.INTER_AREA if k < 1 else cv2.INTER_CUBIC), np.uint8)


def target(shape: tuple[float, ...], width: float) -> npt.NDArray[np.float32]:
    """A row of TARGETS from opening, width as a share, rounding, press, labiodental, tongue. width: the mouth's own, in S."""
    opening, wide, rounding, press, labiodental, tongue = shape
    height, corners = 0.2 * opening, -0.1 * opening
    return np.array([opening, wide * width, rounding, height, corners, press, labiodental, tongue, opening, USUAL], np.float32)


def inside_of(planes: Planes, mesh: Mesh, subject: npt.NDArray[np.float32], quality: Quality) -> Image:
    """INSIDE as this patch alone shows it."""
    person = SUBJECT.unpack(subject)
    lender = lender_from(lend(planes, BT601, mesh, person, quality.side).tobytes(), quality.side)
    return merge([lender], person, BT601, quality.density)


def gap(mesh: Mesh) -> float:
    """How far the inner lips of a mesh are apart, in S."""
    return float(np.linalg.norm(mesh[13] - mesh[14]) / pose_of(mesh).scale)


def sheet(file: Path, style: Style, steps: int) -> Image:
    """One sheet of a file: as it was and moved to SHAPES, or `steps` frames in a row. Raises SystemExit without a face."""
    patches = patches_of(file)
    if not patches:
        raise SystemExit(f"{file}: no face found")
    order = sorted(range(len(patches)), key=lambda i: gap(patches[i][1]))
    planes, mesh = patches[min(order[: max(1, len(order) // 4)], key=lambda i: abs(pose_of(patches[i][1]).yaw))]
    subject, width = measure(planes, BT601, mesh), float(np.linalg.norm(mesh[61] - mesh[291]) / pose_of(mesh).scale)
    fast = QUALITIES["fast"]
    inside = None if style == "flat" else inside_of(planes, mesh, subject, fast)
    took: list[float] = []

    def moved(planes: Planes, mesh: Mesh, shape: tuple[float, ...]) -> Image:
        began = time.process_time()
        done = render(planes, BT601, mesh, MouthRequest(target(shape, width), subject, style, fast, inside))
        took.append(time.process_time() - began)
        return zoomed(done.planes, mesh)

    if steps:
        openings = 0.1 - 0.1 * np.cos(2 * np.pi * np.arange(steps) / 12.5)
        some = patches[:steps]
        source = [zoomed(*patch) for patch in some]
        output = [
            moved(patch[0], patch[1], (float(o), 1 - 0.25 * float(o), 0, 0, 0, 0))
            for patch, o in zip(some, openings, strict=False)
        ]
        rows = [np.hstack(source), np.hstack(output)]
    else:
        chosen = [order[round(q)] for q in np.linspace(0, len(order) - 1, min(FRAMES, len(order)))]
        rows = [
            np.hstack([zoomed(*patches[i]), *(moved(patches[i][0], patches[i][1], shape) for shape in SHAPES)]) for i in chosen
        ]
    found = {
        "file": file.name,
        "patch": planes.y.shape[::-1],
        "ms": round(1000 * min(took), 1),
        "median": round(1000 * float(np.median(took)), 1),
    }
    print(json.dumps(found), flush=True)
    return np.asarray(np.vstack(rows), np.uint8)


def main() -> None:
    """Writes the sheets of all files, one under the other."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("out", type=Path)
    ask.add_argument("files", type=Path, nargs="+")
    ask.add_argument("--flat", action="store_true", help="draw the mouths of line art")
    ask.add_argument("--steps", type=int, default=0, help="consecutive frames of a clip instead of shapes")
    said = ask.parse_args()
    cv2.setNumThreads(1)
    sheets = [sheet(file, "flat" if said.flat else "photo", said.steps) for file in said.files]
    widest = max(s.shape[1] for s in sheets)
    cv2.imwrite(str(said.out), np.vstack([np.pad(s, ((0, 0), (0, widest - s.shape[1]), (0, 0))) for s in sheets]))


if __name__ == "__main__":
    main()
