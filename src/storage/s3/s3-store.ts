import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '../../errors.ts';
import { hashed } from '../hashed.ts';
import { type Content, type Name, type Range, SHARED_FOLDERS, type Store } from '../store.ts';
import { writeHashed } from '../write-all.ts';
import { clientFor, type Settings } from './s3-client.ts';
import { damaged, told, toldBytes, toldEach, unlessGone } from './s3-failure.ts';

/** A transfer that is slower than this on average is given up. */
const LEAST_BYTES_PER_SECOND = 128 * 1024;
/** Parts of one file that are under way at a time; each is in memory. */
const PARTS_AT_ONCE = 2;
/** How long an answer about the bucket's state is used again. */
const FRESH_MS = 5_000;

/**
 * A bucket of an S3 server. Each file has the SHA-256 of its content as metadata, and every copy is checked against it. The
 * client sends a call again twice when the server does not answer in time or says that it cannot now.
 */
export const openS3Store = (settings: Settings): Store => {
  const { bucket: Bucket, prefix, partBytes, presign, timeoutMs } = settings;
  const client = clientFor(settings, settings.endpoint);
  const signer = presign && clientFor(settings, presign.endpoint ?? settings.endpoint);
  const keyOf = (name: Name) => ({ Bucket, Key: `${prefix}${name}` });
  let checked = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve() };

  const known = (name: Name): Promise<Content | null> =>
    unlessGone(`HeadObject ${name}`, async () => {
      const head = await client.send(new HeadObjectCommand(keyOf(name)));
      return { bytes: head.ContentLength ?? 0, sha256: head.Metadata?.sha256 ?? '' };
    });

  const open = async (name: Name, range?: Range, signal?: AbortSignal) => {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    const asked = new GetObjectCommand({ ...keyOf(name), ...part });
    const got = await client.send(asked, { ...(signal && { abortSignal: signal }) });
    if (!(got.Body instanceof Readable)) throw new Error(`S3 gave no stream for ${name}`);
    return {
      body: got.Body,
      bytes: got.ContentLength ?? 0,
      sha256: got.Metadata?.sha256 ?? '',
    };
  };

  /** Removes at most 1000 files at a time; the next sweep goes on. */
  const removeParts = async (Prefix: string, before: number): Promise<void> => {
    const asked = new ListMultipartUploadsCommand({ Bucket, Prefix });
    const { Uploads = [] } = await told('ListMultipartUploads', () => client.send(asked));
    for (const { Key, UploadId, Initiated } of Uploads) {
      if ((Initiated?.getTime() ?? before) >= before) continue;
      // The sweep of another worker may have removed it meanwhile.
      await unlessGone(`AbortMultipartUpload ${Key}`, () =>
        client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      );
    }
  };

  return {
    put: (name, path, expected = {}) =>
      told(`PutObject ${name}`, async () => {
        const content = await checkedContent(path, await expected);
        const Body = createReadStream(path, { highWaterMark: 1024 * 1024 });
        const params = { ...keyOf(name), Body, Metadata: { sha256: content.sha256 } };
        try {
          const queueSize = PARTS_AT_ONCE;
          await new Upload({ client, params, queueSize, partSize: partBytes }).done();
        } finally {
          Body.destroy();
        }
        const kept = await known(name);
        if (kept?.bytes === content.bytes && kept.sha256 === content.sha256) return;
        await client.send(new DeleteObjectCommand(keyOf(name)));
        throw damaged(`${content.bytes} bytes were sent and ${kept?.bytes ?? 'none'} were kept`);
      }),

    fetch: async (name, path, { signal, admit }) => {
      const late = new AbortController();
      const stop = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
      const copied = await unlessGone(`GetObject ${name}`, async () => {
        const { body, ...kept } = await open(name, undefined, stop);
        const longestMs = timeoutMs + (kept.bytes / LEAST_BYTES_PER_SECOND) * 1000;
        const timer = setTimeout(() => late.abort(), longestMs);
        try {
          await admit(kept.bytes);
          const came = await writeHashed(path, body, { signal: stop });
          if (came.bytes === kept.bytes && came.sha256 === kept.sha256) return true;
          throw damaged(`${kept.bytes} bytes were kept and ${came.bytes} came, or others`);
        } catch (error) {
          await rm(path, { force: true });
          throw error;
        } finally {
          clearTimeout(timer);
          body.destroy();
        }
      });
      return copied ?? false;
    },

    size: async (name) => (await known(name))?.bytes ?? null,
    read: (name, range) =>
      unlessGone(`GetObject ${name}`, async () => {
        const { body } = await open(name, range);
        return toldBytes(`GetObject ${name}`, body);
      }),
    remove: (name) =>
      told(`DeleteObject ${name}`, async () => {
        await client.send(new DeleteObjectCommand(keyOf(name)));
      }),

    list: async function* (folder, start = '') {
      const Prefix = `${prefix}${folder}/${start}`;
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix });
      for await (const { Contents = [] } of toldEach(`ListObjectsV2 ${folder}`, pages)) {
        for (const { Key = '', LastModified } of Contents) {
          const at = LastModified?.getTime() ?? Date.now();
          yield { name: Key.slice(prefix.length + folder.length + 1), keptAt: at, changedAt: at };
        }
      }
    },

    link: async (name, { disposition, contentType, seconds }) => {
      if (!presign || !signer) return null;
      const download = new GetObjectCommand({
        ...keyOf(name),
        ResponseContentDisposition: disposition,
        ResponseContentType: contentType,
      });
      return told('signing an address', () =>
        getSignedUrl(signer, download, { expiresIn: Math.min(presign.seconds, seconds) }),
      );
    },

    check: () => {
      const now = performance.now();
      if (now - checked.at > FRESH_MS) {
        const answer = told('HeadBucket', async () => {
          await client.send(new HeadBucketCommand({ Bucket }));
        });
        checked = { at: now, answer };
      }
      return checked.answer;
    },

    removeUnfinished: async (before) => {
      // The bucket may be shared with others: only what lies in our folders is ours.
      for (const folder of SHARED_FOLDERS) await removeParts(`${prefix}${folder}/`, before);
    },

    close: () => {
      client.destroy();
      signer?.destroy();
    },
  };
};

const checkedContent = async (path: string, { bytes, sha256 }: Partial<Content>) => {
  if (bytes !== undefined && sha256 !== undefined) return { bytes, sha256 };
  const content = await hashed(path);
  if (bytes === undefined || bytes === content.bytes) return content;
  const reason = `expected ${bytes} bytes on the disk; ${content.bytes} are there`;
  throw new Failure('storage_failed', { reason });
};
