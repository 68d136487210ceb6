/** How long a lip-synced video becomes, and the warnings that are known before it is made. Pure. */

import type { Warning } from '../../contract/job.ts';
import { PORTRAIT_FPS } from '../../frame.ts';
import { secondsText } from '../../text/counted.ts';
import type { LipsyncInput, LipsyncModel, LipsyncOptions } from './request.ts';

type Input = Pick<LipsyncInput, 'kind' | 'duration_seconds' | 'fps' | 'own_sound'> & {
  readonly audio: Pick<LipsyncInput['audio'], 'duration_seconds'>;
};
type Timing = Pick<LipsyncOptions, 'sync_mode' | 'segments'>;

/** What the result's length is promised to be, to half a frame. A portrait speaks as long as there is sound. */
export const outputSeconds = (input: Input, { sync_mode, segments }: Timing): number => {
  const sound = input.audio.duration_seconds;
  const clip = input.duration_seconds;
  if (input.kind === 'image' || clip === undefined) return sound;
  if (segments) return clip;
  switch (sync_mode) {
    case 'cut_off':
      return Math.min(clip, sound);
    case 'silence':
      return Math.max(clip, sound);
    case 'loop':
    case 'bounce':
    case 'remap':
      return sound;
  }
};

/** What the result is promised to be, and how many frames that makes at the clip's mean rate. */
export const outputSpan = (input: Input, timing: Timing) => {
  const seconds = outputSeconds(input, timing);
  return { seconds, frames: Math.max(1, Math.round(seconds * (input.fps ?? PORTRAIT_FPS))) };
};

/** How long a result may be and still be what the model is made for. */
export const madeForSeconds: Readonly<Record<LipsyncModel, number>> = {
  fast: 60,
  balanced: 300,
  studio: 300,
};

/** What input and options tell before anything is made. */
export const warningsOf = (input: Input, options: LipsyncOptions): Warning[] => [
  ...lengthWarnings(options.model, outputSeconds(input, options)),
  ...cutWarnings(input, options),
  ...backgroundWarnings(input, options),
];

const lengthWarnings = (model: LipsyncModel, seconds: number): Warning[] => {
  if (seconds <= madeForSeconds[model]) return [];
  const detail = `The model ${model} is made for up to ${madeForSeconds[model]} s; the result lasts ${Number(seconds.toFixed(1))} s.`;
  return [{ code: 'long_clip_for_model', detail }];
};

/** Where less than this share of the longer one is left, the caller may not have meant to cut it. */
const CUT_FROM = 0.5;

const cutWarnings = (input: Input, { sync_mode, segments }: Timing): Warning[] => {
  const sound = input.audio.duration_seconds;
  const clip = input.duration_seconds;
  if (input.kind === 'image' || clip === undefined || segments || sync_mode !== 'cut_off')
    return [];
  const [left, whole] = [Math.min(clip, sound), Math.max(clip, sound)];
  if (left >= CUT_FROM * whole) return [];
  const [short, long, kept] =
    clip < sound
      ? (['video', 'sound', 'loop, bounce, silence or remap'] as const)
      : (['sound', 'video', 'silence'] as const);
  const detail = `The ${short} lasts ${secondsText(left)}, so most of the ${long}, which lasts ${secondsText(whole)}, is cut off. To keep all of it, set sync_mode to ${kept}.`;
  return [{ code: 'much_cut_off', detail }];
};

const backgroundWarnings = ({ own_sound }: Input, { options }: LipsyncOptions): Warning[] => {
  if (options.background.mode === 'drop' || own_sound !== false) return [];
  const detail = 'The video or portrait has no sound of its own to mix in.';
  return [{ code: 'no_background_sound', detail }];
};
