/** What is heard under a result, and what of it the models hear. Pure; all times in seconds. */

import { HEARD_RATE } from '../../../media/heard.ts';
import type { AudioInfo, VideoInfo } from '../../../media/info.ts';
import type { OwnSound, SoundSpan, SoundTrack } from '../../../media/write/sound-graph.ts';
import type { LipsyncOptions } from '../request.ts';
import type { Shot } from './timeline.ts';

type Clip = {
  readonly path: string;
  readonly info: VideoInfo;
  /** The new sound. */
  readonly sound: AudioInfo;
};

/** The sound of an output of these shots. */
export const soundTrack = (
  soundPath: string,
  { path, info, sound }: Clip,
  options: LipsyncOptions,
  shots: readonly Shot[],
): SoundTrack => {
  const seconds = endOf(shots);
  const { mode, volume } = options.options.background;
  const isHeard = mode === 'mix' || options.segments !== undefined;
  return {
    ...{ path: soundPath, info: sound, seconds },
    spans: partsOf(options, sound.durationSeconds),
    own:
      isHeard && info.audio.length > 0
        ? { path, info, volume: mode === 'mix' ? volume : 0, ...paceOf(options, info, shots) }
        : undefined,
  };
};

/** Where the parts of the new sound are heard; undefined without segments: all of it, from the start on. */
export const partsOf = (
  { segments }: Pick<LipsyncOptions, 'segments'>,
  soundSeconds: number,
): SoundSpan[] | undefined =>
  segments?.flatMap(({ start, end, audio }) => {
    if (!audio) return [];
    const until = Math.min(soundSeconds, audio.end ?? soundSeconds);
    return [{ start, end, from: audio.start, seconds: until - audio.start }];
  });

/** The new sound as the models hear it, with its parts in their places, and silence between and after them. */
export const placed = (pcm: Float32Array, parts: readonly SoundSpan[]): Float32Array => {
  const at = (seconds: number): number => Math.round(seconds * HEARD_RATE);
  const whole = new Float32Array(at(parts.at(-1)?.end ?? 0));
  for (const { start, end, from, seconds } of parts) {
    const length = at(Math.min(end, start + seconds)) - at(start);
    whole.set(pcm.subarray(at(from), at(from) + length), at(start));
  }
  return whole;
};

const endOf = (shots: readonly Shot[]): number => {
  const last = shots.at(-1);
  if (!last) throw new RangeError('there are no pictures to be heard under');
  return last.time + last.duration;
};

/** Less of a sound is no sound again and again, but a buzz. */
const LEAST_PASS = 0.5;

/** The own sound keeps to its pictures, but is never heard backward: where they turn, it begins again. */
const paceOf = (
  { sync_mode }: LipsyncOptions,
  info: VideoInfo,
  shots: readonly Shot[],
): Pick<OwnSound, 'tempo' | 'passes'> => {
  if (sync_mode === 'remap') return { tempo: info.durationSeconds / endOf(shots), passes: [] };
  const passes = info.durationSeconds < LEAST_PASS ? [] : passesOf(shots);
  return { tempo: 1, passes };
};

/** How long the clip goes forward, and, where it does, back, before its first picture is shown again. */
const passesOf = (shots: readonly Shot[]): number[] => {
  const sourceAt = (at: number): number => shots[at]?.source ?? 0;
  const turn = shots.findIndex(({ source }, at) => at > 0 && source < sourceAt(at - 1));
  const turned = shots[turn];
  if (!turned) return [];
  const again = shots.find(({ source }, at) => at >= turn && source === 0);
  const back = (again?.time ?? endOf(shots)) - turned.time;
  return back > 0 ? [turned.time, back] : [turned.time];
};
