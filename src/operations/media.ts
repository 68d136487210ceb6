/** What operations share in telling of their media. */
import type { Limits } from '../config.ts';
import type { JobInput } from '../contract/job.ts';
import type { MediaKind } from '../contract/media.ts';
import { Failure } from '../errors.ts';
import { sizeText } from '../frame.ts';
import type { MediaInfo } from '../media/info.ts';
import { identify } from '../media/probe/identify.ts';
import type { Encoded } from '../media/write/encoder.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { Intake } from './operation.ts';

/** Takes the picture or clip of a request, whose kind its content tells. Fails as `take` and `identify` do. */
export const takeMedia = async (group: readonly string[], intake: Intake) => {
  const { limits } = intake.config;
  const file = await intake.take(group, Math.max(limits.image.bytes, limits.video.bytes));
  const { kind, mime } = await identify(file.path, ['image', 'video']);
  checkBytes(file.bytes, kind, limits);
  return { kind, media: { ...file, mime } };
};

/** By the kind that the content turned out to be. Failure file_too_large. */
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

/** What a job tells of its picture or clip. */
export const jobInput = (
  { bytes, sha256, mime }: Omit<StoredFile, 'path'> & { readonly mime: string },
  info: MediaInfo,
): JobInput => ({
  ...{ bytes, sha256, content_type: mime },
  kind: info.kind,
  size: sizeText(info.size),
  ...(info.kind === 'video' && {
    duration_seconds: info.durationSeconds,
    frames: info.frames,
    fps: info.fps,
  }),
});

/** What a result tells of the video that was written. Times are whole ticks, whose sum may miss a round rate by a millionth. */
export const videoDetails = ({ frames, durationSeconds, fps }: Encoded) => ({
  frames,
  duration_seconds: durationSeconds,
  fps: Number(fps.toFixed(3)),
});
