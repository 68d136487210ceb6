/** What the steps of a lip sync hand each other. */
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { evened, fitted, type Size, sizeText } from '../../frame.ts';
import type { Encoded } from '../../media/write/encoder.ts';
import type { Box } from '../../triton/clients/face-track.ts';
import type { LipsyncModels } from '../../triton/clients/lipsync.ts';
import type { Report } from '../progress.ts';
import type { Watch } from './bench-hooks.ts';
import type { Listened } from './plan/hear.ts';
import type { LipsyncOptions, Warning } from './request.ts';

export type LipSyncTask = {
  readonly options: LipsyncOptions;
  readonly kind: 'image' | 'video';
  readonly inputs: { readonly media: string; readonly audio: string };
  readonly target: string;
  /** A folder for what the job's next attempt need not do again. Without it nothing stays. */
  readonly work?: string;
  readonly models: LipsyncModels;
  readonly config: Config;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly watch?: Watch;
};

/** A task that has a folder. */
export type Working = { readonly work: string };

/** A written video, and what is known of how it was made. */
export type Made = {
  readonly encoded: Encoded;
  readonly size: Size;
  readonly facesDetected: number;
  readonly framesPassedThrough: number;
  readonly warnings: readonly Warning[];
  /** On the clock of the pictures. */
  readonly sound: Listened;
  /** Where the speaker's face is in each frame; null too where the mouth is not to move. */
  readonly boxes: readonly (Box | null)[];
  readonly spoken: Spoken;
};

/** The frames in which the mouth is to move: how many, and the first. */
export type Spoken = {
  readonly frames: number;
  readonly first: number;
  readonly firstSeconds: number;
};

/** The smallest face that is found reliably, and what callers are told of it. */
export const SMALLEST_FACE = '64 pixels wide, and a twentieth of the longer side of the picture';

/** The parts of the whole work, as shares of its time. */
export const spans = { looking: [0, 0.35], rendering: [0.35, 0.95], checking: [0.95, 1] } as const;

/** Pictures in which faces are looked for have at most so many pixels on the longer side. */
export const LOOK_SIDE = 1280;

/** The shortest side of a picture that the networks look at. */
const LEAST_SIDE = 16;

/** Throws no_face_detected for pictures in which no network could look for a face. */
export const checkVisible = (size: Size): void => {
  const { width, height } = fitted(size, LOOK_SIDE);
  if (Math.min(width, height) < LEAST_SIDE)
    throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
};

/** To be raised when something that is kept between attempts changes its meaning. */
const FORMAT = 1;

/** All that what is kept between attempts is made from, besides the files of the job. */
export const originOf = ({ options, config }: LipSyncTask, release: string): unknown => [
  ...[FORMAT, release, options, config.lipsync.chunkSeconds, config.ffmpeg.preset],
];

/** Of a still that was larger than a video may be. */
export const shrunkFrom = (sent: Size, { width }: Size): Warning[] => {
  if (sent.width <= width) return [];
  const detail = `The picture of ${sizeText(sent)} is larger than a video may be, and was made smaller.`;
  return [{ code: 'portrait_shrunk', detail }];
};

export const grownFrom = (size: Size): Warning[] => {
  const grown = evened(size);
  if (sizeText(grown) === sizeText(size)) return [];
  const detail = `H.264 in 4:2:0 has even sizes only: ${sizeText(size)} became ${sizeText(grown)} by repeating the last column or row.`;
  return [{ code: 'odd_size_grown', detail }];
};
