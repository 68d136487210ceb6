/** How coarsely an encoder rounded a video, by what its stream states. Nothing is decoded. */
import type { FfmpegOptions } from '../ffmpeg.ts';
import { fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';

/** A stream may have text or padding of any length before its first slice: x265's options take 2400 lines. */
const MOST_LINES = 20_000;
/** "[trace_headers @ 0x55] [info] 30          slice_qp_delta            010 = 1". */
const VALUE = /\] \d+ +(\w+) +[01]* = (-?\d+)$/;

type Options = FfmpegOptions & {
  /** In seconds: the key frame at or before it is looked at. */
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

/** Of one key frame; null: of another codec, or nothing was found. */
export const quantiserOf = async (
  path: string,
  info: Pick<VideoInfo, 'container'>,
  { from, ffmpeg, signal }: Options,
): Promise<Quantiser | null> => {
  const reader = new QuantiserReader();
  const stopped = new AbortController();
  const onMessage = (line: string): void => {
    if (reader.read(line)) stopped.abort();
  };
  const args = [
    ...['-loglevel', 'repeat+level+info', ...(from > 0 ? ['-ss', from.toFixed(6)] : [])],
    ...[...fileInput(path, info.container), '-map', '0:V:0', '-c', 'copy'],
    ...['-bsf:v', 'trace_headers', '-frames:v', '1', '-f', 'null', '-'],
  ];
  const either = AbortSignal.any([signal, stopped.signal]);
  const child = startFfmpeg(args, { ffmpeg, signal: either, onMessage });
  try {
    await child.ended();
  } finally {
    await child.stop();
  }
  signal.throwIfAborted();
  return reader.found;
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
