/**
 * What is hard to read, into Matroska, before anything else looks at it. MPEG streams, as camcorders, television and DVDs have
 * them, may begin anywhere on their clock, have no index to seek by, and the ffprobe that is installed crashes on some;
 * their pictures are copied as they are, and so are those of Windows Media, Flash Video, Ogg, DV and MXF. Of animated images only some ffmpegs can seek in all; they are encoded without loss.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Limits } from '../../config.ts';
import type { Size } from '../../frame.ts';
import { diskFailure } from '../../storage/disk-failure.ts';
import type { Admit } from '../../storage/write-all.ts';
import { withDeadline } from '../deadline.ts';
import { type FfmpegOptions, fileInput, startFfmpeg } from '../ffmpeg.ts';
import { reasonOf, sharp } from '../image/sharp.ts';
import type { Container } from '../info.ts';
import { endOf, undecodable, unreadable } from '../outcome.ts';
import { checkVideoSize } from './limits.ts';
import { statedSeconds } from './stated-video.ts';

export type Rewrapping = FfmpegOptions & {
  readonly path: string;
  /** One of those that `toBeRewrapped` names. */
  readonly container: Container;
  /** The size of the file, which what is written does not exceed by much. */
  readonly bytes: number;
  readonly limits: Limits['video'];
  /** A new file. After a failure there is none. */
  readonly target: string;
  /** Asked before anything is written. */
  readonly admit?: Admit | undefined;
};

/**
 * Writes the first video, all sounds and the subtitles of such a stream to a Matroska, whose clock begins with the first of
 * them; what is damaged or lost stays so, and a stream may end anywhere. LPCM, which Matroska holds in another form, is
 * written in that. Tags of the Matroska (`OWN_TAGS`) tell the probe what is not in it. Throws media_unreadable, and resolution_too_large for animated images; decode_failed and storage_full are this service's faults.
 */
export const rewrap = async ({ target, ...rewrapping }: Rewrapping): Promise<void> => {
  try {
    await withDeadline(rewrapping.signal, (signal) => write({ ...rewrapping, target, signal }));
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
};

const write = async (rewrapping: Rewrapping): Promise<void> => {
  const { path, container, bytes, limits, target, admit } = rewrapping;
  if (!isCopied(container)) checkVideoSize(await canvasOf(path), limits);
  // Where only the first of several packets has a time, the others get theirs by the rate.
  // ffmpeg would show a picture of an APNG with a delay of 0 for a fifteenth of a second, browsers show it for a tenth.
  const delays = container === 'apng' ? ['-default_fps', '10'] : [];
  const input = ['-fflags', '+genpts', ...delays, ...fileInput(path, container)];
  const output = isCopied(container)
    ? ['-map', '0:V:0?', '-c', 'copy', ...(await copiedArgs(input, rewrapping))]
    : // One picture more than a video may have is enough to refuse it.
      [
        ...ANIMATION,
        ...['-metadata', `${OWN_TAGS.transparent}=${await isTransparent(input, rewrapping)}`],
        ...['-frames:v', String(limits.frames + 1)],
      ];
  await admit?.(bytes);
  const child = startFfmpeg(
    ['-y', ...input, ...output, '-f', 'matroska', `file:${target}`],
    rewrapping,
  );
  try {
    const exit = await endOf(child, rewrapping);
    if (exit.exitCode !== 0)
      throw (
        diskFailure(new Error(exit.errorText)) ??
        unreadable(undecodable(exit.errorText, 'its data'))
      );
  } finally {
    await child.stop();
  }
};

/** Those whose pictures are copied. `mpeg` are MPEG's programme streams, `asf` is Windows Media. */
export const COPIED: readonly Container[] = ['mpegts', 'mpeg', 'asf', 'flv', 'ogv', 'dv', 'mxf'];

/** In milliseconds: pictures for at most 10 are shown for 100, as all browsers do it. Demuxers differ, and some of their releases too. */
const BROWSER_TIMES = [
  "setts=ts='if(N,PREV_OUTPTS+if(lte(PTS-PREV_INPTS,10),100,PTS-PREV_INPTS),PTS)'",
  "duration='if(between(DURATION,1,10),100,DURATION)'",
].join(':');

/** White lies behind what is transparent. Whole pictures are often enough for seeking. */
const ANIMATION = [
  ...['-threads', '1', '-filter_complex_threads', '1', '-filter_complex'],
  '[0:V:0]format=rgba,split[a][b];[a]drawbox=color=white:thickness=fill:replace=1[c];[c][b]overlay=format=rgb,format=rgb24',
  ...['-fps_mode', 'passthrough', '-enc_time_base', '1/1000', '-g', '50'],
  ...['-c:v', 'libx264rgb', '-preset', 'ultrafast', '-qp', '0', '-bsf:v', BROWSER_TIMES],
];

type Track = { readonly index: number; readonly codec: string; readonly sampleRate: number };
type Tracks = { readonly sounds: readonly Track[]; readonly subtitles: readonly Track[] };

/** The sounds and the subtitles, as the header of ffmpeg's framecrc listing names them. */
const tracksOf = async (input: readonly string[], options: FfmpegOptions): Promise<Tracks> => {
  const args = [...input, '-map', '0:a?', '-map', '0:s?', '-c', 'copy', '-t', '0'];
  const child = startFfmpeg([...args, '-f', 'framecrc', 'pipe:1'], options);
  try {
    const streams: Record<string, string>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const [, fact, stream, value] = /^#(\w+) (\d{1,4}): (\w+)$/.exec(line) ?? [];
      if (fact && value) streams[Number(stream)] = { ...streams[Number(stream)], [fact]: value };
    }
    await endOf(child, options);
    const of = (type: string): Track[] =>
      streams
        .filter(({ media_type }) => media_type === type)
        .map(({ codec_id: codec = '', sample_rate }, index) => ({
          index,
          codec,
          sampleRate: Number(sample_rate ?? 0),
        }));
    return { sounds: of('audio'), subtitles: of('subtitle') };
  } finally {
    await child.stop();
  }
};

