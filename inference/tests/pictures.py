"""Pictures with a known content, made by formula."""

import io

import numpy as np
from PIL import Image

from enhance.picture import Picture


def pattern(height: int, width: int, channels: int = 3) -> Picture:
    """Slow waves, edges and fine texture in every part of the picture; alpha, if any, a disc."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    waves = 127 + 80 * np.sin(x / 9 + y / 17)
    edges = np.where((x // 13 + y // 11) % 2 == 0, 210, 40)
    texture = 127 + 60 * np.sin(x * 1.9) * np.cos(y * 2.3) + 40 * np.sin(x * y / 50)
    planes = [waves, edges, texture]
    if channels == 4:
        planes.append(255 * (np.hypot(x - width / 2, y - height / 2) < min(height, width) / 3))
    picture: Picture = np.stack(planes, axis=2).clip(0, 255).astype(np.uint8)
    return picture


def red_disc(size: int, hidden: tuple[int, int, int]) -> Picture:
    """A red disc with a soft edge; the colour under full transparency is `hidden`."""
    y, x = np.mgrid[0:size, 0:size]
    distance = np.hypot(x - size / 2 + 0.5, y - size / 2 + 0.5)
    alpha = np.clip((size / 3 - distance) * 255 + 128, 0, 255)
    picture = np.empty((size, size, 4), np.uint8)
    picture[:] = (220, 30, 30, 0)
    picture[:, :, 3] = alpha
    picture[picture[:, :, 3] == 0, :3] = hidden
    return picture


def as_jpeg(picture: Picture, quality: int) -> Picture:
    """What a JPEG leaves of it."""
    stored = io.BytesIO()
    Image.fromarray(picture).save(stored, "JPEG", quality=quality)
    return np.asarray(Image.open(stored))
