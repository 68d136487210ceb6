"""SUBJECT: what belongs to the person and the clip, not to the frame."""

from dataclasses import dataclass, replace
from typing import Annotated

from enhance.geometry.head import Array
from enhance.geometry.planes import Colours, from_rgb
from enhance.record import Record, Shape

from .cover.expected import Face
from .cover.trust import REGIONS, look_under
from .drawn.ink import Ink
from .drawn.shut_lips import Paint
from .finish.sharpness import PLACES
from .finish.tone import Tone, changed
from .light import tint_on, tinted
from .lips.shape import Rest

Colour = Annotated[Array, Shape(3)]
"""RGB, 0..255."""


CAVITY_OF_BLACK = 0.9
"""Luma of Subject.cavity, of that of the black of the reference's patch, at least."""


@dataclass(frozen=True)
class Subject:
    """Lengths in S, points in head coordinates (geometry/head.py)."""

    skin: Colour
    lip: Colour
    tooth: Colour
    cavity: Colour
    tongue: Colour
    gum: Colour
    side: float
    """(r - l) / (r + l) of the luma of the face's two sides, right and left in the picture; -0.35..0.35."""
    look: Annotated[Array, Shape(REGIONS, 3)]
    """What the mouth's surroundings look like beside the cheeks: trust.look()."""
    detail: Annotated[Array, Shape(len(PLACES))]
    """How sharp the face is at PLACES, in grey levels: blurred frames have less."""
    softness: float
    """S: sigma by which the new mouth is blurred between the lips (finish/soften.py); 0 in a sharp picture."""
    rest: Rest
    """The closed lips."""
    bite: Annotated[Array, Shape(3)]
    """The edge of the upper middle teeth."""
    size: float
    """Of the teeth against the usual."""
    lip_tone: Tone
    face: Face
    """The lower face, coarsely, to find what covers it in other frames."""
    ink: Ink | None
    """The mouth as a drawing has it; None for a mouth with lips."""
    paint: Paint | None
    """The lips as a flat drawing has them, shut and in one colour; None for all others."""

    def under(self, cheeks: Array, colours: Colours) -> "Subject":
        """The subject with `look` and `face` in the colour of the light on these cheeks (Y, U, V)."""
        tint = tint_on(cheeks, colours, self.skin)

        def change(yuv: Array) -> Array:
            return tinted(yuv, tint, colours)

        skin = from_rgb(self.skin, colours)
        return replace(
            self,
            look=look_under(self.look, skin, change),
            face=replace(self.face, texture=change(self.face.texture)),
        )

    def lips_under(self, cheeks: Array, colours: Colours) -> Tone:
        """`lip_tone` in the colour of the light on these cheeks (Y, U, V)."""
        tint, skin = tint_on(cheeks, colours, self.skin), from_rgb(self.skin, colours)
        relative = changed(self.lip_tone.relative, skin, lambda yuv: tinted(yuv, tint, colours), colours.black)
        return replace(self.lip_tone, relative=relative)


SUBJECT = Record("SUBJECT", Subject, version=5)
