"""Labelled English of flite's voices."""

import subprocess
import tempfile
from pathlib import Path

from enhance.speech.features import Floats

from .phones import TABLES, Segment
from .wav import read_wav

VOICES = ("slt", "rms", "awb", "kal16")


def say(text: str, voice: str, stretch: float, pitch: float) -> tuple[Floats, int, list[Segment]]:
    """Samples, their rate, and the segments. stretch: of durations; pitch: mean, in hertz."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        command = ["flite", "-voice", voice, "-psdur", "-t", text, "-o", str(path)]
        command += ["--setf", f"duration_stretch={stretch:.2f}", "--setf", f"int_f0_target_mean={pitch:.0f}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        pcm, rate = read_wav(path)
    segments, start = [], 0.0
    for token in told.split():
        phone, colon, until = token.rpartition(":")
        if colon:
            if phone in TABLES["en"]:
                segments.append(Segment(start, float(until), TABLES["en"][phone]))
            start = float(until)
    return pcm, rate, segments
