import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../errors.ts';
import { type Frame, sizeText, type YuvFrame } from '../../frame.ts';
import { type FfmpegOptions, startFfmpeg } from '../ffmpeg.ts';
import { matroskaFrameHead, matroskaHead } from './matroska.ts';

export type Encoded = {
  readonly frames: number;
  readonly durationSeconds: number;
  readonly fps: number;
};
/** Seconds and rate to 6 decimal places. */
export const encodedOf = (frames: number, seconds: number): Encoded => ({
  frames,
  durationSeconds: Number(seconds.toFixed(6)),
  fps: Number((frames / seconds).toFixed(6)),
});
export type AnyFrame = Frame | YuvFrame;
const NO_REASON = 'ffmpeg ended early and gave no reason';
/** How much was encoded; times in seconds. */
type Tally = { frames: number; start: number; end: number };
type Encoding = FfmpegOptions & {
  /** The mean rate, for the header of the stream to ffmpeg: each frame has its own time. */
  readonly fps: number;
};

/**
 * Writes the frames to an ffmpeg whose arguments depend on the first of them.
 * Throws encode_failed, or what the frames themselves fail with.
 */
export const encode = async <F extends AnyFrame>(
  frames: AsyncIterable<F>,
  encoding: Encoding,
  argsFor: (first: F) => string[],
): Promise<Encoded> => {
  const rest = frames[Symbol.asyncIterator]();
  try {
    const { value: first, done } = await rest.next();
    if (done) throw new Failure('encode_failed', { reason: 'there are no frames' });
    const threads = String(encoding.ffmpeg.threads);
    const args = ['-y', '-filter_threads', threads, ...argsFor(first)];
    const tally = await run(first, rest, { ...encoding, args });
    return encodedOf(tally.frames, tally.end - tally.start);
  } finally {
    await rest.return?.();
  }
};

/** Runs an ffmpeg that reads this text from its standard input, to its end. Throws encode_failed. */
export const runWith = async (
  text: string,
  { args, ...options }: FfmpegOptions & { readonly args: readonly string[] },
): Promise<void> => {
  const child = startFfmpeg(args, options);
  try {
    child.stdin.end(text);
    const { exitCode, errorText } = await child.ended();
    options.signal.throwIfAborted();
    if (exitCode !== 0) throw new Failure('encode_failed', { reason: errorText || NO_REASON });
  } finally {
    await child.stop();
  }
};

export const isRgb = (frame: AnyFrame): frame is Frame => 'channels' in frame;

const run = async <F extends AnyFrame>(
  first: F,
  rest: AsyncIterator<F>,
  { ffmpeg, signal, fps, args }: Encoding & { readonly args: readonly string[] },
): Promise<Tally> => {
  const child = startFfmpeg(args, { ffmpeg, signal });
  const tally: Tally = { frames: 0, start: first.time, end: first.time };
  try {
    const { writableHighWaterMark } = child.stdin;
    const chunks = matroskaOf(first, rest, { fps, tally, writableHighWaterMark });
    const broken = await feed(child.stdin, chunks, signal);
    const { exitCode, errorText } = await child.ended();
    signal.throwIfAborted();
    if (broken || exitCode !== 0) {
      throw new Failure('encode_failed', { reason: errorText || NO_REASON }, { cause: broken });
    }
    return tally;
  } finally {
    await child.stop();
  }
};

/** Resolves with the pipe's error when ffmpeg stopped reading: its exit states the reason. Throws what the frames throw. */
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

type Muxing = {
  readonly fps: number;
  /** Counts the frames as they are written. */
  readonly tally: Tally;
} & Pick<Writable, 'writableHighWaterMark'>;

async function* matroskaOf<F extends AnyFrame>(
  first: F,
  rest: AsyncIterator<F>,
  { fps, tally, writableHighWaterMark }: Muxing,
) {
  const wanted = isRgb(first) ? 3 : 1.5;
  yield matroskaHead(first, isRgb(first) ? 'RGB\x18' : 'I420', fps);
  for (let frame: F | null = first; frame; frame = await nextOf(rest)) {
    if (sizeText(frame) !== sizeText(first) || channelsOf(frame) !== wanted) {
      const received = `${sizeText(frame)} with ${channelsOf(frame)} channels`;
      const expected = `${sizeText(first)} with ${wanted} channels`;
      throw new Error(`expected frames of ${expected}; got ${received}`);
    }
    tally.frames += 1;
    tally.end = frame.time + frame.duration;
    yield matroskaFrameHead({ ...frame, time: frame.time - first.time });
    // A buffer below the high-water mark may still be queued when the next frame comes, which may use the same memory.
    const { pixels } = frame;
    yield pixels.length < writableHighWaterMark ? Buffer.from(pixels) : pixels;
  }
}

/** Samples per pixel; 4:2:0 has a quarter of a Cb and of a Cr sample for each of luma. */
const channelsOf = (frame: AnyFrame): number => (isRgb(frame) ? frame.channels : 1.5);

const nextOf = async <F>(frames: AsyncIterator<F>): Promise<F | null> => {
  const { value, done } = await frames.next();
  return done ? null : value;
};
