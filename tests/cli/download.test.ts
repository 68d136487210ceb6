import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../client/client.ts';
import { fetchResult, saveAs } from '../../src/cli/download.ts';
import { serve } from '../media/server.ts';
import { tempDir } from '../real/run.ts';

const test = suite('download');
const download = async (url: string, target: string, signal: AbortSignal) =>
  saveAs(target, await fetch(url, { signal }), signal);
/** Sends the text 20 times, 5 ms apart. */
const slow = async (text: string, answer: ServerResponse): Promise<void> => {
  for (let i = 0; i < 20; i += 1) {
    answer.write(text);
    await sleep(5);
  }
  answer.end();
};
/** The paths asked for since a test emptied it. */
let asked: (string | undefined)[] = [];
const server = await serve((request, answer) => {
  asked.push(request.url);
  if (request.url === '/whole') answer.end('a result');
  else if (request.url === '/breaks' || (request.url === '/breaks-twice' && asked.length < 3))
    answer.writeHead(200, { 'content-length': 9 }).write('a r', () => answer.destroy());
  else if (request.url === '/breaks-twice') answer.end('a result');
  else if (request.url?.startsWith('/slow')) void slow(request.url, answer);
  else answer.write('some of it');
});
test.after(() => server.close());

test('a result is downloaded to its target', async () => {
  const target = join(tempDir('download'), 'a.mp4');
  await download(`${server.origin}/whole`, target, AbortSignal.timeout(60_000));
  assert.is(readFileSync(target, 'utf8'), 'a result');
});

test('two downloads to one target do not mix', async () => {
  const folder = tempDir('download');
  const target = join(folder, 'a.mp4');
  const get = (path: string) =>
    download(`${server.origin}${path}`, target, AbortSignal.timeout(60_000));
  await Promise.all([get('/slow/first'), get('/slow/other')]);
  assert.match(readFileSync(target, 'utf8'), /^(\/slow\/first){20}$|^(\/slow\/other){20}$/);
  assert.equal(readdirSync(folder), ['a.mp4']);
});

test('a download that is stopped leaves no file, however early it is stopped', async () => {
  const folder = tempDir('download');
  for (let ms = 0; ms < 20; ms += 1) {
    const stop = new AbortController();
    const broken = download(`${server.origin}/stalls`, join(folder, `${ms}`), stop.signal).then(
      () => assert.unreachable('it had no end'),
      () => undefined,
    );
    setTimeout(() => stop.abort(), ms);
    await broken;
    assert.equal(readdirSync(folder), []);
  }
  assert.ok(existsSync(folder));
});

test('a result that could not be fetched is told in a sentence, with the way to fetch it again', async () => {
  const target = join(tempDir('download'), 'a.mp4');
  const service = createClient({ url: server.origin });
  const fetched = (path: string, where = target) =>
    fetchResult(service, {
      result: { id: 'job_1', output_url: `${server.origin}${path}` },
      target: where,
    }).then(
      () => '',
      (error: unknown) => String(error),
    );
  const told = /^Refused: The result could not be fetched: .*\n {2}enhance jobs watch job_1 /;
  assert.match(await fetched('/breaks'), told);
  assert.match(await fetched('/whole', join(target, 'no-folder', 'a.mp4')), told);
  assert.not.ok(existsSync(target));
  assert.is(await fetched('/whole'), '');
  assert.is(readFileSync(target, 'utf8'), 'a result');
});

test('a download that broke in its middle is begun again', async () => {
  const target = join(tempDir('download'), 'a.mp4');
  const result = { id: 'job_1', output_url: `${server.origin}/breaks-twice` };
  asked = [];
  await fetchResult(createClient({ url: server.origin }), { result, target });
  assert.is(asked.length, 3);
  assert.is(readFileSync(target, 'utf8'), 'a result');
});

test.run();
