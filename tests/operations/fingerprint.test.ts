import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprint as fingerprintBy, identityOf } from '../../src/jobs/submit/fingerprint.ts';
import { lipSync } from '../../src/operations/lip-sync/lip-sync.ts';
import { LipsyncOptions } from '../../src/operations/lip-sync/request.ts';
import type { InputKind, Operation, Options } from '../../src/operations/operation.ts';
import { upscale } from '../../src/operations/upscale/upscale.ts';

const test = suite('fingerprint');
type Fingerprinted = {
  readonly account: string;
  readonly operation: Operation;
  readonly sha256: string;
  readonly audioSha256: string;
  readonly inputKind: InputKind;
  readonly options: Options;
  readonly modelVersion: string;
};
const fingerprint = (work: Fingerprinted): string => {
  const { account, operation, sha256, audioSha256, inputKind, options, modelVersion } = work;
  const file = { field: '', file: async () => '', bytes: 1, mime: '' };
  const files = { media: { ...file, sha256 }, audio: { ...file, sha256: audioSha256 } };
  const own = operation.identity({ options, inputKind, files });
  const identity = identityOf({ account, kind: operation.kind, sha256, inputKind, own });
  return fingerprintBy(identity, modelVersion);
};
const work: Fingerprinted = {
  account: 'a',
  operation: upscale,
  sha256: 'f'.repeat(64),
  audioSha256: '',
  inputKind: 'image',
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
  ['a job of before denoised nothing', { denoise: 'off' }],
  ['metadata is stripped', { output: { metadata: 'strip' } }],
  ['lossy is the default', { output: { lossless: false } }],
  ['white is behind transparency', { output: { background: '#FFFFFF' } }],
  ['a png has no quality', { output: { quality: 90 } }],
  ['a png loses nothing', { output: { lossless: true } }],
  ['a png has transparency', { output: { background: '#000000' } }],
];
for (const [says, options] of same) {
  test(`what makes the same file is the same work: ${says}`, () =>
    assert.is(fingerprint(withOptions(options)), fingerprint(work)));
}

test('what only other formats are written with makes the same file', () => {
  const of = (output_format: string, output: object) =>
    fingerprint({
      ...withOptions({ output_format, output }),
      inputKind: output_format === 'mp4' ? 'video' : 'image',
    });
  for (const format of ['webp', 'avif', 'mp4'])
    assert.is(of(format, { background: '#000000' }), of(format, {}), format);
  for (const format of ['webp', 'avif', 'mp4'])
    assert.is(of(format, { lossless: true, quality: 5 }), of(format, { lossless: true }), format);
  assert.is(of('mp4', { metadata: 'strip' }), of('mp4', {}));
  assert.is.not(of('mp4', { metadata: 'keep' }), of('mp4', {}));
});

test('mp4 is what a video becomes', () => {
  const video: Fingerprinted = { ...work, inputKind: 'video' };
  assert.is(
    fingerprint({ ...video, options: { ...video.options, output_format: 'mp4' } }),
    fingerprint(video),
  );
});

test('every part that the result depends on changes it', () => {
  const others: Fingerprinted[] = [
    { ...work, account: 'b' },
    { ...work, sha256: 'e'.repeat(64) },
    { ...work, inputKind: 'video' },
    { ...work, modelVersion: 'photo-r2' },
    withOptions({ model: 'detail' }),
    withOptions({ scale: 4 }),
    withOptions({ denoise: 'auto' }),
    withOptions({ denoise: 1 }),
    withOptions({ output_format: 'webp' }),
    withOptions({ output: { metadata: 'keep' } }),
    ...['jpeg', 'webp', 'avif'].map((format) =>
      withOptions({ output_format: format, output: { quality: 90 } }),
    ),
    withOptions({ output_format: 'jpeg' }),
    withOptions({ output_format: 'jpeg', output: { background: '#000000' } }),
    withOptions({ output_format: 'webp', output: { lossless: true } }),
    withOptions({ output_format: 'avif', output: { lossless: true } }),
  ];
  const all = new Set([work, ...others].map(fingerprint));
  assert.is(all.size, others.length + 1);
});

test('whose content credentials a result carries changes it; a result without any is called as ever', () => {
  const signed = ['', 'development', 'a'].map((by) => fingerprintBy('identity', 'r1', by));
  assert.is(new Set(signed).size, 3);
  assert.is(signed[0], fingerprintBy('identity', 'r1'));
  // What results were called before there were credentials: those of `photo` stay in the cache.
  const before = createHash('sha256').update('["identity","r1"]').digest('hex');
  assert.is(signed[0], before);
});

