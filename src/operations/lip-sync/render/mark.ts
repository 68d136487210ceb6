/** A half-clear mark that lies over the mouth in all of a clip's pictures, as a watermark. */

import type { Size, YuvFrame } from '../../../frame.ts';
import type { Mark, MouthRender } from '../../../triton/clients/mouth-render.ts';
import type { Coding } from '../../../triton/clients/patch-pixels.ts';
import { EYE_CORNERS, MOUTH_CORNERS } from '../faces/lips.ts';
import type { ClipPictures } from './clip-pictures.ts';
import { meshIn, type Rect } from './patch.ts';

type MarkSources = ClipPictures & {
  /** Indices of the clip's pictures in which the face is seen clearly, spread over it; they ascend. */
  readonly shown: readonly number[];
  readonly render: MouthRender;
  readonly coding: Coding;
  readonly signal: AbortSignal;
};

/** Fewer tell nothing: what stays in the picture and what stays on the face are too much alike. */
const LEAST_PICTURES = 8;

/** Round the middle of each mouth, in distances between the outer eye corners: to both sides, up and down. */
const AROUND = { x: 0.75, up: 0.55, down: 0.6 };

/** The same, of the rectangle round all mouths: in a larger one the face is seldom at the same place. */
const LARGEST = 4;

/** All rectangles together: only a large face that goes to and fro in a picture of 4K has more. */
const MOST_BYTES = 48 * 1024 * 1024;

/** Null where there is none. */
export const collectMark = async (sources: MarkSources): Promise<Mark | null> => {
  const { shown, pictures, meshOf, render, coding, signal } = sources;
  const found = await Promise.all(shown.map(meshOf));
  const seen = shown.flatMap((index, at) => {
    const mesh = found[at];
    return mesh ? [{ index, mesh }] : [];
  });
  if (seen.length < LEAST_PICTURES) return null;
  const luma: Buffer[] = [];
  let rect: Rect | null = null;
  for await (const picture of pictures(seen.map(({ index }) => index))) {
    rect ??= rectOf(
      seen.map(({ mesh }) => mesh),
      picture,
    );
    if (!rect || rect.width * rect.height * seen.length > MOST_BYTES) return null;
    luma.push(lumaIn(picture, rect));
  }
  if (!rect) return null;
  const place = rect;
  const meshes = seen.map(({ mesh }) => meshIn(mesh, place));
  const pixels = await render.mark({ ...place, luma, meshes, coding }, signal);
  return pixels && { ...place, pixels };
};

/** The rectangle round all of these mouths; null where they are too far apart. */
const rectOf = (meshes: readonly Float32Array[], { width, height }: Size): Rect | null => {
  const middles = meshes.map((mesh) => {
    const at = (point: number, axis: number) => mesh[point * 3 + axis] ?? 0;
    const middle = (axis: number) => (at(MOUTH_CORNERS[0], axis) + at(MOUTH_CORNERS[1], axis)) / 2;
    const across = (axis: number) => at(EYE_CORNERS[1], axis) - at(EYE_CORNERS[0], axis);
    return { x: middle(0), y: middle(1), unit: Math.hypot(across(0), across(1), across(2)) };
  });
  const unit = Math.max(...middles.map((middle) => middle.unit));
  const [xs, ys] = [middles.map(({ x }) => x), middles.map(({ y }) => y)];
  const even = (value: number, most: number) =>
    2 * Math.floor(Math.min(most, Math.max(0, value)) / 2);
  const [x, y] = [
    even(Math.min(...xs) - AROUND.x * unit, width),
    even(Math.min(...ys) - AROUND.up * unit, height),
  ];
  const rect = {
    x,
    y,
    width: even(Math.max(...xs) + AROUND.x * unit, width) - x,
    height: even(Math.max(...ys) + AROUND.down * unit, height) - y,
  };
  const side = Math.max(rect.width, rect.height);
  return side > LARGEST * unit || Math.min(rect.width, rect.height) < unit / 2 ? null : rect;
};

const lumaIn = ({ width, pixels }: YuvFrame, rect: Rect): Buffer => {
  const luma = Buffer.allocUnsafe(rect.width * rect.height);
  for (let row = 0; row < rect.height; row += 1) {
    const from = (rect.y + row) * width + rect.x;
    pixels.copy(luma, row * rect.width, from, from + rect.width);
  }
  return luma;
};