/** Those of others, such as teletext, cannot be in a Matroska. */
const SUBTITLES = ['dvb_subtitle', 'dvd_subtitle', 'hdmv_pgs_subtitle'];
const LPCM = ['pcm_bluray', 'pcm_dvd', 's302m'];

/** The size of an animated image. */
const canvasOf = async (path: string): Promise<Size> => {
  try {
    const { width, height } = await sharp(path, { limitInputPixels: false }).metadata();
    return { width, height };
  } catch (error) {
    throw unreadable(reasonOf(error), error);
  }
};

/** Whether there is transparency in the first picture: in the later ones whatever does not change is transparent. */
const isTransparent = async (
  input: readonly string[],
  options: FfmpegOptions,
): Promise<boolean> => {
  const output = ['-map', '0:V:0', '-frames:v', '1', '-vf', 'format=rgba,alphaextract,format=gray'];
  const child = startFfmpeg([...input, ...output, '-f', 'rawvideo', 'pipe:1'], options);
  try {
    let isFound = false;
    for await (const alpha of child.stdout)
      isFound ||= Buffer.from(alpha).some((value) => value < 255);
    await endOf(child, options);
    return isFound;
  } finally {
    await child.stop();
  }
};

const isCopied = (container: Container): boolean => COPIED.includes(container);

const copiedArgs = async (input: readonly string[], rewrapping: Rewrapping): Promise<string[]> => {
  const tracks = await tracksOf(input, rewrapping);
  const left = tracks.subtitles.filter(({ codec }) => !SUBTITLES.includes(codec));
  const stated = await statedSeconds(rewrapping.path, rewrapping.container);
  return [
    ...wantedArgs(tracks),
    ...['-metadata', `${OWN_TAGS.leftOut}=${left.map(({ codec }) => codec).join()}`],
    ...['-metadata', `${OWN_TAGS.statedSeconds}=${stated ?? ''}`],
  ];
};

/**
 * What the Matroska says of what it was made of: the codecs of subtitles that are not in it, the length that was stated, and
 * whether it had transparency.
 */
export const OWN_TAGS = {
  leftOut: 'ENHANCE_LEFT_OUT',
  statedSeconds: 'ENHANCE_STATED_SECONDS',
  transparent: 'ENHANCE_TRANSPARENT',
} as const;

const wantedArgs = ({ sounds, subtitles }: Tracks): string[] => [
  // One that is announced and never comes has no rate.
  ...sounds
    .filter(({ sampleRate }) => sampleRate > 0)
    .flatMap(({ index, codec }, at) => [
      ...['-map', `0:a:${index}`],
      ...[`-c:a:${at}`, LPCM.includes(codec) ? 'pcm_s24le' : 'copy'],
    ]),
  ...subtitles
    .filter(({ codec }) => SUBTITLES.includes(codec))
    .flatMap(({ index }) => ['-map', `0:s:${index}`]),
];
