import { z } from 'zod';
import { MediaKind } from '../../contract/media.ts';
import {
  Upload,
  UploadPage,
  UploadQuery,
  UploadRequest,
  uploadExample,
} from '../../contract/uploads.ts';
import { Failure, naming } from '../../errors.ts';
import { checkBytes } from '../../operations/media.ts';
import { oncePerKey } from '../idempotent.ts';
import { route } from '../route.ts';

export const createUpload = route({
  method: 'post',
  path: '/v1/uploads',
  operationId: 'createUpload',
  tag: 'Uploads',
  summary: 'Keep a file for later requests',
  description:
    'The `url` of the answer can be used in any `_url` field by the same account until the upload expires.',
  scope: 'create',
  rate: 'create',
  creates: true,
  idempotent: true,
  body: UploadRequest,
  sources: [['file']],
  answer: { status: 201, body: Upload, example: uploadExample },
  fails: ['unsupported_media_type', 'file_too_large', 'upload_quota_exceeded'],
  handle: (input, parts) =>
    oncePerKey(input, parts, {
      make: async (claim) => {
        const { file } = input.files;
        if (!file) throw new Error('the route lets no request without its file pass');
        const type = await naming('file', async () => {
          const found = await parts.identify(file.path, MediaKind.options);
          checkBytes(file.bytes, found.kind, parts.config.limits);
          return found;
        });
        const upload = await parts.uploads.keep(input.caller.account, file, type);
        if (claim) await parts.idempotency.answer(claim, upload);
        return upload;
      },
      replay: async (before) => Upload.parse(before.state === 'answer' && before.answer),
    }),
});

export const listUploads = route({
  method: 'get',
  path: '/v1/uploads',
  operationId: 'listUploads',
  tag: 'Uploads',
  summary: 'Uploads that are still kept, newest first',
  description:
    'What the quota of the account is used for. For the next page, `starting_after` is the id of the last upload of this one.',
  scope: 'read',
  rate: 'read',
  query: UploadQuery,
  answer: {
    status: 200,
    body: UploadPage,
    example: { object: 'list', data: [uploadExample], has_more: false },
  },
  fails: [],
  handle: async ({ query, caller }, { uploads }) => ({
    object: 'list' as const,
    ...(await uploads.list(caller.account, query)),
  }),
});

const UploadParams = z.strictObject({ id: z.string().describe('of the upload') });
/** Failure not_found where the account has no such upload. */
const existing = (upload: Upload | null): Upload => {
  if (!upload) throw new Failure('not_found', { what: 'upload with this id' });
  return upload;
};

export const getUpload = route({
  method: 'get',
  path: '/v1/uploads/:id',
  operationId: 'getUpload',
  tag: 'Uploads',
  summary: 'An upload that is still kept',
  scope: 'read',
  rate: 'read',
  params: UploadParams,
  answer: { status: 200, body: Upload, example: uploadExample },
  fails: ['not_found'],
  handle: async ({ params, caller }, { uploads }) =>
    existing(await uploads.get(caller.account, params.id)),
});

export const deleteUpload = route({
  method: 'delete',
  path: '/v1/uploads/:id',
  operationId: 'deleteUpload',
  tag: 'Uploads',
  summary: 'Delete an upload now; jobs that were made with it go on',
  scope: 'create',
  rate: 'read',
  params: UploadParams,
  answer: { status: 200, body: Upload, example: uploadExample },
  fails: ['not_found'],
  handle: async ({ params, caller }, { uploads }) =>
    existing(await uploads.remove(caller.account, params.id)),
});
