"""One frame's mouth, made to show what is asked for."""

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import Array, BadMouthError, SidewaysError
from enhance.geometry.planes import Colours, Plane, Planes, from_rgb, paint
from enhance.picture import LUMA, Mask
from enhance.plan.measures import AS_WIDE
from enhance.portrait.edges import Edges
from enhance.style import Style

from .cover.bare import skin_seen
from .cover.captions import Captions, captions_over
from .cover.expected import glance
from .cover.fingers import lips_left
from .cover.occlusion import Cover, cover_of
from .cover.trust import Tells, cheeks_of, look, strangeness, trust, uncovered
from .drawn.lips import on_drawn_lips
from .drawn.redraw import redraw
from .drawn.shut_lips import shut_lips
from .finish.grain import Noise, noise_of
from .finish.lip_edge import light_edge
from .finish.opened_lips import opened
from .finish.sharpness import blur_of, detail
from .finish.single_tint import follow_luma
from .finish.soften import soften
from .finish.tone import Ring, Tone, retone
from .inside.crease import draw_crease, light_corners
from .inside.flat import FEATHER as FLAT_FEATHER
from .inside.flat import flat_interior
from .inside.interior import (
    EVEN,
    FEATHER,
    SLIT,
    Hole,
    beside_of,
    certain,
    hole_of,
    in_slit,
    interior,
    met_lips,
    rows_of,
    slit_of,
    unpack_subject,
)
from .inside.merged import MERGED_ROW, Inside, Merged, Receiver, inside_from, merged_from, show
from .inside.own_row import own_row
from .light import light_on, not_cut_off, of_one_tint, sides_of
from .lips.colours import light_across
from .lips.outline import Lips, lips_of, mouth_width
from .lips.shape import UNCHANGED_FULLNESS, Asked, Shape, asked_of, blend, laugh_of, shape_of
from .mask import mark
from .patch import Patch, patch_of
from .quality import QUALITIES, Quality
from .subject import Subject
from .veil import Veil, veil_over
from .warp import warp

TARGETS = 10
"""Numbers of a mouth's shape: lips.shape.Shape."""
TARGET_WIDTH, TARGET_HEIGHTS = 1, [0, 3, 4, 8]
"""Which of them is its width, and which are up and down: opening, upper lip, corners and jaw."""
LEAST_BLUR = 0.3
"""Sigma in pixels below which what is drawn is not blurred."""
NARROW = 0.33
"""S of drawn lips at rest, from which narrower ones open less: .38 and more but for rosebuds (docs/decisions/0286)."""
NOTHING = 0.005
"""Trust in the frame's mouth below which the frame is left alone."""
SHOWS_TEETH = 0.015
"""S between the lips from which it is seen where the teeth lie."""
DOUBT, THING, THINNED = 0.3, 6.5, 0.92
"""Strangeness of a mouth (cover/trust.py) and of what lies round it (cover/expected.py: 6.0 on bare faces, 7 to 16 beside a
microphone) from which every quality looks for what may lie before it, and share that is left of its lips' contrast
(cover/fingers.py) up to which it looks for a finger or a hand: they have the colour of the face."""


@dataclass(frozen=True)
class MouthRequest:
    """What the mouth is to show.

    target: [TARGETS], a row of mouth_plan's TARGETS. subject: from measure(). quality: what is spent on the frame.
    inside: an INSIDE (inside/merged.py); without one the inside of the mouth is drawn. edges: of a portrait.
    """

    target: npt.NDArray[np.generic]
    subject: npt.NDArray[np.generic]
    style: Style = "photo"
    quality: Quality = QUALITIES["fast"]
    inside: npt.NDArray[np.uint8] | None = None
    edges: Edges | None = None


@dataclass(frozen=True)
class Rendered:
    """A patch with its mouth in another shape."""

    planes: Planes
    mask: Plane
    """0 where luma is unchanged; chroma is where all four of its pixels' luma is."""


@dataclass(frozen=True)
class Sight:
    """What a frame shows of its face: the same whatever mouth is asked for. planes: the patch as it came."""

    planes: Planes
    person: Subject
    patch: Patch | None = None
    """Without the veil; None where no mouth can be made out."""
    face: "_Face | None" = None
    """None where the mouth is drawn anew, by its ink."""
    written: Captions | None = None
    veil: Veil | None = None
    repainted: Mask | None = None
    """Where the frame's own mouth was replaced by the subject's closed lips."""


