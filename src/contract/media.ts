import { z } from 'zod';

/** What content turns out to be. */
export const MediaKind = z.enum(['image', 'video', 'audio']);
export type MediaKind = z.infer<typeof MediaKind>;

/** "1280x720": as shown, after EXIF orientation or video rotation. */
export const SizeText = z.string().regex(/^\d+x\d+$/);

/** Where media can be fetched. */
export const SourceUrl = z.url({ protocol: /^https?$/, error: 'Expected an http or https URL' });
