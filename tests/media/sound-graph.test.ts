/** What is heard under a result, sample by sample, before it is coded. */
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { type SoundTrack, soundArgs } from '../../src/media/write/sound-graph.ts';
import { soundTrack } from '../../src/operations/lip-sync/plan/sound-track.ts';
import { layOut } from '../../src/operations/lip-sync/plan/timeline.ts';
import { LipsyncOptions } from '../../src/operations/lip-sync/request.ts';
import { h264, makeClip, pattern, timesOf } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { at, ffmpeg, probe, soon } from './clips.ts';

const test = suite('the sound of a result');
const RATE = 48_000;
const lavfi = (filter: string) => ['-f', 'lavfi', '-i', filter];
/** A tone that tells the second it is from: 300 Hz in the first, 400 Hz in the next, ... */
const counting = (seconds: number, from: number, form = `s=${RATE}`) =>
  lavfi(`aevalsrc='0.4*sin(2*PI*(${from}+100*floor(t))*t)':d=${seconds}:${form}`);
const infoOf = (path: string) =>
  probeAudio({ path, ffmpeg, limits: { seconds: 300 }, signal: soon() });

const voice = await makeClip(at('voice.wav'), counting(4, 1000));
const clip = await makeClip(
  at('clip.mov'),
  [...pattern(3), ...counting(3, 300)],
  [...h264, '-c:a', 'pcm_s16le'],
);

/** Interleaved samples of the sound of a clip that is to speak so. */
const heard = async (
  options: object,
  { path = clip, sound = voice }: { path?: string; sound?: string } = {},
) => {
  const parsed = LipsyncOptions.parse({ model: 'fast', ...options });
  const info = await probe(path);
  const audio = { path: sound, info: await infoOf(sound) };
  const times = [...(await timesOf(path)).map((time) => time - info.startSeconds)];
  const frames = layOut([...times, info.durationSeconds], audio.info.durationSeconds, parsed);
  return render(soundTrack({ audio, clip: { path, info } }, parsed, frames));
};

const render = async (sound: SoundTrack) => {
  const { inputs, output } = soundArgs(sound, 0);
  const target = at('heard.wav');
  const run = [...inputs, ...output, '-c:a', 'pcm_f32le', '-f', 'wav', target];
  await execa(ffmpegPath, ['-nostdin', '-y', '-v', 'error', ...run], { timeout: 60_000 });
  const bytes = readFileSync(target);
  const { channels, sampleRate: rate } = await infoOf(target);
  const data = bytes.subarray(bytes.indexOf('data') + 8);
  const count = Math.floor(data.length / 4 / channels);
  const left = Float32Array.from({ length: count }, (_, i) => data.readFloatLE(4 * channels * i));
  return { left, channels, rate, seconds: count / rate, sound };
};
type Heard = Awaited<ReturnType<typeof render>>;

/** How much of a frequency there is from a time on; an amplitude. */
const amount = ({ left, rate }: Heard, frequency: number, from: number, seconds = 0.1): number => {
  const [first, count] = [Math.round(from * rate), Math.round(seconds * rate)];
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const angle = (2 * Math.PI * frequency * i) / rate;
    re += (left[first + i] ?? 0) * Math.cos(angle);
    im += (left[first + i] ?? 0) * Math.sin(angle);
  }
  return (2 * Math.hypot(re, im)) / count;
};
const near = (came: number, expected: number, within: number, what = '') =>
  assert.ok(Math.abs(came - expected) <= within, `${what} expected ${expected}; ${came} came`);
/** Amplitudes by frequency at a time; what is not named must not be there. */
const tones = [300, 400, 500, 1000, 1100, 1200, 1300];
const holds = (sound: Heard, from: number, expected: Readonly<Record<number, number>>) => {
  for (const tone of tones)
    near(amount(sound, tone, from), expected[tone] ?? 0, 0.012, `${tone} Hz at ${from} s:`);
};
/** The largest step between two samples. */
const steepest = ({ left }: Heard): number =>
  left.reduce(
    (most, value, i) => (i ? Math.max(most, Math.abs(value - (left[i - 1] ?? 0))) : 0),
    0,
  );

