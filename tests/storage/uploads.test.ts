import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { openFiles } from '../../src/storage/files.ts';
import { openUploads } from '../../src/storage/uploads.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';

const test = suite('uploads');
const server = await realRedis();
const redis = openRedis(server.url, createLog('silent', 'test'), 'work');
const files = await openFiles(tempDir('uploads'));
const stores = { redis, prefix: freshPrefix() };
const quota = { files: 100, bytes: 1_000_000 };
const publicUrl = 'http://127.0.0.1:8080';
const uploads = openUploads(stores, files, { publicUrl, ttlMs: 86_400_000, quota });
test.after(async () => {
  await redis.quit();
  await server.close();
});

const keep = (to = uploads) => {
  const path = files.temporary();
  writeFileSync(path, 'hello');
  return to.keep('acme', { path, bytes: 5, sha256: 'ab' }, { kind: 'image', mime: 'image/png' });
};
const codeOf = async (account: string, url: string): Promise<string> => {
  try {
    await uploads.resolve(account, url);
    return 'none';
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
};

test('an upload can be used by its URL, as often as one likes', async () => {
  const { url, id, expires_at } = await keep();
  assert.is(url, `${publicUrl}/v1/uploads/${id}`);
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 86_400_000) < 60_000, expires_at);
  for (const _ of [1, 2]) {
    const media = await uploads.resolve('acme', url);
    assert.ok(media);
    if (!media) continue;
    const { copy, ...about } = media;
    assert.equal(about, { bytes: 5, sha256: 'ab', type: { kind: 'image', mime: 'image/png' } });
    const path = await copy();
    assert.is(readFileSync(path, 'utf8'), 'hello');
    await files.remove(path);
    assert.not.ok(existsSync(path));
  }
});

test('a file of more than the whole quota is too large, and is not to be sent again', async () => {
  const small = openUploads(stores, files, {
    publicUrl,
    ttlMs: 86_400_000,
    quota: { files: 100, bytes: 4 },
  });
  const error = await keep(small).then(String, (reason: unknown) => reason);
  assert.ok(error instanceof Failure && error.code === 'file_too_large');
  assert.is(error.retryable, false);
});

test('another account has no such upload', async () => {
  const { url, id } = await keep();
  assert.is(await codeOf('other', url), 'upload_not_found');
  assert.is(await uploads.get('other', id), null);
  assert.is((await uploads.get('acme', id))?.id, id);
});

test('an upload expires', async () => {
  const { url } = await keep(openUploads(stores, files, { publicUrl, ttlMs: 1, quota }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(await codeOf('acme', url), 'upload_not_found');
});

test('an upload that is deleted is gone, and its place in the quota is free', async () => {
  const one = openUploads({ redis, prefix: freshPrefix() }, files, {
    publicUrl,
    ttlMs: 86_400_000,
    quota: { files: 1, bytes: 5 },
  });
  const { id, url } = await keep(one);
  const copy = await (await one.resolve('acme', url))?.copy();
  assert.is(await one.remove('other', id), null);
  assert.is((await one.remove('acme', id))?.id, id);
  assert.is(await one.remove('acme', id), null);
  assert.is(await files.copyUpload(id), null);
  assert.is(readFileSync(copy ?? '', 'utf8'), 'hello', 'what a job has of it stays');
  await keep(one);
});

test('an account lists its own uploads page by page, newest first', async () => {
  const stores = { redis, prefix: freshPrefix() };
  const some = openUploads(stores, files, { publicUrl, ttlMs: 86_400_000, quota });
  const kept: Awaited<ReturnType<typeof keep>>[] = [];
  for (const _ of [1, 2, 3]) {
    kept.unshift(await keep(some));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const [newest, , oldest] = kept;
  const page = await some.list('acme', { limit: 2 });
  assert.equal(page, { data: kept.slice(0, 2), has_more: true });
  const next = { limit: 2, starting_after: page.data[1]?.id };
  assert.equal(await some.list('acme', next), { data: [oldest], has_more: false });
  await some.remove('acme', newest?.id ?? '');
  assert.equal((await some.list('acme', { limit: 9 })).data, kept.slice(1));
  assert.equal(await some.list('other', { limit: 9 }), { data: [], has_more: false });
  const after = some.list('acme', { limit: 9, starting_after: newest?.id });
  assert.match(await after.then(() => '', String), 'Expected the id of an upload that is kept');
});

test('a URL of someone else is not an upload, and one of ours never leaves the folder', async () => {
  assert.is(await uploads.resolve('acme', 'http://127.0.0.1:8081/v1/uploads/upl_1'), null);
  assert.is(await uploads.resolve('acme', `${publicUrl}/v1/jobs/x`), null);
  assert.is(await codeOf('acme', `${publicUrl}/v1/uploads/../results/x`), 'upload_not_found');
});

test.run();
