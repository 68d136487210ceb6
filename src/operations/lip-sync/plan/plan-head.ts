import { crc32 } from 'node:zlib';
import type { Picture } from '../../../frame.ts';
import { HEARD_RATE } from '../../../media/heard.ts';
import { portraitModels } from '../../../triton/clients/lipsync.ts';
import { STEP_SECONDS } from '../../../triton/clients/speech.ts';
import type { LipSyncTask } from '../task.ts';
import type { HeardSound } from './hear.ts';

/** Half of the window in which the loudness (RMS) is measured: 50 ms, in samples. */
const HALF_WINDOW = HEARD_RATE / 20;

/**
 * A motion of the portrait's head for each time, in seconds: it follows the loudness of the speech. The seed comes from the
 * picture, so that the same input gives the same motion.
 */
export const planHead = (
  { models, signal }: LipSyncTask,
  still: Picture,
  { heard, pcm }: HeardSound,
  times: readonly number[],
): Promise<Float32Array> => {
  const loudness = times.map((time) => {
    const at = Math.round(time * HEARD_RATE);
    const around = pcm.subarray(Math.max(0, at - HALF_WINDOW), at + HALF_WINDOW);
    return Math.sqrt(around.reduce((sum, sample) => sum + sample * sample, 0) / HALF_WINDOW / 2);
  });
  const loudest = Math.max(1e-6, ...loudness);
  const level = times.map((time, i) => {
    const active = heard.activity[Math.round(time / STEP_SECONDS)] ?? 0;
    return (active * (loudness[i] ?? 0)) / loudest;
  });
  const seed = crc32(still.pixels) & 0x7fffffff;
  return portraitModels(models).portraitMotion.motion(
    Float32Array.from(times),
    Float32Array.from(level),
    seed,
    signal,
  );
};
