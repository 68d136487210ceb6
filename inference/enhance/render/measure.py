"""What belongs to the person and the clip, measured on one frame in which the face is seen well."""

import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp
from enhance.geometry.planes import Colours, Planes, to_rgb
from enhance.picture import LUMA

from .cover.alone import covered, without_things
from .cover.captions import without_captions
from .cover.expected import face_of
from .cover.occlusion import cover_of
from .cover.trust import cheeks_of, look
from .drawn.even_rest import evened
from .drawn.ink import ink_of
from .drawn.lips import on_drawn_lips
from .drawn.outlines import in_outline
from .drawn.shut_lips import paint_of
from .finish.sharpness import detail, softness_of
from .finish.tone import Ring, tone_of
from .light import black_of, chroma, of_one_tint, rgb_of
from .lips.outline import MIDPOINT, Lips, lips_of
from .lips.redness import LipsAndSkin
from .lips.shape import rest_of
from .mask import within
from .patch import Patch, patch_of
from .subject import CAVITY_OF_BLACK, SUBJECT, Subject
from .teeth.own import Flesh, own_teeth

EYES = ((33, 160, 159, 158, 133, 153, 145, 144), (362, 385, 386, 387, 263, 373, 374, 380))
GREY = 12.0
"""Levels between the skin's channels, below which the picture is taken to have no colour."""
BARE_LIP = np.array([0.80, 0.61, 0.66])
"""R, G, B of bare lips, of the skin's: the mean of nine people."""
EDGE = 0.030
"""S by which the upper teeth reach below the line of the closed lips, where the frame shows none."""
BEHIND = 0.05
"""S by which they lie behind it."""
TOOTH_LIGHT = 1.12
"""Luma of teeth that no frame shows, of the skin's: they lie in the shade of the lips."""
MOUSTACHE_SHADE = 0.14
"""Of that light, what a dark moustache takes: one man's teeth under his have .96 of the skin's, those of nine people without
one 1.04 to 1.38."""
SEEN, TINT_SEEN = (0.58, 0.74), (0.80, 0.95)
"""How bright the brightest between the lips are, of the skin: no teeth, teeth; where colour does not tell them from lips."""
BLINKING, SKIN_CHROMA = (0.0, 0.25), 0.5
"""How much less of the skin's colour the brightest pixels inside the eyes have, of the skin's chroma in white light, which is
at most the second: from none, or more of it, the lids of shut eyes, to the white of open ones."""


def measure(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic]) -> Floats:
    """SUBJECT from one frame in which the face is seen well.

    mesh: 478 x 3, in the patch's pixels. Raises BadMouthError when it is no face's.
    """
    return SUBJECT.pack(subject_of(patch_of(planes, colours, mesh)))


def covered_share(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic]) -> float:
    """0..1: how much of the lower face something covers, which would be measured as the subject's own.

    mesh: 478 x 3, in the patch's pixels. Raises BadMouthError when it is no face's.
    """
    patch = patch_of(planes, colours, mesh)
    planes = without_captions(planes, patch.head, patch.pose)
    lips = lips_of(patch.head, patch.pose, planes)
    return covered(planes, patch.head, patch.pose, lips)


def subject_of(patch: Patch) -> Subject:
    """The subject, from one patch in which the face is seen well."""
    drawn_lips = on_drawn_lips(patch)
    before, patch = patch, drawn_lips or patch
    colours, pose, head = patch.colours, patch.pose, patch.head
    planes = without_captions(patch.planes, head, pose)
    lips = lips_of(head, pose, planes)
    seen = face_of(planes, head, pose)
    face = without_things(planes, head, pose, lips, seen)
    if face is not seen and (cover := cover_of(planes, head, pose, lips, face)):
        planes = cover.taken_off(planes)
        lips = lips_of(head, pose, planes)
    rgb = to_rgb(planes, colours)
    # As each frame's light is measured: the light on the reference itself is exactly 1.
    skin = np.asarray(np.clip(rgb_of(cheeks_of(planes, head, pose), colours), 0, 255), np.float64)
    lip = _lip_colour(rgb, pose, lips, skin)
    one_tint = bool(np.ptp(skin) < GREY) or of_one_tint(skin, lip)
    black = max(0.0, black_of(planes, colours))
    # Paint ends where the lips do.
    flesh = lip + LipsAndSkin.of(planes, pose, head).painted * (BARE_LIP * skin - lip)
    # As light as a picture's black at least, and as red as the lips, from which its light comes.
    cavity = flesh * max(0.20, CAVITY_OF_BLACK * black / max(float(LUMA @ flesh), 1.0))
    tongue = (0.62 * flesh + 0.12 * skin) * (1.0 if one_tint else np.array([1.06, 0.9, 0.95]))
    left, right = (float(LUMA @ _median(rgb, pose, head[i], 0.07)) for i in (205, 425))
    moustache = _moustache(rgb, pose, head, skin)
    rest = rest_of(lips, moustache)
    if drawn_lips:
        rest = evened(rest, lips.opening)
    half = (rest.line[-1, 0] - rest.line[0, 0]) / 2
    middle = rest.line[MIDPOINT]
    size = float(np.clip(half / 0.25, 0.62, 1.1))
    bite = np.array([head[[0, 13, 17], 0].mean(), middle[1] + EDGE, head[13, 2] + BEHIND])
    ring = Ring.of(pose, (lips.upper_inner, lips.upper_outer), (lips.lower_inner, lips.lower_outer), planes.area)
    own = own_teeth(rgb, pose, lips, bite, size, Flesh.of(skin, lip, float(LUMA @ skin)))
    return Subject(
        skin=skin,
        lip=lip,
        tooth=_tooth_colour(rgb, pose, head, lips, skin, one_tint, moustache),
        cavity=cavity,
        tongue=tongue,
        gum=0.55 * flesh + 0.2 * skin,
        side=float(np.clip((right - left) / (right + left + 1e-3), -0.35, 0.35)),
        look=look(planes, head, pose, lips),
        detail=detail(planes, head, pose),
        softness=softness_of(planes, head, pose),
        rest=rest,
        bite=bite + np.array([0.0, own.edge if own else 0.0, 0.0]),
        size=size,
        lip_tone=tone_of(planes, head, ring, colours.black),
        face=face,
        # On the picture as it is, on which a drawn mouth is drawn again: ink passes for letters, or for a thing over the mouth.
        ink=None if drawn_lips else ink_of(patch.planes, colours, head, pose, outlined=in_outline(patch)),
        paint=paint_of(before, patch, skin) if drawn_lips else None,
    )


