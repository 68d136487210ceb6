"""How a portrait's head moves and blinks while it speaks: eight numbers for each frame, the same for the same seed."""

from typing import Any

import numpy as np
import numpy.typing as npt

from enhance.geometry.head import smoothstep

Floats = npt.NDArray[Any]
MotionTrack = npt.NDArray[np.float32]
"""F x 8: yaw (+ to the picture's right), pitch (+ down), roll (+ clockwise) in degrees, dx, dy in outer-eye distances, zoom
(1 = none), blink left, blink right (0..1)."""

LIMITS = (5.0, 4.0, 2.0)  # degrees of yaw, pitch, roll that are never exceeded
SWAY = (1.7, 1.0, 0.75)  # degrees, root mean square in full speech
STILL = 0.22  # of the sway is left in silence
EASE = 1.2  # seconds from rest to full sway
NOD = 1.7  # degrees at a strong stress
SHUTTING, HELD, OPENING = 0.09, 0.045, 0.05  # seconds of a blink: until shut, shut, and until about 2/3 open again
PACE = (0.9, 1.25)  # times as long, drawn for each blink
STEP = 0.01  # s between the points at which the track is computed


def portrait_motion(times: npt.NDArray[np.float32], level: npt.NDArray[np.float32], seed: int) -> MotionTrack:
    """The track at `times`: slow sway (0.1-1 Hz), nods on stressed speech, a blink every 2-6 s; the first frame is at rest.

    times: F seconds, rising. level: F, 0..1, how loud the speech is then. Raises ValueError for other shapes, NaN, or times
    that fall.
    """
    _check(times, level)
    if not len(times):
        return np.zeros((0, 8), np.float32)
    start = float(times[0])
    clock = np.arange(0, float(times[-1]) - start + STEP, STEP)
    loud = np.interp(clock, times - start, np.clip(level, 0, 1))
    draw = np.random.default_rng(seed & 0xFFFFFFFF)
    # Of speech whose peaks are 1 the mean is about 0.3: that is full speech.
    energy = STILL + (1 - STILL) * (1 - np.exp(-4 * _smooth(loud, 0.6)))
    energy *= smoothstep(clock / EASE, 0, 1)
    sway = np.stack([_sway(clock, draw) * size for size in SWAY]) * energy
    sway[1] += _nods(clock, loud, draw) * smoothstep(clock / EASE, 0, 1)
    shift_x = 0.012 * sway[0] + 0.004 * energy * _sway(clock, draw)
    shift_y = 0.004 * np.sin(2 * np.pi * 0.24 * clock) * smoothstep(clock / EASE, 0, 1)
    lids = _blinks(clock, loud, draw)

    columns = [_within(sway[i], LIMITS[i]) for i in range(3)] + [shift_x, shift_y]
    track = np.ones((len(times), 8))
    for i, column in enumerate(columns):
        track[:, i] = np.interp(times - start, clock, column)
    track[:, 6] = track[:, 7] = np.interp(times - start, clock, lids)
    return track.astype(np.float32)


def _check(times: npt.NDArray[np.float32], level: npt.NDArray[np.float32]) -> None:
    if times.ndim != 1 or times.shape != level.shape:
        raise ValueError(f"expected TIMES [F] and LEVEL [F], got {list(times.shape)} and {list(level.shape)}")
    if not (np.isfinite(times).all() and np.isfinite(level).all()):
        raise ValueError("expected TIMES and LEVEL without NaN or infinity")
    if (np.diff(times) < 0).any():
        raise ValueError("expected TIMES in rising order")


def _sway(clock: Floats, draw: np.random.Generator) -> Floats:
    """Noise of unit variance in 0.1-1 Hz, most of it slow: sines at drawn frequencies, so that any moment can be computed."""
    hertz = np.exp(draw.uniform(np.log(0.1), np.log(1.0), 9))
    weight = hertz**-0.9
    phase = draw.uniform(0, 2 * np.pi, len(hertz))
    waves = np.sin(2 * np.pi * hertz * clock[:, None] + phase) @ weight
    return np.asarray(waves / np.sqrt((weight**2).sum() / 2))


def _nods(clock: Floats, loud: Floats, draw: np.random.Generator) -> Floats:
    """Degrees downwards: a nod at 55 % of the stressed peaks of the level, at random, at least 0.8 s apart."""
    peaks = _smooth(loud, 0.06)
    rising = (peaks[1:-1] > peaks[:-2]) & (peaks[1:-1] >= peaks[2:])
    spoken = peaks[peaks > 0.05]
    stressed = np.flatnonzero(rising & (peaks[1:-1] > (np.quantile(spoken, 0.7) if len(spoken) else 1))) + 1
    track = np.zeros_like(clock)
    last = -1.0
    for at in stressed:
        if clock[at] - last < 0.8 or draw.random() > 0.55:
            continue
        last = clock[at]
        length = draw.uniform(0.38, 0.6)
        size = NOD * draw.uniform(0.4, 1.0) * peaks[at]
        phase = (clock - (clock[at] - 0.45 * length)) / length
        track += size * np.where((phase > 0) & (phase < 1), np.sin(np.pi * np.clip(phase, 0, 1)) ** 2, 0)
    return track


def _blinks(clock: Floats, loud: Floats, draw: np.random.Generator) -> Floats:
    """0 open .. 1 shut. One blink in twelve is double; each is at the end of a phrase within 0.5 s. None in the first 0.5 s."""
    track = np.zeros_like(clock)
    falling = -np.diff(_smooth(loud, 0.12), prepend=loud[0])
    at = draw.uniform(1.2, 3.5)
    while at < clock[-1]:
        near = np.abs(clock - at) < 0.5
        when = float(clock[near][np.argmax(falling[near])]) if falling[near].max() > 1e-4 else at
        _blink(track, clock, when, draw.uniform(*PACE))
        if draw.random() < 0.08:
            _blink(track, clock, when + draw.uniform(0.46, 0.54), draw.uniform(*PACE))
        at = when + draw.uniform(2.5, 5.5)
    return track


def _blink(track: Floats, clock: Floats, start: float, pace: float) -> None:
    """Shut at once, for at least one frame of 25 a second, then open fast and end slowly. None that the clip's end would cut.

    So people do: in 133 blinks of filmed speakers the lids were more than a fifth shut for 0.205 s, half of them 0.18 to 0.24.
    """
    since = (clock - start) / pace
    if since[-1] < SHUTTING + HELD + 4 * OPENING:
        return
    lids = np.minimum(smoothstep(since / SHUTTING, 0, 1), np.exp(-np.maximum(0, since - SHUTTING - HELD) / OPENING))
    np.maximum(track, np.where(lids > 0.02, lids, 0), out=track)


def _within(angles: Floats, limit: float) -> Floats:
    """Angles held below a limit by a tanh, which leaves small ones nearly as they are."""
    return np.asarray(limit * np.tanh(angles / limit))


def _smooth(curve: Floats, sigma: float) -> Floats:
    """A curve smoothed by a Gaussian of `sigma` seconds, its ends repeated."""
    reach = int(4 * sigma / STEP)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / sigma) ** 2)
    return np.asarray(np.convolve(np.pad(curve, reach, mode="edge"), kernel / kernel.sum(), mode="valid"))
