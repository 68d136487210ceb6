"""A still that moves and blinks: a photograph, and drawn faces of which every pixel is known."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from skimage import data

from enhance.geometry.frame import head_frame
from enhance.geometry.landmarks import LEFT_CHEEK, LEFT_LIDS, RIGHT_CHEEK, RIGHT_LIDS
from enhance.picture import BadPictureError, Picture
from enhance.portrait.animate import Animator
from enhance.portrait.head import head_field
from enhance.portrait.track import LIMITS

Floats = npt.NDArray[Any]
# What MediaPipe's face mesh finds in skimage's astronaut.
MESH: Floats = np.load(Path(__file__).parent / "golden" / "astronaut_mesh.npy")
SKIN, WHITE, IRIS, LINE, BACK = (224, 172, 140), (246, 246, 250), (60, 40, 30), (40, 25, 20), (90, 120, 160)
EXTREMES = [(sign * np.array(LIMITS)[i], i) for i in range(3) for sign in (-1, 1)]


def motion(**numbers: float) -> Floats:
    names = ("yaw", "pitch", "roll", "dx", "dy", "zoom", "left", "right")
    return np.array([numbers.get(name, 1.0 if name == "zoom" else 0.0) for name in names], np.float32)


def blink(amount: float) -> Floats:
    return motion(left=amount, right=amount)


def placed(size: int) -> Floats:
    """The mesh in the middle of a square picture, its face 0.6 of the height."""
    scale = 0.6 * size / float(np.linalg.norm(MESH[152, :2] - MESH[10, :2]))
    mesh = (MESH - MESH[[10, 152]].mean(axis=0)) * scale
    mesh[:, :2] += size / 2
    return np.asarray(mesh, np.float32)


def eye_of(mesh: Floats, eye: tuple[tuple[int, ...], tuple[int, ...]], grow: float = 1.0) -> Floats:
    points = mesh[[*eye[0], *eye[1][::-1]], :2]
    return np.asarray(points.mean(axis=0) + (points - points.mean(axis=0)) * grow)


def drawn(size: int, grow: float = 1.0, line: tuple[int, int, int] = LINE, narrow: float = 1.0) -> tuple[Picture, Floats]:
    """A flat face whose eyes are `grow` times as large as the mesh says, and `narrow` times as high as usual."""
    mesh = placed(size)
    for upper, lower in (RIGHT_LIDS, LEFT_LIDS):
        ids = [*upper, *lower]
        mesh[ids, 1] = mesh[ids, 1].mean() + narrow * (mesh[ids, 1] - mesh[ids, 1].mean())
    picture = np.full((size, size, 3), BACK, np.uint8)
    middle, height = mesh[[10, 152], :2].mean(axis=0), 0.36 * size
    cv2.ellipse(picture, (int(middle[0]), int(middle[1])), (int(0.78 * height), int(height)), 0, 0, 360, SKIN, -1, cv2.LINE_AA)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        shape = np.round(eye_of(mesh, eye, grow)).astype(np.int32)
        cv2.fillPoly(picture, [shape], WHITE, cv2.LINE_AA)
        radius = int(0.42 * np.ptp(shape[:, 1]))
        cv2.circle(picture, tuple(int(v) for v in shape.mean(axis=0)), radius, IRIS, -1, cv2.LINE_AA)
        cv2.polylines(picture, [shape], True, line, max(1, size // 170), cv2.LINE_AA)
    return picture, mesh


def white_left(picture: Picture, mesh: Floats, grow: float = 1.0) -> int:
    """How many pixels in the eyes are white still."""
    inside = np.zeros(picture.shape[:2], np.uint8)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        cv2.fillPoly(inside, [np.round(eye_of(mesh, eye, grow)).astype(np.int32)], (1,))
    return int(((picture.min(axis=2) > 205) & (inside > 0)).sum())


def test_at_rest_every_byte_stays() -> None:
    picture = data.astronaut()
    np.testing.assert_array_equal(Animator().move(picture, MESH, motion(), "photo"), picture)


@pytest.mark.parametrize(("amount", "axis"), EXTREMES)
def test_the_border_is_fixed_and_nothing_folds(amount: float, axis: int) -> None:
    size = (512, 512)
    field = head_field(head_frame(MESH), size)
    turned = motion(**{("yaw", "pitch", "roll")[axis]: amount})
    x, y = np.meshgrid(np.arange(512), np.arange(512))
    # Pictures of their own coordinates tell where each pixel came from.
    across = field.move(np.dstack([x // 2] * 3).astype(np.uint8), turned)[..., 0].astype(int)
    down = field.move(np.dstack([y // 2] * 3).astype(np.uint8), turned)[..., 0].astype(int)
    assert (np.diff(across, axis=1) >= 0).all() and (np.diff(down, axis=0) >= 0).all()
    picture = data.astronaut()
    moved = Animator().move(picture, MESH, turned, "photo")
    assert np.abs(moved.astype(int) - picture).max() > 40
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        np.testing.assert_array_equal(moved[edge], picture[edge])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("at_end", [False, True])
def test_a_face_that_the_border_cuts_is_not_squeezed_towards_it(axis: int, at_end: bool) -> None:
    mesh, size = MESH.astype(np.float32), [512, 512]
    low, high = mesh[:468, axis].min(), mesh[:468, axis].max()
    if at_end:
        size[1 - axis] = int(0.25 * low + 0.75 * high)
    else:
        mesh[:, axis] -= 0.75 * low + 0.25 * high
    frame = head_frame(mesh)
    field = head_field(frame, (size[0], size[1]))
    places = np.indices(size)[1 - axis] // 2
    picture = np.dstack([places] * 3).astype(np.uint8)
    middle = int(np.median(mesh[:468, 1 - axis]))

    def at_border(shift: float) -> int:
        """How far the border's pixel in the middle of the face has moved inwards in the picture, in pixels."""
        moved = field.move(picture, motion(**{("dx", "dy")[axis]: shift}))[..., 0]
        come, was = (np.take(each, middle, axis).flat[-1 if at_end else 0] for each in (moved, picture[..., 0]))
        return 2 * abs(int(come) - int(was))

    outwards = 0.1 if at_end else -0.1
    assert at_border(outwards) == pytest.approx(0.1 * frame.unit, abs=2.5)
    assert at_border(-outwards) == 0