def render(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic], request: MouthRequest) -> Rendered:
    """The patch with the mouth as requested; as it is, with an empty mask, where no mouth can be made out.

    mesh: 478 x 3 in the patch's pixels. Raises ValueError.
    """
    check_target(request.target)
    return with_mouth(see(planes, colours, mesh, request), request)


def check_target(target: npt.NDArray[np.generic]) -> None:
    """Raises BadMouthError unless `target` is [TARGETS] of finite numbers."""
    if target.shape != (TARGETS,) or not np.isfinite(np.asarray(target, np.float64)).all():
        raise BadMouthError(f"expected TARGET [{TARGETS}] of finite numbers, got {target.tolist()}")


def see(planes: Planes, colours: Colours, mesh: npt.NDArray[np.generic], request: MouthRequest) -> Sight:
    """What the patch shows, for with_mouth(). mesh: as in render(). request: its `target` and `inside` do not matter.

    Raises ValueError.
    """
    person = unpack_subject(_bytes_of(request))
    try:
        patch = patch_of(planes, colours, mesh)
    except SidewaysError:
        return Sight(planes, person)
    if request.style == "flat":
        return _see_drawing(patch, person, request)
    veil = veil_over(patch, person)
    if veil is not None:
        patch = replace(patch, planes=veil.taken_off(planes))
    written = captions_over(patch.planes, patch.head, patch.pose)
    if written is None:
        return Sight(planes, person, patch, _face_of(patch, person, request), veil=veil)
    if written.hides_mouth:
        return Sight(planes, person)
    bare = replace(patch, planes=written.taken_off(patch.planes))
    return Sight(planes, person, patch, _face_of(bare, person, request), written, veil)


def _see_drawing(patch: Patch, person: Subject, request: MouthRequest) -> Sight:
    if person.ink is not None:
        return Sight(patch.planes, person, patch)
    # A portrait (it has edges) shows the subject's own drawing.
    shut = shut_lips(patch, person.rest, person.paint) if person.paint and request.edges is None else None
    if shut is not None:
        return Sight(patch.planes, person, patch, _face_of(shut[0], person, request), repainted=shut[1])
    return Sight(patch.planes, person, patch, _face_of(on_drawn_lips(patch) or patch, person, request))


def with_mouth(sight: Sight, request: MouthRequest) -> Rendered:
    """The patch with the mouth as requested. sight: see() of it, by a request of the same subject, style and quality."""
    patch, person, face, planes = sight.patch, sight.person, sight.face, sight.planes
    if patch is not None and face is None and person.ink is not None:
        shape = shape_of(np.asarray(request.target, np.float64), person.rest)
        return Rendered(*redraw(planes, patch.colours, patch.head, patch.pose, shape, person.ink))
    if patch is None or face is None:
        return _untouched(planes)
    if request.style == "flat":
        request = _as_small(request, person.rest.width)
    if sight.repainted is not None and person.paint is not None:
        request = _as_wide(request, person.paint.wide, person.rest.width)
    elif face.source.head is not patch.head:
        request = _as_wide(request, mouth_width(patch.head), mouth_width(face.source.head))
    out = _with_lips(face, person, request)
    if sight.repainted is not None:
        if face.belief < NOTHING:
            return _untouched(planes)
        out.mask[sight.repainted] = 255
    if sight.written is not None:
        sight.written.laid_back(out.planes, out.mask, patch.planes, face.source.planes)
    if sight.veil is not None:
        sight.veil.laid_back(out.planes, planes)
    return out


def _as_wide(request: MouthRequest, of_mesh: float, of_drawing: float) -> MouthRequest:
    """The request for lips that are drawn wider or narrower than the mesh has them, by which widths are asked for."""
    target = np.array(request.target, np.float64)
    target[TARGET_WIDTH] *= of_drawing / max(of_mesh, 1e-6)
    return replace(request, target=target)


def _as_small(request: MouthRequest, width: float) -> MouthRequest:
    """The request for drawn lips `width` S wide at rest: narrow ones open less, as a mouth of ink does."""
    target = np.array(request.target, np.float64)
    target[TARGET_HEIGHTS] *= min(1.0, width / NARROW)
    return replace(request, target=target)


