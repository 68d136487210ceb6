/** The pictures of a clip in any order: forwards by one decoder, backwards by windows of bounded memory. */
import type { Config } from '../../config.ts';
import type { YuvFrame } from '../../frame.ts';
import type { VideoInfo } from '../info.ts';
import { decodeFailed } from '../outcome.ts';
import { yuvBytes } from '../yuv.ts';
import { decodeYuv } from './decode.ts';

/** A clip that was decoded before: its pictures are known by their place, and their times as they came. */
export type Film = {
  readonly path: string;
  readonly info: VideoInfo;
  /** When the first picture came, on the clock of the decoder. */
  readonly start: number;
  /** Of each picture, in seconds from the first, and of the end of the last. */
  readonly times: readonly number[];
};

type Means = {
  readonly ffmpeg: Config['ffmpeg'];
  readonly signal: AbortSignal;
  /** Memory of pictures that nobody needs any more; who has finished with one pushes it here. */
  readonly spare: ArrayBufferLike[];
};

/** What pictures that are shown backwards may take at a time. */
const WINDOW_BYTES = 128 * 1024 * 1024;
const WINDOW_FRAMES = 256;
/** So many pictures before the wanted one are decoded too: those after a seek may lack what they are made of. */
const MARGIN = 16;

/**
 * The pictures at these places of the clip, in this order, each in memory of its own; `index` is the place. Throws
 * decode_failed when one that was there before does not come again: the file is the same.
 */
export async function* picturesAt(
  film: Film,
  places: readonly number[],
  means: Means,
): AsyncGenerator<YuvFrame> {
  for (let at = 0; at < places.length; ) {
    const run = runFrom(places, at);
    yield* isFalling(run) ? backwards(film, run, means) : forwards(film, run, means);
    at += run.length;
  }
}

/** The places from there on, as far as they go one way. */
const runFrom = (places: readonly number[], from: number): number[] => {
  let [end, way] = [from + 1, 0];
  for (; end < places.length; end += 1) {
    const step = (places[end] ?? 0) - (places[end - 1] ?? 0);
    if (step * way < 0) break;
    way ||= Math.sign(step);
  }
  return places.slice(from, end);
};

const isFalling = (run: readonly number[]): boolean => (run.at(-1) ?? 0) < (run[0] ?? 0);

async function* forwards(
  film: Film,
  run: readonly number[],
  means: Means,
): AsyncGenerator<YuvFrame> {
  let at = 0;
  let last: YuvFrame | null = null;
  for await (const frame of decodeFrom(film, run[0] ?? 0, means)) {
    if (frame.index !== run[at]) {
      means.spare.push(frame.pixels.buffer);
      continue;
    }
    // Who gets a picture may write into it, so one that comes again is copied before.
    for (; run[at + 1] === frame.index; at += 1) yield copyOf(frame, means.spare);
    at += 1;
    last = frame;
    if (at === run.length) break;
    yield frame;
  }
  // Here the decoder has ended, and does not wait for what comes after the run.
  if (last && at === run.length) yield last;
}

async function* backwards(
  film: Film,
  run: readonly number[],
  means: Means,
): AsyncGenerator<YuvFrame> {
  const most = Math.min(WINDOW_FRAMES, Math.floor(WINDOW_BYTES / yuvBytes(film.info.size)));
  for (let at = 0; at < run.length; ) {
    const lowest = (run[at] ?? 0) - Math.max(1, most) + 1;
    const window = run.slice(at).filter((place) => place >= lowest);
    at += window.length;
    const frames: YuvFrame[] = [];
    for await (const frame of forwards(film, window.reverse(), means)) frames.push(frame);
    for (let frame = frames.pop(); frame; frame = frames.pop()) yield frame;
  }
}

/**
 * The pictures from that place on. A seek is believed where every picture comes at its known time; else, as some
 * containers miss or lose pictures, all that come before are decoded.
 */
async function* decodeFrom(
  { path, info, start, times }: Film,
  first: number,
  { ffmpeg, signal, spare }: Means,
): AsyncGenerator<YuvFrame> {
  const near = first - MARGIN;
  let next = first;
  for (const from of near > 0 ? [near, 0] : [0]) {
    const since = from === 0 ? 0 : start + (times[from] ?? 0);
    let place: number | null = null;
    for await (const frame of decodeYuv(path, info, ffmpeg, signal, since, { block: 1, spare })) {
      const index = from === 0 ? frame.index : placeOf(frame.time - start, times);
      if (index === null || index > next || (place !== null && index !== place + 1)) break;
      place = index;
      if (index < next) {
        spare.push(frame.pixels.buffer);
      } else {
        yield { ...frame, index };
        next += 1;
      }
    }
    if (next >= times.length - 1) return;
  }
  throw decodeFailed(`frame ${next} could be decoded once only`);
}

/** Which picture begins at that time; null when it is none, to within a good part of the distance to the next. */
const placeOf = (time: number, times: readonly number[]): number | null => {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const off = (at: number) => Math.abs((times[at] ?? Number.POSITIVE_INFINITY) - time);
  const place = off(low) <= off(low + 1) ? low : low + 1;
  const gap = Math.min(
    (times[place + 1] ?? Number.POSITIVE_INFINITY) - (times[place] ?? 0),
    (times[place] ?? 0) - (times[place - 1] ?? Number.NEGATIVE_INFINITY),
  );
  return place < times.length - 1 && off(place) < gap / 4 ? place : null;
};

const copyOf = (frame: YuvFrame, spare: ArrayBufferLike[]): YuvFrame => {
  const memory = spare.pop() ?? Buffer.allocUnsafeSlow(frame.pixels.length).buffer;
  const pixels = Buffer.from(memory, 0, frame.pixels.length);
  frame.pixels.copy(pixels);
  return { ...frame, pixels };
};
