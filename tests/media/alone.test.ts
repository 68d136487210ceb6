import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clearerOf } from '../../src/media/alone.ts';

const test = suite('alone');

/** 2 s at 16 kHz; `at` gives the sample at a time in seconds. */
const sound = (at: (seconds: number) => number): Float32Array =>
  Float32Array.from({ length: 32_000 }, (_, index) => at(index / 16_000));

/** A voice that says ten syllables of 0.1 s, each with a pause of the same length; it rises from this pitch by 3000 Hz. */
const voiceFrom = (hertz: number) => (seconds: number) =>
  seconds % 0.2 < 0.1 ? 0.1 * Math.sin(2 * Math.PI * (hertz + 750 * seconds) * seconds) : 0;
const voiceAt = voiceFrom(300);

/** Noise that is the same each time, of another kind for each seed. */
const noise = (loudness: number, seed: number): Float32Array => {
  let state = seed;
  return sound(() => {
    state = (state * 16_807) % 2_147_483_647;
    return loudness * (state / 2_147_483_647 - 0.5);
  });
};

const both = (one: Float32Array, other: Float32Array): Float32Array =>
  one.map((sample, at) => sample + (other[at] ?? 0));

const [voice, late] = [sound(voiceAt), sound((seconds) => voiceAt(seconds - 0.0125))];
const [hiss, other] = [noise(0.1, 1), noise(0.1, 2)];
const inTurn = (first: boolean) =>
  sound((seconds) => (seconds < 1 === first ? voiceAt(seconds) : 0));
/** Noise that comes and goes, as of an audience. */
const rhythm = (seed: number) =>
  noise(0.3, seed).map((sample, at) => (at % 3200 < 1600 ? sample : 0));
/** The voice as a camera's own microphone hears it: later, with the sound of a room after each syllable. */
const far = sound((seconds) =>
  Array.from({ length: 12 }, (_, at) => at).reduce(
    (sum, at) => sum + 0.7 ** at * voiceAt(seconds - 0.0125 - 0.008 * at),
    0,
  ),
);

for (const [says, left, right, clearer] of [
  ['a voice is heard without the noise of the other channel', voice, hiss, 'left'],
  ['and on the right', hiss, voice, 'right'],
  ['a voice at the collar is heard, not the camera across the room', far, voice, 'right'],
  ['and on the left', voice, far, 'left'],
  ['one of two that are out of phase is heard', voice, both(late, noise(0.01, 3)), 'left'],
  ['two people in turns are both heard', inTurn(true), inTurn(false), null],
  ['also where one has noise', inTurn(true), both(inTurn(false), hiss), null],
  ['two people who speak all at once, as loud at any time', voice, sound(voiceFrom(1500)), null],
  ['a voice in the middle is heard by both', both(voice, hiss), both(voice, other), null],
  ['a voice in a long pause beside noise', inTurn(true), hiss, 'left'],
  ['and on the right, beside noise', hiss, inTurn(true), 'right'],
  ['a voice amid what claps on both sides', both(voice, rhythm(1)), both(voice, rhythm(2)), null],
  ['noise is no voice', hiss, other, null],
  ['little noise changes nothing', voice, noise(0.003, 1), null],
] as const)
  test(says, async () => {
    const mix = both(left, right).map((sample) => sample / 2);
    assert.is(await clearerOf(left, mix, async () => right), clearer);
  });

test('two words are too few to tell two microphones from two people', async () => {
  const [one, other] = [voice, late].map((samples) => samples.subarray(0, 12_800)) as [
    Float32Array,
    Float32Array,
  ];
  assert.is(
    await clearerOf(
      one,
      both(one, other).map((sample) => sample / 2),
      async () => other,
    ),
    null,
  );
});

test('the right channel is decoded only where the left one is not nearly all of the mix', async () => {
  const never = () => Promise.reject(new Error('decoded'));
  assert.is(await clearerOf(voice, voice, never), null);
});

test.run();
