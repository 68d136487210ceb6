import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../src/errors.ts';
import { measuredFrom } from '../../../src/operations/lip-sync/check/measured-from.ts';
import { compare } from '../../../src/operations/lip-sync/check/sync.ts';
import { correlation, hasSpeech } from '../../../src/operations/lip-sync/faces/lips.ts';
import {
  cutSound,
  leftUnchanged,
  mouthCovered,
  smallFace,
  weaklySynced,
} from '../../../src/operations/lip-sync/warnings.ts';
import type { Heard } from '../../../src/triton/clients/speech.ts';

const test = suite('sync');

/** Three seconds of speech; the jaw's curve is the sum of two waves. */
const jaw = (seconds: number) => Math.sin(9 * seconds) + Math.sin(23 * seconds + 1);
const heard = (active = 1) => {
  const curves = new Float32Array(300 * 6);
  for (let i = 0; i < 300; i += 1) curves[i * 6] = jaw((i + 0.5) / 100);
  const posteriors = new Float32Array(300 * 20);
  return { steps: 300, curves, posteriors, activity: new Float32Array(300).fill(active) };
};
const seen = (lagSeconds: number, count = 60) =>
  Array.from({ length: count }, (_, i) => {
    const seconds = 0.4 + i / 30;
    return { seconds, opening: 0.1 + 0.02 * jaw(seconds - lagSeconds) };
  });

test('a mouth that goes with the sound correlates, without a lag', () => {
  const sync = compare(seen(0), heard());
  assert.ok(sync && sync.correlation > 0.99, JSON.stringify(sync));
  assert.is(sync.lagMs, 0);
});

test('a mouth that is late has a positive lag, one that is early a negative', () => {
  assert.is(compare(seen(0.08), heard())?.lagMs, 80);
  assert.is(compare(seen(-0.05), heard())?.lagMs, -50);
});

test('where speech begins late, that is measured, and not the mouth at rest before it', () => {
  const times = Array.from({ length: 500 }, (_, i) => i / 25);
  const spoken = (from: number, to: number) => ({
    ...heard(),
    activity: Float32Array.from({ length: 2000 }, (_, i) =>
      i / 100 >= from && i / 100 < to ? 1 : 0,
    ),
  });
  const from = (sound: Heard, first = 0) => measuredFrom(sound, { times, first }, 5);
  assert.equal([from(spoken(0, 20)), from(spoken(0, 0)), from(spoken(0, 20), 50)], [0, 0, 50]);
  // Two and a half seconds of speech are half of five.
  assert.is(times[from(spoken(6, 20))], 3.52);
  assert.is(times[from(spoken(19, 20))], 14.52);
  assert.is(measuredFrom(spoken(0, 20), { times: [0], first: 0 }, 5), 0);
});

test('what comes after the end of the result is no speech in it', () => {
  const late = { ...heard(), activity: Float32Array.from({ length: 600 }, (_, i) => +(i >= 300)) };
  assert.equal([hasSpeech(late), hasSpeech(late, 3), hasSpeech(late, 4)], [true, false, true]);
});

test('without speech, without a face or without movement nothing is claimed', () => {
  assert.is(compare(seen(0), heard(0.1)), null);
  assert.is(compare(seen(0, 5), heard()), null);
  assert.is(
    compare(
      seen(0).map((one) => ({ ...one, opening: 0.1 })),
      heard(),
    ),
    null,
  );
});

test('a mouth that hardly goes with the speech gets a warning, one that does not at all is no result', () => {
  const warned = (correlation: number, frames = 100, speechSeconds = 1, unchanged = 0) =>
    weaklySynced(
      { correlation, lagMs: 0, speechSeconds },
      { frames, unchanged, style: 'photo' },
    ).map(({ code }) => code);
  const nothing = weaklySynced(null, { frames: 100, unchanged: 0, style: 'photo' });
  assert.equal([nothing, warned(0.1), warned(0.6)], [[], [], []]);
  assert.equal(
    [warned(0.099), warned(0), warned(-0.2, 49), warned(-0.2, 100, 0.9)],
    [['weak_sync'], ['weak_sync'], ['weak_sync'], ['weak_sync']],
  );
  // Mouths behind a microphone are measured as well.
  assert.equal(warned(-0.2, 100, 1, 20), ['weak_sync']);
  assert.throws(
    () => warned(-0.05, 100, 1, 19),
    (error: unknown) =>
      error instanceof Failure &&
      error.code === 'no_face_detected' &&
      error.message.includes('(correlation -0.05)'),
  );
});

test('a drawing and a face under a mark, whose mouths the mesh may not see, are never refused for their measured sync', () => {
  const sync = { correlation: -0.4, lagMs: 0, speechSeconds: 3 };
  const [warning, ...more] = weaklySynced(sync, { frames: 100, unchanged: 0, style: 'flat' });
  assert.equal([warning?.code, more], ['weak_sync', []]);
  assert.match(warning?.detail ?? '', /hard to measure/);
  const marked = { frames: 100, unchanged: 0, style: 'photo', marked: true } as const;
  assert.is(weaklySynced(sync, marked)[0]?.code, 'weak_sync');
});

test('callers are told where a fifth of the frames or more are as they were', () => {
  assert.equal([leftUnchanged(0, 0), leftUnchanged(14, 75)], [[], []]);
  const [warning] = leftUnchanged(40, 75);
  assert.is(warning?.code, 'frames_unchanged');
  assert.match(warning?.detail ?? '', /^40 of 75 frames .*`speaker` names another/);
});

test('callers are told of a face whose mouth has too few pixels, by the median of its widths', () => {
  const box = (width: number) => [100, 50, 100 + width, 50 + width * 1.2] as const;
  assert.equal([smallFace([]), smallFace([null]), smallFace([box(64)])], [[], [], []]);
  assert.equal(smallFace([box(30), null, box(90), box(80)]), []);
  const [warning] = smallFace([box(40.2), null, box(38), box(200)]);
  assert.is(warning?.code, 'small_face');
  assert.match(warning?.detail ?? '', /face is 40 pixels wide: .* from 64 on/);
});

test('callers are told of a sound whose end is missing', () => {
  const sound = { kind: 'audio', container: 'mp3', codec: 'mp3' } as const;
  const read = { ...sound, durationSeconds: 1.8, sampleRate: 44_100, channels: 2 };
  assert.equal(cutSound(read), []);
  const [warning] = cutSound({ ...read, statedSeconds: 3.096 });
  assert.is(warning?.code, 'sound_cut_short');
  assert.match(warning?.detail ?? '', /states that it lasts 3\.1 s, but only 1\.8 s could be read/);
});

test('callers are told of a portrait whose lips a hand covers, and not of one with pale lips', () => {
  assert.equal([mouthCovered(0, 'photo'), mouthCovered(0.11, 'photo')], [[], []]);
  const [warning] = mouthCovered(0.38, 'photo');
  assert.is(warning?.code, 'mouth_covered');
  assert.match(warning?.detail ?? '', /Send a picture that shows the mouth/);
});

test('a drawing whose mouth is a line, or white teeth, is not said to be covered', () => {
  assert.equal(mouthCovered(0.61, 'flat'), []);
});

test('correlation is as defined', () => {
  assert.ok(Math.abs(correlation([1, 2, 3, 4], [2, 4, 6, 8]) - 1) < 1e-9);
  assert.ok(Math.abs(correlation([1, 2, 3, 4], [1, 3, 2, 4]) - 0.8) < 1e-9);
});

test.run();
