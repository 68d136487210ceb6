"""One frame's mouth, made to show what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Area, Floats
from enhance.geometry.head import Array, BadMouthError, Pose, SidewaysError, pose_of, smoothstep
from enhance.geometry.planes import Colours, Plane, Planes, even, from_rgb, moved, paint
from enhance.render.cover.occlusion import cover_of
from enhance.render.cover.trust import look, means, trust, uncovered
from enhance.render.drawn.ink import SIZE as INK_SIZE
from enhance.render.drawn.ink import ink_of, pack_ink, unpack_ink
from enhance.render.drawn.redraw import redraw
from enhance.render.finish.grain import noise_of, sharpened, start_of, white_noise
from enhance.render.finish.sharpness import blur_of, detail
from enhance.render.finish.tone import Ring, retone
from enhance.render.inside.interior import hole_of, interior, known
from enhance.render.inside.lender import lender_from
from enhance.render.inside.lent import borrowed
from enhance.render.lips.field import LEAST, Field, displacement, seen_alone
from enhance.render.lips.outline import ALONG, SAMPLES, Lips, lips_of
from enhance.render.lips.shape import Asked, asked_of, blend, closeness, shape_of
from enhance.render.lips.skin import pull

from .quality import QUALITIES, Quality
from .subject import CHEEKS, light_on, pack, subject_of

TARGETS = 8
STYLES = ("photo", "flat")

PATCH_SPAN = 2.4
"""Width of the square patch in S."""
PATCH_DROP = 0.30
"""How far its centre lies below the middle of the mouth, in S."""

STILL_ABOVE, MOVING_BELOW = 0.10, 0.02  # S above and below the nose base between which the displacement sets in
BORDER = (0.12, 0.26)  # S from the patch's border in which it fades
LEAST_BLUR = 0.3  # pixels
NOTHING = 0.005  # trust below which the frame is left alone


@dataclass(frozen=True)
class Rendered:
    planes: Planes
    mask: Plane
    """0 where luma is unchanged; chroma is where all four of its pixels' luma is."""


def measure(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic]) -> Floats:
    """SUBJECT from one frame in which the face is seen well. Raises BadMouthError."""
    pose = pose_of(mesh)
    head = pose.to_head(mesh.astype(np.float64))
    values = pack(subject_of(planes, colours, head, pose))
    values[-INK_SIZE:] = pack_ink(ink_of(planes, colours, head, pose))
    return values


