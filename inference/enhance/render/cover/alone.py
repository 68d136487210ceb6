"""What covers the lower face in a frame of which no other is known: a reference is chosen by it.

Skin and lips have the chroma of the face. A microphone, a cup or a mask has less of it, and a hand before the mouth shows skin
where lips should be. A grey beard has less too, in all frames of a clip: shares of one clip are to be compared.
"""

import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.planes import Planes
from enhance.render.lips.colours import sampled
from enhance.render.lips.outline import Lips

from .expected import CENTRES, OF_ITSELF, Mask, below_nose, face_of, grown, levels_of, mouth_of

ROUND_EYES = (168, 6, 9, 118, 347, 101, 330, 50, 280)
"""What a mask leaves free: it has the colour of the skin."""
PALE = 0.45  # of the chroma of the skin, in its hue: what has less is neither skin nor lip
COLOURED = 6.0  # levels of chroma of a skin, below which nothing can be told by it
BESIDE = 9  # cells round the mouth with whose skin lips are compared
LIKE_SKIN = 1.5  # in what a face differs from itself
BARE = (0.6, 0.9)  # share of the lips that is like the skin: of pale lips, of a hand


def covered(planes: Planes, head: Array, pose: Pose, lips: Lips) -> float:
    """0..1: the mean of the shares of the lower face and of the lips that something covers, 1: a mask; .5 for skin before the
    lips.

    head: 478 x 3 in head coordinates.
    """
    face = face_of(planes, head, pose)
    seen, (mouth, hole) = levels_of(face.texture), mouth_of(lips, pose)
    shown = below_nose(face.knots, head, pose) & ~hole
    lower, lip = shown & (CENTRES[..., 1] > 0), mouth & ~hole
    if not (lower.any() and lip.any()):
        return 0.0
    skin = np.median(sampled(planes, pose, head[list(ROUND_EYES)])[:, 1:], axis=0) - 128
    pale = (seen[..., 1:] - 128) @ skin < PALE * float(skin @ skin)
    told = float(np.hypot(*skin)) > COLOURED
    bare = ramp(_bare(seen, lip, shown & ~mouth), *BARE)
    return max(told * float(pale[lower].mean() + pale[lip].mean()) / 2, bare / 2)


def _bare(seen: Floats, lips: Mask, skin: Mask) -> float:
    """The share of the lips that looks like the skin round them."""
    round_them = skin & (grown(lips.astype(np.float32), BESIDE) > 0)
    if not round_them.any():
        return 0.0
    off = (seen[lips] - np.median(seen[round_them], axis=0)) / OF_ITSELF
    return float((np.sqrt((off**2).sum(axis=1)) < LIKE_SKIN).mean())
