import { extname } from 'node:path';
import { Refused } from '../../cli/client.ts';
import { type Calling, runJob } from '../../cli/run-job.ts';
import type { Segment, Sync } from './request.ts';

type Options = Calling & {
  readonly model: string;
  readonly syncMode?: string;
  readonly segment?: readonly Segment[];
  /** Its volume. */
  readonly background?: number;
  readonly expressiveness?: number;
  readonly onNoFace?: string;
  readonly style?: string;
  /** False with --no-motion. */
  readonly motion: boolean;
  readonly face?: Face;
};
export type Face = { readonly frame: number; readonly x: number; readonly y: number };

/** `enhance lipsync VIDEO AUDIO -o OUT.mp4` */
export const lipsync = async (video: string, audio: string, options: Options): Promise<void> => {
  if (extname(options.output).toLowerCase() !== '.mp4')
    throw new Refused(`${options.output} must end in .mp4.`);
  const parts = [
    { part: 'video', path: video },
    { part: 'audio', path: audio },
  ];
  const result = await runJob({ path: '/v1/lipsync', parts, fields: fieldsOf(options) }, options);
  if (!('faces_detected' in result)) throw new Error('the service answered with another operation');
  const { faces_detected, frames, frames_passed_through, sync, warnings } = result;
  const faces = `${faces_detected} face${faces_detected === 1 ? '' : 's'}`;
  const passed = `${frames_passed_through} left as they were`;
  console.error([faces, `${frames} frames`, passed, ...lagOf(sync)].join(', '));
  for (const { detail } of warnings) console.error(`Note: ${detail}`);
};

const lagOf = ({ lag_ms }: Sync): string[] => {
  if (lag_ms === null) return [];
  return [`mouth ${Math.abs(lag_ms)} ms ${lag_ms < 0 ? 'before' : 'after'} the sound`];
};

const fieldsOf = ({ model, syncMode, segment, face, background, ...tuning }: Options) => ({
  model,
  ...(syncMode && { sync_mode: syncMode }),
  ...(face && { speaker: JSON.stringify(face) }),
  ...(segment && { segments: JSON.stringify(segment) }),
  options: JSON.stringify({
    ...{ expressiveness: tuning.expressiveness, on_no_face: tuning.onNoFace, style: tuning.style },
    ...(!tuning.motion && { motion: false }),
    ...(background !== undefined && { background: { mode: 'mix', volume: background } }),
  }),
});
