"""python inference/bench/seams.py OUT.png: a search for seams, to be looked at.

Each model enlarges one picture of fine texture by 2 twice: as it always does, in tiles, and in one piece. A row of the
picture written: the tiled result, and its difference to the one piece times 20. Only `detail`, whose network looks
farther than any tile, has one. Prints one JSON line per model.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image
from skimage import data

from enhance.picture import Picture
from enhance.upscale.cascade import Cascade
from enhance.upscale.mosaic import Mosaic, Recent
from enhance.upscale.upscaler import MODELS, Recipe, open_upscaler

ROOT = Path(__file__).parents[2]
SIZE = 320
SMALL_TILES = 120**2
AMPLIFIED = 20


def in_tiles_and_whole(recipe: Recipe) -> tuple[Recipe, Recipe]:
    """The recipe with small tiles, and with one tile for the whole picture."""
    if isinstance(recipe, Cascade):
        return replace(recipe, tile_pixels=SMALL_TILES), replace(recipe, tile_pixels=1 << 30)
    assert isinstance(recipe, Mosaic)
    return replace(recipe, recent=Recent(0)), replace(recipe, step=SIZE, overlap=0, recent=Recent(0))


def row(model: str, picture: Picture) -> Picture:
    """The picture in tiles, and beside it the difference from the whole, amplified. Prints the largest and the mean one."""
    recipe = open_upscaler(model, ROOT / ".enhance" / "weights").recipes[2]
    tiled, whole = (way.upscale(picture, lambda: None).astype(int) for way in in_tiles_and_whole(recipe))
    difference = np.abs(tiled - whole)
    found = {"model": model, "largest": int(difference.max()), "mean": round(float(difference.mean()), 4)}
    print(json.dumps(found), flush=True)
    side_by_side: Picture = np.concatenate([tiled, (difference * AMPLIFIED).clip(0, 255)], axis=1).astype(np.uint8)
    return side_by_side


def main(target: str) -> None:
    """Writes one row for each model as a picture file."""
    picture = data.chelsea()[:SIZE, 60 : 60 + SIZE]
    Image.fromarray(np.concatenate([row(model, picture) for model in MODELS])).save(target)


if __name__ == "__main__":
    main(sys.argv[1])
