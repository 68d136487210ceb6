/** A drawn face for renderers of mouths: they are asked for the mouth that it has, and must leave it so. */
import { readFileSync } from 'node:fs';
import { MESH_POINTS } from '../../triton/clients/face-track.ts';
import { SHAPE } from '../../triton/clients/mouth-plan.ts';
import type { Patch } from '../../triton/clients/patch-pixels.ts';

/** 478 points of x, y, z in pixels of the patch, little-endian float32: those of the photograph in inference/tests. */
const meshFile = new URL('./golden-mesh.f32', import.meta.url);
const side = 192;

type Rgb = readonly [number, number, number];
type Point = readonly [number, number];

/** Rings of mesh points, and the colour of what they enclose; later ones lie over earlier ones. */
const parts: readonly { readonly ring: readonly number[]; readonly colour: Rgb }[] = [
  {
    ring: [
      ...[10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377],
      ...[152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109],
    ],
    colour: [205, 160, 140],
  },
  {
    ring: [
      ...[61, 146, 91, 181, 84, 17, 314, 405, 321, 375],
      ...[291, 409, 270, 269, 267, 0, 37, 39, 40, 185],
    ],
    colour: [170, 90, 90],
  },
  {
    ring: [
      ...[78, 95, 88, 178, 87, 14, 317, 402, 318, 324],
      ...[308, 415, 310, 311, 312, 13, 82, 81, 80, 191],
    ],
    colour: [60, 25, 25],
  },
  {
    ring: [33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246],
    colour: [60, 50, 45],
  },
  {
    ring: [362, 382, 381, 380, 374, 373, 390, 249, 263, 466, 388, 387, 386, 385, 384, 398],
    colour: [60, 50, 45],
  },
];
const background: Rgb = [90, 110, 120];

type GoldenFace = {
  readonly patch: Patch;
  readonly mesh: Float32Array;
  /** The mouth that the mesh has. */
  readonly target: Float32Array;
};

export const goldenFace = (): GoldenFace => {
  const file = new Uint8Array(readFileSync(meshFile));
  const mesh = new Float32Array(file.buffer, 0, MESH_POINTS * 3);
  return { patch: drawn(mesh), mesh, target: mouthOf(mesh) };
};

const pointOf = (mesh: Float32Array, index: number): Point => [
  mesh[3 * index] ?? 0,
  mesh[3 * index + 1] ?? 0,
];

/** Opening, width and jaw in distances of the outer eye corners, and a usual chin; all else as at rest. */
const mouthOf = (mesh: Float32Array): Float32Array => {
  const between = (a: number, b: number) => {
    const [[ax, ay], [bx, by]] = [pointOf(mesh, a), pointOf(mesh, b)];
    return Math.hypot(ax - bx, ay - by);
  };
  const unit = between(33, 263);
  const target = new Float32Array(SHAPE);
  const opening = between(13, 14) / unit;
  target.set([opening, between(61, 291) / unit]);
  target.set([opening, 0.5], SHAPE - 2);
  return target;
};

/** RGB, lit from above. */
const drawn = (mesh: Float32Array): Patch => {
  const rings = parts.map(({ ring, colour }) => ({
    colour,
    ring: ring.map((index) => pointOf(mesh, index)),
  }));
  const pixels = Buffer.alloc(side * side * 3);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const { colour } = rings.findLast(({ ring }) => encloses(ring, x, y)) ?? {
        colour: background,
      };
      // Fine, even grain, without which a renderer may take the skin for a drawing's.
      const light = 1.08 - (0.16 * y) / side + 0.03 * Math.sin(x * 2.4) * Math.cos(y * 2.1);
      pixels.set(
        colour.map((value) => Math.min(255, Math.round(value * light))),
        3 * (y * side + x),
      );
    }
  return { width: side, height: side, pixels };
};

/** Whether a ray to the right crosses the ring an odd number of times. */
const encloses = (ring: readonly Point[], x: number, y: number): boolean => {
  let inside = false;
  for (const [index, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring.at(index - 1) ?? [0, 0];
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) inside = !inside;
  }
  return inside;
};
