import { inBatches } from '../../../async/in-batches.ts';
import { inOrder } from '../../../async/in-order.ts';
import type { Config } from '../../../config.ts';
import type { Size, YuvFrame } from '../../../frame.ts';
import type { VideoInfo } from '../../../media/info.ts';
import { decodeSmall, type Source } from '../../../media/read/decode.ts';
import { type Memory, openMemory } from '../../../memory.ts';
import type { Box, Face, FaceTrack } from '../../../triton/clients/face-track.ts';
import type { Coding } from '../../../triton/clients/patch-pixels.ts';
import { codingOf } from '../coding.ts';
import { type Clarity, clarityIn } from './clarity.ts';
import {
  hintIn,
  pointIn,
  type ScaleFactors,
  scaledBox,
  scaledMesh,
  scaleTo,
} from './coordinates.ts';
import { openingOf } from './lips.ts';
import type { MeshFile } from './mesh-file.ts';
import {
  collectLikenesses,
  identifyPeople,
  inShot,
  type Likeness,
  separateShots,
} from './people.ts';
import { findTransitions, type Shots } from './transitions.ts';

/** A face in a picture of the clip; lengths in pixels of the full-size picture. */
export type Sighting = Pick<Face, 'score' | 'box'> &
  Clarity & {
    /** The same for the same person throughout the clip. */
    readonly id: number;
    /** The number of its mesh in the mesh file. */
    readonly mesh: number;
    /** The gap between the lips, in distances of the outer eye corners. */
    readonly opening: number;
  };

/** The pictures of a clip and the faces in each. */
export type TrackedClip = {
  /** The time of the first picture, on the clock of the decoder. */
  readonly start: number;
  /** Times of the pictures, in seconds from the first, and of the end of the last. */
  readonly times: readonly number[];
  readonly sightings: readonly (readonly Sighting[])[];
  /** Indices of the pictures with which another shot begins; absent in records from before they were stored. */
  readonly cuts?: readonly number[];
};

/** Pictures in one request to the tracker: fewer make more requests, more take more memory. */
const CHUNK = 8;
/** Requests on their way: while the tracker works on one, the next one's pictures are decoded. */
const CHUNKS_IN_FLIGHT = 2;

/** The frames to track faces in. `blocks` takes back the memory of whole chunks: see `decodeSmall`. */
type SmallFrames = {
  readonly frames: AsyncIterable<YuvFrame>;
  readonly blocks: Memory;
  /** How their codes become colours. */
  readonly coding: Coding;
};

/** The frames of a video from second `from` on, or one of `every` of them; the longer side at most `longSide` pixels. `keep`: see `decodeSmall`. */
export const openFrames = ({
  source,
  info,
  longSide,
  ffmpeg,
  signal,
  keep,
  from = 0,
  every = 1,
}: {
  readonly source: Source;
  readonly info: VideoInfo;
  readonly longSide: number;
  readonly ffmpeg: Config['ffmpeg'];
  readonly signal: AbortSignal;
  readonly keep?: string | null;
  readonly from?: number;
  readonly every?: number;
}): SmallFrames => {
  const blocks = openMemory();
  const memory = { framesPerBlock: CHUNK, blocks };
  const options = { longSide, keep, ffmpeg, signal, memory, from, every };
  return { frames: decodeSmall(source, info, options), blocks, coding: codingOf(info.colour) };
};

type TrackFacesRequest = SmallFrames & {
  /** The size of the full pictures; the frames may be smaller. */
  readonly size: Size;
  /** Pictures a second. */
  readonly fps: number;
  /** Where the caller says that the face is, by picture. */
  readonly boxes?: readonly (Box | null)[];
  /** False: faces are looked for at `boxes` and where they are large. */
  readonly thorough?: boolean;
  readonly point?: { readonly frame: number; readonly x: number; readonly y: number };
  readonly tracker: FaceTrack;
  /** Takes the mesh of every sighting. */
  readonly meshes: Pick<MeshFile, 'add'>;
  /** Told how many frames are tracked. */
  readonly onFrames?: (done: number) => void;
  readonly signal: AbortSignal;
};

