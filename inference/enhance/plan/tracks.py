"""Tracks at 100 frames a second, frame i centred at 10 i + 5 ms: smoothing them, reading them at any time."""

import numpy as np

from enhance.geometry.heads import Array

FRAME = 0.01


def smooth(track: Array, sigma: float) -> Array:
    """Gaussian over time; sigma in seconds."""
    if not len(track):
        return track
    reach = int(np.ceil(3 * sigma / FRAME))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * FRAME / sigma) ** 2)
    weights /= weights.sum()
    padded = np.pad(track, ((reach, reach), *[(0, 0)] * (track.ndim - 1)), "edge")
    columns = padded.reshape(len(padded), -1).T
    return np.stack([np.convolve(column, weights, "valid") for column in columns], 1).reshape(track.shape)


def at(track: Array, times: Array) -> Array:
    """The track (T x k) at times in seconds, held beyond its ends."""
    clock = (np.arange(len(track)) + 0.5) * FRAME
    return np.stack([np.interp(times, clock, column) for column in track.T], 1)


def most_within(track: Array, starts: Array, ends: Array) -> Array:
    """The largest value of a track (T) in each span of seconds."""
    first = np.clip(np.round(starts / FRAME).astype(int), 0, len(track) - 1)
    past = np.clip(np.round(ends / FRAME).astype(int), first + 1, len(track))
    return np.array([track[a:b].max() for a, b in zip(first, past, strict=True)])


def interval(times: Array) -> float:
    """The usual time from frame to frame, in seconds."""
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.04


def lengths(times: Array) -> Array:
    """Seconds for which each of the frames is shown; what is missing between them counts as a tenth at the most."""
    return np.clip(np.diff(times, append=times[-1:] + interval(times)), 0, 0.1)
