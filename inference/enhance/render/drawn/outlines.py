"""Whether a face is drawn in outline, whatever is painted inside the lines: shades, watercolour, the grain of paper.

Such a face is not flat (style.py), and still its mouth is ink: what is drawn with lines is moved as lines are.
"""

import cv2
import numpy as np

from enhance.geometry.area import Floats
from enhance.geometry.head import Array
from enhance.geometry.landmarks import NOSE_BASE, OUTER_RING
from enhance.render.cover.expected import JAW as EAR_TO_EAR
from enhance.render.mask import within
from enhance.render.patch import Patch
from enhance.style import skin_roughness

from .found import find
from .looks import goes_on, has_lips, inked_round, lower_sharpness, roughness, sharpness, shows_lit_lips
from .mouth import STROKE, Drawn, is_there, raster

SHARPEST, LIPS = 0.8, 1.2
"""Samples: sigma of a mouth's edges that is a pen's; and of painted lips, which have no line. Photographs have .89 and more,
small or sharpened ones .5 and more."""
PAINTED = 1.3
"""Roughness of painted skin, at most: grey levels."""
STEPPED = 1.1
"""Roughness of skin, in grey levels, from which a face in few colours is a posterised photograph: seven of eight had 1.3 to
4.5, drawings shaded like 3D animation up to 0.96 after dithering to 64 colours or JPEG of quality 20."""
WHOLE_STEP = 0.4
"""Samples: sigma of an edge that goes from skin to the dark of a mouth within one sample."""
LOWER_EDGE = 0.95
"""Samples: sigma of the lower edge of a mouth with a line round it, where only some of the jaw has one, at most. Drawings have
.48 to .92, a shaded illustration with lips, made small or sharpened, .96 to 2.3 in 60 of 67 frames."""
JAW = EAR_TO_EAR[3:-3]
"""Points of the mesh along the jaw, without those beside the ears."""
BESIDE = 0.12
"""S beside the jaw of the mesh in which a line may lie that is the jaw's."""
LINE, DARKER = 0.06, 0.2
"""S across a line at most, and how much darker it is than what lies on both sides, of the light of the face."""
JAW_LINE, ALL_JAW = 1 / 3, 0.8
"""Share of the jaw that is a line: hair beside a photographed one is up to .6; from the second on no mouth is asked for, nor a
sharp one on smooth skin: photographs smoothed, sharpened and filtered to look drawn have up to .57 beside such skin."""
ALL_ROUND = 0.85
"""Share of the mouth's rim that is a line where no jaw is drawn, of the upper and of the lower one at least."""
LARGE = 100.0
"""Pixels per S at which a mouth alone tells: smaller photographs have edges as sharp."""
LIT = 150.0
"""Luma of the lightest tenth round a mouth, below which skin is as much rougher than it looks as that is darker: photographs
in the dark need 141, dark drawings with noise 159 at most. A median would be that of a beard (docs/decisions/0304)."""
SMOOTH = 0.8
"""Roughness of skin, at most, on which a mouth without a line or a soft one is a drawing's: sharpened photographs have more."""
BARE_RIM, BARE_SKIN = (0.02, 0.055), (0.12, 0.18)
"""S from an open mouth where its lips would be, and where there is skin."""
NEAREST = 3.0
"""Samples from the mouth that are its edge."""
NO_REDDER, NO_DARKER = 3.0, 0.15
"""V codes and share of luma by which the first differs from the second, at most, where there are no lips."""
LINE_EDGE = 0.012
"""S: sigma of the edges of a closed mouth that is a line, at most: soft lines of drawings have .003 to .010; pale thin lips of
one photographed man, in which the dark is as low as a line, .013 to .019."""
AT_LINE = 2.0, 0.08
"""NO_REDDER and NO_DARKER beside such a line: drawings have 1.5 and .05, that man 2.5 to 7 and .05 to .14."""


def in_outline(patch: Patch) -> bool:
    """Whether the face is drawn with lines: they are its jaw's and go round its mouth, as sharp as a pen draws them.

    Or with an open mouth that has neither a line nor lips, as sharp as that; or a closed one that is a line without lips.
    """
    drawn = find(patch.planes, patch.head, patch.pose)
    return drawn is not None and is_outlined(drawn, patch)


def is_posterised(patch: Patch) -> bool:
    """Whether a face in few colours (style.py: flat) is a photograph that was reduced to them.

    The shades of its skin end in steps, and its mouth is neither drawn with lines nor as sharp as a drawing of areas.
    """
    drawn = find(patch.planes, patch.head, patch.pose, white=True)
    if drawn is None:
        mouth = within(patch.planes.y.shape, patch.pose, patch.head[list(OUTER_RING)])
        return skin_roughness(patch.planes.y.astype(np.float32), mouth, patch.pose.scale) > STEPPED
    rough = skin_roughness(drawn.luma, drawn.whole, drawn.finer)  # of skin at hair, too: there a photograph has most steps
    return rough > STEPPED and sharpness(drawn) > WHOLE_STEP and not is_outlined(drawn, patch)


def has_lines(patch: Patch) -> bool:
    """Whether a smooth face was drawn with lines: it is in outline, or its mouth is a line without lips, however soft."""
    drawn = find(patch.planes, patch.head, patch.pose, white=True, no_darker=True)
    if drawn is None:
        return False
    is_line = drawn.open < STROKE and not has_lips(drawn) and not goes_on(drawn)
    return is_line or is_outlined(drawn, patch)


