"""SUBJECT: what belongs to the person and the clip, not to the frame, as one vector of floats."""

from dataclasses import dataclass, fields

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, BadMouthError, Pose, ramp
from enhance.geometry.planes import Colours, Planes, to_rgb
from enhance.render.cover.expected import COLUMNS as FACE_COLUMNS
from enhance.render.cover.expected import KNOTS, Face, face_of
from enhance.render.cover.expected import ROWS as FACE_ROWS
from enhance.render.cover.trust import REGIONS, look, means
from enhance.render.finish.sharpness import PLACES, detail
from enhance.render.finish.tone import GRID, Ring, Tone, tone_of
from enhance.render.lips.outline import SAMPLES, Lips, lips_of
from enhance.render.lips.shape import Rest, rest_of
from enhance.render.teeth.own import COLUMNS, ROWS, own_teeth

SUBJECT_SIZE = 26624
VERSION = 3.0

CHEEKS = (50, 280, 205, 425)
EYES = ((33, 160, 159, 158, 133, 153, 145, 144), (362, 385, 386, 387, 263, 373, 374, 380))
GREY = 12.0  # a skin with less between its channels belongs to a picture without colour
EDGE = 0.030  # of the upper teeth under the closed lips' line
BEHIND = 0.05  # how far the teeth lie behind that line
WEIGHTS = np.array([0.299, 0.587, 0.114])
DIM = 8.0  # grey levels below which colours are noise
BLINKING = (0.75, 1.0)  # chroma of the eyes' brightest parts against the skin's: they are white, they are lids
LIGHTS = (0.1, 2.0)  # of a frame against the reference's


@dataclass(frozen=True)
class Subject:
    """Colours are RGB 0..255, lengths in S, points in head coordinates."""

    skin: Array
    lip: Array
    tooth: Array
    cavity: Array
    tongue: Array
    gum: Array
    side: Array
    """[1]: how much lighter the picture's right side of the face is, -0.35..0.35."""
    look: Array
    """What the mouth's surroundings look like beside the cheeks, for trust."""
    detail: Array
    """How sharp its PLACES are, for frames that are blurred."""
    line: Array
    upper_outer: Array
    lower_outer: Array
    width: Array
    moustache: Array
    bite: Array
    """[3]: the edge of the upper middle teeth."""
    size: Array
    """[1]: of the teeth against the usual."""
    tone: Array
    """The lips' colours, as in Tone.relative."""
    palest: Array
    teeth: Array
    """The subject's own upper teeth, unrolled; opacity 0 where the frame showed none."""
    texture: Array
    """The lower face, coarsely, as in Face, to tell what covers it."""
    knots: Array

    @property
    def rest(self) -> Rest:
        return Rest(self.line, self.upper_outer, self.lower_outer, float(self.width[0]), float(self.moustache[0]))

    @property
    def face(self) -> Face:
        return Face(self.texture, self.knots)

    @property
    def lip_tone(self) -> Tone:
        return Tone(self.tone, self.palest)


SHAPES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("skin", "lip", "tooth", "cavity", "tongue", "gum", "bite"), (3,)),
    **dict.fromkeys(("side", "width", "moustache", "size"), (1,)),
    "detail": (len(PLACES),),
    **dict.fromkeys(("line", "upper_outer", "lower_outer"), (SAMPLES, 2)),
    "look": (REGIONS, 3),
    "tone": (*GRID, 3),
    "palest": (2, 2),
    "teeth": (ROWS, COLUMNS, 4),
    "texture": (FACE_ROWS, FACE_COLUMNS, 3),
    "knots": (len(KNOTS), 2),
}


def pack(subject: Subject) -> Floats:
    """SUBJECT_SIZE floats."""
    values = np.concatenate([[VERSION], *(np.ravel(getattr(subject, f.name)) for f in fields(Subject))])
    return np.pad(values, (0, SUBJECT_SIZE - len(values))).astype(np.float32)


