/** Lengths in every mode, segments, the clip's own sound and all kinds of media, in results of the whole service, decoded again. */
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bannerOf, h264, makeClip, timesOf } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import {
  apart,
  CODING,
  FPS,
  foreheadsIn,
  humIn,
  mean,
  mouthsIn,
  near,
  numbered,
  numbersIn,
  RATE,
  range,
  soundIn,
} from '../real/speaking.ts';
import { syncing } from '../real/synced.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';
import { mediaTests } from './lipsync-media.ts';

const test = suite('durations, segments and background');
const dir = tempDir('durations');
const at = (name: string) => join(dir, name);
const service = await realService({}, realTriton(lipsyncNames('fast')));
const caller = await service.caller(1000);

/** 12 frames, with 32 or 8 frames of sound. */
const brief = await numbered(at('brief.mp4'), 0.48);
const longer = await sounds.babble(at('longer.wav'), 1.28, { output: ['-ac', '1', '-ar', '8000'] });
const shorter = await sounds.babble(at('shorter.wav'), 0.32, {
  output: ['-ac', '6', '-ar', '96000'],
});
const clip = await numbered(at('clip.mp4'), 1);
const longClip = await numbered(at('long-clip.mp4'), 2);
const long = await sounds.babble(at('long.wav'), 2.28, { output: ['-ac', '1', '-ar', '8000'] });
const short = await sounds.babble(at('short.wav'), 0.6, { output: ['-ac', '6', '-ar', '96000'] });

const synced = syncing(caller, dir);

const stretched = (frames: number): number[] =>
  Array.from({ length: frames }, (_, i) => Math.floor(((i + 0.5) / frames) * 12));

/** Five frames in which the end of the clip, its frame 11, fades out over its beginning. */
const dissolve = [0.9, 0.7, 0.5, 0.3, 0.1].map((share, i) => i + share * (11 - i));
const lengths: [sync_mode: string, sound: string, says: string, numbers: readonly number[]][] = [
  ['cut_off', longer, 'longer', range(0, 11)],
  ['cut_off', shorter, 'shorter', range(0, 7)],
  ['loop', longer, 'longer', [...range(0, 11), ...dissolve, ...range(5, 11), ...dissolve, 5, 6, 7]],
  ['bounce', longer, 'longer', [...range(0, 11), ...range(10, 0), ...range(1, 9)]],
  ['silence', longer, 'longer', [...range(0, 11), ...Array(20).fill(11)]],
  ['silence', shorter, 'shorter', range(0, 11)],
  ['remap', longer, 'longer', stretched(32)],
  ['remap', shorter, 'shorter', stretched(8)],
];
for (const [sync_mode, sound, says, expected] of lengths)
  test(`${sync_mode} with a ${says} sound: every picture in its place, and sound to the end`, async () => {
    const { result, output } = await synced(brief, sound, { sync_mode });
    const seconds = expected.length / FPS;
    assert.equal(
      [result.frames, result.fps, result.frames_passed_through, result.credits_used],
      [expected.length, FPS, 0, Math.ceil(seconds)],
    );
    near(result.duration_seconds, seconds, 1e-3, 'duration');
    const numbers = await numbersIn(output);
    assert.is(numbers.length, expected.length);
    for (const [i, number] of numbers.entries()) near(number, expected[i], 0.3, `frame ${i}`);
    for (const [i, time] of (await timesOf(output)).entries()) near(time, i / FPS, 1e-3, `${i}`);
    const heard = (await soundIn(output)).length / RATE;
    // The last packet is whole: 1024 samples.
    assert.ok(heard > seconds - 1e-3 && heard < seconds + 1024 / 16_000, `${heard} s`);
    assert.match(await bannerOf(output), /Audio: aac/);
  });

test('silence: when the sound is over the mouth comes to rest and stays', async () => {
  const { output } = await synced(longClip, short, { sync_mode: 'silence' });
  const mouths = await mouthsIn(output);
  const moved = mouths.slice(1).map((mouth, i) => apart(mouth, mouths[i]));
  assert.is(moved.length, 49);
  const [spoken, rest] = [mean(moved.slice(0, 14)), mean(moved.slice(25))];
  assert.ok(spoken > 0.8 && rest < 0.15 * spoken, `spoken ${spoken}, rest ${rest}`);
});

