import { z } from 'zod';
import { exampleTimes } from './examples.ts';
import { MediaKind } from './media.ts';
import { PageLimit } from './page.ts';

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

export const UploadPage = z
  .strictObject({ object: z.literal('list'), data: z.array(Upload), has_more: z.boolean() })
  .meta({ id: 'UploadPage' });
export type UploadPage = z.infer<typeof UploadPage>;

export const UploadQuery = z.strictObject({
  limit: PageLimit,
  starting_after: z.string().optional().describe('id of the last upload of the page before'),
});
export type UploadQuery = z.infer<typeof UploadQuery>;

export const uploadExample: Upload = {
  id: 'upl_6ZrT2kPq9WxB',
  url: 'https://media.example.com/v1/uploads/upl_6ZrT2kPq9WxB',
  kind: 'image',
  bytes: 412_668,
  sha256: '3b1f6c0de5a84729c6d1907f2be35a48d0c9176f4e8b2a35d7f1064c9e2b8a51',
  expires_at: exampleTimes.expires,
};