def _median(rgb: Floats, pose: Pose, at: Array, reach: float) -> Array:
    x, y = pose.to_pixels(pose.to_plane(at[None]))[0]
    k = max(2, int(reach * pose.scale))
    height, width = rgb.shape[:2]
    x, y = (
        int(np.clip(x, min(k, width - 1), max(width - k - 1, 0))),
        int(np.clip(y, min(k, height - 1), max(height - k - 1, 0))),
    )
    return np.asarray(np.median(rgb[max(0, y - k) : y + k, max(0, x - k) : x + k].reshape(-1, 3), axis=0), np.float64)


def _lip_colour(rgb: Floats, pose: Pose, lips: Lips, skin: Array) -> Array:
    lip = within(rgb.shape, pose, lips.outer_ring)
    hole = within(rgb.shape, pose, lips.inner_ring)
    pixels = rgb[lip & ~hole]
    return np.asarray(np.median(pixels, axis=0) if len(pixels) else 0.8 * skin, np.float64)


def _tooth_colour(rgb: Floats, pose: Pose, head: Array, lips: Lips, skin: Array, one_tint: bool, moustache: float) -> Array:
    """RGB of teeth under this light: as white as the eyes, a little like the skin, or as they are seen."""
    light = float(LUMA @ skin)
    eyes = rgb[within(rgb.shape, pose, *(head[list(eye)] for eye in EYES))]
    luma = eyes @ LUMA
    white = eyes[luma >= np.quantile(luma, 0.8)].mean(axis=0) if len(eyes) > 20 else 1.1 * skin
    level = min(0.3 * max(float(LUMA @ white), light) + 0.7 * min(TOOTH_LIGHT * light, 235), 235)
    level *= 1 - MOUSTACHE_SHADE * moustache
    mine = skin / max(light, 1)
    # A lid that blinks is as coloured as the skin: it says nothing of the teeth.
    seen_white = white / max(float(LUMA @ white), 1)
    as_skin = float((seen_white - 1) @ (mine - 1)) / max(float((mine - 1) @ (mine - 1)), 1e-6)
    blinks = 1 - ramp((1 - as_skin) * chroma(skin) / np.clip(chroma(skin), 1e-3, SKIN_CHROMA), *BLINKING)
    tint = 0.175 * mine + 0.825 * (seen_white + blinks * (0.6 + 0.4 * mine - seen_white))
    if one_tint:
        tint = mine
    drawn = np.clip(tint / max(float(LUMA @ tint), 1e-6) * level, 0, 250)
    seen = rgb[within(rgb.shape, pose, lips.inner_ring)] if not lips.closed else rgb[:0, 0]
    if len(seen) <= 30:
        return np.asarray(drawn)
    luma = seen @ LUMA
    own = np.median(seen[luma >= np.quantile(luma, 0.75)], axis=0)
    bright = ramp(float(np.quantile(luma, 0.85)) / max(light, 1), *(TINT_SEEN if one_tint else SEEN))
    pale = 1.0 if one_tint else 1 - ramp(chroma(own) / max(chroma(skin), 1e-3), 0.55, 0.75)
    return np.asarray(drawn + bright * pale * (np.clip(1.03 * own, 0, 250) - drawn))


def _moustache(rgb: Floats, pose: Pose, head: Array, skin: Array) -> float:
    """How much darker than the cheeks it is between nose and lip."""
    above = [0.5 * (head[a] + head[b]) for a, b in ((164, 0), (167, 37), (393, 267), (165, 39), (391, 269))]
    dark = np.median([float(LUMA @ _median(rgb, pose, p, 0.03)) for p in above])
    return 1 - ramp(float(dark) / max(float(LUMA @ skin), 1.0), 0.42, 0.62)
