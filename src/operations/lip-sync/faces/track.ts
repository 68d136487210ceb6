import { inOrder } from '../../../async/in-order.ts';
import type { Config } from '../../../config.ts';
import type { Frame, Size } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import { decodeSmall } from '../../../media/read/decode.ts';
import type { Box, Face, FaceTrack } from '../../../triton/clients/face-track.ts';
import { openingOf } from './lips.ts';
import type { MeshFile } from './mesh-file.ts';
import { asPeople, collectLooks } from './people.ts';

/** A face in a picture of the clip; lengths in pixels of the whole picture. */
export type Sighting = Pick<Face, 'score' | 'box'> & {
  /** The same for the same person throughout the clip. */
  readonly id: number;
  /** Where the mesh lies in the mesh file. */
  readonly mesh: number;
  /** The gap between the lips, in distances of the outer eye corners. */
  readonly opening: number;
};

/** What the first pass finds. */
export type Footage = {
  /** When the first picture came, on the clock of the decoder. */
  readonly start: number;
  /** Of each picture, in seconds from the first, and of the end of the last. */
  readonly times: readonly number[];
  readonly sightings: readonly (readonly Sighting[])[];
};

/** Pictures that travel together: fewer cost more calls, more cost memory. */
const CHUNK = 8;
/** Pixels of a hint's shorter side. */
const LEAST_HINT = 4;

/** Frames of a clip to follow faces in, in memory that is used again: see `decodeSmall`. */
export type Frames = { readonly frames: AsyncIterable<Frame>; readonly spare: ArrayBufferLike[] };

export const openFrames = (
  path: string,
  info: VideoInfo,
  longSide: number,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
  only: (frames: AsyncIterable<Frame>) => AsyncIterable<Frame>,
  from = 0,
): Frames => {
  const spare: ArrayBufferLike[] = [];
  const memory = { framesPerBlock: CHUNK, spare };
  return {
    frames: only(decodeSmall(path, info, { longSide, ffmpeg, signal, memory, from })),
    spare,
  };
};

type Clip = {
  /** Of the whole picture; the frames may be smaller. */
  readonly size: Size;
  /** Where the caller says that the face is. */
  readonly boxes: readonly (Box | null)[];
  readonly point?: { readonly frame: number; readonly x: number; readonly y: number } | null;
  /** Pictures a second. */
  readonly fps: number;
};

/**
 * Every face in every frame. Frames are pulled while those before are looked at; the tracker itself goes from one
 * chunk to the next, since it carries its state along.
 */
export const trackFaces = async (
  { frames, spare }: Frames,
  { size, boxes, point, fps }: Clip,
  tracker: FaceTrack,
  meshes: MeshFile,
  onFrames: (done: number) => void,
  signal: AbortSignal,
): Promise<Footage> => {
  let state: Promise<Float32Array> = Promise.resolve(new Float32Array());
  const look = async (chunk: readonly Frame[]) => {
    const before = state;
    const tracked = (async () => {
      const zoom = zoomTo(size, chunk[0] ?? size);
      const hints = chunk.map((frame) => [
        ...hintIn(frame, boxes[frame.index], zoom),
        ...(point?.frame === frame.index ? [pointIn(point, zoom)] : []),
      ]);
      return tracker.track({ pictures: chunk, state: await before, hints, fps }, signal);
    })();
    state = tracked.then((found) => found.state);
    // Whoever awaits `tracked` hears of its failure.
    state.catch(() => undefined);
    return { chunk, faces: (await tracked).faces };
  };

  const times: number[] = [];
  const sightings: Sighting[][] = [];
  const looks = collectLooks();
  let end = 0;
  let start: number | undefined;
  for await (const { chunk, faces } of inOrder(chunksOf(frames), 2, look)) {
    for (const [i, frame] of chunk.entries()) {
      start ??= frame.time;
      times.push(frame.time - start);
      end = frame.time - start + frame.duration;
      const zoom = zoomTo(size, frame);
      const seen: Sighting[] = [];
      for (const { id, score, box, mesh, likeness } of faces[i] ?? []) {
        const whole = zoomed(mesh, zoom);
        const at = await meshes.add(whole);
        const opening = openingOf(whole);
        seen.push({ id, score, box: scaledBox(box, zoom.x, zoom.y), mesh: at, opening });
        if (likeness) looks.add(id, likeness);
      }
      sightings.push(seen);
    }
    if (chunk.length === CHUNK && chunk[0]) spare.push(chunk[0].pixels.buffer);
    onFrames(times.length);
  }
  return {
    start: start ?? 0,
    times: [...times, end],
    sightings: asPeople(sightings, looks.kept()),
  };
};

async function* chunksOf(frames: AsyncIterable<Frame>): AsyncGenerator<Frame[]> {
  let chunk: Frame[] = [];
  for await (const frame of frames) {
    chunk.push(frame);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

type Zoom = { readonly x: number; readonly y: number };

const zoomTo = (size: Size, { width, height }: Size): Zoom => ({
  x: size.width / width,
  y: size.height / height,
});

/** The box in pixels of the smaller picture; none where no face can fill it: it is a speck there, or far larger than all of it. */
export const hintIn = (picture: Size, box: Box | null | undefined, { x, y }: Zoom): Box[] => {
  if (!box) return [];
  const hint = scaledBox(box, 1 / x, 1 / y);
  const [x1, y1, x2, y2] = hint;
  const [side, most] = [Math.max(x2 - x1, y2 - y1), 2 * Math.max(picture.width, picture.height)];
  return Math.min(x2 - x1, y2 - y1) >= LEAST_HINT && side <= most ? [hint] : [];
};

/** The point in pixels of the smaller picture, as a box of no extent. */
export const pointIn = ({ x, y }: { readonly x: number; readonly y: number }, zoom: Zoom): Box => {
  const [left, top] = [x / zoom.x, y / zoom.y];
  return [left, top, left, top];
};

export const scaledBox = ([x1, y1, x2, y2]: Box, x: number, y: number): Box => [
  x1 * x,
  y1 * y,
  x2 * x,
  y2 * y,
];

/**
 * The mesh in pixels of the larger picture. The tracker counts from the edge of the first pixel, who renders from its middle,
 * as OpenCV does.
 */
export const zoomed = (mesh: Float32Array, { x, y }: Zoom): Float32Array =>
  mesh.map((value, i) => {
    if (i % 3 === 0) return value * x - 0.5;
    return i % 3 === 1 ? value * y - 0.5 : value * x;
  });