test('without segments and background it is the new sound, cut or filled to the pictures', async () => {
  for (const [sync_mode, seconds] of [
    ['cut_off', 3],
    ['loop', 4],
    ['bounce', 4],
    ['silence', 4],
    ['remap', 4],
  ] as const) {
    const sound = await heard({ sync_mode });
    assert.equal([sound.left.length, sound.rate, sound.channels], [seconds * RATE, RATE, 1]);
    holds(sound, 0.5, { 1000: 0.4 });
    holds(sound, 2.5, { 1200: 0.4 });
  }
  const short = await makeClip(at('short.wav'), counting(1, 1000));
  const sound = await heard({ sync_mode: 'silence' }, { sound: short });
  assert.is(sound.left.length, 3 * RATE);
  holds(sound, 0.5, { 1000: 0.4 });
  holds(sound, 1.01, {});
});

test('the new sound is untouched, sample by sample, as far as it goes', async () => {
  const { left } = await heard({ sync_mode: 'silence' });
  for (let i = 0; i < 3 * RATE; i += 997) {
    const t = i / RATE;
    near(left[i] ?? 9, 0.4 * Math.sin(2 * Math.PI * (1000 + 100 * Math.floor(t)) * t), 1e-4);
  }
});

test('where the new sound is beyond full scale it is turned down, and nowhere else', async () => {
  const wave = `(0.4+1.6*between(t,1,2))*sin(2*PI*1000*t)`;
  const input = lavfi(`aevalsrc='${wave}':d=3:s=${RATE}`);
  const path = await makeClip(at('hot.wav'), input, ['-c:a', 'pcm_f32le']);
  const { left } = await heard({ sync_mode: 'silence' }, { sound: path });
  assert.is(left.length, 3 * RATE);
  assert.ok(left.every((sample) => Math.abs(sample) <= 1));
  for (let i = 0; i < 3 * RATE; i += 997) {
    const t = i / RATE;
    if (t < 0.99 || t > 2.2) near(left[i] ?? 9, 0.4 * Math.sin(2000 * Math.PI * t), 1e-4, `${t}`);
  }
});

test('the own sound lies under the new one at its volume, and neither is late', async () => {
  const sound = await heard({ options: { background: { mode: 'mix', volume: 0.5 } } });
  assert.equal([sound.left.length, sound.rate, sound.channels], [3 * RATE, RATE, 1]);
  holds(sound, 0.5, { 300: 0.2, 1000: 0.4 });
  holds(sound, 2.8, { 500: 0.2, 1200: 0.4 });
  for (let i = 500; i < 2.9 * RATE; i += 997) {
    const t = i / RATE;
    const of = (from: number) => Math.sin(2 * Math.PI * (from + 100 * Math.floor(t)) * t);
    near(sound.left[i] ?? 9, 0.4 * of(1000) + 0.2 * of(300), 2e-4, `${t}`);
  }
});

test('loop: the own sound begins again with the clip', async () => {
  const long = await makeClip(at('long.wav'), lavfi(`anullsrc=r=${RATE}:cl=mono`), ['-t', '7']);
  const options = { sync_mode: 'loop', options: { background: { mode: 'mix', volume: 1 } } };
  const sound = await heard(options, { sound: long });
  assert.is(sound.left.length, 7 * RATE);
  for (const start of [0, 3, 6]) holds(sound, start + 0.5, { 300: 0.4 });
  for (const start of [0, 3]) holds(sound, start + 2.5, { 500: 0.4 });
  assert.ok(steepest(sound) < 0.03, `${steepest(sound)}`);
});

test('bounce: it begins again at every turn, and never runs backward', async () => {
  const long = await makeClip(at('long9.wav'), lavfi(`anullsrc=r=${RATE}:cl=mono`), ['-t', '9']);
  const options = { sync_mode: 'bounce', options: { background: { mode: 'mix', volume: 1 } } };
  const sound = await heard(options, { sound: long });
  assert.is(sound.left.length, 9 * RATE);
  // Back from the last frame but one to the second is two frames less.
  for (const start of [0, 3, 5.92]) holds(sound, start + 0.5, { 300: 0.4 });
  for (const start of [0, 3, 5.92]) holds(sound, start + 2.5, { 500: 0.4 });
});

