import type { Plan } from '../../../triton/clients/mouth-plan.ts';
import type { LipSyncTask } from '../task.ts';
import type { Listened } from './hear.ts';

/** The new sound, and the clip's own on the clock of its pictures, where it has one. */
export type Sounds = { readonly sound: Listened; readonly own: Listened | null };

/** What is known of the subject: a mesh for each of these times, null where the face is not seen. */
export type Known = {
  readonly times: readonly number[];
  mesh(at: number): Promise<Float32Array | null>;
};

/**
 * A mouth shape for each of the output's frames, whose times are given; all times in seconds from the first picture. `shown`
 * tells which known picture each of them shows: then mouths are lent from picture to picture, where the model does that.
 */
export const planMouth = async (
  { models, options, signal, watch }: LipSyncTask,
  { sound, own }: Sounds,
  known: Known,
  outputTimes: readonly number[],
  shown: readonly number[] | null = null,
): Promise<Plan> => {
  const { points: wanted } = models.mouthPlan;
  const points = new Float32Array(known.times.length * wanted.length * 3).fill(Number.NaN);
  for (const at of known.times.keys()) {
    const mesh = await known.mesh(at);
    if (mesh) points.set(pick(mesh, wanted), at * wanted.length * 3);
  }
  const learn = watch?.learn ?? (() => true);
  const times = Float32Array.from(outputTimes);
  const inKnown = (at: number) => (at < known.times.length ? at : -1);
  const plan = await models.mouthPlan.plan(
    {
      ...{ pcm: sound.pcm, heard: sound.heard, times, points },
      pointTimes: Float32Array.from(known.times),
      learn: Buffer.from(known.times.map((time) => (learn(time) ? 1 : 0))),
      ...{ ownPcm: own?.pcm ?? new Float32Array(), ownHeard: own?.heard ?? null },
      expressiveness: options.options.expressiveness,
      quality: models.model,
      keepLag: watch?.keepLag ?? false,
      shown: shown && models.mouthRender.lends ? Int32Array.from(shown, inKnown) : null,
    },
    signal,
  );
  watch?.planned?.({ ...plan, times, heard: sound.heard, pcm: sound.pcm });
  return plan;
};

const pick = (mesh: Float32Array, points: readonly number[]): number[] =>
  points.flatMap((point) => [...mesh.subarray(point * 3, point * 3 + 3)]);