def test_the_head_turns_and_the_background_stays() -> None:
    picture, mesh = drawn(512)
    moved = Animator().move(picture, mesh, motion(yaw=5.0), "photo")
    changed = np.abs(moved.astype(int) - picture).max(axis=2) > 0
    frame = head_frame(mesh)
    y, x = np.mgrid[0:512, 0:512]
    assert not changed[np.hypot(x - frame.origin[0], y - frame.origin[1]) > 2.6 * frame.unit].any()

    def iris(image: Picture) -> float:
        eye = np.round(eye_of(mesh, RIGHT_LIDS, 1.5)).astype(int)
        part = image[eye[:, 1].min() : eye[:, 1].max(), eye[:, 0].min() : eye[:, 0].max(), 1] < 70
        return float(np.nonzero(part)[1].mean())

    # Straight ahead an eye lies about a quarter of the outer-eye distance in front of the ears: sin 5 degrees of it and more.
    assert 0.02 * frame.unit < abs(iris(moved) - iris(picture)) < 0.12 * frame.unit


def test_only_what_moves_is_sampled_and_it_is_as_if_all_were(monkeypatch: pytest.MonkeyPatch) -> None:
    picture, mesh = np.random.default_rng(1).integers(0, 256, (300, 300, 3), np.uint8), placed(300)
    field, little = head_field(head_frame(mesh), (300, 300)), motion(yaw=0.6, roll=-0.3)
    moved = field.move(picture, little)
    monkeypatch.setattr("enhance.portrait.head.LEAST", -1.0)
    np.testing.assert_array_equal(moved, field.move(picture, little))
    assert (moved != picture).any()


