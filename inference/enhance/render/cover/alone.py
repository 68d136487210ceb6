"""What covers the lower face in a frame of which no other is known: a reference is chosen by it, and cleared of it.

Skin and lips have the chroma of the face. A microphone, a cup or a mask has less of it, a hand before the mouth shows skin
where lips should be, and red cloth passes for lips that are too large. A grey beard has less chroma too, in all frames of a
clip: shares of one clip are to be compared.
docs/decisions/0205.
"""

from dataclasses import replace

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.planes import Planes
from enhance.membrane import spread
from enhance.picture import Mask
from enhance.render.lips.colours import sampled
from enhance.render.lips.outline import Lips

from .expected import CENTRES, DARK, OF_ITSELF, Face, below_nose, face_of, grown, levels_of, mouth_of, outlined

ROUND_EYES = (168, 6, 9, 118, 347, 101, 330, 50, 280)
"""What a mask leaves free: it has the colour of the skin."""
PALE = 0.45  # of the chroma of the skin, in its hue: what has less is neither skin nor lip
REDDER = 8.0  # levels of V from the skin's: so much redder lips are no thing, though skin that is blue in the light says so
COLOURED = 6.0  # levels of chroma of a skin, below which chroma is not used
BESIDE = 9  # cells round the mouth with whose skin it is compared
WHOLE = (0.25, 0.4)
"""Share of the lips that is pale: of a thing before a part of them, of paint (drawn and photographed: .41 to .99)."""
OFF_LIPS, BEYOND = (5, 11), (0.03, 0.08)
"""Cells across by which the mouth is grown to what lies beside it, from and to; and the share of that which is pale: beside
lips of another colour .03 at most, behind a drawn microphone .08 to .38."""
ENOUGH, HELD, TIP, MUCH, HELD_FROM, WIDEST, BLURRED = 90, 60, 15, 120, 7, 40, 5
"""A thing before the chin, in cells. ENOUGH: of the chin that are pale and hang together (bare faces of 27 clips 71 at most,
a drawn microphone 98 to 368). HELD: of it outside the face's outline grown HELD_FROM across (0 to 5; 131 to 275). TIP: of the
chin, where more than MUCH are outside (bare faces 14; microphones whose top alone is before the chin 401 and more). WIDEST:
across; a grey beard is wider. BLURRED: across, by which it is grown to its blur and its shadow."""
LIKE_SKIN = 1.5  # in what a face differs from itself
CLEAR, FADED = 1.1, 0.3  # log of light over dark in a clear picture, and the least share of that which counts
APART = 0.5  # Lips.closed, below which the inside of the mouth counts as well: pale lips alone look like a hand
BELOW = (7, 15)
"""Cells across by which the mouth is grown to what lies below it, from and to: .06 to .14 S away."""
LARGE, LIP_COLOUR = (0.5, 0.7), 20.0
"""Share of what lies below the mouth that has the colour of the lips: of bare faces (as they are, vivid, dark, tinted, noisy,
coarse JPEG) at most .46 of 234; behind a red scarf 1, a red cup .77 to 1. Only where that colour is LIP_COLOUR levels of chroma
or more from the skin's: nearer ones pass for each other."""
TOWARDS, ASIDE = (0.6, 1.6), 0.5
"""What has the colour of the lips: how far it is from the skin towards them, and how far aside, of their distance."""
BARE = (0.6, 0.9)  # share of the mouth that is like the skin: of pale lips, of a hand


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
    skin, light = _skin_of(planes, head, pose)
    pale, told = _pale(skin, light, seen)
    off = _of_luma(seen) - skin / light
    pale[lip] &= off[lip, 1] * light < REDDER
    near, beside = (grown(mouth.astype(np.float32), across) > 0 for across in OFF_LIPS)
    beside &= lower & ~near
    # What has the shape of the lips is paint on them: a thing reaches beyond, or covers a part.
    paint = ramp(float(pale[lip].mean()), *WHOLE) * (1 - ramp(float(pale[beside].mean()), *BEYOND)) if beside.any() else 0.0
    told_by = mouth if lips.closed < APART else lip
    bare = ramp(_bare(seen, told_by, shown & ~mouth, _contrast(planes)), *BARE)
    large = ramp(_large(off, light, mouth, lower, lip), *LARGE)
    return max(told * float(pale[lower].mean() + (1 - paint) * pale[lip].mean()) / 2, max(bare, large) / 2)


