import { crc32 } from 'node:zlib';
import type { Picture } from '../../../frame.ts';
import { HEARD_RATE } from '../../../media/heard.ts';
import { portraitModels } from '../../../triton/clients/lipsync.ts';
import { STEP_SECONDS } from '../../../triton/clients/speech.ts';
import type { LipSyncTask } from '../task.ts';
import type { HeardSound } from './hear.ts';

/** Half of the window in which the loudness (RMS) is measured: 50 ms, in samples. */
const HALF_WINDOW = HEARD_RATE / 20;

/** From which activity on a picture is one of speech. */
const SPOKEN = 0.5;
/**
 * Which share of the pictures of speech is quieter than its loud syllables, and how many times as loud as that a sound is at
 * most to count fully. The loudest syllable of clear speech is 1.1 to 2 times as loud; a clap or a laugh may be 8 times.
 */
const LOUD = { share: 0.8, most: 2 } as const;

/**
 * A motion of the portrait's head for each time, in seconds: it follows the loudness of the speech. The seed comes from the
 * picture, so that the same input gives the same motion.
 */
export const planHead = (
  { models, signal }: LipSyncTask,
  still: Picture,
  sound: HeardSound,
  times: readonly number[],
): Promise<Float32Array> => {
  const seed = crc32(still.pixels) & 0x7fffffff;
  return portraitModels(models).portraitMotion.motion(
    Float32Array.from(times),
    levelOfSpeech(sound, times),
    seed,
    signal,
  );
};

/** How loud the speech is at each time: 0 in silence, 1 at its loudest, of which one burst says nothing. Pure. */
export const levelOfSpeech = (
  { heard, pcm }: HeardSound,
  times: readonly number[],
): Float32Array => {
  const activity = times.map((time) => heard.activity[Math.round(time / STEP_SECONDS)] ?? 0);
  const loudness = times.map((time) => {
    const at = Math.round(time * HEARD_RATE);
    const around = pcm.subarray(Math.max(0, at - HALF_WINDOW), at + HALF_WINDOW);
    return Math.sqrt(around.reduce((sum, sample) => sum + sample * sample, 0) / HALF_WINDOW / 2);
  });
  const spoken = loudness.filter((_, i) => (activity[i] ?? 0) > SPOKEN).sort((a, b) => a - b);
  const loud = spoken[Math.floor(LOUD.share * spoken.length)] ?? Number.POSITIVE_INFINITY;
  const full = Math.max(1e-6, Math.min(Math.max(...loudness), LOUD.most * loud));
  return Float32Array.from(times, (_, i) =>
    Math.min(1, ((activity[i] ?? 0) * (loudness[i] ?? 0)) / full),
  );
};
