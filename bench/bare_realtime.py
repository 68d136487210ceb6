"""Seconds that network and chroma take for the frames on standard input (8-bit 4:2:0): bare_realtime.py WIDTH HEIGHT."""

import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "inference"))

from enhance.engine import choose_engine
from enhance.upscale.realtime import Realtime, frame_bytes, open_doubles

size = int(sys.argv[1]), int(sys.argv[2])
frames = np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(-1, frame_bytes(*size))
video = Realtime(open_doubles(choose_engine(os.environ)))
video.run(frames[:4], size, 2, lambda: None)
began = time.perf_counter()
for first in range(0, len(frames), 8):
    video.run(frames[first : first + 8], size, 2, lambda: None)
print(time.perf_counter() - began)
