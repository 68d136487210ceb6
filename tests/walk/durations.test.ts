/** Lengths, segments and the clip's own sound, on results of the whole service, decoded again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LipsyncResult } from '../../src/contract/lipsync.ts';
import { bannerOf, h264, makeClip, timesOf } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { tempDir } from '../real/run.ts';
import { type Form, realService } from '../real/service.ts';
import { portrait } from '../real/talking.ts';

const test = suite('durations');
const dir = tempDir('durations');
const at = (name: string) => join(dir, name);
const service = await realService();
const caller = await service.caller(1000);

const FPS = 25;
const RATE = 48_000;
/** Each frame's number is its grey in the first corner; under it lies a hum of 300 Hz. */
const numbered = (name: string, seconds: number) =>
  makeClip(
    at(name),
    [
      ...['-loop', '1', '-framerate', String(FPS), '-i', portrait],
      ...['-f', 'lavfi', '-i', `nullsrc=s=48x48:r=${FPS},geq=lum='20+4*N':cb=128:cr=128`],
      ...['-f', 'lavfi', '-i', `sine=f=300:r=44100:d=${seconds}`],
    ],
    [
      ...['-filter_complex', '[0]format=yuv420p[a];[a][1]overlay=shortest=1[v]'],
      ...['-map', '[v]', '-map', '2', '-t', String(seconds), ...h264, '-crf', '10', '-c:a', 'aac'],
    ],
  );
/** Vowels of a kind: harmonics of 120 Hz in syllables, four a second. */
const babble = (name: string, seconds: number, form: readonly string[]) =>
  makeClip(
    at(name),
    [
      ...['-f', 'lavfi', '-i'],
      `aevalsrc='0.2*max(0,sin(8*PI*t))*(sin(2*PI*120*t)+sin(2*PI*720*t)+0.6*sin(2*PI*1200*t)+0.3*sin(2*PI*2520*t))':s=48000:d=${seconds}`,
    ],
    form,
  );
const clip = await numbered('clip.mp4', 1);
const longClip = await numbered('long-clip.mp4', 2);
const long = await babble('long.wav', 2.28, ['-ac', '1', '-ar', '8000']);
const short = await babble('short.wav', 0.6, ['-ac', '6', '-ar', '96000']);

const synced = async (video: string, audio: string, fields: Form = {}) => {
  const answer = await caller.lipsync(video, audio, fields);
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  const result = LipsyncResult.parse(answer.data);
  const output = at(`${result.id}.mp4`);
  writeFileSync(output, await caller.download(result.output_url));
  return { result, output };
};

/** Grey pictures of a part, one behind the other. */
const pictures = async (path: string, width: number, height: number, x: number, y: number) => {
  const args = ['-vf', `crop=${width}:${height}:${x}:${y}`, '-f', 'rawvideo', '-pix_fmt', 'gray'];
  const run = ['-nostdin', '-v', 'error', '-i', path, '-fps_mode', 'passthrough', ...args, '-'];
  const { stdout } = await execa(ffmpegPath, run, { encoding: 'buffer', timeout: 60_000 });
  const bytes = width * height;
  return Array.from({ length: stdout.length / bytes }, (_, i) =>
    stdout.subarray(i * bytes, (i + 1) * bytes),
  );
};
const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
/** What coding alone makes of the pictures used here: 1.5 to 2.1. */
const CODING = 2.5;
/** The mean difference of two pictures. */
const apart = (a: Uint8Array = new Uint8Array(), b: Uint8Array = new Uint8Array()): number =>
  mean(Array.from(a, (value, i) => Math.abs(value - (b[i] ?? 0))));
/** Grey is told from 0 to 255, and coded from 16 to 235. */
const numbersIn = async (path: string): Promise<number[]> =>
  (await pictures(path, 32, 32, 8, 8)).map((grey) => ((mean(grey) * 219) / 255 + 16 - 20) / 4);
const mouthsIn = (path: string) => pictures(path, 80, 50, 185, 130);
const foreheadsIn = (path: string) => pictures(path, 80, 30, 185, 40);

/** Samples of the sound, as it is played. */
const soundIn = async (path: string, rate = RATE): Promise<Int16Array> => {
  const args = ['-vn', '-ac', '1', '-ar', String(rate), '-f', 's16le', '-'];
  const run = ['-nostdin', '-v', 'error', '-i', path, ...args];
  const { stdout } = await execa(ffmpegPath, run, { encoding: 'buffer', timeout: 60_000 });
  return new Int16Array(new Uint8Array(stdout).buffer);
};
/** How much of 300 Hz there is from a time on, for a fifth of a second; of full scale. */
const humIn = (samples: Int16Array, from: number): number => {
  const [first, count] = [Math.round(from * RATE), 9600];
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const angle = (2 * Math.PI * 300 * i) / RATE;
    re += (samples[first + i] ?? 0) * Math.cos(angle);
    im += (samples[first + i] ?? 0) * Math.sin(angle);
  }
  return (2 * Math.hypot(re, im)) / count / 32_768;
};

