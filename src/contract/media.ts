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

export const UpscaleOutput = z
  .strictObject({
    quality: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('of jpeg, webp, avif and mp4; higher is truer and larger'),
    lossless: z.boolean().optional().describe('for webp, avif and mp4; png always is'),
    metadata: z
      .enum(['keep', 'strip'])
      .optional()
      .describe('EXIF and XMP of an image; stripped unless asked to keep'),
    background: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Expected a colour as #rrggbb')
      .optional()
      .describe('#rrggbb put behind transparency where the format has none; white unless given'),
  })
  .meta({ id: 'UpscaleOutput' });
export type UpscaleOutput = z.infer<typeof UpscaleOutput>;
