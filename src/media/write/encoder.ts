import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import { type Frame, sizeText, type YuvFrame } from '../../frame.ts';
import { startFfmpeg } from '../ffmpeg.ts';
import { matroskaFrameHead, matroskaHead } from '../probe/matroska.ts';

export type Encoded = {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly fps: number;
};
export type AnyFrame = Frame | YuvFrame;
const SILENT = 'ffmpeg ended early and gave no reason';
type Tally = { frames: number; start: number; end: number };
type Run = { readonly ffmpeg: Config['ffmpeg']; readonly signal: AbortSignal };

/**
 * Feeds the frames to an ffmpeg whose arguments follow from the first of them.
 * Throws encode_failed, or what the frames themselves fail with.
 */
export const encode = async <F extends AnyFrame>(
  frames: AsyncIterable<F>,
  rate: number,
  { ffmpeg, signal }: Run,
  argsFor: (first: F) => string[],
): Promise<Encoded> => {
  const rest = frames[Symbol.asyncIterator]();
  try {
    const { value: first, done } = await rest.next();
    if (done) throw new Failure('encode_failed', { reason: 'there are no pictures' });
    const args = ['-y', '-filter_threads', String(ffmpeg.threads), ...argsFor(first)];
    const tally = await run(first, rest, rate, { ffmpeg, args, signal });
    const durationSeconds = tally.end - tally.start;
    const fps = Number((tally.frames / durationSeconds).toFixed(6));
    return { frames: tally.frames, durationSeconds: Number(durationSeconds.toFixed(6)), fps };
  } finally {
    await rest.return?.();
  }
};

/** Runs an ffmpeg that reads this text, to its end. Throws encode_failed. */
export const runWith = async (
  text: string,
  { ffmpeg, args, signal }: Run & { readonly args: readonly string[] },
): Promise<void> => {
  const child = startFfmpeg(ffmpeg, args, signal);
  try {
    child.stdin.end(text);
    const { exitCode, complaint } = await child.ended();
    signal.throwIfAborted();
    if (exitCode !== 0) throw new Failure('encode_failed', { reason: complaint || SILENT });
  } finally {
    await child.stop();
  }
};

export const isRgb = (frame: AnyFrame): frame is Frame => 'channels' in frame;

const run = async <F extends AnyFrame>(
  first: F,
  rest: AsyncIterator<F>,
  fps: number,
  { ffmpeg, args, signal }: Run & { readonly args: string[] },
): Promise<Tally> => {
  const child = startFfmpeg(ffmpeg, args, signal);
  const tally: Tally = { frames: 0, start: first.time, end: first.time };
  try {
    const broken = await feed(child.stdin, stream(first, rest, fps, tally, child.stdin), signal);
    const { exitCode, complaint } = await child.ended();
    signal.throwIfAborted();
    if (broken || exitCode !== 0) {
      throw new Failure('encode_failed', { reason: complaint || SILENT }, { cause: broken });
    }
    return tally;
  } finally {
    await child.stop();
  }
};

/** Resolves with the pipe's own error when ffmpeg stopped reading, whose reason its end tells; throws what the frames throw. */
const feed = async (stdin: Writable, chunks: AsyncGenerator<Buffer>, signal: AbortSignal) => {
  let failed: { error: unknown } | null = null;
  const watched = async function* () {
    try {
      yield* chunks;
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  try {
    await pipeline(watched, stdin, { signal });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (failed) throw error;
    return error;
  }
};

async function* stream<F extends AnyFrame>(
  first: F,
  rest: AsyncIterator<F>,
  fps: number,
  tally: Tally,
  { writableHighWaterMark }: Writable,
) {
  const wanted = isRgb(first) ? 3 : 1.5;
  yield matroskaHead(first, isRgb(first) ? 'RGB\x18' : 'I420', fps);
  for (let frame: F | null = first; frame; frame = await nextOf(rest)) {
    if (sizeText(frame) !== sizeText(first) || channelsOf(frame) !== wanted) {
      const came = `${sizeText(frame)} with ${channelsOf(frame)} channels`;
      throw new Error(
        `expected pictures of ${sizeText(first)} with ${wanted} channels; ${came} came`,
      );
    }
    tally.frames += 1;
    tally.end = frame.time + frame.duration;
    yield matroskaFrameHead({ ...frame, time: frame.time - first.time });
    // A smaller one may still wait in the pipe's queue when the next frame is asked for, and this one's memory is used again.
    const { pixels } = frame;
    yield pixels.length < writableHighWaterMark ? Buffer.from(pixels) : pixels;
  }
}

/** 4:2:0 has half a sample of either chroma for each of luma. */
const channelsOf = (frame: AnyFrame): number => (isRgb(frame) ? frame.channels : 1.5);

const nextOf = async <F>(frames: AsyncIterator<F>): Promise<F | null> => {
  const { value, done } = await frames.next();
  return done ? null : value;
};
