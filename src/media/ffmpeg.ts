/** ffmpeg and ffprobe: how a caller's file is named to them, and how they are started. */
import type { Config } from '../config.ts';
import { type Child, type ChildOutputs, startChild } from './child.ts';
import type { Container } from './info.ts';

/** What every run of ffmpeg needs: its configuration, and the signal that kills it. */
export type FfmpegOptions = { readonly ffmpeg: Config['ffmpeg']; readonly signal: AbortSignal };

/** The most that one allocation may take: several times the largest picture that the limits let through. */
const MAX_ALLOC_BYTES = 1024 ** 3;
/** Larger coded pictures are not decoded at all, not even to find out what the first one is. */
const MAX_PIXELS = 8192 * 8192;

/** ffmpeg's name of the demuxer, all names under which ffmpeg knows it, and whether the header describes every stream. */
const demuxers: Readonly<
  Record<Container, { name: string; whitelist: string; describesAll: boolean }>
> = {
  mov: { name: 'mov', whitelist: 'mov,mp4,m4a,3gp,3g2,mj2', describesAll: true },
  avi: { name: 'avi', whitelist: 'avi', describesAll: false },
  matroska: { name: 'matroska', whitelist: 'matroska,webm', describesAll: true },
  mpegts: { name: 'mpegts', whitelist: 'mpegts', describesAll: false },
  mpeg: { name: 'mpeg', whitelist: 'mpeg', describesAll: false },
  asf: { name: 'asf', whitelist: 'asf', describesAll: false },
  flv: { name: 'flv', whitelist: 'flv', describesAll: false },
  ogv: { name: 'ogg', whitelist: 'ogg', describesAll: false },
  dv: { name: 'dv', whitelist: 'dv', describesAll: false },
  mxf: { name: 'mxf', whitelist: 'mxf', describesAll: false },
  gif: { name: 'gif', whitelist: 'gif', describesAll: false },
  apng: { name: 'apng', whitelist: 'apng', describesAll: false },
  webp_anim: { name: 'webp_anim', whitelist: 'webp_anim', describesAll: false },
  mp3: { name: 'mp3', whitelist: 'mp3', describesAll: false },
  wav: { name: 'wav', whitelist: 'wav', describesAll: false },
  aiff: { name: 'aiff', whitelist: 'aiff', describesAll: false },
  caf: { name: 'caf', whitelist: 'caf', describesAll: false },
  amr: { name: 'amr', whitelist: 'amr', describesAll: false },
  // Reads E-AC-3 too.
  ac3: { name: 'ac3', whitelist: 'ac3', describesAll: false },
  au: { name: 'au', whitelist: 'au', describesAll: false },
  w64: { name: 'w64', whitelist: 'w64', describesAll: false },
  wv: { name: 'wv', whitelist: 'wv', describesAll: false },
  aac: { name: 'aac', whitelist: 'aac', describesAll: false },
  flac: { name: 'flac', whitelist: 'flac', describesAll: false },
  ogg: { name: 'ogg', whitelist: 'ogg', describesAll: false },
};

/**
 * Input arguments for a caller's file. The demuxer is fixed and only files and pipes are opened, so that no playlist with
 * a video's name can make ffmpeg read another source. Where the header describes the streams, ffmpeg does not decode
 * their first pictures to find out what they are; elsewhere it decodes those of the first video stream only (a file with
 * one picture of 8192x8192 in each of 20 streams took 3.2 GB). Pictures beyond `maxPixels` count as damaged.
 */
export const fileInput = (path: string, container: Container, maxPixels = MAX_PIXELS): string[] => [
  ...(demuxers[container].describesAll
    ? ['-nofind_stream_info', '-max_pixels', String(maxPixels)]
    : ['-max_pixels', '1', '-max_pixels:V:0', String(maxPixels)]),
  ...openingArgs(path, container),
];

/**
 * Stands before an input of sound: ffmpeg then ends where the sample rate or the channels change. By default it starts
 * its filters again there, and a filter that pads a sound to the length of the pictures would pad it once per change.
 */
export const FIXED_SOUND_FORMAT = ['-reinit_filter', '0'];

/**
 * The same file for its chapters alone, which then begin at zero with the file. Where a chapter states no end, ffmpeg knows it
 * only after its look at the streams; no picture is decoded for that.
 */
export const chaptersInput = (path: string, container: Container): string[] => [
  ...['-max_pixels', '1', '-probesize', '32', '-analyzeduration', '0'],
  ...openingArgs(path, container),
];

/** The same input for ffprobe, which decodes only what it is asked for. */
export const probeInput = (path: string, container: Container): string[] => [
  ...['-nofind_stream_info', '-max_pixels', String(MAX_PIXELS)],
  ...openingArgs(path, container),
];

const openingArgs = (path: string, container: Container): string[] =>
  opening(path, demuxers[container]);

const opening = (path: string, { name, whitelist }: { name: string; whitelist: string }) => [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', whitelist],
  ...['-f', name, '-i', `file:${path}`],
];

const pictureDemuxers = { bmp: { name: 'bmp_pipe', whitelist: 'bmp_pipe' }, heic: demuxers.mov };

/** Input arguments for one picture. */
export const pictureInput = (
  path: string,
  format: keyof typeof pictureDemuxers,
  maxPixels: number,
): string[] => ['-max_pixels', String(maxPixels), ...opening(path, pictureDemuxers[format])];

/** The text of a file's own metadata is printed at the level "info", so it never reaches us. */
const globalArgs = [
  ...['-hide_banner', '-loglevel', 'repeat+level+error'],
  ...['-max_alloc', String(MAX_ALLOC_BYTES)],
];

/** Starts one ffmpeg under the limits of its configuration. */
export const startFfmpeg = (
  args: readonly string[],
  { ffmpeg, signal, ...outputs }: FfmpegOptions & ChildOutputs,
): Child =>
  startChild([ffmpeg.path, ...globalArgs, '-nostdin', '-nostats', ...args], {
    limits: ffmpeg,
    signal,
    ...outputs,
  });

/** Starts one ffprobe in the same way. */
export const startFfprobe = (args: readonly string[], { ffmpeg, signal }: FfmpegOptions): Child =>
  startChild([ffmpeg.probePath, ...globalArgs, ...args], { limits: ffmpeg, signal });
