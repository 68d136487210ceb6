import type { OutputFormat } from '../../operations/upscale/request.ts';

/** The media type of a result. */
export const contentType = (format: OutputFormat): string =>
  format === 'mp4' ? 'video/mp4' : `image/${format}`;

/** Sound that MP4 holds and players know there is copied bit for bit; any other becomes AAC. */
export const copiedSound = ['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'];
