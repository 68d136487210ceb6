/** How loud speech is, by which a portrait's head moves: pure. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HEARD_RATE } from '../../../src/media/heard.ts';
import type { HeardSound } from '../../../src/operations/lip-sync/plan/hear.ts';
import { levelOfSpeech } from '../../../src/operations/lip-sync/plan/plan-head.ts';
import { STEP_SECONDS } from '../../../src/triton/clients/speech.ts';

const test = suite('the level of speech');
const SECONDS = 4;
const times = Array.from({ length: SECONDS * 25 }, (_, i) => i / 25);

/** Syllables, four a second, from `from` to `to` seconds; each is as loud as `loudness` says at its time. */
const speech = (
  loudness: (time: number) => number,
  [from, to]: readonly [number, number] = [0, SECONDS],
): HeardSound => {
  const pcm = Float32Array.from({ length: SECONDS * HEARD_RATE }, (_, i) => {
    const time = i / HEARD_RATE;
    return loudness(time) * Math.sin(2 * Math.PI * 200 * time) * Math.sin(4 * Math.PI * time) ** 2;
  });
  const activity = Float32Array.from({ length: SECONDS / STEP_SECONDS }, (_, i) =>
    i * STEP_SECONDS >= from && i * STEP_SECONDS < to ? 1 : 0,
  );
  return {
    pcm,
    heard: {
      steps: activity.length,
      activity,
      posteriors: new Float32Array(),
      curves: new Float32Array(),
    },
  };
};
const mean = (values: Float32Array): number => values.reduce((a, b) => a + b, 0) / values.length;
const even = levelOfSpeech(
  speech(() => 0.1),
  times,
);

test('the loudest syllable of even speech is 1, and its pauses are 0', () => {
  assert.is(Math.max(...even), 1);
  assert.ok(Math.min(...even) < 0.25);
});

const bursts: [string, readonly [number, number]][] = [
  ['in speech', [0, SECONDS]],
  ['beside speech', [2, SECONDS]],
];
for (const [name, spoken] of bursts) {
  test(`one burst ${name}, four times as loud, does not make the rest silent`, () => {
    const burst = (time: number) => (time > 1 && time < 1.25 ? 0.4 : 0.1);
    const rest = levelOfSpeech(speech(burst, spoken), times).subarray(50);
    assert.ok(mean(rest) > 0.5 * mean(even), `${mean(rest)} of ${mean(even)}`);
    assert.ok(Math.max(...rest) <= 1);
  });
}

test('speech in which one half is quieter keeps the difference', () => {
  const level = levelOfSpeech(
    speech((time) => (time < 2 ? 0.1 : 0.05)),
    times,
  );
  assert.ok(Math.abs(mean(level.subarray(50)) / mean(level.subarray(0, 50)) - 0.5) < 0.05);
});

test('silence has no level, and nor has a sound without speech', () => {
  for (const loudness of [0, 0.1]) {
    const level = levelOfSpeech(
      speech(() => loudness, [0, 0]),
      times,
    );
    assert.is(Math.max(...level), 0);
  }
});

test.run();
