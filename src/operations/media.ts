/** What operations share in describing their media. */
import { rm } from 'node:fs/promises';
import type { Limits } from '../config.ts';
import type { JobInput, Warning } from '../contract/job.ts';
import type { MediaKind } from '../contract/media.ts';
import { Failure, naming } from '../errors.ts';
import { sizeText } from '../frame.ts';
import type { Hdr, ImageInfo, MediaInfo, VideoInfo } from '../media/info.ts';
import { identify, toBeRewrapped } from '../media/probe/identify.ts';
import type { Encoded } from '../media/write/encoder.ts';
import { secondsText } from '../text/counted.ts';
import type { Intake, JobFiles, Source } from './operation.ts';

/** Takes the picture or clip of a request; its content decides the kind. Fails as `take` and `identify` do. */
export const takeMedia = async (group: readonly string[], intake: Intake) => {
  const { limits } = intake.config;
  const source = await intake.take(group, Math.max(limits.image.bytes, limits.video.bytes));
  return naming(source.field, async () => {
    const { kind, mime } = await typeOf(source);
    checkBytes(source.bytes, kind, limits);
    return { kind, media: readable({ ...source, mime }, kind, intake) };
  });
};

type Typed = JobFiles['media'];

/** The same source; where no probe could read it, its file becomes one that can be read when it is first asked for. */
export const readable = (source: Typed, kind: MediaKind, intake: Intake): Typed => {
  const container = toBeRewrapped({ kind, mime: source.mime });
  if (!container) return source;
  const { bytes, field } = source;
  const make = async () => {
    const path = await source.file();
    const target = await intake.place(`${field}-rewrapped`);
    const { admit, config } = intake;
    const { ffmpeg } = config.probing;
    const limits = config.limits.video;
    await intake.look(({ rewrap }, signal) =>
      rewrap({ path, container, bytes, limits, target, ffmpeg, signal, admit }),
    );
    await rm(path);
    return target;
  };
  let made: Promise<string> | undefined;
  const file = () => {
    made ??= naming(field, make);
    return made;
  };
  return { ...source, file };
};

const typeOf = async ({ type, file }: Source) =>
  type && type.kind !== 'audio'
    ? { kind: type.kind, mime: type.mime }
    : identify(await file(), ['image', 'video']);

/** Checks the size against the limit of the kind that the content turned out to be. Failure file_too_large. */
export const checkBytes = (bytes: number, kind: MediaKind, limits: Limits): void => {
  const limit = limits[kind].bytes;
  if (bytes <= limit) return;
  throw new Failure('file_too_large', { what: titles[kind], limit_bytes: limit, came: bytes });
};

const titles: Readonly<Record<MediaKind, string>> = {
  image: 'An image',
  video: 'A video',
  audio: 'An audio file',
};

/** What a job says about its picture or clip. */
export const jobInput = (
  { bytes, sha256, mime }: JobFiles['media'],
  info: MediaInfo,
): JobInput => ({
  bytes,
  sha256,
  content_type: mime,
  kind: info.kind,
  size: sizeText(info.size),
  ...(info.kind === 'video' && {
    duration_seconds: info.durationSeconds,
    frames: info.frames,
    fps: info.fps,
  }),
});

/** What a result says about the video that was written. Times are whole ticks, whose sum may miss a round rate by a millionth. */
export const videoDetails = ({ frames, durationSeconds, fps }: Encoded) => ({
  frames,
  duration_seconds: durationSeconds,
  fps: Number(fps.toFixed(3)),
});

/** The warnings about what a result lacks of the pictures of its source. */
export const pictureWarnings = (
  info: Parameters<typeof hdrWarnings>[0] &
    Parameters<typeof alphaWarnings>[0] &
    Parameters<typeof cutVideo>[0],
): readonly Warning[] => [...cutVideo(info), ...hdrWarnings(info), ...alphaWarnings(info)];

/** For a video whose header states more than there is. */
const cutVideo = (
  info: Pick<VideoInfo, 'kind' | 'mediaSeconds' | 'statedSeconds'> | { readonly kind: 'image' },
): readonly Warning[] => {
  if (info.kind === 'image' || info.statedSeconds === undefined) return [];
  const detail = `The video file states that it lasts ${secondsText(info.statedSeconds)}, but only ${secondsText(info.mediaSeconds)} could be read: its end is missing, as after an upload or download that broke off. What could be read is used; send the whole file to have all of it.`;
  return [{ code: 'video_cut_short', detail }];
};

/** HDR spreads its codes over a far greater range of light: in 8 bits their steps can be seen, as bands. Names as ffmpeg's. */
const HDR: Readonly<Record<string, string>> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' };

/** For a video in HDR of more than 8 bits, when every result has 8, and for an image in HDR, when every result is sRGB. */
export const hdrWarnings = (
  info: Pick<VideoInfo, 'kind' | 'pixelFormat' | 'colour'> | Pick<ImageInfo, 'kind' | 'hdr'>,
): readonly Warning[] => {
  if (info.kind === 'image') return info.hdr ? [converted(info.hdr)] : [];
  const curve = HDR[info.colour.transfer ?? ''];
  const [, bits] = /(9|1[0-6])(?:le|be)$/.exec(info.pixelFormat) ?? [];
  if (!curve || !bits) return [];
  const detail = `The video is HDR (${curve}) with ${bits} bits a sample; the result is HDR too, but has 8, so smooth areas may show bands.`;
  return [{ code: 'depth_reduced', detail }];
};

const converted = ({ transfer }: Hdr): Warning => ({
  code: 'hdr_converted',
  detail: `The image is HDR (${transfer.toUpperCase()}); the result is sRGB, for usual screens: light beyond white is pressed together, and colours that sRGB does not have are moved to the nearest that it has.`,
});

/** For a video with transparency, which no result has. */
export const alphaWarnings = (
  info: Pick<VideoInfo, 'kind' | 'alpha'> | { readonly kind: 'image' },
): readonly Warning[] => {
  if (info.kind === 'image' || !info.alpha) return [];
  const detail =
    'The video can be transparent, which H.264 cannot: where it is, the result shows the colour that lies behind the transparency: white for an animated image, else often black.';
  return [{ code: 'transparency_lost', detail }];
};
