import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../src/errors.ts';
import { presentResult } from '../../../src/jobs/record/present.ts';
import { submit } from '../../../src/jobs/submit/submit.ts';
import { operations } from '../../../src/operations/all.ts';
import type { LipsyncFound } from '../../../src/operations/lip-sync/prepare.ts';
import {
  type LipsyncInput,
  LipsyncOptions,
  LipsyncResult,
} from '../../../src/operations/lip-sync/request.ts';
import {
  choiceOf,
  codeOf,
  freshPlace,
  onCue,
  openRig,
  type Rig,
  type Run,
} from '../../jobs/rig.ts';
import { oneSecond } from '../../media/one-second.ts';
import { realRedis } from '../../real/redis.ts';
import { until } from '../../real/until.ts';

const test = suite<{ rig: Rig; dir: string }>('jobs of lip sync');
const server = await realRedis();
test.before.each(async (context) => {
  const place = freshPlace(server.url);
  context.dir = place.dir;
  context.rig = await openRig(place);
  await context.rig.ledger.grant('acme', 100);
});
test.after.each(async ({ rig, dir }) => {
  assert.equal(await rig.differences(), []);
  await rig.close();
  for (const folder of ['incoming', 'attempts']) assert.equal(readdirSync(join(dir, folder)), []);
});
test.after(() => server.close());

const ask = async ({ files, parts }: Rig, clip = 'clip', sound = 'sound', account = 'acme') => {
  const at = { media: files.temporary(), audio: files.temporary() };
  writeFileSync(at.media, clip);
  writeFileSync(at.audio, sound);
  const input: LipsyncInput = {
    kind: 'video',
    size: '10x10',
    bytes: clip.length,
    sha256: `sha of ${clip}`,
    content_type: 'video/mp4',
    duration_seconds: 12,
    frames: 300,
    fps: 25,
    audio: {
      bytes: sound.length,
      sha256: `sha of ${sound}`,
      content_type: 'audio/wav',
      duration_seconds: 12.5,
      sample_rate: 16_000,
      channels: 1,
    },
  };
  return submit(parts, {
    kind: 'lipsync',
    account,
    requestId: 'req_1',
    chosen,
    rechoose: async () => chosen,
    options: LipsyncOptions.parse({ model: 'fast' }),
    input,
    inputKind: 'video',
    identity: `${clip} says ${sound}`,
    inputBytes: clip.length + sound.length,
    quick: false,
    found,
    files: at,
    price: { credits: 12, text: 'fast: 12 s × 1' },
  });
};

const chosen = choiceOf('face-r1+speech-r1');

const found: LipsyncFound = {
  media: { ...oneSecond, durationSeconds: 12, mediaSeconds: 12, frames: 300 },
  audio: {
    kind: 'audio',
    container: 'wav',
    codec: 'pcm_s16le',
    durationSeconds: 12.5,
    sampleRate: 16_000,
    channels: 1,
  },
};

/** Writes what it was given one behind the other. */
const joining: Run = async (work, { input, target }) => {
  const {
    kind,
    options,
    model_version: modelVersion,
    input: { kind: inputKind },
  } = work;
  assert.equal([kind, options.model, inputKind], ['lipsync', 'fast', 'video']);
  writeFileSync(
    target,
    readFileSync(input('media'), 'utf8') + readFileSync(input('audio'), 'utf8'),
  );
  return {
    outputSize: { width: 10, height: 10 },
    contentType: 'video/mp4',
    modelVersion,
    details: {
      frames: 300,
      duration_seconds: 12,
      fps: 25,
      faces_detected: 1,
      frames_passed_through: 2,
      sync: { correlation: null, lag_ms: null },
    },
  };
};

