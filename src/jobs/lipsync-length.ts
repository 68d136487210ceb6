/** How long a lip-synced video becomes, and what to say to that. Pure. */
import type { LipsyncInput } from '../contract/job.ts';
import type { LipsyncModel, Warning } from '../contract/lipsync.ts';

type Lengths = {
  readonly kind: LipsyncInput['kind'];
  readonly duration_seconds?: LipsyncInput['duration_seconds'];
  readonly audio: Pick<LipsyncInput['audio'], 'duration_seconds'>;
};

/** A portrait speaks as long as there is sound; of a clip and a sound of other length the shorter counts (`cut_off`). */
export const outputSeconds = ({ kind, duration_seconds, audio }: Lengths): number =>
  kind === 'image' || duration_seconds === undefined
    ? audio.duration_seconds
    : Math.min(duration_seconds, audio.duration_seconds);

/** How long a result may be and still be what the model is made for. */
export const madeForSeconds: Readonly<Record<LipsyncModel, number>> = {
  fast: 60,
  balanced: 300,
  studio: 300,
};

export const lengthWarnings = (model: LipsyncModel, input: Lengths): Warning[] => {
  const seconds = outputSeconds(input);
  if (seconds <= madeForSeconds[model]) return [];
  const detail = `The model ${model} is made for up to ${madeForSeconds[model]} s; this lasts ${Number(seconds.toFixed(1))} s.`;
  return [{ code: 'long_clip_for_model', detail }];
};
