/** Which part of the new sound is heard where, by people and by models. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HEARD_RATE } from '../../../src/media/heard.ts';
import { placeSpans, soundSpansOf } from '../../../src/operations/lip-sync/plan/sound-track.ts';

const segments = [
  { start: 0.5, end: 1, audio: { start: 0.25, end: 0.5 } },
  { start: 1, end: 1.5, audio: null },
  { start: 1.5, end: 2, audio: { start: 0 } },
  { start: 2, end: 3, audio: { start: 0.75 } },
];

test('every segment with audio is a part, and what the sound does not have is not asked for', () => {
  assert.is(soundSpansOf({}, 1), undefined);
  assert.equal(soundSpansOf({ segments }, 1), [
    { start: 0.5, end: 1, from: 0.25, seconds: 0.25 },
    { start: 1.5, end: 2, from: 0, seconds: 1 },
    { start: 2, end: 3, from: 0.75, seconds: 0.25 },
  ]);
  const beyond = [{ start: 0, end: 1, audio: { start: 0.5, end: 1.05 } }];
  assert.equal(soundSpansOf({ segments: beyond }, 1), [
    { start: 0, end: 1, from: 0.5, seconds: 0.5 },
  ]);
});

test('the models hear each part in its place, cut to its span, and silence elsewhere', () => {
  // Each sample tells its own place.
  const pcm = Float32Array.from({ length: HEARD_RATE }, (_, i) => i + 1);
  const heard = placeSpans(pcm, soundSpansOf({ segments }, 1) ?? []);
  assert.is(heard.length, 3 * HEARD_RATE);
  for (const [seconds, place] of [
    [0.1, null],
    [0.5, 0.25],
    [0.7, 0.45],
    [0.76, null],
    [1.2, null],
    [1.5, 0],
    [1.99, 0.49],
    [2, 0.75],
    [2.24, 0.99],
    [2.26, null],
  ] as const) {
    const expected = place === null ? 0 : Math.round(place * HEARD_RATE) + 1;
    assert.is(heard[Math.round(seconds * HEARD_RATE)], expected, `${seconds}`);
  }
});

test('a span that begins and ends between samples is no longer than the whole', () => {
  const pcm = new Float32Array(HEARD_RATE).fill(1);
  const heard = placeSpans(pcm, [{ start: 0.0001, end: 0.0002, from: 0, seconds: 1 }]);
  assert.equal([...heard], [0, 0, 1]);
});

test.run();
