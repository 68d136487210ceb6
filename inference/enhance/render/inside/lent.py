"""An open mouth from a lender: the upper teeth stay on the skull, the lower teeth and the tongue go with the jaw."""

from dataclasses import dataclass

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, Pose, ramp, smoothstep
from enhance.geometry.planes import Colours, from_rgb
from enhance.render.finish.flow import flow_blend
from enhance.render.light import DIM, light_on
from enhance.render.lips.shape import Asked, shift_of
from enhance.render.subject import Subject
from enhance.render.teeth.arch import DEPTH, HALF_WIDTH

from .interior import Hole, slit_light
from .lender import Lender

INSET = 0.007  # S inside the lender's lips from which nothing is taken
CORNER = 0.25  # of the half width, from the middle, at which the teeth begin to be drawn out to corners that lie farther off
SQUEEZED = 1.8  # how much of the lender's may lie under the teeth for what there is here
STRETCHED = 0.4  # how much of what is here may come of stretching less
MISSING = 0.014  # S beyond the lender's lower lip in which what is drawn takes over
TEETH = (0.2, 0.5)  # of it that is lower teeth: these are not stretched, but leave a gap under the upper ones
LONGER = 0.3  # of their height, that passes for teeth all the same
ROW = (0.5, 0.8)  # of the half width, between which the rows end: beside them all is stretched
ROWS_PART = (0.10, 0.20)  # S of opening between which rows of teeth begin to leave a gap; below, they are stretched
GAP_EDGE = 0.02  # S over which the gap begins and ends
GAPS = (0.004, 0.02)  # between one that is none and one that is dark
BEHIND = (0.7, 0.2)  # of cavity and tongue, what is seen between the rows
JAW_SHARE = 0.55  # of what lies under the teeth is squeezed; the rest, on the lower lip, is as it was
PARTED = (0.012, 0.03)  # openings in S between which lips begin to show what is lent, and not a dark line
CUT = 0.03  # S that a lip hides of what the lender's showed, from which its whole shade lies on the edge
SEATED = 1.0  # how far the teeth go with lips that the mesh sees higher or lower on a face
LIGHTS = (0.3, 2.5)


@dataclass(frozen=True)
class Receiver:
    """The mouth that is lent to: its opening `hole`, its lips as they are asked for, and the frame that it is in."""

    hole: Hole
    asked: Asked
    pose: Pose
    person: Subject
    cheeks: Array
    """Y, U, V of this frame's: the light."""
    colours: Colours


def borrowed(drawn: Floats, lenders: list[tuple[Lender, float]], to: Receiver, *, aligned: bool = False) -> Floats:
    """The hole's pixels, h x w x 3 Y, U, V: what is lent, each lender's by its share, over what is drawn.

    aligned: two lenders are mixed along the motion between them.
    """
    left, total = np.ones(drawn.shape[:2], np.float32), np.zeros_like(drawn)
    lent: Floats | None = None
    for lender, share in lenders:
        if lender.belief:
            one = _lent(lender, to)
            part = one.share * np.float32(share * lender.belief)
            if aligned and lent is not None:
                given = 1 - left
                lent = flow_blend(lent, one.yuv, part / np.maximum(given + part, 1e-6))
                total = (given + part)[..., None] * lent
            else:
                lent = one.yuv
                total += part[..., None] * one.yuv
            left -= part
    return np.asarray(total + np.maximum(left, 0)[..., None] * drawn, np.float32)


@dataclass(frozen=True)
class _Lent:
    yuv: Floats
    """h x w x 3 over the hole's area."""
    share: Floats
    """How far each pixel is the lender's."""