def is_outlined(drawn: Drawn, patch: Patch) -> bool:
    """The same of the mouth that was found in the patch."""
    return _roughness(drawn) <= PAINTED and (_is_bare_line(drawn, patch) or _has_sharp_lines(drawn, patch))


def _roughness(drawn: Drawn) -> float:
    """Of the skin round the mouth, as it would be in light: in the dark that of a photograph looks as smooth as a drawing's."""
    return roughness(drawn) * max(1.0, LIT / max(float(np.percentile(drawn.luma, 90)), 1.0))


def _has_sharp_lines(drawn: Drawn, patch: Patch) -> bool:
    if sharpness(drawn) > LIPS and _roughness(drawn) > SMOOTH:
        return False
    jaw = _jaw_line(patch)
    if jaw > ALL_JAW:
        return True
    if sharpness(drawn) > SHARPEST or not is_there(drawn, patch.head, patch.pose):
        return False
    if jaw > JAW_LINE:
        return inked_round(drawn) and lower_sharpness(drawn) < LOWER_EDGE
    return patch.pose.scale > LARGE and (inked_round(drawn, ALL_ROUND, ALL_ROUND) or _is_bare(drawn, patch))


def _is_bare_line(drawn: Drawn, patch: Patch) -> bool:
    """Whether a closed mouth is a line without lips, however soft: in most photographs what is dark of a mouth is higher."""
    is_line = drawn.open < STROKE and patch.pose.scale > LARGE and is_there(drawn, patch.head, patch.pose)
    is_line = is_line and sharpness(drawn) < LINE_EDGE * drawn.finer and not has_lips(drawn)
    return is_line and _borders_on_skin(drawn, patch, AT_LINE)


def _is_bare(drawn: Drawn, patch: Patch) -> bool:
    """Whether an open mouth has no lips, as in 3D animation."""
    if _roughness(drawn) > SMOOTH or has_lips(drawn):
        return False
    mouth = find(patch.planes, patch.head, patch.pose, shaded=True)
    if mouth is None or mouth.open < STROKE or shows_lit_lips(mouth, patch.planes, patch.pose):
        return False
    return _borders_on_skin(mouth, patch, (NO_REDDER, NO_DARKER))


def _borders_on_skin(mouth: Drawn, patch: Patch, limits: tuple[float, float]) -> bool:
    """Whether skin goes on to both edges of the mouth: there are no lips between. limits: as NO_REDDER and NO_DARKER."""
    redder, darker = limits
    luma = mouth.luma
    redness = raster(patch.planes.v, 2, patch.pose, mouth.origin, mouth.finer, (luma.shape[1], luma.shape[0]))
    for edge, outwards in ((mouth.top, -1), (mouth.bottom, 1)):
        rim, skin = (
            np.array([_beside(plane, mouth, edge, outwards, part) for plane in (luma, redness)])
            for part in (BARE_RIM, BARE_SKIN)
        )
        if (np.abs(rim - skin) > [darker * skin[0], redder]).any():
            return False
    return True


def _beside(plane: Floats, mouth: Drawn, edge: Array, outwards: int, part: tuple[float, float]) -> float:
    """The median of a plane beside the middle of the mouth's edge. part: from where to where, in S."""
    near, far = (max(round(reach * mouth.finer), NEAREST) for reach in part)
    count = len(edge)
    places = [
        (row, mouth.columns.start + i)
        for i in range(count // 5, count - count // 5)
        for row in (int(edge[i]) + outwards * np.arange(near, far + 1)).astype(int)
    ]
    rows, columns = np.array(places).T
    return float(np.median(plane[np.clip(rows, 0, len(plane) - 1), columns]))


def _jaw_line(patch: Patch) -> float:
    """Share of the jaw beside which a dark line runs; 0 where the picture has less than half of the jaw."""
    pose, plane = patch.pose, patch.planes.y
    points = pose.to_plane(patch.head[list(JAW)])
    along = np.linspace(0, len(JAW) - 1, 4 * len(JAW))
    line = np.stack([np.interp(along, np.arange(len(JAW)), points[:, i]) for i in (0, 1)], axis=1)
    finer = min(pose.scale, 160.0)
    depths = np.arange(-round((BESIDE + LINE) * finer), round((BESIDE + LINE) * finer) + 1) / finer
    places = np.asarray(line[:, None] + depths[:, None] * _outwards(line, patch)[:, None], np.float64)
    at = pose.to_pixels(places.reshape(-1, 2)).reshape(len(line), len(depths), 2).astype(np.float32)
    seen = ((at >= 0) & (at < plane.shape[::-1])).all(axis=(1, 2))
    if seen.mean() < 0.5:
        return 0.0
    step = pose.scale / finer
    source = plane if step <= 1.2 else cv2.GaussianBlur(plane, (0, 0), 0.4 * step)
    luma = cv2.remap(source, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32)[seen]
    across, edge = max(3, round(LINE * finer) | 1), round(LINE * finer)
    darker = cv2.morphologyEx(luma, cv2.MORPH_CLOSE, np.ones((1, across), np.uint8)) - luma
    light = max(float(np.percentile(luma, 75)), 1.0)
    return float((darker[:, edge:-edge].max(axis=1) > DARKER * light).mean())


def _outwards(line: Array, patch: Patch) -> Array:
    """Unit vectors across a line of the plane, away from the nose."""
    along = np.gradient(line, axis=0)
    across = np.stack([along[:, 1], -along[:, 0]], axis=1)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    out = line - patch.pose.to_plane(patch.head[[NOSE_BASE]])
    return np.asarray(across * np.where((across * out).sum(axis=1) < 0, -1, 1)[:, None])