test('remap: it is slowed or sped with the clip, at its own pitch', async () => {
  const one = await makeClip(
    at('one.mov'),
    [...pattern(2), ...counting(2, 300)],
    [...h264, '-c:a', 'pcm_s16le'],
  );
  for (const seconds of [1, 6, 9]) {
    const still = lavfi(`anullsrc=r=${RATE}:cl=mono`);
    const sound = await heard(
      { sync_mode: 'remap', options: { background: { mode: 'mix', volume: 1 } } },
      { path: one, sound: await makeClip(at('still.wav'), still, ['-t', String(seconds)]) },
    );
    near(sound.seconds, seconds, 0.02);
    near(amount(sound, 300, seconds * 0.25), 0.4, 0.05, `${seconds} s`);
    near(amount(sound, 400, seconds * 0.75), 0.4, 0.05, `${seconds} s`);
  }
});

test('silence: after the end of the clip its sound is over, too', async () => {
  const options = { sync_mode: 'silence', options: { background: { mode: 'mix', volume: 1 } } };
  const sound = await heard(options);
  holds(sound, 2.8, { 500: 0.4, 1200: 0.4 });
  holds(sound, 3.01, { 1300: 0.4 });
});

const segments = [
  { start: 0.5, end: 1.25, audio: { start: 2, end: 2.5 } },
  { start: 1.25, end: 1.6, audio: { start: 0 } },
  { start: 1.6, end: 1.9, audio: null },
  { start: 2.2, end: 3, audio: { start: 3 } },
];

test('segments: parts of the new sound in their places, the own one around them', async () => {
  const sound = await heard({ segments });
  assert.is(sound.left.length, 3 * RATE);
  holds(sound, 0.2, { 300: 0.4 });
  holds(sound, 0.38, { 300: 0.4 });
  holds(sound, 0.52, { 1200: 0.4 });
  holds(sound, 0.89, { 1200: 0.4 });
  // The part was shorter than its span.
  holds(sound, 1.02, {});
  holds(sound, 1.14, {});
  holds(sound, 1.27, { 1000: 0.4 });
  holds(sound, 1.62, { 400: 0.4 });
  holds(sound, 2.08, { 500: 0.4 });
  holds(sound, 2.22, { 1300: 0.4 });
  holds(sound, 2.88, { 1300: 0.4 });
});

test('segments: with a background the own sound goes on under the new one', async () => {
  const options = { background: { mode: 'mix', volume: 0.25 } };
  const sound = await heard({ segments, options });
  holds(sound, 0.2, { 300: 0.4 });
  holds(sound, 0.6, { 300: 0.1, 1200: 0.4 });
  holds(sound, 1.1, { 400: 0.1 });
  holds(sound, 1.7, { 400: 0.4 });
});

test('segments: nothing clicks', async () => {
  const soft = await makeClip(at('soft.wav'), lavfi(`sine=f=100:r=${RATE}:d=4`));
  const low = await makeClip(
    at('low.mov'),
    [...pattern(3), ...lavfi(`sine=f=80:r=${RATE}:d=3`)],
    [...h264, '-c:a', 'pcm_s16le'],
  );
  const sound = await heard({ segments }, { path: low, sound: soft });
  // Both are sines of an eighth; the steepest of their own steps is 0.0016, a hard cut up to 0.125.
  assert.ok(steepest(sound) < 0.006, `${steepest(sound)}`);
});

test('segments: there may be a hundred', async () => {
  const path = await makeClip(
    at('six.mov'),
    [...pattern(6), ...counting(6, 300)],
    [...h264, '-c:a', 'pcm_s16le'],
  );
  const many = Array.from({ length: 100 }, (_, i) => ({
    start: 0.06 * i,
    end: 0.06 * i + 0.02,
    audio: { start: 3.9 - 0.03 * i },
  }));
  const sound = await heard({ segments: many }, { path });
  assert.is(sound.left.length, 6 * RATE);
  // 10 ms hold a whole number of periods of each.
  for (const [from, frequency] of [
    [0.305, 1300],
    [0.335, 300],
    [5.405, 1100],
    [5.435, 800],
  ] as const)
    near(amount(sound, frequency, from, 0.01), 0.4, 0.02, `${from} s`);
});

