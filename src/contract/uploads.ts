import { z } from 'zod';
import { MediaKind } from './media.ts';

/** The body of an upload is its one file part, `file`. */
export const UploadRequest = z.strictObject({}).meta({ id: 'UploadRequest' });

export const Upload = z
  .strictObject({
    id: z.string(),
    url: z.url().describe('usable in any _url field by the same account'),
    kind: MediaKind,
    bytes: z.int().positive(),
    sha256: z.string(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;
