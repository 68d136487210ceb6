import type { Plan, PlanRequest } from '../../../triton/clients/mouth-plan.ts';
import type { LipSyncTask } from '../task.ts';
import type { HeardSound } from './hear.ts';

/** The new sound, and the clip's own on the clock of its pictures, where it has one. */
export type ClipSounds = { readonly sound: HeardSound; readonly own: HeardSound | null };

/** The speaker's mesh in each picture of the clip. */
type ObservedMeshes = {
  /** Times of the pictures, in seconds from the first. */
  readonly times: readonly number[];
  /** The mesh of the picture with this index; null where the face is not seen. */
  mesh(at: number): Promise<Float32Array | null>;
  /** Whether the face is seen well enough in it for the plan to learn from it, and to name it. Absent: wherever it is seen. */
  clear?(at: number): boolean;
};

type PlanInputs = {
  readonly sounds: ClipSounds;
  readonly observed: ObservedMeshes;
  /** Times of the output frames, in seconds from the first. */
  readonly times: readonly number[];
  /** How many of the pictures that show the inside of the mouth are to be named; absent: none. */
  readonly lenders?: number;
};

/** What a plan is made from. */
export const planRequest = async (
  { models, options, hooks }: Pick<LipSyncTask, 'models' | 'options' | 'hooks'>,
  { sounds: { sound, own }, observed, times, lenders = 0 }: PlanInputs,
): Promise<PlanRequest> => {
  const learns = (time: number, at: number) =>
    (hooks?.learn?.(time) ?? true) && (observed.clear?.(at) ?? true);
  return {
    pcm: sound.pcm,
    heard: sound.heard,
    times: Float32Array.from(times),
    points: await pointsOf(observed, models.mouthPlan.points),
    pointTimes: Float32Array.from(observed.times),
    learn: Buffer.from(observed.times.map((time, at) => (learns(time, at) ? 1 : 0))),
    ownPcm: own?.pcm ?? new Float32Array(),
    ownHeard: own?.heard ?? null,
    expressiveness: options.options.expressiveness,
    quality: models.model,
    keepLag: hooks?.keepLag ?? false,
    lenders,
  };
};

/** A mouth shape for each output frame. */
export const planMouth = async (
  { models, signal, hooks }: Pick<LipSyncTask, 'models' | 'signal' | 'hooks'>,
  request: PlanRequest,
): Promise<Plan> => {
  const plan = await models.mouthPlan.plan(request, signal);
  const { times, heard, pcm } = request;
  hooks?.planned?.({ ...plan, times, heard, pcm });
  return plan;
};

/** x, y and z of the wanted points in each picture, NaN where the face is not seen. */
const pointsOf = async (
  observed: ObservedMeshes,
  wanted: readonly number[],
): Promise<Float32Array> => {
  const size = wanted.length * 3;
  const points = new Float32Array(observed.times.length * size).fill(Number.NaN);
  for (const at of observed.times.keys()) {
    const mesh = await observed.mesh(at);
    if (mesh)
      points.set(
        wanted.flatMap((point) => [...mesh.subarray(point * 3, point * 3 + 3)]),
        at * size,
      );
  }
  return points;
};