def test_opposite_motion_goes_the_opposite_way() -> None:
    picture, mesh = drawn(256)
    there = Animator().move(picture, mesh, motion(roll=2.0), "photo").astype(int)
    back = Animator().move(there.astype(np.uint8), mesh, motion(roll=-2.0), "photo").astype(int)
    assert np.abs(back - picture).mean() < 0.35 * np.abs(there - picture).mean()


def test_a_moved_photograph_is_as_sharp() -> None:
    picture = data.astronaut()
    moved = Animator().move(picture, MESH, motion(yaw=1.3, pitch=0.7, roll=0.4), "photo")
    face = np.s_[60:220, 150:300]
    sharp = [np.abs(np.diff(image[face].astype(int), axis=1)).mean() for image in (picture, moved)]
    assert 0.88 < sharp[1] / sharp[0] < 1.08


@pytest.mark.parametrize("size", [128, 512, 900])
@pytest.mark.parametrize("grow", [1.0, 1.25])
def test_a_shut_lid_covers_the_eye_also_where_it_is_drawn_larger_than_the_mesh_says(size: int, grow: float) -> None:
    picture, mesh = drawn(size, grow)
    left = [white_left(Animator().move(picture, mesh, blink(amount), "photo"), mesh, grow) for amount in (0, 0.3, 0.6, 1)]
    assert left == sorted(left, reverse=True)
    assert left[-1] <= 0.02 * left[0]
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = eye_of(mesh, eye).mean(axis=0).astype(int)
        np.testing.assert_allclose(shut[y, x], SKIN, atol=45)


@pytest.mark.parametrize("white", [True, False])
def test_the_eyes_of_a_cartoon_shut_where_its_skin_is_painted(white: bool) -> None:
    """Large ones with white round the iris, and beads. Neither is a photograph's."""
    picture, mesh = drawn(400, grow=1.9 if white else 0.01)
    picture[...] = np.clip(picture + np.random.default_rng(1).normal(0, 4, (400, 400, 1)), 0, 255)
    if not white:
        for eye in (RIGHT_LIDS, LEFT_LIDS):
            x, y = eye_of(mesh, eye).mean(axis=0).astype(int)
            cv2.ellipse(picture, (int(x), int(y)), (12, 13), 0, 0, 360, LINE, -1, cv2.LINE_AA)
            cv2.circle(picture, (int(x) - 3, int(y) - 4), 3, WHITE, -1, cv2.LINE_AA)
    assert white_left(picture, mesh, 2.0) > (500 if white else 10)
    assert white_left(Animator().move(picture, mesh, blink(1.0), "photo"), mesh, 2.0) == 0


@pytest.mark.parametrize(("iris", "shut"), [((40, 60, 90), True), ((150, 170, 200), False)])
def test_the_eyes_of_a_3d_face_shut_whose_iris_leaves_little_white(iris: tuple[int, int, int], shut: bool) -> None:
    """Eyes higher than a photograph's mesh; but not round glasses that mirror the sky, in which nothing is dark."""
    picture, mesh = drawn(400, grow=0.01)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = eye_of(mesh, eye).mean(axis=0).astype(int).tolist()
        for radius, colour in ((24, LINE), (22, WHITE), (19, iris)):
            cv2.circle(picture, (x, y + 4), radius, colour, -1, cv2.LINE_AA)
    blinked = Animator().move(picture, mesh, blink(1.0), "photo")
    assert white_left(picture, mesh, 2.0) > 300
    assert white_left(blinked, mesh, 2.0) == 0 if shut else np.array_equal(blinked, picture)


def test_a_shut_lid_is_as_burnt_out_as_the_skin_round_it() -> None:
    picture, mesh = drawn(512)
    burnt = (254, 252, 248)
    picture[(picture == SKIN).all(axis=2)] = burnt
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = eye_of(mesh, eye).mean(axis=0).astype(int)
        line = y + int(shut[y : y + 30, x].sum(axis=1).argmin())
        above = line - round(0.04 * head_frame(mesh).unit)
        np.testing.assert_allclose(shut[above, x - 8 : x + 8], np.broadcast_to(burnt, (16, 3)), atol=15)


