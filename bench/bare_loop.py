"""The bare engine on the frames of a clip, nothing around it: the other side of bench/video.ts and bench/image.ts.

usage: python bench/bare_loop.py MODEL SCALE WIDTH HEIGHT WEIGHTS < frames.rgb24
Prints a JSON line with the seconds that each frame took.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "inference"))

from enhance.upscale.upscaler import open_upscaler


def main() -> None:
    model, scale, width, height, weights = sys.argv[1:]
    frames = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(-1, int(height), int(width), 3)
    upscaler = open_upscaler(model, Path(weights))
    upscaler.run(frames[0], int(scale))
    seconds = []
    for frame in frames:
        began = time.perf_counter()
        upscaler.run(frame, int(scale))
        seconds.append(time.perf_counter() - began)
    print(json.dumps({"engine": upscaler.engine, "seconds": seconds}))


main()