def render(
    planes: Planes,
    colours: Colours,
    mesh: npt.NDArray[np.generic],
    *,
    target: npt.NDArray[np.generic],
    subject: npt.NDArray[np.generic],
    style: int,
    quality: Quality = QUALITIES["fast"],
    lenders: Sequence[tuple[npt.NDArray[np.uint8], float]] = (),
) -> Rendered:
    """The patch with the mouth moved to `target`, a row of TARGETS.

    mesh: 478 x 3 in the patch's pixels. subject: from measure(). style: index into STYLES.
    quality: what is spent on it. lenders: LENDERs and how much of the mouth's inside each lends, 0..1.
    Raises BadMouthError.
    """
    if style not in range(len(STYLES)):
        raise BadMouthError(f"expected STYLE 0 (photo) or 1 (flat drawing), got {style}")
    if target.shape != (TARGETS,) or not np.isfinite(target.astype(np.float64)).all():
        raise BadMouthError(f"expected TARGET [{TARGETS}] of finite numbers, got {target.tolist()}")
    flat = STYLES[style] == "flat"
    person, rows = known(np.ascontiguousarray(subject, np.float32).tobytes(), flat)
    try:
        pose = pose_of(mesh)
    except SidewaysError:
        return _untouched(planes)
    head = pose.to_head(mesh.astype(np.float64))
    ink = unpack_ink(subject[-INK_SIZE:]) if flat else None
    if ink is not None:
        return Rendered(*redraw(planes, colours, head, pose, shape_of(target.astype(np.float64), person.rest), ink))
    source, own, shown = planes, lips_of(head, pose, planes), 1.0
    cover = cover_of(planes, head, pose, own, person.face) if quality.occlusion and not flat else None
    if cover is not None:
        shown = max(cover.finger, uncovered(look(source, head, pose, own), person.look)) * (1 - cover.hidden)
        planes = cover.taken_off(source)
        own = lips_of(head, pose, planes)
    belief = trust(planes, head, pose, own, person.look) * shown
    if belief < NOTHING:
        return _untouched(source)
    shape = shape_of(target.astype(np.float64), person.rest)
    asked = blend(own, asked_of(shape, person.rest, own), belief)

    out, mask = _warp(planes, head, pose, own, asked, quality)
    ring = Ring.of(pose, (asked.upper_inner, asked.upper_outer), (asked.lower_inner, asked.lower_outer), planes.area)
    _mark(mask, ring.area, retone(out, head, ring, person.lip_tone, belief))
    light = light_on(planes, colours, pose, head, person.skin)
    hole = hole_of(asked, pose, planes.area)
    if hole is not None:
        colour = interior(hole, shape, asked, pose, person, rows, flat) * light
        yuv = from_rgb(colour, colours)
        if not flat and not quality.grain:
            yuv[..., 0] += _grain(planes, pose, head, hole.area) * np.clip(yuv[..., 0] / 128, 0.2, 1)
        if lenders and not flat:
            cheeks = means(planes, pose, [head[list(CHEEKS)]])[0]
            given = [(lender_from(values.tobytes(), quality.lender), share) for values, share in lenders]
            yuv = borrowed(yuv, given, hole, asked, pose, person, cheeks, colours, aligned=quality.aligned)
        opacity = hole.opacity * np.float32(belief)
        blur = blur_of(detail(planes, head, pose), person.detail) * pose.scale
        if blur > LEAST_BLUR:
            yuv, opacity = (np.asarray(cv2.GaussianBlur(v, (0, 0), blur), np.float32) for v in (yuv, opacity))
        if quality.grain and not flat:
            yuv[..., 0] += noise_of(planes.y).missing(yuv[..., 0], hole.opacity, hole.area)
        paint(out, yuv, opacity, hole.area)
        _mark(mask, hole.area, opacity)
    _crease(out, mask, colours, pose, own, asked, person.lip * light, belief)
    if cover is not None:
        cover.laid_back(out, mask, source)
    return Rendered(out, mask)


def _untouched(planes: Planes) -> Rendered:
    return Rendered(planes, np.zeros(planes.y.shape, np.uint8))


def _warp(planes: Planes, head: Array, pose: Pose, own: Lips, asked: Asked, quality: Quality) -> tuple[Planes, Plane]:
    field = Field(pull(head, own, asked, pose))
    nose = float(pose.to_plane(head[2])[1])
    line = pose.to_plane((asked.upper_inner + asked.lower_inner) / 2)
    window = _Window(planes.area, pose, head, nose)
    by, area = displacement(field, pose, line, window, window.reach)
    mask = np.zeros(planes.y.shape, np.uint8)
    if not area.width or not area.height:
        return planes.copy(), mask
    grown = even(area, planes.area)
    if grown != area:
        by = np.pad(by, ((area.y - grown.y, grown.bottom - area.bottom), (area.x - grown.x, grown.right - area.right), (0, 0)))
    if quality.fine_mask:
        by = seen_alone(by, pose.scale)
    across, down = cv2.split(by)
    length = np.maximum(np.abs(across), np.abs(down))
    changed = np.asarray(length > LEAST)
    # 255 from half a pixel on; below, a little for a little.
    mask[grown.slices] = cv2.convertScaleAbs(length, alpha=510) * changed
    out = moved(planes, by, grown, changed)
    if quality.grain:
        sharpened(out.y, planes.y, by, grown, changed)
    return out, mask