def test_a_shut_lid_has_the_grain_of_the_picture() -> None:
    picture, mesh = drawn(512)
    noise = np.random.default_rng(1).normal(0, 8, picture.shape[:2])[..., None]
    picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    grain = shut[..., 1] - cv2.GaussianBlur(shut[..., 1].astype(np.float32), (0, 0), 1.0)
    cheek = mesh[[*RIGHT_CHEEK, *LEFT_CHEEK], :2].mean(axis=0).astype(int)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = (eye_of(mesh, eye).mean(axis=0) - [0, 0.02 * head_frame(mesh).unit]).astype(int)
        lid, around = (grain[v - 4 : v + 5, u - 8 : u + 9].std() for u, v in ((x, y), cheek))
        assert lid > 0.75 * around


def test_a_shut_lid_is_as_soft_as_a_blurred_picture() -> None:
    sharp, mesh = drawn(512)
    picture = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.035 * head_frame(mesh).unit), np.uint8)
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        around = eye_of(mesh, eye, 1.6)
        (left, top), (right, bottom) = around.min(axis=0).astype(int), around.max(axis=0).astype(int)
        lid, was = (np.abs(np.diff(v[top:bottom, left:right, 1].astype(float), axis=0)).max() for v in (shut, picture))
        assert lid < 0.8 * was


def lash_lines(picture: Picture, mesh: Floats) -> list[Floats]:
    """Red, green and blue of what is dark between the shut lids, 3 x n for either eye."""
    shut = Animator().move(picture, mesh, blink(1.0), "photo").astype(np.float64)
    lines = []
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = eye_of(mesh, eye).mean(axis=0).astype(int)
        lid = shut[y : y + 30, x - 10 : x + 10]
        lines.append(lid[lid[..., 0] < 0.75 * SKIN[0]].T)
    return lines


@pytest.mark.parametrize("line", [LINE, (20, 60, 20)])
def test_the_lash_line_of_a_shut_eye_is_neither_bluer_nor_greener_than_the_skin(line: tuple[int, int, int]) -> None:
    picture, mesh = drawn(512, line=line)
    for red, green, blue in lash_lines(picture, mesh):
        assert len(red) and (blue / red).max() < SKIN[2] / SKIN[0] + 0.02
        assert np.median(green / red) < SKIN[1] / SKIN[0] + 0.08


def test_the_line_between_shut_lids_without_lashes_has_the_colour_of_the_skin() -> None:
    yellow = (224, 172, 120)  # as light as the skin
    for red, _, blue in lash_lines(*drawn(512, line=yellow)):
        assert len(red) and (blue / red).min() > 0.9 * SKIN[2] / SKIN[0]


def test_the_lash_line_of_a_narrow_eye_is_no_band() -> None:
    picture, mesh = drawn(700, narrow=0.5)
    unit = head_frame(mesh).unit
    for upper, _ in (RIGHT_LIDS, LEFT_LIDS):
        cv2.polylines(picture, [np.round(mesh[list(upper), :2]).astype(np.int32)], False, LINE, round(0.04 * unit), cv2.LINE_AA)
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        x, y = eye_of(mesh, eye).mean(axis=0).astype(int)
        dark = shut[y - round(0.15 * unit) : y + round(0.15 * unit), x, 0] < 0.6 * SKIN[0]
        assert 0.01 * unit < dark.sum() < 0.0375 * unit


def test_a_line_on_the_cheek_is_not_mirrored_onto_a_shut_lid() -> None:
    picture, mesh = drawn(700)
    unit = head_frame(mesh).unit
    picture = np.clip(picture + np.random.default_rng(0).normal(0, 4, picture.shape), 0, 255).astype(np.uint8)
    eyes = [eye_of(mesh, eye).mean(axis=0).astype(int) for eye in (RIGHT_LIDS, LEFT_LIDS)]
    for x, y in eyes:
        start, end = (int(x), int(y + 0.14 * unit)), (int(x), int(y + 0.3 * unit))
        cv2.line(picture, start, end, LINE, round(0.04 * unit), cv2.LINE_AA)
    shut = Animator().move(picture, mesh, blink(1.0), "photo")
    for x, y in eyes:
        lid = shut[y - round(0.03 * unit) : y, x - round(0.07 * unit) : x + round(0.07 * unit)]
        assert np.ptp(lid.mean(axis=(0, 2))) < 10


