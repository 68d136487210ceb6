/** Lip sync, and content credentials of finished jobs, over the real service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCredentials } from '../../src/provenance/verify.ts';
import { places } from '../../src/stack/home.mjs';
import { makeClip } from '../real/clip.ts';
import { realRedis } from '../real/redis.ts';
import { tempDir } from '../real/run.ts';
import { callerOf, realService } from '../real/service.ts';
import { portrait } from '../real/talking.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';
import { lipsyncTests } from './lipsync.ts';

const test = suite('lip sync and content credentials over HTTP');
const dir = tempDir('provenance');
const at = (name: string) => join(dir, name);

const triton = realTriton([...lipsyncNames('fast'), 'photo', 'detail']);
const redis = realRedis();
const service = await realService({ PROVENANCE: 'on' }, triton, redis);
const caller = await service.caller(1000);

const small = at('small.png');
await sharp({
  create: {
    width: 24,
    height: 16,
    channels: 3,
    background: '#8ac',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
})
  .png()
  .toFile(small);
const face = at('face.jpg');
await sharp(portrait).resize(320, 320).jpeg().toFile(face);
const silence = await makeClip(
  at('silence.wav'),
  ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono'],
  ['-t', '0.4'],
);

type Result = { readonly output_url: string; readonly bytes: number };

/** What the downloaded result itself carries. */
const carried = async (name: string, { output_url, bytes }: Result) => {
  const path = at(name);
  const downloaded = await caller.download(output_url);
  assert.is(downloaded.length, bytes);
  writeFileSync(path, downloaded);
  const python = { path: places.python, limits: service.config.ffmpeg };
  return readCredentials(path, '', python, new AbortController().signal);
};

await lipsyncTests(test, service, caller);

test('what detail made says so, with the release that made it; what photo made carries nothing', async () => {
  const { data: result } = await caller.upscale(small, { model: 'detail', scale: 2 });
  assert.is(result.provenance?.signed, true, JSON.stringify(result));
  assert.match(result.provenance.digital_source_type, /\/compositeWithTrainedAlgorithmicMedia$/);
  const found = await carried('detail.png', result);
  if (!('manifest' in found)) throw new Error(`expected credentials; got ${found.state}`);
  assert.is(found.manifest, result.provenance.manifest);
  assert.is(found.actions.at(-1)?.agent, 'upscale detail detail@s14');

  const { data: plain } = await caller.upscale(small, { model: 'photo', scale: 2 });
  assert.is(plain.provenance, null);
  assert.is((await carried('photo.png', plain)).state, 'none');
});

test('a lip-synced portrait names the picture and the sound, and the job tells it too', async () => {
  const { data: result } = await caller.lipsync(face, silence);
  assert.is(result.provenance?.signed, true, JSON.stringify(result));
  const found = await carried('lipsync.mp4', result);
  if (!('manifest' in found)) throw new Error(`expected credentials; got ${found.state}`);
  assert.equal(
    found.ingredients.map(({ title, relationship, content_type }) => [
      title,
      relationship,
      content_type,
    ]),
    [
      ['clip or portrait', 'parentOf', 'image/jpeg'],
      ['sound', 'componentOf', 'audio/wav'],
    ],
  );
  assert.equal((await caller.job(result.id)).result?.provenance, result.provenance);
});

test('turned off, nothing is signed; the cache gives out neither kind for the other, and keeps what it never concerned', async () => {
  assert.is((await caller.lipsync(face, silence)).data.cached, true);
  await service.worker.stop();
  const { prefix } = service.config.redis;
  const off = { PROVENANCE: 'off', REDIS_PREFIX: prefix, DATA_DIR: service.config.files.dir };
  const unsigned = await realService(off, triton, redis);
  try {
    const same = callerOf(caller.account, caller.key, unsigned.url);
    const { data: result } = await same.lipsync(face, silence);
    assert.equal([result.cached, result.provenance], [false, null], JSON.stringify(result));
    assert.is((await carried('unsigned.mp4', result)).state, 'none');
    assert.is((await same.upscale(small, { model: 'photo', scale: 2 })).data.cached, true);
    const again = (await caller.lipsync(face, silence)).data;
    assert.equal([again.cached, again.provenance?.signed], [true, true]);
  } finally {
    await unsigned.close();
  }
});

test.after(() => service.close());
test.run();
