"""Things drawn in front of a mouth: microphones, fingers, hands, cups, pens, strands of hair."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from enhance.geometry.head import Pose, pose_of
from enhance.geometry.planes import Colours, Planes, from_rgb, mean_of_four, to_rgb

Floats = npt.NDArray[Any]

KINDS = ("microphone", "corner_microphone", "finger", "hand", "pen", "hair")
PENS = ((30, 60, 170), (25, 25, 30), (190, 30, 40), (240, 200, 60))
HAIRS = ((35, 22, 16), (90, 55, 30), (20, 18, 20))


@dataclass(frozen=True)
class Thing:
    """rgb h x w x 3 in 0..255, alpha h x w in 0..1, at the patch's pixels."""

    rgb: Floats
    alpha: Floats


def cover(planes: Planes, colours: Colours, mesh: Floats, kind: str, seed: int = 0) -> tuple[Planes, Thing]:
    """The patch with the thing in front of it."""
    pose = pose_of(mesh)
    thing = DRAWN[kind](_Canvas(planes, colours, mesh, pose, np.random.default_rng(seed)))
    yuv = from_rgb(thing.rgb.astype(np.float32), colours)
    out = planes.copy()
    for plane, channel, weight in (
        (out.y, 0, thing.alpha),
        (out.u, 1, mean_of_four(thing.alpha)),
        (out.v, 2, mean_of_four(thing.alpha)),
    ):
        colour = yuv[..., channel] if channel == 0 else mean_of_four(yuv[..., channel])
        plane[...] = np.clip(plane + weight * (colour - plane) + 0.5, 0, 255).astype(np.uint8)
    return out, thing


class _Canvas:
    def __init__(self, planes: Planes, colours: Colours, mesh: Floats, pose: Pose, rng: np.random.Generator) -> None:
        self.pose, self.rng = pose, rng
        self.shape = planes.y.shape
        self.mouth = pose.to_plane(pose.to_head(mesh[[61, 291]].astype(float))).mean(axis=0)
        self.plane = pose.plane_of(planes.area)
        rgb = to_rgb(planes, colours)
        self.rgb = rgb
        x, y = (int(v) for v in np.clip(mesh[50, :2], 8, np.array(self.shape[::-1]) - 9))
        self.skin = np.median(rgb[y - 6 : y + 7, x - 6 : x + 7].reshape(-1, 3), axis=0)
        noise = rng.normal(size=self.shape).astype(np.float32)
        self.noise = cv2.GaussianBlur(noise, (0, 0), 0.7) * 1.6

    def at(self, across: float, down: float) -> Floats:
        """A place in plane coordinates, so far from the middle of the mouth."""
        return np.asarray(self.mouth + np.array([across, down]))

    def soft(self, inside: Floats) -> Floats:
        """Coverage from a distance in S, positive inside."""
        return np.asarray(np.clip(inside * self.pose.scale + 0.5, 0, 1), np.float32)

    def capsule(self, a: Floats, b: Floats, radius: float) -> tuple[Floats, Floats]:
        """Distance inside its border in S, and across its axis -1..1."""
        along = np.asarray(b) - a
        t = np.clip(((self.plane - a) @ along) / (along @ along), 0, 1)
        off = self.plane - (a + t[..., None] * along)
        across = (along[0] * off[..., 1] - along[1] * off[..., 0]) / np.linalg.norm(along)
        return radius - np.hypot(off[..., 0], off[..., 1]), np.clip(across / radius, -1, 1)


def _laid(layers: list[tuple[Floats, Floats]], shape: tuple[int, ...]) -> Thing:
    rgb: Floats = np.zeros((*shape, 3), np.float32)
    alpha: Floats = np.zeros(shape, np.float32)
    for colour, over in layers:
        out = over + alpha * (1 - over)
        rgb = np.where(
            out[..., None] > 0,
            (colour * over[..., None] + rgb * (alpha * (1 - over))[..., None]) / np.maximum(out, 1e-6)[..., None],
            0,
        )
        alpha = out
    return Thing(rgb, alpha)


def _microphone_at(c: _Canvas, at: Floats) -> Thing:
    radius = c.rng.uniform(0.13, 0.2)
    tone = c.rng.choice([35, 60, 110])
    foot = at + np.array([c.rng.uniform(-0.2, 0.2), 1.2])
    handle, side = c.capsule(at, foot, 0.55 * radius)
    ball, _ = c.capsule(at, at + np.array([0.0, 1e-3]), radius)
    grille = 12 * np.sin(c.plane[..., 0] * 260) * np.sin(c.plane[..., 1] * 260)
    light = tone * (0.7 + 0.9 * np.clip(ball / radius, 0, 1)) + grille + 5 * c.noise
    stem = tone * 0.8 * (1.1 - 0.5 * side**2) + 2 * c.noise
    grey = np.array([1.0, 1.0, 1.03])
    return _laid([(stem[..., None] * grey, c.soft(handle)), (light[..., None] * grey, c.soft(ball))], c.shape)


def _microphone(c: _Canvas) -> Thing:
    return _microphone_at(c, c.at(c.rng.uniform(-0.08, 0.08), c.rng.uniform(0.12, 0.22)))