@pytest.mark.parametrize(
    ("corners", "dark", "most"), [((133, 362), 0.5, 0.1), ((33, 263), 0.8, 0.25)], ids=["shadow", "eyeliner"]
)
def test_what_is_dark_under_the_corner_of_an_eye_that_shuts_gets_no_bright_streak(
    corners: tuple[int, int], dark: float, most: float
) -> None:
    picture, mesh = drawn(700)
    unit = float(np.linalg.norm(mesh[263] - mesh[33]))
    shadow = np.zeros(picture.shape[:2], np.float32)
    for corner in corners:
        inwards = 0.02 * np.sign(mesh[[159, 386], 0][corners.index(corner)] - mesh[corner, 0])
        at = mesh[corner, :2] + unit * np.array([inwards, 0.03])
        cv2.circle(shadow, tuple(int(v) for v in at), int(0.05 * unit), (1,), -1)
    shadow = np.asarray(cv2.GaussianBlur(shadow, (0, 0), 2))
    picture = np.round(picture * (1 - dark * shadow[..., None])).astype(np.uint8)
    eyes = np.zeros(picture.shape[:2], np.uint8)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        cv2.fillPoly(eyes, [np.round(eye_of(mesh, eye)).astype(np.int32)], (1,))
    rows = np.arange(len(picture))[:, None]
    below = (shadow > 0.95) & (cv2.dilate(eyes, np.ones((7, 7))) == 0) & (rows > mesh[133, 1] + 0.03 * unit)
    shut = Animator().move(picture, mesh, blink(1), "photo")
    assert (shut != picture).any()
    brighter = shut[below].mean(axis=1) - picture[below].mean(axis=1) > 10
    assert brighter.mean() < most


def test_a_blink_changes_nothing_but_the_eyes() -> None:
    picture, mesh = drawn(512)
    changed = (Animator().move(picture, mesh, blink(0.8), "photo") != picture).any(axis=2)
    near = np.zeros(picture.shape[:2], np.uint8)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        cv2.fillPoly(near, [np.round(eye_of(mesh, eye)).astype(np.int32)], (1,))
    near = cv2.dilate(near, np.ones((3, 3), np.uint8), iterations=round(0.13 * head_frame(mesh).unit)).astype(np.uint8)
    assert changed.any() and not changed[near == 0].any()


@pytest.mark.parametrize("light", [0.55, 0.65, 0.95])
def test_a_photograph_in_black_and_white_blinks(light: float) -> None:
    grey = (data.astronaut() @ [0.299, 0.587, 0.114] * light).astype(np.uint8)
    picture = np.repeat(grey[..., None], 3, axis=2)
    eye = np.round(eye_of(MESH, RIGHT_LIDS)).astype(int)
    rows, columns = (slice(*np.sort(eye[:, axis])[[0, -1]]) for axis in (1, 0))
    shut = Animator().move(picture, MESH, blink(1.0), "photo")
    assert cv2.absdiff(shut[rows, columns], picture[rows, columns]).mean() > 10


@pytest.mark.parametrize("black", [90, 130])
def test_a_faded_photograph_blinks_without_a_line_darker_than_its_black(black: int) -> None:
    picture = np.round(black + data.astronaut() * (0.95 - black / 220)).astype(np.uint8)
    shut = Animator().move(picture, MESH, blink(1.0), "photo")
    changed = (shut != picture).any(axis=2)
    assert changed.any() and shut[changed].min() >= picture.min()


