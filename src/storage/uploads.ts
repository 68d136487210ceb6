import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sharedInRound } from '../async/share.ts';
import { MediaKind } from '../contract/media.ts';
import type { Upload, UploadPage, UploadQuery } from '../contract/uploads.ts';
import { Failure, unknownCursor } from '../errors.ts';
import { type Redises, script } from '../redis/script.ts';
import { base62 } from '../text/base62.ts';
import type { Files } from './files.ts';
import type { KeptFile, StoredFile } from './stored-file.ts';

/** An upload as a request uses it. `copy` fails with upload_not_found when its file is gone. */
type Found = KeptFile & { readonly type: { readonly kind: MediaKind; readonly mime: string } };
export type Uploads = ReturnType<typeof openUploads>;

const Stored = z.object({
  account: z.string(),
  kind: MediaKind,
  mime: z.string(),
  bytes: z.coerce.number(),
  sha256: z.string(),
  expires_at: z.coerce.number(),
});
type Stored = z.infer<typeof Stored>;

type Settings = {
  readonly publicUrl: string;
  readonly ttlMs: number;
  /** What one account may keep at a time. */
  readonly quota: { readonly files: number; readonly bytes: number };
};

const keepUpload = script(
  new URL('scripts/keep-upload.lua', import.meta.url),
  z.union([
    z.tuple([z.literal('kept')]),
    z.tuple([z.literal('full'), z.number(), z.number(), z.number()]),
  ]),
);

/** Media sent ahead of the request that uses it. See decision 208. */
export const openUploads = (
  stores: Redises,
  files: Files,
  { publicUrl, ttlMs, quota }: Settings,
) => {
  const { redis, prefix } = stores;
  const key = (id: string) => `${prefix}:upload:${id}`;
  /** Sorted set of `<id> <bytes>` by the time of their end: what counts against the quota. */
  const keptKey = (account: string) => `${prefix}:uploads:${account}`;
  const base = `${publicUrl}/v1/uploads/`;

  const present = (id: string, { kind, bytes, sha256, expires_at }: Stored): Upload => ({
    id,
    url: `${base}${id}`,
    kind,
    bytes,
    sha256,
    expires_at: new Date(expires_at).toISOString(),
  });

  const find = sharedInRound(
    (account, id) => `${account} ${id}`,
    async (account: string, id: string): Promise<Stored | null> => {
      const stored = Stored.safeParse(await redis.hgetall(key(id))).data;
      return stored?.account === account ? stored : null;
    },
  );

  /** Moves the file at `path` in. Failure file_too_large | upload_quota_exceeded | storage_full | storage_failed. */
  const keep = async (
    account: string,
    { path, bytes, sha256 }: StoredFile,
    { kind, mime }: { readonly kind: MediaKind; readonly mime: string },
  ): Promise<Upload> => {
    // upload_quota_exceeded is retryable, but a file of more than the whole quota can never be accepted.
    if (bytes > quota.bytes) {
      const what = 'An upload of this account';
      throw new Failure('file_too_large', { what, limit_bytes: quota.bytes, came: bytes });
    }
    const id = `upl_${base62(randomBytes(16))}`;
    const now = Date.now();
    const stored = { account, kind, mime, bytes, sha256, expires_at: now + ttlMs };
    // The file before the record, so that no record names a missing file. A file without a record is swept in time.
    await files.keepUpload(path, id, bytes);
    const [said, used_files, used_bytes, freedInMs = 0] = await keepUpload(
      stores,
      ...[account, id, bytes, now, ttlMs, quota.files, quota.bytes],
      ...Object.entries(stored).flat(),
    );
    if (said === 'full') {
      await files.removeUpload(id);
      throw new Failure('upload_quota_exceeded', {
        used_files,
        used_bytes,
        came: bytes,
        limit_files: quota.files,
        limit_bytes: quota.bytes,
        retry_after_seconds: Math.max(1, Math.ceil(freedInMs / 1000)),
      });
    }
    return present(id, stored);
  };

  /** Null when the account has no such upload, or it has expired. */
  const get = async (account: string, id: string): Promise<Upload | null> => {
    const stored = await find(account, id);
    return stored && present(id, stored);
  };

  /** Newest first. Failure validation_failed when the account has no upload `starting_after`. */
  const list = async (
    account: string,
    { limit, starting_after }: UploadQuery,
  ): Promise<Omit<UploadPage, 'object'>> => {
    // No more than the quota has files.
    const entries = await redis.zrevrangebyscore(keptKey(account), '+inf', `(${Date.now()}`);
    const ids = entries.map((entry) => entry.replace(/ \d+$/, ''));
    const from = starting_after === undefined ? 0 : ids.indexOf(starting_after) + 1;
    if (starting_after !== undefined && from === 0) throw unknownCursor('an upload that is kept');
    const found = await Promise.all(ids.slice(from, from + limit).map((id) => get(account, id)));
    return { data: found.filter((upload) => upload !== null), has_more: ids.length > from + limit };
  };

  /** Deletes it and gives back its place in the quota. Null as of `get`. Jobs that were made with it have copies of their own. */
  const remove = async (account: string, id: string): Promise<Upload | null> => {
    const stored = await find(account, id);
    if (!stored) return null;
    // The record before the file, so that no record names a missing file.
    const entry = `${id} ${stored.bytes}`;
    await redis.multi().del(key(id)).zrem(keptKey(account), entry).exec();
    await files.removeUpload(id);
    return present(id, stored);
  };

  /**
   * The upload that a URL names; null when the URL names none of this service.
   * Failure upload_not_found when it is unknown, has expired, or belongs to another account.
   */
  const resolve = async (account: string, url: string): Promise<Found | null> => {
    if (!url.startsWith(base)) return null;
    const id = url.slice(base.length);
    const stored = await find(account, id);
    if (stored === null) throw new Failure('upload_not_found', { url });
    const { kind, mime, bytes, sha256 } = stored;
    const copy = async (): Promise<string> => {
      const path = await files.copyUpload(id);
      if (path === null) throw new Failure('upload_not_found', { url });
      return path;
    };
    return { type: { kind, mime }, bytes, sha256, copy };
  };

  return { keep, get, list, remove, resolve };
};
