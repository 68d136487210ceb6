/** Pictures of a clip to the faces in them. */

import { openMemory } from '../../memory.ts';
import {
  byteLength,
  floatsIn,
  floatsOf,
  fp32,
  inOneRow,
  int32,
  intsOf,
  type RequestedOutput,
  type Tensor,
  uint8,
} from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import {
  floats,
  integers,
  into,
  type LoadedModel,
  type OutputsByName,
  openModel,
  type Slot,
} from './model.ts';
import { codingTensors, type Patch, type PixelCoding } from './patch-pixels.ts';

export const MESH_POINTS = 478;
/** Numbers of a likeness. */
const LIKENESS = 1260;
const MESH_NUMBERS = MESH_POINTS * 3;

/** x1, y1, x2, y2 in pixels. */
export type Box = readonly [number, number, number, number];

export type Face = {
  /** The same number for the same person, as far as that was certain when the face was found. */
  readonly id: number;
  readonly score: number;
  readonly box: Box;
  /** 478 points of x, y, z in pixels of the picture, in MediaPipe's order. */
  readonly mesh: Float32Array;
  /** The vector by which people are distinguished: taken in the first picture of a face and about every 0.16 s after it; null in the others. */
  readonly likeness: Float32Array | null;
};

type Tracked = {
  /** For each picture the faces in it. */
  readonly faces: readonly (readonly Face[])[];
  /** For each picture whether another shot begins with it. */
  readonly cuts: readonly boolean[];
  /** To be sent with the pictures that follow. */
  readonly state: Float32Array;
};

/** Consecutive pictures of a clip, all of one size. */
type TrackRequest = {
  readonly pictures: readonly Patch[];
  readonly coding: PixelCoding;
  /** The state after the pictures before; empty at the start of a clip. */
  readonly state: Float32Array;
  /** For each picture where the caller says that faces are, in its pixels: boxes, or points as boxes without extent. */
  readonly hints: readonly (readonly Box[])[];
  /** Pictures a second; 25 unless given. */
  readonly fps?: number;
  /** Whether small and drawn faces are looked for where no hint is; true unless given. */
  readonly thorough?: boolean | undefined;
};

export type FaceTrack = {
  track(request: TrackRequest, signal: AbortSignal): Promise<Tracked>;
};

export const faceTrackSlot: Slot = {
  name: 'face_track',
  contract: {
    inputs: [
      { name: 'FRAMES', type: 'TYPE_UINT8', dims: [-1, -1, -1, 3] },
      { name: 'PLANES', type: 'TYPE_UINT8', dims: [-1, -1] },
      { name: 'SIZE', type: 'TYPE_INT32', dims: [2] },
      { name: 'COLOUR', type: 'TYPE_FP32', dims: [3] },
      { name: 'STATE', type: 'TYPE_FP32', dims: [-1] },
      { name: 'HINTS', type: 'TYPE_FP32', dims: [-1, 4] },
      { name: 'HINTED', type: 'TYPE_INT32', dims: [-1] },
      { name: 'FPS', type: 'TYPE_FP32', dims: [1] },
      { name: 'THOROUGH', type: 'TYPE_INT32', dims: [1] },
    ],
    outputs: [
      { name: 'MESH', type: 'TYPE_FP32', dims: [-1, -1, MESH_POINTS, 3] },
      { name: 'SCORE', type: 'TYPE_FP32', dims: [-1, -1] },
      { name: 'ID', type: 'TYPE_INT32', dims: [-1, -1] },
      { name: 'BOX', type: 'TYPE_FP32', dims: [-1, -1, 4] },
      { name: 'LIKENESS', type: 'TYPE_FP32', dims: [-1, -1, LIKENESS] },
      { name: 'CUT', type: 'TYPE_INT32', dims: [-1] },
      { name: 'STATE', type: 'TYPE_FP32', dims: [-1] },
    ],
    parameters: { max_faces: /^[1-9]\d*$/ },
  },
};

export const openFaceTrack = (transport: Transport, loaded: LoadedModel): FaceTrack => {
  const ask = openModel(transport, loaded);
  const most = Number(loaded.parameters.max_faces);
  /** What the last answer came in, for the next one: the collector would have 90 kB a picture to find and free. */
  const answers = openMemory();
  return {
    track: async ({ pictures, coding, state, hints, fps, thorough = true }, signal) => {
      const count = pictures.length;
      const hinted = hints.flatMap((boxes, picture) => boxes.map(() => picture));
      const inputs = [
        ...framesOf(pictures, coding),
        fp32('STATE', [state.length], state),
        fp32('HINTS', [hinted.length, 4], Float32Array.from(hints.flat(2))),
        int32('HINTED', hinted),
        ...(fps ? [fp32('FPS', [1], Float32Array.of(fps))] : []),
        ...(thorough ? [] : [int32('THOROUGH', [0])]),
      ];
      const faces = [
        floats('MESH', count, most, MESH_POINTS, 3),
        floats('SCORE', count, most),
        integers('ID', count, most),
        floats('BOX', count, most, 4),
        floats('LIKENESS', count, most, LIKENESS),
        integers('CUT', count),
      ];
      const memory = answers.take(bytesOf(faces));
      const of = await ask(inputs, [...into(memory, faces), floats('STATE', -1)], signal);
      const tracked = {
        faces: facesOf(of, count, most),
        cuts: Array.from(intsOf(of('CUT')), (cut) => cut === 1),
        state: floatsOf(of('STATE')),
      };
      // Not after a failure: the answer may still come.
      answers.give(memory);
      return tracked;
    },
  };
};

const bytesOf = (outputs: readonly RequestedOutput[]): number =>
  outputs.reduce((sum, output) => sum + (byteLength(output) ?? 0), 0);

const framesOf = (pictures: readonly Patch[], coding: PixelCoding): Tensor[] => {
  const [first] = pictures;
  if (!first) throw new Error('there are no pictures to track');
  const { width, height } = first;
  const pixels = inOneRow(pictures.map((picture) => picture.pixels));
  if (coding === 'rgb') return [uint8('FRAMES', [pictures.length, height, width, 3], pixels)];
  return [
    uint8('PLANES', [pictures.length, first.pixels.length], pixels),
    int32('SIZE', [width, height]),
    ...codingTensors(coding),
  ];
};

const facesOf = (of: OutputsByName, count: number, most: number): Face[][] => {
  const [scores, ids, boxes] = [floatsOf(of('SCORE')), intsOf(of('ID')), floatsOf(of('BOX'))];
  const faceAt = (at: number): Face[] => {
    const [id = -1, score = 0] = [ids[at], scores[at]];
    if (id < 0) return [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = boxes.subarray(at * 4);
    const mesh = floatsIn(of('MESH'), at * MESH_NUMBERS, MESH_NUMBERS);
    const likeness = floatsIn(of('LIKENESS'), at * LIKENESS, LIKENESS);
    const taken = !Number.isNaN(likeness[0]);
    return [{ id, score, mesh, likeness: taken ? likeness : null, box: [x1, y1, x2, y2] }];
  };
  return Array.from({ length: count }, (_, picture) =>
    Array.from({ length: most }, (_, face) => faceAt(picture * most + face)).flat(),
  );
};