@pytest.mark.parametrize("light", [(0.3, 0.3, 0.3), (0.9, 0.5, 0.2)], ids=["dark", "vivid"])
def test_shaded_eyes_blink_in_a_dark_or_vivid_photograph(light: tuple[float, float, float]) -> None:
    picture = data.astronaut() * np.array(light)
    for lids in (RIGHT_LIDS, LEFT_LIDS):
        points = MESH[list(lids[0] + lids[1]), :2]
        reach = np.ptp(points, axis=0) / 2 + 0.09 * head_frame(MESH).unit
        off = (np.mgrid[:512, :512][::-1].T - points.mean(axis=0)) / reach
        picture[np.hypot(off[..., 0], off[..., 1]).T < 1] *= [0.55, 0.5, 0.45]
    picture = np.round(picture).astype(np.uint8)
    assert (Animator().move(picture, MESH, blink(1.0), "photo") != picture).any()


@pytest.mark.parametrize("colour", [(40, 80, 200), (40, 130, 80), (45, 40, 42)], ids=["blue", "green", "smoky"])
def test_a_shut_lid_wears_the_eye_shadow_of_the_open_one(colour: tuple[int, int, int]) -> None:
    picture, unit = data.astronaut().astype(np.float64), head_frame(MESH).unit
    shut_lids = np.zeros(picture.shape[:2], np.uint8)
    for upper, lower in (RIGHT_LIDS, LEFT_LIDS):
        lid, rim = MESH[list(upper), :2], MESH[list(lower), :2]
        above = lid - np.outer(np.sin(np.linspace(0.1, np.pi - 0.1, len(lid))), [0, 0.11 * unit])
        worn = np.zeros(picture.shape[:2], np.float32)
        cv2.fillPoly(worn, [np.round(np.vstack([lid, above[::-1]])).astype(np.int32)], (1.0,))
        worn = cv2.GaussianBlur(worn, (0, 0), 0.015 * unit).astype(np.float32)
        cv2.fillPoly(worn, [np.round(np.vstack([lid, rim[::-1]])).astype(np.int32)], (0.0,))
        picture += (np.array(colour) - picture) * 0.75 * worn[..., None]
        middle = np.round((lid + rim)[len(lid) // 2] / 2).astype(int)
        cv2.circle(shut_lids, (int(middle[0]), int(middle[1])), 2, (1,), -1)
    shut = Animator().move(np.round(picture).astype(np.uint8), MESH, blink(1.0), "photo").astype(np.float64)
    bare = Animator().move(data.astronaut(), MESH, blink(1.0), "photo").astype(np.float64)
    there = shut_lids > 0
    lid_colour, bare_colour = np.median(shut[there], axis=0), np.median(bare[there], axis=0)
    assert np.linalg.norm(lid_colour - colour) < 0.5 * np.linalg.norm(bare_colour - colour)


def test_pale_skin_below_the_eyes_is_not_the_white_of_a_cartoons() -> None:
    picture = data.astronaut()
    top, height = int(MESH[[145, 374], 1].mean()), int(0.12 * head_frame(MESH).unit)
    below = picture[top : top + height].astype(np.float64)
    grey = (below @ [0.299, 0.587, 0.114])[..., None]
    picture[top : top + height] = grey + 0.65 * (below - grey)
    assert (Animator().move(picture, MESH, blink(1.0), "photo") != picture).any()


def test_eyes_can_blink_one_by_one() -> None:
    picture, mesh = drawn(512)
    changed = (Animator().move(picture, mesh, motion(left=1.0), "photo") != picture).any(axis=2)
    middle = int(mesh[168, 0])
    assert changed[:, :middle].any() and not changed[:, middle:].any()


def test_no_blink_behind_dark_glasses() -> None:
    picture, mesh = drawn(512)
    for eye in (RIGHT_LIDS, LEFT_LIDS):
        middle = eye_of(mesh, eye).mean(axis=0).astype(int)
        cv2.ellipse(picture, (int(middle[0]), int(middle[1])), (70, 52), 0, 0, 360, (25, 25, 28), -1, cv2.LINE_AA)
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "photo"), picture)