def without_things(planes: Planes, head: Array, pose: Pose, lips: Lips, face: Face) -> Face:
    """The face_of() a frame, with what lies before the chin in it, as a microphone, replaced by the skin round it.

    The same face where nothing does. head: 478 x 3 in head coordinates.
    """
    seen, (mouth, hole) = levels_of(face.texture), mouth_of(lips, pose)
    pale, told = _pale(*_skin_of(planes, head, pose), seen)
    below = (CENTRES[..., 1] > 0) & ~hole
    lower, beyond = below_nose(face.knots, head, pose) & below, ~outlined(face.knots, HELD_FROM)
    chin = lower & (grown(mouth.astype(np.float32), OFF_LIPS[0]) == 0)
    count, label = cv2.connectedComponents((pale & below).astype(np.uint8), connectivity=4)
    thing = np.zeros(label.shape, np.bool_)
    for piece in range(1, count):
        one = label == piece
        before = one & chin
        outside = (one & beyond).sum()
        if (
            before.sum() > (TIP if outside > MUCH else ENOUGH)
            and outside > HELD
            and np.ptp(np.flatnonzero(before.any(axis=0))) < WIDEST
        ):
            thing |= one
    if not (told and thing.any()):
        return face
    thing = grown(thing.astype(np.float32), BLURRED) > 0
    texture = face.texture.copy()
    for part in (mouth & ~hole, ~mouth):
        known = part & lower & ~thing
        if known.any():
            texture[part & thing] = spread(face.texture.astype(np.float32), known)[part & thing]
    return replace(face, texture=texture)


def _skin_of(planes: Planes, head: Array, pose: Pose) -> tuple[Floats, float]:
    """The U, V of the skin round the eyes, levels from grey, and its light: its luma, as levels_of() has it."""
    luma, *chroma = np.median(sampled(planes, pose, head[list(ROUND_EYES)]), axis=0)
    return np.asarray(chroma, np.float32) - 128, float(luma + DARK)


def _of_luma(seen: Floats) -> Floats:
    """U, V of levels_of(), of luma: in a picture of one tint, as an old photograph, what is dark is less coloured."""
    return np.asarray((seen[..., 1:] - 128) / np.exp(seen[..., :1]))


def _pale(skin: Floats, light: float, seen: Floats) -> tuple[Mask, bool]:
    """The cells with less chroma in the hue of the skin than skin and lips have; and whether the skin has enough to tell by it.

    skin, light: of _skin_of(). seen: levels_of() the cells.
    """
    square = float(skin @ skin)
    tint = _of_luma(seen) @ skin * light / max(square, 1e-6)
    return np.asarray(tint, np.float32) < PALE, square > COLOURED**2


def _large(off: Floats, light: float, mouth: Mask, lower: Mask, lip: Mask) -> float:
    """The share of what lies below the mouth that has the colour of the lips: of a thing before them, which passes for lips.

    off: U, V of each cell from those of the skin, of luma. light: of _skin_of(). lower, lip: the cells of the skin below the
    nose, and of the lips.
    """
    near, below = (grown(mouth.astype(np.float32), across) > 0 for across in BELOW)
    below &= lower & ~near & (CENTRES[..., 1] > CENTRES[mouth, 1].mean())
    lips = np.median(off[lip], axis=0)
    far = float(np.hypot(*lips))
    if not below.any() or far * light < LIP_COLOUR:
        return 0.0
    towards = off[below] @ lips / far**2
    aside = np.hypot(*(off[below] - towards[:, None] * lips).T) / far
    return float(((towards > TOWARDS[0]) & (towards < TOWARDS[1]) & (aside < ASIDE)).mean())


def _contrast(planes: Planes) -> float:
    """0..1: how much darker than its light the picture's dark is, as a logarithm, of what that is in a clear picture."""
    dark, light = np.log(np.quantile(planes.y[::2, ::2], (0.02, 0.9)) + DARK)
    return float(np.clip((light - dark) / CLEAR, FADED, 1))


def _bare(seen: Floats, mouth: Mask, skin: Mask, contrast: float) -> float:
    """The share of the mouth that looks like the skin round it: pale lips do, but not what an open mouth shows between them.

    contrast: of the picture, 0..1.
    """
    round_it = skin & (grown(mouth.astype(np.float32), BESIDE) > 0)
    if not round_it.any():
        return 0.0
    off = (seen[mouth] - np.median(seen[round_it], axis=0)) / (OF_ITSELF * contrast)
    return float((np.sqrt((off**2).sum(axis=1)) < LIKE_SKIN).mean())
