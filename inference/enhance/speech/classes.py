"""The 20 articulatory classes that the speech network tells apart, and the mouth shape that each asks for.

The classes follow what is seen of a sound, not what is heard: p, b and m are one class, s and z another, k, g and ng a third.
"""

import numpy as np

CURVES = ("jaw", "width", "rounding", "closure", "labiodental", "tongue")

# jaw opening 0..1, width -1 (narrow) .. 1 (spread), rounding, lips pressed, teeth on the lower lip, tongue seen: 0..1
_SHAPES = {
    "SIL": (0.02, 0.0, 0.0, 0.0, 0.0, 0.0),
    "P": (0.0, 0.0, 0.1, 1.0, 0.0, 0.0),
    "F": (0.12, 0.1, 0.0, 0.0, 1.0, 0.0),
    "TH": (0.22, 0.1, 0.0, 0.0, 0.0, 0.9),
    "T": (0.22, 0.15, 0.0, 0.0, 0.0, 0.5),
    "S": (0.14, 0.3, 0.0, 0.0, 0.0, 0.0),
    "SH": (0.18, -0.4, 0.6, 0.0, 0.0, 0.0),
    "K": (0.3, 0.05, 0.0, 0.0, 0.0, 0.1),
    "H": (0.35, 0.0, 0.0, 0.0, 0.0, 0.1),
    "L": (0.35, 0.1, 0.0, 0.0, 0.0, 0.9),
    "R": (0.28, -0.3, 0.4, 0.0, 0.0, 0.2),
    "W": (0.12, -0.9, 1.0, 0.0, 0.0, 0.0),
    "J": (0.22, 0.6, 0.0, 0.0, 0.0, 0.1),
    "I": (0.28, 0.9, 0.0, 0.0, 0.0, 0.1),
    "E": (0.5, 0.6, 0.0, 0.0, 0.0, 0.2),
    "Y": (0.25, -0.7, 0.9, 0.0, 0.0, 0.0),
    "A": (0.95, 0.2, 0.0, 0.0, 0.0, 0.3),
    "AH": (0.5, 0.1, 0.0, 0.0, 0.0, 0.2),
    "O": (0.6, -0.6, 0.7, 0.0, 0.0, 0.1),
    "U": (0.22, -0.9, 1.0, 0.0, 0.0, 0.0),
}

CLASSES = tuple(_SHAPES)
INDEX = {name: index for index, name in enumerate(CLASSES)}
SIL, P, F = INDEX["SIL"], INDEX["P"], INDEX["F"]
SHAPES = np.array(list(_SHAPES.values()), np.float32)  # 20 x 6, columns as in CURVES
