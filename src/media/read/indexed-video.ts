/** The pictures of a video in any order: forwards by one decoder, backwards by windows of bounded memory. */
import { type YuvFrame, yuvBytes } from '../../frame.ts';
import type { Memory } from '../../memory.ts';
import type { FfmpegOptions } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { decodeFailed } from '../outcome.ts';
import { evenLuma } from '../yuv.ts';
import { decodeEvenYuv } from './decode.ts';
import type { Spool } from './spool.ts';

/** A video that was decoded once before, so that the time of each of its pictures is known by its index. */
export type IndexedVideo = {
  readonly path: string;
  readonly info: VideoInfo;
  /** The time of the first picture, on the clock of the decoder, in seconds. */
  readonly start: number;
  /** The time of each picture, in seconds from the first one's, and of the end of the last. */
  readonly times: readonly number[];
  /** Pictures that were kept when it was decoded; it is not closed here. Null: none. */
  readonly spool?: Spool | null;
};

type ReadOptions = FfmpegOptions & {
  /** Gets the pixels of each picture that its receiver has finished with. */
  readonly memory: Memory;
};

/** The most pictures that are held in memory to be read backwards. */
const WINDOW_BYTES = 128 * 1024 * 1024;
const WINDOW_FRAMES = 256;
/** How many pictures before the wanted one are decoded too: the first after a seek may lack the pictures they refer to. */
const MARGIN = 16;

/**
 * The pictures of these indices, in this order, each in memory of its own. Throws decode_failed where one cannot be
 * decoded that could be before: the file is the same.
 */
export async function* framesAt(
  video: IndexedVideo,
  indices: readonly number[],
  options: ReadOptions,
): AsyncGenerator<YuvFrame> {
  for (let at = 0; at < indices.length; ) {
    const kept = keptFrom(video, indices, at);
    const run = kept.length > 0 ? kept : runFrom(video, indices, at);
    if (kept.length > 0) yield* fromSpool(video, kept, options.memory);
    else yield* isFalling(run) ? backwards(video, run, options) : forwards(video, run, options);
    at += run.length;
  }
}

const isKept = ({ spool }: IndexedVideo, index: number | undefined): boolean =>
  index !== undefined && index < (spool?.pictures ?? 0);

/** The indices from there on, as far as their pictures were kept. */
const keptFrom = (video: IndexedVideo, indices: readonly number[], from: number): number[] => {
  let end = from;
  while (isKept(video, indices[end])) end += 1;
  return indices.slice(from, end);
};

async function* fromSpool(
  { info: { size }, spool, start, times }: IndexedVideo,
  run: readonly number[],
  memory: Memory,
): AsyncGenerator<YuvFrame> {
  if (!spool) return;
  const bytes = yuvBytes(size);
  for (const index of run) {
    const pixels = memory.take(bytes);
    await spool.read(index, pixels);
    const [begin = 0, end = begin] = times.slice(index, index + 2);
    yield { ...evenLuma({ ...size, pixels }), index, time: start + begin, duration: end - begin };
  }
}

/** The indices from there on, as far as their pictures were not kept, and they only rise or only fall. */
const runFrom = (video: IndexedVideo, indices: readonly number[], from: number): number[] => {
  let [end, direction] = [from + 1, 0];
  for (; end < indices.length && !isKept(video, indices[end]); end += 1) {
    const step = (indices[end] ?? 0) - (indices[end - 1] ?? 0);
    if (step * direction < 0) break;
    direction ||= Math.sign(step);
  }
  return indices.slice(from, end);
};

const isFalling = (run: readonly number[]): boolean => (run.at(-1) ?? 0) < (run[0] ?? 0);

async function* forwards(
  video: IndexedVideo,
  run: readonly number[],
  options: ReadOptions,
): AsyncGenerator<YuvFrame> {
  let at = 0;
  let last: YuvFrame | null = null;
  for await (const frame of decodeFrom(video, run[0] ?? 0, options)) {
    if (frame.index !== run[at]) {
      options.memory.give(frame.pixels);
      continue;
    }
    // A receiver may write into its picture, so one that is needed again is copied before.
    for (; run[at + 1] === frame.index; at += 1) yield copyOf(frame, options.memory);
    at += 1;
    last = frame;
    if (at === run.length) break;
    yield frame;
  }
  // Only now, when the decoder has ended: the reader may wait long before it asks for the next run.
  if (last && at === run.length) yield last;
}

async function* backwards(
  video: IndexedVideo,
  run: readonly number[],
  options: ReadOptions,
): AsyncGenerator<YuvFrame> {
  const most = Math.min(WINDOW_FRAMES, Math.floor(WINDOW_BYTES / yuvBytes(video.info.size)));
  for (let at = 0; at < run.length; ) {
    const lowest = (run[at] ?? 0) - Math.max(1, most) + 1;
    const window = run.slice(at).filter((index) => index >= lowest);
    at += window.length;
    const frames: YuvFrame[] = [];
    for await (const frame of forwards(video, window.reverse(), options)) frames.push(frame);
    for (let frame = frames.pop(); frame; frame = frames.pop()) yield frame;
  }
}

/**
 * The pictures from that index on. A seek is trusted while every picture comes at its known time; else, as some
 * containers seek to a wrong picture or lose some, all are decoded from the first one on.
 */
async function* decodeFrom(
  { path, info, start, times }: IndexedVideo,
  first: number,
  { memory: blocks, ...options }: ReadOptions,
): AsyncGenerator<YuvFrame> {
  const near = first - MARGIN;
  let next = first;
  for (const seekTo of near > 0 ? [near, 0] : [0]) {
    const from = seekTo === 0 ? 0 : start + (times[seekTo] ?? 0);
    let last: number | null = null;
    for await (const frame of decodeEvenYuv(path, info, { ...options, from, memory: { blocks } })) {
      const index = seekTo === 0 ? frame.index : indexOf(frame.time - start, times);
      if (index === null || index > next || (last !== null && index !== last + 1)) break;
      last = index;
      if (index < next) {
        blocks.give(frame.pixels);
      } else {
        yield { ...frame, index };
        next += 1;
      }
    }
    if (next >= times.length - 1) return;
  }
  throw decodeFailed(`frame ${next} was decoded once and could not be decoded again`);
}

/** Which picture begins at that time, to within a quarter of the distance to its neighbours; null when none does. */
const indexOf = (time: number, times: readonly number[]): number | null => {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const off = (at: number) => Math.abs((times[at] ?? Number.POSITIVE_INFINITY) - time);
  const index = off(low) <= off(low + 1) ? low : low + 1;
  const gap = Math.min(
    (times[index + 1] ?? Number.POSITIVE_INFINITY) - (times[index] ?? 0),
    (times[index] ?? 0) - (times[index - 1] ?? Number.NEGATIVE_INFINITY),
  );
  return index < times.length - 1 && off(index) < gap / 4 ? index : null;
};

const copyOf = (frame: YuvFrame, memory: Memory): YuvFrame => {
  const pixels = memory.take(frame.pixels.length);
  frame.pixels.copy(pixels);
  return { ...frame, pixels };
};
