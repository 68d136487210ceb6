import type { OutputFormat } from '../contract/upscale.ts';

/** The media type of a result. */
export const contentType = (format: OutputFormat): string =>
  format === 'mp4' ? 'video/mp4' : `image/${format}`;