test('lip sync and detail are marked as what a model made, the other models are not', () => {
  const marked = (operation: Operation, model: string) =>
    (operation.edit?.({ model }) ?? null) !== null;
  assert.equal(
    ['photo', 'animation', 'detail'].map((model) => marked(upscale, model)),
    [false, false, true],
  );
  assert.equal(
    ['fast', 'balanced', 'studio'].map((model) => marked(lipSync, model)),
    [true, true, true],
  );
});

test('parts cannot run into each other', () => {
  assert.is.not(
    fingerprint({ ...work, account: 'a', sha256: 'bc' }),
    fingerprint({ ...work, account: 'ab', sha256: 'c' }),
  );
});

const talking = (more: object = {}, tuning: object = {}): Fingerprinted => ({
  account: 'a',
  operation: lipSync,
  sha256: 'f'.repeat(64),
  inputKind: 'video',
  audioSha256: 'e'.repeat(64),
  modelVersion: 'face_track-r1+speech-r1',
  options: LipsyncOptions.parse({ model: 'fast', ...more, options: tuning }),
});

test('lip sync that says its defaults is the same work', () => {
  const said = talking(
    { output_format: 'mp4', sync_mode: 'cut_off', speaker: { mode: 'auto' } },
    {
      expressiveness: 0.5,
      on_no_face: 'passthrough',
      motion: true,
      style: 'auto',
      background: { mode: 'drop' },
    },
  );
  assert.is(fingerprint(said), fingerprint(talking()));
  assert.match(fingerprint(said), /^[0-9a-f]{64}$/);
});

test('whatever changes the result of lip sync is other work', () => {
  const works: Fingerprinted[] = [
    talking(),
    { ...talking(), account: 'b' },
    { ...talking(), sha256: 'd'.repeat(64) },
    { ...talking(), inputKind: 'image' },
    { ...talking(), modelVersion: 'face_track-r1+speech-r2' },
    talking({ sync_mode: 'loop' }),
    talking({ sync_mode: 'remap' }),
    talking({ segments: [{ start: 0, end: 1, audio: {} }] }),
    talking({ segments: [{ start: 0, end: 2, audio: {} }] }),
    talking({ segments: [{ start: 0, end: 1, audio: { start: 1 } }] }),
    talking({ segments: [{ start: 0, end: 1, audio: { end: 1 } }] }),
    talking({
      segments: [
        { start: 0, end: 1, audio: null },
        { start: 1, end: 2, audio: {} },
      ],
    }),
    talking({}, { background: { mode: 'mix' } }),
    talking({}, { background: { mode: 'mix', volume: 0.5 } }),
    talking({}, { background: { mode: 'mix', volume: 0 } }),
    talking({ speaker: { frame: 0, x: 1, y: 2 } }),
    talking({ speaker: { frame: 0, x: 2, y: 1 } }),
    talking({ speaker: { boxes: [null, [0, 1, 2, 3]] } }),
    talking({ speaker: { boxes: [[0, 1, 2, 3]] } }),
    talking({}, { expressiveness: 0.6 }),
    talking({}, { on_no_face: 'fail' }),
    talking({}, { style: 'flat' }),
    { ...talking({}, { motion: false }), inputKind: 'image' },
    { ...talking(), audioSha256: 'f'.repeat(64) },
  ];
  assert.is(new Set(works.map(fingerprint)).size, works.length);
});

test('the motion of a portrait does not matter to a clip', () => {
  assert.is(fingerprint(talking({}, { motion: false })), fingerprint(talking()));
});

test('a portrait has no length and no sound of its own that options could be about', () => {
  const still = (one: Fingerprinted) => fingerprint({ ...one, inputKind: 'image' });
  const other = talking({ sync_mode: 'loop' }, { background: { mode: 'mix' } });
  assert.is(still(other), still(talking()));
  const unheard = talking({}, { background: { mode: 'drop', volume: 0.9 } });
  assert.is(fingerprint(unheard), fingerprint(talking()));
});

test('clip and sound do not change places', () => {
  const one = talking();
  const other = { ...one, sha256: one.audioSha256, audioSha256: one.sha256 };
  assert.is.not(fingerprint(one), fingerprint(other));
});

test.run();
