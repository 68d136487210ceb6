/** Pictures of a clip to the faces in them. */
import type { Picture } from '../../frame.ts';
import type { Control } from '../protocol/control.ts';
import { floatsOf, fp32, int32, intsOf, type Tensor, uint8 } from '../protocol/tensor.ts';
import type { Transport } from '../protocol/transport.ts';
import { ask, describe, floats, integers } from './model.ts';
import type { Contract } from './verify.ts';

const model = 'face_track';
export const MESH_POINTS = 478;
const LIKENESS = 1260;
const MESH_NUMBERS = MESH_POINTS * 3;

/** x1, y1, x2, y2 in pixels. */
export type Box = readonly [number, number, number, number];

export type Face = {
  /** The same for the same person, as far as that was sure when the face was found. */
  readonly id: number;
  readonly score: number;
  readonly box: Box;
  /** 478 points of x, y, z in pixels of the picture, in MediaPipe's order. */
  readonly mesh: Float32Array;
  /** By which people are told apart; null in pictures in which it was not taken. */
  readonly likeness: Float32Array | null;
};

export type Tracked = {
  /** For each picture the faces in it. */
  readonly faces: readonly (readonly Face[])[];
  /** For the pictures that follow. */
  readonly state: Float32Array;
};

export type FaceTrack = {
  readonly release: string;
  /**
   * Pictures of one size, consecutive in a clip of so many a second; `state` is that of those before, empty at the start.
   * Hints are, for each picture, where faces are said to be: boxes, or points as boxes of no extent.
   */
  track(
    pictures: readonly Picture[],
    state: Float32Array,
    hints: readonly (readonly Box[])[],
    signal: AbortSignal,
    fps?: number,
  ): Promise<Tracked>;
};

const contract: Contract = {
  inputs: [
    { name: 'FRAMES', type: 'TYPE_UINT8', dims: [-1, -1, -1, 3] },
    { name: 'STATE', type: 'TYPE_FP32', dims: [-1] },
    { name: 'HINTS', type: 'TYPE_FP32', dims: [-1, 4] },
    { name: 'HINTED', type: 'TYPE_INT32', dims: [-1] },
    { name: 'FPS', type: 'TYPE_FP32', dims: [1] },
  ],
  outputs: [
    { name: 'MESH', type: 'TYPE_FP32', dims: [-1, -1, MESH_POINTS, 3] },
    { name: 'SCORE', type: 'TYPE_FP32', dims: [-1, -1] },
    { name: 'ID', type: 'TYPE_INT32', dims: [-1, -1] },
    { name: 'BOX', type: 'TYPE_FP32', dims: [-1, -1, 4] },
    { name: 'LIKENESS', type: 'TYPE_FP32', dims: [-1, -1, LIKENESS] },
    { name: 'STATE', type: 'TYPE_FP32', dims: [-1] },
  ],
  parameters: { max_faces: /^[1-9]\d*$/ },
};

export const readFaceTrack = (control: Control) => describe(model, contract, control);

/** raw: meshes without the filter over time; plain: by the other mesh network. For who judges results. */
export type TrackOptions = { readonly raw?: boolean; readonly plain?: boolean };

export const openFaceTrack = async (
  transport: Transport,
  control: Control,
  { raw = false, plain = false }: TrackOptions = {},
): Promise<FaceTrack> => {
  const { release, parameters } = await readFaceTrack(control);
  const most = Number(parameters.max_faces);
  return {
    release,
    track: async (pictures, state, hints, signal, fps) => {
      const count = pictures.length;
      const hinted = hints.flatMap((boxes, picture) => boxes.map(() => picture));
      const inputs = [
        framesOf(pictures),
        fp32('STATE', [state.length], state),
        fp32('HINTS', [hinted.length, 4], Float32Array.from(hints.flat(2))),
        int32('HINTED', hinted),
        ...(fps ? [fp32('FPS', [1], Float32Array.of(fps))] : []),
        ...(raw ? [int32('RAW', [1])] : []),
        ...(plain ? [int32('PLAIN', [1])] : []),
      ];
      const wanted = [
        floats('MESH', count, most, MESH_POINTS, 3),
        floats('SCORE', count, most),
        integers('ID', count, most),
        floats('BOX', count, most, 4),
        floats('LIKENESS', count, most, LIKENESS),
        floats('STATE', -1),
      ];
      const of = await ask(transport, model, inputs, wanted, signal);
      return { faces: facesOf(of, count, most), state: floatsOf(of('STATE')) };
    },
  };
};

const framesOf = (pictures: readonly Picture[]): Tensor => {
  const [first] = pictures;
  if (!first) throw new Error('there are no pictures to track');
  const shape = [pictures.length, first.height, first.width, 3];
  return uint8('FRAMES', shape, inOneRow(pictures.map(({ pixels }) => pixels)));
};

/** All bytes one behind the other; copied only where they do not lie so already. */
const inOneRow = (parts: readonly Buffer[]): Buffer => {
  const [first] = parts;
  let end = first?.byteOffset;
  const lieSo = parts.every(({ buffer, byteOffset, length }) => {
    const follows = buffer === first?.buffer && byteOffset === end;
    end = byteOffset + length;
    return follows;
  });
  if (!first || !lieSo) return Buffer.concat(parts);
  return Buffer.from(first.buffer, first.byteOffset, (end ?? 0) - first.byteOffset);
};

const facesOf = (of: (name: string) => Tensor, count: number, most: number): Face[][] => {
  const [meshes, scores, ids] = [floatsOf(of('MESH')), floatsOf(of('SCORE')), intsOf(of('ID'))];
  const boxes = floatsOf(of('BOX'));
  const likenesses = floatsOf(of('LIKENESS'));
  const faceAt = (at: number): Face[] => {
    const [id = -1, score = 0] = [ids[at], scores[at]];
    if (id < 0) return [];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = boxes.subarray(at * 4);
    const mesh = meshes.slice(at * MESH_NUMBERS, (at + 1) * MESH_NUMBERS);
    const taken = !Number.isNaN(likenesses[at * LIKENESS]);
    const likeness = taken ? likenesses.slice(at * LIKENESS, (at + 1) * LIKENESS) : null;
    return [{ id, score, mesh, likeness, box: [x1, y1, x2, y2] }];
  };
  return Array.from({ length: count }, (_, picture) =>
    Array.from({ length: most }, (_, face) => faceAt(picture * most + face)).flat(),
  );
};