def test_no_blink_where_hair_or_its_shadow_lies_on_an_eye() -> None:
    """There is no skin above it to make a lid of: one made of the lit skin below would be a bright smear on the shadow."""
    picture = data.astronaut()
    assert (Animator().move(picture, MESH, blink(1.0), "photo") != picture).any()
    strand = cv2.boundingRect(np.round(eye_of(MESH, RIGHT_LIDS, 2.2)).astype(np.int32))
    rows, columns = slice(strand[1] - 14, int(eye_of(MESH, RIGHT_LIDS)[:, 1].mean())), slice(strand[0], strand[0] + strand[2])
    picture[rows, columns] = (picture[rows, columns] * np.array([0.3, 0.24, 0.22])).astype(np.uint8)
    np.testing.assert_array_equal(Animator().move(picture, MESH, blink(1.0), "photo"), picture)


def test_no_blink_where_the_drawn_eye_is_far_larger_than_a_lid_can_cover() -> None:
    picture, mesh = drawn(512, grow=2.6)
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "photo"), picture)


def test_no_blink_of_eyes_that_are_shut() -> None:
    picture, mesh = drawn(512)
    for upper, lower in (RIGHT_LIDS, LEFT_LIDS):
        mesh[list(upper), 1] = mesh[list(lower), 1]
    np.testing.assert_array_equal(Animator().move(picture, mesh, blink(1.0), "photo"), picture)


def test_what_is_remembered_is_what_would_be_made_anew() -> None:
    animator = Animator()
    photo, drawing = data.astronaut(), drawn(512)
    turned = motion(yaw=3.0, pitch=-2.0, left=0.7, right=0.7)
    for picture, mesh in ((photo, MESH), drawing, (photo, MESH), (photo[:, ::-1].copy(), MESH)):
        alone = Animator().move(picture, mesh, turned, "photo")
        np.testing.assert_array_equal(animator.move(picture, mesh, turned, "photo"), alone)


def test_the_mouth_may_change_from_frame_to_frame() -> None:
    animator = Animator()
    picture, mesh = drawn(512)
    first = animator.move(picture, mesh, blink(0.5), "photo")
    spoken = picture.copy()
    x, y = mesh[13, :2].astype(int)
    spoken[y - 20 : y + 20, x - 30 : x + 30] = (90, 20, 20)
    second = animator.move(spoken, mesh, blink(0.5), "photo")
    np.testing.assert_array_equal(second[: y - 60], first[: y - 60])
    np.testing.assert_array_equal(second[y, x], (90, 20, 20))


@pytest.mark.parametrize("shift", [(-150, 0), (150, 60), (0, -230), (900, 900)])
def test_a_face_that_is_partly_or_wholly_off_the_picture_is_no_fault(shift: tuple[int, int]) -> None:
    picture, mesh = drawn(256)
    mesh[:, :2] += shift
    moved = Animator().move(picture, mesh, motion(yaw=4.0, roll=-2.0, left=1.0, right=1.0), "photo")
    assert moved.shape == picture.shape
    np.testing.assert_array_equal(moved[0], picture[0])


@pytest.mark.parametrize(
    ("picture", "mesh", "track", "said"),
    [
        (np.zeros((9, 9, 4), np.uint8), MESH, motion(), r"IMAGE \[height, width, 3\]"),
        (np.zeros((9, 9, 3), np.float32), MESH, motion(), "uint8"),
        (np.zeros((9, 9, 3), np.uint8), MESH[:468], motion(), r"MESH \[478, 3\]"),
        (np.zeros((9, 9, 3), np.uint8), MESH * np.nan, motion(), "NaN"),
        (np.zeros((9, 9, 3), np.uint8), MESH * 0, motion(), "at least 4 pixels"),
        (np.zeros((9, 9, 3), np.uint8), MESH, motion()[:7], r"MOTION \[8\]"),
        (np.zeros((9, 9, 3), np.uint8), MESH, motion(yaw=40.0), "MOTION within"),
        (np.zeros((9, 9, 3), np.uint8), MESH, motion(yaw=np.nan), "MOTION within"),
        (np.zeros((9, 9, 3), np.uint8), MESH, blink(1.2), "MOTION within"),
    ],
)
def test_bad_input_is_told(picture: Floats, mesh: Floats, track: Floats, said: str) -> None:
    with pytest.raises(BadPictureError, match=said):
        Animator().move(picture, mesh, track, "photo")