def _corner_microphone(c: _Canvas) -> Thing:
    side = c.rng.choice([-1, 1])
    return _microphone_at(c, c.at(side * c.rng.uniform(0.2, 0.3), c.rng.uniform(0.0, 0.15)))


def _one_finger(c: _Canvas, tip: Floats, base: Floats, radius: float) -> list[tuple[Floats, Floats]]:
    inside, side = c.capsule(tip, base, radius)
    skin = c.skin * c.rng.uniform(0.88, 1.08) * np.array([1.0, c.rng.uniform(0.95, 1.02), c.rng.uniform(0.93, 1.02)])
    light = (1.03 - 0.28 * side**2) * (1 + 0.015 * c.noise)
    along = (base - tip) / np.linalg.norm(base - tip)
    way = (c.plane - tip) @ along
    for fold in (0.28, 0.31):
        light = light * (1 - 0.12 * np.exp(-(((way - fold) / 0.008) ** 2)))
    nail, _ = c.capsule(tip + 0.01 * along, tip + 0.09 * along, 0.6 * radius)
    pale = skin * 0.6 + np.array([235, 205, 195]) * 0.4 * float(c.skin.mean()) / 190
    colour = light[..., None] * (skin + c.soft(nail)[..., None] * (pale - skin))
    shadow = np.asarray(np.clip(1 + (inside - 0.0) / 0.05, 0, 1) * 0.25, np.float32)
    return [(c.rgb * 0.45, shadow), (colour, c.soft(inside))]


def _finger(c: _Canvas) -> Thing:
    tip = c.at(c.rng.uniform(-0.1, 0.1), c.rng.uniform(-0.14, -0.02))
    base = c.at(c.rng.uniform(-0.5, 0.5), 1.4)
    return _laid(_one_finger(c, tip, base, c.rng.uniform(0.07, 0.085)), c.shape)


def _hand(c: _Canvas) -> Thing:
    side = c.rng.choice([-1, 1])
    layers = []
    for i in range(4):
        tip = c.at(-side * c.rng.uniform(0.1, 0.25), -0.2 + 0.15 * i)
        layers += _one_finger(c, tip, c.at(side * 1.5, 0.1 + 0.17 * i), 0.085)
    return _laid(layers, c.shape)


def _held_cup(c: _Canvas) -> Thing:
    """White, its rim under the lower lip, below it the fingers that hold it."""
    middle, radius = c.at(0.0, 0.5), 0.36
    across, down = (c.plane[..., i] - middle[i] for i in (0, 1))
    inside = np.minimum(radius - np.abs(across), np.minimum(down + 0.37, 0.6 - down))
    white = np.array([235, 228, 225]) * (0.95 - 0.3 * np.clip(across / radius, -1, 1) ** 2)[..., None]
    layers = [(white, c.soft(inside))]
    for i in range(3):
        layers += _one_finger(c, c.at(-0.2, 0.36 + 0.16 * i), c.at(1.2, 0.42 + 0.16 * i), 0.085)
    return _laid(layers, c.shape)


def _pen(c: _Canvas) -> Thing:
    side = c.rng.choice([-1, 1])
    inside, across = c.capsule(c.at(side * c.rng.uniform(0.0, 0.12), 0.02), c.at(side * 0.9, c.rng.uniform(0.2, 0.9)), 0.022)
    light = 1 - 0.35 * across**2 + 0.5 * np.exp(-(((across + 0.4) / 0.2) ** 2))
    colour = np.array(PENS[c.rng.integers(len(PENS))], float)
    return _laid([(np.clip(light[..., None] * colour, 0, 255), c.soft(inside))], c.shape)


def _hair(c: _Canvas) -> Thing:
    side = c.rng.choice([-1, 1])
    colour = np.array(HAIRS[c.rng.integers(len(HAIRS))], float)
    layers = []
    start = c.at(side * 0.5, -0.8)
    for _ in range(int(c.rng.integers(2, 5))):
        t = np.linspace(0, 1, 24)[:, None]
        bend = c.at(side * c.rng.uniform(0.05, 0.25), c.rng.uniform(-0.15, 0.15))
        end = c.at(side * c.rng.uniform(0.2, 0.5), 0.9)
        line = (1 - t) ** 2 * start + 2 * t * (1 - t) * (2 * bend - (start + end) / 2) + t**2 * end
        strand = np.zeros(c.shape, np.float32)
        wide = c.rng.uniform(0.008, 0.016) * c.pose.scale
        finer = 4
        large = np.zeros((c.shape[0] * finer, c.shape[1] * finer), np.uint8)
        at = (c.pose.to_pixels(line) + 0.5) * finer - 0.5
        cv2.polylines(large, [np.round(at * 16).astype(np.int32)], False, (255,), max(1, round(wide * finer)), cv2.LINE_AA, 4)
        strand = np.asarray(cv2.resize(large, c.shape[::-1], interpolation=cv2.INTER_AREA), np.float32) / 255
        layers.append((np.broadcast_to(colour * c.rng.uniform(0.8, 1.3), (*c.shape, 3)), 0.9 * strand))
    return _laid(layers, c.shape)


DRAWN = {
    "microphone": _microphone,
    "corner_microphone": _corner_microphone,
    "finger": _finger,
    "hand": _hand,
    "held_cup": _held_cup,
    "pen": _pen,
    "hair": _hair,
}