def unpack(values: npt.NDArray[np.generic]) -> Subject:
    """Raises BadMouthError when `values` did not come from pack()."""
    if values.shape != (SUBJECT_SIZE,):
        raise BadMouthError(f"expected SUBJECT [{SUBJECT_SIZE}], got {list(values.shape)}")
    flat = values.astype(np.float64)
    if not np.isfinite(flat).all() or flat[0] != VERSION:
        raise BadMouthError("expected SUBJECT from a SUBJECT answer of this release, got other numbers")
    parts, start = {}, 1
    for f in fields(Subject):
        shape = SHAPES[f.name]
        count = int(np.prod(shape))
        parts[f.name] = flat[start : start + count].reshape(shape)
        start += count
    return Subject(**parts)


def subject_of(planes: Planes, colours: Colours, head: Array, pose: Pose) -> Subject:
    """The subject, from one patch in which the face is seen well."""
    rgb = to_rgb(planes, colours)
    lips = lips_of(head, pose, planes)
    skin = np.median([_median(rgb, pose, head[i]) for i in CHEEKS], axis=0)
    lip = _lip_colour(rgb, pose, lips, skin)
    grey = bool(np.ptp(skin) < GREY)
    black = _black(planes, colours)
    cavity = np.maximum(0.20 * lip, 0.9 * black + (0 if grey else np.array([6.0, 1.0, 2.0])))
    tongue = (0.62 * lip + 0.12 * skin) * (1 if grey else np.array([1.06, 0.9, 0.95]))
    left, right = (float(WEIGHTS @ _median(rgb, pose, head[i], 0.07)) for i in (205, 425))
    rest = rest_of(lips, _moustache(rgb, pose, head, skin))
    half = (rest.line[-1, 0] - rest.line[0, 0]) / 2
    middle = rest.line[SAMPLES // 2]
    size = float(np.clip(half / 0.25, 0.62, 1.1))
    bite = np.array([head[[0, 13, 17], 0].mean(), middle[1] + EDGE, head[13, 2] + BEHIND])
    ring = Ring.of(pose, (lips.upper_inner, lips.upper_outer), (lips.lower_inner, lips.lower_outer), planes.area)
    tone = tone_of(planes, head, ring)
    own = own_teeth(rgb, pose, lips, bite, size, 0.5 * (chroma(skin) + chroma(lip)))
    face = face_of(planes, head, pose)
    return Subject(
        skin=skin,
        lip=lip,
        tooth=_tooth_colour(rgb, pose, head, lips, skin, grey),
        cavity=cavity,
        tongue=tongue,
        gum=0.55 * lip + 0.2 * skin,
        side=np.array([np.clip((right - left) / (right + left + 1e-3), -0.35, 0.35)]),
        look=look(planes, head, pose, lips),
        detail=detail(planes, head, pose),
        line=rest.line,
        upper_outer=rest.upper_outer,
        lower_outer=rest.lower_outer,
        width=np.array([rest.width]),
        moustache=np.array([rest.moustache]),
        bite=bite + np.array([0.0, own.edge, 0.0]),
        size=np.array([size]),
        tone=tone.relative,
        palest=tone.palest,
        teeth=own.texture,
        texture=face.texture,
        knots=face.knots,
    )


def light_on(planes: Planes, colours: Colours, pose: Pose, head: Array, skin: Array) -> Array:
    """RGB of the light on this frame's cheeks against the reference's, whose skin is `skin`: what is drawn is lit the same."""
    (yuv,) = means(planes, pose, [head[list(CHEEKS)]])
    seen = np.linalg.solve(colours.matrix.astype(np.float64), yuv - colours.offset)
    return np.asarray(np.clip((seen + DIM) / (skin + DIM), *LIGHTS), np.float64)


def _median(rgb: Floats, pose: Pose, at: Array, reach: float = 0.05) -> Array:
    x, y = pose.to_pixels(pose.to_plane(at[None]))[0]
    k = max(2, int(reach * pose.scale))
    height, width = rgb.shape[:2]
    x, y = (
        int(np.clip(x, min(k, width - 1), max(width - k - 1, 0))),
        int(np.clip(y, min(k, height - 1), max(height - k - 1, 0))),
    )
    return np.asarray(np.median(rgb[max(0, y - k) : y + k, max(0, x - k) : x + k].reshape(-1, 3), axis=0), np.float64)


def _inside(shape: tuple[int, ...], pose: Pose, *contours: Array) -> npt.NDArray[np.bool_]:
    mask = np.zeros(shape[:2], np.uint8)
    for contour in contours:
        cv2.fillPoly(mask, [np.round(pose.to_pixels(pose.to_plane(contour))).astype(np.int32)], (1,))
    return mask > 0


def _lip_colour(rgb: Floats, pose: Pose, lips: Lips, skin: Array) -> Array:
    lip = _inside(rgb.shape, pose, np.vstack([lips.upper_outer, lips.lower_outer[::-1]]))
    hole = _inside(rgb.shape, pose, np.vstack([lips.upper_inner, lips.lower_inner[::-1]]))
    pixels = rgb[lip & ~hole]
    return np.asarray(np.median(pixels, axis=0) if len(pixels) else 0.8 * skin, np.float64)


def _black(planes: Planes, colours: Colours) -> float:
    """The picture's own black, in RGB."""
    low = float(np.quantile(planes.y[::2, ::2], 0.004)) - float(colours.offset[0])
    return max(0.0, low / float(colours.matrix[0].sum()))


def _tooth_colour(rgb: Floats, pose: Pose, head: Array, lips: Lips, skin: Array, grey: bool) -> Array:
    """Teeth under this light: between the white of the eyes and the skin, or as they are seen.

    In the shade of the lips those of nine clips are 0.95-1.3 times as light as the cheeks; drawn ones come to 1.0-1.1.
    """
    light = float(WEIGHTS @ skin)
    eyes = rgb[_inside(rgb.shape, pose, *(head[list(eye)] for eye in EYES))]
    luma = eyes @ WEIGHTS
    white = eyes[luma >= np.quantile(luma, 0.8)].mean(axis=0) if len(eyes) > 20 else 1.1 * skin
    level = float(np.clip(0.4 * max(float(WEIGHTS @ white), 1.08 * light) + 0.6 * min(1.34 * light, 250), 60, 245))
    mine = skin / max(light, 1)
    # A lid that blinks is as coloured as the skin: it says nothing of the teeth.
    blinks = ramp(chroma(white) / max(chroma(skin), 1e-3), *BLINKING)
    seen_white = white / max(float(WEIGHTS @ white), 1)
    tint = 0.325 + 0.175 * mine + 0.5 * (seen_white + blinks * (0.35 + 0.65 * mine - seen_white))
    if grey:
        tint = mine
    drawn = np.clip(tint / float(WEIGHTS @ tint) * level, 0, 250)
    seen = (
        rgb[_inside(rgb.shape, pose, np.vstack([lips.upper_inner, lips.lower_inner[::-1]]))] if not lips.closed else rgb[:0, 0]
    )
    if len(seen) <= 30:
        return np.asarray(drawn)
    luma = seen @ WEIGHTS
    own = np.median(seen[luma >= np.quantile(luma, 0.75)], axis=0)
    bright = ramp(float(np.quantile(luma, 0.85)) / max(light, 1), 0.58, 0.74)
    pale = 1 - ramp(chroma(own) / max(chroma(skin), 1e-3), 0.55, 0.75)
    return np.asarray(drawn + bright * pale * (np.clip(1.03 * own, 0, 250) - drawn))


def chroma(colour: Array) -> float:
    return float(colour.max() - colour.min()) / max(float(colour.max()), 1.0)


def _moustache(rgb: Floats, pose: Pose, head: Array, skin: Array) -> float:
    """How much darker than the cheeks it is between nose and lip."""
    above = [0.5 * (head[a] + head[b]) for a, b in ((164, 0), (167, 37), (393, 267), (165, 39), (391, 269))]
    dark = np.median([float(WEIGHTS @ _median(rgb, pose, p, 0.03)) for p in above])
    return 1 - ramp(float(dark) / max(float(WEIGHTS @ skin), 1.0), 0.42, 0.62)
