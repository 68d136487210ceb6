import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fingerprinted, fingerprint } from '../../src/cache/fingerprint.ts';

const test = suite('fingerprint');
const work: Fingerprinted = {
  account: 'a',
  kind: 'upscale',
  sha256: 'f'.repeat(64),
  mediaKind: 'image',
  options: { model: 'photo', scale: 2 },
  modelVersion: 'photo-r1',
};
const withOptions = (options: object): Fingerprinted => ({
  ...work,
  options: { ...work.options, ...options },
});

test('is 64 hexadecimal digits and the same every time', () => {
  assert.match(fingerprint(work), /^[0-9a-f]{64}$/);
  assert.is(fingerprint(work), fingerprint({ ...work }));
});

const same: [says: string, options: object][] = [
  ['png is what an image becomes', { output_format: 'png' }],
  ['an empty output is none', { output: {} }],
  ['metadata is stripped', { output: { metadata: 'strip' } }],
  ['lossy is the default', { output: { lossless: false } }],
  ['white is behind transparency', { output: { background: '#FFFFFF' } }],
];
for (const [says, options] of same) {
  test(`a default may be said: ${says}`, () =>
    assert.is(fingerprint(withOptions(options)), fingerprint(work)));
}

test('mp4 is what a video becomes', () => {
  const video: Fingerprinted = { ...work, mediaKind: 'video' };
  assert.is(
    fingerprint({ ...video, options: { ...video.options, output_format: 'mp4' } }),
    fingerprint(video),
  );
});

test('every part that the result depends on changes it', () => {
  const others: Fingerprinted[] = [
    { ...work, account: 'b' },
    { ...work, sha256: 'e'.repeat(64) },
    { ...work, mediaKind: 'video' },
    { ...work, modelVersion: 'photo-r2' },
    withOptions({ model: 'detail' }),
    withOptions({ scale: 4 }),
    withOptions({ output_format: 'webp' }),
    withOptions({ output: { quality: 90 } }),
    withOptions({ output: { lossless: true } }),
    withOptions({ output: { metadata: 'keep' } }),
    withOptions({ output: { background: '#000000' } }),
  ];
  const all = new Set([work, ...others].map(fingerprint));
  assert.is(all.size, others.length + 1);
});

test('parts cannot run into each other', () => {
  assert.is.not(
    fingerprint({ ...work, account: 'a', sha256: 'bc' }),
    fingerprint({ ...work, account: 'ab', sha256: 'c' }),
  );
});

test.run();
