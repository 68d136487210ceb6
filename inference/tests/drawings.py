"""Drawn faces whose eyes and mouth are where the drawing put them: the flat kind of animation, and what is no face at all."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

FINE = 4  # drawn so much larger, then averaged
INK: Colour = (60, 40, 45)


@dataclass(frozen=True)
class Anime:
    """A character: lengths in widths of its face. `mouth` is how far the lips part."""

    hair: Colour = (90, 70, 160)
    skin: Colour = (255, 226, 205)
    iris: Colour = (70, 120, 200)
    eye: float = 0.26
    eyes_apart: float = 0.46
    eye_height: float = 0.02
    mouth_drop: float = 0.36
    mouth_width: float = 0.16
    mouth: float = 0.0
    chin: float = 0.62


@dataclass(frozen=True)
class Places:
    """Where the drawing has its right eye (left in the picture), its left eye and its mouth: x, y in pixels."""

    right_eye: npt.NDArray[np.float64]
    left_eye: npt.NDArray[np.float64]
    mouth: npt.NDArray[np.float64]


def anime(who: Anime, size: int = 512, face: float = 0.42, centre: tuple[float, float] = (0.5, 0.5)) -> tuple[Picture, Places]:
    """A square picture of a character from the front. face: width of the face in widths of the picture."""
    big = size * FINE
    width = face * big
    middle = np.array(centre) * big
    canvas = np.empty((big, big, 3), np.uint8)
    canvas[:] = np.linspace((205, 225, 240), (170, 195, 215), big)[:, None].round()

    def at(x: float, y: float) -> tuple[int, int]:
        return round(middle[0] + x * width), round(middle[1] + y * width)

    def size_of(x: float, y: float) -> tuple[int, int]:
        return round(x * width), round(y * width)

    def shape(points: list[tuple[float, float]], colour: Colour, ink: bool = True) -> None:
        corners = np.array([at(*point) for point in points], np.int32)
        cv2.fillPoly(canvas, [corners], colour, cv2.LINE_AA)
        if ink:
            cv2.polylines(canvas, [corners], True, INK, line, cv2.LINE_AA)

    line = max(round(width * 0.008), 1)
    dark = tuple(int(value * 0.75) for value in who.hair)
    cv2.ellipse(canvas, at(0, -0.05), size_of(0.68, 0.72), 0, 0, 360, (dark[0], dark[1], dark[2]), -1, cv2.LINE_AA)
    shape([(-0.67, -0.1), (-0.72, 0.9), (-0.3, 0.95), (0.3, 0.95), (0.72, 0.9), (0.67, -0.1)], (dark[0], dark[1], dark[2]))
    shadow = tuple(int(value * 0.88) for value in who.skin)
    shape([(-0.14, 0.3), (-0.14, 1.0), (0.14, 1.0), (0.14, 0.3)], (shadow[0], shadow[1], shadow[2]))
    shape([(-0.75, 1.2), (-0.3, 0.9), (0.3, 0.9), (0.75, 1.2)], (60, 70, 110))
    turn = np.linspace(0, np.pi, 24)
    jaw = [(float(np.cos(t)) * 0.5, 0.05 + float(np.sin(t)) ** 1.5 * (who.chin - 0.05)) for t in turn]
    crown = [(-0.5, -0.3), (-0.35, -0.5), (0.35, -0.5), (0.5, -0.3)]
    shape(jaw + crown, who.skin)
    for side in (-1, 1):
        _eye(canvas, at(side * who.eyes_apart / 2, who.eye_height), size_of(who.eye / 2, who.eye * 0.6), who.iris)
        brow = [
            at(side * (who.eyes_apart / 2 + shift), who.eye_height - who.eye * 0.85 - lift)
            for shift, lift in ((-0.11, 0.0), (0.0, 0.025), (0.11, 0.0))
        ]
        cv2.polylines(canvas, [np.array(brow, np.int32)], False, INK, line * 2, cv2.LINE_AA)
    cv2.line(canvas, at(0.0, who.mouth_drop * 0.55), at(0.015, who.mouth_drop * 0.62), INK, line, cv2.LINE_AA)
    _mouth(canvas, at(0, who.mouth_drop), size_of(who.mouth_width / 2, max(who.mouth / 2, 0.02)), who.mouth > 0, line)
    for left, right in ((-0.52, -0.18), (-0.25, 0.1), (0.0, 0.3), (0.22, 0.52)):
        shape([(left, -0.45), ((left + right) / 2, -0.08 - 0.1 * abs(left + right)), (right, -0.45)], who.hair)
    cv2.ellipse(canvas, at(0, -0.35), size_of(0.62, 0.42), 0, 180, 360, who.hair, -1, cv2.LINE_AA)
    picture = cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA)
    scale = width / FINE
    whole = middle / FINE
    eyes = [whole + scale * np.array([side * who.eyes_apart / 2, who.eye_height]) for side in (-1, 1)]
    return np.asarray(picture, np.uint8), Places(eyes[0], eyes[1], whole + scale * np.array([0, who.mouth_drop]))


def smoothed(picture: Picture) -> Picture:
    """A photograph with skin as smooth as beauty filters make it."""
    for _ in range(5):
        picture = np.asarray(cv2.bilateralFilter(picture, 0, 20, 5), np.uint8)
    return picture


def cat(fur: Colour, size: int = 480) -> Picture:
    """A drawn cat from the front."""
    canvas = np.full((size, size, 3), (190, 205, 190), np.uint8)
    x, y, radius = size // 2, int(size * 0.48), size * 0.27

    def at(across: float, down: float) -> tuple[int, int]:
        return round(x + across * radius), round(y + down * radius)

    def oval(middle: tuple[float, float], half: tuple[float, float], colour: Colour) -> None:
        cv2.ellipse(canvas, at(*middle), at_size(*half), 0, 0, 360, colour, -1, cv2.LINE_AA)

    def at_size(across: float, down: float) -> tuple[int, int]:
        return round(across * radius), round(down * radius)

    oval((0, 1.85), (1.1, 1.1), fur)
    for side in (-1, 1):
        for scale, colour in ((1.0, fur), (0.75, INK)):
            ear = ((0.95, -0.1), (0.85, -1.35), (0.2, -0.85))
            corners = [at(side * (0.6 + (across - 0.6) * scale), -0.75 + (down + 0.75) * scale) for across, down in ear]
            cv2.fillPoly(canvas, [np.array(corners)], colour, cv2.LINE_AA)
    oval((0, 0), (1, 0.9), fur)
    oval((0, 0.4), (0.5, 0.38), (235, 225, 215))
    for side in (-1, 1):
        oval((side * 0.4, -0.15), (0.17, 0.15), (210, 220, 90))
        oval((side * 0.4, -0.15), (0.05, 0.13), (10, 10, 10))
        cv2.ellipse(canvas, at(side * 0.14, 0.42), at_size(0.14, 0.14), 0, 0, 180, INK, 2, cv2.LINE_AA)
        for down in (0.24, 0.38, 0.52):
            cv2.line(canvas, at(side * 0.3, 0.4), at(side, down), (240, 240, 240), 1, cv2.LINE_AA)
    cv2.fillPoly(canvas, [np.array([at(-0.14, 0.18), at(0.14, 0.18), at(0, 0.34)])], (200, 120, 120), cv2.LINE_AA)
    hairs = cv2.GaussianBlur(np.random.default_rng(3).normal(0, 1, (size, size)), (0, 0), 1)
    return np.asarray(np.clip(canvas + 12 * (hairs / hairs.std())[..., None], 0, 255), np.uint8)


def fox(size: int = 480) -> Picture:
    """A fox as a mascot, from the front, with the mouth of a cat."""
    ink, fur, white = (50, 30, 30), (235, 120, 40), (255, 248, 238)
    canvas = np.full((size * FINE, size * FINE, 3), (200, 230, 210), np.uint8)
    line = round(0.007 * size * FINE)

    def at(*points: tuple[float, float]) -> list[npt.NDArray[np.int32]]:
        return [np.round((np.array(points) * 0.28 + [0.5, 0.45]) * size * FINE).astype(np.int32)]

    def oval(middle: tuple[float, float], half: tuple[float, float], colour: Colour) -> None:
        turn = np.linspace(0, 2 * np.pi, 60)
        ring = np.array(middle) + np.stack([np.cos(turn), np.sin(turn)], axis=1) * half
        cv2.fillPoly(canvas, at(*ring.tolist()), colour)

    def round_middle(*right: tuple[float, float]) -> list[npt.NDArray[np.int32]]:
        return at(*((-x, y) for x, y in right), *reversed(right))

    for side in (-1, 1):
        cv2.fillPoly(canvas, at((side * 0.3, -0.7), (side * 0.85, -1.45), (side, -0.3)), fur)
        cv2.fillPoly(canvas, at((side * 0.5, -0.75), (side * 0.8, -1.2), (side * 0.88, -0.5)), ink)
    head = round_middle((0, -0.8), (0.6, -0.7), (1, -0.1), (1.1, 0.45), (0.6, 0.75), (0.2, 1))
    cv2.fillPoly(canvas, head, fur)
    cv2.fillPoly(canvas, round_middle((0, 0.1), (0.2, 0.25), (0.6, 0.2), (1.1, 0.45), (0.6, 0.75), (0.2, 1)), white)
    lines = [at((0, 0.42), (0, 0.55)), at((-0.26, 0.55), (-0.12, 0.64), (0, 0.55), (0.12, 0.64), (0.26, 0.55))]
    for side in (-1, 1):
        oval((side * 0.36, 0), (0.1, 0.13), ink)
        oval((side * 0.36 + 0.03, -0.05), (0.04, 0.04), (255, 255, 255))
        lines.append(at((side * 0.24, -0.25), (side * 0.4, -0.3), (side * 0.5, -0.24)))
    cv2.fillPoly(canvas, at((-0.12, 0.3), (0, 0.27), (0.12, 0.3), (0, 0.42)), ink)
    cv2.polylines(canvas, head, True, ink, line)
    cv2.polylines(canvas, [points for each in lines for points in each], False, ink, line)
    return np.asarray(cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def plant(seed: int, size: int = 480) -> Picture:
    """A pot with leaves and blossoms, whose places chance chooses."""
    random = np.random.default_rng(seed)
    canvas = np.full((size, size, 3), (205, 200, 190), np.uint8)
    cv2.rectangle(canvas, (int(size * 0.38), int(size * 0.72)), (int(size * 0.62), int(size * 0.95)), (150, 80, 60), -1)
    for _ in range(60):
        x, y = (round(value) for value in random.normal((size * 0.5, size * 0.42), size * 0.15))
        long, turn, light = random.uniform(0.04, 0.13) * size, random.uniform(0, 180), random.uniform(0.4, 1.1)
        colour = (round(80 * light), round(150 * light), round(60 * light))
        cv2.ellipse(canvas, (x, y), (round(long), round(long * 0.35)), turn, 0, 360, colour, -1, cv2.LINE_AA)
    for x, y in random.normal((size * 0.5, size * 0.4), size * 0.13, (7, 2)):
        for turn in np.arange(8) * np.pi / 4:
            petal = round(x + size * 0.035 * float(np.cos(turn))), round(y + size * 0.035 * float(np.sin(turn)))
            cv2.circle(canvas, petal, round(size * 0.025), (230, 140, 170), -1, cv2.LINE_AA)
        cv2.circle(canvas, (round(x), round(y)), round(size * 0.02), (230, 200, 60), -1, cv2.LINE_AA)
    return canvas


def _eye(canvas: Picture, centre: tuple[int, int], half: tuple[int, int], iris: Colour) -> None:
    x, y = centre
    w, h = half
    cv2.ellipse(canvas, centre, (w, h), 0, 0, 360, (255, 255, 255), -1, cv2.LINE_AA)
    cv2.ellipse(canvas, (x, y + h // 10), (w * 7 // 10, h * 9 // 10), 0, 0, 360, iris, -1, cv2.LINE_AA)
    cv2.ellipse(canvas, (x, y + h // 10), (w * 7 // 10, h * 9 // 10), 0, 180, 360, (40, 40, 70), -1, cv2.LINE_AA)
    cv2.ellipse(canvas, (x, y + h // 10), (w * 3 // 10, h * 4 // 10), 0, 0, 360, (20, 20, 40), -1, cv2.LINE_AA)
    cv2.circle(canvas, (x - w // 4, y - h // 3), max(w // 5, 1), (255, 255, 255), -1, cv2.LINE_AA)
    cv2.ellipse(canvas, centre, (w, h), 0, 195, 345, INK, max(w // 5, 1), cv2.LINE_AA)


def _mouth(canvas: Picture, centre: tuple[int, int], half: tuple[int, int], parted: bool, line: int) -> None:
    if parted:
        cv2.ellipse(canvas, centre, half, 0, 0, 360, (170, 70, 80), -1, cv2.LINE_AA)
        cv2.ellipse(canvas, centre, half, 0, 0, 360, INK, line, cv2.LINE_AA)
    else:
        cv2.ellipse(canvas, (centre[0], centre[1] - half[1]), half, 0, 20, 160, INK, line * 2, cv2.LINE_AA)