/** Every face in every frame. */
export const trackFaces = async (request: TrackFacesRequest): Promise<TrackedClip> => {
  const { frames, blocks, size, fps, meshes, onFrames } = request;
  const times: number[] = [];
  const sightings: Sighting[][] = [];
  const cuts: number[] = [];
  const transitions = findTransitions(fps);
  const likenesses = collectLikenesses();
  /** Likenesses in pictures whose shot is not decided yet. */
  const waiting: { readonly picture: number; readonly id: number; readonly likeness: Likeness }[] =
    [];
  const collect = (shots: Shots): void => {
    const later = waiting.findIndex(({ picture }) => picture >= shots.length);
    const ready = waiting.splice(0, later < 0 ? waiting.length : later);
    for (const { picture, id, likeness } of ready) {
      const shot = shots[picture] ?? null;
      if (shot !== null) likenesses.add(inShot(id, shot), likeness);
    }
  };
  let end = 0;
  let start: number | undefined;
  const tracked = inOrder(inBatches(frames, CHUNK), CHUNKS_IN_FLIGHT, chunkTracker(request));
  for await (const { chunk, faces, cuts: cutsOfChunk } of tracked) {
    for (const [i, frame] of chunk.entries()) {
      if (cutsOfChunk[i]) cuts.push(times.length);
      transitions.add(frame);
      start ??= frame.time;
      times.push(frame.time - start);
      end = frame.time - start + frame.duration;
      const found = faces[i] ?? [];
      for (const { id, likeness } of found)
        if (likeness) waiting.push({ picture: sightings.length, id, likeness });
      sightings.push(await sightingsOf(found, frame, scaleTo(size, frame), meshes));
    }
    collect(transitions.decided());
    if (chunk.length === CHUNK && chunk[0]) blocks.give(chunk[0].pixels);
    onFrames?.(times.length);
  }
  const shots = transitions.end();
  collect(shots);
  const separated = separateShots(sightings, likenesses.kept(), shots);
  return {
    start: start ?? 0,
    times: [...times, end],
    sightings: identifyPeople(separated.sightings, separated.likenesses),
    cuts,
  };
};

/** Tracks one chunk after the other: each needs the tracker's state after the one before. */
const chunkTracker = (request: TrackFacesRequest) => {
  const { coding, size, fps, boxes = [], thorough, point, tracker, signal } = request;
  let state: Promise<Float32Array> = Promise.resolve(new Float32Array());
  return async (chunk: readonly YuvFrame[]) => {
    const before = state;
    const tracking = (async () => {
      const scale = scaleTo(size, chunk[0] ?? size);
      const hints = chunk.map((frame) => [
        ...hintIn(frame, boxes[frame.index], scale),
        ...(point?.frame === frame.index ? [pointIn(point, scale)] : []),
      ]);
      const asked = { pictures: chunk, coding, state: await before, hints, fps, thorough };
      return tracker.track(asked, signal);
    })();
    state = tracking.then((tracked) => tracked.state);
    // Its failure is thrown below, where `tracking` is awaited; here it must not count as unhandled.
    state.catch(() => undefined);
    const { faces, cuts } = await tracking;
    return { chunk, faces, cuts };
  };
};

const sightingsOf = async (
  faces: readonly Face[],
  frame: YuvFrame,
  scale: ScaleFactors,
  meshes: TrackFacesRequest['meshes'],
): Promise<Sighting[]> => {
  const sightings: Sighting[] = [];
  for (const { id, score, box, mesh } of faces) {
    const fullSize = scaledMesh(mesh, scale);
    const number = await meshes.add(fullSize);
    const opening = openingOf(fullSize);
    const scaled = scaledBox(box, scale.x, scale.y);
    sightings.push({ id, score, box: scaled, mesh: number, opening, ...clarityIn(frame, box) });
  }
  return sightings;
};
