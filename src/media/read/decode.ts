import type { Socket } from 'node:net';
import { type Frame, fitted, type Size, type Timed, type YuvFrame, yuvBytes } from '../../frame.ts';
import { openMemory } from '../../memory.ts';
import { type Child, eachLine } from '../child.ts';
import { type FfmpegOptions, fileInput, startFfmpeg } from '../ffmpeg.ts';
import type { VideoInfo } from '../info.ts';
import { checkDecoded, undecodable, unreadable } from '../outcome.ts';
import { type EncodedPart, listOf, partsInput } from '../parts.ts';
import { openPipe, type Pipe } from '../pipe.ts';
import { asYuv, smallYuv, toRgb, toYuv } from '../scaler.ts';
import { evenLuma } from '../yuv.ts';
import { PictureClock, printTimes } from './picture-clock.ts';
import { type FrameMemory, picturesIn, placesIn } from './raw-pictures.ts';

/** A packet holds one picture; this many more pictures than packets are tolerated. */
const MORE_FRAMES = 16;

/** The path of a file, or the parts of one that are not joined yet. */
export type Source = string | readonly EncodedPart[];

type DecodeOptions = FfmpegOptions & {
  /** Absent: each frame has memory of its own, which is not used again. */
  readonly memory?: FrameMemory | undefined;
  /** Frames that end before this time, in seconds, are left out. Absent: all frames come. */
  readonly from?: number | undefined;
  /** 2: every other frame, beginning with the first. Absent: all. */
  readonly every?: number | undefined;
  /** Filters of ffmpeg that clean the pictures, which are 8-bit 4:2:0 there. Absent: none. */
  readonly cleaning?: readonly string[] | undefined;
};

/**
 * The pictures of a video in order of time, as RGB, upright, progressive, each with its own time; asking for the next
 * is what drives ffmpeg. Damaged pictures are concealed as players do it. Pictures that change their size in mid-stream
 * are scaled to the first one's. Throws media_unreadable where fewer than half can be decoded, or more come than there
 * are packets; decode_failed where the decoder does not reach the end.
 */
export async function* decodeVideo(
  path: string,
  info: VideoInfo,
  options: DecodeOptions,
): AsyncGenerator<Frame> {
  const { size } = info;
  const { cleaning = [] } = options;
  const [cleaned, codes] = cleaning.length
    ? [[...toYuv(info), ...cleaning], asYuv(info)]
    : [[], info];
  const layout = { filters: [...cleaned, ...toRgb(codes)], bytes: size.width * size.height * 3 };
  for await (const [pixels, timed] of decode(path, info, layout, options))
    yield { ...size, channels: 3, pixels, ...timed };
}

type SmallOptions = DecodeOptions & {
  readonly longSide: number;
  /** A new file, for `openSpool`, in which the pictures are kept as `decodeYuv` gives them. Without it they are not kept. */
  readonly keep?: string | null | undefined;
};

/** As `decodeYuv` for a model to look at: in square pixels, the longer side has at most `longSide` of them. */
export async function* decodeSmall(
  source: Source,
  info: VideoInfo,
  { longSide, keep, ...options }: SmallOptions,
): AsyncGenerator<YuvFrame> {
  const size = fitted(inSquarePixels(info), longSide);
  const filters = { filters: toYuv(info), small: smallYuv(info.size, size) };
  const layout = { ...filters, bytes: yuvBytes(size), keep };
  for await (const [pixels, timed] of decode(source, info, layout, options))
    yield { ...size, pixels, ...timed };
}

/** More than this times as wide as high, or as high as wide, no pixels are: the file is wrong. */
const LONGEST_PIXEL = 2;

/** The size of a video's pictures if their pixels become square, by one side that grows. */
const inSquarePixels = ({ size, sampleAspect: { num, den } }: VideoInfo): Size => {
  const [across, down] = [num / den, den / num];
  if (!(Math.max(across, down) <= LONGEST_PIXEL)) return size;
  return {
    width: Math.round(size.width * Math.max(1, across)),
    height: Math.round(size.height * Math.max(1, down)),
  };
};

/** The same pictures at full size in the codes of the source, as 4:2:0. */
export async function* decodeYuv(
  path: string,
  info: VideoInfo,
  options: DecodeOptions,
): AsyncGenerator<YuvFrame> {
  const { cleaning = [] } = options;
  const layout = { filters: [...toYuv(info), ...cleaning], bytes: yuvBytes(info.size) };
  for await (const [pixels, timed] of decode(path, info, layout, options))
    yield { ...info.size, pixels, ...timed };
}

/** The same with even sides: an odd one grows by a repeated column or row. */
export async function* decodeEvenYuv(
  path: string,
  info: VideoInfo,
  options: DecodeOptions,
): AsyncGenerator<YuvFrame> {
  for await (const frame of decodeYuv(path, info, options)) yield { ...frame, ...evenLuma(frame) };
}