test('a variable rate comes again in every pass, there and back', async () => {
  const uneven = await makeClip(
    at('uneven.mp4'),
    ['-i', brief],
    [
      ...['-an', '-t', '0.4', '-vf', "setpts='(N*N+9*N)/(400*TB)'", '-fps_mode', 'passthrough'],
      ...['-enc_time_base', '1/1000', ...h264, '-bf', '0'],
    ],
  );
  const was = await timesOf(uneven);
  const sound = await sounds.babble(at('three.wav'), 3, { output: ['-ac', '1'] });
  const { result, output } = await synced(uneven, sound, { sync_mode: 'bounce' });
  near(result.duration_seconds, 3, 0.1, 'duration');
  const is = await timesOf(output);
  assert.is(is.length, result.frames);
  const gaps = (times: readonly number[]) =>
    times.slice(1).map((time, i) => time - (times[i] ?? 0));
  const [there, all] = [gaps(was), gaps(is)];
  // Ten frames there, of which the last is as long as its packet says, then back from the last but one.
  const [turn, back] = [was.length - 1, was.length];
  for (const [i, gap] of there.entries()) {
    near(all[i] ?? 9, gap, 2e-3, `gap ${i}`);
    if (i > 0) near(all[back + (turn - 1 - i)] ?? 9, gap, 2e-3, `gap ${i} of the way back`);
  }
  near((await soundIn(output)).length / RATE, result.duration_seconds, 0.07, 'sound');
});

test('segments: the mouth moves in them, to the frame, and nothing else does; sound likewise', async () => {
  const segments = JSON.stringify([
    { start: 0.4, end: 1, audio: { start: 0.5, end: 0.9 } },
    { start: 1, end: 1.2, audio: null },
    { start: 1.4, end: 1.8, audio: { start: 0 } },
  ]);
  const { result, output } = await synced(longClip, long, { segments });
  assert.equal([result.frames, result.frames_passed_through, result.credits_used], [50, 0, 2]);
  const speaks = (frame: number) => (frame >= 10 && frame < 25) || (frame >= 35 && frame < 45);
  const [before, after] = [await mouthsIn(longClip), await mouthsIn(output)];
  const changed = after.map((mouth, i) => apart(mouth, before[i]));
  for (const [i, change] of changed.entries())
    if (!speaks(i)) assert.ok(change < CODING, `frame ${i} changed by ${change}`);
  // In the middle of either the mouth is another; at the edges it is on its way.
  for (const i of [...range(13, 21), ...range(38, 41)])
    assert.ok((changed[i] ?? 0) > 4, `frame ${i} changed by ${changed[i]}`);
  const [was, is] = [await foreheadsIn(longClip), await foreheadsIn(output)];
  for (const [i, forehead] of is.entries()) assert.ok(apart(forehead, was[i]) < CODING);
  const sound = await soundIn(output);
  for (const [from, hum] of [
    [0.1, 0.125],
    [0.6, 0],
    [1.1, 0.125],
    [1.5, 0],
    [1.8, 0.125],
  ] as const)
    near(humIn(sound, from), hum, 0.02, `hum at ${from} s`);
});

test('a background lies under the new sound at its volume; without, it is not heard', async () => {
  const out = at('mixed.mp4');
  const run = ['src/cli/bin.mjs', 'lipsync', clip, short, '-o', out];
  const options = ['--background', '0.5', '--sync-mode', 'silence'];
  const { stderr } = await execa(
    'node',
    [...run, ...options, '--url', service.url, '--key', caller.key],
    { timeout: 120_000 },
  );
  assert.match(stderr, /512x512 -> 512x512/);
  assert.match(stderr, /1 face, 25 frames, 0 unchanged/);
  assert.not.match(stderr, /no sound of its own/);
  near(humIn(await soundIn(out), 0.7), 0.0625, 0.01, 'hum');
  const dropped = await synced(clip, short, { sync_mode: 'silence' });
  near(humIn(await soundIn(dropped.output), 0.7), 0, 0.01, 'hum');
});

test('segments of the command line are those of the job', async () => {
  const run = ['src/cli/bin.mjs', 'lipsync', clip, short];
  const segments = ['--segment', '0-0.2=0.1', '--segment', '0.36-0.6=0-0.2'];
  const where = ['-o', at('parts.mp4'), '--url', service.url, '--key', caller.key];
  await execa('node', [...run, ...segments, ...where], { timeout: 120_000 });
  const { data } = await caller.http.get('/v1/jobs?limit=1');
  assert.equal(data.data[0].options.segments, [
    { start: 0, end: 0.2, audio: { start: 0.1 } },
    { start: 0.36, end: 0.6, audio: { start: 0, end: 0.2 } },
  ]);
});

await mediaTests(test, caller);

test('the account is clean after all this', async () => {
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

test.after(service.close);
test.run();
