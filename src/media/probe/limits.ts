import type { Limits } from '../../config.ts';
import type { OutputFormat } from '../../contract/media.ts';
import { Failure } from '../../errors.ts';
import { type Size, scaled, sizeText } from '../../frame.ts';
import type { MediaInfo } from '../info.ts';

/** The longest side that a format itself can have, in pixels, whatever the limits are. */
const longestSide: Record<OutputFormat, number> = {
  png: 65_535,
  jpeg: 65_535,
  webp: 16_383,
  avif: 16_384,
  mp4: 16_384,
};

/** Checks the media of an upscale before it is decoded. Throws resolution_too_large, media_too_long or output_too_large. */
export const checkLimits = (
  info: MediaInfo,
  limits: Limits,
  scale: number,
  format: OutputFormat,
): void => {
  if (info.kind === 'image') checkPixels(info.size, limits.image.pixels);
  else {
    checkVideoSize(info.size, limits.video);
    checkSeconds(info.mediaSeconds, limits.video.seconds, 'video');
    checkFrames(info.frames, limits.video);
  }
  const size = scaled(info.size, scale);
  checkOutputSide(size, limits[info.kind].outputSide, format);
  if (info.kind === 'video') checkOutputPixels(size, info.frames, limits.video.outputPixels);
};

/** Throws resolution_too_large. */
export const checkPixels = (size: Size, limit: number): void => {
  const pixels = size.width * size.height;
  if (pixels <= limit) return;
  throw new Failure('resolution_too_large', {
    limit: `${limit / 1e6} megapixels`,
    came: `${(pixels / 1e6).toFixed(1)} (${sizeText(size)})`,
  });
};

/** The limits are for either orientation. Throws resolution_too_large. */
export const checkVideoSize = (size: Size, limits: Limits['video']): void => {
  const [short, long] = [Math.min(size.width, size.height), Math.max(size.width, size.height)];
  if (long <= limits.longSide && short <= limits.shortSide) return;
  throw new Failure('resolution_too_large', {
    limit: `${limits.longSide}x${limits.shortSide} or ${limits.shortSide}x${limits.longSide} pixels`,
    came: sizeText(size),
  });
};

/** Throws media_too_long. */
export const checkSeconds = (seconds: number, limit: number, what: 'video' | 'sound'): void => {
  if (seconds <= limit) return;
  const came = Math.ceil(seconds * 10) / 10;
  throw new Failure('media_too_long', { what, limit_seconds: limit, came_seconds: came });
};

/** The failure of a video that was read up to the first frame beyond the limit: its whole length is not known. */
export const tooLong = (
  read: { readonly packets: number; readonly start: number; readonly end: number },
  limits: Pick<Limits['video'], 'frames' | 'seconds'>,
): Failure => {
  const seconds = Math.floor((read.end - read.start) * 10) / 10;
  return new Failure('media_too_long', {
    what: 'video',
    ...(seconds > limits.seconds
      ? { limit_seconds: limits.seconds, came_seconds: `at least ${seconds}` }
      : { limit_frames: limits.frames, came_frames: read.packets }),
  });
};

/** Checks an input video: however short it is, each of its pictures is work. Throws media_too_long. */
export const checkFrames = (frames: number, limits: Pick<Limits['video'], 'frames'>): void => {
  if (frames <= limits.frames) return;
  const facts = { limit_frames: limits.frames, came_frames: frames };
  throw new Failure('media_too_long', { what: 'video', ...facts });
};

/** Checks a result. Throws output_too_large. */
export const checkOutputFrames = (
  frames: number,
  limits: Pick<Limits['video'], 'frames'>,
): void => {
  if (frames <= limits.frames) return;
  throw new Failure('output_too_large', { limit: `${limits.frames} frames`, came: `${frames}` });
};

const checkOutputPixels = (size: Size, frames: number, limit: number): void => {
  const pixels = size.width * size.height * frames;
  if (pixels <= limit) return;
  throw new Failure('output_too_large', {
    limit: `${limit / 1e9} gigapixels in all frames together`,
    came: `${(pixels / 1e9).toFixed(1)} (${frames} of ${sizeText(size)})`,
  });
};

const checkOutputSide = (size: Size, limit: number, format: OutputFormat): void => {
  const most = Math.min(limit, longestSide[format]);
  if (Math.max(size.width, size.height) <= most) return;
  throw new Failure('output_too_large', {
    limit: `${most} pixels per side${most < limit ? ` as ${format}` : ''}`,
    came: sizeText(size),
  });
};