test('segments: one that is shorter than a sample, or begins after the last picture, is silent', async () => {
  const { sound } = await heard({ segments: [{ start: 1, end: 2, audio: { start: 0 } }] });
  const spans = [
    { start: 0.5, end: 0.500001, from: 0, seconds: 1 },
    { start: 1, end: 2, from: 0, seconds: 0.000001 },
    { start: 2, end: 2.5, from: 0, seconds: 4 },
    { start: 3.5, end: 4, from: 0, seconds: 4 },
  ];
  const told = await render({ ...sound, spans });
  assert.is(told.left.length, 3 * RATE);
  holds(told, 0.2, { 300: 0.4 });
  holds(told, 1.4, {});
  holds(told, 2.2, { 1000: 0.4 });
  holds(told, 2.7, { 500: 0.4 });
});

test('two full sounds together do not clip', async () => {
  const full = (name: string, frequency: number) =>
    makeClip(at(name), lavfi(`aevalsrc='0.99*sin(2*PI*${frequency}*t)':s=${RATE}:d=3`));
  const loud = await makeClip(
    at('loud.mov'),
    [...pattern(3), '-i', await full('full1.wav', 320)],
    [...h264, '-c:a', 'pcm_s16le'],
  );
  const sound = await heard(
    { options: { background: { mode: 'mix', volume: 1 } } },
    { path: loud, sound: await full('full2.wav', 470) },
  );
  const peak = sound.left.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  assert.ok(peak < 0.96 && peak > 0.9, `${peak}`);
});

test('the higher rate of the two, and two channels if either has them, at the same loudness', async () => {
  const mix = { options: { background: { mode: 'mix', volume: 1 } } };
  const telephone = await makeClip(at('phone.wav'), counting(3, 1000), ['-ar', '8000']);
  const surround = await makeClip(at('5.1.wav'), counting(3, 1000, 's=96000'), ['-ac', '6']);
  const stereo = await makeClip(
    at('stereo.mov'),
    [...pattern(3), ...counting(3, 300, 's=44100')],
    [...h264, '-c:a', 'pcm_s16le', '-af', 'pan=stereo|c0=c0|c1=c0'],
  );
  for (const [sound, path, rate, channels] of [
    [telephone, clip, 48_000, 1],
    [telephone, stereo, 44_100, 2],
    [surround, stereo, 48_000, 2],
    [surround, clip, 48_000, 2],
  ] as const) {
    const came = await heard(mix, { path, sound });
    assert.equal([came.rate, came.channels], [rate, channels]);
    near(amount(came, 300, 0.5), 0.4, 0.012);
    if (sound === telephone) near(amount(came, 1000, 0.5), 0.4, 0.012);
  }
});

test('an own sound that cannot be decoded is silent', async () => {
  const path = await makeClip(
    at('torn.mp4'),
    [...pattern(4), ...counting(4, 300)],
    [...h264, '-c:a', 'aac', '-bsf:a', 'noise=amount=1'],
  );
  const sound = await makeClip(at('half.wav'), counting(0.5, 1000));
  const options = { sync_mode: 'silence', options: { background: { mode: 'mix' } } };
  const came = await heard(options, { path, sound });
  assert.is(came.left.length, 4 * RATE);
  holds(came, 0.3, { 1000: 0.4 });
});

test('the own sound is in time with its pictures, whichever of them begins first', async () => {
  const beep = lavfi(`aevalsrc='if(between(t,1,1.1),0.5*sin(2*PI*1000*t),0)':s=${RATE}:d=2.5`);
  const still = await makeClip(at('still3.wav'), lavfi(`anullsrc=r=${RATE}:cl=mono`), ['-t', '3']);
  for (const [name, input, expected] of [
    ['late-sound.mp4', [...pattern(2), '-itsoffset', '0.3', ...beep], 1.3],
    ['late-pictures.mp4', ['-itsoffset', '0.4', ...pattern(2), ...beep], 0.6],
  ] as const) {
    const path = await makeClip(at(name), input, [
      ...[...h264, '-c:a', 'aac', '-fps_mode', 'passthrough'],
    ]);
    const mix = { options: { background: { mode: 'mix', volume: 1 } } };
    const { left } = await heard(mix, { path, sound: still });
    const onset = left.findIndex((value) => Math.abs(value) > 0.1) / RATE;
    near(onset, expected, 0.005, name);
  }
});

test.run();
