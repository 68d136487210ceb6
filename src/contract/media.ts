import { z } from 'zod';
import { spellings } from './spelling.ts';

/** What content turns out to be. */
export const MediaKind = z.enum(['image', 'video', 'audio']);
export type MediaKind = z.infer<typeof MediaKind>;

/** "1280x720": as shown, after EXIF orientation or video rotation. */
export const SizeText = z.string().regex(/^\d+x\d+$/);

const httpUrl = (error: string) => z.url({ protocol: /^https?$/, error });

export const HttpUrl = httpUrl('Expected an http or https URL');

/** Where media is: anywhere on the web, or at this service, as an upload or a result of the same account. */
export const SourceUrl = httpUrl(
  'Expected an http or https URL, or the file itself as a part of multipart/form-data',
).register(spellings, { of: 'source' });

export const ImageFormat = z.enum(['png', 'jpeg', 'webp', 'avif']);
export type ImageFormat = z.infer<typeof ImageFormat>;
export const OutputFormat = z
  .enum([...ImageFormat.options, 'mp4'])
  .meta({ id: 'OutputFormat' })
  .register(spellings, { of: 'format' });
export type OutputFormat = z.infer<typeof OutputFormat>;
/** The one format of a result that is always a video. */
export const VideoFormat = z.literal('mp4').register(spellings, { of: 'format' });
/** What a request that names no format gets. */
export const defaultFormat = { image: 'png', video: 'mp4' } as const;
