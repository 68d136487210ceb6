"""A half-clear mark that lies at one place of all pictures of a clip, as a watermark does, while the face moves under it.

It is white or black, in part. Taken off, it leaves the face that lies under it; laid back, it covers the new mouth as the old.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.area import Floats
from enhance.geometry.head import BadMouthError
from enhance.geometry.planes import LUMA_OF_WHITE, Colours, Plane, Planes
from enhance.masks import narrowed, widened
from enhance.picture import Mask

from .expected import JAW

LEAST_PICTURES = 8
"""Pictures from which what stays in the picture is told from what stays on the face."""
LOOK, FINE = 80.0, 200.0
"""Pixels of S at which a mark is looked for, and at which it is measured, at most."""
RIGID = [33, 133, 362, 263, 168, 6, 197, 195, 5, 4, 1, 2, 98, 327, 127, 234, 93, 323, 454, 356]
"""Points of the mesh that do not move with speech."""
WITHIN = 0.03
"""S within the outline of the face, in which is looked: what is behind it stays in the picture as well."""
EDGE, STEADY = 4.0, 1.5
"""Levels of luma a pixel from which a slope that stays is an edge, and how many times as large it is as it varies."""
FOUND = 0.08
"""S x S of such edges from which a mark is looked for: clips without one have .05 at most, but for cuts and dissolves (.09)."""
THERE, COVERED = 0.5, 0.25
"""How much of the edges each picture shows, at least: a caption that comes or goes is no mark of them all; and the share of the
edges that a picture's face covers, from which it is asked."""
FAINT, MOST = 0.06, 0.85
"""Share of white or black in a pixel, below which none is taken off, and the most that is."""
LEFT = 0.5
"""Of the steady edges, what is left at most once the mark is taken off. Else it was another thing."""
UNDER, BESIDE = 0.5, 0.05
"""Of a mark's strongest pixels, how strong one is that surely lies under it; and S round all of those that is beside it."""
SHOWS = 0.47
"""How much of the face's movement is seen under a mark that is taken off, of what is seen beside it, at least."""
LEAST_SHOWN = 0.4
"""What is seen beside it counts as so much at least, of 1: where the face hardly changes, noise would tell."""
NONE, WHOLE = 128, 127
"""MARK where there is no mark, and what is added to it for white (or subtracted for black) that hides all."""


def mark_of(luma: npt.NDArray[np.uint8], meshes: npt.NDArray[np.float32], colours: Colours) -> Plane:
    """MARK, h x w: above NONE how much white lies over each pixel, below it how much black; NONE everywhere without a mark.

    luma: n x h x w, one rectangle of some pictures. meshes: n x 478 x 3, in its pixels. Raises BadMouthError.
    """
    if luma.ndim != 3 or luma.dtype != np.uint8 or 0 in luma.shape or meshes.shape != (len(luma), 478, 3):
        raise BadMouthError(f"expected FRAMES uint8 [n, h, w] and MESHES [n, 478, 3], got {luma.shape} and {meshes.shape}")
    nothing = np.full(luma.shape[1:], NONE, np.uint8)
    scale = float(np.median(np.linalg.norm(meshes[:, 33] - meshes[:, 263], axis=1)))
    if len(luma) < LEAST_PICTURES or not np.isfinite(meshes).all() or scale < 8:
        return nothing
    looked = _Pictures.of(luma, meshes, scale, LOOK)
    edges = None if looked is None else looked.edges(smooth=True)
    if looked is None or edges is None or np.count_nonzero(edges.steady) < FOUND * looked.scale**2 or edges.least < THERE:
        return nothing
    pictures = _Pictures.of(luma, meshes, scale, FINE)
    share = None if pictures is None else pictures.mark(colours)
    if share is None:
        return nothing
    whole = cv2.resize(share, nothing.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.rint(NONE + WHOLE * whole), np.uint8)


def check_mark(mark: npt.NDArray[np.generic], planes: Planes) -> Plane:
    """A MARK over these planes. Raises BadMouthError for another type or size."""
    if mark.dtype != np.uint8 or mark.shape != planes.y.shape:
        raise BadMouthError(f"expected MARK uint8 {list(planes.y.shape)}, got {mark.dtype} {list(mark.shape)}")
    return np.asarray(mark, np.uint8)


def without_mark(planes: Planes, mark: Plane, colours: Colours) -> Planes:
    """The planes as they are under it."""
    share = _share(mark)
    half = _halved(np.abs(share), planes)
    return Planes(_off(planes.y, share, colours), *(_bare(p, half, np.float32(128)) for p in (planes.u, planes.v)))


