/** How coarsely an encoder rounded a video, by what its stream states. */
import type { FfmpegOptions } from '../ffmpeg.ts';
import { fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';

/** A stream may have text or padding of any length before its first slice: x265's options take 2400 lines. */
const MOST_LINES = 20_000;
/** "[mpeg4 @ 0x55] [debug]  16  5 5 412": a row of blocks, two places each, behind where it lies (not in older releases). */
const ROW = /\] \[debug\] (?: *\d+ )?((?:[ \d]\d)+)$/;
/** "[mjpeg @ 0x55] [debug] qscale[0]: 9": half of a step of luma. */
const TABLE = /\] \[debug\] qscale\[0\]: (\d+)$/;
/** "[trace_headers @ 0x55] [info] 30          slice_qp_delta            010 = 1". */
const VALUE = /\] \d+ +(\w+) +[01]* = (-?\d+)$/;

type Options = FfmpegOptions & {
  /** The time, in seconds, at or before which a key frame is looked at. */
  readonly from: number;
};

/** How a key frame was rounded. */
export type Quantiser = {
  readonly codec: 'h264' | 'hevc' | 'vp9 or av1';
  /**
   * Between two values that a coefficient of luma can take, where the transform keeps energy: in levels of 255, whatever the
   * bits of a sample. Encoders add to it and take from it block by block, which is not known here.
   */
  readonly step: number;
};

/** How coarsely one key frame is rounded, without decoding it; null: another codec, or nothing was found. */
export const quantiserOf = async (
  path: string,
  info: Pick<VideoInfo, 'container'>,
  options: Options,
): Promise<Quantiser | null> => {
  const reader = new QuantiserReader();
  const args = [
    ...['-loglevel', 'repeat+level+info', ...inputArgs(path, info, options)],
    ...['-c', 'copy', '-bsf:v', 'trace_headers', '-frames:v', '1', '-f', 'null', '-'],
  ];
  await readMessages(args, options, (line) => reader.read(line));
  return reader.found;
};

/**
 * Codecs that round blocks of 8 x 8, and whose decoders leave their edges as they are: by how much a coefficient of luma grows
 * with each number that the decoder tells, in levels of 255.
 */
const BLOCK_CODECS: Readonly<Record<string, number>> = {
  ...{ mpeg1video: 1, mpeg2video: 1, mpeg4: 2, h263: 2, flv1: 2 },
  ...{ msmpeg4v2: 2, msmpeg4v3: 2, wmv1: 2, wmv2: 2, mjpeg: 2 },
};

/** The median step of the blocks of one picture, which is decoded; null: of another codec, or nothing was found. */
export const blockStepOf = async (
  path: string,
  info: Pick<VideoInfo, 'container' | 'codec'>,
  options: Options,
): Promise<number | null> => {
  const levels = BLOCK_CODECS[info.codec ?? ''];
  if (levels === undefined) return null;
  const reader = new BlocksReader();
  const args = [
    ...['-loglevel', 'repeat+level+debug', '-threads', '1', '-debug:v', 'qp'],
    ...[...inputArgs(path, info, options), '-frames:v', '1', '-f', 'null', '-'],
  ];
  await readMessages(args, options, (line) => reader.read(line));
  const scales = reader.found.sort((a, b) => a - b);
  const median = scales[scales.length >> 1];
  return median === undefined ? null : median * levels;
};

const inputArgs = (
  path: string,
  { container }: Pick<VideoInfo, 'container'>,
  { from }: Options,
): string[] => [
  ...(from > 0 ? ['-ss', from.toFixed(6)] : []),
  ...[...fileInput(path, container), '-map', '0:V:0'],
];

/** Runs ffmpeg until `isEnough` says so of a line that it prints. */
const readMessages = async (
  args: readonly string[],
  { ffmpeg, signal }: FfmpegOptions,
  isEnough: (line: string) => boolean,
): Promise<void> => {
  const stopped = new AbortController();
  const onMessage = (line: string): void => {
    if (isEnough(line)) stopped.abort();
  };
  const either = AbortSignal.any([signal, stopped.signal]);
  const child = startFfmpeg(args, { ffmpeg, signal: either, onMessage });
  try {
    await child.ended();
  } finally {
    await child.stop();
  }
  signal.throwIfAborted();
};

/** Reads what ffmpeg's trace_headers prints, as far as the first slice or frame that states its quantiser. */
export class QuantiserReader {
  found: Quantiser | null = null;
  #codec: 'h264' | 'hevc' = 'h264';
  #initial = 26;
  #lines = 0;

  /** Whether no further line is needed. */
  read(line: string): boolean {
    this.#lines += 1;
    const [, name, text] = VALUE.exec(line) ?? [];
    const value = Number(text);
    if (name === 'pic_init_qp_minus26' || name === 'init_qp_minus26') {
      this.#codec = name === 'init_qp_minus26' ? 'hevc' : 'h264';
      this.#initial = 26 + value;
    }
    // A step doubles with six more.
    if (name === 'slice_qp_delta')
      this.found ??= { codec: this.#codec, step: 2 ** ((this.#initial + value - 4) / 6) };
    // It grows by 1/8 with each index up to 97, and faster beyond.
    if (name === 'base_q_idx') this.found ??= { codec: 'vp9 or av1', step: (value + 7) / 8 };
    return this.found !== null || this.#lines >= MOST_LINES;
  }
}

/** Reads what ffmpeg's decoders print of the first picture with `-debug qp`. */
export class BlocksReader {
  readonly found: number[] = [];
  #lines = 0;

  /** Whether no further line is needed. */
  read(line: string): boolean {
    this.#lines += 1;
    const row = ROW.exec(line)?.[1] ?? '';
    for (let at = 0; at < row.length; at += 2) this.found.push(Number(row.slice(at, at + 2)));
    const table = TABLE.exec(line)?.[1];
    if (table) this.found.push(Number(table));
    const isWhole = table !== undefined || (this.found.length > 0 && line.includes('] New frame'));
    return isWhole || this.#lines >= MOST_LINES;
  }
}
