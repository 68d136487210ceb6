import type { Config } from '../../config.ts';
import { type Frame, fitted, type Size, type Timed, type YuvFrame } from '../../frame.ts';
import { type Ffmpeg, fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { checkDecoded, decodeFailed, unreadable } from '../outcome.ts';
import { openPipe, type Pipe } from '../pipe.ts';
import { toRgb, toRgbFast, toYuv } from '../scaler.ts';
import { evenLuma, yuvBytes } from '../yuv.ts';
import { PictureClock, tellTimes } from './picture-clock.ts';

/** A decoder that was asked for a picture and gives nothing for this long hangs. */
const STALL_MS = 120_000;
/** So many more pictures than packets come at the most; a packet holds one. */
const MORE_FRAMES = 16;

/**
 * The pictures of a video in order of time, as RGB, upright, progressive, each with its own time; asking for the next
 * is what drives ffmpeg. Damaged pictures are concealed as players do it; when fewer than half can be decoded at all, or
 * more come than there are packets, it throws media_unreadable. Where the decoder does not come to its end it throws
 * decode_failed. Pictures that change size in mid-stream are scaled to the first one's.
 */
export const decodeVideo = (
  path: string,
  info: VideoInfo,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): AsyncGenerator<Frame> => decodeRgb(path, info, info.size, toRgb(info), ffmpeg, signal);

/**
 * The same for a model to look at: the longer side has at most so many pixels. The pixels of `block` frames in a row lie
 * one behind the other in memory of their own; who has finished with such a block pushes it to `spare`, and spares the
 * garbage collector a gigabyte each minute. With `from`, only those that are not shown before that time.
 */
export const decodeSmall = (
  path: string,
  info: VideoInfo,
  longSide: number,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
  memory: Memory = single,
  from = 0,
): AsyncGenerator<Frame> =>
  decodeRgb(path, info, fitted(info.size, longSide), toRgbFast(info), ffmpeg, signal, memory, from);

/** Where pictures are put. */
export type Memory = { readonly block: number; readonly spare: ArrayBufferLike[] };
const single: Memory = { block: 1, spare: [] };

async function* decodeRgb(
  path: string,
  info: VideoInfo,
  size: Size,
  scaling: string,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
  memory: Memory = single,
  from = 0,
): AsyncGenerator<Frame> {
  const filters = [`scale=w=${size.width}:h=${size.height}:${scaling}`, 'format=rgb24'];
  const form = { filters, bytes: size.width * size.height * 3, from, memory };
  for await (const [pixels, timed] of decode(path, info, form, ffmpeg, signal))
    yield { ...size, channels: 3, pixels, ...timed };
}

/**
 * The same pictures at full size in the codes of the source, as 4:2:0 with even sides: an odd one grows by a repeated
 * column or row. With `from`, only those that are not shown before that time.
 */
export async function* decodeYuv(
  path: string,
  info: VideoInfo,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
  from = 0,
  memory: Memory = single,
): AsyncGenerator<YuvFrame> {
  const form = { filters: toYuv(info), bytes: yuvBytes(info.size), from, memory };
  for await (const [pixels, timed] of decode(path, info, form, ffmpeg, signal))
    yield { ...evenLuma({ ...info.size, pixels }), ...timed };
}

/** What ffmpeg is to give: filters, the bytes of one picture, and the time where it starts. */
type Form = {
  readonly filters: readonly string[];
  readonly bytes: number;
  readonly from: number;
  readonly memory: Memory;
};

async function* decode(
  path: string,
  info: VideoInfo,
  form: Form,
  ffmpeg: Config['ffmpeg'],
  signal: AbortSignal,
): AsyncGenerator<[Buffer, Timed]> {
  const clock = new PictureClock(info);
  const pipe = await openPipe();
  const args = decodeArgs(path, info, form, ffmpeg);
  const child = startInto(pipe, () => startFfmpeg(ffmpeg, args, signal, clock.read, pipe.writer));
  let index = 0;
  let held: [Buffer, Omit<Timed, 'duration'>] | null = null;
  try {
    for await (const pixels of pictures(pipe, form.bytes, form.memory)) {
      const told = await clock.next();
      if (told === null) break;
      if (index === info.frames + MORE_FRAMES) {
        throw unreadable(`it has more pictures than its ${info.frames} packets can hold`);
      }
      const time = form.from + told;
      // A picture is shown until the next one's time, so each waits for its successor.
      if (held) yield [held[0], { ...held[1], duration: time - held[1].time }];
      held = [pixels, { index, time }];
      index += 1;
    }
    const ended = await child.ended();
    signal.throwIfAborted();
    checkDecoded(ended, index > 0);
    if (form.from === 0 && index * 2 < info.frames) {
      const came = `${index} of ${info.frames} pictures could be decoded`;
      throw unreadable(`${came}; ${ended.complaint}`);
    }
    if (held) yield [held[0], { ...held[1], duration: info.lastFrameSeconds }];
  } finally {
    await child.stop();
  }
}

/** The child that `start` gives the pipe's end; here it is closed, so that the child's end is the pipe's. */
const startInto = (pipe: Pipe, start: () => Ffmpeg): Ffmpeg => {
  try {
    return start();
  } catch (error) {
    pipe.destroy();
    throw error;
  } finally {
    pipe.writer.destroy();
  }
};

const decodeArgs = (
  path: string,
  info: VideoInfo,
  { filters, from }: Form,
  { threads, maxPixels }: Config['ffmpeg'],
): string[] => {
  const all = [
    ...(info.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    ...filters,
    ...tellTimes(info),
  ];
  return [
    ...['-threads', String(threads), '-filter_threads', String(threads)],
    ...(from > 0 ? ['-ss', from.toFixed(6)] : []),
    ...[...fileInput(path, info.container, maxPixels), '-map', '0:V:0', '-fps_mode', 'passthrough'],
    ...['-vf', all.join(','), '-f', 'rawvideo', 'pipe:1'],
  ];
};

/** What comes, cut into buffers of exactly `bytes`; a shorter rest is dropped. */
async function* pictures(pipe: Pipe, bytes: number, memory: Memory): AsyncGenerator<Buffer> {
  const next = placesIn(memory, bytes);
  const watch = () => setTimeout(() => pipe.destroy(decodeFailed(STALLED)), STALL_MS);
  let timer = watch();
  let picture: Buffer | null = null;
  let filled = 0;
  try {
    for await (const chunk of pipe.chunks) {
      timer.refresh();
      for (let at = 0; at < chunk.length; ) {
        picture ??= next();
        const copied: number = chunk.copy(picture, filled, at);
        at += copied;
        filled += copied;
        if (filled < bytes) continue;
        clearTimeout(timer);
        yield picture;
        timer = watch();
        [picture, filled] = [null, 0];
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The next place for a picture: blocks are filled one after the other. */
const placesIn = ({ block, spare }: Memory, bytes: number): (() => Buffer) => {
  let at = block;
  let memory: ArrayBufferLike = new ArrayBuffer(0);
  return () => {
    if (at === block) {
      memory = spare.pop() ?? Buffer.allocUnsafeSlow(block * bytes).buffer;
      at = 0;
    }
    at += 1;
    return Buffer.from(memory, (at - 1) * bytes, bytes);
  };
};

const STALLED = `the decoder gave nothing for ${STALL_MS / 1000} s`;
