"""Thin plates: the smoothest surfaces over a plane that go through values at knots, or near them."""

import cv2
import numpy as np

from .head import Array

NO_DISTANCE = 1e-9
"""Added to a square, of which the logarithm is taken."""


def between(points: Array, knots: Array) -> Array:
    """What each knot (m x 2) gives to each point (n x 2), n x m."""
    (x, y), (knot_x, knot_y) = np.ascontiguousarray(points.T), np.ascontiguousarray(knots.T)
    nothing = np.asarray(NO_DISTANCE, x.dtype)
    return kernel(np.subtract.outer(x, knot_x) ** 2 + np.subtract.outer(y, knot_y) ** 2 + nothing)


def kernel(squares: Array) -> Array:
    """r^2 log r^2 of squares of distances, n x m."""
    logs = np.asarray(cv2.log(squares), squares.dtype)
    logs *= squares
    return logs


def through(knots: Array, values: Array, among: Array) -> Array:
    """The plates through values (n x k) at knots (n x 2): the weight of each knot, then level and slopes, (n + 3) x k.

    among: between() of the knots themselves, n x n; what is added on its diagonal lets a plate pass its value by.
    """
    count = len(knots)
    system = np.zeros((count + 3, count + 3))
    system[:count, :count] = among
    system[:count, count] = system[count, :count] = 1
    system[:count, count + 1 :] = knots
    system[count + 1 :, :count] = knots.T
    known = np.zeros((count + 3, values.shape[1]))
    known[:count] = values
    return np.asarray(np.linalg.solve(system, known))
