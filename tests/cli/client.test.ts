import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { download } from '../../src/cli/client.ts';
import { serve } from '../media/server.ts';
import { tempDir } from '../real/run.ts';

const test = suite('client');
const server = await serve((request, answer) => {
  if (request.url === '/whole') answer.end('a result');
  else answer.write('some of it');
});
test.after(() => server.close());

test('a result is downloaded to its place', async () => {
  const target = join(tempDir('download'), 'a.mp4');
  await download(`${server.origin}/whole`, target, AbortSignal.timeout(5000));
  assert.is(readFileSync(target, 'utf8'), 'a result');
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

test.run();
