"""The bare chain of video at its own speed: decoder, network and chroma, encoder, and nothing else. Prints the seconds it takes.

bare_realtime.py FFMPEG IN OUT WIDTH HEIGHT PRESET THREADS
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "inference"))

from enhance.engine import choose_engine
from enhance.upscale.realtime import Realtime, frame_bytes, open_doubles

FRAMES = 8  # at a time, as the service sends them

ffmpeg, source, target, width, height, preset, threads = sys.argv[1:]
size = int(width), int(height)
large = f"{2 * size[0]}x{2 * size[1]}"
video = Realtime(open_doubles(choose_engine(os.environ)))
began = time.perf_counter()
decode = [ffmpeg, "-v", "error", "-threads", threads, "-i", source, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]
encode = [ffmpeg, "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", large, "-r", "25", "-i", "-"]
encode += ["-c:v", "libx264", "-preset", preset, "-crf", "17", "-threads", threads, target]
reader = subprocess.Popen(decode, stdout=subprocess.PIPE, bufsize=1 << 22)
writer = subprocess.Popen(encode, stdin=subprocess.PIPE)
assert reader.stdout and writer.stdin
with ThreadPoolExecutor(1) as written:
    while data := reader.stdout.read(FRAMES * frame_bytes(*size)):
        frames = np.frombuffer(data, np.uint8).reshape(-1, frame_bytes(*size))
        written.submit(writer.stdin.write, video.run(frames, size, 2, lambda: None).tobytes())
writer.stdin.close()
if reader.wait() or writer.wait():
    raise SystemExit("decoder or encoder failed")
print(time.perf_counter() - began)