type PixelLayout = {
  /** What makes the wanted pixels. */
  readonly filters: readonly string[];
  /** What makes them smaller then. */
  readonly small?: readonly string[];
  /** Bytes of one picture that the filters give. */
  readonly bytes: number;
  /** Where the pictures are kept as they are before they become smaller. */
  readonly keep?: string | null | undefined;
};

async function* decode(
  source: Source,
  info: VideoInfo,
  layout: PixelLayout,
  options: DecodeOptions,
): AsyncGenerator<[Buffer, Timed]> {
  const { from = 0, every = 1, memory = { blocks: openMemory() }, ffmpeg, signal } = options;
  const clock = new PictureClock(info);
  const pipe = await openPipe(placesIn(memory, layout.bytes));
  const args = decodeArgs(source, info, { ...layout, from, every, ffmpeg });
  const readDescriptor3 = eachLine(clock.read);
  const start = (stdoutTo: Socket) =>
    startFfmpeg(args, { ffmpeg, signal, stdoutTo, readDescriptor3 });
  const child = startInto(pipe, start);
  child.stdin.end(typeof source === 'string' ? '' : listOf(source));
  let index = 0;
  let held: [Buffer, Omit<Timed, 'duration'>] | null = null;
  try {
    for await (const pixels of picturesIn(pipe)) {
      const sinceStart = await clock.next();
      if (sinceStart === null) break;
      if (index === info.frames + MORE_FRAMES) {
        throw unreadable(`it has more frames than its ${info.frames} packets can contain`);
      }
      const time = from + sinceStart;
      // A picture is shown until the next one's time, so each waits for its successor.
      if (held) yield [held[0], { ...held[1], duration: time - held[1].time }];
      held = [pixels, { index, time }];
      index += 1;
    }
    const exit = await child.ended();
    signal.throwIfAborted();
    checkDecoded(exit, index > 0);
    if (from === 0 && index * every * 2 < info.frames) {
      const part = `${index} of ${info.frames} pictures`;
      throw unreadable(
        `only ${part} could be decoded; ${undecodable(exit.errorText, 'the others')}`,
      );
    }
    if (held) yield [held[0], { ...held[1], duration: info.lastFrameSeconds }];
  } finally {
    await child.stop();
  }
}

/** The child that `start` gives the pipe's writing end. That is closed here, so that the pipe ends when the child does. */
const startInto = (pipe: Pipe, start: (writer: Socket) => Child): Child => {
  try {
    return start(pipe.writer);
  } catch (error) {
    pipe.destroy();
    throw error;
  } finally {
    pipe.writer.destroy();
  }
};

type ArgsOptions = Pick<PixelLayout, 'filters' | 'small' | 'keep'> &
  Pick<FfmpegOptions, 'ffmpeg'> & { readonly from: number; readonly every: number };

const decodeArgs = (source: Source, info: VideoInfo, options: ArgsOptions): string[] => {
  const { filters, small = [], keep, from, every, ffmpeg } = options;
  const { threads, maxPixels } = ffmpeg;
  const full = [
    ...(info.fields ? [`setfield=${info.fields}`] : []),
    // Of film, most whole pictures can be put together again from their two fields; docs/decisions/0183.
    ...(info.telecined ? [`fieldmatch=order=${info.telecined}:combmatch=full`] : []),
    ...(info.interlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : []),
    ...(every > 1 ? [`select=not(mod(n\\,${every}))`] : []),
    ...filters,
  ];
  const wanted = [...small, ...printTimes(info)];
  const input = [
    ...['-threads', String(threads), '-filter_threads', String(threads)],
    ...(from > 0 ? ['-ss', from.toFixed(6)] : []),
    ...(typeof source === 'string'
      ? fileInput(source, info.container, maxPixels)
      : ['-nofind_stream_info', ...partsInput]),
  ];
  if (!keep)
    return [...input, '-map', '0:V:0', '-vf', [...full, ...wanted].join(','), ...raw('pipe:1')];
  // The same pictures for both: they are made once. The file comes first, which is read by what has come through the pipe.
  if (small.length === 0) {
    const targets = [`file:${keep}`, 'pipe:1'].map((target) => `[f=rawvideo]${quoted(target)}`);
    return [
      ...[...input, '-map', '0:V:0', '-vf', [...full, ...wanted].join(','), ...passthrough],
      ...['-c:v', 'rawvideo', '-f', 'tee', targets.join('|')],
    ];
  }
  const graph = [
    `[0:V:0]${[...full, 'split[full][a]'].join(',')}`,
    `[a]${wanted.join(',')}[small]`,
  ];
  return [
    ...['-filter_complex_threads', String(threads), ...input],
    ...['-filter_complex', graph.join(';')],
    ...['-map', '[small]', ...raw('pipe:1'), '-map', '[full]', ...raw(`file:${keep}`)],
  ];
};

const passthrough = ['-fps_mode', 'passthrough'];

const raw = (target: string): string[] => [...passthrough, '-f', 'rawvideo', target];

/** The text quoted, for a list that ffmpeg cuts at "|". */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