class _Window:
    """Lets a displacement through below the nose and away from the patch's border, unless the picture ends there too."""

    def __init__(self, area: Area, pose: Pose, head: Array, nose: float) -> None:
        self.pose, self.nose = pose, nose
        half = PATCH_SPAN / 2 * pose.scale
        x, y = pose.to_pixels(pose.to_plane((head[61] + head[291]) / 2))
        expected = np.array([x - half, y + PATCH_DROP * pose.scale - half, x + half, y + PATCH_DROP * pose.scale + half])
        edges = np.array([area.x, area.y, area.right, area.bottom], float)
        # A border nearer than the patch's should be is the picture's own.
        cut = np.array([1, 1, -1, -1]) * (edges - expected) / pose.scale
        self.edges = edges
        self.fade = 1 - np.clip((cut - 0.03) / 0.09, 0, 1)
        corners = pose.to_pixels(np.array([[-1.5, nose - STILL_ABOVE], [1.5, nose - STILL_ABOVE]]))
        top = int(np.clip(np.floor(corners[:, 1].min()), 0, area.bottom))
        self.reach = Area(area.x, top & ~1, area.right, area.bottom)

    def __call__(self, pixels: Floats) -> Floats:
        plane = self.pose.from_pixels(pixels.reshape(-1, 2).astype(np.float64)).reshape(pixels.shape)
        share = smoothstep(plane[..., 1], self.nose - STILL_ABOVE, self.nose + MOVING_BELOW)
        low, high = (b * self.pose.scale for b in BORDER)
        x, y = pixels[..., 0], pixels[..., 1]
        for distance, fade in zip(
            (x - self.edges[0], y - self.edges[1], self.edges[2] - 1 - x, self.edges[3] - 1 - y), self.fade, strict=True
        ):
            if fade:
                share = share * (1 - fade * (1 - smoothstep(distance, low, high)))
        return np.asarray(share, np.float32)


def _crease(out: Planes, mask: Plane, colours: Colours, pose: Pose, own: Lips, asked: Asked, lip: Array, belief: float) -> None:
    """Draws the line between lips that were apart and now touch."""
    gap = float((asked.lower_inner - asked.upper_inner)[:, 1].max())
    opacity = 0.85 * (1 - own.closed) * closeness(gap, own.gap) * belief
    if opacity < 0.01:
        return
    middle = (asked.upper_inner + asked.lower_inner) / 2
    half = np.zeros((SAMPLES, 3))
    half[:, 1] = 0.0065 * (1 - 0.7 * ALONG**2)
    line = Asked(middle - half, middle + half, middle, middle, 0.0, 0.0)
    hole = hole_of(line, pose, out.area)
    if hole is None:
        return
    colour = np.broadcast_to((0.5 * lip).astype(np.float32), (*hole.opacity.shape, 3))
    weight = np.clip(1.15 * hole.opacity, 0, 1) * np.float32(opacity)
    paint(out, from_rgb(colour, colours), weight, hole.area)
    _mark(mask, hole.area, weight)


def _mark(mask: Plane, area: Area, opacity: Floats) -> None:
    part = mask[area.slices]
    np.maximum(part, np.ceil(np.clip(opacity, 0, 1) * 255).astype(np.uint8), out=part)


def _grain(planes: Planes, pose: Pose, head: Array, area: Area) -> Floats:
    """Noise for the area's luma, as strong as the calmer cheek's, of which nothing else is taken: a wrinkle would show."""
    reach = max(3, int(0.11 * pose.scale))
    found = []
    for point in (50, 280):
        x, y = np.clip(pose.to_pixels(pose.to_plane(head[point])), 0, [planes.y.shape[1] - 1, planes.y.shape[0] - 1]).astype(
            int
        )
        found.append(noise_of(planes.y[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]).levels[:, 0].max())
    return np.float32(min(found)) * white_noise(area, start_of(planes.y))[0]