def _lent(lender: Lender, to: Receiver) -> _Lent:
    at, shown = _places(lender, to)
    light = to.cheeks
    pixels = (lender.pose.to_pixels(at.reshape(-1, 2)).reshape(at.shape)).astype(np.float32)
    x, y = pixels[..., 0], pixels[..., 1]
    planes = lender.planes
    luma = cv2.remap(planes.y, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    chroma = [
        cv2.remap(p, (x - 0.5) / 2, (y - 0.5) / 2, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
        for p in (planes.u, planes.v)
    ]
    black = float(to.colours.offset[0])
    here, there = light[0] - black, lender.cheeks[0] - black
    gain = float(np.clip((here + DIM) / (there + DIM), *LIGHTS))
    level = (luma - black) * (gain * shown.shade)
    tint = light[1:] - 128 - gain * (lender.cheeks[1:] - 128)
    paleness = np.clip(level / max(here, 16.0), 0, 1.5)
    coloured = [
        128 + (seen - 128) * (gain * shown.shade) + float(more) * paleness for seen, more in zip(chroma, tint, strict=True)
    ]
    yuv = np.stack([level + black, *coloured], axis=-1)
    behind = (BEHIND[0] * to.person.cavity + BEHIND[1] * to.person.tongue) * light_on(light, to.colours, to.person.skin)
    dark = from_rgb(behind.astype(np.float32), to.colours)
    yuv += shown.dark[..., None] * (dark - yuv)
    return _Lent(np.asarray(yuv, np.float32), np.asarray(shown.share, np.float32))


@dataclass(frozen=True)
class _Shown:
    shade: Array
    share: Array
    dark: Array
    """How far it is the dark between two rows of teeth."""


def _places(lender: Lender, to: Receiver) -> tuple[Array, _Shown]:
    """Where in the lender's plane each pixel of the hole is found, h x w x 2, and how it is shown."""
    hole = to.hole
    shift = shift_of(to.person.rest, lender.lips)
    rigid = _Skull.between(to.pose, lender.pose, to.person, SEATED * (shift - to.asked.shift))
    upper, lower = (lender.pose.to_plane(c) for c in (lender.lips.upper_inner, lender.lips.lower_inner))
    x, along = _across(hole, rigid, to.pose.to_plane(to.asked.upper_inner), upper)

    first, last = (np.interp(x, line[:, 0], line[:, 1]) for line in (upper, lower))
    thin = np.maximum(last - first, 0)
    inset = np.minimum(INSET, 0.25 * thin)
    first, last = first + inset, last - inset

    y, top, bottom = (rigid.y(hole.x, v) for v in (hole.y, hole.top, hole.bottom))
    bottom = np.maximum(bottom, top + 1e-4)
    firm = ramp(lender.lower, *TEETH)
    edge = rigid.edge(lender.pose, to.person, shift)
    aside = np.clip(x, upper[0, 0], upper[-1, 0]) - (upper[0, 0] + upper[-1, 0]) / 2
    seam = np.minimum(lender.seam[0] + lender.seam[1] * aside + lender.seam[2] * aside**2, last)
    edge = np.clip(edge + firm * (seam - edge), top, None)
    held = firm * (1 - smoothstep(np.abs(along), *ROW))
    fitted = _fitted(_Heights(y, top, bottom, edge, first, last), held)

    hidden_top, hidden_bottom = np.clip((fitted.start - first) / CUT, 0, 1), np.clip((last - fitted.end) / CUT, 0, 1)
    shade = (1 - 0.38 * hidden_top * (1 - smoothstep(hole.y - hole.top, -0.006, 0.026))) * (
        1 - 0.22 * hidden_bottom * (1 - smoothstep(hole.bottom - hole.y, -0.004, 0.022))
    )
    # A slit here is as dark as any slit, however wide open the lender was.
    shade *= np.minimum(slit_light(hole.bottom - hole.top) / slit_light(thin), 1)
    parted = float((to.asked.lower_inner - to.asked.upper_inner)[:, 1].max())
    share = smoothstep(thin, 0.004, 0.016) * ramp(parted, *PARTED) * (1 - fitted.missing)
    return np.stack([x, fitted.y], axis=-1), _Shown(shade, share, fitted.between)


def _across(hole: Hole, rigid: "_Skull", mine: Array, lenders: Array) -> tuple[Array, Array]:
    """x in the lender's plane for the hole's pixels, and where they lie between the corners, -1..1.

    mine, lenders: the upper lip's inner contour here and there, in its own plane each.
    """
    x = rigid.x(hole.x, hole.y)
    ends = rigid.x(mine[[0, -1], 0], mine[[0, -1], 1])
    along = (hole.x - mine[0, 0]) / (mine[-1, 0] - mine[0, 0]) * 2 - 1
    left, right = max(0.0, lenders[0, 0] - ends[0]), max(0.0, ends[1] - lenders[-1, 0])
    x = x + left * smoothstep(-along, CORNER, 1.0) - right * smoothstep(along, CORNER, 1.0)
    return x, along


@dataclass(frozen=True)
class _Heights:
    """y in the lender's plane for each of the hole's pixels: of the pixel, of the lips above and below it, of the upper teeth's
    edge; and where the lender's own mouth begins and ends."""

    y: Array
    top: Array
    bottom: Array
    edge: Array
    first: Array
    last: Array


@dataclass(frozen=True)
class _Fitted:
    """y: where the pixels are fetched. start, end: the part of the lender's mouth that is used. between: 0..1, the dark between
    two rows of teeth. missing: 0..1, what the lender's lower lip hid."""

    y: Array
    start: Array
    end: Array
    between: Array
    missing: Array


def _fitted(at: _Heights, held: Array) -> _Fitted:
    """The lender's mouth made as high as the hole. held: 0..1, how far a pixel belongs to lower teeth, which keep it."""
    under = at.bottom - at.edge
    start = np.maximum(at.top, at.first)
    end = np.minimum(at.last, np.minimum(at.bottom, at.edge) + SQUEEZED * np.maximum(under, 0))
    end = np.maximum(end, start + 1e-4)
    lack = np.maximum(at.bottom - end, 0)
    # With more room than the lender had, its lower teeth go down with the jaw and leave a gap under the upper ones; where the
    # lips are little apart the rows stay together.
    longer = np.minimum(lack, LONGER * np.maximum(end - at.edge, 0))
    gap = held * smoothstep(at.bottom - at.top, *ROWS_PART) * (lack - longer) * (under > 0)
    stretch = held * lack - gap + (1 - held) * np.minimum(lack, STRETCHED * np.maximum(under, 0))
    fall = np.maximum(end - at.bottom, 0) - stretch
    knee = np.maximum(np.minimum(at.edge, at.bottom) - at.top, 1e-3)
    below = at.y - at.edge
    # With less room, what lies just under the upper teeth is squeezed, and what lies on the lower lip keeps its height.
    squeezed = np.maximum(np.where(fall > 0, JAW_SHARE, 1.0) * under - gap, 1e-3)
    y = at.y + (start - at.top) * (1 - np.clip((at.y - at.top) / knee, 0, 1))
    y = y + fall * np.clip((below - gap) / squeezed, 0, 1) * (under > 0)
    y -= np.clip(below, 0, gap)
    between = smoothstep(below, 0.0, GAP_EDGE) * (1 - smoothstep(below, gap - GAP_EDGE, gap)) * smoothstep(gap, *GAPS)
    missing = smoothstep(np.minimum(y, at.bottom - gap + fall) - at.last, 0.0, MISSING)
    return _Fitted(np.clip(y, at.first, at.last), start, end, between, missing)


@dataclass(frozen=True)
class _Skull:
    """From this frame's plane to the lender's for what is fixed to the skull at the depth of the teeth."""

    turn: Array
    """2 x 2."""
    depth: Array
    """[2]: what a depth of 1 moves."""
    at: float
    """Depth of the teeth."""
    inverse: Array
    off: Array
    fall: float

    @classmethod
    def between(cls, pose: Pose, other: Pose, person: Subject, fall: float) -> "_Skull":
        """From `pose` to `other`. fall: S that the teeth lie lower there."""
        a, b = pose.projection[:, :2], pose.projection[:, 2]
        c, d = other.projection[:, :2], other.projection[:, 2]
        inverse = np.linalg.inv(a)
        turn = c @ inverse
        z = float(person.bite[2])
        return cls(turn, d - turn @ b, z, inverse, inverse @ (b * z), fall * float(other.projection[1, 1]))

    def _depth(self, x: Array, y: Array) -> Array:
        across = self.inverse[0, 0] * x + self.inverse[0, 1] * y - self.off[0]
        return np.asarray(self.at + DEPTH * (1 - np.sqrt(np.maximum(1 - (across / HALF_WIDTH) ** 2, 0.05))))

    def x(self, x: Array, y: Array) -> Array:
        """x there, of places here."""
        return np.asarray(self.turn[0, 0] * x + self.turn[0, 1] * y + self.depth[0] * self._depth(x, y))

    def y(self, x: Array, y: Array) -> Array:
        """y there, of places here."""
        return np.asarray(self.turn[1, 0] * x + self.turn[1, 1] * y + self.depth[1] * self._depth(x, y) + self.fall)

    def edge(self, other: Pose, person: Subject, shift: float) -> float:
        """The upper teeth's edge in the lender's plane."""
        return float(other.to_plane(person.bite + np.array([0.0, shift, 0.0]))[1])