test('both files reach the model, and go with the end', async ({ rig, dir }) => {
  const { job } = await ask(rig);
  assert.equal([job.kind, job.held], ['lipsync', 12]);
  assert.equal(readdirSync(join(dir, 'inputs')).sort(), [job.id, `${job.id}.audio`]);
  await rig.work(joining);
  const done = await rig.ended(job);
  assert.equal([done.status, done.charged], ['succeeded', 12], JSON.stringify(done.error));
  assert.is(readFileSync(join(dir, 'results', done.outcome?.file ?? ''), 'utf8'), 'clipsound');
  assert.match(done.outcome?.file ?? '', /\.mp4$/);
  const shown = presentResult(done, { operations, link: () => 'http://host/r' });
  const result = LipsyncResult.parse(shown);
  assert.equal(result.sync, { correlation: null, lag_ms: null });
  assert.equal([result.faces_detected, result.frames_passed_through], [1, 2]);
  await rig.close();
  rig.close = async () => {};
  rig.differences = async () => [];
  assert.equal(readdirSync(join(dir, 'inputs')), []);
});

test('the same clip with the same sound is free; with another it is new work', async ({
  rig,
  dir,
}) => {
  await rig.work(joining);
  const first = await rig.ended((await ask(rig)).job);
  const again = await ask(rig);
  assert.equal([again.cached, again.job.charged, again.job.outcome], [true, 0, first.outcome]);
  assert.equal(readdirSync(join(dir, 'inputs')), []);
  const other = await ask(rig, 'clip', 'another sound');
  assert.equal([other.cached, other.joined, other.job.held], [false, false, 12]);
  await rig.ended(other.job);
});

test('who joins a running job leaves no files', async ({ rig, dir }) => {
  const model = onCue();
  await rig.work(model.enhance);
  const { job } = await ask(rig);
  const joined = await ask(rig);
  assert.equal([joined.joined, joined.job.id], [true, job.id]);
  assert.equal(readdirSync(join(dir, 'inputs')).sort(), [job.id, `${job.id}.audio`]);
  // Both have to leave.
  await rig.jobs.cancel('acme', job.id);
  await rig.jobs.cancel('acme', job.id);
  await rig.ended(job);
});

test('a refusal at the last moment leaves no files', async ({ rig, dir }) => {
  assert.is(await codeOf(ask(rig, 'clip', 'sound', 'poor')), 'insufficient_credits');
  assert.equal(readdirSync(join(dir, 'inputs')), []);
});

for (const [code, facts, detail] of [
  [
    'no_face_detected',
    { smallest: '24 pixels' },
    /Expected a face of at least 24 pixels, .* not upside down; found none\.$/,
  ],
  [
    'no_face_detected',
    { smallest: '24 pixels', frame: 7 },
    /Expected a face of at least 24 pixels, .* not upside down; found none in frame 7\.$/,
  ],
  ['no_face_detected', { unchanged: true }, /its mouth could not be changed in any frame/],
  ['media_unreadable', { what: 'sound', reason: 'End of file' }, /The sound could not be decoded/],
  ['speaker_not_found', { reason: 'no face is there' }, /was not found: no face is there/],
] as const) {
  test(`a job that ends in ${JSON.stringify([code, facts])} is not tried again and costs nothing`, async ({
    rig,
    dir,
  }) => {
    await rig.work(async () => {
      throw new Failure(code, facts);
    });
    const { job } = await ask(rig);
    const done = await rig.ended(job);
    assert.equal([done.status, done.attempts, done.charged], ['failed', 1, 0]);
    assert.equal(done.error, { code, facts });
    assert.match(new Failure(code, facts).message, detail);
    assert.equal(await rig.credits(), { balance: 100, held: 0 });
    await until('no inputs', () => readdirSync(join(dir, 'inputs')).length === 0);
  });
}

test('erasing a finished job takes its result', async ({ rig, dir }) => {
  await rig.work(joining);
  const done = await rig.ended((await ask(rig)).job);
  await rig.jobs.erase('acme', done.id);
  assert.equal(readdirSync(join(dir, 'results')), []);
});

test.run();
