"""Draws docs/before-after.png: the public-domain NASA portrait of scikit-image, made small and enlarged again by 4.

usage: .enhance/venv/bin/python bench/before_after.py [OUT.png]
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image
from skimage.data import astronaut

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "inference"))

from enhance.upscale.upscaler import open_upscaler

SCALE = 4
FACE = (slice(0, 320), slice(80, 400))


def main() -> None:
    face = Image.fromarray(astronaut()[FACE])
    small = face.resize((face.width // SCALE, face.height // SCALE), Image.Resampling.BICUBIC)
    columns = [np.asarray(small.resize(face.size, Image.Resampling.BICUBIC))]
    for model in ("photo", "detail"):
        columns.append(open_upscaler(model, ROOT / ".enhance" / "weights").run(np.asarray(small), SCALE))
    gap = np.full((face.height, 8, 3), 255, np.uint8)
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "before-after.png"
    Image.fromarray(np.hstack([columns[0], gap, columns[1], gap, columns[2]])).save(out, optimize=True)


main()
