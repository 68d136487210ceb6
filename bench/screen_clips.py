"""Draws the clips of bench/screen.ts, as H.264: a page of text that somebody reads and types in, and a drawn figure before a
background that stays.

screen_clips.py FFMPEG SECONDS WIDTH HEIGHT SCREEN.mp4 CEL.mp4
"""

import math
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FPS = 25
WORDS = "the machine draws a page of words and moves it up by some lines so that a reader can go on".split()  # noqa: SIM905


def screen(frames: int, width: int, height: int) -> Iterator[Image.Image]:
    """Dark text on white; a cursor that moves, letters that come one by one, and scrolling half a second of every four."""
    font = ImageFont.load_default(15)
    rng = np.random.default_rng(4)
    lines = [" ".join(rng.choice(WORDS, width // 48)) for _ in range(400)]
    pages = Image.new("RGB", (width, 22 * len(lines)), "white")
    draw = ImageDraw.Draw(pages)
    for number, line in enumerate(lines):
        draw.text((24, 22 * number), line, "black" if number % 9 else "#1a4fa0", font)
    top = 0
    for number in range(frames):
        second = number / FPS
        if second % 4 >= 3.5:
            top += 8
        image = pages.crop((0, top, width, top + height))
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 0, width, 30), "#e8e8ee")
        draw.rectangle((24, height - 44, width - 24, height - 14), "#f6f6f0", "#888888")
        draw.text((32, height - 38), ("typed " * 40)[: int(second * 6) % (width // 12)], "black", font)
        x, y = width * (0.5 + 0.3 * math.sin(second)), height * (0.5 + 0.3 * math.sin(0.7 * second))
        if second % 4 < 1.5:
            draw.polygon([(x, y), (x, y + 18), (x + 5, y + 14), (x + 12, y + 13)], "black", "white")
        yield image


def cel(frames: int, width: int, height: int) -> Iterator[Image.Image]:
    """A landscape that stays, and a figure of flat colours with outlines that walks, drawn anew every second frame."""
    rows, _ = np.mgrid[0:height, 0:width]
    sky = np.stack([120 + rows * 80 // height, 170 + rows * 50 // height, np.full_like(rows, 235)], -1).astype(np.uint8)
    back = Image.fromarray(sky)
    draw = ImageDraw.Draw(back)
    hills = [(x, height * 0.65 + 24 * math.sin(x / 70) + 9 * math.sin(x / 23)) for x in range(0, width + 8, 8)]
    draw.polygon([*hills, (width, height), (0, height)], "#5d9b54", "#26401f")
    for x in range(30, width, 97):
        draw.polygon([(x, height * 0.66), (x + 22, height * 0.45), (x + 44, height * 0.66)], "#2f6b3c", "#173a20")
    for number in range(frames):
        step = number // 2
        image = back.copy()
        draw = ImageDraw.Draw(image)
        x, y = width * 0.2 + 3 * step, height * 0.55 + 5 * math.sin(step * 0.6)
        unit = height / 20
        for side in (-1, 1):
            swing = side * unit * 1.4 * math.sin(step * 0.6)
            draw.line([(x, y + 3 * unit), (x + swing, y + 6 * unit)], "#30303a", int(unit / 2))
            draw.line([(x, y + unit), (x - swing, y + 3 * unit)], "#b3541e", int(unit / 2))
        draw.ellipse((x - unit, y, x + unit, y + 3.4 * unit), "#d8743a", "#40200f", 2)
        draw.ellipse((x - unit, y - 2 * unit, x + unit, y), "#f2d0b0", "#40200f", 2)
        yield image


def encode(ffmpeg: str, images: Iterator[Image.Image], size: tuple[int, int], target: str) -> None:
    """H.264 as a recorder or a studio would give it away: crf 20, a key frame every ten seconds."""
    args = [ffmpeg, "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(FPS)]
    args += ["-i", "-", "-c:v", "libx264", "-crf", "20", "-g", str(10 * FPS), "-pix_fmt", "yuv420p", target]
    with subprocess.Popen(args, stdin=subprocess.PIPE) as child:
        assert child.stdin
        for image in images:
            child.stdin.write(image.tobytes())
        child.stdin.close()
    if child.returncode:
        raise SystemExit(f"ffmpeg could not write {target}")


ffmpeg, seconds, width, height, *targets = sys.argv[1:]
size = int(width), int(height)
for draw, target in zip((screen, cel), targets, strict=True):
    encode(ffmpeg, draw(int(float(seconds) * FPS), *size), size, target)
