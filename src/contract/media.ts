import { z } from 'zod';

/** What content turns out to be. */
export const MediaKind = z.enum(['image', 'video', 'audio']);
export type MediaKind = z.infer<typeof MediaKind>;

/** "1280x720": as shown, after EXIF orientation or video rotation. */
export const SizeText = z.string().regex(/^\d+x\d+$/);

/** Where media can be fetched. */
export const SourceUrl = z.url({ protocol: /^https?$/, error: 'Expected an http or https URL' });

export const ImageFormat = z.enum(['png', 'jpeg', 'webp', 'avif']);
export type ImageFormat = z.infer<typeof ImageFormat>;
export const OutputFormat = z.enum([...ImageFormat.options, 'mp4']);
export type OutputFormat = z.infer<typeof OutputFormat>;
/** What a request that names no format gets. */
export const defaultFormat = { image: 'png', video: 'mp4' } as const;
