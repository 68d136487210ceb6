"""SUBJECT: what belongs to the person and the clip, not to the frame, as one vector of floats."""

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, BadMouthError
from enhance.render.cover.expected import COLUMNS as FACE_COLUMNS
from enhance.render.cover.expected import KNOTS, Face
from enhance.render.cover.expected import ROWS as FACE_ROWS
from enhance.render.cover.trust import REGIONS
from enhance.render.finish.sharpness import PLACES
from enhance.render.finish.tone import GRID, Tone
from enhance.render.lips.outline import SAMPLES
from enhance.render.lips.shape import Rest
from enhance.render.teeth.own import COLUMNS, ROWS

SUBJECT_SIZE = 26624
VERSION = 3.0


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