def mark_laid_back(out: Planes, mark: Plane, planes: Planes, bare: Planes) -> None:
    """Lays it over what was rendered into `out` of `bare`, without_mark() the `planes`; what is unchanged gets their bytes."""
    whole = np.abs(_share(mark))
    half = _halved(whole, planes)
    for new, was, under, share in (
        (out.y, planes.y, bare.y, whole),
        (out.u, planes.u, bare.u, half),
        (out.v, planes.v, bare.v, half),
    ):
        changed = was + (1 - share) * np.subtract(new, under, dtype=np.float32)
        new[...] = np.where(share > 0, np.clip(np.rint(changed), 0, 255), new)


def _share(mark: Plane) -> Floats:
    """-MOST..MOST: of white, or of black below 0."""
    return np.asarray(np.clip((mark.astype(np.float32) - NONE) / WHOLE, -MOST, MOST), np.float32)


def _halved(share: Floats, planes: Planes) -> Floats:
    height, width = planes.u.shape
    return np.asarray(cv2.resize(share, (width, height), interpolation=cv2.INTER_AREA), np.float32)


def _off(luma: Plane, share: Floats, colours: Colours) -> Plane:
    return _bare(luma, np.abs(share), np.where(share > 0, _white(colours), np.float32(colours.black)).astype(np.float32))


def _bare(plane: Plane, share: Floats, over: Floats | np.float32) -> Plane:
    return np.asarray(np.clip(np.rint((plane - share * over) / (1 - share)), 0, 255), np.uint8)


def _white(colours: Colours) -> np.float32:
    return np.float32(255 if colours.full else colours.black + LUMA_OF_WHITE)


@dataclass(frozen=True)
class _Edges:
    slopes: Floats
    """h x w x 2: slopes of luma, across and down, that stay in the picture and are not the face's."""
    steady: Mask
    seen: Mask
    """Where the face is in half of the pictures at least."""
    least: float
    """How much of the steady slopes the picture has that has the least of them: 1 all, 0 none."""


@dataclass(frozen=True)
class _Pictures:
    luma: npt.NDArray[np.uint8]
    on_face: list[Floats]
    """Of each picture, 2 x 3: pixels of the first picture's face to those of its own."""
    faces: list[Mask]
    scale: float

    @classmethod
    def of(cls, luma: npt.NDArray[np.uint8], meshes: npt.NDArray[np.float32], scale: float, most: float) -> "_Pictures | None":
        """As large as they are, or smaller so that S is `most` pixels. None where a face cannot be placed on the first one."""
        zoom = min(1.0, most / scale)
        height, width = (max(8, round(side * zoom)) for side in luma.shape[1:])
        small = np.stack([cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA) for picture in luma])
        points = (meshes[..., :2] * zoom).astype(np.float32)
        on_face = [cv2.estimateAffinePartial2D(points[0, RIGID], at[RIGID], method=cv2.LMEDS)[0] for at in points]
        if any(way is None for way in on_face):
            return None
        faces = []
        for at in points:
            face = np.zeros((height, width), np.uint8)
            cv2.fillPoly(face, [np.rint(at[list(JAW)]).astype(np.int32)], (1,))
            faces.append(narrowed(face, max(1, round(WITHIN * scale * zoom))))
        return cls(small, [np.asarray(way, np.float32) for way in on_face], faces, scale * zoom)

    def edges(self, *, smooth: bool) -> _Edges:
        """smooth: slopes over three pixels, in which noise is less."""
        slopes = np.stack([_smooth_slopes(picture) if smooth else _slopes(picture) for picture in self.luma])
        # What stays on the face is the face's: it is taken away first, so that a still head's lines are none of a mark.
        rest = slopes - self._usual(slopes)
        rest[~np.stack(self.faces)] = np.nan
        seen = np.mean(self.faces, axis=0) >= 0.5
        stays, varies = np.zeros_like(slopes[0]), np.zeros_like(slopes[0])
        stays[seen] = _median(rest[:, seen])
        varies[seen] = _median(np.abs(rest[:, seen] - stays[seen]))
        size_of, off = np.linalg.norm(stays, axis=2), np.linalg.norm(varies, axis=2)
        steady = (size_of > EDGE) & (size_of > STEADY * off)
        return _Edges(stays, steady, seen, _least_of(stays[steady], rest[:, steady]))

    def mark(self, colours: Colours) -> Floats | None:
        """-MOST..MOST of each pixel; None where what was found cannot be taken off."""
        edges = self.edges(smooth=False)
        near = widened(edges.steady, 2)
        if not (edges.seen & ~near).any():
            return None
        over = _picture_of(np.where(near[..., None], edges.slopes, 0))
        over -= np.median(over[edges.seen & ~near])
        bare, white = np.median(self.luma - over, axis=0), _white(colours)
        room = np.where(over > 0, white - bare, bare - colours.black)
        share = np.where(widened(edges.seen, 1), over / np.maximum(room, 20), 0)
        share = np.asarray(np.clip(np.where(np.abs(share) < FAINT, 0, share), -MOST, MOST), np.float32)
        off = np.stack([_off(picture, share, colours) for picture in self.luma])
        left = _Pictures(off, self.on_face, self.faces, self.scale).edges(smooth=False).slopes
        if np.abs(left[near]).sum() >= LEFT * np.abs(edges.slopes[near]).sum():
            return None
        return share if self._shows(off, share, edges.seen) else None

    def _shows(self, off: npt.NDArray[np.uint8], share: Floats, seen: Mask) -> bool:
        """Whether what was taken off hid the face in part only: what lies under it moves as the face does beside it."""
        whole, face = np.abs(share), self._usual(off)
        clear = whole > UNDER * np.quantile(whole[whole > 0], 0.95)
        beside = widened(clear, 2 + round(BESIDE * self.scale)) & ~widened(clear, 2)
        return _going(off, face, clear & seen) >= SHOWS * max(_going(off, face, beside & seen), LEAST_SHOWN)

    def _usual(self, pictures: npt.NDArray[Any]) -> Floats:
        """What the pictures, or slopes, show of the face in their median, as it lies in each of them."""
        size, border = (self.luma.shape[2], self.luma.shape[1]), cv2.BORDER_REPLICATE
        back = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        pairs = zip(pictures, self.on_face, strict=True)
        on_first = [cv2.warpAffine(picture, way, size, flags=back, borderMode=border) for picture, way in pairs]
        usual = np.median(on_first, axis=0).astype(np.float32)
        return np.stack([cv2.warpAffine(usual, way, size, borderMode=border) for way in self.on_face])


