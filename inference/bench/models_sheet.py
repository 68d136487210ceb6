"""python inference/bench/models_sheet.py OUT.png FILE: one mouth by each model, bare and with things in front of it.

Rows: as it was, fast, balanced, studio. Columns: the mouth nearly shut and open, then open behind a microphone, a pen and
a strand of hair, which are drawn over the picture FILE. The picture lends its own mouth.
"""

import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from bench.mouth_sheet import BT601, inside_of, patches_of, target, zoomed
from enhance.geometry.head import pose_of
from enhance.render.compose import MouthRequest, render
from enhance.render.measure import measure
from enhance.render.quality import QUALITIES
from tests.covers import cover

NEARLY_SHUT, OPEN = (0.05, 0.95, 0, 0, 0, 0), (0.14, 0.93, 0, 0, 0, 0)
COVERS = ("microphone", "pen", "hair")


def main(out: Path, file: Path) -> None:
    """Writes the sheet of a picture's mouth, by each model and with covers, as a picture file."""
    cv2.setNumThreads(1)
    planes, mesh = patches_of(file)[0]
    subject = measure(planes, BT601, mesh)
    width = float(np.linalg.norm(mesh[61] - mesh[291]) / pose_of(mesh).scale)
    covered = [cover(planes, BT601, mesh, kind)[0] for kind in COVERS]
    cells = [(planes, NEARLY_SHUT), (planes, OPEN), *((each, OPEN) for each in covered)]
    rows = [np.hstack([zoomed(each, mesh) for each, _ in cells])]
    for quality in QUALITIES.values():
        inside = inside_of(planes, mesh, subject, quality)
        asked = [MouthRequest(target(shape, width), subject, quality=quality, inside=inside) for _, shape in cells]
        done = [render(each, BT601, mesh, request) for (each, _), request in zip(cells, asked, strict=True)]
        rows.append(np.hstack([zoomed(one.planes, mesh) for one in done]))
    cv2.imwrite(str(out), np.vstack(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
