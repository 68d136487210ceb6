import { extname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { number } from '../../cli/arguments.ts';
import { type Source, targetsOf } from '../../cli/paths.ts';
import { Refused } from '../../cli/refused.ts';
import type { JobOptions, Use, Wish } from '../../cli/run-jobs.ts';
import { counted } from '../../text/counted.ts';
import { LipsyncModel, LipsyncResult, type Segment, type Sync, SyncMode } from './request.ts';

/** `enhance lipsync VIDEO AUDIO -o OUT.mp4`, and `enhance estimate lipsync VIDEO AUDIO` */
export const lipsyncCommand = (program: Command, { adopt, send }: Use): void => {
  adopt(program.command('lipsync <video> <audio>'))
    .description(
      'move the mouth in a video or a portrait to fit the audio: files, addresses, or ids of jobs and uploads',
    )
    .option('-m, --model <model>', LipsyncModel.options.join(', '), 'fast')
    .option(
      '--sync-mode <mode>',
      `when video and audio differ in length: ${SyncMode.options.join(', ')} (default: cut_off)`,
    )
    .option(
      '--segment <start-end=from-to>',
      'these seconds of the video speak with these seconds of the audio; can be repeated',
      segment,
    )
    .option(
      '--background <volume>',
      "mix in the video's own sound at this volume, 0 to 1",
      fraction,
    )
    .option('--expressiveness <amount>', 'how far the mouth opens, 0 to 1 (default: 0.5)', fraction)
    .option(
      '--on-no-face <way>',
      'frames without the face: passthrough or fail (default: passthrough)',
    )
    .option('--style <style>', 'auto, photo or flat (for drawings) (default: auto)')
    .option('--no-motion', 'keep the head of a portrait still')
    .option(
      '--face <frame,x,y>',
      'the face whose mouth moves, by frame number and a point on it in pixels',
      face,
    )
    .action((video: Source, audio: Source, options: Options) =>
      send('lipsync', [wishOf(video, audio, options)], options, told),
    );
};

const fraction = number(z.number().min(0).max(1));

const face = (text: string): Face => {
  const [, frame, x, y] = /^(\d+),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (frame === undefined) throw new InvalidArgumentError('Expected FRAME,X,Y such as 0,320,180.');
  return { frame: Number(frame), x: Number(x), y: Number(y) };
};

/** "2-4.5=0-2.5" or "2-4.5=0": seconds of the clip = seconds of the sound. An option that can be repeated: appends to `before`. */
const segment = (text: string, before: readonly Segment[] = []): Segment[] => {
  const number = '(\\d+(?:\\.\\d+)?)';
  const parts = new RegExp(`^${number}-${number}=${number}(?:-${number})?$`).exec(text);
  if (!parts) throw new InvalidArgumentError('Expected START-END=FROM-TO such as 2-4.5=0-2.5.');
  const [start = 0, end = 0, from = 0, to = 0] = parts.slice(1).map(Number);
  const audio = parts[4] === undefined ? { start: from } : { start: from, end: to };
  return [...before, { start, end, audio }];
};

type Options = JobOptions & {
  readonly output?: string;
  readonly model: string;
  readonly syncMode?: string;
  readonly segment?: readonly Segment[];
  /** The volume of the clip's own sound, 0 to 1. */
  readonly background?: number;
  readonly expressiveness?: number;
  readonly onNoFace?: string;
  readonly style?: string;
  /** False with --no-motion. */
  readonly motion: boolean;
  readonly face?: Face;
};
type Face = { readonly frame: number; readonly x: number; readonly y: number };

const wishOf = (video: Source, audio: Source, options: Options): Wish => {
  const { output, model } = options;
  const sources = { video, audio };
  const fields = fieldsOf(options);
  if (output === undefined) return { sources, fields };
  const [target = ''] = targetsOf(
    [video],
    output,
    (name) => `${name}-${model.replace('@', '-')}.mp4`,
  );
  if (extname(target).toLowerCase() !== '.mp4')
    throw new Refused(`The output ${target} must end in .mp4.`);
  return { sources, fields, target };
};

const told = (result: unknown): string[] => {
  const { faces_detected, frames, frames_passed_through, sync } = LipsyncResult.parse(result);
  const passed = `${frames_passed_through} unchanged`;
  const [faces, all] = [counted(faces_detected, 'face'), counted(frames, 'frame')];
  return [[faces, all, passed, ...lagOf(sync)].join(', ')];
};

const lagOf = ({ lag_ms }: Sync): string[] => {
  if (lag_ms === null) return [];
  return [`mouth ${Math.abs(lag_ms)} ms ${lag_ms < 0 ? 'before' : 'after'} the sound`];
};

const fieldsOf = ({ model, syncMode, segment, face, background, ...tuning }: Options) => ({
  model,
  ...(syncMode && { sync_mode: syncMode }),
  ...(face && { speaker: face }),
  ...(segment && { segments: segment }),
  options: {
    expressiveness: tuning.expressiveness,
    on_no_face: tuning.onNoFace,
    style: tuning.style,
    ...(!tuning.motion && { motion: false }),
    ...(background !== undefined && { background: { mode: 'mix', volume: background } }),
  },
});