def _least_of(slopes: Floats, pictures: Floats) -> float:
    """How much of the slopes the picture has that has the least of them; NaN: its face is not there."""
    power = np.where(np.isfinite(pictures), slopes**2, 0).sum(axis=(1, 2))
    has = np.nansum(pictures * slopes, axis=(1, 2)) / np.maximum(power, 1)
    return float(has[power > COVERED * (slopes**2).sum()].min(initial=1.0))


def _going(pictures: npt.NDArray[np.uint8], face: Floats, where: Mask) -> float:
    """How far their luma there changes with that of the face that moves through them: 1 as far, 0 not at all."""
    goes, does = (values - values.mean(axis=0) for values in (face[:, where], pictures[:, where].astype(np.float32)))
    return float((goes * does).sum() / max(1.0, float((goes**2).sum())))


def _median(values: Floats) -> Floats:
    """Over the first axis, of those that are not NaN: one at least. np.nanmedian() takes ten times as long."""
    ordered, last = np.sort(values, axis=0), np.count_nonzero(np.isfinite(values), axis=0)[None] - 1
    halves = [np.take_along_axis(ordered, at, axis=0)[0] for at in (last // 2, last - last // 2)]
    return np.asarray((halves[0] + halves[1]) / 2, np.float32)


def _smooth_slopes(luma: Plane) -> Floats:
    return np.stack([cv2.Sobel(luma, cv2.CV_32F, *axes, scale=1 / 8) for axes in ((1, 0), (0, 1))], axis=-1)


def _slopes(luma: Plane) -> Floats:
    """From each pixel to the next."""
    values, slopes = luma.astype(np.float32), np.zeros((*luma.shape, 2), np.float32)
    slopes[:, :-1, 0] = np.diff(values, axis=1)
    slopes[:-1, :, 1] = np.diff(values, axis=0)
    return slopes


def _picture_of(slopes: Floats) -> Floats:
    """The picture with these _slopes(), as nearly as there is one, and 0 on its border: Poisson's equation, by sines."""
    height, width = slopes.shape[:2]
    sums = np.zeros((height, width))
    sums[:, 1:-1] += np.diff(slopes[:, :-1, 0], axis=1)
    sums[1:-1] += np.diff(slopes[:-1, :, 1], axis=0)
    inner = sums[1:-1, 1:-1]
    rows, columns = (2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1)) - 2 for n in inner.shape)
    waves = _sines(inner) / (rows[:, None] + columns)
    picture = np.zeros((height, width))
    picture[1:-1, 1:-1] = _sines(waves) * 4 / ((inner.shape[0] + 1) * (inner.shape[1] + 1))
    return np.asarray(picture, np.float32)


def _sines(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sine transform (DST-I) of rows and columns."""
    for axis in (0, 1):
        length = values.shape[axis]
        ends = [(0, 0), (0, 0)]
        ends[axis] = (1, length + 1)
        values = -np.fft.rfft(np.pad(values, ends), axis=axis).imag.take(np.arange(1, length + 1), axis=axis)
    return np.asarray(values)