@dataclass(frozen=True)
class _Face:
    """source: the patch with its own lips. patch: the same without what covers the mouth, `cover`. own: its lips.

    belief: 0..1, how far the frame's mouth is replaced. cheeks: [3], Y, U, V, as they would be without an end of light
    at white. cut_off: [3], how much of that is not seen. light: [3], R, G, B against the reference's.
    lip_tone: the subject's, in that light.
    """

    source: Patch
    patch: Patch
    own: Lips
    cover: Cover | None
    belief: float
    cheeks: Array
    cut_off: Array
    light: Array
    lip_tone: Tone

    @cached_property
    def detail(self) -> Array:
        """How sharp the face is (finish/sharpness.py)."""
        return detail(self.patch.planes, self.patch.head, self.patch.pose)

    @cached_property
    def noise(self) -> Noise:
        """The noise of all of the patch."""
        return noise_of(self.patch.planes.y)


def _face_of(source: Patch, person: Subject, request: MouthRequest) -> _Face:
    quality, patch = request.quality, source
    pose, head = source.pose, source.head
    own, shown = lips_of(head, pose, source.planes), 1.0
    cover, seen, cheeks = None, look(source.planes, head, pose, own), cheeks_of(source.planes, head, pose)
    tone = person.lips_under(not_cut_off(cheeks, source.colours, person.skin), source.colours)
    person = person.under(cheeks, source.colours)
    tells = Tells.of(cheeks, person.face)
    if request.style == "photo" and (quality.occlusion or _doubtful(source, own, seen, person)):
        cover = cover_of(source.planes, head, pose, own, person.face)
    if cover is not None:
        shown = max(cover.finger, uncovered(seen, person.look, tells)) * (1 - cover.hidden)
        patch = Patch(cover.taken_off(source.planes), source.colours, pose, head)
        own = lips_of(head, pose, patch.planes)
        seen, cheeks = look(patch.planes, head, pose, own), cheeks_of(patch.planes, head, pose)
    belief = trust(patch.planes, head, pose, own, seen, person.look, tells) * shown
    lit = not_cut_off(cheeks, patch.colours, person.skin)
    return _Face(source, patch, own, cover, belief, lit, lit - cheeks, light_on(lit, patch.colours, person.skin), tone)


def _with_lips(face: _Face, person: Subject, request: MouthRequest) -> Rendered:
    """The patch with its own lips moved, recoloured and filled."""
    source, patch, own, belief = face.source, face.patch, face.own, face.belief
    if belief < NOTHING:
        return _untouched(source.planes)
    pose, head = patch.pose, patch.head
    shape = shape_of(np.asarray(request.target, np.float64), person.rest)
    inside = _inside_of(request)
    merged = inside if isinstance(inside, Merged) else None
    full = inside.fullness if inside else UNCHANGED_FULLNESS
    asked = blend(own, asked_of(shape, person.rest, own, full), belief)
    mouth = _Mouth(person, face, shape, asked, merged)

    out, mask = warp(patch, own, asked, request.quality, request.style, request.edges)
    upper, lower = (asked.upper_inner, asked.upper_outer), (asked.lower_inner, asked.lower_outer)
    sides = lip_sides = EVEN
    if request.style == "photo":
        ring = Ring.of(pose, upper, lower, patch.planes.area)
        tone = opened(face.lip_tone, inside.lips, asked.gap) if inside else face.lip_tone
        light = light_across(patch.planes, head, pose) + face.cut_off
        sides = sides_of(light, patch.colours)
        # Lips have shade of their own at their corners: half of it is also that of what is seen between them.
        lip_sides = np.sqrt(sides * tone.sides_under(light, patch.colours))
        mark(mask, ring.area, retone(out, light, ring, tone, belief, patch.colours.black))
        light_edge(out, mask, pose, (own, asked), belief, patch.colours.black)
    lips = own, asked
    # Where lips are painted lighter than the skin, the skin beside them is no shade.
    corners = min(person.lip, person.skin, key=lambda colour: float(LUMA @ colour)) * face.light * sides
    light_corners(out, mask, patch, lips, corners, belief, laugh_of(person.rest, own))
    hole = hole_of(asked, pose, patch.planes.area, FEATHER if request.style == "photo" else FLAT_FEATHER)
    if hole is not None:
        _fill(out, mask, hole, mouth, request, lip_sides)
    middle = met_lips(person.skin, person.lip) * face.light
    draw_crease(out, mask, patch, lips, np.stack([corners[0], middle, corners[1]]), belief)
    if request.style == "photo" and person.softness * pose.scale > LEAST_BLUR:
        soften(out, mask, pose, (asked.upper_inner, asked.lower_inner), person.softness, face.noise, belief)
    if request.style == "photo" and of_one_tint(person.skin, person.lip):
        follow_luma(out, mask, source.planes)
    if face.cover is not None:
        face.cover.laid_back(out, mask, source.planes, patch.planes)
    return Rendered(out, mask)


