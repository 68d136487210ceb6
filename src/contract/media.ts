import { z } from 'zod';

/** "1280x720": as shown, after EXIF orientation or video rotation. */
export const SizeText = z.string().regex(/^\d+x\d+$/);

/** Where media can be fetched. */
export const SourceUrl = z.url({ protocol: /^https?$/ });
