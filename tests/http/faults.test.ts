import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { realApi } from './api.ts';
import { pointers, refused } from './told.ts';

const test = suite('videos, full queues and what nobody foresaw');
const api = await realApi({
  VIDEO_MAX_SECONDS: '2',
  VIDEO_MAX_LONG_SIDE: '100',
  VIDEO_MAX_OUTPUT_SIDE: '400',
  QUEUE_LIMIT: '1',
});
const { http, account } = await api.caller();

const dir = tempDir('faults');
const clip = (name: string, source: readonly string[], output: readonly string[] = h264) =>
  makeClip(join(dir, name), source, output);
const post = async (path: string, more: Record<string, string> = {}) => {
  const form = new FormData();
  const fields = { model: 'photo', scale: '2', ...more };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('video', new Blob([Uint8Array.from(await readFile(path))]), 'a.mp4');
  return http.post('/v1/upscale', form, { headers: { prefer: 'respond-async' } });
};
const short = await clip('short.mp4', pattern(0.4));

test.after.each(async () => {
  assert.equal(api.leftovers(), [], 'files were left behind');
  assert.is((await api.parts.ledger.balance(account)).held <= 1, true);
});

test('a video beyond the limits is refused by what it is', async () => {
  refused(await post(await clip('long.mp4', pattern(2.5, 5))), 413, 'media_too_long');
  const wide = await clip('wide.mp4', pattern(0.2, 5, '128x48'));
  refused(await post(wide), 413, 'resolution_too_large');
  const large = refused(await post(short, { scale: '8' }), 413, 'output_too_large');
  assert.equal(pointers(large), ['/video']);
});

test('a file of sound alone has no video stream, and is told what was expected', async () => {
  const sound = await clip('sound.mp4', tone(0.5), ['-c:a', 'aac']);
  const { detail } = refused(await post(sound), 422, 'no_video_stream');
  assert.match(detail, 'Expected a video; got a file that has no video stream.');
});

test('a video that is cut off in its header cannot be read', async () => {
  const whole = await readFile(short);
  const cut = join(dir, 'cut.mp4');
  await writeFile(cut, whole.subarray(0, 600));
  refused(await post(cut), 422, 'media_unreadable');
});

test('a video cannot become an image', async () => {
  const problem = refused(await post(short, { output_format: 'png' }), 422, 'validation_failed');
  assert.equal(pointers(problem), ['/output_format']);
});

test('a video is taken with its length, frames and rate, and the queue is full after it', async () => {
  const { status, data } = await post(short, { model: 'animation' });
  assert.is(status, 202, JSON.stringify(data));
  assert.equal([data.input.kind, data.input.frames, data.input.fps], ['video', 10, 25]);
  assert.is(data.options.output_format, 'mp4');
  const over = await post(short);
  refused(over, 503, 'queue_full');
  assert.ok(Number(over.headers['retry-after']) > 0);
});

test('an unexpected error is answered with internal_error and reveals nothing', async () => {
  const { describe } = api.parts.models;
  api.parts.models.describe = async () => {
    throw new Error('secret detail');
  };
  const answer = await http.get('/v1/models');
  api.parts.models.describe = describe;
  const problem = refused(answer, 500, 'internal_error');
  assert.is(problem.retryable, true);
  assert.not.match(JSON.stringify(answer.data), 'secret');
  assert.is((await http.get('/v1/models')).status, 200);
});

test.after(api.close);
test.run();