const near = (came: number, expected: number | undefined, within: number, what: string) =>
  assert.ok(
    Math.abs(came - (expected ?? Number.NaN)) <= within,
    `${what}: ${expected} expected; ${came} came`,
  );
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => (to < from ? from - i : from + i));
const stretched = (frames: number): number[] =>
  Array.from({ length: frames }, (_, i) => Math.floor(((i + 0.5) / frames) * 25));

/** Five frames in which the end of the clip, its frame 24, fades out over its beginning. */
const dissolve = [0.9, 0.7, 0.5, 0.3, 0.1].map((share, i) => i + share * (24 - i));
const lengths: [sync_mode: string, sound: string, says: string, numbers: readonly number[]][] = [
  ['cut_off', long, 'longer', range(0, 24)],
  ['cut_off', short, 'shorter', range(0, 14)],
  ['loop', long, 'longer', [...range(0, 24), ...dissolve, ...range(5, 24), ...dissolve, 5, 6]],
  ['bounce', long, 'longer', [...range(0, 24), ...range(23, 0), ...range(1, 8)]],
  ['silence', long, 'longer', [...range(0, 24), ...Array(32).fill(24)]],
  ['silence', short, 'shorter', range(0, 24)],
  ['remap', long, 'longer', stretched(57)],
  ['remap', short, 'shorter', stretched(15)],
];
for (const [sync_mode, sound, says, expected] of lengths)
  test(`${sync_mode} with a ${says} sound: every picture in its place, and sound to the end`, async () => {
    const { result, output } = await synced(clip, sound, { sync_mode });
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
  const run = ['--import', 'tsx', 'src/cli/enhance.ts', 'lipsync', clip, short, '-o', out];
  const options = ['--background', '0.5', '--sync-mode', 'silence'];
  const { stderr } = await execa(
    'node',
    [...run, ...options, '--url', service.url, '--key', caller.key],
    { timeout: 120_000 },
  );
  assert.match(stderr, /1 face, 25 frames/);
  assert.not.match(stderr, /Note/);
  near(humIn(await soundIn(out), 0.7), 0.0625, 0.01, 'hum');
  const dropped = await synced(clip, short, { sync_mode: 'silence' });
  near(humIn(await soundIn(dropped.output), 0.7), 0, 0.01, 'hum');
});

test('segments of the command line are those of the job', async () => {
  const run = ['--import', 'tsx', 'src/cli/enhance.ts', 'lipsync', clip, short];
  const segments = ['--segment', '0-0.2=0.1', '--segment', '0.36-0.6=0-0.2'];
  const where = ['-o', at('parts.mp4'), '--url', service.url, '--key', caller.key];
  await execa('node', [...run, ...segments, ...where], { timeout: 120_000 });
  const { data } = await caller.http.get('/v1/jobs?limit=1');
  assert.equal(data.data[0].options.segments, [
    { start: 0, end: 0.2, audio: { start: 0.1 } },
    { start: 0.36, end: 0.6, audio: { start: 0, end: 0.2 } },
  ]);
});

test('a variable rate comes again in every pass, there and back', async () => {
  const uneven = await makeClip(
    at('uneven.mp4'),
    ['-i', clip],
    [
      ...['-an', '-t', '0.4', '-vf', "setpts='(N*N+9*N)/(400*TB)'", '-fps_mode', 'passthrough'],
      ...['-enc_time_base', '1/1000', ...h264, '-bf', '0'],
    ],
  );
  const was = await timesOf(uneven);
  const sound = await babble('three.wav', 3, ['-ac', '1']);
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

test('six minutes of sound are refused with both lengths, and cost nothing', async () => {
  const before = await caller.balance();
  const sound = ['-f', 'lavfi', '-i', 'sine=f=440:r=16000:d=360'];
  const six = await makeClip(at('six.mp3'), sound, ['-b:a', '32k']);
  const { status, data } = await caller.lipsync(clip, six);
  assert.equal([status, data.code, data.charged], [413, 'media_too_long', 0]);
  assert.match(data.detail, /at most 300 s.*360/);
  assert.equal(await caller.balance(), before);
});

test.after(service.close);
test.run();