def _inside_of(request: MouthRequest) -> Inside | None:
    """What the clip shows of the mouth: of its lips at least, a Merged where it shows their inside; None: nothing is known."""
    if request.style != "photo" or request.inside is None:
        return None
    inside = request.inside.tobytes(), request.quality.density
    return merged_from(*inside) or inside_from(*inside)


def _bytes_of(request: MouthRequest) -> bytes:
    return np.ascontiguousarray(request.subject, np.float32).tobytes()


def _doubtful(patch: Patch, own: Lips, seen: Array, person: Subject) -> bool:
    """Whether something may lie before the mouth. seen: look() of it."""
    if strangeness(seen, person.look) > DOUBT or glance(patch.planes, patch.head, patch.pose, person.face) > THING:
        return True
    before = patch.planes, patch.head, patch.pose, own
    left = lips_left(*before, person.lip_tone.relative, patch.colours.black)
    return left < THINNED and skin_seen(*before, person.face)


def _untouched(planes: Planes) -> Rendered:
    # A copy: what was taken off before may be laid back into it.
    return Rendered(planes.copy(), np.zeros(planes.y.shape, np.uint8))


@dataclass(frozen=True)
class _Mouth:
    """A mouth on its way from a face's own lips to the `asked` ones. merged: its inside, None where the clip shows none."""

    person: Subject
    face: _Face
    shape: Shape
    asked: Asked
    merged: Merged | None


def _fill(out: Planes, mask: Plane, hole: Hole, mouth: _Mouth, request: MouthRequest, lip_sides: Array) -> None:
    """Paints what the open mouth shows into `out` and marks it in `mask`. lip_sides: `sides` of in_slit()."""
    quality, person, face, patch = request.quality, mouth.person, mouth.face, mouth.face.patch
    photo = request.style == "photo"
    yuv = _inside(hole, mouth, request)
    if photo:
        asked, merged = mouth.asked, mouth.merged
        beside = beside_of(hole, asked, person.rest.width)
        lit = merged.beside if merged else 1.0
        wide = certain(merged.narrowing.wide(asked.width / AS_WIDE), patch.pose.scale) if merged else 1.0
        shade = in_slit(hole, beside, person.skin * face.light, person.lip * face.light, patch.colours, lit, wide, lip_sides)
        end = merged.slit_end if merged else SLIT[1]
        yuv = slit_of(hole, asked.gap, beside, wide, end).over(yuv, shade)
    opacity = hole.opacity * np.float32(face.belief)
    blur = blur_of(face.detail, person.detail) * patch.pose.scale
    if blur > LEAST_BLUR:
        yuv, opacity = (np.asarray(cv2.GaussianBlur(v, (0, 0), blur), np.float32) for v in (yuv, opacity))
    if photo and (quality.grain or not mouth.merged):
        yuv[..., 0] += face.noise.missing(yuv[..., 0], hole.opacity, hole.area)
    paint(out, yuv, opacity, hole.area)
    mark(mask, hole.area, opacity)


def _inside(hole: Hole, mouth: _Mouth, request: MouthRequest) -> Floats:
    """Y, U, V of the hole's area, h x w x 3: the subject's own where it is known, drawn where not."""
    person, face, patch = mouth.person, mouth.face, mouth.face.patch
    photo, merged = request.style == "photo", mouth.merged
    if merged:
        asked, row = mouth.asked, MERGED_ROW
        if asked.gap > SHOWS_TEETH:
            row = own_row(merged, patch, face.own, face.cheeks, asked)
        return show(merged, Receiver(hole, asked, patch.pose, face.cheeks, patch.colours), row)
    drawn = hole, mouth.shape, mouth.asked, patch.pose, person
    colour = interior(*drawn, rows_of(_bytes_of(request))) if photo else flat_interior(*drawn)
    return from_rgb(colour * face.light, patch.colours)
