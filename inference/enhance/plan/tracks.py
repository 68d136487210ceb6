"""Tracks at 100 frames a second, frame i centred at 10 i + 5 ms: smoothing them, reading them at any time."""

import numpy as np

from enhance.geometry.heads import Array

FRAME = 0.01  # s


def smooth(track: Array, sigma: float) -> Array:
    """A track (T x ...) smoothed over time by a Gaussian of `sigma` seconds, its ends repeated."""
    if not len(track):
        return track
    reach = int(np.ceil(3 * sigma / FRAME))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) * FRAME / sigma) ** 2)
    weights /= weights.sum()
    padded = np.pad(track, ((reach, reach), *[(0, 0)] * (track.ndim - 1)), "edge")
    columns = padded.reshape(len(padded), -1).T
    return np.stack([np.convolve(column, weights, "valid") for column in columns], 1).reshape(track.shape)


def at(track: Array, times: Array) -> Array:
    """A track (T x k) at g times in seconds, by linear interpolation: g x k. Beyond its ends it is held."""
    clock = (np.arange(len(track)) + 0.5) * FRAME
    return np.stack([np.interp(times, clock, column) for column in track.T], 1)


def interval(times: Array) -> float:
    """The median time from frame to frame in seconds; 0.04 for fewer than two."""
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.04


def lengths(times: Array) -> Array:
    """Seconds for which each frame is shown, at most 0.1: a gap in the times is no long frame."""
    return np.clip(np.diff(times, append=times[-1:] + interval(times)), 0, 0.1)
